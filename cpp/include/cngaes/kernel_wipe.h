// For kernels: overwrite a local that held key material or plaintext before the frame goes.
// (The core has secure_memory.hpp; kernels may not depend on it.)
#pragma once

#include <stddef.h>
#include <string.h>

namespace cngaes {

inline void kernel_wipe(void* data, size_t len) {
#if defined(__GNUC__)
  memset(data, 0, len);
  // The compiler must assume that this reads the memory, so it cannot drop the memset.
  __asm__ __volatile__("" : : "r"(data) : "memory");
#else
  volatile unsigned char* bytes = static_cast<volatile unsigned char*>(data);
  for (size_t i = 0; i < len; i++) {
    bytes[i] = 0;
  }
#endif
}

}  // namespace cngaes
