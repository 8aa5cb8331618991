// SPDX-License-Identifier: Apache-2.0
// Functional execution at full host speed: the semantics of execute.h on a memory without ports or time.
// Instructions are decoded once a page, memory is reached through cached host pointers, and the bus is a
// template parameter, so an ordinary instruction makes no call at all. One cycle an instruction passes on
// mcycle.
//
// `Bus` offers (DirectMemory is one):
//   std::uint8_t* data_page(std::uint32_t page)        host memory of the 4 KiB page at `page`, or null for a
//   device const std::uint8_t* code_page(std::uint32_t page)  likewise where instructions may be fetched
//   from, else null Access device(std::uint32_t word_address, bool write, std::uint8_t byte_enables,
//   std::uint32_t& data)
//                                                      any access that no data page serves
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <unordered_map>

#include "sim/riscv/csr.h"
#include "sim/riscv/execute.h"
#include "sim/riscv/instruction.h"
#include "sim/riscv/observer.h"

namespace nearcube::riscv {

static_assert(std::endian::native == std::endian::little, "host memory is used as the hart's");

inline constexpr std::uint32_t kPageBytes = 4096;

/// Why Functional::run returned.
enum class Stop : std::uint8_t {
  kBudget,  ///< the given number of instructions was executed
  kAsleep,  ///< WFI with no enabled interrupt pending: raise a line, then run on
  kExit,    ///< a device ended the run
  kHeld,    ///< an observer held the hart before an instruction
  kHalted,  ///< a trap without a handler, see trap()
};

template <class Bus>
class Functional {
 public:
  Functional(std::uint32_t hart_id, Bus& bus) : bus_(bus), csr_(hart_id) {}

  /// As Core::reset.
  void reset(std::uint32_t pc) {
    x_.fill(0);
    pc_ = pc & ~1u;
    csr_.reset();
    trap_ = Trap();
    asleep_ = halted_ = false;
    instructions_ = 0;
    flush();
  }

  /// Executes up to `budget` instructions; an instruction that traps counts as one.
  Stop run(std::uint64_t budget) { return observer_ != nullptr ? loop<true>(budget) : loop<false>(budget); }

  /// Interrupt lines, at any time, a device access included.
  void set_lines(bool external, bool timer) { csr_.set_lines(external, timer); }

  /// Forgets decoded instructions and host pointers: after the host wrote to code or changed the memory map.
  void flush() {
    pages_.clear();
    page_table_.fill(PageEntry());
    translations_.fill(Translation());
  }

  std::uint32_t pc() const { return pc_; }
  void set_pc(std::uint32_t pc) { pc_ = pc & ~1u; }
  std::uint32_t x(unsigned index) const { return x_[index]; }
  void set_x(unsigned index, std::uint32_t value) { x_[index == 0 ? kSink : index] = value; }
  CsrFile& csr() { return csr_; }
  const CsrFile& csr() const { return csr_; }
  /// The last trap taken, or the uncaught one.
  const Trap& trap() const { return trap_; }
  bool halted() const { return halted_; }
  /// Budget used since reset.
  std::uint64_t instructions() const { return instructions_; }
  void observe(Observer* observer) { observer_ = observer; }

 private:
  using Page = std::array<Instruction, kPageBytes / 2>;
  struct PageEntry {
    std::uint32_t base = 1;  // no page's base is odd
    Instruction* instructions = nullptr;
  };
  /// Host memory of a page. `tag` is compared with the page's base and the low bits of a misaligned address
  /// at once.
  struct Translation {
    std::uint32_t tag = kPageBytes - 1;
    std::uint8_t* host = nullptr;
  };
  static constexpr unsigned kTranslations = 64;
  static constexpr unsigned kPageEntries = 64;

  static constexpr std::uint32_t page_of(std::uint32_t address) { return address & ~(kPageBytes - 1); }

  /// The environment of execute().
  struct Environment {
    Functional& hart;

