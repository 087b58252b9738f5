/* The C ABI that _core exports: the same kernels through another door, for ctypes.
 *
 * Results: 0, else the value of StatusCode (status.hpp): 1 invalid tag, 2 invalid padding, 3 out of
 * memory, 4 unsupported, 5 size above a limit, 6 self-test failed, 7 backend failed, 8 bad
 * argument. Buffers of in and out are the same or do not overlap; sizes in bytes. A key may be used
 * by several threads at once, but not while it is freed. */
#ifndef CNGAES_C_ABI_H
#define CNGAES_C_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#define CNGAES_EXPORT __declspec(dllexport)
#else
#define CNGAES_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Goes up when a function changes. */
CNGAES_EXPORT uint32_t cngaes_abi_version(void);

/* mode: "ecb", "cbc", "ctr" or "gcm"; key_len: 16, 24 or 32. */
CNGAES_EXPORT int32_t cngaes_key_new(const char* mode, const void* key, size_t key_len,
                                     void** out_key);
/* Wipes the key; null is allowed. */
CNGAES_EXPORT void cngaes_key_free(void* key);

/* len: a multiple of 16, no padding. */
CNGAES_EXPORT int32_t cngaes_ecb(void* key, int32_t decrypt, const void* in, size_t len, void* out);
CNGAES_EXPORT int32_t cngaes_cbc(void* key, int32_t decrypt, const void* iv16, const void* in,
                                 size_t len, void* out);
CNGAES_EXPORT int32_t cngaes_ctr(void* key, const void* counter16, const void* in, size_t len,
                                 void* out);

/* out: len bytes, tag: tag_len bytes (4, 8, 12..16). */
CNGAES_EXPORT int32_t cngaes_gcm_encrypt(void* key, const void* nonce, size_t nonce_len,
                                         const void* aad, size_t aad_len, const void* in,
                                         size_t len, void* out, void* tag, size_t tag_len);
/* 1, and zeros in out, if the tag is wrong. */
CNGAES_EXPORT int32_t cngaes_gcm_decrypt(void* key, const void* nonce, size_t nonce_len,
                                         const void* aad, size_t aad_len, const void* in,
                                         size_t len, void* out, const void* tag, size_t tag_len);

CNGAES_EXPORT int32_t cngaes_sha256(const void* in, size_t len, void* out32);
CNGAES_EXPORT int32_t cngaes_hmac_sha256(const void* key, size_t key_len, const void* in,
                                         size_t len, void* out32);

#ifdef __cplusplus
}
#endif

#endif
