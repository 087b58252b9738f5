// Single messages and contexts of ECB, CBC and CTR.
#include "cngaes/contexts.hpp"
#include "cngaes/messages.hpp"
#include "cngaes/split.hpp"
#include "input.hpp"
#include "reference_more.hpp"

namespace fuzz {
namespace {

using namespace cngaes;
using reference::Aes;
using reference::Block;

Bytes with_zeros(Bytes data, std::size_t len) {
  data.resize(len);
  return data;
}

// What must come out of ECB or CBC, padding and all.
struct Expected {
  StatusCode code = StatusCode::ok;
  Bytes out;  // without the zeros behind it
};

Expected expected_of(const Aes& aes, Mode mode, bool is_padded, bool encrypt, Block iv,
                     const Bytes& data) {
  const Bytes source = encrypt && is_padded ? reference::padded(data) : data;
  Expected e;
  e.out = mode == Mode::ecb ? reference::ecb(aes, !encrypt, source)
                            : reference::cbc(aes, !encrypt, &iv, source);
  if (!encrypt && is_padded && !reference::unpad(&e.out)) {
    e = {StatusCode::invalid_padding, {}};
  }
  return e;
}

// Content for decryption: something, or what encryption gave, perhaps with a bit flipped.
Bytes ciphertext(Input& input, const Aes& aes, Mode mode, Block iv) {
  const std::size_t kind = input.below(4);
  Bytes data = input.bytes(input.length());
  if (kind == 0) {
    data.resize(data.size() / 16 * 16);
    return data;
  }
  data = expected_of(aes, mode, true, true, iv, data).out;
  if (kind == 1) input.flip(&data);
  return data;
}

// What a block mode works on.
struct BlockCase {
  BlockCase(Input& input, Mode mode)
      : is_padded(input.flag()),
        encrypt(input.flag()),
        user_key(input.key()),
        iv(input.bytes(16)),
        aes(user_key),
        iv_block(reference::block_at(iv, 0)),
        data(encrypt ? input.bytes(input.length()) : ciphertext(input, aes, mode, iv_block)) {}
  bool is_padded;
  bool encrypt;
  Bytes user_key;
  Bytes iv;
  Aes aes;
  Block iv_block;
  Bytes data;
};

}  // namespace

void block_message(Input& input) {
  const Mode mode = input.flag() ? Mode::cbc : Mode::ecb;
  auto [is_padded, encrypt, user_key, iv, aes, iv_block, data] = BlockCase(input, mode);
  if (!is_padded) data.resize(data.size() / 16 * 16);
  const Expected expected = expected_of(aes, mode, is_padded, encrypt, iv_block, data);

  const auto key = make_key(mode, user_key);
  BlockMessage message = {*key, mode, is_padded, {}, static_cast<unsigned>(input.below(4))};
  std::memcpy(message.iv, iv.data(), 16);
  const std::size_t out_len = encrypt ? encrypted_size(is_padded, data.size()) : data.size();
  Places places(input, data, out_len);
  std::size_t len = out_len;
  const Status status =
      encrypt ? encrypt_message(message, places.out(), places.in(), data.size())
              : decrypt_message(message, places.out(), places.in(), data.size(), &len);
  REQUIRE(status.code == expected.code);
  REQUIRE(!status.ok() || len == expected.out.size());
  REQUIRE(places.holds(with_zeros(expected.out, out_len)));
}

void ctr_message(Input& input) {
  const Bytes user_key = input.key();
  // Counters near a carry are rare among random ones.
  Bytes counter = input.bytes(16);
  if (input.flag()) std::memset(&counter[input.below(16)], 0xff, 1);
  const std::size_t carried = input.below(17);
  for (std::size_t i = 0; i < carried; ++i) counter[15 - i] = 0xff;
  const std::uint64_t offset =
      input.flag() ? input.below(70) : std::uint64_t{input.below(65536)} << input.below(45);
  const Bytes data = input.bytes(input.length());

  const Aes aes(user_key);
  const Block start = reference::add_counter(reference::block_at(counter, 0), offset / 16, 16);
  const Bytes skipped(static_cast<std::size_t>(offset % 16));
  Bytes expected = reference::ctr(aes, start, reference::joined(skipped, data), 16);
  expected.erase(expected.begin(), expected.begin() + static_cast<long>(skipped.size()));

  const auto key = make_key(Mode::ctr, user_key);
  Places places(input, data, data.size());
  REQUIRE(cngaes::ctr_message(*key, counter.data(), offset, places.out(), places.in(), data.size(),
                              static_cast<unsigned>(input.below(4)))
              .ok());
  REQUIRE(places.holds(expected));
}

namespace {

// A whole message through a context, in pieces, each in place or not.
Expected run_context(Input& input, StreamContext& context, const Bytes& data) {
  Expected result;
  for (std::size_t at = 0; at < data.size();) {
    const std::size_t n = std::min(input.length(), data.size() - at);
    const Bytes piece(&data[at], &data[at] + n);
    const std::size_t out_len = context.output_size(n);
    Places places(input, piece, out_len);
    REQUIRE(context.update(places.out(), places.in(), n).ok());
    const Bytes out(places.out(), places.out() + out_len);
    REQUIRE(places.holds(out));
    result.out = reference::joined(result.out, out);
    at += n;
    if (n == 0 && input.byte() == 0) {  // empty pieces do not go on for ever
      const Bytes rest(&data[at], &data[0] + data.size());
      Places last(input, rest, context.output_size(rest.size()));
      const std::size_t last_len = context.output_size(rest.size());
      REQUIRE(context.update(last.out(), last.in(), rest.size()).ok());
      result.out = reference::joined(result.out, Bytes(last.out(), last.out() + last_len));
      break;
    }
  }
  Buffer end(16, input.byte() % 64);
  std::size_t end_len = 0;
  result.code = context.finalize(end.data(), &end_len).code;
  REQUIRE(end_len <= 16);
  result.out.insert(result.out.end(), end.data(), end.data() + end_len);
  return result;
}

}  // namespace

void block_context(Input& input) {
  auto [is_padded, encrypt, user_key, iv, aes, iv_block, data] = BlockCase(input, Mode::cbc);
  const bool cut = input.byte() % 8 == 1 && !data.empty();
  if (cut) data.pop_back();
  const auto key = make_key(Mode::cbc, user_key);
  const auto context = make_cbc_context(*key, encrypt ? Direction::encrypt : Direction::decrypt,
                                        is_padded, iv.data());
  REQUIRE(context != nullptr);
  const Expected got = run_context(input, *context, data);
  if ((!is_padded || !encrypt) && data.size() % 16 != 0) {
    REQUIRE(got.code == StatusCode::bad_argument);
    return;
  }
  const Expected expected = expected_of(aes, Mode::cbc, is_padded, encrypt, iv_block, data);
  REQUIRE(got.code == expected.code);
  if (got.code == StatusCode::ok) REQUIRE(got.out == expected.out);
}

void ctr_context(Input& input) {
  const Bytes user_key = input.key();
  const Bytes counter = input.bytes(16);
  const std::size_t offset = input.below(300);
  const Bytes data = input.bytes(input.length());
  const auto key = make_key(Mode::ctr, user_key);
  const auto context = make_ctr_context(*key, counter.data(), offset);
  REQUIRE(context != nullptr);
  const Expected got = run_context(input, *context, data);
  Bytes expected = reference::ctr(Aes(user_key), reference::block_at(counter, 0),
                                  reference::joined(Bytes(offset), data), 16);
  expected.erase(expected.begin(), expected.begin() + static_cast<long>(offset));
  REQUIRE(got.code == StatusCode::ok && got.out == expected);
}

// Long enough to be cut for several threads.
void split_message(Input& input) {
  const Bytes user_key = input.key();
  const Bytes iv = input.bytes(16);
  const auto threads = static_cast<unsigned>(1 + input.below(5));
  const std::size_t kind = input.below(5);
  const bool decrypt = input.flag();
  std::size_t len = Pieces::kLeast * input.below(3) + input.below(4096);
  if (kind < 2) len = len / 16 * 16;  // ECB and CBC
  const Bytes data = input.bytes(len);
  const Aes aes(user_key);
  Block block = reference::block_at(iv, 0);
  Places places(input, data, len);
  if (kind == 0) {
    const auto key = make_key(Mode::ecb, user_key);
    REQUIRE(ecb_split(*key, decrypt ? Direction::decrypt : Direction::encrypt, places.out(),
                      places.in(), len, threads)
                .ok());
    REQUIRE(places.holds(reference::ecb(aes, decrypt, data)));
  } else if (kind == 1) {
    const auto key = make_key(Mode::cbc, user_key);
    REQUIRE(cbc_decrypt_split(*key, iv.data(), places.out(), places.in(), len, threads).ok());
    REQUIRE(places.holds(reference::cbc(aes, true, &block, data)));
  } else if (kind == 2) {
    const auto key = make_key(Mode::ctr, user_key);
    REQUIRE(ctr_split(*key, iv.data(), places.out(), places.in(), len, threads).ok());
    REQUIRE(places.holds(reference::ctr(aes, block, data, 16)));
  } else {
    const auto key = make_key(Mode::gcm, user_key);
    const Bytes aad = input.bytes(input.length());
    const GcmMessage message = {iv.data(), 12, aad.data(), aad.size(), 16};
    const Bytes nonce(iv.begin(), iv.begin() + 12);
    // Opening is checked with the tag of sealing what must come out.
    block[12] = block[13] = block[14] = 0;
    block[15] = 2;  // J0 + 1
    const Bytes text = decrypt ? reference::ctr(aes, block, data, 4) : data;
    const reference::Sealed sealed = reference::gcm_seal(aes, nonce, aad, text);
    Bytes tag(sealed.tag.begin(), sealed.tag.end());
    if (!decrypt) {
      REQUIRE(
          key->gcm_seal_split(message, places.out(), tag.data(), places.in(), len, threads).ok());
      REQUIRE(places.holds(sealed.ciphertext) &&
              tag == Bytes(sealed.tag.begin(), sealed.tag.end()));
      return;
    }
    const bool forged = input.flag() && input.flip(&tag);
    const Status status =
        key->gcm_open_split(message, places.out(), places.in(), len, tag.data(), threads);
    REQUIRE(status.code == (forged ? StatusCode::invalid_tag : StatusCode::ok));
    REQUIRE(places.holds(forged ? Bytes(len) : text));
  }
}

}  // namespace fuzz
