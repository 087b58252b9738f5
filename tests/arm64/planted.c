/* Faults that the checks in this folder must find: a table indexed by a secret, a branch on one, a read
 * behind the end of a buffer, a register that belongs to the caller. */
#include <stddef.h>
#include <stdint.h>

static volatile uint8_t table[256 * 64];

void planted_lookup(const uint8_t* key, uint8_t* out, const uint8_t* in, size_t n) {
  for (size_t i = 0; i < 16 * n; i++) out[i] = (uint8_t)(table[64 * (in[i] ^ key[i % 16])] ^ in[i]);
}

void planted_branch(const uint8_t* key, uint8_t* out, const uint8_t* in, size_t n) {
  for (volatile size_t i = 0; i < 16 * n; i++) {
    if (((in[i] ^ key[i % 16]) & 1) != 0) out[i] = in[i];
  }
}

void planted_overrun(const uint8_t* key, uint8_t* out, const uint8_t* in, size_t n) {
  for (size_t i = 0; i <= 16 * n; i++) {
    const uint8_t x = ((const volatile uint8_t*)in)[i];
    if (i < 16 * n) out[i] = (uint8_t)(x ^ key[0]);
  }
}

#if !defined(_WIN32)
void planted_clobber(void) { __asm__ volatile("mov x18, #1\n\tfmov d8, #1.0"); }
#endif
