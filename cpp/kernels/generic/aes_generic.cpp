// The portable AES kernel: constant time by bitslicing (aes_bitslice.h), for any byte order and
// word size.
#include <string.h>

#include "aes_bitslice.h"
#include "aes_sbox.h"
#include "cngaes/kernel_wipe.h"
#include "cngaes/kernels.h"
#include "ghash_generic.h"

namespace cngaes {
namespace {

using aes_bitslice::crypt_batch;
using aes_bitslice::kBatchBytes;
using aes_bitslice::load_keys;
using aes_bitslice::load_le32;
using aes_bitslice::store_le32;
using aes_bitslice::Workspace;

inline size_t batch_bytes(size_t num_blocks) {
  return num_blocks < aes_bitslice::kBlocks ? num_blocks * kAesBlockBytes : kBatchBytes;
}

inline void xor_bytes(uint8_t* out, const uint8_t* a, const uint8_t* b, size_t len) {
  for (size_t i = 0; i < len; i++) {
    out[i] = static_cast<uint8_t>(a[i] ^ b[i]);
  }
}

// ---- Key expansion -----------------------------------------------------------------------------

// SubWord of FIPS 197 section 5.2: each word of q holds one bit of the four bytes.
uint32_t sub_word(uint32_t x) {
  uint32_t q[8];
  for (int j = 0; j < 8; j++) {
    q[j] = x >> j & 0x01010101;
  }
  aes_sbox::sbox(q);
  x = 0;
  for (int j = 0; j < 8; j++) {
    x |= q[j] << j;
  }
  return x ^ 0x01010101 * aes_sbox::kConstant;
}

// {02} * each of the four bytes.
inline uint32_t double_bytes(uint32_t x) {
  return (x & 0x7f7f7f7f) << 1 ^ (x >> 7 & 0x01010101) * 0x1b;
}

inline uint32_t rotate_right(uint32_t x, int n) { return x >> n | x << (32 - n); }

// One column, row 0 in the low byte: MixColumns after a0 += 4 * (a0 + a2), as in aes_bitslice.h.
uint32_t inverse_mix_column(uint32_t x) {
  x ^= double_bytes(double_bytes(x ^ rotate_right(x, 16)));
  const uint32_t below = rotate_right(x, 8);
  const uint32_t sum = x ^ below;
  return double_bytes(sum) ^ below ^ rotate_right(sum, 16);
}

void expand_key(AesKey* key, const uint8_t* user_key, size_t user_key_len) {
  const size_t key_words = user_key_len / 4;
  const size_t num_words = 4 * (key_words + 7);
  key->rounds = static_cast<uint32_t>(key_words + 6);
  memcpy(key->enc, user_key, user_key_len);
  uint32_t round_constant = 1;
  uint32_t word = load_le32(user_key + user_key_len - 4);
  for (size_t i = key_words; i < num_words; i++) {
    if (i % key_words == 0) {
      word = sub_word(rotate_right(word, 8)) ^ round_constant;
      round_constant = double_bytes(round_constant);
    } else if (key_words > 6 && i % key_words == 4) {
      word = sub_word(word);
    }
    word ^= load_le32(key->enc + 4 * (i - key_words));
    store_le32(key->enc + 4 * i, word);
  }

  for (uint32_t round = 0; round <= key->rounds; round++) {
    const uint8_t* from = key->enc + (key->rounds - round) * kAesBlockBytes;
    uint8_t* to = key->dec + round * kAesBlockBytes;
    if (round == 0 || round == key->rounds) {
      memcpy(to, from, kAesBlockBytes);
      continue;
    }
    for (int column = 0; column < 4; column++) {
      store_le32(to + 4 * column, inverse_mix_column(load_le32(from + 4 * column)));
    }
  }
}

// ---- ECB and CBC -------------------------------------------------------------------------------

template <bool kDecrypt>
void ecb(const AesKey* key, uint8_t* out, const uint8_t* in, size_t num_blocks) {
  Workspace ws;
  load_keys<kDecrypt>(&ws, key);
  while (num_blocks > 0) {
    const size_t len = batch_bytes(num_blocks);
    memcpy(ws.blocks, in, len);
    crypt_batch<kDecrypt>(&ws, key->rounds);
    memcpy(out, ws.blocks, len);
    in += len;
    out += len;
    num_blocks -= len / kAesBlockBytes;
  }
  kernel_wipe(&ws, sizeof(ws));
}

// Four chains fill a batch; whoever ends makes room for the next.
void cbc_encrypt_streams(const AesKey* key, CbcStream* streams, size_t num_streams) {
  Workspace ws;
  load_keys<false>(&ws, key);
  CbcStream* lanes[aes_bitslice::kBlocks] = {};
  size_t done[aes_bitslice::kBlocks] = {};
  CbcStream* const end = streams + num_streams;
  for (;;) {
    bool any = false;
    for (size_t i = 0; i < aes_bitslice::kBlocks; i++) {
      if (lanes[i] == nullptr || done[i] == lanes[i]->num_blocks) {
        while (streams != end && streams->num_blocks == 0) {
          streams++;
        }
        lanes[i] = streams != end ? streams++ : nullptr;
        done[i] = 0;
      }
      if (lanes[i] != nullptr) {
        any = true;
        xor_bytes(ws.blocks + i * kAesBlockBytes, lanes[i]->iv,
                  lanes[i]->in + done[i] * kAesBlockBytes, kAesBlockBytes);
      }
    }
    if (!any) {
      break;
    }
    crypt_batch<false>(&ws, key->rounds);
    for (size_t i = 0; i < aes_bitslice::kBlocks; i++) {
      if (lanes[i] != nullptr) {
        memcpy(lanes[i]->iv, ws.blocks + i * kAesBlockBytes, kAesBlockBytes);
        memcpy(lanes[i]->out + done[i] * kAesBlockBytes, lanes[i]->iv, kAesBlockBytes);
        done[i]++;
      }
    }
  }
  kernel_wipe(&ws, sizeof(ws));
}

void cbc_encrypt(const AesKey* key, uint8_t iv[16], uint8_t* out, const uint8_t* in,
                 size_t num_blocks) {
  CbcStream stream = {out, in, num_blocks, {}};
  memcpy(stream.iv, iv, kAesBlockBytes);
  cbc_encrypt_streams(key, &stream, 1);
  memcpy(iv, stream.iv, kAesBlockBytes);
}

void cbc_decrypt(const AesKey* key, uint8_t iv[16], uint8_t* out, const uint8_t* in,
                 size_t num_blocks) {
  Workspace ws;
  load_keys<true>(&ws, key);
  // The chaining value and the batch's ciphertext, which `out` may overwrite.
  uint8_t chain[kAesBlockBytes + kBatchBytes];
  memcpy(chain, iv, kAesBlockBytes);
  while (num_blocks > 0) {
    const size_t len = batch_bytes(num_blocks);
    memcpy(chain + kAesBlockBytes, in, len);
    memcpy(ws.blocks, chain + kAesBlockBytes, len);
    crypt_batch<true>(&ws, key->rounds);
    xor_bytes(out, ws.blocks, chain, len);
    memcpy(chain, chain + len, kAesBlockBytes);
    in += len;
    out += len;
    num_blocks -= len / kAesBlockBytes;
  }
  memcpy(iv, chain, kAesBlockBytes);
  kernel_wipe(&ws, sizeof(ws));
}

// ---- Counter modes -----------------------------------------------------------------------------

enum class Ghash { kNone, kOfOutput, kOfInput };

// inc32 of SP 800-38D section 6.2, kept as a number.
struct Counter {
  const uint8_t* block;
  uint32_t next;

