// Batches and messages on several cores: what each message gives alone, on every kernel; equal
// nonces, also where someone chose them with care.
#include <ctime>
#include <map>
#include <memory>
#include <string>

#include "check.hpp"
#include "cngaes/messages.hpp"
#include "cngaes/modes.hpp"
#include "cngaes/nonces.hpp"
#include "cngaes/sha256.hpp"
#include "cngaes/split.hpp"
#include "kernel_list.hpp"

namespace {

using namespace cngaes;
using test::Bytes;
using test::Random;

// Messages side by side, as Arrow has them, with int32 offsets that start at `first`.
struct Packed {
  Bytes data;
  std::vector<std::int32_t> offsets;

  Packed(std::size_t count, std::size_t most, std::size_t first, Random& random) {
    data = random.bytes(first);
    offsets.push_back(static_cast<std::int32_t>(first));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t kind = random.below(8);
      const std::size_t len = kind == 0 ? most : random.below(kind < 6 ? 100 : most + 1);
      const Bytes message = random.bytes(len);
      data.insert(data.end(), message.begin(), message.end());
      offsets.push_back(static_cast<std::int32_t>(data.size()));
    }
  }
  // `count` of every length in turn, with an odd one behind.
  static Packed in_rows(std::size_t count, std::initializer_list<std::size_t> lengths,
                        Random& random) {
    Packed in(0, 0, 1, random);
    for (const std::size_t len : lengths) {
      for (std::size_t i = 0; i <= count; ++i) {
        const Bytes message = random.bytes(i < count ? len : random.below(70));
        in.data.insert(in.data.end(), message.begin(), message.end());
        in.offsets.push_back(static_cast<std::int32_t>(in.data.size()));
      }
    }
    return in;
  }
  std::size_t count() const { return offsets.size() - 1; }
  Offsets where() const {
    return {reinterpret_cast<const std::uint8_t*>(offsets.data()), OffsetWidth::int32};
  }
  List list() const { return List::packed(data.data(), where()); }
};

// Offsets of results that are `more` bytes longer.
std::vector<std::int64_t> longer(const List& in, std::size_t count, std::size_t more) {
  std::vector<std::int64_t> offsets = {0};
  for (std::size_t i = 0; i < count; ++i) {
    offsets.push_back(offsets.back() + static_cast<std::int64_t>(in[i].len + more));
  }
  return offsets;
}
Offsets where(const std::vector<std::int64_t>& offsets) {
  return {reinterpret_cast<const std::uint8_t*>(offsets.data()), OffsetWidth::int64};
}

