// Memory between two unmapped pages: one byte too far, read or written, ends the program.
#pragma once

#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <cstdlib>

#include "check.hpp"

namespace test {

class Guarded {
 public:
  explicit Guarded(std::size_t max_len) : page_(page_size()) {
    usable_ = (max_len + page_ - 1) / page_ * page_;
    start_ = reserve(usable_ + 2 * page_) + page_;
    read_only(false);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() { release(start_ - page_, usable_ + 2 * page_); }

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
    if (!protect(start_, usable_, on)) std::abort();
  }

 private:
#if defined(_WIN32)
  static std::size_t page_size() {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
  }
  static std::uint8_t* reserve(std::size_t len) {
    void* const all = VirtualAlloc(nullptr, len, MEM_RESERVE | MEM_COMMIT, PAGE_NOACCESS);
    if (all == nullptr) std::abort();
    return static_cast<std::uint8_t*>(all);
  }
  static bool protect(void* at, std::size_t len, bool read_only) {
    DWORD before = 0;
    return VirtualProtect(at, len, read_only ? PAGE_READONLY : PAGE_READWRITE, &before) != 0;
  }
  static void release(void* at, std::size_t) { VirtualFree(at, 0, MEM_RELEASE); }
#else
  static std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  static std::uint8_t* reserve(std::size_t len) {
    void* const all = mmap(nullptr, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) std::abort();
    return static_cast<std::uint8_t*>(all);
  }
  static bool protect(void* at, std::size_t len, bool read_only) {
    return mprotect(at, len, read_only ? PROT_READ : PROT_READ | PROT_WRITE) == 0;
  }
  static void release(void* at, std::size_t len) { munmap(at, len); }
#endif

  std::size_t page_;
  std::size_t usable_;
  std::uint8_t* start_;
};

}  // namespace test