    template <class T>
    [[gnu::always_inline]] Access load(std::uint32_t address, T& value) {
      const Translation& entry = hart.translations_[address / kPageBytes % kTranslations];
      if (entry.tag == (address & ~(kPageBytes - sizeof(T)))) [[likely]] {
        std::memcpy(&value, entry.host + address % kPageBytes, sizeof(T));
        return Access::kDone;
      }
      std::uint32_t data = 0;
      const Access access = hart.access(address, sizeof(T), false, data);
      value = static_cast<T>(data);
      return access;
    }
    template <class T>
    [[gnu::always_inline]] Access store(std::uint32_t address, T value) {
      const Translation& entry = hart.translations_[address / kPageBytes % kTranslations];
      if (entry.tag == (address & ~(kPageBytes - sizeof(T)))) [[likely]] {
        std::memcpy(entry.host + address % kPageBytes, &value, sizeof(T));
        return Access::kDone;
      }
      std::uint32_t data = value;
      return hart.access(address, sizeof(T), true, data);
    }
    std::uint32_t fault_address() const { return hart.fault_address_; }
    /// Done by the loop, which first has to bring the counters up to date.
    Outcome system(const Instruction&, std::uint32_t&, Trap&) const { return Outcome::kDeferred; }
  };

  /// A load or store that no cached translation serves: by words, as the core's data port does it.
  [[gnu::noinline]] Access access(std::uint32_t address, unsigned bytes, bool write, std::uint32_t& data) {
    const unsigned offset = address & 3u;
    const unsigned lanes = ((1u << bytes) - 1u) << offset;
    std::uint64_t both = std::uint64_t{data} << (8 * offset);
    auto word = static_cast<std::uint32_t>(both);
    fault_address_ = address;
    Access result = access_word(address & ~3u, lanes & 0xFu, write, word);
    if (result == Access::kFault) return result;
    both = (both >> 32 << 32) | word;
    if (lanes > 0xF) {
      word = static_cast<std::uint32_t>(both >> 32);
      fault_address_ = (address & ~3u) + 4;
      const Access second = access_word(fault_address_, lanes >> 4, write, word);
      if (second == Access::kFault) return second;
      if (second != Access::kDone) result = second;
      both = (std::uint64_t{word} << 32) | static_cast<std::uint32_t>(both);
    }
    if (!write) data = static_cast<std::uint32_t>(both >> (8 * offset));
    return result;
  }

  Access access_word(std::uint32_t address, unsigned lanes, bool write, std::uint32_t& data) {
    const std::uint32_t page = page_of(address);
    std::uint8_t* host = bus_.data_page(page);
    if (host == nullptr) return bus_.device(address, write, static_cast<std::uint8_t>(lanes), data);
    translations_[address / kPageBytes % kTranslations] = {page, host};
    std::uint8_t* bytes = host + (address - page);
    if (!write) {
      std::memcpy(&data, bytes, 4);
      return Access::kDone;
    }
    for (unsigned i = 0; i < 4; ++i) {
      if ((lanes >> i & 1u) != 0) bytes[i] = static_cast<std::uint8_t>(data >> (8 * i));
    }
    return Access::kDone;
  }

  /// The decoded instructions of the page that holds `pc`; null if it holds no code.
  [[gnu::noinline]] Instruction* decoded_page(std::uint32_t pc) {
    const std::uint32_t base = page_of(pc);
    PageEntry& entry = page_table_[base / kPageBytes % kPageEntries];
    if (entry.base == base) return entry.instructions;
    if (bus_.code_page(base) == nullptr) return nullptr;
    auto& page = pages_[base];
    if (page == nullptr) page = std::make_unique<Page>();
    entry = {base, page->data()};
    return entry.instructions;
  }

  /// Decodes the instruction at `pc`, which lies in a page of code, into `instruction`. False if it reaches
  /// into a page without.
  [[gnu::noinline]] bool decode_at(std::uint32_t pc, Instruction& instruction) {
    const auto half = [this](std::uint32_t address) -> std::optional<std::uint16_t> {
      const std::uint8_t* page = bus_.code_page(page_of(address));
      if (page == nullptr) return std::nullopt;
      std::uint16_t value;
      std::memcpy(&value, page + address % kPageBytes, sizeof value);
      return value;
    };
    std::uint32_t bits = half(pc).value_or(0);
    if (instruction_length(static_cast<std::uint16_t>(bits)) == 4) {
      const auto high = half(pc + 2);
      if (!high) return false;
      bits |= std::uint32_t{*high} << 16;
    }
    instruction = decode(bits);
    return true;
  }

