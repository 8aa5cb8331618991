// SPDX-License-Identifier: Apache-2.0
#include "sim/system/timeline.h"

#include <fmt/format.h>

#include <algorithm>

namespace nearcube::system {
namespace {

// Tracks, in the order in which they are shown.
constexpr unsigned kPhases = 1, kCore = 2, kNtx = 10, kDma = 100;

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < ' ') {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

/// Why the core did not complete an instruction between two snapshots of its counters; null if it did.
const char* core_state(const riscv::CoreCounters& before, const riscv::CoreCounters& now) {
  if (now.asleep != before.asleep) return "asleep";
  if (now.stall_fetch != before.stall_fetch) return "wait for an instruction";
  if (now.stall_data_memory != before.stall_data_memory) return "wait for memory";
  if (now.stall_data_tcdm != before.stall_data_tcdm) return "wait for the TCDM";
  if (now.stall_data_peripheral != before.stall_data_peripheral) return "wait for a peripheral";
  return nullptr;
}

}  // namespace

Timeline::Timeline(const TimelineOptions& options, unsigned ntx,
                   std::function<std::string(std::uint32_t)> place)
    : options_(options), place_(std::move(place)), file_(options.file) {
  file_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
  event(R"({"ph":"M","pid":0,"name":"process_name","args":{"name":"cluster 0"}})");
  name_track(kPhases, "program");
  name_track(kCore, "core");
  for (unsigned n = 0; n < ntx; ++n) name_track(kNtx + n, fmt::format("NTX {}", n));
}

void Timeline::event(const std::string& json) {
  file_.write(first_ ? "\n" : ",\n");
  file_.write(json);
  first_ = false;
}

void Timeline::name_track(unsigned track, const std::string& name) {
  event(fmt::format(R"({{"ph":"M","pid":0,"tid":{},"name":"thread_name","args":{{"name":{}}}}})", track,
                    quoted(name)));
  event(fmt::format(R"({{"ph":"M","pid":0,"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
                    track, track));
}

void Timeline::span(unsigned track, const std::string& name, std::uint64_t from, std::uint64_t to,
                    const Arguments& arguments) {
  if (to <= from) return;
  const auto microseconds = [this](std::uint64_t cycles) {
    return static_cast<double>(cycles) * 1e6 / options_.ntx_hz;
  };
  std::string args = fmt::format(R"("cycle":{},"cycles":{})", from, to - from);
  for (const auto& [key, value] : arguments) args += fmt::format(R"(,"{}":{})", key, value);
  event(fmt::format(R"({{"ph":"X","pid":0,"tid":{},"name":{},"ts":{:.6f},"dur":{:.6f},"args":{{{}}}}})",
                    track, quoted(name), microseconds(from), microseconds(to - from), args));
}

void Timeline::phase(std::uint8_t phase, std::uint64_t from, std::uint64_t to) {
  if (to < options_.from || from > options_.to) return;
  span(kPhases,
       phase < options_.phase_names.size() ? options_.phase_names[phase] : fmt::format("phase {}", phase),
       from, to);
}

void Timeline::core(const riscv::CoreCounters& counters, std::uint64_t now) {
  const char* state = core_state(last_, counters);
  last_ = counters;
  if (state != state_) {
    if (state_ != nullptr && state_until_ - state_since_ >= options_.stall_cycles &&
        state_since_ >= options_.from && state_since_ <= options_.to) {
      span(kCore, state_, state_since_, state_until_);
    }
    state_ = state;
    state_since_ = state_until_;
  }
  state_until_ = now;
}

void Timeline::end(std::uint64_t cycles) {
  end_ = cycles;
  state_until_ = cycles;
  // A state that nothing is in, so that the present one ends.
  riscv::CoreCounters active = last_;
  ++active.active;
  core(active, cycles);
}

void Timeline::command(const CommandRow& row) {
  if (row.of_dma()) {
    transfer(row);
  } else {
    ntx_command(row);
  }
}

void Timeline::ntx_command(const CommandRow& row) {
  const unsigned track = kNtx + static_cast<unsigned>(row.unit);
  const NtxCommand& command = row.command;
  Arguments arguments = {
      {"command", std::to_string(command.number)},  {"status", quoted(row.status)},
      {"written", std::to_string(command.written)}, {"results_stored", std::to_string(row.end)},
      {"steps", std::to_string(row.steps)},         {"pc", quoted(place_(command.pc))}};
  for (std::size_t cause = 0; cause < row.waits.size(); ++cause) {
    if (row.waits[cause] != 0) {
      arguments.emplace_back(kWaitNames[cause], std::to_string(row.waits[cause]));
    }
  }
  const std::uint64_t until = row.last_step != 0 ? row.last_step + 1 : row.end != 0 ? row.end : end_;
  if (row.first_step != 0) {
    span(track, opcode_name(command.cmd), row.first_step, until, arguments);
  } else {
    // It never began: from its write until it was dropped, or the run ended.
    span(track, fmt::format("{} {}", opcode_name(command.cmd), row.status), command.written,
         std::max(until, command.written + 1), arguments);
  }
  for (const CommandStall& stall : row.stalls) {
    span(track, fmt::format("wait: {}", kWaitNames[stall.cause]), stall.first, stall.last + 1);
  }
}

void Timeline::transfer(const CommandRow& row) {
  const DmaTransfer& transfer = row.transfer;
  const std::uint64_t until = std::max(row.end != 0 ? row.end : end_, transfer.written + 1);
  auto lane = std::find_if(lanes_.begin(), lanes_.end(),
                           [&](std::uint64_t free) { return free <= transfer.written; });
  if (lane == lanes_.end()) {
    name_track(kDma + static_cast<unsigned>(lanes_.size()), fmt::format("DMA {}", lanes_.size()));
    lane = lanes_.insert(lanes_.end(), 0);
  }
  *lane = until;
  const char* name = transfer.fill ? "fill" : transfer.to_tcdm ? "load" : "store";
  span(kDma + static_cast<unsigned>(lane - lanes_.begin()), name, transfer.written, until,
       {{"id", std::to_string(transfer.id)},
        {"status", quoted(row.status)},
        {"bytes", std::to_string(transfer.total_bytes())},
        {"source", fmt::format("\"{:#x}\"", transfer.source)},
        {"destination", fmt::format("\"{:#x}\"", transfer.destination)},
        {"busy", std::to_string(row.busy)},
        {"wait for the bus", std::to_string(row.wait_bus)},
        {"wait for the TCDM", std::to_string(row.wait_tcdm)},
        {"pc", quoted(place_(transfer.pc))}});
}

void Timeline::commit() {
  file_.write("\n]}\n");
  file_.commit();
}

}  // namespace nearcube::system
