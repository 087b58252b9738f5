// The pool: every task once, from many callers at once, after fork and after stop.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "check.hpp"
#include "cngaes/pool.hpp"

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#endif

namespace {

using namespace cngaes;

bool each_once(unsigned threads, std::size_t num_tasks) {
  std::vector<std::atomic<int>> ran(num_tasks);
  run_parallel(threads, num_tasks, [&](std::size_t i) { ++ran[i]; });
  for (const auto& count : ran) {
    if (count != 1) return false;
  }
  return true;
}

// Two tasks that each wait for the other prove that two threads work at once.
bool two_at_once() {
  std::atomic<int> arrived{0};
  run_parallel(2, 2, [&](std::size_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  return arrived == 2;
}

void counts() {
  CHECK(num_pool_threads() == 0);
  for (const unsigned threads : {0U, 1U}) CHECK(each_once(threads, 10));
  CHECK(each_once(8, 0));
  CHECK(each_once(8, 1));
  CHECK_CASE(num_pool_threads() == 0, "%u threads for nothing", num_pool_threads());
  CHECK(each_once(3, 2));
  CHECK_CASE(num_pool_threads() == 1, "%u threads", num_pool_threads());
  CHECK(each_once(4, 1000));
  CHECK_CASE(num_pool_threads() == 3, "%u threads", num_pool_threads());
  CHECK(each_once(kMaxThreads + 7, kMaxThreads + 50));
  CHECK(num_pool_threads() <= kMaxThreads - 1);
  CHECK(two_at_once());
  CHECK(usable_cores() >= 1 && usable_cores() <= kMaxThreads);
}

// Callers share the threads and do not wait for each other.
void many_callers(int rounds) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (unsigned c = 0; c < 6; ++c) {
    callers.emplace_back([&wrong, c, rounds] {
      for (int i = 0; i < rounds; ++i) {
        if (!each_once(2 + c % 3, 1 + (static_cast<std::size_t>(i) * 7 + c) % 30)) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(wrong == 0);
}

// What a thread does last must be over when stop_pool() returns: see Pool::stop. A key's destructor
// is later than a thread_local's, and that of a newer key is later than that of an older one.
#if __has_include(<pthread.h>)
std::atomic<int> g_at_work{0};

void slow_end(void*) {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  --g_at_work;
}

void stopped_to_the_end() {
  stop_pool();
  pthread_key_t key;
  CHECK(pthread_key_create(&key, slow_end) == 0);
  const std::thread::id own = std::this_thread::get_id();
  std::atomic<int> arrived{0};
  run_parallel(4, 4, [&](std::size_t) {
    ++arrived;
    while (arrived < 4) std::this_thread::yield();
    if (std::this_thread::get_id() == own) return;
    ++g_at_work;
    pthread_setspecific(key, &g_at_work);
  });
  CHECK(g_at_work == 3);
  stop_pool();
  CHECK_CASE(g_at_work == 0, "%d threads have not ended", g_at_work.load());
  pthread_key_delete(key);
}
#endif

void stopped_and_started() {
  for (int i = 0; i < 20; ++i) {
    CHECK(two_at_once());
    stop_pool();
    CHECK(num_pool_threads() == 0);
    stop_pool();
  }
  // While others call it.
  std::atomic<bool> go_on{true};
  std::atomic<int> wrong{0};
  std::thread caller([&] {
    while (go_on) wrong += each_once(3, 20) ? 0 : 1;
  });
  for (int i = 0; i < 50; ++i) stop_pool();
  go_on = false;
  caller.join();
  CHECK(wrong == 0);
}

#if !defined(_WIN32)
// In the child the parent's threads do not exist: it must neither wait for them nor end them.
void forked(bool busy) {
  CHECK(two_at_once());
  std::atomic<bool> go_on{busy};
  std::thread caller([&] {
    while (go_on) each_once(3, 20);
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // hanging is failing
      bool ok = num_pool_threads() == 0;
      stop_pool();
      ok = ok && two_at_once() && num_pool_threads() == 1;
      stop_pool();
      _exit(ok && num_pool_threads() == 0 ? 0 : 1);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_CASE(status == 0, "child %d, busy %d: status %d", i, busy, status);
  }
  go_on = false;
  caller.join();
  CHECK(two_at_once());
}

// Signals reach the threads of the program, not those of the pool.
void signals() {
  std::atomic<int> blocked{0};
  std::atomic<int> arrived{0};
  const std::thread::id own = std::this_thread::get_id();
  run_parallel(2, 2, [&](std::size_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    const bool is_blocked = sigismember(&mask, SIGINT) == 1;
    if (is_blocked != (std::this_thread::get_id() == own)) ++blocked;
  });
  CHECK(blocked == 2);
}
#endif

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  counts();
  many_callers(test::rounds(400));
#if __has_include(<pthread.h>)
  stopped_to_the_end();
#endif
  stopped_and_started();
#if !defined(_WIN32) && !defined(__SANITIZE_THREAD__)
  // ThreadSanitizer cannot follow threads made in a child of a threaded process.
  // qemu-user does not get over the fork of a process that has threads: the child waits for ever.
  if (std::getenv("CNGAES_TEST_NO_FORK") == nullptr) {
    forked(false);
    forked(true);
  }
#endif
#if !defined(_WIN32)
  signals();
#endif
  return test::end();
}
