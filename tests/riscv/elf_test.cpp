// SPDX-License-Identifier: Apache-2.0
// ELF files, good and bad: every bad one is named, and what is wrong with it.
#include "sim/riscv/elf.h"

#include <elf.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "sim/base/error.h"
#include "sim/riscv/direct_memory.h"
#include "tests/support/catch.h"

using namespace nearcube;
using riscv::ElfFile;

namespace {

const std::string kGood = NEARCUBE_RISCV_PROGRAMS "/compute.elf";

std::vector<char> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A file of given bytes, for as long as it lives.
struct File {
  std::string path;
  explicit File(const std::vector<char>& bytes) {
    path = (std::filesystem::temp_directory_path() / "nearcube-elf-XXXXXX").string();
    const int descriptor = ::mkstemp(path.data());
    REQUIRE(descriptor >= 0);
    REQUIRE(::write(descriptor, bytes.data(), bytes.size()) == static_cast<::ssize_t>(bytes.size()));
    ::close(descriptor);
  }
  ~File() { std::filesystem::remove(path); }
};

/// Loading a copy of the good file with its header changed fails with `message`.
template <class Change>
void fails(const std::string& message, Change change) {
  auto bytes = read(kGood);
  Elf32_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  change(header, bytes);
  if (bytes.size() >= sizeof header) std::memcpy(bytes.data(), &header, sizeof header);
  const File file(bytes);
  INFO(message);
  try {
    ElfFile::load(file.path);
    FAIL("it loads");
  } catch (const Error& e) {
    CHECK(e.status() == ExitStatus::kBadInput);
    CHECK_THAT(e.what(), NEARCUBE_CATCH_CONTAINS(message));
    CHECK_THAT(e.what(), NEARCUBE_CATCH_CONTAINS(file.path));
  }
}

void change_segment(std::vector<char>& bytes, const Elf32_Ehdr& header, void (*change)(Elf32_Phdr&)) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf32_Phdr segment;
    char* at = bytes.data() + header.e_phoff + i * sizeof segment;
    std::memcpy(&segment, at, sizeof segment);
    if (segment.p_type == PT_LOAD) change(segment);
    std::memcpy(at, &segment, sizeof segment);
  }
}

}  // namespace

TEST_CASE("a good ELF file") {
  const ElfFile file = ElfFile::load(kGood);
  CHECK(file.entry() == 0x80000000);
  REQUIRE(file.segments().size() == 1);
  CHECK(file.segments()[0].address == 0x80000000);
  CHECK(file.segments()[0].executable);
  CHECK(file.segments()[0].memory_bytes > file.segments()[0].bytes.size());  // .bss
  CHECK(file.symbol("numbers").size_bytes == 1200);
  CHECK_FALSE(file.symbol("numbers").is_function);
  const auto& main = file.symbol("main");
  CHECK(main.is_function);
  const auto location = file.locate(main.address + 6);
  REQUIRE(location.symbol != nullptr);
  CHECK(location.symbol->name == "main");
  CHECK(location.offset == 6);
  CHECK(file.locate(0x70000000).symbol == nullptr);
  CHECK(file.find("nothing_like_it") == nullptr);
}

TEST_CASE("a missing symbol names near ones") {
  const ElfFile file = ElfFile::load(kGood);
  CHECK_THROWS_WITH(file.symbol("numers"),
                    NEARCUBE_CATCH_CONTAINS("numers") && NEARCUBE_CATCH_CONTAINS("numbers"));
  CHECK_THROWS_WITH(file.symbol("result"), NEARCUBE_CATCH_CONTAINS("results"));
  CHECK_THROWS_WITH(file.symbol("qwertzuiop"), !NEARCUBE_CATCH_CONTAINS("did you mean"));
}

