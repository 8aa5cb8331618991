// SPDX-License-Identifier: Apache-2.0
#include "sim/riscv/elf.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "sim/base/error.h"
#include "sim/base/suggest.h"

namespace nearcube::riscv {
namespace {

constexpr std::uint32_t kFloatAbiMask = 0x6;  // EF_RISCV_FLOAT_ABI, RISC-V ELF psABI 1.0, table of e_flags
constexpr std::uint32_t kRveFlag = 0x8;       // EF_RISCV_RVE

class File {
 public:
  // Without waiting for somebody to write to a pipe, which is refused.
  explicit File(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (descriptor_ < 0) bad_input("{}: cannot be read: {}", path, std::strerror(errno));
    struct stat info {};
    if (::fstat(descriptor_, &info) != 0 || !S_ISREG(info.st_mode)) {
      ::close(descriptor_);
      bad_input("{}: not a file", path);
    }
    bytes_ = static_cast<std::uint64_t>(info.st_size);
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int descriptor() const { return descriptor_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  int descriptor_;
  std::uint64_t bytes_ = 0;
};

struct ElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfEnd>;

GElf_Ehdr checked_header(Elf* elf, const std::string& path) {
  GElf_Ehdr header;
  if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == nullptr) {
    bad_input("{}: not an ELF file", path);
  }
  if (header.e_machine != EM_RISCV) {
    bad_input(
        "{}: made for ELF machine {}, not for RISC-V ({}); build it with riscv64-unknown-elf-gcc "
        "-march=rv32imc -misa-spec=2.2 -mabi=ilp32",
        path, header.e_machine, EM_RISCV);
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS32) {
    bad_input("{}: a 64-bit program; the core is RV32IMC: build it with -march=rv32imc -mabi=ilp32", path);
  }
  if (header.e_ident[EI_DATA] != ELFDATA2LSB) bad_input("{}: big-endian; the core is little-endian", path);
  if (header.e_type != ET_EXEC) {
    bad_input("{}: {}; link it into an executable first", path,
              header.e_type == ET_REL   ? "an object file"
              : header.e_type == ET_DYN ? "a shared object or position-independent program"
                                        : "not an executable");
  }
  if ((header.e_flags & kFloatAbiMask) != 0) {
    bad_input("{}: uses a floating-point ABI; the core has no FPU: build it with -mabi=ilp32", path);
  }
  if ((header.e_flags & kRveFlag) != 0) {
    bad_input("{}: uses the RV32E ABI; build it with -march=rv32imc -mabi=ilp32", path);
  }
  return header;
}

std::vector<ElfFile::Segment> read_segments(Elf* elf, const File& file, const std::string& path) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0)
    bad_input("{}: damaged program header table: {}", path, elf_errmsg(-1));
  std::vector<ElfFile::Segment> segments;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) {
      bad_input("{}: truncated: its program header {} is missing", path, i);
    }
    if (header.p_type != PT_LOAD || header.p_memsz == 0) continue;
    if (header.p_filesz > header.p_memsz || header.p_paddr + header.p_memsz > 0x1'0000'0000u) {
      bad_input("{}: segment {} (0x{:x}, {} bytes in the file, {} in memory) makes no sense", path, i,
                header.p_paddr, header.p_filesz, header.p_memsz);
    }
    if (header.p_offset > file.bytes() || header.p_filesz > file.bytes() - header.p_offset) {
      bad_input("{}: truncated: segment {} ends at byte {} of a file of {}", path, i,
                header.p_offset + header.p_filesz, file.bytes());
    }
    ElfFile::Segment segment;
    segment.address = static_cast<std::uint32_t>(header.p_paddr);
    segment.memory_bytes = static_cast<std::uint32_t>(header.p_memsz);
    segment.executable = (header.p_flags & PF_X) != 0;
    segment.bytes.resize(header.p_filesz);
    std::size_t done = 0;
    while (done < segment.bytes.size()) {
      const ::ssize_t got =
          ::pread(file.descriptor(), segment.bytes.data() + done, segment.bytes.size() - done,
                  static_cast<::off_t>(header.p_offset + done));
      if (got < 0) bad_input("{}: cannot be read: {}", path, std::strerror(errno));
      if (got == 0) bad_input("{}: truncated while it was read", path);
      done += static_cast<std::size_t>(got);
    }
    segments.push_back(std::move(segment));
  }
  if (segments.empty()) bad_input("{}: has nothing to load", path);
  std::sort(segments.begin(), segments.end(),
            [](const auto& a, const auto& b) { return a.address < b.address; });
  for (std::size_t i = 1; i < segments.size(); ++i) {
    const auto& before = segments[i - 1];
    if (before.address + std::uint64_t{before.memory_bytes} > segments[i].address) {
      bad_input("{}: segments at 0x{:08x} and 0x{:08x} overlap", path, before.address, segments[i].address);
    }
  }
  return segments;
}

