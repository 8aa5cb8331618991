// SPDX-License-Identifier: Apache-2.0
// The decoder against the GNU disassembler: all 49,152 compressed encodings, and 32-bit words at random and
// one bit away from every instruction.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/riscv/instruction.h"
#include "tests/riscv/support/encode.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using riscv::Instruction;
using riscv::Op;

namespace {

struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "nearcube-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

/// "mnemonic operands" of each encoding, without the disassembler's aliases; "illegal" for unknown ones.
std::vector<std::string> disassemble(const std::vector<std::uint32_t>& words) {
  const Folder folder;
  const std::string source = folder.path / "words.S", object = folder.path / "words.o";
  std::ofstream file(source);
  // Everything in its own label's reach: the disassembler must not read one encoding's bytes as another's
  // tail.
  for (const std::uint32_t word : words) {
    if (riscv::instruction_length(static_cast<std::uint16_t>(word)) == 4) {
      file << ".insn " << word << "\n";
    } else {
      file << ".2byte " << word << "\n";
    }
  }
  file.close();
  const std::string assemble =
      NEARCUBE_RISCV_GCC " -march=rv32imc -misa-spec=2.2 -mabi=ilp32 -c -o " + object + " " + source;
  if (std::system(assemble.c_str()) != 0) throw std::runtime_error("cannot assemble");
  const std::string list = NEARCUBE_RISCV_OBJDUMP " -D -j .text -M no-aliases,numeric " + object;
  FILE* pipe = ::popen(list.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot disassemble");
  std::vector<std::string> lines;
  std::array<char, 512> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
    // "   0:\t4501                \tc.li\tx10,0"
    std::istringstream line(buffer.data());
    std::string address, bytes, name, operands;
    std::getline(line, address, '\t');
    if (address.empty() || address.find(':') == std::string::npos || address.find('<') != std::string::npos)
      continue;
    if (!std::getline(line, bytes, '\t')) continue;
    std::getline(line, name, '\t');
    std::getline(line, operands);
    if (name.empty() || name.back() == '\n') name = name.substr(0, name.find('\n'));
    if (name[0] == '.' || name.rfind("0x", 0) == 0 || name == "c.unimp" || name == "unimp") name = "illegal";
    lines.push_back(name == "illegal" ? name
                                      : name + " " + operands.substr(0, operands.find_first_of(" #<")));
  }
  ::pclose(pipe);
  return lines;
}

/// What decode() found, written as the disassembler writes it, "address" standing for the instruction's own.
std::string text(const Instruction& i, std::uint32_t address) {
  const auto r = [](unsigned number) {
    return std::string("x").append(std::to_string(number == riscv::kSink ? 0 : number));
  };
  const std::string imm = std::to_string(i.imm), rd = r(i.rd), rs1 = r(i.rs1), rs2 = r(i.rs2);
  const auto target = [&] {
    std::ostringstream out;
    out << std::hex << address + static_cast<std::uint32_t>(i.imm);
    return out.str();
  };
  const std::string name = riscv::mnemonic(i.op);
  switch (i.op) {
    case Op::kIllegal:
      return "illegal";
    case Op::kLui:
    case Op::kAuipc: {
      std::ostringstream out;
      out << name << " " << rd << ",0x" << std::hex << (static_cast<std::uint32_t>(i.imm) >> 12);
      return out.str();
    }
    case Op::kJal:
      return name + " " + rd + "," + target();
    case Op::kJalr:
      return name + " " + rd + "," + imm + "(" + rs1 + ")";
    case Op::kFence:
    case Op::kFenceI:
    case Op::kEcall:
    case Op::kEbreak:
    case Op::kMret:
    case Op::kWfi:
      return name + " ";
    default:
      break;
  }
  if (riscv::is_branch(i.op)) return name + " " + rs1 + "," + rs2 + "," + target();
  if (riscv::is_load(i.op)) return name + " " + rd + "," + imm + "(" + rs1 + ")";
  if (riscv::is_store(i.op)) return name + " " + rs2 + "," + imm + "(" + rs1 + ")";
  if (i.op >= Op::kSlli && i.op <= Op::kSrai) {
    std::ostringstream out;
    out << name << " " << rd << "," << rs1 << ",0x" << std::hex << i.imm;
    return out.str();
  }
  if (i.op >= Op::kAddi && i.op <= Op::kAndi) return name + " " + rd + "," + rs1 + "," + imm;
  return name + " " + rd + "," + rs1 + "," + rs2;
}

/// Shift amounts past 31 are for RV64; the disassembler shows them all the same.
bool long_shift(const std::string& amount) { return std::stoul(amount, nullptr, 0) > 31; }

/// A compressed instruction as the disassembler writes it -> the base instruction it stands for (chapter 16).
std::string expand(const std::string& line) {
  std::istringstream in(line);
  std::string name, rest;
  in >> name >> rest;
  std::vector<std::string> operands;
  std::istringstream list(rest);
  for (std::string operand; std::getline(list, operand, ',');) operands.push_back(operand);
  const auto o = [&operands](std::size_t i) -> const std::string& { return operands.at(i); };
  const std::string zero = "0";
  if (name == "illegal") return name;
  if (name.rfind("c.", 0) != 0) return line;
  name = name.substr(2);
  // Encodings that the ISA reserves ("RES" in tables 16.5 to 16.7) and the disassembler shows.
  if (name == "addi4spn" && o(2) == "0") return "illegal";
  if (name == "addi16sp" && o(1) == "0") return "illegal";
  if (name == "lui" && std::stol(o(1), nullptr, 0) == 0) return "illegal";
  if (name == "lwsp" && o(0) == "x0") return "illegal";
  if (name == "jr" && o(0) == "x0") return "illegal";
  if (name == "nop") return "addi x0,x0," + (operands.empty() ? zero : o(0));
  if (name == "addi4spn") return "addi " + o(0) + ",x2," + o(2);
  if (name == "addi16sp") return "addi x2,x2," + o(1);
  if (name == "li") return "addi " + o(0) + ",x0," + o(1);
  if (name == "mv") return "add " + o(0) + ",x0," + o(1);
  if (name == "lui") return line.substr(2);
  if (name == "lwsp" || name == "swsp") return name.substr(0, 2) + " " + o(0) + "," + o(1);
  if (name == "lw" || name == "sw") return line.substr(2);
  if (name == "j") return "jal x0," + o(0);
  if (name == "jal") return "jal x1," + o(0);
  if (name == "jr") return "jalr x0,0(" + o(0) + ")";
  if (name == "jalr") return "jalr x1,0(" + o(0) + ")";
  if (name == "beqz" || name == "bnez") return name.substr(0, 3) + " " + o(0) + ",x0," + o(1);
  if (name == "ebreak") return "ebreak ";
  if (name.size() == 4 && name[0] == 's' && name[3] != 'p' && long_shift(o(1))) return "illegal";
  // Shifts by 0: hints, which RV128 reads as shifts by 64.
  if (name == "slli64" || name == "srli64" || name == "srai64") {
    return name.substr(0, 4) + " " + o(0) + "," + o(0) + ",0x0";
  }
  if (name == "addi" || name == "andi" || name == "slli" || name == "srli" || name == "srai" ||
      name == "add" || name == "sub" || name == "xor" || name == "or" || name == "and") {
    return name + " " + o(0) + "," + o(0) + "," + o(1);
  }
  // Floating point, and RV64 only.
  return "illegal";
}

}  // namespace

