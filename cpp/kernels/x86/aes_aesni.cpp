// x86-aesni: AES-NI and PCLMULQDQ, one block a register.
#include "cngaes/compat_x86.h"
#include "cngaes/kernel_wipe.h"
#include "cngaes/kernels.h"

namespace cngaes {
namespace {

// clang-format off: the vectors come first
#include "vectors_x86.h"
#include "aes_x86.h"
#include "cbc_streams_x86.h"
#include "gcm_x86.h"
// clang-format on

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
    Vec128::store(key->dec + 16 * r, _mm_aesimc_si128(Vec128::load(key->enc + 16 * (rounds - r))));
  }
  memcpy(key->dec + 16 * rounds, key->enc, 16);
}

}  // namespace

const AesFunctions kAesX86Aesni = {
    .expand_key = expand_key,
    .ecb_encrypt = Modes<Vec128>::ecb_encrypt,
    .ecb_decrypt = Modes<Vec128>::ecb_decrypt,
    .ctr32 = Modes<Vec128>::ctr32,
    .cbc_encrypt = Modes<Vec128>::cbc_encrypt,
    .cbc_decrypt = Modes<Vec128>::cbc_decrypt,
    .cbc_encrypt_streams = CbcStreams<Vec128>::encrypt,
    .ghash_init = Gcm<Vec128>::ghash_init,
    .ghash = Gcm<Vec128>::ghash,
    .ghash_finish = Gcm<Vec128>::ghash_finish,
    .ghash_multiply = Gcm<Vec128>::ghash_multiply,
    .gcm_encrypt = Gcm<Vec128>::gcm_encrypt,
    .gcm_decrypt = Gcm<Vec128>::gcm_decrypt,
    .gcm_encrypt_short = Gcm<Vec128>::gcm_encrypt_short,
    .gcm_decrypt_short = Gcm<Vec128>::gcm_decrypt_short,
};

}  // namespace cngaes
