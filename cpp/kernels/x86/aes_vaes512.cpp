// x86-vaes512: VAES and VPCLMULQDQ on 512-bit registers, four blocks each. Key expansion and CBC
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

const AesFunctions kAesX86Vaes512 = {
    .expand_key = nullptr,
    .ecb_encrypt = Modes<Vec512>::ecb_encrypt,
    .ecb_decrypt = Modes<Vec512>::ecb_decrypt,
    .ctr32 = Modes<Vec512>::ctr32,
    .cbc_encrypt = nullptr,
    .cbc_decrypt = Modes<Vec512>::cbc_decrypt,
    .cbc_encrypt_streams = CbcStreams<Vec512>::encrypt,
    .ghash_init = Gcm<Vec512>::ghash_init,
    .ghash = Gcm<Vec512>::ghash,
    .ghash_finish = Gcm<Vec512>::ghash_finish,
    .ghash_multiply = Gcm<Vec512>::ghash_multiply,
    .gcm_encrypt = Gcm<Vec512>::gcm_encrypt,
    .gcm_decrypt = Gcm<Vec512>::gcm_decrypt,
    .gcm_encrypt_short = Gcm<Vec512>::gcm_encrypt_short,
    .gcm_decrypt_short = Gcm<Vec512>::gcm_decrypt_short,
};

}  // namespace cngaes
