// GCM and CTR as the backend offers them, on every kernel, against the byte-by-byte reference.
#include <memory>

#include "check.hpp"
#include "cngaes/backend.hpp"
#include "cngaes/modes.hpp"
#include "kernel_list.hpp"
#include "reference.hpp"

namespace {

using namespace cngaes;
using reference::Block;
using test::Bytes;
using test::Framed;
using test::Random;

std::unique_ptr<CipherKey> make_key(Mode mode, const Bytes& user_key) {
  std::unique_ptr<CipherKey> key;
  CHECK(cpu_backend().make_key(mode, user_key.data(), user_key.size(), &key).ok());
  return key;
}

GcmMessage message_of(const Bytes& nonce, const Bytes& aad, std::size_t tag_len) {
  return {nonce.data(), nonce.size(), aad.data(), aad.size(), tag_len};
}

bool all_zero(const std::uint8_t* data, std::size_t len) {
  return Bytes(data, data + len) == Bytes(len);
}

// One message in one piece: sealed, opened, forged.
void one_shot(const CipherKey& key, const reference::Aes& aes, const Bytes& nonce, const Bytes& aad,
              const Bytes& data, Random& random) {
  const std::size_t tag_lengths[] = {4, 8, 12, 13, 14, 15, 16};
  const std::size_t tag_len = tag_lengths[random.below(7)];
  const GcmMessage message = message_of(nonce, aad, tag_len);
  const reference::Sealed expected = reference::gcm_seal(aes, nonce, aad, data);
  const Bytes expected_tag(expected.tag.begin(), expected.tag.begin() + tag_len);

  for (const bool in_place : {false, true}) {
    Framed in(data, random.below(64));
    Framed out(data, random.below(64));
    Framed tag(tag_len, 0);
    const std::uint8_t* from = in_place ? out.data() : in.data();
    CHECK(key.gcm_seal(message, out.data(), tag.data(), from, data.size()).ok());
    CHECK_CASE(out.holds(expected.ciphertext), "%s: %zu+%zu+%zu bytes, in place %d", key.kernel(),
               nonce.size(), aad.size(), data.size(), in_place);
    CHECK_CASE(tag.holds(expected_tag), "%s: tag of %zu+%zu+%zu bytes, in place %d", key.kernel(),
               nonce.size(), aad.size(), data.size(), in_place);
    CHECK(out.frame_intact() && tag.frame_intact());
    Framed opened(expected.ciphertext, random.below(64));
    from = in_place ? opened.data() : out.data();
    CHECK(key.gcm_open(message, opened.data(), from, data.size(), tag.data()).ok());
    CHECK_CASE(opened.holds(data) && opened.frame_intact(), "%s: %zu bytes opened", key.kernel(),
               data.size());
  }

  // One bit wrong in the tag, the ciphertext, the AAD or the nonce.
  for (int part = 0; part < 4; ++part) {
    Bytes bad_nonce = nonce;
    Bytes bad_aad = aad;
    Bytes bad_data = expected.ciphertext;
    Bytes bad_tag = expected_tag;
    Bytes* parts[] = {&bad_nonce, &bad_aad, &bad_data, &bad_tag};
    if (parts[part]->empty()) continue;
    (*parts[part])[random.below(parts[part]->size())] ^=
        static_cast<std::uint8_t>(1U << random.below(8));
    for (const bool in_place : {false, true}) {
      Framed out(in_place ? bad_data : Bytes(data.size(), 0x77), random.below(64));
      const Status status =
          key.gcm_open(message_of(bad_nonce, bad_aad, tag_len), out.data(),
                       in_place ? out.data() : bad_data.data(), data.size(), bad_tag.data());
      // A 4-byte tag may match by chance: 2**-32.
      CHECK_CASE(status.code == StatusCode::invalid_tag, "%s: part %d", key.kernel(), part);
      CHECK_CASE(all_zero(out.data(), data.size()), "%s: plaintext left, part %d", key.kernel(),
                 part);
      CHECK(out.frame_intact());
    }
  }
}

// The same message in pieces of any size, in place or not.
void in_pieces(const CipherKey& key, const reference::Aes& aes, const Bytes& nonce,
               const Bytes& aad, const Bytes& data, std::size_t max_piece, Random& random) {
  const reference::Sealed expected = reference::gcm_seal(aes, nonce, aad, data);
  for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
    const bool encrypt = direction == Direction::encrypt;
    const Bytes& source = encrypt ? data : expected.ciphertext;
    std::unique_ptr<GcmStream> stream;
    CHECK(key.gcm_start(direction, message_of(nonce, aad, 16), &stream).ok());
    if (stream == nullptr) return;
    Bytes out = source;
    for (std::size_t at = 0; at < source.size();) {
      const std::size_t n = std::min(random.below(max_piece + 1), source.size() - at);
      const bool in_place = random.below(2) == 0;
      CHECK(stream->update(out.data() + at, (in_place ? out : source).data() + at, n).ok());
      at += n;
    }
    Bytes tag(16);
    CHECK(stream->tag(tag.data()).ok());
    CHECK_CASE(out == (encrypt ? expected.ciphertext : data), "%s: %zu bytes by at most %zu",
               key.kernel(), data.size(), max_piece);
    CHECK_CASE(tag == Bytes(expected.tag.begin(), expected.tag.end()),
               "%s: tag of %zu bytes by at most %zu", key.kernel(), data.size(), max_piece);
  }
}

