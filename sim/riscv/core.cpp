// SPDX-License-Identifier: Apache-2.0
#include "sim/riscv/core.h"

#include <algorithm>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/base/error.h"
#include "sim/riscv/execute.h"

namespace nearcube::riscv {
namespace {

// Stall cycles of the four-stage core (CV32E40P User Manual, pipeline details): a taken branch
// leaves from the execute stage and costs fetch and decode again; a jump leaves from the decode stage.
constexpr unsigned kBranchRefill = 2;
constexpr unsigned kJumpRefill = 1;
constexpr unsigned kTrapRefill = 2;
constexpr unsigned kMultiplyHighCycles = 5;

/// Environment of execute() in which a load finds what the data port answered.
struct Answered {
  CsrFile& csr;
  std::uint32_t* x;
  std::uint32_t data = 0;  ///< the loaded bytes, from bit 0

  template <class T>
  Access load(std::uint32_t /*address*/, T& value) const {
    value = static_cast<T>(data);
    return Access::kDone;
  }
  template <class T>
  Access store(std::uint32_t /*address*/, T /*value*/) const {
    return Access::kDone;
  }
  std::uint32_t fault_address() const { return 0; }
  Outcome system(const Instruction& i, std::uint32_t& pc, Trap& trap) const {
    return execute_system(i, x, pc, csr, trap);
  }
};

constexpr bool within(std::uint32_t address, std::uint64_t base, std::uint64_t size) {
  return address - base < size;
}

}  // namespace

const char* describe(CoreWait wait) {
  switch (wait) {
    case CoreWait::kNothing:
      return "nothing";
    case CoreWait::kInstructionGrant:
      return "the grant of its instruction refill";
    case CoreWait::kInstructionData:
      return "the data of its instruction refill";
    case CoreWait::kDataGrant:
      return "the grant of its data request";
    case CoreWait::kDataAnswer:
      return "the answer to its data request";
    case CoreWait::kMultiplyDivide:
      return "its multiplier or divider";
    case CoreWait::kInterrupt:
      return "an interrupt (asleep)";
    case CoreWait::kHalted:
      return "nothing any more: a trap had no handler";
    case CoreWait::kHeld:
      return "the debugger";
  }
  return "nothing";
}

Core::Core(std::uint32_t hart_id) : csr_(hart_id) {}

void Core::reset(std::uint32_t pc) {
  x_.fill(0);
  pc_ = pc & ~1u;
  csr_.reset();
  mode_ = Mode::kRunning;
  slot_ = Slot::kFetch;
  extra_cycles_ = refill_cycles_ = 0;
  request_ = access_ = DataAccess();
  failed_trap_.reset();
  cache_ = InstructionCache();
  outputs_ = CoreOutputs();
  counters_ = CoreCounters();
  trap_ = Trap();
  recent_.fill(Executed());
  executed_ = 0;
  cache_.want(pc_);
  outputs_.instr_req = cache_.requests();
  outputs_.instr_addr = cache_.refill_address();
}

void Core::set_pc(std::uint32_t pc) {
  pc_ = pc & ~1u;
  if (slot_ != Slot::kHeld) slot_ = Slot::kFetch;
}

bool Core::quiet() const {
  return halted() || mode_ == Mode::kReset || (slot_ == Slot::kHeld && !access_.outstanding);
}

void Core::tick(const CoreInputs& inputs) {
  if (mode_ == Mode::kReset) return;
  csr_.set_lines(inputs.irq_external, inputs.irq_timer);
  if (outputs_.instr_req && inputs.instr_gnt) cache_.grant();
  if (inputs.instr_rvalid) cache_.beat(inputs.instr_rdata, inputs.instr_last, inputs.instr_err);

  if (!halted()) {
    const bool counts = slot_ != Slot::kHeld;
    tick_data_port(inputs);
    const std::uint64_t completed = counters_.active;
    tick_slot();
    if (counts) {
      ++counters_.cycles;
      csr_.count(1, counters_.active - completed);
    }
  }

  counters_.cache_refills = cache_.refills();
  // A halted core asks for nothing more; what it asked for goes on until it is granted.
  if (!halted()) cache_.want(pc_);
  outputs_.instr_req = cache_.requests();
  outputs_.instr_addr = cache_.refill_address();
}

/// The answer of the access in the write-back stage, and then the grant that brings in the next one.
void Core::tick_data_port(const CoreInputs& inputs) {
  if (inputs.data_rvalid) answer(inputs);
  granted_ = outputs_.data_req && inputs.data_gnt;
  if (!granted_) return;
  if (access_.outstanding) {
    throw base::error(
        ExitStatus::kOther,
        "data port: the request to 0x{:08x} was granted before the one to 0x{:08x} was answered",
        outputs_.data_addr, access_.address);
  }
  access_ = request_;
  access_.outstanding = true;
  outputs_.data_req = false;
}

void Core::answer(const CoreInputs& inputs) {
  if (!access_.outstanding) {
    throw base::error(ExitStatus::kOther, "data port: an answer arrived that no request asked for");
  }
  access_.outstanding = false;
  if (failed_trap_) return;  // this access should not have happened: an earlier one failed
  const Op op = access_.instruction.op;
  if (inputs.data_err) {
    // The trap waits until no access is outstanding: a request that is out cannot be taken back. Unless its
    // second part was still to come, the failed instruction had left the execute stage as completed.
    if (!access_.more) {
      --counters_.active;
      --(is_load(op) ? counters_.loads : counters_.stores);
      ++counters_.stall_trap;
      csr_.uncount_instruction();
    }
    failed_trap_ = Trap{access_.pc, is_load(op) ? cause::kLoadAccessFault : cause::kStoreAccessFault,
                        access_.part_address()};
    return;
  }
  if (access_.more) {
    first_word_ = inputs.data_rdata;
    return;
  }
  if (is_load(op)) {
    const unsigned shift = 8 * (access_.address & 3u);
    Answered environment{csr_, x_.data()};
    environment.data = access_.second_part ? first_word_ >> shift | inputs.data_rdata << (32 - shift)
                                           : inputs.data_rdata >> shift;
    std::uint32_t pc = access_.pc;
    Trap none;
    execute(access_.instruction, x_.data(), pc, environment, none);
    access_.data = x_[access_.instruction.rd];
  }
  recent_[executed_++ % recent_.size()] = {access_.pc, access_.instruction};
  if (observer_ != nullptr) {
    observer_->retires({access_.pc, access_.instruction, access_.data, access_.address, counters_.cycles});
  }
}

std::uint64_t& Core::data_stall(std::uint32_t address) {
  using namespace interfaces;
  if (within(address, kTcdmBase, kTcdmSize)) return counters_.stall_data_tcdm;
  if (within(address, kControlBase, kNtxBroadcastBase + kNtxBroadcastSize - kControlBase)) {
    return counters_.stall_data_peripheral;
  }
  return counters_.stall_data_memory;
}

/// What the execute stage did in this cycle, and what stands in it in the next.
void Core::tick_slot() {
  if (failed_trap_) {
    ++counters_.stall_trap;
    if (!access_.outstanding && !outputs_.data_req) take_trap(*failed_trap_);
    return;
  }
  // Nothing passes an access that is not answered.
  const bool blocked = access_.outstanding && !granted_;
  switch (slot_) {
    case Slot::kBubble:
      ++(counters_.*refill_cause_);
      if (--refill_cycles_ == 0) choose_next();
      break;
    case Slot::kFetch:
      ++(blocked ? data_stall(access_.address) : counters_.stall_fetch);
      choose_next();
      break;
    case Slot::kLoadUse:
      ++(blocked ? data_stall(access_.address) : counters_.stall_load_use);
      if (!blocked) enter_instruction();
      break;
    case Slot::kInstruction:
      if (extra_cycles_ > 0) {
        --extra_cycles_;
        ++counters_.stall_mul_div;
      } else if (is_memory(instruction_.op)) {
        tick_memory_instruction();
      } else if (blocked) {
        ++data_stall(access_.address);
      } else {
        complete_instruction();
      }
      break;
    case Slot::kFetchFault:
    case Slot::kInterrupt:
      if (blocked) {
        ++data_stall(access_.address);
      } else if (slot_ == Slot::kFetchFault) {
        ++counters_.stall_trap;
        take_trap({pc_, cause::kInstructionAccessFault, fetch_fault_address_});
      } else if (csr_.interrupt_pending()) {
        ++counters_.stall_trap;
        take_trap({pc_, csr_.interrupt_cause(), 0});
      } else {  // the line fell before the core came to it
        ++counters_.stall_trap;
        choose_next();
      }
      break;
    case Slot::kAsleep:
      ++counters_.asleep;
      if (csr_.wakes() || hold_) choose_next();
      break;
    case Slot::kHeld:
      choose_next();
      break;
  }
}

void Core::tick_memory_instruction() {
  if (!granted_) {
    ++data_stall(access_.outstanding ? access_.address : request_.address);
  } else if (access_.more) {
    ++data_stall(access_.address);
    request_.second_part = true;
    request_.more = false;
    request_data(request_);
  } else {
    ++(is_load(instruction_.op) ? counters_.loads : counters_.stores);
    pc_ += instruction_.length;
    ++counters_.active;
    const Op op = instruction_.op;
    if (observer_ != nullptr && !observer_->accesses(access_.address, access_bytes(op), is_store(op)))
      hold_ = true;
    choose_next();
  }
}

void Core::complete_instruction() {
  const std::uint32_t pc = pc_;
  Answered environment{csr_, x_.data()};
  Trap trap;
  const Outcome outcome = execute(instruction_, x_.data(), pc_, environment, trap);
  if (outcome == Outcome::kTrap) {
    ++counters_.stall_trap;
    take_trap(trap);
    return;
  }
  ++counters_.active;
  recent_[executed_++ % recent_.size()] = {pc, instruction_};
  if (observer_ != nullptr) observer_->retires({pc, instruction_, x_[instruction_.rd], 0, counters_.cycles});
  switch (outcome) {
    case Outcome::kBranch:
      ++counters_.branches_taken;
      refill(kBranchRefill, &CoreCounters::stall_branch);
      break;
    case Outcome::kJump:
      refill(kJumpRefill, &CoreCounters::stall_jump);
      break;
    case Outcome::kReturn:
      refill(kTrapRefill, &CoreCounters::stall_trap);
      break;
    case Outcome::kFenceI:
      cache_.flush();
      refill(kTrapRefill, &CoreCounters::stall_trap);
      break;
    case Outcome::kWfi:
      if (csr_.wakes()) {
        choose_next();
      } else {
        slot_ = Slot::kAsleep;
      }
      break;
    default:
      choose_next();
      break;
  }
}

// By value: the caller may pass what failed_trap_ holds.
void Core::take_trap(Trap trap) {
  failed_trap_.reset();
  trap_ = trap;
  if (!trap.is_interrupt()) before_exception_ = recent();
  ++(trap.is_interrupt() ? counters_.interrupts : counters_.exceptions);
  if (observer_ != nullptr) observer_->traps(trap, counters_.cycles);
  if (!csr_.has_handler()) {
    pc_ = trap.pc;
    mode_ = Mode::kHalted;
    return;
  }
  pc_ = csr_.enter_trap(trap);
  refill(kTrapRefill, &CoreCounters::stall_trap);
}

void Core::refill(unsigned cycles, std::uint64_t CoreCounters::*cause) {
  slot_ = Slot::kBubble;
  refill_cycles_ = cycles;
  refill_cause_ = cause;
}

/// Chooses what stands in the execute stage in the next cycle. pc_ is the next instruction's address.
void Core::choose_next() {
  const bool was_fetching = slot_ == Slot::kFetch;
  if (hold_) {
    slot_ = Slot::kHeld;
    return;
  }
  if (csr_.interrupt_pending()) {
    slot_ = Slot::kInterrupt;
    return;
  }
  switch (cache_.fetch(pc_, instruction_, fetch_fault_address_)) {
    case InstructionCache::Result::kMiss:
      slot_ = Slot::kFetch;
      if (!was_fetching) ++counters_.cache_misses;
      return;
    case InstructionCache::Result::kFault:
      slot_ = Slot::kFetchFault;
      return;
    case InstructionCache::Result::kHit:
      break;
  }
  if (observer_ != nullptr && !observer_->starts(pc_)) {
    hold_ = true;
    slot_ = Slot::kHeld;
  } else if (uses_load_under_way()) {
    slot_ = Slot::kLoadUse;
  } else {
    enter_instruction();
  }
}

bool Core::uses_load_under_way() const {
  if (!access_.outstanding || !is_load(access_.instruction.op)) return false;
  const std::uint8_t loaded = access_.instruction.rd;
  return instruction_.rs1 == loaded || instruction_.rs2 == loaded;
}

void Core::enter_instruction() {
  slot_ = Slot::kInstruction;
  const Op op = instruction_.op;
  if (is_memory(op)) {
    DataAccess access;
    access.pc = pc_;
    access.address = x_[instruction_.rs1] + static_cast<std::uint32_t>(instruction_.imm);
    access.data = is_store(op) ? x_[instruction_.rs2] : 0;
    access.instruction = instruction_;
    access.more = (access.address & 3u) + access_bytes(op) > 4;
    request_data(access);
  } else if (is_multiply_high(op)) {
    extra_cycles_ = kMultiplyHighCycles - 1;
  } else if (is_divide(op)) {
    extra_cycles_ = divide_cycles(op, x_[instruction_.rs2]) - 1;
  }
}

/// Puts a request on the data port: the bytes of one word, in their lanes.
void Core::request_data(const DataAccess& access) {
  request_ = access;
  const unsigned offset = access.address & 3u;
  const unsigned lanes = ((1u << access_bytes(access.instruction.op)) - 1u) << offset;
  const std::uint64_t data = std::uint64_t{access.data} << (8 * offset);
  outputs_.data_req = true;
  outputs_.data_we = is_store(access.instruction.op);
  outputs_.data_addr = access.part_address() & ~3u;
  outputs_.data_be = static_cast<std::uint8_t>((access.second_part ? lanes >> 4 : lanes) & 0xFu);
  outputs_.data_wdata = static_cast<std::uint32_t>(access.second_part ? data >> 32 : data);
}

std::vector<Executed> Core::recent() const {
  std::vector<Executed> list;
  const std::size_t count = std::min(executed_, recent_.size());
  for (std::size_t i = executed_ - count; i < executed_; ++i) list.push_back(recent_[i % recent_.size()]);
  return list;
}

CoreStatus Core::status() const {
  CoreStatus status;
  status.pc = pc_;
  status.last_pc = last().pc;
  status.last_instruction = last().instruction;
  status.sleeping = slot_ == Slot::kAsleep && mode_ == Mode::kRunning;
  const auto waits = [&status](CoreWait wait, std::uint32_t address = 0, bool store = false) {
    status.wait = wait;
    status.wait_address = address;
    status.wait_is_store = store;
  };
  if (halted()) {
    waits(CoreWait::kHalted);
  } else if (access_.outstanding) {
    waits(CoreWait::kDataAnswer, access_.part_address(), is_store(access_.instruction.op));
    status.pc = access_.pc;
  } else if (outputs_.data_req) {
    waits(CoreWait::kDataGrant, request_.part_address(), outputs_.data_we);
  } else if (slot_ == Slot::kAsleep) {
    waits(CoreWait::kInterrupt);
  } else if (slot_ == Slot::kHeld) {
    waits(CoreWait::kHeld);
  } else if (slot_ == Slot::kFetch) {
    waits(outputs_.instr_req ? CoreWait::kInstructionGrant : CoreWait::kInstructionData,
          cache_.refill_address());
  } else if (slot_ == Slot::kInstruction && extra_cycles_ > 0) {
    waits(CoreWait::kMultiplyDivide);
  }
  return status;
}

}  // namespace nearcube::riscv