TEST_CASE("every compressed encoding decodes as the GNU disassembler reads it") {
  std::vector<std::uint32_t> words;
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    if ((half & 3u) != 3) words.push_back(half);
  }
  const auto lines = disassemble(words);
  REQUIRE(lines.size() == words.size());
  unsigned illegal = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Instruction decoded = riscv::decode(words[i] | 0xABCD0000u);
    const std::string got = text(decoded, static_cast<std::uint32_t>(2 * i));
    if (got != expand(lines[i]))
      FAIL(std::hex << words[i] << " decodes to " << got << ", not to " << lines[i]);
    if (decoded.length != 2 || decoded.bits != words[i])
      FAIL(std::hex << words[i] << " has a wrong length or bits");
    illegal += decoded.op == Op::kIllegal;
  }
  // Nine rows of 2,048 (floating point, 0b100 of quadrant 0), c.addi4spn 0, shifts past 31 and RV64
  // operations, c.addi16sp 0, c.lui 0, c.slli past 31, c.lwsp x0, c.jr x0.
  CHECK(illegal == 9 * 2048 + 8 + 3 * 256 + 1 + 31 + 1024 + 64 + 1);
}

TEST_CASE("32-bit encodings decode as the GNU disassembler reads them") {
  test::Random random(test::seed());
  INFO("seed " << test::seed());
  constexpr std::array<std::uint32_t, 11> opcodes{0x37, 0x17, 0x6F, 0x67, 0x63, 0x03,
                                                  0x23, 0x13, 0x33, 0x0F, 0x73};
  std::vector<std::uint32_t> words{0x00000073, 0x00100073, 0x30200073, 0x10500073};
  for (std::uint64_t n = 0; n < test::cases(20000, 400000); ++n) {
    auto word = static_cast<std::uint32_t>(random());
    if (n % 8 != 0) word = (word & ~0x7Fu) | opcodes[random() % opcodes.size()];
    if ((word & 0x7F) == 0x33 || ((word & 0x7F) == 0x13 && n % 2 == 0)) {
      constexpr std::array<std::uint32_t, 4> funct7_values{0, 1, 0x20, 0x21};
      word = (word & 0x01FFFFFFu) | funct7_values[random() % 4] << 25;
    }
    word |= 3u;
    if ((word & 0x1F) == 0x1F) continue;  // longer than 32 bits
    words.push_back(word);
  }
  // Neighbours of the instructions without operands.
  for (std::size_t i = 0; i < 4; ++i) {
    for (unsigned bit = 7; bit < 32; ++bit) words.push_back(words[i] ^ 1u << bit);
  }
  const auto lines = disassemble(words);
  REQUIRE(lines.size() == words.size());
  std::map<Op, unsigned> seen;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Instruction decoded = riscv::decode(words[i]);
    std::string want = lines[i];
    const std::string name = want.substr(0, want.find(' '));
    const auto funct3 = words[i] >> 12 & 7u;
    if ((name == "slli" || name == "srli" || name == "srai") &&
        long_shift(want.substr(want.rfind(',') + 1))) {
      want = "illegal";
    }
    ++seen[decoded.op];
    if (riscv::is_csr(decoded.op)) {
      // The disassembler names the registers; their numbers are the plain bit fields.
      if (name != riscv::mnemonic(decoded.op))
        FAIL(std::hex << words[i] << " decodes to " << riscv::mnemonic(decoded.op));
      const unsigned rd = words[i] >> 7 & 31u, source = words[i] >> 15 & 31u;
      const bool ok = (decoded.rd == riscv::kSink ? 0u : decoded.rd) == rd &&
                      (static_cast<std::uint32_t>(decoded.imm) & 0xFFFu) == words[i] >> 20 &&
                      (funct3 >= 5 ? static_cast<std::uint32_t>(decoded.imm) >> 16 : decoded.rs1) == source;
      if (!ok) FAIL(std::hex << words[i] << " has wrong operands");
      continue;
    }
    if (decoded.op == Op::kFence || decoded.op == Op::kFenceI) {
      // Reserved fields of fences are ignored; the disassembler knows only some of them.
      if ((words[i] & 0x707Fu) != (decoded.op == Op::kFence ? 0x0Fu : 0x100Fu)) FAIL(std::hex << words[i]);
      continue;
    }
    // Instructions of other levels and extensions that the disassembler knows whatever the architecture.
    if (decoded.op == Op::kIllegal) {
      if (want != "illegal" && (name.rfind("csr", 0) == 0 || seen.count(Op::kIllegal) == 0)) FAIL(want);
      const bool system = (words[i] & 0x7Fu) == 0x73u && funct3 == 0;
      const bool fence = (words[i] & 0x7Fu) == 0x0Fu;
      if (want != "illegal" && !system && !fence)
        FAIL(std::hex << words[i] << " is illegal here, but is " << want);
      continue;
    }
    const std::string got = text(decoded, static_cast<std::uint32_t>(4 * i));
    if (got != want) FAIL(std::hex << words[i] << " decodes to " << got << ", not to " << want);
    if (decoded.length != 4 || decoded.bits != words[i])
      FAIL(std::hex << words[i] << " has a wrong length or bits");
  }
  for (auto op = static_cast<unsigned>(Op::kIllegal); op <= static_cast<unsigned>(Op::kCsrrci); ++op) {
    INFO(riscv::mnemonic(static_cast<Op>(op)));
    CHECK(seen[static_cast<Op>(op)] > 0);
  }
}

TEST_CASE("system instructions are legal in one encoding only") {
  for (const std::uint32_t word : {0x00000073u, 0x00100073u, 0x30200073u, 0x10500073u}) {
    CHECK(riscv::decode(word).op != Op::kIllegal);
    for (unsigned bit = 7; bit < 32; ++bit) {
      const std::uint32_t other = word ^ 1u << bit;
      const bool known =
          other == 0x00000073 || other == 0x00100073 || other == 0x30200073 || other == 0x10500073;
      const bool csr = (other >> 12 & 3u) != 0;
      INFO(std::hex << other);
      CHECK((riscv::decode(other).op == Op::kIllegal) == (!known && !csr));
    }
  }
  CHECK(riscv::decode(0xFFFFFFFF).op == Op::kIllegal);
  CHECK(riscv::decode(0).op == Op::kIllegal);
}
