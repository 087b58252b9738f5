#include "cngaes/split.hpp"

#include <atomic>
#include <type_traits>

#include "cngaes/bytes.hpp"

namespace cngaes {
namespace {

constexpr std::size_t kBlock = 16;
// Less than this for each core and waking another one costs more than it does.
constexpr std::uint64_t kLeastEach = std::uint64_t{128} << 10;

// The first error of tasks that run at once.
class FirstError {
 public:
  void note(Status status) noexcept {
    if (!status.ok() && !failed_.exchange(true, std::memory_order_acq_rel)) status_ = status;
  }
  bool seen() const noexcept { return failed_.load(std::memory_order_relaxed); }
  // After the tasks.
  Status get() const noexcept { return status_; }

 private:
  std::atomic<bool> failed_{false};
  Status status_ = kOk;
};

// f(start, len) -> Status over the pieces of a message.
template <class F>
Status for_pieces(std::size_t len, unsigned threads, F f) noexcept {
  const Pieces pieces(len, threads);
  FirstError error;
  run_parallel(threads, pieces.count(), [&](std::size_t i) {
    if (!error.seen()) error.note(f(i, pieces.start(i), pieces.len(i)));
  });
  return error.get();
}

}  // namespace

unsigned threads_for(unsigned threads, std::uint64_t len) noexcept {
  const std::uint64_t useful = len / kLeastEach;
  if (useful <= 1) return 1;
  if (threads == 0) threads = usable_cores();
  return static_cast<unsigned>(std::min<std::uint64_t>({threads, kMaxThreads, useful}));
}

Status ecb_split(const CipherKey& key, Direction direction, std::uint8_t* out,
                 const std::uint8_t* in, std::size_t len, unsigned threads) noexcept {
  return for_pieces(len, threads, [&](std::size_t, std::size_t at, std::size_t n) {
    return key.ecb(direction, out + at, in + at, n);
  });
}

Status cbc_decrypt_split(const CipherKey& key, const std::uint8_t iv[16], std::uint8_t* out,
                         const std::uint8_t* in, std::size_t len, unsigned threads) noexcept {
  const Pieces pieces(len, threads);
  // Taken before anything is written: in place, each piece overwrites what the next chains on.
  std::uint8_t ivs[kBlock * Pieces::kMost];
  for (std::size_t i = 0; i < pieces.count(); ++i) {
    std::memcpy(ivs + kBlock * i, i == 0 ? iv : in + pieces.start(i) - kBlock, kBlock);
  }
  return for_pieces(len, threads, [&](std::size_t i, std::size_t at, std::size_t n) {
    return key.cbc(Direction::decrypt, ivs + kBlock * i, out + at, in + at, n);
  });
}

Status ctr_split(const CipherKey& key, const std::uint8_t counter[16], std::uint8_t* out,
                 const std::uint8_t* in, std::size_t len, unsigned threads) noexcept {
  return for_pieces(len, threads, [&](std::size_t, std::size_t at, std::size_t n) {
    std::uint8_t next[kBlock];
    std::memcpy(next, counter, kBlock);
    add_be128(next, at / kBlock);
    return key.ctr(next, out + at, in + at, n);
  });
}

// ---- batches ------------------------------------------------------------------------------------

namespace {

// What a message costs beside its bytes, in bytes: so that a million empty ones are work too.
constexpr std::uint64_t kOverhead = 64;
// A message that is shorter is never worth splitting while other messages wait.
constexpr std::uint64_t kLongMessage = std::uint64_t{1} << 20;

std::uint64_t work_of(const List& in, std::size_t begin, std::size_t end) noexcept {
  return in.total(begin, end) + kOverhead * (end - begin);
}

// Ranges of about equal work, several for each core.
class Cuts {
 public:
  Cuts(const List& in, std::size_t count, unsigned threads) noexcept
      : num_ranges_(std::min<std::size_t>(Pieces::kEach * threads, count)) {
    const std::uint64_t all = work_of(in, 0, count);
    std::uint64_t done = 0;  // work of the messages before at
    std::size_t at = 0;
    cuts_[0] = 0;
    for (std::size_t k = 1; k < num_ranges_; ++k) {
      const std::uint64_t until = all / num_ranges_ * k;
      if (in.sums_are_free()) {
        at = first_with(in, at, count, until);
      } else {
        for (; at < count && done < until; ++at) done += work_of(in, at, at + 1);
      }
      cuts_[k] = at;
    }
    cuts_[num_ranges_] = count;
  }
  std::size_t count() const noexcept { return num_ranges_; }
  Range operator[](std::size_t k) const noexcept { return {cuts_[k], cuts_[k + 1]}; }

