// SHA-256 and HMAC of many messages. Neighbours of one length go through the kernel in rows, side
// by side from begin to end; of others there is a lane for each of those under way, all moved on by
// as many blocks as the shortest needs, and a lane that has finished takes the next message.
#include <algorithm>
#include <iterator>
#include <new>

#include "cngaes/bytes.hpp"
#include "cngaes/secure_memory.hpp"
#include "cngaes/sha256.hpp"

namespace cngaes {
namespace {

constexpr std::size_t kBlock = kSha256BlockBytes;
// Kernels take fewer at a time (two to sixteen) and any number; this keeps the widest of them full.
constexpr std::size_t kLanes = 16;
// Longer messages go first, the longest before the others: at the end the lanes run empty within
// the time of one that is shorter.
constexpr std::size_t kLong = 4096;
// The begin of each message of the next row is fetched while this one is hashed; kernels look ahead
// within a message.
constexpr std::size_t kAhead = 512;

void write_digest(std::uint8_t* out, const std::uint32_t state[8]) noexcept {
  for (std::size_t w = 0; w < 8; ++w) store_be32(out + 4 * w, state[w]);
}

// As many messages of one length as the kernel takes at a time. Nothing is sorted out between their
// blocks, whole blocks are hashed where they lie, and all have the same padding.
class Rows {
 public:
  // start: the state before the messages; prefix: bytes that it stands for.
  Rows(const Sha256Functions& fn, const std::uint32_t start[8], std::uint64_t prefix) noexcept
      : fn_(fn), start_(start), prefix_(prefix), size_(kLanes / fn.lanes * fn.lanes) {}
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows() {
    if (!any_) return;
    secure_wipe(states_, sizeof states_);
    secure_wipe(tails_, sizeof tails_);
  }

  std::size_t size() const noexcept { return size_; }

  // message(i) and out[i] of begin <= i < begin + size(); there are messages up to end.
  template <class Message>
  void hash(const Message& message, const OutList& out, std::size_t begin,
            std::size_t end) noexcept {
    const std::size_t len = message(begin).len;
    if (!any_ || len != len_) prepare(len);
    const std::uint8_t* data[kLanes];
    for (std::size_t i = 0; i < size_; ++i) {
      std::memcpy(states_[i], start_, sizeof states_[i]);
      data[i] = message(begin + i).data;
    }
    const std::size_t whole = len / kBlock;
    const std::size_t rest = len % kBlock;
    if (begin + 2 * size_ <= end) {
      for (std::size_t i = 0; i < size_; ++i) {
        prefetch(message(begin + size_ + i).data, std::min(len, kAhead));
      }
    }
    if (whole > 0) fn_.compress_streams(states_, data, size_, whole);
    if (is_scheduled_) {
      fn_.compress_scheduled(states_, schedule_);
    } else {
      for (std::size_t i = 0; i < size_; ++i) {
        copy_bytes(tails_[i], data[i] + kBlock * whole, rest);
        data[i] = tails_[i];
      }
      fn_.compress_streams(states_, data, size_, tail_blocks_);
    }
    for (std::size_t i = 0; i < size_; ++i) write_digest(out[begin + i], states_[i]);
  }

 private:
  // The padding (FIPS 180-4 section 5.1.1), which stays while the length does.
  void prepare(std::size_t len) noexcept {
    any_ = true;
    len_ = len;
    const std::size_t rest = len % kBlock;
    tail_blocks_ = rest < kBlock - 8 ? 1 : 2;
    is_scheduled_ = rest == 0 && fn_.compress_scheduled != nullptr && size_ == fn_.lanes;
    for (auto& tail : tails_) {
      std::memset(tail, 0, sizeof tail);
      tail[rest] = 0x80;
      store_be64(tail + kBlock * tail_blocks_ - 8, (prefix_ + len) * 8);
    }
    if (is_scheduled_) fn_.schedule(schedule_, tails_[0]);
  }

