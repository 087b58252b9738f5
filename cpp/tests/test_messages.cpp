// Whole messages with padding and offsets, and the same in pieces, on every kernel.
#include <memory>

#include "check.hpp"
#include "cngaes/backend.hpp"
#include "cngaes/contexts.hpp"
#include "cngaes/messages.hpp"
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

Bytes padded(Bytes data) {
  const std::size_t pad = 16 - data.size() % 16;
  data.insert(data.end(), pad, static_cast<std::uint8_t>(pad));
  return data;
}

Bytes encrypted(const reference::Aes& aes, Mode mode, Block iv, const Bytes& data) {
  return mode == Mode::cbc ? reference::cbc(aes, false, &iv, data)
                           : reference::ecb(aes, false, data);
}

void block_messages(Mode mode, const CipherKey& key, const reference::Aes& aes, Random& random) {
  for (std::size_t len = 0; len <= 150; ++len) {
    Block iv;
    random.fill(iv.data(), 16);
    const Bytes data = random.bytes(len);
    for (const bool pad : {true, false}) {
      if (!pad && len % 16 != 0) continue;
      CHECK(encrypted_size(pad, len) == (pad ? padded(data) : data).size());
      const Bytes expected = encrypted(aes, mode, iv, pad ? padded(data) : data);
      const auto message = [&] {
        BlockMessage m{key, mode, pad, {}};
        std::memcpy(m.iv, iv.data(), 16);
        return m;
      };
      for (const bool in_place : {false, true}) {
        Bytes start = data;
        start.resize(expected.size());
        Framed out(start, random.below(32));
        BlockMessage m = message();
        CHECK(encrypt_message(m, out.data(), in_place ? out.data() : data.data(), len).ok());
        CHECK_CASE(out.holds(expected) && out.frame_intact(), "%s: %zu bytes, padded %d, place %d",
                   key.kernel(), len, pad, in_place);

        Framed opened(expected, random.below(32));
        BlockMessage n = message();
        std::size_t out_len = 99;
        CHECK(decrypt_message(n, opened.data(), in_place ? opened.data() : expected.data(),
                              expected.size(), &out_len)
                  .ok());
        Bytes plain = data;
        plain.resize(expected.size());  // zeros behind the message
        CHECK_CASE(out_len == len && opened.holds(plain) && opened.frame_intact(),
                   "%s: %zu bytes, padded %d, place %d, opened %zu", key.kernel(), len, pad,
                   in_place, out_len);
      }
    }
  }
}

// Wrong padding of every kind gives one error and zeros.
void bad_padding(Mode mode, const CipherKey& key, const reference::Aes& aes, Random& random) {
  for (int round = 0; round < test::rounds(100); ++round) {
    Bytes data = random.bytes(16 * (1 + random.below(5)));
    const std::size_t pad = random.below(19);
    for (std::size_t i = 0; i < std::min<std::size_t>(pad, 16); ++i) {
      data[data.size() - 1 - i] = static_cast<std::uint8_t>(pad);
    }
    if (pad == 0) data.back() = 0;
    if (pad >= 2 && pad <= 16) data[data.size() - 1 - (1 + random.below(pad - 1))] ^= 1;
    if (pad == 1) continue;
    Block iv{};
    const Bytes ciphertext = encrypted(aes, mode, iv, data);
    Bytes out(data.size(), 0x77);
    std::size_t out_len = 0;
    BlockMessage message{key, mode, true, {}};
    const Status status =
        decrypt_message(message, out.data(), ciphertext.data(), out.size(), &out_len);
    CHECK_CASE(status.code == StatusCode::invalid_padding, "%s: padding %zu", key.kernel(), pad);
    CHECK(out == Bytes(out.size()));
    if (mode != Mode::cbc) continue;
    const auto context = make_cbc_context(key, Direction::decrypt, true, iv.data());
    CHECK(context != nullptr && context->update(out.data(), ciphertext.data(), out.size()).ok());
    std::uint8_t last[16];
    CHECK(context->finalize(last, &out_len).code == StatusCode::invalid_padding && out_len == 0);
  }
  BlockMessage empty{key, mode, true, {}};
  std::size_t out_len = 0;
  std::uint8_t nothing = 0;
  CHECK(decrypt_message(empty, &nothing, &nothing, 0, &out_len).code ==
        StatusCode::invalid_padding);
}

// Feeds a context; each piece's output is exactly output_size(), in place every other time.
Bytes in_pieces(StreamContext& context, const Bytes& data, std::size_t max_piece, Random& random,
                Status* out_status) {
  Bytes result;
  for (std::size_t at = 0; at < data.size();) {
    const std::size_t n = std::min(random.below(max_piece + 1), data.size() - at);
    const std::size_t num_out = context.output_size(n);
    const Bytes piece(data.begin() + static_cast<std::ptrdiff_t>(at),
                      data.begin() + static_cast<std::ptrdiff_t>(at + n));
    at += n;
    if (random.below(2) == 0) {
      Framed out(num_out, random.below(16));
      CHECK(context.update(out.data(), piece.data(), n).ok());
      CHECK(out.frame_intact());
      result.insert(result.end(), out.data(), out.data() + num_out);
    } else {
      Bytes start = piece;
      start.resize(std::max(n, num_out));
      Framed place(start, random.below(16));
      CHECK(context.update(place.data(), place.data(), n).ok());
      CHECK(place.frame_intact());
      // What update did not say it would write must be as it was.
      CHECK(n <= num_out ||
            std::memcmp(place.data() + num_out, piece.data() + num_out, n - num_out) == 0);
      result.insert(result.end(), place.data(), place.data() + num_out);
    }
  }
  Framed last(16, 0);
  std::size_t last_len = 99;
  *out_status = context.finalize(last.data(), &last_len);
  CHECK(last.frame_intact() && last_len <= 16);
  result.insert(result.end(), last.data(), last.data() + last_len);
  return result;
}

