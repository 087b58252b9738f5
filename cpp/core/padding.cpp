#include "cngaes/padding.hpp"

namespace cngaes {

void pkcs7_pad(std::uint8_t out_block[16], const std::uint8_t* tail,
               std::size_t tail_len) noexcept {
  const auto pad = static_cast<std::uint8_t>(16 - tail_len);
  for (std::size_t i = 0; i < 16; ++i) out_block[i] = i < tail_len ? tail[i] : pad;
}

std::size_t pkcs7_unpad(const std::uint8_t block[16]) noexcept {
  const std::uint32_t pad = block[15];
  // All-ones masks from the sign bit of a difference: no comparison that could become a branch.
  std::uint32_t bad = (0U - ((pad - 1) >> 31)) | (0U - ((16 - pad) >> 31));  // pad < 1, pad > 16
  for (std::uint32_t i = 0; i < 16; ++i) {
    const std::uint32_t in_padding = 0U - ((i - pad) >> 31);  // i < pad, counted from the end
    bad |= in_padding & (block[15 - i] ^ pad);
  }
  const std::uint32_t is_bad = ((0U - bad) | bad) >> 31;
  return (16 - pad) * (1 - is_bad) + 16 * is_bad;
}

}  // namespace cngaes