 private:
  // The first i with that much work before it.
  static std::size_t first_with(const List& in, std::size_t low, std::size_t high,
                                std::uint64_t work) noexcept {
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (work_of(in, 0, middle) < work) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  std::size_t num_ranges_;
  std::size_t cuts_[Pieces::kMost + 1];
};

// many(Range) -> Status over all messages. one(i, threads) -> Status, if there is such a thing,
// splits one message: those that would keep one core busy when the others have nothing left come
// first.
template <class Many, class One>
Status for_batch(const List& in, std::size_t count, unsigned threads, Many many, One one) noexcept {
  constexpr bool kSplits = !std::is_same_v<One, std::nullptr_t>;
  const std::uint64_t work = threads == 1 ? 0 : work_of(in, 0, count);
  threads = threads_for(threads, work);
  if (threads == 1) return many(Range{0, count, SIZE_MAX});
  const Cuts cuts(in, count, threads);
  std::uint64_t split_from = SIZE_MAX;
  if constexpr (kSplits) {
    split_from = std::max(kLongMessage, work / (std::uint64_t{2} * threads));
    for (std::size_t k = 0; k < cuts.count(); ++k) {
      // Most ranges show by their sum that there is nothing to look for.
      if (in.total(cuts[k].begin, cuts[k].end) < split_from) continue;
      for (std::size_t i = cuts[k].begin; i < cuts[k].end; ++i) {
        if (in[i].len < split_from) continue;
        const Status status = one(i, threads);
        if (!status.ok()) return status;
      }
    }
  }
  FirstError error;
  run_parallel(threads, cuts.count(), [&](std::size_t k) {
    Range range = cuts[k];
    range.skip_from = static_cast<std::size_t>(split_from);
    if (!error.seen() && range.begin < range.end) error.note(many(range));
  });
  return error.get();
}

}  // namespace

Status gcm_seal_batch(const CipherKey& key, const GcmBatch& batch, std::size_t count,
                      unsigned threads) noexcept {
  return for_batch(
      batch.in, count, threads, [&](Range range) { return key.gcm_seal_many(batch, range); },
      [&](std::size_t i, unsigned n) {
        const ByteView in = batch.in[i];
        std::uint8_t* const out = batch.out[i];
        return key.gcm_seal_split(batch.message(i), out, out + in.len, in.data, in.len, n);
      });
}

Status gcm_open_batch(const CipherKey& key, const GcmBatch& batch, std::size_t count,
                      std::uint8_t* out_failed, unsigned threads) noexcept {
  return for_batch(
      batch.in, count, threads,
      [&](Range range) { return key.gcm_open_many(batch, range, out_failed); },
      [&](std::size_t i, unsigned n) {
        const ByteView in = batch.in[i];
        const std::size_t len = in.len - batch.tag_len;
        const Status status =
            key.gcm_open_split(batch.message(i), batch.out[i], in.data, len, in.data + len, n);
        if (status.code != StatusCode::invalid_tag) return status;
        out_failed[i] = 1;
        return kOk;
      });
}

Status cbc_encrypt_batch(const CipherKey& key, const CbcBatch& batch, std::size_t count,
                         unsigned threads) noexcept {
  return for_batch(
      batch.in, count, threads, [&](Range range) { return key.cbc_encrypt_many(batch, range); },
      nullptr);
}

Status sha256_batch(const Backend& backend, const HashBatch& batch, std::size_t count,
                    unsigned threads) noexcept {
  return for_batch(
      batch.in, count, threads, [&](Range range) { return backend.sha256_many(batch, range); },
      nullptr);
}

Status hmac_sha256_batch(const Backend& backend, ByteView key, const HashBatch& batch,
                         std::size_t count, unsigned threads) noexcept {
  return for_batch(
      batch.in, count, threads,
      [&](Range range) { return backend.hmac_sha256_many(key.data, key.len, batch, range); },
      nullptr);
}

}  // namespace cngaes
