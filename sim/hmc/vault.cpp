// SPDX-License-Identifier: Apache-2.0
#include "sim/hmc/vault.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace nearcube::hmc {

namespace {

// The vaults take turns, so that not all of them are away at once. In the order of addresses, whoever reads
// on and on, one request at a time, would keep step with the refreshes and meet one in each vault. Here a
// turn lies 1, 2, 3 and so on after that of the vault before, no two alike, and no stride keeps step. These
// triangular numbers are each turn once, for powers of two.
std::uint64_t first_refresh(const CubeConfig& config, std::uint32_t vault) {
  const std::uint64_t turn = std::uint64_t{vault} * (vault + 1) / 2 % config.vaults;
  return config.timing.t_refi * (turn + 1) / config.vaults;
}

}  // namespace

RequestQueue::RequestQueue(std::uint32_t capacity, std::uint32_t banks)
    : entries_(capacity), first_(banks, kNone), last_(banks, kNone) {
  for (std::uint32_t i = capacity; i-- > 0;) free_.push_back(static_cast<std::int8_t>(i));
}

std::int8_t RequestQueue::last_to(std::uint32_t bank, std::uint64_t granule) const {
  std::int8_t found = kNone;
  for (std::int8_t i = first_[bank]; i != kNone; i = (*this)[i].next) {
    if ((*this)[i].granule == granule) found = i;
  }
  return found;
}

const RequestQueue::Entry* RequestQueue::oldest() const {
  const Entry* found = nullptr;
  for (std::uint32_t banks = in_use_; banks != 0; banks &= banks - 1) {
    const Entry& entry = (*this)[first_[static_cast<std::size_t>(std::countr_zero(banks))]];
    if (found == nullptr || entry.id < found->id) found = &entry;
  }
  return found;
}

void RequestQueue::push(const Entry& entry) {
  const std::int8_t index = free_.back();
  free_.pop_back();
  Entry& own = entries_[static_cast<std::size_t>(index)];
  own = entry;
  own.next = kNone;
  own.blocks = false;
  if (own.blocked_by != kNone) ++blocked_;
  const std::size_t bank = entry.bank;
  if (first_[bank] == kNone) {
    first_[bank] = index;
    in_use_ |= 1u << bank;
  } else {
    entries_[static_cast<std::size_t>(last_[bank])].next = index;
  }
  last_[bank] = index;
  ++size_;
}

void RequestQueue::remove(std::int8_t index) {
  const Entry& entry = (*this)[index];
  const std::size_t bank = entry.bank;
  std::int8_t before = kNone;
  for (std::int8_t i = first_[bank]; i != index; i = (*this)[i].next) before = i;
  (before == kNone ? first_[bank] : entries_[static_cast<std::size_t>(before)].next) = entry.next;
  if (last_[bank] == index) last_[bank] = before;
  if (first_[bank] == kNone) in_use_ &= ~(1u << bank);
  free_.push_back(index);
  --size_;
}

void RequestQueue::unblock(std::int8_t index) {
  for (std::uint32_t banks = in_use_; banks != 0; banks &= banks - 1) {
    for (std::int8_t i = first_[static_cast<std::size_t>(std::countr_zero(banks))]; i != kNone;
         i = (*this)[i].next) {
      Entry& entry = entries_[static_cast<std::size_t>(i)];
      if (entry.blocked_by != index) continue;
      entry.blocked_by = kNone;
      --blocked_;
    }
  }
}

Vault::Vault(const CubeConfig& config, std::uint32_t index, Serve serve)
    : config_(config),
      index_(index),
      serve_(std::move(serve)),
      timing_(config),
      banks_(config.banks),
      reads_(config.read_queue, config.banks),
      writes_(config.write_queue, config.banks),
      refresh_due_(first_refresh(config, index)) {
  counters_.banks.resize(config.banks);
  for (std::uint32_t bytes = 0; bytes <= config.granule_bytes; ++bytes) {
    burst_clk_.push_back(config.burst_clk(bytes));
  }
}

void Vault::arrive(const Request& request, const Location& location, std::uint64_t clk, std::uint64_t order) {
  auto at = waiting_.end();
  while (at != waiting_.begin() && (at - 1)->clk > clk) --at;
  waiting_.insert(at, {clk, order, request, location});
  wake_ = std::min(wake_, clk);
}

// Takes what has arrived into the queues, in order, while there is room.
void Vault::accept() {
  while (!waiting_.empty() && waiting_.front().clk <= now_) {
    const Arrival& arrival = waiting_.front();
    RequestQueue& own = queue(arrival.request.write);
    if (own.full()) return;
    RequestQueue& other = queue(!arrival.request.write);
    RequestQueue::Entry entry;
    entry.request = arrival.request;
    entry.row = arrival.location.row;
    entry.column = arrival.location.column;
    entry.bank = static_cast<std::uint8_t>(arrival.location.bank);
    entry.granule = arrival.request.address / config_.granule_bytes;
    entry.id = next_id_++;
    entry.arrival_clk = arrival.clk;
    entry.accepted_clk = now_;
    entry.order = arrival.order;
    entry.blocked_by = other.last_to(entry.bank, entry.granule);
    if (entry.blocked_by != RequestQueue::kNone) other.mark_blocking(entry.blocked_by);
    own.push(entry);
    waiting_.pop_front();
  }
}

