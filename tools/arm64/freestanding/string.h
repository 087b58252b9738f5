/* All that the kernels take from the C library, for targets whose headers are not at hand. */
#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void* memcpy(void* out, const void* in, size_t len);
void* memset(void* out, int value, size_t len);
#ifdef __cplusplus
}
#endif
