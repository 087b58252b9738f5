// What the C++ tests share: checks that go on after a failure, reproducible random bytes, buffers.
//
// A first argument or CNGAES_TEST_SCALE gives the amount of random testing in percent, for
// emulated machines.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace test {

using Bytes = std::vector<std::uint8_t>;

inline long g_checks = 0;
inline long g_failures = 0;
inline int g_scale = 100;

inline void begin(int argc, char** argv) {
  const char* scale = argc > 1 ? argv[1] : std::getenv("CNGAES_TEST_SCALE");
  if (scale != nullptr) g_scale = std::atoi(scale);
}

// The exit code: a program that checked nothing has failed too.
inline int end() {
  std::printf("%ld checks, %ld failures\n", g_checks, g_failures);
  return g_failures == 0 && g_checks > 0 ? 0 : 1;
}

inline int rounds(int full) { return full * g_scale > 100 ? full * g_scale / 100 : 1; }

// Counts; true if the check failed and there is still room to report it.
inline bool failed(bool ok) {
  ++g_checks;
  if (ok) return false;
  if (++g_failures < 20) return true;
  if (g_failures == 20) std::fprintf(stderr, "(further failures are only counted)\n");
  return false;
}

#if defined(__MINGW32__)
// "printf" there means the one of msvcrt, which does not know %zu; libstdc++ brings the other one.
__attribute__((format(gnu_printf, 1, 2)))
#elif defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
inline void report(const char* format, ...) {
  std::va_list args;
  va_start(args, format);
  std::vfprintf(stderr, format, args);
  va_end(args);
}

inline std::string to_hex(const void* data, std::size_t len) {
  std::string text;
  for (std::size_t i = 0; i < len; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<const std::uint8_t*>(data)[i]);
    text += digits;
  }
  return text;
}

inline Bytes from_hex(const char* text) {
  Bytes bytes;
  for (; text[0] != '\0' && text[1] != '\0'; text += 2) {
    const char digits[3] = {text[0], text[1], '\0'};
    bytes.push_back(static_cast<std::uint8_t>(std::strtoul(digits, nullptr, 16)));
  }
  return bytes;
}

// SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014): the same bytes on every platform.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }
  void fill(std::uint8_t* out, std::size_t len) {
    for (std::size_t i = 0; i < len; ++i) out[i] = static_cast<std::uint8_t>(next());
  }
  Bytes bytes(std::size_t len) {
    Bytes out(len);
    fill(out.data(), len);
    return out;
  }

 private:
  std::uint64_t state_;
};

// A buffer at a chosen distance from a 64-byte boundary, with bytes around it that must stay.
class Framed {
 public:
  Framed(std::size_t len, std::size_t offset)
      : storage_(len + 64 + offset + 2 * kFrame, kFill), len_(len) {
    const auto start = reinterpret_cast<std::uintptr_t>(storage_.data()) + kFrame;
    at_ = kFrame + (64 - start % 64) % 64 + offset;
  }
  Framed(const Bytes& content, std::size_t offset) : Framed(content.size(), offset) {
    if (!content.empty()) std::memcpy(data(), content.data(), content.size());
  }

  std::uint8_t* data() { return storage_.data() + at_; }
  bool holds(const Bytes& expected) {
    return expected.size() == len_ &&
           (len_ == 0 || std::memcmp(data(), expected.data(), len_) == 0);
  }
  bool frame_intact() const {
    for (std::size_t i = 0; i < storage_.size(); ++i) {
      if ((i < at_ || i >= at_ + len_) && storage_[i] != kFill) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kFrame = 64;
  static constexpr std::uint8_t kFill = 0xa5;
  Bytes storage_;
  std::size_t len_;
  std::size_t at_ = 0;
};

}  // namespace test

#define CHECK(condition)                                                     \
  do {                                                                       \
    if (::test::failed(condition)) {                                         \
      ::test::report("%s:%d: FAILED: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                        \
  } while (false)

// CHECK with a printf text that says which case it was.
#define CHECK_CASE(condition, ...)                                           \
  do {                                                                       \
    if (::test::failed(condition)) {                                         \
      ::test::report("%s:%d: FAILED: %s [", __FILE__, __LINE__, #condition); \
      ::test::report(__VA_ARGS__);                                           \
      ::test::report("]\n");                                                 \
    }                                                                        \
  } while (false)