// Whether rows are opened for reads or for writes. Twice says the same as once: advance() may ask again.
void Vault::choose_direction() {
  bool aged = false;
  if (now_ >= next_aged_clk_) {
    const RequestQueue::Entry* oldest = writes_.oldest();
    next_aged_clk_ = (oldest != nullptr ? oldest->accepted_clk : now_) + config_.write_age_clk;
    aged = now_ >= next_aged_clk_;
  }
  draining_ =
      aged || writes_.size() >= config_.write_high || (draining_ && writes_.size() > config_.write_low);
  const bool read_waits_for_write = reads_.ready() != reads_.size();
  writing_ = writes_.ready() != 0 && (draining_ || reads_.ready() == 0 || read_waits_for_write);
}

// The first entry behind `after` to the row that is open for it.
std::int8_t Vault::next_hit(const RequestQueue& own, std::int8_t after) {
  for (std::int8_t i = own[after].next; i != RequestQueue::kNone; i = own[i].next) {
    if (own[i].row == own[after].row && own[i].blocked_by == RequestQueue::kNone) return i;
  }
  return RequestQueue::kNone;
}

Vault::Choice Vault::choose() const {
  using enum CommandKind;
  Choice best;
  const auto offer = [&best](const Choice& choice) {
    const bool sooner = choice.clk != best.clk         ? choice.clk < best.clk
                        : choice.column != best.column ? choice.column
                                                       : choice.id < best.id;
    if (best.entry == RequestQueue::kNone || sooner) best = choice;
  };
  if (open_ != 0) {
    const std::uint64_t read = std::max(now_, timing_.earliest_in_vault(kRead));
    const std::uint64_t write = std::max(now_, timing_.earliest_in_vault(kWrite));
    for (std::uint32_t banks = open_; banks != 0; banks &= banks - 1) {
      const auto bank = static_cast<std::uint32_t>(std::countr_zero(banks));
      const Bank& state = banks_[bank];
      const std::uint64_t clk = std::max(state.of_write ? write : read,
                                         timing_.earliest_in_bank(state.of_write ? kWrite : kRead, bank));
      if (clk > best.clk) continue;
      offer({clk, (state.of_write ? writes_ : reads_)[state.next].id, true, state.of_write, state.next});
    }
  }
  if (now_ >= refresh_due_) return best;
  const RequestQueue& own = writing_ ? writes_ : reads_;
  const std::uint64_t activate = std::max(now_, timing_.earliest_in_vault(kActivate));
  if (activate > best.clk) return best;
  for (std::uint32_t banks = own.banks_in_use() & ~open_; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<std::uint32_t>(std::countr_zero(banks));
    const std::uint64_t clk = std::max(activate, timing_.earliest_in_bank(kActivate, bank));
    if (clk > best.clk) continue;
    std::int8_t entry = own.first(bank);
    while (entry != RequestQueue::kNone && own[entry].blocked_by != RequestQueue::kNone) {
      entry = own[entry].next;
    }
    if (entry != RequestQueue::kNone) offer({clk, own[entry].id, false, writing_, entry});
  }
  return best;
}

void Vault::tell(CommandKind kind, std::uint64_t clk, const RequestQueue::Entry* entry) {
  if (observers_->empty()) return;
  DramCommand command{.clk = clk, .vault = index_, .kind = kind};
  if (entry != nullptr) {
    command.bank = entry->bank;
    command.row = entry->row;
    command.address = entry->request.address;
    command.id = entry->id;
    if (kind != CommandKind::kActivate) {
      command.column = entry->column;
      command.bytes = entry->request.bytes;
    }
  }
  for (CommandObserver* observer : *observers_) observer->command(command);
}

