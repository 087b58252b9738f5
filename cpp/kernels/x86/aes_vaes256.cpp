// x86-vaes256: VAES and VPCLMULQDQ on 256-bit registers, two blocks each. Key expansion and CBC
// encryption of a single message have no use for wide registers and come from x86-aesni.
#include "cngaes/compat_x86.h"
#include "cngaes/kernels.h"

namespace cngaes {
namespace {

// clang-format off: the vectors come first
#include "vectors_x86.h"
#include "aes_x86.h"
#include "cbc_streams_x86.h"
#include "gcm_x86.h"
// clang-format on

}  // namespace

const AesFunctions kAesX86Vaes256 = {
    .expand_key = nullptr,
    .ecb_encrypt = Modes<Vec256>::ecb_encrypt,
    .ecb_decrypt = Modes<Vec256>::ecb_decrypt,
    .ctr32 = Modes<Vec256>::ctr32,
    .cbc_encrypt = nullptr,
    .cbc_decrypt = Modes<Vec256>::cbc_decrypt,
    .cbc_encrypt_streams = CbcStreams<Vec256>::encrypt,
    .ghash_init = Gcm<Vec256>::ghash_init,
    .ghash = Gcm<Vec256>::ghash,
    .ghash_finish = Gcm<Vec256>::ghash_finish,
    .ghash_multiply = Gcm<Vec256>::ghash_multiply,
    .gcm_encrypt = Gcm<Vec256>::gcm_encrypt,
    .gcm_decrypt = Gcm<Vec256>::gcm_decrypt,
    .gcm_encrypt_short = Gcm<Vec256>::gcm_encrypt_short,
    .gcm_decrypt_short = Gcm<Vec256>::gcm_decrypt_short,
};

}  // namespace cngaes
