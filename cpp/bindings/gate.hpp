// Who may use an object when. Both work with and without the GIL; on a build that has it, a call
// that keeps it needs no more than a look at a flag.
#pragma once

#include <atomic>

#include "python.hpp"

namespace cngaes::python {

// Calls on a key run in parallel; close() shuts the gate and waits until the last one has left.
class CallGate {
 public:
  bool is_closed() const noexcept {
    return (state_.load(std::memory_order_acquire) & kClosed) != 0;
  }

  // False when closed. Each true is followed by one leave().
  bool enter() noexcept {
    if ((state_.fetch_add(1, std::memory_order_acquire) & kClosed) == 0) return true;
    leave();
    return false;
  }
  void leave() noexcept {
    if (state_.fetch_sub(1, std::memory_order_release) == (kClosed | 1)) state_.notify_all();
  }

  // Call without the GIL: running calls need it to finish.
  void close_and_wait() noexcept {
    std::uint32_t state = state_.fetch_or(kClosed, std::memory_order_acq_rel) | kClosed;
    while (state != kClosed) {
      state_.wait(state, std::memory_order_acquire);
      state = state_.load(std::memory_order_acquire);
    }
  }
  bool has_calls() const noexcept {
    return (state_.load(std::memory_order_acquire) & ~kClosed) != 0;
  }
  void close_unused() noexcept { state_.fetch_or(kClosed, std::memory_order_acq_rel); }

 private:
  static constexpr std::uint32_t kClosed = 1U << 31;
  std::atomic<std::uint32_t> state_{0};
};

// Holds a CallGate open for one call. With the GIL kept throughout, nobody else can run and the
// flag alone decides; otherwise the call is counted.
class CallScope {
 public:
  CallScope(CallGate& gate, [[maybe_unused]] std::size_t len) noexcept : gate_(gate) {
#ifndef Py_GIL_DISABLED
    if (len < kReleaseGilFrom) {
      open_ = !gate.is_closed();
      return;
    }
#endif
    open_ = counted_ = gate.enter();
  }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  ~CallScope() {
    if (counted_) gate_.leave();
  }
  bool is_open() const noexcept { return open_; }

 private:
  CallGate& gate_;
  bool open_ = false;
  bool counted_ = false;
};

// Calls on a context take turns. Who must wait gives up the GIL meanwhile.
class Turn {
 public:
  void lock() noexcept {
    std::uint32_t free = kFree;
    if (state_.compare_exchange_strong(free, kTaken, std::memory_order_acquire)) return;
    PyThreadState* const state = PyEval_SaveThread();
    while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree) {
      state_.wait(kAwaited, std::memory_order_relaxed);
    }
    PyEval_RestoreThread(state);
  }
  void unlock() noexcept {
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) state_.notify_one();
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kTaken = 1;
  static constexpr std::uint32_t kAwaited = 2;
  std::atomic<std::uint32_t> state_{kFree};
};

class TurnScope {
 public:
  explicit TurnScope(Turn& turn) noexcept : turn_(turn) { turn_.lock(); }
  TurnScope(const TurnScope&) = delete;
  TurnScope& operator=(const TurnScope&) = delete;
  ~TurnScope() { turn_.unlock(); }

 private:
  Turn& turn_;
};

}  // namespace cngaes::python