void gcm(const AesChoice& kernel, std::size_t count, std::size_t tag_len, Random& random) {
  const Bytes user_key = random.bytes(32);
  AesKey aes;
  kernel.fn.expand_key(&aes, user_key.data(), user_key.size());
  GhashKey ghash;
  gcm_expand(kernel.fn, aes, &ghash);
  const GcmContext context = {kernel.fn, aes, ghash};

  const Packed in(count, 600, random.below(9), random);
  const Packed aads(count, 60, 0, random);
  const std::size_t nonce_len = random.below(3) == 0 ? 1 + random.below(40) : 12;
  const Bytes nonces = random.bytes(count * nonce_len + 1);
  const Bytes shared = random.bytes(random.below(40) + 1);
  const bool own_aads = random.below(2) == 0;
  const std::vector<std::int64_t> offsets = longer(in.list(), count, tag_len);
  test::Framed out(static_cast<std::size_t>(offsets.back()), random.below(32));
  const GcmBatch batch = {
      List::strided(nonces.data(), nonce_len, nonce_len),
      own_aads ? aads.list() : List::same_for_all({shared.data(), shared.size()}), in.list(),
      OutList::packed(out.data(), where(offsets)), tag_len};
  // In two ranges, as two cores have them, and without what another one took.
  const std::size_t middle = random.below(count + 1);
  CHECK(gcm_seal_many(context, batch, {0, middle, SIZE_MAX}).ok());
  CHECK(gcm_seal_many(context, batch, {middle, count, SIZE_MAX}).ok());
  for (std::size_t i = 0; i < count; ++i) {
    const ByteView message = batch.in[i];
    Bytes expected(message.len + tag_len);
    CHECK(gcm_seal(context, batch.message(i), expected.data(), expected.data() + message.len,
                   message.data, message.len)
              .ok());
    CHECK_CASE(std::memcmp(batch.out[i], expected.data(), expected.size()) == 0,
               "%s, message %zu of %zu, %zu bytes, nonce %zu, tag %zu", kernel.name, i, count,
               message.len, nonce_len, tag_len);
  }
  CHECK(out.frame_intact());

  // Opened: some with a flipped bit, anywhere in text or tag.
  Bytes sealed(out.data(), out.data() + offsets.back());
  std::vector<std::uint8_t> forged(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (random.below(4) != 0) continue;
    forged[i] = 1;
    const auto at = static_cast<std::size_t>(offsets[i]);
    const auto len = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
    sealed[at + random.below(len)] ^= static_cast<std::uint8_t>(1 << random.below(8));
  }
  const std::vector<std::int64_t> plain = longer(in.list(), count, 0);
  test::Framed opened(static_cast<std::size_t>(plain.back()), random.below(32));
  GcmBatch back = batch;
  back.in = List::packed(sealed.data(), where(offsets));
  back.out = OutList::packed(opened.data(), where(plain));
  std::vector<std::uint8_t> failed(count + 1);
  CHECK(gcm_open_many(context, back, {0, middle, SIZE_MAX}, failed.data()).ok());
  CHECK(gcm_open_many(context, back, {middle, count, SIZE_MAX}, failed.data()).ok());
  for (std::size_t i = 0; i < count; ++i) {
    const ByteView message = in.list()[i];
    const Bytes zeros(message.len);
    CHECK_CASE(failed[i] == forged[i], "%s, message %zu of %zu", kernel.name, i, count);
    CHECK_CASE(
        message.len == 0 || std::memcmp(back.out[i], forged[i] != 0 ? zeros.data() : message.data,
                                        message.len) == 0,
        "%s, message %zu of %zu, forged %d", kernel.name, i, count, forged[i]);
  }
  CHECK(failed[count] == 0 && opened.frame_intact());
}

