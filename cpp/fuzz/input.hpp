// What the fuzzer's bytes mean: choices first, then content. When they run out, choices are 0 and
// content goes on with numbers made from them, so that a short input can stand for a long message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "check.hpp"
#include "cngaes/backend.hpp"
#include "cngaes/registry.hpp"

namespace fuzz {

using test::Bytes;

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t len) : data_(data), end_(data + len), more_(len) {
    for (std::size_t i = 0; i < len; ++i) seed_ = (seed_ ^ data[i]) * 0x100000001b3ULL;  // FNV-1a
    more_ = test::Random(seed_);
  }

  std::size_t byte() { return data_ < end_ ? *data_++ : 0; }
  bool flag() { return (byte() & 1) != 0; }
  std::size_t below(std::size_t limit) {
    return (limit > 256 ? byte() << 8 | byte() : byte()) % limit;
  }

  // Every short length, then those around whole blocks, then any up to 3,000.
  std::size_t length() {
    const std::size_t kind = byte();
    if (kind < 200) return kind;
    if (kind < 250) return 16 * (kind - 188) + byte() % 3 - 1;
    return below(3000);
  }
  Bytes bytes(std::size_t len) {
    Bytes out(len);
    std::size_t i = 0;
    for (; i < len && data_ < end_; ++i) out[i] = *data_++;
    for (; i < len; i += 8) {
      const std::uint64_t next = more_.next();
      std::memcpy(&out[i], &next, len - i < 8 ? len - i : 8);
    }
    return out;
  }
  Bytes key() {
    constexpr std::size_t kSizes[] = {16, 24, 32};
    return bytes(kSizes[below(3)]);
  }
  std::size_t tag_len() {
    constexpr std::size_t kSizes[] = {16, 4, 8, 12, 13, 14, 15};
    return kSizes[below(7)];
  }
  // Flips one bit of content, or of nothing.
  bool flip(Bytes* content) {
    if (content->empty()) return false;
    (*content)[below(content->size())] ^= static_cast<std::uint8_t>(1U << below(8));
    return true;
  }

 private:
  const std::uint8_t* data_;
  const std::uint8_t* end_;
  std::uint64_t seed_ = 0xcbf29ce484222325ULL;
  test::Random more_;
};

[[noreturn]] inline void wrong(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: WRONG: %s\n", file, line, what);
  std::fflush(stderr);
  std::abort();
}

#define REQUIRE(condition)                                           \
  do {                                                               \
    if (!(condition)) ::fuzz::wrong(__FILE__, __LINE__, #condition); \
  } while (false)

#if defined(__SANITIZE_ADDRESS__)
inline constexpr std::size_t kTail = 0;  // the sanitizer guards the end, against reads too
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr std::size_t kTail = 0;
#else
inline constexpr std::size_t kTail = 32;
#endif
#else
inline constexpr std::size_t kTail = 32;
#endif

// Memory of its own for one argument, at a chosen distance from a 16-byte boundary, between bytes
// that must stay as they are.
class Buffer {
 public:
  Buffer(std::size_t len, std::size_t offset)
      : all_(new std::uint8_t[offset + len + kTail]), offset_(offset), len_(len) {
    std::memset(all_.get(), kFill, offset + len + kTail);
  }
  Buffer(const Bytes& content, std::size_t offset) : Buffer(content.size(), offset) {
    if (len_ > 0) std::memcpy(data(), content.data(), len_);
  }
  std::uint8_t* data() { return all_.get() + offset_; }
  std::size_t size() const { return len_; }
  bool holds(const Bytes& expected) {
    for (std::size_t i = 0; i < offset_ + len_ + kTail; ++i) {
      if ((i < offset_ || i >= offset_ + len_) && all_[i] != kFill) return false;
    }
    return expected.size() == len_ &&
           (len_ == 0 || std::memcmp(data(), expected.data(), len_) == 0);
  }

 private:
  static constexpr std::uint8_t kFill = 0xa5;
  std::unique_ptr<std::uint8_t[]> all_;
  std::size_t offset_;
  std::size_t len_;
};

// One input and one output, of their own or the same memory.
class Places {
 public:
  Places(Input& input, const Bytes& content, std::size_t out_len)
      : in_place_(input.flag()), in_(content, input.byte() % 64), out_(out_len, input.byte() % 64) {
    if (!in_place_) return;
    // The larger of both, since padding makes an output longer.
    Buffer shared(content.size() > out_len ? content.size() : out_len, input.byte() % 64);
    if (!content.empty()) std::memcpy(shared.data(), content.data(), content.size());
    out_ = std::move(shared);
  }
  const std::uint8_t* in() { return in_place_ ? out_.data() : in_.data(); }
  std::uint8_t* out() { return out_.data(); }
  // The output is expected, and whatever lies behind it in shared memory does not count.
  bool holds(const Bytes& expected) {
    if (!in_place_) return out_.holds(expected);
    const Bytes rest(out_.data() + expected.size(), out_.data() + out_.size());
    Bytes all = expected;
    all.insert(all.end(), rest.begin(), rest.end());
    return out_.holds(all);
  }

 private:
  bool in_place_;
  Buffer in_;
  Buffer out_;
};

inline std::unique_ptr<cngaes::CipherKey> make_key(cngaes::Mode mode, const Bytes& user_key) {
  std::unique_ptr<cngaes::CipherKey> key;
  REQUIRE(cngaes::cpu_backend().make_key(mode, user_key.data(), user_key.size(), &key).ok());
  return key;
}

// One function for each kind of call; all run on the kernels that the caller forced.
void block_message(Input& input);
void ctr_message(Input& input);
void block_context(Input& input);
void ctr_context(Input& input);
void gcm_message(Input& input);
void gcm_stream(Input& input);
void gcm_batch(Input& input);
void split_message(Input& input);
void cbc_batch(Input& input);
void hash(Input& input);
void hmac(Input& input);
void hash_batch(Input& input);
void equal_nonces(Input& input);
void kernel_slots(Input& input);

}  // namespace fuzz
