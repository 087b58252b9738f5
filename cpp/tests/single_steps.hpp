// A child process that executes a call one instruction at a time, under ptrace.
#pragma once

#include <sched.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <string>

namespace test {

// Child and parent take turns: on one core neither has to be woken on another.
inline void stay_on_one_core() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
}

constexpr const char* kNoPtrace = "ptrace is not allowed here";

struct Steps {
  std::uint64_t count = 0;
  std::string fault;  // why there are no more of them; empty if the work ended
};

// Where the child ends.
__attribute__((noinline)) inline void end_of_work() { __asm__ volatile("nop" ::: "memory"); }

// Calls prepare, then steps through work. on_step gets the registers before each instruction and
// the fault, which ends the steps when it is set.
template <class OnStep>
Steps single_steps(const std::function<void()>& prepare, const std::function<void()>& work,
                   OnStep on_step) {
  const pid_t child = fork();
  if (child == 0) {
    prepare();
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(3);
    __asm__ volatile("int3" ::: "memory");
    work();
    end_of_work();
    _exit(0);
  }
  Steps steps;
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) {
    steps.fault = kNoPtrace;
    return steps;
  }
  for (;; ++steps.count) {
    user_regs_struct registers;
    ptrace(PTRACE_GETREGS, child, nullptr, &registers);
    if (registers.rip == reinterpret_cast<std::uintptr_t>(&end_of_work)) break;
    on_step(registers, &steps.fault);
    if (!steps.fault.empty()) break;
    ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr);
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) {
      steps.fault = "the child ended or had a signal";
      break;
    }
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return steps;
}

}  // namespace test