// Lanes that finish at different times, rows of one length, and the ranges that another core took.
void hashes(const Sha256Choice& kernel, const Packed& in, std::size_t most, Random& random) {
  const std::size_t count = in.count();
  const Bytes key = random.bytes(random.below(100));
  for (const bool keyed : {false, true}) {
    test::Framed out(32 * count, random.below(32));
    std::memset(out.data(), 0, 32 * count);
    const HashBatch batch = {in.list(), OutList::strided(out.data(), 32)};
    const std::size_t middle = random.below(count + 1);
    const std::size_t skip_from = random.below(3) == 0 ? random.below(most + 1) : SIZE_MAX;
    for (const Range range : {Range{0, middle, skip_from}, Range{middle, count, skip_from}}) {
      if (keyed) {
        hmac_sha256_many(kernel.fn, key.data(), key.size(), batch, range);
      } else {
        sha256_many(kernel.fn, batch, range);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      const ByteView m = batch.in[i];
      std::uint8_t expected[32] = {};
      if (m.len < skip_from) {
        const Status status =
            keyed ? cpu_backend().hmac_sha256(expected, key.data(), key.size(), m.data, m.len)
                  : cpu_backend().sha256(expected, m.data, m.len);
        CHECK(status.ok());
      }
      CHECK_CASE(std::memcmp(batch.out[i], expected, 32) == 0,
                 "%s, message %zu of %zu, %zu bytes, keyed %d", kernel.name, i, count, m.len,
                 keyed);
    }
    CHECK(out.frame_intact());
  }
}

// One message in pieces on several cores, in place and not, around the borders of the pieces.
void split(Random& random) {
  const Bytes user_key = random.bytes(32);
  const Bytes iv = Bytes(16, 0xff);  // the counter wraps within the message
  for (const std::size_t len : {std::size_t{0}, std::size_t{16}, Pieces::kLeast - 16,
                                Pieces::kLeast, Pieces::kLeast + 16, std::size_t{1000000}}) {
    for (const unsigned threads : {1U, 2U, 3U, 7U}) {
      for (const bool in_place : {false, true}) {
        const Bytes data = random.bytes(len);
        for (const Mode mode : {Mode::ecb, Mode::cbc, Mode::ctr}) {
          std::unique_ptr<CipherKey> key;
          CHECK(cpu_backend().make_key(mode, user_key.data(), 32, &key).ok());
          Bytes expected(len);
          Bytes chain = iv;
          Bytes out = in_place ? data : Bytes(len);
          const std::uint8_t* const in = in_place ? out.data() : data.data();
          Status status = kOk;
          if (mode == Mode::ecb) {
            CHECK(key->ecb(Direction::decrypt, expected.data(), data.data(), len).ok());
            status = ecb_split(*key, Direction::decrypt, out.data(), in, len, threads);
          } else if (mode == Mode::cbc) {
            CHECK(
                key->cbc(Direction::decrypt, chain.data(), expected.data(), data.data(), len).ok());
            status = cbc_decrypt_split(*key, iv.data(), out.data(), in, len, threads);
          } else {
            CHECK(key->ctr(chain.data(), expected.data(), data.data(), len).ok());
            status = ctr_split(*key, iv.data(), out.data(), in, len, threads);
          }
          CHECK_CASE(status.ok() && out == expected, "mode %d, %zu bytes, %u threads, in place %d",
                     static_cast<int>(mode), len, threads, in_place);
        }
        std::unique_ptr<CipherKey> key;
        CHECK(cpu_backend().make_key(Mode::gcm, user_key.data(), 32, &key).ok());
        const GcmMessage message = {iv.data(), 12, user_key.data(), 20, 16};
        Bytes expected(len + 16);
        CHECK(
            key->gcm_seal(message, expected.data(), expected.data() + len, data.data(), len).ok());
        Bytes out = in_place ? data : Bytes(len);
        out.resize(len + 16);
        const std::uint8_t* in = in_place ? out.data() : data.data();
        CHECK(key->gcm_seal_split(message, out.data(), out.data() + len, in, len, threads).ok());
        CHECK_CASE(out == expected, "gcm, %zu bytes, %u threads", len, threads);
        for (const bool forge : {false, true}) {
          Bytes sealed = expected;
          if (forge) sealed[random.below(sealed.size())] ^= 1;
          Bytes text = in_place ? Bytes(sealed.begin(), sealed.end() - 16) : Bytes(len, 0x33);
          in = in_place ? text.data() : sealed.data();
          const Status status =
              key->gcm_open_split(message, text.data(), in, len, sealed.data() + len, threads);
          CHECK_CASE(status.code == (forge ? StatusCode::invalid_tag : StatusCode::ok) &&
                         text == (forge ? Bytes(len) : data),
                     "gcm, %zu bytes, %u threads, forged %d", len, threads, forge);
        }
      }
    }
  }
}

// ---- nonces -------------------------------------------------------------------------------------

constexpr std::size_t kNonce = 12;

EqualNonces find(const Bytes& nonces, std::size_t len) {
  const Bytes seed = Random(nonces.size()).bytes(kNonceSeedBytes);
  EqualNonces equal = {true, 1, 1};
  CHECK(find_equal_nonces(List::strided(nonces.data(), len, len), nonces.size() / len, seed.data(),
                          &equal)
            .ok());
  return equal;
}

// The pair with the lowest second index, from the definition.
EqualNonces expected_pair(const Bytes& nonces, std::size_t len) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t j = 0; j < nonces.size() / len; ++j) {
    const auto [at, is_new] = seen.emplace(test::to_hex(&nonces[j * len], len), j);
    if (!is_new) return {true, at->second, j};
  }
  return {false, 0, 0};
}

void equal_nonces(Random& random) {
  // Around every border: few are sorted, many hashed in parts, other lengths sorted.
  for (const std::size_t len : {kNonce, std::size_t{1}, std::size_t{7}, std::size_t{33}}) {
    for (const std::size_t count : {2U, 63U, 64U, 65U, 1024U, 1025U, 5000U}) {
      for (int round = 0; round < test::rounds(6); ++round) {
        Bytes nonces = random.bytes(count * len);
        const std::size_t pairs = random.below(4);
        for (std::size_t k = 0; k < pairs; ++k) {
          std::memmove(&nonces[random.below(count) * len], &nonces[random.below(count) * len], len);
        }
        const EqualNonces expected = expected_pair(nonces, len);
        const EqualNonces equal = find(nonces, len);
        CHECK_CASE(
            equal.found == expected.found && equal.second == expected.second &&
                equal.first < equal.second + (equal.found ? 0 : 1) &&
                std::memcmp(&nonces[equal.first * len], &nonces[equal.second * len], len) == 0,
            "%zu nonces of %zu bytes: %d %zu %zu, wanted %d %zu %zu", count, len, equal.found,
            equal.first, equal.second, expected.found, expected.first, expected.second);
      }
    }
  }
}

