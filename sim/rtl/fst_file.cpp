// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/fst_file.h"

#include <gtkwave/fstapi.h>

#include <algorithm>
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
  // The flags hold until others come.
  const std::string flags = signal.width == 1 ? kBinary : kHex;
  const std::size_t last = text.rfind('@');
  if (last == std::string::npos || text.compare(last, flags.size(), flags) != 0) text += flags;
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

// The instance whose port a signal is, and the port's name, with the field of one that is a structure; empty
// for other signals.
std::pair<std::string, std::string> port_of(const std::string& signal) {
  const auto is_port = [](const std::string& name) {
    return name.ends_with("_i") || name.ends_with("_o") || name.ends_with("_ni");
  };
  auto [instance, name] = split(signal);
  if (!is_port(name)) {
    const auto [outer, structure] = split(instance);
    instance = outer;
    name = structure + "." + name;
    if (!is_port(structure)) return {"", ""};
  }
  return {instance, name};
}

/// What a person wants of a unit at first sight, by the start of the names of its ports; null: nothing.
const std::vector<const char*>* wanted_ports(const std::string& instance) {
  static const std::vector<const char*> kNtx = {"active_o",  "irq_o",    "debug_o",    "perf_o",
                                                "cfg_req_i", "cfg_we_i", "cfg_addr_i", "cfg_wdata_i",
                                                "cfg_gnt_o", "tcdm0_",   "tcdm1_"};
  static const std::vector<const char*> kDma = {"busy_o", "done_o",       "error_o",       "debug_o", "cfg_",
                                                "wait_",  "read_bytes_o", "write_bytes_o", "tcdm_"};
  if (instance.ends_with("].u_ntx")) return &kNtx;
  if (instance == "TOP.cluster.u_dma") return &kDma;
  return nullptr;
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

  // Of each unit what says what it does, closed. Everything else is in GTKWave's tree.
  std::vector<std::string> order;
  std::map<std::string, std::string> bodies;
  for (const FstSignal& signal : signals) {
    const auto [instance, name] = port_of(signal.name);
    const std::vector<const char*>* wanted = wanted_ports(instance);
    if (wanted == nullptr || std::none_of(wanted->begin(), wanted->end(), [&name = name](const char* prefix) {
          return name.starts_with(prefix);
        })) {
      continue;
    }
    if (!bodies.contains(instance)) order.push_back(instance);
    append_signal(bodies[instance], signal, name);
  }
  for (const std::string& instance : order) {
    append_group(text, instance.substr(top.size() + 1), bodies[instance], order.size() == 1);
  }
  return text;
}

}  // namespace nearcube::rtl