// A nonce whose J0 (SP 800-38D algorithm 4 step 2) ends with chosen 32 bits: for a 16-byte nonce
// J0 = (N*H + L)*H, so N = (J0/H + L)/H.
Bytes nonce_for(const reference::Aes& aes, const Block& j0) {
  using reference::operator^;
  const Block h = aes.encrypt(Block{});
  // 1/H = H^(2^128 - 2) = H^2 * H^4 * ... * H^(2^127).
  Block inverse{};
  inverse[0] = 0x80;
  Block square = h;
  for (int i = 1; i < 128; ++i) {
    square = reference::multiply(square, square);
    inverse = reference::multiply(inverse, square);
  }
  const Block n = reference::multiply(
      reference::multiply(j0, inverse) ^ reference::length_block(0, 16), inverse);
  return Bytes(n.begin(), n.end());
}

// The counter starts at J0 + 1 and wraps in its last 32 bits, never into the other 96.
void counter_wraps(const CipherKey& key, const reference::Aes& aes, Random& random) {
  for (std::uint32_t before = 0; before < 40; before += 1 + random.below(4)) {
    Block j0;
    random.fill(j0.data(), 16);
    for (int i = 0; i < 4; ++i) {
      j0[15 - i] = static_cast<std::uint8_t>((0xffffffffU - before) >> (8 * i));
    }
    const Bytes nonce = nonce_for(aes, j0);
    for (const std::size_t len : {std::size_t{30}, std::size_t{200}, std::size_t{1000}}) {
      const Bytes data = random.bytes(len);
      one_shot(key, aes, nonce, Bytes{}, data, random);
      in_pieces(key, aes, nonce, Bytes{}, data, 50, random);
    }
  }
}

void gcm(const Bytes& user_key, Random& random) {
  const auto key = make_key(Mode::gcm, user_key);
  if (key == nullptr) return;
  const reference::Aes aes(user_key);
  // Every length around the point where short messages end, with AAD of every kind.
  for (std::size_t len = 0; len <= 300; len += random.below(4) == 0 ? 0 : 1) {
    const Bytes nonce = random.bytes(random.below(3) != 0 ? 12 : 1 + random.below(130));
    const Bytes aad = random.bytes(random.below(3) == 0 ? 0 : random.below(280));
    one_shot(*key, aes, nonce, aad, random.bytes(len), random);
  }
  for (int round = 0; round < test::rounds(60); ++round) {
    const Bytes nonce = random.bytes(random.below(3) != 0 ? 12 : 1 + random.below(40));
    const Bytes aad = random.bytes(random.below(3) == 0 ? 0 : random.below(100));
    const std::size_t pieces[] = {1, 5, 16, 40, 300, 2000};
    in_pieces(*key, aes, nonce, aad, random.bytes(random.below(700)), pieces[random.below(6)],
              random);
  }
  one_shot(*key, aes, random.bytes(12), random.bytes(5000), random.bytes(20011), random);
  in_pieces(*key, aes, random.bytes(12), random.bytes(5000), random.bytes(20011), 3000, random);
  counter_wraps(*key, aes, random);

  // A stream without any data, and one that only got empty pieces.
  const Bytes nonce = random.bytes(12);
  const Block expected = reference::gcm_seal(aes, nonce, user_key, Bytes{}).tag;
  for (const bool empty_piece : {false, true}) {
    std::unique_ptr<GcmStream> stream;
    CHECK(key->gcm_start(Direction::encrypt, message_of(nonce, user_key, 16), &stream).ok());
    if (stream == nullptr) return;
    if (empty_piece) CHECK(stream->update(nullptr, nullptr, 0).ok());
    std::uint8_t tag[16];
    CHECK(stream->tag(tag).ok());
    CHECK(std::memcmp(tag, expected.data(), 16) == 0);
  }
}