std::vector<ElfFile::Symbol> read_symbols(Elf* elf, const std::string& path) {
  std::vector<ElfFile::Symbol> symbols;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) {
      bad_input("{}: damaged symbol table: {}", path, elf_errmsg(-1));
    }
    const std::size_t count = data->d_size / header.sh_entsize;
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) continue;
      const unsigned type = GELF_ST_TYPE(symbol.st_info);
      const bool named = type == STT_OBJECT || type == STT_FUNC || type == STT_NOTYPE;
      const char* name = named ? elf_strptr(elf, header.sh_link, symbol.st_name) : nullptr;
      // "$x" and ".L" names are the assembler's own marks.
      if (name == nullptr || *name == '\0' || *name == '$' || *name == '.' || symbol.st_shndx == SHN_UNDEF)
        continue;
      symbols.push_back({name, static_cast<std::uint32_t>(symbol.st_value),
                         static_cast<std::uint32_t>(symbol.st_size), type == STT_FUNC});
    }
  }
  std::stable_sort(symbols.begin(), symbols.end(),
                   [](const auto& a, const auto& b) { return a.address < b.address; });
  return symbols;
}

}  // namespace

ElfFile ElfFile::load(const std::string& path) {
  const File file(path);
  if (elf_version(EV_CURRENT) == EV_NONE) {
    throw base::error(ExitStatus::kOther, "libelf is too old: {}", elf_errmsg(-1));
  }
  const ElfHandle elf(elf_begin(file.descriptor(), ELF_C_READ, nullptr));
  if (elf == nullptr) bad_input("{}: cannot be read as ELF: {}", path, elf_errmsg(-1));
  const GElf_Ehdr header = checked_header(elf.get(), path);
  const std::uint64_t sections_end = header.e_shoff + std::uint64_t{header.e_shnum} * header.e_shentsize;
  if (header.e_shoff != 0 && sections_end > file.bytes()) {
    bad_input("{}: truncated: its section table ends at byte {} of a file of {}", path, sections_end,
              file.bytes());
  }

  ElfFile result;
  result.path_ = path;
  result.entry_ = static_cast<std::uint32_t>(header.e_entry);
  result.segments_ = read_segments(elf.get(), file, path);
  const bool entry_is_code = std::any_of(
      result.segments_.begin(), result.segments_.end(), [entry = result.entry_](const Segment& segment) {
        return segment.executable && entry - segment.address < segment.bytes.size();
      });
  if (!entry_is_code) {
    bad_input("{}: its entry point 0x{:08x} is in no executable segment; does the linker script name ENTRY?",
              path, result.entry_);
  }
  result.symbols_ = read_symbols(elf.get(), path);
  return result;
}

const ElfFile::Symbol* ElfFile::find(std::string_view name) const {
  const auto found =
      std::find_if(symbols_.begin(), symbols_.end(), [name](const Symbol& s) { return s.name == name; });
  return found == symbols_.end() ? nullptr : &*found;
}

const ElfFile::Symbol& ElfFile::symbol(std::string_view name) const {
  if (const Symbol* found = find(name)) return *found;
  if (symbols_.empty()) bad_input("{}: has no symbol '{}': it was stripped of all symbols", path_, name);
  std::vector<std::string> names;
  for (const Symbol& candidate : symbols_) names.push_back(candidate.name);
  bad_input("{}: has no symbol '{}'{}", path_, name, base::did_you_mean(name, names));
}

ElfFile::Location ElfFile::locate(std::uint32_t address) const {
  // Functions first: labels within them are closer but say less.
  Location best;
  for (const Symbol& symbol : symbols_) {
    if (symbol.address > address) break;
    const std::uint32_t offset = address - symbol.address;
    const bool inside = offset < std::max<std::uint32_t>(symbol.size_bytes, 1);
    if (!inside) continue;
    if (best.symbol == nullptr || symbol.is_function || !best.symbol->is_function) best = {&symbol, offset};
  }
  return best;
}

}  // namespace nearcube::riscv
