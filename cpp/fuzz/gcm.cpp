// GCM in one piece and in many.
#include "input.hpp"
#include "reference_more.hpp"

namespace fuzz {
namespace {

using namespace cngaes;
using reference::Aes;

struct Message {
  Bytes nonce;
  Bytes aad;
  Bytes data;
  std::size_t tag_len;

  explicit Message(Input& input) {
    const std::size_t nonce_len = input.byte();
    nonce = input.bytes(nonce_len < 192 ? 12 : nonce_len - 191);
    aad = input.bytes(input.length());
    data = input.bytes(input.length());
    tag_len = input.tag_len();
  }
};

GcmMessage message_of(Buffer& nonce, Buffer& aad, std::size_t tag_len) {
  return {nonce.data(), nonce.size(), aad.data(), aad.size(), tag_len};
}

bool same_tag(const reference::Sealed& sealed, const Bytes& tag) {
  return std::memcmp(sealed.tag.data(), tag.data(), tag.size()) == 0;
}

}  // namespace

void gcm_message(Input& input) {
  const Bytes user_key = input.key();
  Message m(input);
  const Aes aes(user_key);
  const reference::Sealed sealed = reference::gcm_seal(aes, m.nonce, m.aad, m.data);
  const auto key = make_key(Mode::gcm, user_key);
  {
    Buffer nonce(m.nonce, input.byte() % 64);
    Buffer aad(m.aad, input.byte() % 64);
    Buffer tag(m.tag_len, input.byte() % 64);
    Places places(input, m.data, m.data.size());
    REQUIRE(key->gcm_seal(message_of(nonce, aad, m.tag_len), places.out(), tag.data(), places.in(),
                          m.data.size())
                .ok());
    REQUIRE(places.holds(sealed.ciphertext));
    REQUIRE(
        tag.holds(Bytes(sealed.tag.begin(), sealed.tag.begin() + static_cast<long>(m.tag_len))));
  }
  // Opened, one part perhaps changed.
  Bytes text = sealed.ciphertext;
  Bytes tag_bytes(sealed.tag.begin(), sealed.tag.begin() + static_cast<long>(m.tag_len));
  Bytes* const parts[] = {nullptr, &m.nonce, &m.aad, &text, &tag_bytes};
  Bytes* const part = parts[input.below(5)];
  if (part != nullptr) input.flip(part);
  // A short tag may fit by chance: the reference knows.
  Bytes opened = reference::gcm_seal(aes, m.nonce, {}, Bytes(text.size())).ciphertext;
  for (std::size_t i = 0; i < text.size(); ++i) opened[i] ^= text[i];
  const bool good = same_tag(reference::gcm_seal(aes, m.nonce, m.aad, opened), tag_bytes);
  Buffer nonce(m.nonce, input.byte() % 64);
  Buffer aad(m.aad, input.byte() % 64);
  Buffer tag(tag_bytes, input.byte() % 64);
  Places places(input, text, text.size());
  const Status status = key->gcm_open(message_of(nonce, aad, m.tag_len), places.out(), places.in(),
                                      text.size(), tag.data());
  REQUIRE(status.code == (good ? StatusCode::ok : StatusCode::invalid_tag));
  REQUIRE(places.holds(good ? opened : Bytes(text.size())));
}

void gcm_stream(Input& input) {
  const Bytes user_key = input.key();
  const Message m(input);
  const bool encrypt = input.flag();
  const reference::Sealed sealed = reference::gcm_seal(Aes(user_key), m.nonce, m.aad, m.data);
  const auto key = make_key(Mode::gcm, user_key);
  Buffer nonce(m.nonce, 0);
  Buffer aad(m.aad, 0);
  std::unique_ptr<GcmStream> stream;
  REQUIRE(key->gcm_start(encrypt ? Direction::encrypt : Direction::decrypt,
                         message_of(nonce, aad, 16), &stream)
              .ok());
  const Bytes& source = encrypt ? m.data : sealed.ciphertext;
  Bytes out;
  std::size_t empty = 0;
  while (out.size() < source.size()) {
    std::size_t n = std::min(input.length(), source.size() - out.size());
    if (n == 0 && ++empty > 3) n = source.size() - out.size();
    const Bytes piece(&source[out.size()], &source[0] + out.size() + n);
    Places places(input, piece, n);
    REQUIRE(stream->update(places.out(), places.in(), n).ok());
    const Bytes got(places.out(), places.out() + n);
    REQUIRE(places.holds(got));
    out = reference::joined(out, got);
  }
  REQUIRE(out == (encrypt ? sealed.ciphertext : m.data));
  std::uint8_t tag[16];
  REQUIRE(stream->tag(tag).ok());
  REQUIRE(std::memcmp(tag, sealed.tag.data(), 16) == 0);
}

void kernel_slots(Input& input) {
  const AesChoice* choice = nullptr;
  REQUIRE(choose_aes(&choice).ok());
  const AesFunctions& fn = choice->fn;
  const Bytes user_key = input.key();
  const Aes aes(user_key);
  AesKey key;
  fn.expand_key(&key, user_key.data(), user_key.size());
  REQUIRE(key.rounds == aes.rounds());
  REQUIRE(std::memcmp(key.enc, aes.round_keys().data(), aes.round_keys().size()) == 0);
  for (std::size_t i = 0; i <= aes.rounds(); ++i) {
    reference::Block round_key = reference::block_at(aes.round_keys(), aes.rounds() - i);
    if (i > 0 && i < aes.rounds()) round_key = Aes::mix(round_key, reference::kTables.unmix);
    REQUIRE(std::memcmp(key.dec + 16 * i, round_key.data(), 16) == 0);
  }
  const reference::Block x = reference::block_at(input.bytes(16), 0);
  const reference::Block h = reference::block_at(input.bytes(16), 0);
  reference::Block y = x;
  fn.ghash_multiply(y.data(), h.data());
  REQUIRE(y == reference::multiply(x, h));
  GhashKey ghash_key;
  fn.ghash_init(&ghash_key, h.data());
  Bytes data = input.bytes(input.length());
  data.resize(data.size() / 16 * 16);
  y = x;
  Buffer placed(data, input.byte() % 64);
  fn.ghash(&ghash_key, y.data(), placed.data(), data.size() / 16);
  REQUIRE(y == reference::ghash(h, x, data));
  const std::uint64_t aad_bits = input.below(65536);
  y = x;
  fn.ghash_finish(&ghash_key, y.data(), placed.data(), data.size() / 16, 8 * aad_bits,
                  8 * data.size());
  const reference::Block lengths = reference::length_block(aad_bits, data.size());
  using reference::operator^;
  REQUIRE(y == reference::multiply(reference::ghash(h, x, data) ^ lengths, h));
}

}  // namespace fuzz