  const Sha256Functions& fn_;
  const std::uint32_t* start_;
  std::uint64_t prefix_;
  std::size_t size_;
  bool any_ = false;
  bool is_scheduled_ = false;
  std::size_t len_ = 0;
  std::size_t tail_blocks_ = 0;
  std::uint32_t states_[kLanes][8];
  std::uint32_t schedule_[64];
  std::uint8_t tails_[kLanes][2 * kBlock];
};

class Lanes {
 public:
  // start: the state before the messages; prefix: bytes that it stands for.
  Lanes(const Sha256Functions& fn, const std::uint32_t start[8], std::uint64_t prefix,
        const OutList& out) noexcept
      : fn_(fn), start_(start), prefix_(prefix), out_(out) {}
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;
  ~Lanes() {
    // Digests in the making and ends of messages.
    secure_wipe(states_, sizeof states_);
    secure_wipe(tails_, sizeof tails_);
  }

  void add(std::size_t index, ByteView message) noexcept {
    if (num_ == kLanes) advance();
    const std::size_t at = num_++;
    Lane& lane = lanes_[at];
    lane.index = index;
    const std::size_t whole = message.len / kBlock;
    const std::size_t rest = message.len % kBlock;
    // The end and its padding (FIPS 180-4 section 5.1.1); a message of a block takes it along, so
    // that it needs one step and not two.
    const std::size_t taken = whole == 1 ? 1 : 0;
    std::uint8_t* const tail = tails_[lane.tail];
    const std::size_t tail_len = kBlock * (taken + (rest < kBlock - 8 ? 1 : 2));
    if (taken == 1) std::memcpy(tail, message.data, kBlock);
    std::memset(tail + kBlock * taken, 0, tail_len - kBlock * taken);
    copy_bytes(tail + kBlock * taken, message.data + kBlock * whole, rest);
    tail[kBlock * taken + rest] = 0x80;
    store_be64(tail + tail_len - 8, (prefix_ + message.len) * 8);
    lane.tail_blocks = tail_len / kBlock;
    std::memcpy(states_[at], start_, sizeof states_[at]);
    if (whole == taken) {
      data_[at] = tail;
      left_[at] = lane.tail_blocks;
      lane.tail_blocks = 0;
    } else {
      data_[at] = message.data;
      left_[at] = whole;
    }
  }

  void finish() noexcept {
    while (num_ > 0) advance();
  }

 private:
  struct Lane {
    std::size_t index;
    std::size_t tail_blocks;  // still to come after left_
    std::size_t tail;         // its place in tails_
  };

  // Until at least one lane is free.
  void advance() noexcept {
    for (bool any_free = false; !any_free;) {
      const std::size_t n = *std::min_element(left_, left_ + num_);
      fn_.compress_streams(states_, data_, num_, n);
      for (std::size_t i = num_; i-- > 0;) {
        left_[i] -= n;
        data_[i] += kBlock * n;
        if (left_[i] > 0) continue;
        Lane& lane = lanes_[i];
        if (lane.tail_blocks > 0) {
          data_[i] = tails_[lane.tail];
          left_[i] = lane.tail_blocks;
          lane.tail_blocks = 0;
          continue;
        }
        write_digest(out_[lane.index], states_[i]);
        release(i);
        any_free = true;
      }
    }
  }

  // The last lane takes the place of a free one: kernels want them side by side.
  void release(std::size_t i) noexcept {
    --num_;
    if (i == num_) return;
    std::memcpy(states_[i], states_[num_], sizeof states_[i]);
    data_[i] = data_[num_];
    left_[i] = left_[num_];
    std::swap(lanes_[i], lanes_[num_]);
  }

