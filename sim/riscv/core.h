// SPDX-License-Identifier: Apache-2.0
// The cluster's core: RV32IMC with the timing of the four-stage in-order RI5CY, ticked once a core clock
// cycle against ports of the RTL.
//
//   while (!core.halted()) {
//     CoreInputs in = ...;   // the RTL's settled answers to core.outputs(), before the clock edge
//     core.tick(in);         // the edge: outputs() now hold the values of the next cycle
//   }
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/riscv/csr.h"
#include "sim/riscv/instruction.h"
#include "sim/riscv/instruction_cache.h"
#include "sim/riscv/observer.h"

namespace nearcube::riscv {

/// What the RTL drives into the core, sampled at the end of a core cycle.
struct CoreInputs {
  bool data_gnt = false;         ///< the data request is taken in this cycle
  bool data_rvalid = false;      ///< the answer of the request taken longest ago
  bool data_err = false;         ///< with data_rvalid: bus error
  std::uint32_t data_rdata = 0;  ///< with data_rvalid of a read: the word
  bool instr_gnt = false;        ///< the refill request is taken in this cycle
  bool instr_rvalid = false;     ///< one of four beats of the line
  bool instr_last = false;       ///< with instr_rvalid: the last one
  bool instr_err = false;        ///< with instr_rvalid: bus error, the line is worthless
  std::uint64_t instr_rdata = 0;
  bool irq_external = false;  ///< level, mip.MEIP
  bool irq_timer = false;     ///< level, mip.MTIP
};

/// What the core drives. A request stays as it is until it is granted.
struct CoreOutputs {
  bool data_req = false;
  bool data_we = false;
  std::uint8_t data_be = 0;      ///< byte enables of the word
  std::uint32_t data_addr = 0;   ///< word aligned
  std::uint32_t data_wdata = 0;  ///< bytes in their lanes
  bool instr_req = false;        ///< a 32-byte line is wanted
  std::uint32_t instr_addr = 0;  ///< 32-byte aligned
};

/// Where every core cycle went. active + the stalls + asleep == cycles.
struct CoreCounters {
  std::uint64_t cycles = 0;
  std::uint64_t active = 0;  ///< cycles in which an instruction completed; equals instructions completed
  std::uint64_t stall_load_use = 0;  ///< an instruction uses the load before it
  std::uint64_t stall_branch = 0;    ///< two after each taken branch
  std::uint64_t stall_jump = 0;      ///< one after each jal and jalr
  std::uint64_t stall_mul_div = 0;   ///< further cycles of mulh, div and rem
  std::uint64_t stall_trap = 0;      ///< trap entry (3), mret (2) and fence.i (2): the pipeline refills
  std::uint64_t stall_fetch = 0;     ///< the instruction is not in the instruction cache
  std::uint64_t stall_data_tcdm =
      0;  ///< grant or answer of the TCDM missing; second half of a misaligned access
  std::uint64_t stall_data_peripheral = 0;  ///< likewise, cluster peripherals
  std::uint64_t stall_data_memory = 0;      ///< likewise, cube memory and everything else
  std::uint64_t asleep = 0;                 ///< WFI
  // Events.
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t branches_taken = 0;
  std::uint64_t exceptions = 0;
  std::uint64_t interrupts = 0;
  std::uint64_t cache_misses = 0;   ///< lines that the core had to wait for
  std::uint64_t cache_refills = 0;  ///< lines fetched, prefetched ones included

  std::uint64_t stalls() const {
    return stall_load_use + stall_branch + stall_jump + stall_mul_div + stall_trap + stall_fetch +
           stall_data();
  }
  std::uint64_t stall_data() const { return stall_data_tcdm + stall_data_peripheral + stall_data_memory; }

  /// Adds another core's.
  CoreCounters& operator+=(const CoreCounters& other) {
    using Words = std::array<std::uint64_t, sizeof(CoreCounters) / sizeof(std::uint64_t)>;
    Words sum = std::bit_cast<Words>(*this);
    const Words added = std::bit_cast<Words>(other);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += added[i];
    return *this = std::bit_cast<CoreCounters>(sum);
  }
};

/// What the core waits for in the current cycle.
enum class CoreWait : std::uint8_t {
  kNothing,
  kInstructionGrant,
  kInstructionData,
  kDataGrant,
  kDataAnswer,
  kMultiplyDivide,
  kInterrupt,  ///< asleep in WFI
  kHalted,     ///< an exception without a handler
  kHeld,       ///< a debugger holds it
};
/// As a phrase for reports: "the grant of its data request".
const char* describe(CoreWait wait);

/// An instruction that completed.
struct Executed {
  std::uint32_t pc = 0;
  Instruction instruction;
};

/// A snapshot for watchdogs and reports.
struct CoreStatus {
  std::uint32_t pc = 0;  ///< of the instruction that is executed or waited for
  CoreWait wait = CoreWait::kNothing;
  std::uint32_t wait_address = 0;  ///< data or instruction address waited for, where there is one
  bool wait_is_store = false;      ///< the data access waited for is a store
  bool sleeping = false;
  std::uint32_t last_pc = 0;     ///< of the last completed instruction
  Instruction last_instruction;  ///< the last completed instruction; kUndecoded before the first
};

class Core {
 public:
  /// A core with the given mhartid. It is in reset until reset() gives it a first address.
  explicit Core(std::uint32_t hart_id);