void Vault::issue(const Choice& choice) {
  RequestQueue& own = queue(choice.write);
  // It stays what it is when it leaves the queue, until the next one comes.
  const RequestQueue::Entry& entry = own[choice.entry];
  Bank& bank = banks_[entry.bank];
  BankCounters& counters = counters_.banks[entry.bank];
  now_ = choice.clk + 1;
  if (!choice.column) {
    timing_.issue(CommandKind::kActivate, entry.bank, choice.clk);
    tell(CommandKind::kActivate, choice.clk, &entry);
    bank = {.of_write = choice.write, .hits = 0, .next = choice.entry};
    open_ |= 1u << entry.bank;
    ++counters.activates;
    return;
  }
  bank.next = next_hit(own, choice.entry);
  const bool more =
      bank.next != RequestQueue::kNone && bank.hits + 1 < config_.row_hits && choice.clk < refresh_due_;
  using enum CommandKind;
  const CommandKind kind = choice.write ? (more ? kWrite : kWriteAp) : (more ? kRead : kReadAp);
  const std::uint32_t burst = burst_clk_[entry.request.bytes];
  timing_.issue(kind, entry.bank, choice.clk, burst);
  tell(kind, choice.clk, &entry);
  if (bank.hits != 0) ++counters.row_hits;
  ++bank.hits;
  if (!more) {
    open_ &= ~(1u << entry.bank);
    ++counters.precharges;
  }
  counters.bytes += entry.request.bytes;
  ++(choice.write ? counters.writes : counters.reads);
  ++(choice.write ? counters_.writes : counters_.reads);
  (choice.write ? counters_.write_bytes : counters_.read_bytes) += entry.request.bytes;
  counters_.bus_clk += burst;
  counters_.occupancy += choice.clk - entry.arrival_clk;
  own.remove(choice.entry);
  if (entry.blocks) queue(!choice.write).unblock(choice.entry);
  const DramTiming& timing = config_.timing;
  const std::uint64_t end_clk = choice.clk + (choice.write ? timing.cwl : timing.cl) + burst;
  (choice.write ? counters_.write_latency : counters_.read_latency)
      .add((end_clk - entry.arrival_clk) * timing.tck_ps);
  serve_(entry, end_clk);
}

void Vault::refresh(std::uint64_t clk) {
  timing_.issue(CommandKind::kRefresh, 0, clk);
  tell(CommandKind::kRefresh, clk, nullptr);
  ++counters_.refreshes;
  // From when it was due, so that they do not drift.
  refresh_due_ += config_.timing.t_refi;
  now_ = std::max(now_, clk + 1);
}

// The refreshes of a vault with nothing else to do that come before `until`.
void Vault::idle_refreshes(std::uint64_t until) {
  const std::uint64_t interval = config_.timing.t_refi;
  if (observers_->empty() && until > refresh_due_ + 2 * interval) {
    // All but the last two, of which nothing is left by then.
    const std::uint64_t skipped = (until - refresh_due_) / interval - 1;
    counters_.refreshes += skipped;
    refresh_due_ += skipped * interval;
  }
  for (;;) {
    const std::uint64_t clk = std::max({refresh_due_, timing_.earliest(CommandKind::kRefresh, 0), now_});
    if (clk >= until) return;
    refresh(clk);
  }
}

void Vault::advance(std::uint64_t until, const std::vector<CommandObserver*>& observers) {
  observers_ = &observers;
  while (wake_ < until) {
    accept();
    if (reads_.size() == 0 && writes_.size() == 0) {
      const std::uint64_t next = waiting_.empty() ? until : std::min(until, waiting_.front().clk);
      idle_refreshes(next);
      if (waiting_.empty() || waiting_.front().clk >= until) {
        // Refreshes of an idle vault come with the next call.
        wake_ = waiting_.empty() ? until : std::min(until, waiting_.front().clk);
        return;
      }
      now_ = std::max(now_, waiting_.front().clk);
      continue;
    }
    choose_direction();
    const Choice choice = choose();
    std::uint64_t clk = choice.clk;
    const bool refreshes = now_ >= refresh_due_ && open_ == 0;
    if (refreshes) clk = std::max(timing_.earliest(CommandKind::kRefresh, 0), now_);
    // What comes before it may change the choice: an arrival that can be taken, or a refresh that is due.
    std::uint64_t before = clk;
    if (!waiting_.empty() && waiting_.front().clk > now_ && !queue(waiting_.front().request.write).full()) {
      before = std::min(before, waiting_.front().clk);
    }
    if (now_ < refresh_due_) before = std::min(before, refresh_due_);
    wake_ = before;
    if (before >= until) return;
    if (before < clk || (before == clk && before > now_ && before == refresh_due_)) {
      now_ = before;
    } else if (refreshes) {
      refresh(clk);
    } else {
      issue(choice);
    }
  }
}

VaultCounters Vault::counters(std::uint64_t clk) const {
  VaultCounters counters = counters_;
  if (idle() && clk > refresh_due_)
    counters.refreshes += (clk - 1 - refresh_due_) / config_.timing.t_refi + 1;
  return counters;
}

std::string Vault::describe() const {
  const RequestQueue::Entry* read = reads_.oldest();
  const RequestQueue::Entry* write = writes_.oldest();
  std::string text = fmt::format("vault {}: {} reads and {} writes queued, {} on their way to it", index_,
                                 reads_.size(), writes_.size(), waiting_.size());
  for (const RequestQueue::Entry* oldest : {read, write}) {
    if (oldest == nullptr) continue;
    text += fmt::format("; the oldest {} of {:#x} since {} ns", oldest->request.write ? "write" : "read",
                        oldest->request.address, oldest->arrival_clk * config_.timing.tck_ps / 1000);
  }
  return text;
}

}  // namespace nearcube::hmc
