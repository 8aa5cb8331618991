// SPDX-License-Identifier: Apache-2.0
#include "sim/system/command_table.h"

#include <fmt/format.h>

namespace nearcube::system {
namespace {

constexpr const char* kHeader =
    "unit,number,command,start,first_step,last_step,end,steps,wait_a,wait_b,wait_init,wait_result,wait_"
    "hazard,bytes,"
    "source,destination,busy,wait_bus,wait_tcdm,status,pc,function,line\n";

/// A cycle; nothing for none.
std::string cell(std::uint64_t cycle) { return cycle == 0 ? "" : std::to_string(cycle); }

/// In quotes where CSV needs them (RFC 4180).
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

}  // namespace

CommandTable::CommandTable(const std::string& path, std::function<Place(std::uint32_t)> place)
    : file_(path), place_(std::move(place)) {
  file_.write(kHeader);
}

void CommandTable::add(const CommandRow& row) {
  const bool dma = row.unit < 0;
  const Place place = place_(dma ? row.transfer.pc : row.command.pc);
  const std::string tail =
      fmt::format("{},{:#010x},{},{}\n", row.status, dma ? row.transfer.pc : row.command.pc,
                  quoted(place.function), quoted(place.line));
  if (dma) {
    const DmaTransfer& t = row.transfer;
    file_.write(fmt::format("dma,{},{},{},,,{},,,,,,,{},{:#x},{:#x},{},{},{},{}", t.id,
                            t.fill ? "fill" : "copy", t.written, cell(row.end), t.total_bytes(), t.source,
                            t.destination, row.busy, row.wait_bus, row.wait_tcdm, tail));
  } else {
    const NtxCommand& c = row.command;
    file_.write(fmt::format("ntx{},{},{},{},{},{},{},{},{},,,,{},,,{}", row.unit, c.number,
                            opcode_name(c.cmd), c.written, cell(row.first_step), cell(row.last_step),
                            cell(row.end), row.steps, fmt::join(row.waits, ","), row.steps, tail));
  }
}

}  // namespace nearcube::system