  const Sha256Functions& fn_;
  const std::uint32_t* start_;
  std::uint64_t prefix_;
  const OutList& out_;
  std::size_t num_ = 0;
  std::uint32_t states_[kLanes][8];
  const std::uint8_t* data_[kLanes];
  std::size_t left_[kLanes];  // blocks at data_
  Lane lanes_[kLanes] = {{0, 0, 0},  {0, 0, 1},  {0, 0, 2},  {0, 0, 3}, {0, 0, 4},  {0, 0, 5},
                         {0, 0, 6},  {0, 0, 7},  {0, 0, 8},  {0, 0, 9}, {0, 0, 10}, {0, 0, 11},
                         {0, 0, 12}, {0, 0, 13}, {0, 0, 14}, {0, 0, 15}};
  std::uint8_t tails_[kLanes][3 * kBlock];
};

// Those of the messages of a range that are shorter than `below`.
template <class Message>
void hash_in_order(Rows& rows, Lanes& lanes, const Message& message, const OutList& out,
                   Range range, std::size_t below) noexcept {
  for (std::size_t i = range.begin; i < range.end;) {
    const std::size_t len = message(i).len;
    if (len >= below) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    const std::size_t most = std::min(range.end, i + rows.size());
    while (end < most && message(end).len == len) ++end;
    if (end == i + rows.size()) {
      rows.hash(message, out, i, range.end);
      i = end;
    } else {
      for (; i < end; ++i) lanes.add(i, message(i));
    }
  }
}

void hash_all(const Sha256Functions& fn, const std::uint32_t start[8], std::uint64_t prefix,
              const HashBatch& batch, Range range) noexcept {
  Lanes lanes(fn, start, prefix, batch.out);
  std::size_t num_long = 0;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const std::size_t len = batch.in[i].len;
    num_long += len >= kLong && len < range.skip_from ? 1 : 0;
  }
  std::size_t* const order = num_long > 0 ? new (std::nothrow) std::size_t[num_long] : nullptr;
  if (order != nullptr) {
    std::size_t* end = order;
    for (std::size_t i = range.begin; i < range.end && end != order + num_long; ++i) {
      const std::size_t len = batch.in[i].len;
      if (len >= kLong && len < range.skip_from) *end++ = i;
    }
    std::sort(order, end,
              [&](std::size_t a, std::size_t b) { return batch.in[a].len > batch.in[b].len; });
    for (const std::size_t* i = order; i != end; ++i) lanes.add(*i, batch.in[*i]);
    delete[] order;
  }
  const std::size_t below = std::min(order != nullptr ? kLong : SIZE_MAX, range.skip_from);
  Rows rows(fn, start, prefix);
  const auto message = [&](std::size_t i) { return batch.in[i]; };
  hash_in_order(rows, lanes, message, batch.out, range, below);
  lanes.finish();
}

}  // namespace

void sha256_many(const Sha256Functions& fn, const HashBatch& batch, Range range) noexcept {
  hash_all(fn, Sha256::kInitial, 0, batch, range);
}

void hmac_sha256_many(const Sha256Functions& fn, const std::uint8_t* key, std::size_t key_len,
                      const HashBatch& batch, Range range) noexcept {
  std::uint32_t inner[8];
  std::uint32_t outer[8];
  Sha256::hmac_states(fn, inner, outer, key, key_len);
  hash_all(fn, inner, kBlock, batch, range);
  // FIPS 198-1 steps 7 to 9: the digests, hashed again where they lie.
  Lanes lanes(fn, outer, kBlock, batch.out);
  Rows rows(fn, outer, kBlock);
  if (range.skip_from == SIZE_MAX) {
    const auto digest = [&](std::size_t i) { return ByteView{batch.out[i], kSha256DigestBytes}; };
    hash_in_order(rows, lanes, digest, batch.out, range, SIZE_MAX);
  } else {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (batch.in[i].len < range.skip_from) lanes.add(i, {batch.out[i], kSha256DigestBytes});
    }
  }
  lanes.finish();
  secure_wipe(inner, sizeof inner);
  secure_wipe(outer, sizeof outer);
  wipe_stack();  // as in Sha256::hmac
}

}  // namespace cngaes