  /// Puts every register to its reset value, empties the instruction cache and starts at `pc` in the next
  /// cycle. Registers x1 to x31 become 0.
  void reset(std::uint32_t pc);

  /// Outputs in the current cycle.
  const CoreOutputs& outputs() const { return outputs_; }

  /// The end of a core cycle, with the inputs that answer outputs().
  void tick(const CoreInputs& inputs);

  /// An exception or interrupt came while mtvec was not set; trap() tells which. The core does nothing more.
  bool halted() const { return mode_ == Mode::kHalted; }
  /// The last trap taken, or the uncaught one: its pc, cause and value.
  const Trap& trap() const { return trap_; }

  const CoreCounters& counters() const { return counters_; }
  CoreStatus status() const;
  /// The instructions completed last, at most 16, the latest at the end.
  std::vector<Executed> recent() const;
  /// The same as they were when the last exception was taken.
  const std::vector<Executed>& before_exception() const { return before_exception_; }
  /// pc of the load or store whose request outputs() hold.
  std::uint32_t request_pc() const { return request_.pc; }

  /// Debugger's hold: no new instruction starts; those under way finish, after which quiet() is true, and
  /// counters and mcycle stand still.
  void hold(bool on) { hold_ = on; }
  bool quiet() const;

  /// Asleep, and nothing is asked for or on its way: only an interrupt changes anything.
  bool dormant() const {
    return slot_ == Slot::kAsleep && mode_ == Mode::kRunning && !access_.outstanding && !outputs_.data_req &&
           !outputs_.instr_req;
  }
  /// So many cycles pass while it is dormant() and no enabled interrupt is pending.
  void sleep_on(std::uint64_t cycles) {
    counters_.cycles += cycles;
    counters_.asleep += cycles;
    csr_.count(cycles, 0);
  }

  /// Architectural state, to be changed only while the core is quiet() or before its first tick.
  std::uint32_t pc() const { return pc_; }
  void set_pc(std::uint32_t pc);
  std::uint32_t x(unsigned index) const { return x_[index]; }
  void set_x(unsigned index, std::uint32_t value) { x_[index == 0 ? kSink : index] = value; }
  CsrFile& csr() { return csr_; }
  const CsrFile& csr() const { return csr_; }

  /// Told of each completed instruction and trap; null for none.
  void observe(Observer* observer) { observer_ = observer; }

  /// Drops all lines, as after a debugger wrote to code.
  void flush_instruction_cache() { cache_.flush(); }

 private:
  enum class Mode : std::uint8_t { kReset, kRunning, kHalted };
  /// What stands in the execute stage in this cycle.
  enum class Slot : std::uint8_t {
    kBubble,       ///< pipeline refill, with refill_cause_
    kFetch,        ///< the instruction is not there yet
    kLoadUse,      ///< instruction_ waits for the load under way
    kInstruction,  ///< instruction_
    kFetchFault,   ///< reaching here raises the exception
    kInterrupt,    ///< trap entry once all accesses are answered
    kAsleep,
    kHeld,
  };
  /// A granted data access, in the write-back stage until it is answered.
  struct DataAccess {
    bool outstanding = false;
    bool second_part = false;  ///< the second word of a misaligned access
    bool more = false;         ///< the first word of one: the second follows
    std::uint32_t pc = 0;
    std::uint32_t address = 0;  ///< of the whole access's first byte
    std::uint32_t data = 0;     ///< stored
    Instruction instruction;

    /// Address of the first byte of this part: what mtval shows.
    std::uint32_t part_address() const { return second_part ? (address & ~3u) + 4 : address; }
  };

  void tick_data_port(const CoreInputs& inputs);
  void answer(const CoreInputs& inputs);
  void tick_slot();
  void tick_memory_instruction();
  void complete_instruction();
  void take_trap(Trap trap);
  void refill(unsigned cycles, std::uint64_t CoreCounters::*cause);
  void choose_next();
  void enter_instruction();
  void request_data(const DataAccess& access);
  bool uses_load_under_way() const;
  std::uint64_t& data_stall(std::uint32_t address);
  const Executed& last() const { return recent_[(executed_ - 1) % recent_.size()]; }

  std::array<std::uint32_t, kRegisterSlots> x_{};
  std::uint32_t pc_ = 0;
  CsrFile csr_;
  Mode mode_ = Mode::kReset;
  bool hold_ = false;

  Slot slot_ = Slot::kFetch;
  Instruction instruction_;
  unsigned extra_cycles_ = 0;  ///< that instruction_ needs beyond this one in the execute stage
  std::uint32_t fetch_fault_address_ = 0;
  unsigned refill_cycles_ = 0;
  std::uint64_t CoreCounters::*refill_cause_ = nullptr;
  DataAccess request_;    ///< what outputs_ ask for while data_req
  bool granted_ = false;  ///< request_ was granted in this cycle
  DataAccess access_;
  std::uint32_t first_word_ = 0;     ///< of a misaligned load
  std::optional<Trap> failed_trap_;  ///< taken as soon as no access is outstanding

  InstructionCache cache_;
  CoreOutputs outputs_;
  CoreCounters counters_;
  Trap trap_;
  std::array<Executed, 16> recent_{};
  std::vector<Executed> before_exception_;
  std::size_t executed_ = 0;  ///< number of the next of recent_, modulo its size
  Observer* observer_ = nullptr;
};

}  // namespace nearcube::riscv
