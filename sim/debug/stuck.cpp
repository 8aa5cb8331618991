// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/stuck.h"

#include <fmt/format.h>

#include <algorithm>

#include "interfaces/generated/nearcube/interfaces.hpp"

namespace nearcube::debug {
namespace {

namespace regs = interfaces;

constexpr bool bit(std::uint32_t word, unsigned at) { return (word >> at & 1) != 0; }
constexpr std::uint32_t field(std::uint32_t word, unsigned lsb, unsigned width) {
  return word >> lsb & ((std::uint32_t{1} << width) - 1);
}

// Bits of dma_debug_o and core_debug_o (rtl/cluster/cluster.sv, where the ports are declared).
constexpr unsigned kDmaOutstandingWidth = 4;
constexpr unsigned kDmaAr = 8, kDmaR = 9, kDmaAw = 10, kDmaW = 11, kDmaB = 12, kDmaTcdmRead = 13,
                   kDmaTcdmWrite = 14;
constexpr unsigned kCoreRequest = 0, kCoreAnswer = 1, kCoreTarget = 2, kCoreRefill = 4, kCoreBarrier = 5;
constexpr std::uint32_t kTargetTcdm = 0, kTargetAxi = 2;

// Anything in register ntx.debug that makes a unit worth a line; the opcode alone is the last command's.
constexpr std::uint32_t kNtxBusy = (std::uint32_t{1} << regs::ntx::kDebugOpcodeLsb) - 1;

const char* opcode_name(std::uint32_t opcode) {
  switch (opcode) {
    case regs::ntx::kCmdOpcodeMac:
      return "MAC";
    case regs::ntx::kCmdOpcodeVaddsub:
      return "VADDSUB";
    case regs::ntx::kCmdOpcodeVmult:
      return "VMULT";
    case regs::ntx::kCmdOpcodeOuterp:
      return "OUTERP";
    case regs::ntx::kCmdOpcodeMaxmin:
      return "MAXMIN";
    case regs::ntx::kCmdOpcodeThtst:
      return "THTST";
    case regs::ntx::kCmdOpcodeMask:
      return "MASK";
    case regs::ntx::kCmdOpcodeMaskmac:
      return "MASKMAC";
    case regs::ntx::kCmdOpcodeCopy:
      return "COPY";
    default:
      return "unknown command";
  }
}

std::string event_names(std::uint32_t events) {
  std::vector<std::string> names;
  for (unsigned n = 0; n < regs::control::kEventStatusNtxWidth; ++n) {
    if (bit(events, regs::control::kEventStatusNtxLsb + n)) names.push_back(fmt::format("NTX {}", n));
  }
  if (bit(events, regs::control::kEventStatusDmaDoneLsb)) names.emplace_back("DMA done");
  if (bit(events, regs::control::kEventStatusDmaErrorLsb)) names.emplace_back("DMA error");
  if (bit(events, regs::control::kEventStatusBarrierLsb)) names.emplace_back("barrier");
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

UnitReport describe_core(const ClusterView& view) {
  UnitReport core;
  core.unit = "core";
  core.state = fmt::format("{} at {}",
                           view.core_ended    ? "ended"
                           : view.core_asleep ? "asleep"
                                              : "runs",
                           view.core_place);
  if (view.core_ended) {
    core.waits_on = view.core_wait;
    return core;
  }
  if (view.core_asleep) {
    core.waits_on = "an interrupt (WFI)";
    if (bit(view.core, kCoreBarrier)) {
      core.waits_on += "; it has arrived at the barrier";
      core.waits_for.emplace_back("the other clusters");
    }
    if (view.event_mask) {
      const std::uint32_t mask = *view.event_mask;
      core.waits_on += fmt::format("; enabled events: {}", event_names(mask));
      if (view.event_status) core.waits_on += fmt::format("; pending: {}", event_names(*view.event_status));
      for (unsigned n = 0; n < view.ntx.size(); ++n) {
        if (bit(mask, regs::control::kEventMaskNtxLsb + n))
          core.waits_for.push_back(fmt::format("NTX {}", n));
      }
      if ((mask & (1u << regs::control::kEventMaskDmaDoneLsb | 1u << regs::control::kEventMaskDmaErrorLsb)) !=
          0) {
        core.waits_for.emplace_back("DMA");
      }
      if (mask == 0) core.waits_on += " (so nothing can wake it but the timer)";
    }
    return core;
  }
  const bool request = bit(view.core, kCoreRequest);
  const bool answer = bit(view.core, kCoreAnswer);
  const bool refill = bit(view.core, kCoreRefill);
  core.waits_on = view.core_wait;
  if (view.core_address) core.waits_on += fmt::format(", address {:#x}", *view.core_address);
  if (request) core.waits_on += " (data_req without data_gnt)";
  if (answer) {
    const std::uint32_t target = field(view.core, kCoreTarget, 2);
    core.waits_on += fmt::format(" (data_rvalid from {})", target == kTargetTcdm  ? "the TCDM"
                                                           : target == kTargetAxi ? "memory"
                                                                                  : "registers");
    core.waits_for.emplace_back(target == kTargetTcdm  ? "TCDM"
                                : target == kTargetAxi ? "memory"
                                                       : "registers");
  } else if (request && view.core_address) {
    const std::uint32_t address = *view.core_address;
    const auto inside = [address](std::uint32_t base, std::uint32_t size) { return address - base < size; };
    if (inside(regs::kNtxBase, regs::kNtxSize)) {
      core.waits_for.push_back(fmt::format("NTX {}", (address - regs::kNtxBase) / 0x80));
    } else if (inside(regs::kNtxBroadcastBase, regs::kNtxBroadcastSize)) {
      core.waits_for.emplace_back("all NTX (broadcast)");
    } else if (inside(regs::kDmaBase, regs::kDmaSize)) {
      core.waits_for.emplace_back("DMA");
    } else if (inside(regs::kTcdmBase, regs::kTcdmSize)) {
      core.waits_for.emplace_back("TCDM");
    } else {
      core.waits_for.emplace_back("memory");
    }
  }
  if (refill) {
    core.waits_on += " (instruction refill outstanding)";
    core.waits_for.emplace_back("memory");
  }
  return core;
}

UnitReport describe_dma(std::uint32_t word) {
  UnitReport dma;
  dma.unit = "DMA";
  dma.state = fmt::format("{} transfers outstanding", field(word, 0, kDmaOutstandingWidth));
  std::vector<std::string> waits;
  const auto wait = [&](unsigned at, const char* what, const char* whom) {
    if (!bit(word, at)) return;
    waits.emplace_back(what);
    if (std::find(dma.waits_for.begin(), dma.waits_for.end(), whom) == dma.waits_for.end()) {
      dma.waits_for.emplace_back(whom);
    }
  };
  wait(kDmaAr, "read address (axi_ar_valid without axi_ar_ready)", "memory");
  wait(kDmaR, "read data (axi_r_valid)", "memory");
  wait(kDmaAw, "write address (axi_aw_valid without axi_aw_ready)", "memory");
  wait(kDmaW, "write data (axi_w_valid without axi_w_ready)", "memory");
  wait(kDmaB, "write response (axi_b_valid)", "memory");
  wait(kDmaTcdmRead, "TCDM read port (request without grant)", "TCDM");
  wait(kDmaTcdmWrite, "TCDM write port (request without grant)", "TCDM");
  dma.waits_on = fmt::format("{}", fmt::join(waits, "; "));
  return dma;
}

UnitReport describe_ntx(unsigned n, std::uint32_t word) {
  namespace ntx = regs::ntx;
  UnitReport report;
  report.unit = fmt::format("NTX {}", n);
  const bool active = bit(word, ntx::kDebugActiveLsb);
  report.state =
      bit(word, ntx::kDebugInvalidLsb)
          ? std::string("stopped by an invalid command; needs a soft clear")
          : fmt::format("{}{}",
                        active ? opcode_name(field(word, ntx::kDebugOpcodeLsb, ntx::kDebugOpcodeWidth))
                               : "no command",
                        active ? " active" : "");
  if (bit(word, ntx::kDebugStagedLsb)) report.state += ", another command staged";
  std::vector<std::string> waits;
  bool tcdm = false;
  const std::string ports =
      fmt::format("{}{}", bit(word, ntx::kDebugPort0RequestLsb) ? ", TCDM port 0 requests" : "",
                  bit(word, ntx::kDebugPort1RequestLsb) ? ", TCDM port 1 requests" : "");
  const auto wait = [&](unsigned at, const char* what, bool needs_tcdm) {
    if (!bit(word, at)) return;
    waits.emplace_back(what);
    tcdm |= needs_tcdm;
  };
  wait(ntx::kDebugWaitALsb, "operand A", true);
  wait(ntx::kDebugWaitBLsb, "operand B", true);
  wait(ntx::kDebugWaitInitLsb, "the init operand", true);
  wait(ntx::kDebugWaitResultLsb, "room for its result", true);
  wait(ntx::kDebugWaitHazardLsb, "earlier stores or the other data path", true);
  if (!active && waits.empty()) wait(ntx::kDebugDatapathBusyLsb, "its last results to be stored", true);
  if (!waits.empty()) report.waits_on = fmt::format("{}{}", fmt::join(waits, "; "), ports);
  if (tcdm) report.waits_for.emplace_back("TCDM");
  return report;
}

}  // namespace

std::vector<UnitReport> describe_units(const ClusterView& view) {
  std::vector<UnitReport> units{describe_core(view)};
  if (view.dma != 0) units.push_back(describe_dma(view.dma));
  for (unsigned n = 0; n < view.ntx.size(); ++n) {
    if ((view.ntx[n] & kNtxBusy) != 0) units.push_back(describe_ntx(n, view.ntx[n]));
  }
  if (!view.memory.empty()) {
    UnitReport memory;
    memory.unit = "memory";
    memory.state = fmt::format("{} transfers under way", view.memory.size());
    memory.waits_on = fmt::format("{}", fmt::join(view.memory, "; "));
    units.push_back(memory);
  }
  return units;
}

std::string format_units(const std::vector<UnitReport>& units) {
  std::string text;
  for (const UnitReport& unit : units) {
    text += fmt::format("  {:<7} {}", unit.unit, unit.state);
    if (!unit.waits_on.empty()) text += fmt::format("; waits for {}", unit.waits_on);
    text += "\n";
  }
  std::vector<std::string> edges;
  for (const UnitReport& unit : units) {
    for (const std::string& other : unit.waits_for)
      edges.push_back(fmt::format("{} waits for {}", unit.unit, other));
  }
  if (!edges.empty()) text += fmt::format("  {}\n", fmt::join(edges, ", "));
  return text;
}

bool units_move(std::uint32_t dma, const std::uint32_t* ntx, std::size_t ntx_count) {
  constexpr std::uint32_t kDmaWaits = 1u << kDmaAr | 1u << kDmaR | 1u << kDmaAw | 1u << kDmaW | 1u << kDmaB |
                                      1u << kDmaTcdmRead | 1u << kDmaTcdmWrite;
  if (field(dma, 0, kDmaOutstandingWidth) != 0 && (dma & kDmaWaits) == 0) return true;
  constexpr std::uint32_t kActive = 1u << regs::ntx::kDebugActiveLsb;
  constexpr std::uint32_t kWaits = 1u << regs::ntx::kDebugWaitALsb | 1u << regs::ntx::kDebugWaitBLsb |
                                   1u << regs::ntx::kDebugWaitInitLsb | 1u << regs::ntx::kDebugWaitResultLsb |
                                   1u << regs::ntx::kDebugWaitHazardLsb;
  for (std::size_t n = 0; n < ntx_count; ++n) {
    if ((ntx[n] & (kActive | kWaits)) == kActive) return true;
  }
  return false;
}

}  // namespace nearcube::debug
