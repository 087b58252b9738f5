// The messages of a batch and where their results go, without an object for each of a million.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cngaes {

struct ByteView {
  const std::uint8_t* data;
  std::size_t len;
};

// Width of the offsets in an Arrow layout (Arrow columnar format, "Variable-size Binary Layout").
enum class OffsetWidth : std::uint8_t { int32 = 4, int64 = 8 };

// count + 1 offsets, at any address.
struct Offsets {
  const std::uint8_t* data = nullptr;
  OffsetWidth width = OffsetWidth::int64;

  std::int64_t operator[](std::size_t i) const noexcept {
    if (width == OffsetWidth::int64) {
      std::int64_t v;
      std::memcpy(&v, data + 8 * i, 8);
      return v;
    }
    std::int32_t v;
    std::memcpy(&v, data + 4 * i, 4);
    return v;
  }
};

// Messages by pointer (a Python list), at equal distances (nonces, digests, one for all) or cut out
// of one buffer by offsets.
class List {
 public:
  static List of_views(const ByteView* views) noexcept {
    return {Kind::views, views, nullptr, 0, {}};
  }
  static List strided(const std::uint8_t* data, std::size_t len, std::size_t stride) noexcept {
    return {Kind::strided, nullptr, data, len, {}, stride};
  }
  static List same_for_all(ByteView bytes) noexcept { return strided(bytes.data, bytes.len, 0); }
  static List packed(const std::uint8_t* data, Offsets offsets) noexcept {
    return {Kind::packed, nullptr, data, 0, offsets};
  }

  ByteView operator[](std::size_t i) const noexcept {
    switch (kind_) {
      case Kind::views:
        return views_[i];
      case Kind::strided:
        return {data_ + i * stride_, len_};
      case Kind::packed:
        break;
    }
    const std::int64_t start = offsets_[i];
    return {data_ + start, static_cast<std::size_t>(offsets_[i + 1] - start)};
  }
  // All have len bytes; false also if that is not known at once.
  bool each_has(std::size_t len) const noexcept { return kind_ == Kind::strided && len_ == len; }
  bool sums_are_free() const noexcept { return kind_ != Kind::views; }
  // ByteView of the messages begin <= i < end.
  std::uint64_t total(std::size_t begin, std::size_t end) const noexcept {
    if (kind_ == Kind::packed) return static_cast<std::uint64_t>(offsets_[end] - offsets_[begin]);
    if (kind_ == Kind::strided) return std::uint64_t{len_} * (end - begin);
    std::uint64_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += views_[i].len;
    return sum;
  }

 private:
  enum class Kind : std::uint8_t { views, strided, packed };
  List(Kind kind, const ByteView* views, const std::uint8_t* data, std::size_t len, Offsets offsets,
       std::size_t stride = 0) noexcept
      : kind_(kind), views_(views), data_(data), len_(len), stride_(stride), offsets_(offsets) {}

  Kind kind_;
  const ByteView* views_;
  const std::uint8_t* data_;
  std::size_t len_;
  std::size_t stride_;
  Offsets offsets_;
};

// Where the result of message i starts.
class OutList {
 public:
  static OutList of_pointers(std::uint8_t* const* pointers) noexcept {
    return {pointers, nullptr, {}, 0};
  }
  static OutList strided(std::uint8_t* data, std::size_t stride) noexcept {
    return {nullptr, data, {}, stride};
  }
  static OutList packed(std::uint8_t* data, Offsets offsets) noexcept {
    return {nullptr, data, offsets, 0};
  }

  std::uint8_t* operator[](std::size_t i) const noexcept {
    if (pointers_ != nullptr) return pointers_[i];
    if (offsets_.data != nullptr) return data_ + offsets_[i];
    return data_ + i * stride_;
  }

 private:
  OutList(std::uint8_t* const* pointers, std::uint8_t* data, Offsets offsets,
          std::size_t stride) noexcept
      : pointers_(pointers), data_(data), stride_(stride), offsets_(offsets) {}

  std::uint8_t* const* pointers_;
  std::uint8_t* data_;
  std::size_t stride_;
  Offsets offsets_;
};

}  // namespace cngaes
