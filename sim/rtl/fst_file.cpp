// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/fst_file.h"

#include <gtkwave/fstapi.h>

#include <cstring>
#include <fstream>
#include <map>
#include <memory>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"

namespace nearcube::rtl {
namespace {

// Header block: type byte, 8 bytes of length, ... date of 119 bytes at 202 (GTKWave fstapi.c,
// fstWriterEmitHdrBytes).
constexpr std::size_t kDateOffset = 202;
constexpr std::size_t kDateBytes = 119;

[[noreturn]] void not_whole(const std::string& path, const char* reason) {
  throw base::error(ExitStatus::kOther, "{}: the trace is not whole ({}): is the disk full?", path, reason);
}

// Every block must lie within the file, the last must end it, and header and hierarchy must be there.
void check_blocks(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) not_whole(path, "it is not there");
  const auto size = static_cast<std::uint64_t>(in.tellg());
  std::uint64_t at = 0;
  bool header = false;
  bool hierarchy = false;
  bool geometry = false;
  while (at < size) {
    unsigned char bytes[9];
    in.seekg(static_cast<std::streamoff>(at));
    if (!in.read(reinterpret_cast<char*>(bytes), sizeof bytes)) not_whole(path, "a block is cut short");
    std::uint64_t length = 0;
    for (int i = 1; i < 9; ++i) length = length << 8 | bytes[i];
    if (length < 8 || length > size - at - 1) not_whole(path, "a block ends beyond the file");
    header |= bytes[0] == FST_BL_HDR;
    geometry |= bytes[0] == FST_BL_GEOM;
    hierarchy |= bytes[0] == FST_BL_HIER || bytes[0] == FST_BL_HIER_LZ4 || bytes[0] == FST_BL_HIER_LZ4DUO;
    at += 1 + length;
  }
  if (!header) not_whole(path, "no header");
  if (!geometry || !hierarchy) not_whole(path, "no hierarchy");
}

}  // namespace

std::vector<FstSignal> read_fst_signals(const std::string& path) {
  check_blocks(path);
  const std::unique_ptr<void, void (*)(void*)> reader(fstReaderOpen(path.c_str()), [](void* context) {
    if (context != nullptr) fstReaderClose(context);
  });
  if (!reader) not_whole(path, "it cannot be read back");
  std::vector<FstSignal> signals;
  std::vector<std::string> scopes;
  while (const fstHier* item = fstReaderIterateHier(reader.get())) {
    if (item->htyp == FST_HT_SCOPE) {
      scopes.push_back((scopes.empty() ? "" : scopes.back() + ".") + item->u.scope.name);
    } else if (item->htyp == FST_HT_UPSCOPE) {
      if (!scopes.empty()) scopes.pop_back();
    } else if (item->htyp == FST_HT_VAR) {
      FstSignal signal;
      // "name" or "name [31:0]".
      const std::string text = item->u.var.name;
      const std::size_t space = text.find(' ');
      signal.name = (scopes.empty() ? "" : scopes.back() + ".") + text.substr(0, space);
      if (space != std::string::npos) signal.range = text.substr(space + 1);
      signal.width = item->u.var.length;
      signals.push_back(std::move(signal));
    }
  }
  if (signals.empty()) not_whole(path, "no signals");
  return signals;
}

void erase_fst_date(const std::string& path) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const std::string text(kDateBytes, '\0');
  file.seekp(kDateOffset);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) not_whole(path, "its header cannot be written");
}

namespace {

/// A group of the save file: which signals of the cluster it takes, by the start of their name below the
/// cluster.
struct Group {
  const char* title;
  std::vector<const char*> prefixes;
};

const std::vector<Group>& port_groups() {
  static const std::vector<Group> groups = {
      {"Clock", {"clk_i", "rst_ni", "core_tick_o", "phase_o", "exit_"}},
      {"Core data port", {"data_"}},
      {"Core instruction port", {"instr_"}},
      {"AXI reads", {"axi_ar_", "axi_r_"}},
      {"AXI writes", {"axi_aw_", "axi_w_", "axi_b_"}},
      {"Interrupts and barrier", {"irq_", "barrier_"}},
      {"Characters", {"char_"}},
      {"What units wait for", {"dma_debug_o", "core_debug_o", "ntx_debug_o"}},
  };
  return groups;
}

// Flags of a trace line (GTKWave's analyzer.h): TR_HEX | TR_RJUSTIFY, TR_BIN | TR_RJUSTIFY, and for groups
// TR_BLANK with TR_GRP_BEGIN or TR_GRP_END, and TR_CLOSED.
constexpr const char* kHex = "@22\n";
constexpr const char* kBinary = "@28\n";
constexpr const char* kGroupBegin = "@800200\n";
constexpr const char* kClosedGroupBegin = "@c00200\n";
constexpr const char* kGroupEnd = "@1000200\n";
constexpr const char* kClosedGroupEnd = "@1401200\n";

void append_signal(std::string& text, const FstSignal& signal, const std::string& alias) {
  text += signal.width == 1 ? kBinary : kHex;
  text += "+{" + alias + "} " + signal.name + signal.range + "\n";
}

void append_group(std::string& text, const std::string& title, const std::string& body, bool open) {
  if (body.empty()) return;
  text += open ? kGroupBegin : kClosedGroupBegin;
  text += "-" + title + "\n" + body;
  text += open ? kGroupEnd : kClosedGroupEnd;
  text += "-" + title + "\n";
}

// Name of the instance a signal is in, and its own.
std::pair<std::string, std::string> split(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {"", name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

}  // namespace

std::string gtkwave_save_file(const std::string& trace, const std::vector<FstSignal>& signals) {
  static const std::string top = "TOP.cluster";
  std::string text = "[*] Nearcube: one cluster\n[dumpfile] \"" + trace + "\"\n[sst_expanded] 1\n";

  // The ports are in the model twice, as TOP's and as the cluster's: take the cluster's.
  for (const Group& group : port_groups()) {
    std::string body;
    for (const char* prefix : group.prefixes) {
      for (const FstSignal& signal : signals) {
        const auto [instance, name] = split(signal.name);
        const bool port =
            name.size() > 2 && (name.ends_with("_i") || name.ends_with("_o") || name.ends_with("_ni"));
        if (instance == top && port && name.compare(0, std::strlen(prefix), prefix) == 0) {
          append_signal(body, signal, name);
        }
      }
    }
    append_group(text, group.title, body, true);
  }

  // Every instance below, closed: its ports, then what it keeps.
  std::vector<std::string> order;
  std::map<std::string, std::string> ports;
  std::map<std::string, std::string> state;
  for (const FstSignal& signal : signals) {
    const auto [instance, name] = split(signal.name);
    if (instance == "TOP" || instance == top) continue;
    if (ports.count(instance) == 0) {
      order.push_back(instance);
      ports[instance];
    }
    if (name.ends_with("_i") || name.ends_with("_o") || name.ends_with("_ni")) {
      append_signal(ports[instance], signal, name);
    } else if (name.ends_with("_q")) {
      append_signal(state[instance], signal, name);
    }
  }
  for (const std::string& instance : order) {
    const std::size_t below = instance.compare(0, top.size() + 1, top + ".") == 0 ? top.size() + 1 : 0;
    append_group(text, instance.substr(below), ports[instance] + state[instance], false);
  }
  return text;
}

}  // namespace nearcube::rtl
