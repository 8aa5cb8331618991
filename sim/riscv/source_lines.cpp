// SPDX-License-Identifier: Apache-2.0
#include "sim/riscv/source_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <optional>

namespace nearcube::riscv {

/// The open file and what libdw knows of it.
class SourceLines::File {
 public:
  explicit File(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ >= 0) dwarf_ = dwarf_begin(descriptor_, DWARF_C_READ);
  }
  ~File() {
    if (dwarf_ != nullptr) dwarf_end(dwarf_);
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Dwarf* dwarf() const { return dwarf_; }

  /// What libdw reads it keeps in this file's tables, so one thread at a time may ask it.
  std::mutex mutex;

 private:
  int descriptor_;
  Dwarf* dwarf_ = nullptr;
};

namespace {

struct Free {
  void operator()(Dwarf_Die* dies) const { std::free(dies); }
};

/// A place in the source; nothing without a name.
std::string place(const char* name, Dwarf_Word line) {
  if (name == nullptr || line == 0) return "";
  std::string text = name;
  while (text.starts_with("./")) text.erase(0, 2);
  return fmt::format("{}:{}", text, line);
}

std::optional<Dwarf_Word> number(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr(die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0)
    return std::nullopt;
  return value;
}

/// The unit whose line table has the address. Units of assembler code may have no table of addresses.
bool find_unit(Dwarf* dwarf, Dwarf_Addr address, Dwarf_Die& unit) {
  if (dwarf_addrdie(dwarf, address, &unit) != nullptr) return true;
  Dwarf_CU* next = nullptr;
  while (dwarf_get_units(dwarf, next, &next, nullptr, nullptr, &unit, nullptr) == 0) {
    if (dwarf_haspc(&unit, address) == 1) return true;
  }
  return false;
}

}  // namespace

SourceLines SourceLines::load(const std::string& path) {
  SourceLines result;
  result.file_ = std::make_shared<File>(path);
  return result;
}

std::string SourceLines::find(std::uint32_t address) const {
  if (!file_ || file_->dwarf() == nullptr) return "";
  const std::lock_guard lock(file_->mutex);
  Dwarf_Die unit;
  if (!find_unit(file_->dwarf(), address, unit)) return "";
  Dwarf_Line* row = dwarf_getsrc_die(&unit, address);
  int line = 0;
  if (row == nullptr || dwarf_lineno(row, &line) != 0) return "";
  std::string text = place(dwarf_linesrc(row, nullptr, nullptr), static_cast<Dwarf_Word>(line));
  // From the innermost scope outwards: where each inlined function was called. dwarf_getscopes goes on from
  // an inlined function with where that is defined; dwarf_getscopes_die with where it was called.
  Dwarf_Die* innermost = nullptr;
  if (dwarf_getscopes(&unit, address, &innermost) <= 0) return text;
  const std::unique_ptr<Dwarf_Die, Free> at(innermost);
  Dwarf_Die* list = nullptr;
  const int count = dwarf_getscopes_die(innermost, &list);
  const std::unique_ptr<Dwarf_Die, Free> scopes(list);
  Dwarf_Files* files = nullptr;
  if (count > 0 && dwarf_getsrcfiles(&unit, &files, nullptr) != 0) return text;
  for (int i = 0; i < count; ++i) {
    Dwarf_Die* scope = list + i;
    if (dwarf_tag(scope) == DW_TAG_subprogram) break;
    if (dwarf_tag(scope) != DW_TAG_inlined_subroutine) continue;
    const auto file = number(scope, DW_AT_call_file);
    const auto call = number(scope, DW_AT_call_line);
    if (!file || !call) continue;
    const std::string caller = place(dwarf_filesrc(files, *file, nullptr, nullptr), *call);
    if (!caller.empty()) text += fmt::format(" < {}", caller);
  }
  return text;
}

}  // namespace nearcube::riscv