  template <bool kObserved>
  Stop loop(std::uint64_t budget) {
    if (halted_) return Stop::kHalted;
    if (asleep_ && !csr_.wakes()) return Stop::kAsleep;
    asleep_ = false;

    std::uint32_t* const x = x_.data();
    std::uint32_t pc = pc_;
    std::uint64_t left = budget;
    std::uint64_t counted = budget;  // `left` when the counters were last brought up to date
    std::uint64_t trapped = 0;       // of those since, the ones that did not complete
    Environment environment{*this};
    std::uint32_t page_base = 1;
    Instruction* page = nullptr;
    Trap trap;

    const auto count = [&] {
      csr_.count(counted - left, counted - left - trapped);
      instructions_ += counted - left;
      counted = left;
      trapped = 0;
    };
    const auto leave = [&](Stop stop) {
      count();
      pc_ = pc;
      return stop;
    };
    const auto enter = [&](const Trap& taken) {
      trap_ = taken;
      if constexpr (kObserved) observer_->traps(taken, instructions_ + (counted - left));
      if (!csr_.has_handler()) {
        halted_ = true;
        return false;
      }
      pc = csr_.enter_trap(taken);
      return true;
    };

    if (csr_.interrupt_pending() && !enter({pc, csr_.interrupt_cause(), 0})) return leave(Stop::kHalted);
    while (left != 0) {
      std::uint32_t offset = pc - page_base;
      if (offset >= kPageBytes) [[unlikely]] {
        page = decoded_page(pc);
        page_base = page_of(pc);
        offset = pc - page_base;
        if (page == nullptr) {
          page_base = 1;
          --left;
          ++trapped;
          if (!enter({pc, cause::kInstructionAccessFault, pc})) return leave(Stop::kHalted);
          continue;
        }
      }
      Instruction& i = page[offset / 2];
      Retirement retirement;
      if constexpr (kObserved) {
        if (i.op == Op::kUndecoded && !decode_at(pc, i)) {
          --left;
          ++trapped;
          if (!enter({pc, cause::kInstructionAccessFault, pc + 2})) return leave(Stop::kHalted);
          continue;
        }
        if (!observer_->starts(pc)) return leave(Stop::kHeld);
        retirement.pc = pc;
        retirement.instruction = i;
        if (is_memory(i.op)) retirement.address = x[i.rs1] + static_cast<std::uint32_t>(i.imm);
        retirement.cycle = instructions_ + (counted - left);
      }
      Outcome outcome = execute(i, x, pc, environment, trap);
      if (outcome <= Outcome::kJump) [[likely]] {
        --left;
        if constexpr (kObserved) {
          retirement.value = is_store(i.op) ? x[i.rs2] : x[i.rd];
          observer_->retires(retirement);
        }
        continue;
      }
      if (outcome == Outcome::kUndecoded) {
        if (decode_at(pc, i)) continue;
        trap = {pc, cause::kInstructionAccessFault, pc + 2};
        outcome = Outcome::kTrap;
      }
      if (outcome == Outcome::kDeferred) {
        count();
        outcome = execute_system(i, x, pc, csr_, trap);
      }
      --left;
      if (outcome == Outcome::kTrap) {
        ++trapped;
        if (!enter(trap)) return leave(Stop::kHalted);
        continue;
      }
      count();
      if constexpr (kObserved) {
        retirement.value = is_store(i.op) ? x[i.rs2] : x[i.rd];
        observer_->retires(retirement);
      }
      if (outcome == Outcome::kFenceI) {
        flush();
        page_base = 1;
      } else if (outcome == Outcome::kStop) {
        return leave(Stop::kExit);
      } else if (outcome == Outcome::kWfi && !csr_.wakes()) {
        asleep_ = true;
        return leave(Stop::kAsleep);
      }
      if (csr_.interrupt_pending() && !enter({pc, csr_.interrupt_cause(), 0})) return leave(Stop::kHalted);
    }
    return leave(Stop::kBudget);
  }

  Bus& bus_;
  std::array<std::uint32_t, kRegisterSlots> x_{};
  std::uint32_t pc_ = 0;
  CsrFile csr_;
  Trap trap_;
  bool asleep_ = false;
  bool halted_ = false;
  std::uint64_t instructions_ = 0;
  std::uint32_t fault_address_ = 0;
  std::array<Translation, kTranslations> translations_{};
  std::array<PageEntry, kPageEntries> page_table_{};
  std::unordered_map<std::uint32_t, std::unique_ptr<Page>> pages_;
  Observer* observer_ = nullptr;
};

}  // namespace nearcube::riscv
