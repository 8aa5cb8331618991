// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/gdb_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/debug/gdb_packet.h"

namespace nearcube::debug {
namespace {

// Numbers of GDB's signals (include/gdb/signals.def), which are those of old Unix.
constexpr int kSigIll = 4;
constexpr int kSigTrap = 5;
constexpr int kSigSegv = 11;
constexpr int kSigSys = 12;

constexpr std::uint64_t kPcNumber = 32;
constexpr std::uint64_t kFirstCsrNumber = 65;

struct NamedCsr {
  const char* name;
  std::uint32_t number;
};
constexpr std::array kCsrs = {
    NamedCsr{"mstatus", riscv::csr::kMstatus},   NamedCsr{"misa", riscv::csr::kMisa},
    NamedCsr{"mie", riscv::csr::kMie},           NamedCsr{"mtvec", riscv::csr::kMtvec},
    NamedCsr{"mscratch", riscv::csr::kMscratch}, NamedCsr{"mepc", riscv::csr::kMepc},
    NamedCsr{"mcause", riscv::csr::kMcause},     NamedCsr{"mtval", riscv::csr::kMtval},
    NamedCsr{"mip", riscv::csr::kMip},           NamedCsr{"mcycle", riscv::csr::kMcycle},
    NamedCsr{"minstret", riscv::csr::kMinstret}, NamedCsr{"mcycleh", riscv::csr::kMcycleh},
    NamedCsr{"mhartid", riscv::csr::kMhartid},
};

constexpr std::array kRegisters = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
                                   "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                   "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

/// Target description (Debugging with GDB, appendix G.5.12).
std::string description() {
  std::string xml =
      "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
      "<architecture>riscv:rv32</architecture><feature name=\"org.gnu.gdb.riscv.cpu\">";
  for (const char* name : kRegisters) {
    xml += fmt::format("<reg name=\"{}\" bitsize=\"32\" type=\"{}\"/>", name,
                       std::string_view(name) == "sp" ? "data_ptr" : "int");
  }
  xml +=
      "<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\"/></feature><feature "
      "name=\"org.gnu.gdb.riscv.csr\">";
  std::uint64_t number = kFirstCsrNumber;
  for (const NamedCsr& csr : kCsrs) {
    xml += fmt::format("<reg name=\"{}\" bitsize=\"32\" regnum=\"{}\" save-restore=\"no\"/>", csr.name,
                       number++);
  }
  return xml + "</feature></target>";
}

/// Target byte order: least significant first.
std::string word_to_hex(std::uint32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  return to_hex(bytes);
}

std::optional<std::uint32_t> word_from_hex(std::string_view text) {
  const auto bytes = from_hex(text);
  if (!bytes || bytes->size() != 4) return std::nullopt;
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<std::uint8_t>((*bytes)[i]);
  return value;
}

std::pair<std::string_view, std::string_view> split(std::string_view text, char at) {
  const std::size_t place = text.find(at);
  if (place == std::string_view::npos) return {text, {}};
  return {text.substr(0, place), text.substr(place + 1)};
}

struct Range {
  std::uint32_t address;
  std::uint64_t bytes;
};

/// "address,length", within the core's 32-bit addresses.
std::optional<Range> parse_range(std::string_view text) {
  const auto [first, second] = split(text, ',');
  const auto address = parse_hex(first);
  const auto bytes = parse_hex(second);
  if (!address || !bytes || *address > UINT32_MAX || *bytes > (std::uint64_t{1} << 32) - *address)
    return std::nullopt;
  return Range{static_cast<std::uint32_t>(*address), *bytes};
}

// Any number will do: GDB shows it, and means nothing by it.
const std::string kMalformed = "E16";
const std::string kNotThere = "E0e";
const std::string kOk = "OK";

int signal_of(const riscv::Trap& trap) {
  switch (trap.cause) {
    case riscv::cause::kIllegalInstruction:
      return kSigIll;
    case riscv::cause::kBreakpoint:
      return kSigTrap;
    case riscv::cause::kEcallFromM:
      return kSigSys;
    default:
      return kSigSegv;
  }
}

}  // namespace

void GdbSession::restart() {
  acknowledges_ = true;
  breakpoints_.clear();
  watches_.clear();
  stepping_ = first_ = false;
}

bool GdbSession::starts(std::uint32_t pc) {
  const bool first = first_;
  first_ = false;
  if (first) return true;
  if (!stepping_ && !breakpoints_.contains(pc)) return true;
  stop_reply_ = fmt::format("T{:02x}", kSigTrap);
  return false;
}

bool GdbSession::accesses(std::uint32_t address, std::uint32_t bytes, bool store) {
  for (const Watch& watch : watches_) {
    const bool overlaps = address - watch.address < watch.bytes || watch.address - address < bytes;
    if (!overlaps || watch.kind == (store ? '3' : '2')) continue;
    const char* name = watch.kind == '2' ? "watch" : watch.kind == '3' ? "rwatch" : "awatch";
    stop_reply_ = fmt::format("T{:02x}{}:{:x};", kSigTrap, name, std::max(address, watch.address));
    return false;
  }
  return true;
}

bool GdbSession::traps(const riscv::Trap& trap) {
  if (trap.is_interrupt()) return false;
  fault_ = trap;
  stop_reply_ = fmt::format("T{:02x}", signal_of(trap));
  return true;
}

GdbSession::Answer GdbSession::resume(bool step) {
  stepping_ = step;
  // From an exception, the next instruction is the handler's first: a step ends before it.
  first_ = !fault_;
  fault_.reset();
  stop_reply_ = fmt::format("T{:02x}", kSigTrap);
  return {Action::kResume};
}

GdbSession::Answer GdbSession::handle(std::string_view packet, Target& target) {
  const auto reply = [](std::string text) { return Answer{Action::kReply, std::move(text)}; };
  if (packet.empty()) return reply("");
  const std::string_view arguments = packet.substr(1);
  switch (packet[0]) {
    case '?':
      return reply(stop_reply_);
    case 'g': {
      std::string all;
      for (std::uint64_t i = 0; i <= kPcNumber; ++i) all += word_to_hex(*read_register(i, target));
      return reply(all);
    }
    case 'G': {
      if (arguments.size() < 8 * (kPcNumber + 1)) return reply(kMalformed);
      for (std::uint64_t i = 0; i <= kPcNumber; ++i) {
        const auto value = word_from_hex(arguments.substr(8 * i, 8));
        if (!value || !write_register(i, *value, target)) return reply(kMalformed);
      }
      return reply(kOk);
    }
    case 'p': {
      const auto number = parse_hex(arguments);
      const auto value = number ? read_register(*number, target) : std::nullopt;
      return reply(value ? word_to_hex(*value) : kMalformed);
    }
    case 'P': {
      const auto [first, second] = split(arguments, '=');
      const auto number = parse_hex(first);
      const auto value = word_from_hex(second);
      return reply(number && value && write_register(*number, *value, target) ? kOk : kMalformed);
    }
    case 'm':
      return reply(read_memory(arguments, target));
    case 'M':
    case 'X':
      return reply(write_memory(arguments, packet[0] == 'X', target));
    case 'Z':
    case 'z':
      return reply(change_point(packet));
    case 'c':
    case 's':
      if (!arguments.empty()) {
        const auto pc = parse_hex(arguments);
        if (!pc || !write_register(kPcNumber, static_cast<std::uint32_t>(*pc), target))
          return reply(kMalformed);
      }
      return resume(packet[0] == 's');
    case 'C':  // a signal means nothing to this core
    case 'S':
      return resume(packet[0] == 'S');
    case 'D':
      return {Action::kDetach, kOk};
    case 'k':
      return {Action::kKill};
    case 'H':
    case 'T':
      return reply(kOk);  // there is one thread
    default:
      return query(packet, target);
  }
}

GdbSession::Answer GdbSession::query(std::string_view packet, Target& target) {
  const auto reply = [](std::string text) { return Answer{Action::kReply, std::move(text)}; };
  if (packet.starts_with("qSupported")) {
    return reply(fmt::format("PacketSize={:x};QStartNoAckMode+;qXfer:features:read+;vContSupported+",
                             kMaxPacketBytes));
  }
  if (packet == "QStartNoAckMode") {
    acknowledges_ = false;
    return reply(kOk);
  }
  constexpr std::string_view kFeatures = "qXfer:features:read:target.xml:";
  if (packet.starts_with(kFeatures)) {
    const auto range = parse_range(packet.substr(kFeatures.size()));
    if (!range) return reply(kMalformed);
    const std::string all = description();
    if (range->address >= all.size()) return reply("l");
    const std::string part =
        all.substr(range->address, std::min<std::size_t>(range->bytes, kMaxPacketBytes / 2));
    return reply((range->address + part.size() < all.size() ? "m" : "l") + part);
  }
  if (packet == "vCont?") return reply("vCont;c;C;s;S");
  if (packet.starts_with("vCont;") && packet.size() > 6) {
    const char action = packet[6];
    if (action == 'c' || action == 'C') return resume(false);
    if (action == 's' || action == 'S') return resume(true);
    return reply(kMalformed);
  }
  if (packet.starts_with("vKill")) return {Action::kKill, kOk};
  if (packet == "qC") return reply("QC1");
  if (packet == "qfThreadInfo") return reply("m1");
  if (packet == "qsThreadInfo") return reply("l");
  if (packet.starts_with("qAttached")) return reply("1");
  constexpr std::string_view kMonitor = "qRcmd,";
  if (packet.starts_with(kMonitor)) {
    const auto command = from_hex(packet.substr(kMonitor.size()));
    return reply(command ? to_hex(monitor(*command, target)) : kMalformed);
  }
  return reply("");
}

std::string GdbSession::monitor(std::string_view command, Target& target) const {
  if (command == "cycles") return fmt::format("{} NTX clock cycles since reset\n", target.cycles());
  if (command == "units") {
    const std::string units = target.describe_units();
    return units.empty() ? "every unit is idle\n" : units;
  }
  return fmt::format(
      "{}monitor cycles   NTX clock cycles since reset\n"
      "monitor units    what every unit does and whom it waits for\n",
      command == "help" ? "" : fmt::format("There is no command \"{}\". There are:\n", command));
}

std::optional<std::uint32_t> GdbSession::read_register(std::uint64_t number, const Target& target) const {
  if (number < kPcNumber) return target.x(static_cast<unsigned>(number));
  if (number == kPcNumber) return shown_pc(target);
  if (number < kFirstCsrNumber || number - kFirstCsrNumber >= kCsrs.size()) return std::nullopt;
  return target.csr(kCsrs.at(number - kFirstCsrNumber).number);
}

bool GdbSession::write_register(std::uint64_t number, std::uint32_t value, Target& target) {
  if (target.blocked()) return false;
  if (number < kPcNumber) {
    target.set_x(static_cast<unsigned>(number), value);
    return true;
  }
  if (number == kPcNumber) {
    // GDB writes back what it read when it restores all registers: that is no jump.
    if (value != shown_pc(target)) {
      fault_.reset();
      target.set_pc(value);
    }
    return true;
  }
  if (number < kFirstCsrNumber || number - kFirstCsrNumber >= kCsrs.size()) return false;
  return target.set_csr(kCsrs.at(number - kFirstCsrNumber).number, value);
}

std::string GdbSession::read_memory(std::string_view arguments, Target& target) const {
  const auto range = parse_range(arguments);
  if (!range || range->bytes > kMaxPacketBytes / 2) return kMalformed;
  std::string bytes(range->bytes, '\0');
  const std::span<std::uint8_t> view{reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()};
  return target.read(range->address, view) ? to_hex(bytes) : kNotThere;
}

std::string GdbSession::write_memory(std::string_view arguments, bool binary, Target& target) const {
  const auto [place, data] = split(arguments, ':');
  const auto range = parse_range(place);
  const auto bytes = binary ? std::optional(unescape(data)) : from_hex(data);
  if (!range || !bytes || bytes->size() != range->bytes) return kMalformed;
  const std::span<const std::uint8_t> view{reinterpret_cast<const std::uint8_t*>(bytes->data()),
                                           bytes->size()};
  return target.write(range->address, view) ? kOk : kNotThere;
}

/// Z and z packets: "Ztype,address,kind".
std::string GdbSession::change_point(std::string_view packet) {
  if (packet.size() < 3 || packet[2] != ',') return kMalformed;
  const bool set = packet[0] == 'Z';
  const char kind = packet[1];
  const auto range = parse_range(split(packet.substr(3), ';').first);
  if (!range) return kMalformed;
  if (kind == '0' || kind == '1') {
    // Not an instruction in memory but the pipeline looks at the pc, so code stays as it is.
    int& count = breakpoints_[range->address];
    count += set ? 1 : -1;
    if (count <= 0) breakpoints_.erase(range->address);
    return kOk;
  }
  if (kind < '2' || kind > '4') return "";
  if (range->bytes == 0 || range->bytes > UINT32_MAX) return kMalformed;
  const Watch watch{kind, range->address, static_cast<std::uint32_t>(range->bytes)};
  const auto known = std::find(watches_.begin(), watches_.end(), watch);
  if (set && known == watches_.end()) watches_.push_back(watch);
  if (!set && known != watches_.end()) watches_.erase(known);
  return kOk;
}

}  // namespace nearcube::debug