void cbc_contexts(const CipherKey& key, const reference::Aes& aes, Random& random) {
  const std::size_t piece_sizes[] = {1, 7, 16, 17, 40, 300, 9000, 20000};
  for (int round = 0; round < test::rounds(400); ++round) {
    const std::size_t max_piece = piece_sizes[random.below(8)];
    const bool pad = random.below(2) == 0;
    const bool large = max_piece > 1000 && random.below(4) == 0;
    std::size_t len = random.below(large ? 40000 : 400);
    if (!pad) len -= len % 16;
    const Bytes data = random.bytes(len);
    Block iv;
    random.fill(iv.data(), 16);
    const Bytes expected = encrypted(aes, Mode::cbc, iv, pad ? padded(data) : data);
    Status status;
    auto context = make_cbc_context(key, Direction::encrypt, pad, iv.data());
    CHECK(context != nullptr);
    if (context == nullptr) return;
    const Bytes sealed = in_pieces(*context, data, max_piece, random, &status);
    CHECK_CASE(status.ok() && sealed == expected, "%s: %zu bytes by at most %zu, padded %d",
               key.kernel(), len, max_piece, pad);
    context = make_cbc_context(key, Direction::decrypt, pad, iv.data());
    const Bytes opened = in_pieces(*context, expected, max_piece, random, &status);
    CHECK_CASE(status.ok() && opened == data, "%s: %zu bytes by at most %zu, padded %d, decrypted",
               key.kernel(), len, max_piece, pad);

    // Not whole blocks: an error at the end, whichever way it came in.
    if (len % 16 == 0) continue;
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      const bool padded_decrypt = direction == Direction::decrypt && random.below(2) == 0;
      context = make_cbc_context(key, direction, padded_decrypt, iv.data());
      in_pieces(*context, data, max_piece, random, &status);
      CHECK_CASE(status.code == StatusCode::bad_argument, "%zu bytes", len);
    }
  }
}

// The keystream from any byte on, whole and in pieces.
void ctr_offsets(const CipherKey& key, const reference::Aes& aes, Random& random) {
  for (int round = 0; round < test::rounds(300); ++round) {
    Block counter;
    random.fill(counter.data(), 16);
    if (random.below(3) == 0) {
      counter.fill(0xff);
      counter[15] = static_cast<std::uint8_t>(0xff - random.below(20));
    }
    // Near, and beyond what 32 bits of blocks or bytes can say.
    const std::uint64_t offset =
        random.below(3) != 0 ? random.below(400) : random.next() >> (8 + random.below(40));
    const Bytes data = random.bytes(random.below(400));
    const Block first = reference::add_counter(counter, offset / 16, 16);
    Bytes shifted(static_cast<std::size_t>(offset % 16));
    shifted.insert(shifted.end(), data.begin(), data.end());
    Bytes expected = reference::ctr(aes, first, shifted, 16);
    expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(offset % 16));

    Framed out(data, random.below(16));
    const bool in_place = random.below(2) == 0;
    CHECK(ctr_message(key, counter.data(), offset, out.data(), in_place ? out.data() : data.data(),
                      data.size())
              .ok());
    CHECK_CASE(out.holds(expected) && out.frame_intact(), "%s: %zu bytes at %llu", key.kernel(),
               data.size(), static_cast<unsigned long long>(offset));

    const auto context = make_ctr_context(key, counter.data(), offset);
    CHECK(context != nullptr);
    if (context == nullptr) return;
    Status status;
    const Bytes pieces = in_pieces(*context, data, 1 + random.below(100), random, &status);
    CHECK_CASE(status.ok() && pieces == expected, "%s: %zu bytes at %llu in pieces", key.kernel(),
               data.size(), static_cast<unsigned long long>(offset));
  }
}

// No bytes at no address.
void empty(const CipherKey& key) {
  const std::uint8_t zeros[16] = {};
  std::uint8_t last[16];
  std::size_t last_len = 0;
  CHECK(ctr_message(key, zeros, 5, nullptr, nullptr, 0).ok());
  const auto ctr = make_ctr_context(key, zeros, 5);
  CHECK(ctr != nullptr && ctr->update(nullptr, nullptr, 0).ok());
  for (const bool pad : {false, true}) {
    const auto cbc = make_cbc_context(key, Direction::encrypt, pad, zeros);
    CHECK(cbc != nullptr && cbc->output_size(0) == 0 && cbc->update(nullptr, nullptr, 0).ok());
    CHECK(cbc->finalize(last, &last_len).ok() && last_len == (pad ? 16 : 0));
    BlockMessage message{key, Mode::cbc, pad, {}};
    CHECK(encrypt_message(message, last, nullptr, 0).ok());
  }
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  for (const Kernel& kernel : compiled_kernels()) {
    if (kernel.family != Family::aes || !is_supported(kernel)) continue;
    std::string error;
    CHECK(force_kernels(std::string("aes=") + kernel.name, &error).ok());
    Random random(10);
    for (const std::size_t key_len : test::kKeyLengths) {
      const Bytes user_key = random.bytes(key_len);
      const reference::Aes aes(user_key);
      for (const Mode mode : {Mode::ecb, Mode::cbc}) {
        const auto key = make_key(mode, user_key);
        if (key == nullptr) continue;
        block_messages(mode, *key, aes, random);
        bad_padding(mode, *key, aes, random);
        if (mode == Mode::cbc) cbc_contexts(*key, aes, random);
      }
      const auto key = make_key(Mode::ctr, user_key);
      if (key == nullptr) continue;
      ctr_offsets(*key, aes, random);
      empty(*key);
    }
  }
  return test::end();
}
