#include <algorithm>

#include "cngaes/bytes.hpp"
#include "cngaes/modes.hpp"
#include "cngaes/secure_memory.hpp"

namespace cngaes {

void ctr_crypt(const AesFunctions& fn, const AesKey& key, std::uint8_t counter[16],
               std::uint8_t* out, const std::uint8_t* in, std::size_t len) noexcept {
  std::size_t blocks = len / 16;
  while (blocks > 0) {
    // Kernels count in 32 bits; the carry into the rest is ours.
    const std::uint64_t until_wrap = (1ULL << 32) - load_be32(counter + 12);
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(blocks, until_wrap));
    fn.ctr32(&key, out, in, n, counter);
    add_be128(counter, n);
    out += 16 * n;
    in += 16 * n;
    blocks -= n;
  }
  const std::size_t tail = len % 16;
  if (tail > 0) {
    SecretBuffer<16> keystream;
    std::memset(keystream.data, 0, 16);
    fn.ctr32(&key, keystream.data, keystream.data, 1, counter);
    add_be128(counter, 1);
    const BlockPair x = load_partial(in, tail);
    store_partial(out, {x.low ^ load_le64(keystream.data), x.high ^ load_le64(keystream.data + 8)},
                  tail);
  }
}

}  // namespace cngaes