  explicit Counter(const uint8_t counter[16])
      : block(counter),
        next(static_cast<uint32_t>(counter[12]) << 24 | static_cast<uint32_t>(counter[13]) << 16 |
             static_cast<uint32_t>(counter[14]) << 8 | static_cast<uint32_t>(counter[15])) {}

  void fill(uint8_t blocks[kBatchBytes]) {
    for (size_t i = 0; i < kBatchBytes; i += kAesBlockBytes) {
      memcpy(blocks + i, block, 12);
      blocks[i + 12] = static_cast<uint8_t>(next >> 24);
      blocks[i + 13] = static_cast<uint8_t>(next >> 16);
      blocks[i + 14] = static_cast<uint8_t>(next >> 8);
      blocks[i + 15] = static_cast<uint8_t>(next);
      next++;
    }
  }
};

// GHASH and the cipher work on the same copy of each input block: memory that another thread
// changes meanwhile cannot make them see different data.
constexpr size_t kPieceBytes = 4 * kBatchBytes;  // few enough for the stack, many for each GHASH

template <Ghash kGhash>
void counter_mode(const AesKey* key, const GhashKey* ghash_key, uint8_t y[16], uint8_t* out,
                  const uint8_t* in, size_t num_blocks, const uint8_t counter_block[16]) {
  Workspace ws;
  load_keys<false>(&ws, key);
  Counter counter(counter_block);
  uint8_t text[kPieceBytes];
  while (num_blocks > 0) {
    const size_t len =
        num_blocks < kPieceBytes / kAesBlockBytes ? num_blocks * kAesBlockBytes : kPieceBytes;
    memcpy(text, in, len);
    if constexpr (kGhash == Ghash::kOfInput) {
      generic::ghash(ghash_key, y, text, len / kAesBlockBytes);
    }
    for (size_t done = 0; done < len; done += kBatchBytes) {
      counter.fill(ws.blocks);
      crypt_batch<false>(&ws, key->rounds);
      xor_bytes(text + done, text + done, ws.blocks, kBatchBytes);
    }
    if constexpr (kGhash == Ghash::kOfOutput) {
      generic::ghash(ghash_key, y, text, len / kAesBlockBytes);
    }
    memcpy(out, text, len);
    in += len;
    out += len;
    num_blocks -= len / kAesBlockBytes;
  }
  kernel_wipe(&ws, sizeof(ws));
  kernel_wipe(text, sizeof(text));
}

void ctr32(const AesKey* key, uint8_t* out, const uint8_t* in, size_t num_blocks,
           const uint8_t counter[16]) {
  counter_mode<Ghash::kNone>(key, nullptr, nullptr, out, in, num_blocks, counter);
}

}  // namespace

const AesFunctions kAesGeneric = {
    .gcm_together = 16,
    .expand_key = expand_key,
    .ecb_encrypt = ecb<false>,
    .ecb_decrypt = ecb<true>,
    .ctr32 = ctr32,
    .cbc_encrypt = cbc_encrypt,
    .cbc_decrypt = cbc_decrypt,
    .cbc_encrypt_streams = cbc_encrypt_streams,
    .ghash_init = generic::ghash_init,
    .ghash = generic::ghash,
    .ghash_finish = generic::ghash_finish,
    .ghash_multiply = generic::ghash_multiply,
    .gcm_encrypt = counter_mode<Ghash::kOfOutput>,
    .gcm_decrypt = counter_mode<Ghash::kOfInput>,
    .gcm_encrypt_short = nullptr,
    .gcm_decrypt_short = nullptr,
};

}  // namespace cngaes
