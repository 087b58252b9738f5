#include "cngaes/nonces.hpp"

#include <algorithm>
#include <memory>
#include <new>

#include "cngaes/bytes.hpp"

namespace cngaes {
namespace {

// Messages to a part of the hash table: entries and table stay in the first-level cache.
constexpr std::size_t kPerPart = 1024;
constexpr std::size_t kMostParts = 4096;
// The usual nonce: 12 bytes. Others are looked for by sorting.
constexpr std::size_t kHashed = 12;

template <class T>
std::unique_ptr<T[]> allocate(std::size_t n) noexcept {
  return std::unique_ptr<T[]>(new (std::nothrow) T[n]);
}

// Multilinear hashing of three 32-bit words: strongly universal (D. Lemire and O. Kaser, "Strongly
// universal string hashing is fast", 2014). Whatever the nonces are, two of them agree in 32 bits
// with probability 2**-32 over the random keys, so chains in the table stay short.
class Hash {
 public:
  explicit Hash(const std::uint8_t seed[kNonceSeedBytes]) noexcept
      : k_{load_le64(seed), load_le64(seed + 8), load_le64(seed + 16), load_le64(seed + 24)} {}

  std::uint32_t operator()(const std::uint8_t nonce[kHashed]) const noexcept {
    return static_cast<std::uint32_t>((k_[0] + k_[1] * load_le32(nonce) +
                                       k_[2] * load_le32(nonce + 4) +
                                       k_[3] * load_le32(nonce + 8)) >>
                                      32);
  }

 private:
  std::uint64_t k_[4];
};

struct Entry {
  std::uint32_t hash;
  std::uint32_t index;
};

void note_pair(std::size_t a, std::size_t b, EqualNonces* out) noexcept {
  if (a > b) std::swap(a, b);
  if (out->found && out->second <= b) return;
  *out = {true, a, b};
}

// Chains of the entries of one part, by the low bits of their hashes; 0 ends a chain.
void search_part(const List& nonces, const Entry* entries, std::size_t num, std::uint32_t* heads,
                 std::uint32_t* next, std::size_t mask, EqualNonces* out) noexcept {
  std::fill(heads, heads + mask + 1, 0U);
  for (std::size_t i = 0; i < num; ++i) {
    const Entry e = entries[i];
    std::uint32_t& head = heads[e.hash & mask];
    for (std::size_t at = head; at != 0; at = next[at - 1]) {
      const Entry other = entries[at - 1];
      if (other.hash != e.hash ||
          std::memcmp(nonces[other.index].data, nonces[e.index].data, kHashed) != 0) {
        continue;
      }
      note_pair(other.index, e.index, out);
      break;
    }
    next[i] = head;
    head = static_cast<std::uint32_t>(i + 1);
  }
}

bool fits_hash(const List& nonces, std::size_t count) noexcept {
  if (count > UINT32_MAX) return false;
  if (nonces.each_has(kHashed)) return true;
  for (std::size_t i = 0; i < count; ++i) {
    if (nonces[i].len != kHashed) return false;
  }
  return true;
}

Status search_by_hash(const List& nonces, std::size_t count, const std::uint8_t* seed,
                      EqualNonces* out) noexcept {
  std::size_t bits = 0;
  while (count >> bits > kPerPart && std::size_t{1} << bits < kMostParts) ++bits;
  const std::size_t parts = std::size_t{1} << bits;
  const auto entries = allocate<Entry>(count);
  const auto starts = allocate<std::size_t>(parts + 1);
  if (entries == nullptr || starts == nullptr) return fail(StatusCode::out_of_memory);
  const Hash hash(seed);
  const auto part_of = [bits](std::uint32_t h) {
    return static_cast<std::size_t>((std::uint64_t{h} << bits) >> 32);
  };
  // Counted, then dealt out: each part is one run of entries.
  std::fill(starts.get(), starts.get() + parts + 1, std::size_t{0});
  for (std::size_t i = 0; i < count; ++i) ++starts[part_of(hash(nonces[i].data)) + 1];
  std::size_t most = 0;
  for (std::size_t p = 0; p < parts; ++p) {
    most = std::max(most, starts[p + 1]);
    starts[p + 1] += starts[p];
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t h = hash(nonces[i].data);
    entries[starts[part_of(h)]++] = {h, static_cast<std::uint32_t>(i)};
  }
  // starts[p] is now where part p ends.
  std::size_t buckets = 1;
  while (buckets < most) buckets *= 2;
  const auto heads = allocate<std::uint32_t>(buckets);
  const auto next = allocate<std::uint32_t>(most);
  if (heads == nullptr || next == nullptr) return fail(StatusCode::out_of_memory);
  for (std::size_t p = 0, begin = 0; p < parts; begin = starts[p++]) {
    search_part(nonces, entries.get() + begin, starts[p] - begin, heads.get(), next.get(),
                buckets - 1, out);
  }
  return kOk;
}

// std::sort is O(n log n) for every input (C++11 on), so no choice of nonces makes it quadratic.
Status search_by_sorting(const List& nonces, std::size_t count, EqualNonces* out) noexcept {
  const auto order = allocate<std::size_t>(count);
  if (order == nullptr) return fail(StatusCode::out_of_memory);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  const auto compare = [&](std::size_t a, std::size_t b) {
    const ByteView x = nonces[a];
    const ByteView y = nonces[b];
    if (x.len != y.len) return x.len < y.len ? -1 : 1;
    return std::memcmp(x.data, y.data, x.len);
  };
  std::sort(order.get(), order.get() + count, [&](std::size_t a, std::size_t b) {
    const int c = compare(a, b);
    return c != 0 ? c < 0 : a < b;
  });
  for (std::size_t k = 1; k < count; ++k) {
    if (compare(order[k - 1], order[k]) == 0) note_pair(order[k - 1], order[k], out);
  }
  return kOk;
}

// The usual nonces in one buffer, in two words each.
bool increasing_96(const List& nonces, std::size_t count) noexcept {
  std::uint64_t high = swap_bytes(load_le64(nonces[0].data));
  std::uint32_t low = load_be32(nonces[0].data + 8);
  bool grows = true;
  for (std::size_t i = 1; i < count && grows; ++i) {
    const std::uint8_t* const nonce = nonces[i].data;
    const std::uint64_t next_high = swap_bytes(load_le64(nonce));
    const std::uint32_t next_low = load_be32(nonce + 8);
    grows = next_high > high || (next_high == high && next_low > low);
    high = next_high;
    low = next_low;
  }
  return grows;
}

}  // namespace

bool increasing_nonces(const List& nonces, std::size_t count) noexcept {
  if (count == 0) return true;
  if (nonces.each_has(kHashed)) return increasing_96(nonces, count);
  ByteView before = nonces[0];
  for (std::size_t i = 1; i < count; ++i) {
    const ByteView next = nonces[i];
    if (next.len != before.len || std::memcmp(before.data, next.data, next.len) >= 0) return false;
    before = next;
  }
  return true;
}

Status find_equal_nonces(const List& nonces, std::size_t count,
                         const std::uint8_t seed[kNonceSeedBytes], EqualNonces* out) noexcept {
  *out = {false, 0, 0};
  // Few are sorted faster than a table is made.
  if (count < 64 || !fits_hash(nonces, count)) return search_by_sorting(nonces, count, out);
  return search_by_hash(nonces, count, seed, out);
}

}  // namespace cngaes
