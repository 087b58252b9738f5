// arm64-eor3: arm64-ce with EOR3 (ARMv8.2 SHA3), which adds three blocks at once: the last round
// key and the data behind the cipher, the two halves of a product to a sum in GHASH. Where nothing
// is added in threes (key expansion, ECB, CBC encryption) arm64-ce serves.
#include "cngaes/compat_arm64.h"
#include "cngaes/kernels.h"

#if CNGAES_HAS_EOR3

namespace cngaes {
namespace {

// clang-format off: the vectors come first
#include "vectors_arm64.h"
#include "aes_arm64.h"
#include "gcm_arm64.h"
// clang-format on

}  // namespace

const AesFunctions kAesArm64Eor3 = {
    .expand_key = nullptr,
    .ecb_encrypt = nullptr,
    .ecb_decrypt = nullptr,
    .ctr32 = Modes::ctr32,
    .cbc_encrypt = nullptr,
    .cbc_decrypt = Modes::cbc_decrypt,
    .cbc_encrypt_streams = nullptr,
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

#endif
