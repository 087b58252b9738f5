#include "cngaes/pool.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "cngaes/secure_memory.hpp"

#if defined(_WIN32)
#include <process.h>
#else
#include <unistd.h>
#include <csignal>
#endif

namespace cngaes {
namespace {

long process_id() noexcept {
#if defined(_WIN32)
  return _getpid();
#else
  return getpid();
#endif
}

// The pool's threads take no signals: those are for threads that run Python.
class SignalsBlocked {
 public:
#if defined(_WIN32)
  SignalsBlocked() noexcept {}  // NOLINT(modernize-use-equals-default): or it counts as unused
#else
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
#endif
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

#if !defined(_WIN32)
 private:
  sigset_t before_{};
#endif
};

// One run_tasks. Lives on its caller's stack: the caller leaves only after the last helper has.
struct Job {
  void (*task)(void*, std::size_t);
  void* context;
  std::size_t num_tasks;
  std::atomic<std::size_t> next{0};
  // The rest is guarded by the pool's mutex.
  unsigned wanted;       // helpers that may still join
  unsigned helping = 0;  // helpers at work
  Job* following = nullptr;

  void take_tasks() noexcept {
    for (;;) {
      const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= num_tasks) return;
      task(context, i);
    }
  }
};

class Pool {
 public:
  explicit Pool(long process) noexcept : process_(process) {}

  long process() const noexcept { return process_; }

  void run(Job& job) noexcept {
    const unsigned wanted = job.wanted;
    {
      const std::lock_guard lock(mutex_);
      Job** end = &jobs_;
      while (*end != nullptr) end = &(*end)->following;
      *end = &job;
      start_threads(wanted);
    }
    if (wanted == 1) {
      work_.notify_one();
    } else {
      work_.notify_all();
    }
    job.take_tasks();
    std::unique_lock lock(mutex_);
    withdraw(job);
    left_.wait(lock, [&] { return job.helping == 0; });
  }

  void stop() noexcept {
    const std::lock_guard one_at_a_time(stop_mutex_);
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    work_.notify_all();
    // Until nothing of them runs any more. A process that ends while one of its threads is ending
    // waits for ever in mingw's C++ library: that thread is gone, and a lock that it held is not.
    for (unsigned i = 0; i < num_threads_; ++i) threads_[i].join();
    const std::lock_guard lock(mutex_);
    num_threads_ = 0;
    stopping_ = false;
  }

  unsigned num_threads() noexcept {
    const std::lock_guard lock(mutex_);
    return num_threads_;
  }

 private:
  void start_threads(unsigned wanted) noexcept {
    if (num_threads_ >= wanted || stopping_) return;
    const SignalsBlocked blocked;
    for (; num_threads_ < wanted; ++num_threads_) {
      try {
        threads_[num_threads_] = std::thread([this] { serve(); });
      } catch (const std::system_error&) {
        return;  // the caller works with what there is
      }
    }
  }

  void serve() noexcept {
    std::unique_lock lock(mutex_);
    for (;;) {
      Job* job = nullptr;
      work_.wait(lock, [&] { return stopping_ || (job = next_job()) != nullptr; });
      if (stopping_) break;
      --job->wanted;
      ++job->helping;
      lock.unlock();
      job->take_tasks();
      wipe_stack();  // kernels spilled keys and keystream here, and this thread may sleep for long
      lock.lock();
      withdraw(*job);  // no task is left in it
      if (--job->helping == 0) left_.notify_all();
    }
  }

  // The oldest job that still wants help.
  Job* next_job() const noexcept {
    for (Job* job = jobs_; job != nullptr; job = job->following) {
      if (job->wanted > 0) return job;
    }
    return nullptr;
  }

  void withdraw(const Job& job) noexcept {
    for (Job** at = &jobs_; *at != nullptr; at = &(*at)->following) {
      if (*at != &job) continue;
      *at = job.following;
      return;
    }
  }

  const long process_;
  std::mutex mutex_;
  std::condition_variable work_;  // there is a job, or stopping_
  std::condition_variable left_;  // a helper has left its job
  Job* jobs_ = nullptr;
  unsigned num_threads_ = 0;  // changes under the mutex, and not while stopping_
  bool stopping_ = false;
  std::mutex stop_mutex_;
  std::array<std::thread, kMaxThreads> threads_;
};

// Never deleted: at the end of the process threads may still look at it. A child of fork() has the
// pool's memory, in whatever state it was, but none of its threads: it makes a pool of its own and
// never touches this one, whose threads it could not join.
std::atomic<Pool*> g_pool{nullptr};

Pool* current_pool() noexcept {
  Pool* const pool = g_pool.load(std::memory_order_acquire);
  return pool != nullptr && pool->process() == process_id() ? pool : nullptr;
}

Pool* pool_for_use() noexcept {
  Pool* known = g_pool.load(std::memory_order_acquire);
  const long process = process_id();
  if (known != nullptr && known->process() == process) return known;
  auto* const made = new (std::nothrow) Pool(process);
  if (made == nullptr) return nullptr;
  if (g_pool.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return made;
  delete made;  // another thread was quicker
  return known;
}

}  // namespace

unsigned usable_cores() noexcept {
  // libstdc++, libc++ and MSVC ask for the affinity of the process.
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMaxThreads);
}

void run_tasks(unsigned threads, std::size_t num_tasks, void (*task)(void*, std::size_t),
               void* context) noexcept {
  const std::size_t most = std::min<std::size_t>(std::min(threads, kMaxThreads), num_tasks);
  Pool* const pool = most > 1 ? pool_for_use() : nullptr;
  if (pool == nullptr) {
    for (std::size_t i = 0; i < num_tasks; ++i) task(context, i);
    return;
  }
  Job job{task, context, num_tasks, {}, static_cast<unsigned>(most - 1)};
  pool->run(job);
}

void stop_pool() noexcept {
  if (Pool* const pool = current_pool(); pool != nullptr) pool->stop();
}

unsigned num_pool_threads() noexcept {
  Pool* const pool = current_pool();
  return pool != nullptr ? pool->num_threads() : 0;
}

}  // namespace cngaes