double seconds_to_find(const Bytes& nonces, EqualNonces* out) {
  const std::clock_t begun = std::clock();
  *out = find(nonces, kNonce);
  return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

// Chosen so that simple hashes collide: differing in few bits at one place, in falling order. They
// take no longer than random ones, but for noise.
void chosen_nonces(Random& random) {
  constexpr std::size_t kCount = 100000;
  EqualNonces equal = {};
  const double usual = seconds_to_find(random.bytes(kCount * kNonce), &equal);
  CHECK(!equal.found);
  for (const std::size_t at : {std::size_t{0}, std::size_t{4}}) {
    for (const int shift : {0, 16, 32, 46}) {
      Bytes nonces(kCount * kNonce);
      for (std::size_t i = 0; i < kCount; ++i) {
        const std::uint64_t value = static_cast<std::uint64_t>(kCount - i) << shift;
        std::memcpy(&nonces[i * kNonce + at], &value, 8);
      }
      const double seconds = seconds_to_find(nonces, &equal);
      CHECK_CASE(!equal.found && seconds < 10 * usual + 0.1, "shift %d: %.3f s, usual %.3f s",
                 shift, seconds, usual);
      std::memcpy(&nonces[(kCount - 1) * kNonce], &nonces[0], kNonce);
      equal = find(nonces, kNonce);
      CHECK_CASE(equal.found && equal.first == 0 && equal.second == kCount - 1, "shift %d", shift);
    }
  }
  equal = find(Bytes(kCount * kNonce), kNonce);
  CHECK(equal.found && equal.first == 0 && equal.second == 1);
}

void counters() {
  // As big-endian numbers: across every byte, and not where one goes back or stays.
  for (const std::size_t len : {kNonce, std::size_t{3}, std::size_t{16}}) {
    constexpr std::size_t kCount = 70000;
    Bytes nonces(kCount * len);
    for (std::size_t i = 0; i < kCount; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        nonces[i * len + len - 1 - k] = static_cast<std::uint8_t>(i >> (8 * k));
      }
    }
    const List list = List::strided(nonces.data(), len, len);
    CHECK(increasing_nonces(list, kCount) && increasing_nonces(list, 0));
    for (const std::size_t at :
         {std::size_t{1}, std::size_t{256}, std::size_t{65536}, kCount - 1}) {
      const Bytes before(&nonces[at * len], &nonces[at * len] + len);
      std::memcpy(&nonces[at * len], &nonces[(at - 1) * len], len);
      CHECK_CASE(!increasing_nonces(list, kCount), "%zu stays at %zu", len, at);
      std::memcpy(&nonces[at * len], before.data(), len);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  Random random(11);
  test::for_each_aes([&](const AesChoice& kernel) {
    for (const std::size_t count : {0U, 1U, 2U, 63U, 64U, 65U, 130U}) {
      for (int round = 0; round < test::rounds(4); ++round) {
        gcm(kernel, count, round % 2 == 0 ? 16 : 4 + random.below(13), random);
      }
    }
  });
  test::for_each_sha256([&](const Sha256Choice& kernel) {
    for (const std::size_t count : {0U, 1U, 2U, 3U, 15U, 16U, 17U, 33U, 100U}) {
      for (int round = 0; round < test::rounds(4); ++round) {
        const std::size_t most = round % 2 == 0 ? 300 : 9000;
        hashes(kernel, Packed(count, most, random.below(5), random), most, random);
      }
    }
    for (const std::size_t count : {14U, 15U, 16U, 17U, 31U, 32U, 47U}) {
      hashes(kernel, Packed::in_rows(count, {0, 1, 55, 56, 63, 64, 65, 120, 128, 640}, random), 640,
             random);
    }
  });
  split(random);
  stop_pool();
  equal_nonces(random);
  chosen_nonces(random);
  counters();
  return test::end();
}
