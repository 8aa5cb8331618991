// SPDX-License-Identifier: Apache-2.0
#include "sim/base/thread_pool.h"

#include <algorithm>

#include "sim/base/error.h"

namespace nearcube::base {
namespace {

// Looks at a value that is about to change, before a thread goes to sleep over it: about 10 us.
constexpr unsigned kLooks = 4000;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Returns the value when it is no longer `old`.
std::uint32_t await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (unsigned look = 0; look < kLooks; ++look) {
    const std::uint32_t now = value.load(std::memory_order_acquire);
    if (now != old) return now;
    pause();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

}  // namespace

unsigned default_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

ThreadPool::ThreadPool(unsigned threads) {
  if (threads == 0) bad_input("a simulation needs at least one host thread");
  for (unsigned i = 1; i < threads; ++i) workers_.emplace_back([this] { serve(); });
}

ThreadPool::~ThreadPool() {
  stop_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::take_part() {
  for (;;) {
    const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
    if (index >= count_) return;
    try {
      (*work_)(index);
    } catch (...) {
      errors_[index] = std::current_exception();
    }
  }
}

void ThreadPool::serve() {
  for (std::uint32_t round = 0;;) {
    // Never more than one round ahead: run() waits for everybody.
    round = await_change(round_, round);
    if (stop_) return;
    take_part();
    if (working_.fetch_sub(1, std::memory_order_acq_rel) == 1) working_.notify_one();
  }
}

void ThreadPool::run(std::size_t count, const std::function<void(std::size_t)>& work) {
  work_ = &work;
  count_ = count;
  errors_.assign(count, nullptr);
  next_.store(0, std::memory_order_relaxed);
  // A round of one is not worth waking anybody.
  const bool together = count > 1 && !workers_.empty();
  if (together) {
    working_.store(static_cast<std::uint32_t>(workers_.size()), std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  take_part();
  while (together) {
    const std::uint32_t left = working_.load(std::memory_order_acquire);
    if (left == 0) break;
    await_change(working_, left);
  }
  for (const std::exception_ptr& error : errors_) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace nearcube::base
