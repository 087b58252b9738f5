// The part of bcrypt.dll's interface that is used here, declared by ourselves: the backend then
// compiles on every system, where tests run it over a table of their own.
// Values and layouts: bcrypt.h of the Windows SDK 10.0.26100.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(_WIN32) && (defined(_M_IX86) || defined(__i386__))
#define CNGAES_BCRYPT_CALL __stdcall
#else
#define CNGAES_BCRYPT_CALL
#endif

namespace cngaes::cng {

using NtStatus = std::int32_t;  // negative: an error
using Ulong = std::uint32_t;
using Handle = void*;

constexpr bool succeeded(NtStatus status) noexcept { return status >= 0; }

namespace nt {
inline constexpr std::uint32_t kUnsuccessful = 0xC0000001;
inline constexpr std::uint32_t kNotImplemented = 0xC0000002;
inline constexpr std::uint32_t kInvalidHandle = 0xC0000008;
inline constexpr std::uint32_t kInvalidParameter = 0xC000000D;
inline constexpr std::uint32_t kNoMemory = 0xC0000017;
inline constexpr std::uint32_t kAccessDenied = 0xC0000022;
inline constexpr std::uint32_t kBufferTooSmall = 0xC0000023;
inline constexpr std::uint32_t kInsufficientResources = 0xC000009A;
inline constexpr std::uint32_t kNotSupported = 0xC00000BB;
inline constexpr std::uint32_t kInternalError = 0xC00000E5;
inline constexpr std::uint32_t kInvalidBufferSize = 0xC0000206;
inline constexpr std::uint32_t kNotFound = 0xC0000225;
inline constexpr std::uint32_t kAuthTagMismatch = 0xC000A002;
}  // namespace nt

inline constexpr Ulong kHmacFlag = 0x8;  // BCRYPT_ALG_HANDLE_HMAC_FLAG

// BCRYPT_AUTHENTICATED_CIPHER_MODE_INFO. One instance a call: it must not be shared by threads.
struct AuthInfo {
  Ulong size;
  Ulong version;
  const std::uint8_t* nonce;
  Ulong nonce_len;
  const std::uint8_t* aad;
  Ulong aad_len;
  std::uint8_t* tag;
  Ulong tag_len;
  std::uint8_t* mac_context;
  Ulong mac_context_len;
  Ulong aad_so_far;
  std::uint64_t data_so_far;
  Ulong flags;
};
#if UINTPTR_MAX > 0xFFFFFFFFU
static_assert(sizeof(AuthInfo) == 88 && offsetof(AuthInfo, tag) == 40 &&
              offsetof(AuthInfo, data_so_far) == 72 && offsetof(AuthInfo, flags) == 80);
#endif

// BCRYPT_KEY_DATA_BLOB_HEADER with the key behind it.
struct KeyBlob {
  Ulong magic;
  Ulong version;
  Ulong key_len;
  std::uint8_t key[32];
};
inline constexpr Ulong kKeyBlobMagic = 0x4D42444B;
inline constexpr Ulong kKeyBlobHeader = 12;
static_assert(offsetof(KeyBlob, key) == kKeyBlobHeader);

// The functions of bcrypt.dll. `hash` is null before Windows 10.
struct Bcrypt {
  NtStatus(CNGAES_BCRYPT_CALL* open_provider)(Handle* out, const char16_t* algorithm,
                                              const char16_t* provider, Ulong flags);
  NtStatus(CNGAES_BCRYPT_CALL* close_provider)(Handle provider, Ulong flags);
  NtStatus(CNGAES_BCRYPT_CALL* set_property)(Handle object, const char16_t* name,
                                             const std::uint8_t* value, Ulong len, Ulong flags);
  NtStatus(CNGAES_BCRYPT_CALL* import_key)(Handle provider, Handle import_with,
                                           const char16_t* blob_type, Handle* out,
                                           std::uint8_t* object, Ulong object_len,
                                           const std::uint8_t* blob, Ulong blob_len, Ulong flags);
  NtStatus(CNGAES_BCRYPT_CALL* duplicate_key)(Handle key, Handle* out, std::uint8_t* object,
                                              Ulong object_len, Ulong flags);
  NtStatus(CNGAES_BCRYPT_CALL* destroy_key)(Handle key);
  NtStatus(CNGAES_BCRYPT_CALL* encrypt)(Handle key, const std::uint8_t* in, Ulong len, void* info,
                                        std::uint8_t* iv, Ulong iv_len, std::uint8_t* out,
                                        Ulong out_len, Ulong* result_len, Ulong flags);
  NtStatus(CNGAES_BCRYPT_CALL* decrypt)(Handle key, const std::uint8_t* in, Ulong len, void* info,
                                        std::uint8_t* iv, Ulong iv_len, std::uint8_t* out,
                                        Ulong out_len, Ulong* result_len, Ulong flags);
  NtStatus(CNGAES_BCRYPT_CALL* hash)(Handle provider, const std::uint8_t* secret, Ulong secret_len,
                                     const std::uint8_t* in, Ulong len, std::uint8_t* out,
                                     Ulong out_len);
  NtStatus(CNGAES_BCRYPT_CALL* create_hash)(Handle provider, Handle* out, std::uint8_t* object,
                                            Ulong object_len, const std::uint8_t* secret,
                                            Ulong secret_len, Ulong flags);
  NtStatus(CNGAES_BCRYPT_CALL* hash_data)(Handle hash, const std::uint8_t* in, Ulong len,
                                          Ulong flags);
  NtStatus(CNGAES_BCRYPT_CALL* finish_hash)(Handle hash, std::uint8_t* out, Ulong len, Ulong flags);
  NtStatus(CNGAES_BCRYPT_CALL* duplicate_hash)(Handle hash, Handle* out, std::uint8_t* object,
                                               Ulong object_len, Ulong flags);
  NtStatus(CNGAES_BCRYPT_CALL* destroy_hash)(Handle hash);
  // Wine 8: a CBC key that gets the IV it got last goes on where it was.
  bool repeated_iv_continues;
};

}  // namespace cngaes::cng
