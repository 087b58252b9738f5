// arm64-ce: the AES and PMULL instructions of the ARMv8 Cryptographic Extension.
#include "cngaes/compat_arm64.h"
#include "cngaes/kernel_wipe.h"
#include "cngaes/kernels.h"

namespace cngaes {
namespace {

// clang-format off: the vectors come first
#include "vectors_arm64.h"
#include "aes_arm64.h"
#include "gcm_arm64.h"
// clang-format on

// FIPS 197 SubWord by AESE with a zero key: with four equal columns ShiftRows does nothing, and no
// table is read.
CNGAES_INLINE uint32_t sub_word(uint32_t w) {
  const Block columns = vreinterpretq_u8_u32(vdupq_n_u32(w));
  return vgetq_lane_u32(vreinterpretq_u32_u8(enc_last(columns, zero())), 0);
}

// FIPS 197 section 5.2, and section 5.3.5 for the equivalent inverse cipher. Key words are
// little-endian here, so RotWord is a rotation to the right.
void expand_key(AesKey* key, const uint8_t* user_key, size_t user_key_len) {
  const unsigned nk = static_cast<unsigned>(user_key_len / 4);
  const unsigned rounds = nk + 6;
  const unsigned num_words = 4 * (rounds + 1);
  uint32_t w[4 * kMaxRoundKeys];
  memcpy(w, user_key, user_key_len);
  uint32_t rcon = 1;  // x^(i-1) in GF(2^8), FIPS 197 section 5.2
  uint32_t previous = w[nk - 1];
  for (unsigned i = nk; i < num_words; ++i) {
    if (i % nk == 0) {
      previous = sub_word((previous >> 8) | (previous << 24)) ^ rcon;
      rcon = (rcon << 1) ^ ((rcon >> 7) * 0x11b);
    } else if (nk > 6 && i % nk == 4) {
      previous = sub_word(previous);
    }
    previous ^= w[i - nk];
    w[i] = previous;
  }
  memcpy(key->enc, w, size_t{4} * num_words);
  key->rounds = rounds;
  kernel_wipe(w, sizeof w);

  memcpy(key->dec, key->enc + 16 * rounds, 16);
  for (unsigned r = 1; r < rounds; ++r) {
    store(key->dec + 16 * r, vaesimcq_u8(load(key->enc + 16 * (rounds - r))));
  }
  memcpy(key->dec + 16 * rounds, key->enc, 16);
}

void cbc_encrypt_streams(const AesKey* key, CbcStream* streams, size_t num_streams) {
  for (size_t i = 0; i < num_streams; ++i) {
    CbcStream& s = streams[i];
    Modes::cbc_encrypt(key, s.iv, s.out, s.in, s.num_blocks);
  }
}

}  // namespace

const AesFunctions kAesArm64Ce = {
    .expand_key = expand_key,
    .ecb_encrypt = Modes::ecb_encrypt,
    .ecb_decrypt = Modes::ecb_decrypt,
    .ctr32 = Modes::ctr32,
    .cbc_encrypt = Modes::cbc_encrypt,
    .cbc_decrypt = Modes::cbc_decrypt,
    .cbc_encrypt_streams = cbc_encrypt_streams,
    .ghash_init = Gcm::ghash_init,
    .ghash = Gcm::ghash,
    .ghash_finish = Gcm::ghash_finish,
    .ghash_multiply = Gcm::ghash_multiply,
    .gcm_encrypt = Gcm::gcm_encrypt,
    .gcm_decrypt = Gcm::gcm_decrypt,
    .gcm_encrypt_short = nullptr,
    .gcm_decrypt_short = nullptr,
};

}  // namespace cngaes
