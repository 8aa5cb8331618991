// SPDX-License-Identifier: Apache-2.0
// A fixed set of host threads for many short rounds of independent work.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace nearcube::base {

/// Host threads to use unless somebody asks for a number: the machine's, at least 1.
unsigned default_threads();

/// Between rounds the threads wait awake for some microseconds, then asleep.
class ThreadPool {
 public:
  /// `threads` at least 1, the caller of run() among them.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned threads() const { return static_cast<unsigned>(workers_.size()) + 1; }

  /// Calls work(0) to work(count - 1), each once, on any of the threads, and returns when all have returned.
  /// If some threw, throws what the lowest of them threw.
  void run(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  void serve();
  void take_part();

  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t count_ = 0;
  std::vector<std::exception_ptr> errors_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::uint32_t> round_ = 0;    ///< counts up to start a round
  std::atomic<std::uint32_t> working_ = 0;  ///< threads that have not finished it
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace nearcube::base