TEST_CASE("bad ELF files") {
  using Bytes = std::vector<char>;
  CHECK_THROWS_WITH(ElfFile::load("/no/such/file.elf"), NEARCUBE_CATCH_CONTAINS("No such file"));
  CHECK_THROWS_WITH(ElfFile::load("/tmp"), NEARCUBE_CATCH_CONTAINS("not a file"));
  fails("not an ELF file", [](auto&, Bytes& b) {
    b.assign(1000, 'x');
    b.resize(10);
  });
  fails("not an ELF file", [](auto&, Bytes& b) { b.clear(); });
  fails("not an ELF file", [](auto&, Bytes& b) { b.resize(20); });
  fails("not for RISC-V", [](auto& h, Bytes&) { h.e_machine = EM_ARM; });
  fails("64-bit", [](auto& h, Bytes&) { h.e_ident[EI_CLASS] = ELFCLASS64; });
  fails("an object file", [](auto& h, Bytes&) { h.e_type = ET_REL; });
  fails("shared object", [](auto& h, Bytes&) { h.e_type = ET_DYN; });
  fails("floating-point ABI", [](auto& h, Bytes&) { h.e_flags |= 2; });
  fails("RV32E", [](auto& h, Bytes&) { h.e_flags |= 8; });
  fails("entry point 0x70000000", [](auto& h, Bytes&) { h.e_entry = 0x70000000; });
  fails("truncated", [](auto&, Bytes& b) { b.resize(b.size() / 2); });
  fails("truncated", [](auto&, Bytes& b) { b.resize(b.size() - 100); });
  fails("truncated",
        [](auto& h, Bytes& b) { h.e_shoff = 0, h.e_shnum = 0, h.e_shstrndx = 0, b.resize(0x1800); });
  fails("nothing to load", [](auto& h, Bytes&) { h.e_phnum = 0; });
  fails("makes no sense",
        [](auto& h, Bytes& b) { change_segment(b, h, [](Elf32_Phdr& s) { s.p_memsz = s.p_filesz - 1; }); });
  fails("makes no sense",
        [](auto& h, Bytes& b) { change_segment(b, h, [](Elf32_Phdr& s) { s.p_paddr = 0xFFFFFF00; }); });
}

TEST_CASE("a foreign file is no firmware") {
  // The test program itself: an ELF file of the host.
  CHECK_THROWS_WITH(ElfFile::load("/proc/self/exe"), NEARCUBE_CATCH_CONTAINS("not for RISC-V"));
}

TEST_CASE("a file cut anywhere gives an error or loads whole") {
  const auto bytes = read(kGood);
  const auto whole = ElfFile::load(kGood).segments()[0].bytes;
  for (std::size_t length = 0; length < bytes.size(); length += 997) {
    const File file(std::vector<char>(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)));
    CHECK_THROWS_AS(ElfFile::load(file.path), Error);
  }
}

TEST_CASE("direct memory") {
  riscv::DirectMemory memory;
  memory.add_region(0x80000000, 0x10000, true);
  memory.add_region(0x10000000, 0x1000, false);
  CHECK_THROWS_WITH(memory.add_region(0x8000F000, 0x1000, true), NEARCUBE_CATCH_CONTAINS("overlaps"));
  CHECK_THROWS_WITH(memory.add_region(0x20000001, 0x1000, true), NEARCUBE_CATCH_CONTAINS("multiples"));
  const ElfFile file = ElfFile::load(kGood);
  memory.load(file);
  const auto got = memory.read(file.entry(), 16);
  CHECK(std::equal(got.begin(), got.end(), file.segments()[0].bytes.begin()));
  CHECK_THROWS_AS(memory.read(0x8000FFFF, 2), Error);
  CHECK(memory.code_page(0x10000000) == nullptr);
  CHECK(memory.data_page(0x10000000) != nullptr);
  CHECK(memory.data_page(0x10001000) == nullptr);
  riscv::DirectMemory small;
  small.add_region(0x80000000, 0x1000, true);
  CHECK_THROWS_WITH(small.load(file), NEARCUBE_CATCH_CONTAINS("outside the memory"));
}
