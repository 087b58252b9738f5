// Work spread over the cores inside one call. The threads are started at the first use, shared by
// all callers of the process, and sleep in between; a forked child starts its own.
#pragma once

#include <cstddef>
#include <type_traits>

namespace cngaes {

// More than this many threads are never used for one call.
inline constexpr unsigned kMaxThreads = 256;

// Cores that this process may run on (its affinity), at least 1.
unsigned usable_cores() noexcept;

// Calls task(context, i) once for every i below num_tasks, in any order, from the calling thread
// and up to threads - 1 others, and returns when all calls have. Tasks are taken one by one, so
// they may differ in size. Needs no thread to succeed: what cannot be started does not help. A task
// must not throw, and must not call run_tasks.
void run_tasks(unsigned threads, std::size_t num_tasks, void (*task)(void* context, std::size_t i),
               void* context) noexcept;

// The same for a callable task(i).
template <class Task>
void run_parallel(unsigned threads, std::size_t num_tasks, Task&& task) noexcept {
  using T = std::remove_reference_t<Task>;
  run_tasks(
      threads, num_tasks, [](void* context, std::size_t i) { (*static_cast<T*>(context))(i); },
      const_cast<void*>(static_cast<const void*>(&task)));
}

// Ends the threads and waits for them; the next run_tasks starts new ones. Calls under way finish
// without help. For the end of the process: on Windows not from a DLL's own clean-up, which holds
// the loader's lock.
void stop_pool() noexcept;

// Threads that wait for work or do it now.
unsigned num_pool_threads() noexcept;

}  // namespace cngaes
