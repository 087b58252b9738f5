// GHASH without tables indexed by data and without carry-less multiply instructions.
#pragma once

#include "cngaes/kernels.h"

namespace cngaes {
namespace generic {

void ghash_init(GhashKey* key, const uint8_t h[16]);
void ghash(const GhashKey* key, uint8_t y[16], const uint8_t* data, size_t num_blocks);
void ghash_finish(const GhashKey* key, uint8_t y[16], const uint8_t* data, size_t num_blocks,
                  uint64_t aad_bits, uint64_t data_bits);
void ghash_multiply(uint8_t y[16], const uint8_t x[16]);

}  // namespace generic
}  // namespace cngaes
