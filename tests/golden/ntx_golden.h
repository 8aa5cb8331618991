// SPDX-License-Identifier: Apache-2.0
// The golden model of one NTX command: registers in, stores out. It knows nothing of time, FIFOs or grants;
// it is what the specification's tables say, step by step. Field positions are restated here from the
// specification on purpose, so that a slip in the generated headers shows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/golden/exact.h"

namespace nearcube::golden {

enum Opcode : std::uint32_t {
  kMac = 0,
  kVaddsub = 1,
  kVmult = 2,
  kOuterp = 3,
  kMaxmin = 4,
  kThtst = 5,
  kMask = 6,
  kMaskmac = 7,
  kCopy = 8,
};
inline constexpr unsigned kOpcodeCount = 9;
const char* opcode_name(std::uint32_t opcode);

inline constexpr std::uint32_t kSourceZero = 3;
inline constexpr std::uint32_t kTcdmBase = 0x1000'0000;

/// The fields of the CMD register. encode() masks nothing but `reserved`, which becomes bits 31:22.
struct CommandFields {
  std::uint32_t opcode = 0;       ///< 4 bits
  std::uint32_t init_level = 0;   ///< 3 bits
  std::uint32_t store_level = 0;  ///< 3 bits
  std::uint32_t outer_level = 0;  ///< 3 bits
  std::uint32_t init_source = 0;  ///< 2 bits: AGU number, or kSourceZero
  std::uint32_t aux = 0;          ///< 3 bits
  std::uint32_t irq = 0;          ///< 2 bits
  bool polarity = false;
  bool overlap = false;
  std::uint32_t reserved = 0;  ///< 10 bits, must be zero
};
std::uint32_t encode(const CommandFields& fields);
CommandFields decode(std::uint32_t cmd);

/// A command as its registers hold it.
struct Command {
  std::array<std::uint32_t, 5> loops{};  ///< trip count minus one; bits 15:0 count
  std::array<std::uint32_t, 3> base{};
  std::array<std::array<std::int32_t, 5>, 3> stride{};  ///< [AGU][loop], bytes
  std::uint32_t cmd = 0;
};
/// All registers, readable, on a few lines: for a failing test's report.
std::string to_string(const Command& command);

/// Codes of register error_cause.
enum class Cause : std::uint32_t {
  kNone = 0,
  kOpcode = 1,
  kLevels = 2,
  kIrq = 3,
  kAux = 4,
  kReservedBits = 5,
  kMisalignedBase = 6,
  kMisalignedStride = 7,
  kOutOfRange = 8,
};

struct Store {
  std::uint32_t address = 0;  ///< byte offset in the scratchpad
  std::uint32_t value = 0;
  bool operator==(const Store&) const = default;
};

/// A read of a word that an earlier step of the same command stored: undefined in hardware.
struct Hazard {
  std::uint64_t step = 0;
  unsigned agu = 0;
  std::uint32_t address = 0;  ///< byte offset in the scratchpad
};

/// What a command did.
struct Outcome {
  Cause cause = Cause::kNone;
  std::uint32_t error_agu = 0;   ///< register error_cause's field agu
  std::uint32_t error_addr = 0;  ///< register error_addr
  std::vector<Store> stores;     ///< in order; images as ascending words
  std::uint64_t steps = 0;       ///< steps completed
  std::uint64_t macs = 0;        ///< of these, steps that form a product (MAC, VMULT, OUTERP)
  std::uint64_t reads = 0;       ///< words read, with operands and init values held as the specification says
  std::uint64_t image_words = 0;  ///< words of images moved, in `reads` and `stores` too
  std::optional<Hazard> hazard;   ///< the first one; what follows it is not defined

  /// The specification's bound: one step a cycle, two accesses a cycle. Images take more (accumulation waits
  /// for them).
  std::uint64_t minimum_cycles() const;
};

/// Runs one command on a scratchpad (`tcdm`, in words; its size is the scratchpad's).
///
/// Semantics beyond ntx.md's text. The specification leaves these open; they are decided here.
///
/// *Refusal.* Checked before anything is touched, and the lowest cause is reported: opcode above 8; not store
/// <= init <= outer <= 5 (also where the operation ignores a level); irq 3; undefined aux (compare code 3
/// also in count mode, ReLU with a wide store); bits 31:22; then the misaligned base of the lowest active
/// AGU; then the misaligned stride j < outer (even if loop j runs once) of the lowest active AGU, lowest j;
/// then the base of the lowest active AGU outside the scratchpad's region, or twice its size beyond its
/// start. error_addr is the CMD word, or the base or stride register as it reads back.
///
/// *Active AGUs* are those that the operation can use: see active_agus(). All else in the registers is
/// ignored.
///
/// *Addresses* are 32-bit core addresses. A base with bits 31:20 zero stands for kTcdmBase + base. Only
/// accessed words are checked; an address may leave the scratchpad between accesses, but no farther than
/// twice the scratchpad's size from its start, and not by a far stride (is_far()): then it is lost, an access
/// with it is out of range at kLost, and the command does not find it again.
///
/// *Accesses of a step*: A and B if the operation fetches them at all, in every step (also if nothing is
/// stored, also MASK's A when the test fails); the init operand in init steps unless the source is zero; AGU2
/// in steps that store. MASKMAC reads and writes AGU2 only in steps whose test holds, reads v (AGU0) and,
/// unless the source is zero, reg (AGU1) in init steps, and B (AGU1) in every step outside count mode.
///
/// *Stop.* The first step that accesses a word outside the scratchpad stops the command with kOutOfRange: of
/// that step the lowest AGU and its lowest such word are reported. Stores of earlier steps are done, that
/// step's are not, not even the part of an image that fits.
///
/// *Reads counted*: A and B in the first step and whenever the stride that advanced is not zero; a scalar
/// init operand when its address differs from the previous init's; images always; MASKMAC's AGU2 always. Two
/// operands from one AGU count twice.
///
/// *Hazards* are judged on the reads a step makes by the table, held or not. In MASKMAC only AGU2's reads may
/// follow stores.
Outcome run(const Command& command, std::vector<std::uint32_t>& tcdm, AccumulatorFormat format = {});

/// Bytes from one word of a scratchpad to another, rounded up to a power of two; `words`: the scratchpad's
/// size.
std::int64_t reach(std::size_t words);

/// A stride, in bytes, that leads from no word of the scratchpad to another.
bool is_far(std::int32_t stride, std::size_t words);

/// What a stride register reads back: as written, but of a far stride only the low bits, with the sign wrong.
std::uint32_t kept_stride(std::int32_t stride, std::size_t words);

/// ERROR_ADDR if the address is not known any more.
inline constexpr std::uint32_t kLost = 0xFFFF'FFFC;

/// Bit n: AGU n is used by this (valid) command.
unsigned active_agus(const CommandFields& fields);

/// "b op a" of the compare codes: 0 EQ, 1 LT, 2 LE, quiet; -0 equals +0, NaN is unordered.
bool compare(std::uint32_t code, std::uint32_t b, std::uint32_t reg);

/// MAXMIN's order: whether b replaces reg, that is, is a strictly better maximum (minimum), -0 below +0, or
/// the first NaN.
bool replaces(std::uint32_t b, std::uint32_t reg, bool minimum);

}  // namespace nearcube::golden