// CTR counts in 128 bits: carries out of the last 32, 64 and 96, and around the end.
void ctr(const Bytes& user_key, Random& random) {
  const auto key = make_key(Mode::ctr, user_key);
  if (key == nullptr) return;
  const reference::Aes aes(user_key);
  for (int round = 0; round < test::rounds(300); ++round) {
    Bytes counter = random.bytes(16);
    const std::size_t carry[] = {0, 1, 4, 8, 12, 16};
    const std::size_t ones = carry[random.below(6)];
    for (std::size_t i = 16 - ones; i < 16; ++i) counter[i] = 0xff;
    if (ones > 0) counter[15] = static_cast<std::uint8_t>(0xff - random.below(40));
    const Bytes data = random.bytes(random.below(round % 8 == 0 ? 3000 : 600));
    const Block start = reference::block_at(counter, 0);
    const Bytes expected = reference::ctr(aes, start, data, 16);
    Framed out(data, random.below(64));
    Framed moved(counter, 0);
    const bool in_place = random.below(2) == 0;
    const std::uint8_t* from = in_place ? out.data() : data.data();
    CHECK(key->ctr(moved.data(), out.data(), from, data.size()).ok());
    CHECK_CASE(out.holds(expected), "%s: %zu bytes from %s", key->kernel(), data.size(),
               test::to_hex(counter.data(), 16).c_str());
    const Block after = reference::add_counter(start, (data.size() + 15) / 16, 16);
    CHECK_CASE(moved.holds(Bytes(after.begin(), after.end())), "%s: counter after %zu bytes",
               key->kernel(), data.size());
    CHECK(out.frame_intact() && moved.frame_intact());
  }
}

// SP 800-38D section 5.2.1.1: refused before anything is written.
void limits() {
  const GcmMessage small{nullptr, 12, nullptr, 0, 16};
  CHECK(gcm_check_sizes(small, kGcmMaxDataBytes).ok());
  CHECK(gcm_check_sizes(small, kGcmMaxDataBytes + 1).code == StatusCode::limit);
  CHECK(gcm_check_sizes(small, ~0ULL).code == StatusCode::limit);
  if constexpr (sizeof(std::size_t) == 8) {
    const GcmMessage large{nullptr, 12, nullptr, static_cast<std::size_t>(kGcmMaxAadBytes), 16};
    CHECK(gcm_check_sizes(large, 0).ok());
    const GcmMessage larger{nullptr, 12, nullptr, static_cast<std::size_t>(kGcmMaxAadBytes + 1),
                            16};
    CHECK(gcm_check_sizes(larger, 0).code == StatusCode::limit);
  }

  const AesChoice* kernel = nullptr;
  CHECK(choose_aes(&kernel).ok());
  if (kernel == nullptr) return;
  AesKey aes;
  GhashKey ghash;
  const std::uint8_t zeros[16] = {};
  kernel->fn.expand_key(&aes, zeros, 16);
  gcm_expand(kernel->fn, aes, &ghash);
  const GcmMessage message{zeros, 12, zeros, 0, 16};
  CpuGcmStream stream(Direction::encrypt, {kernel->fn, aes, ghash}, message);
  stream.pretend_processed(kGcmMaxDataBytes - 10);
  std::uint8_t out[16] = {};
  CHECK(stream.update(out, zeros, 11).code == StatusCode::limit);
  CHECK(all_zero(out, sizeof out));
  CHECK(stream.update(out, zeros, 10).ok());
  CHECK(stream.update(out, zeros, 1).code == StatusCode::limit);
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  for (const Kernel& kernel : compiled_kernels()) {
    if (kernel.family != Family::aes || !is_supported(kernel)) continue;
    std::string error;
    CHECK(force_kernels(std::string("aes=") + kernel.name, &error).ok());
    Random random(8);
    for (const std::size_t key_len : test::kKeyLengths) {
      const Bytes user_key = random.bytes(key_len);
      gcm(user_key, random);
      ctr(user_key, random);
    }
  }
  limits();
  return test::end();
}
