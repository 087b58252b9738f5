/* memcpy and memset for kernels linked without a C library; built with -fno-builtin, so that the loops
 * stay loops and do not call themselves. */
#include "string.h"

void* memcpy(void* out, const void* in, size_t len) {
  for (size_t i = 0; i < len; i++) ((unsigned char*)out)[i] = ((const unsigned char*)in)[i];
  return out;
}

void* memset(void* out, int value, size_t len) {
  for (size_t i = 0; i < len; i++) ((unsigned char*)out)[i] = (unsigned char)value;
  return out;
}
