// Equal nonces in a batch, which would break GCM (SP 800-38D section 8), found before anything is
// encrypted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cngaes/lists.hpp"
#include "cngaes/status.hpp"

namespace cngaes {

struct EqualNonces {
  bool found;
  std::size_t first;  // of all pairs, that with the lowest second index; first < second
  std::size_t second;
};

// Keys for the hash that finds equal nonces: random, so that nobody can choose nonces for which it
// works badly. Not needed while increasing_nonces() holds.
inline constexpr std::size_t kNonceSeedBytes = 32;

// Each nonce is greater than the one before, read as big-endian numbers of one length: what
// counters are, and then none are equal.
bool increasing_nonces(const List& nonces, std::size_t count) noexcept;

// out_of_memory is the one error.
Status find_equal_nonces(const List& nonces, std::size_t count,
                         const std::uint8_t seed[kNonceSeedBytes], EqualNonces* out) noexcept;

}  // namespace cngaes
