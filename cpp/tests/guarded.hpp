// Memory between two unmapped pages (POSIX): one byte too far, read or written, ends the program.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "check.hpp"

namespace test {

class Guarded {
 public:
  explicit Guarded(std::size_t max_len) {
    page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    usable_ = (max_len + page_ - 1) / page_ * page_;
    void* all = mmap(nullptr, usable_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) std::abort();
    start_ = static_cast<std::uint8_t*>(all) + page_;
    if (mprotect(start_, usable_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() { munmap(start_ - page_, usable_ + 2 * page_); }

  // len bytes whose last one, or first one, touches an unmapped page.
  std::uint8_t* at_end(std::size_t len) { return start_ + usable_ - len; }
  std::uint8_t* at_start() { return start_; }
  std::uint8_t* at(bool end, std::size_t len) { return end ? at_end(len) : at_start(); }

  // The same with content.
  std::uint8_t* put(bool end, const void* data, std::size_t len) {
    std::uint8_t* to = at(end, len);
    if (len > 0) std::memcpy(to, data, len);
    return to;
  }

  // From now on any write is fatal; false lifts it.
  void read_only(bool on) {
    if (mprotect(start_, usable_, on ? PROT_READ : PROT_READ | PROT_WRITE) != 0) std::abort();
  }

 private:
  std::size_t page_;
  std::size_t usable_;
  std::uint8_t* start_;
};

}  // namespace test
