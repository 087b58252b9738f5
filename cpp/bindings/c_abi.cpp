#include "cngaes/c_abi.h"

#include <cstring>
#include <memory>

#include "cngaes/backend.hpp"

namespace {

using cngaes::CipherKey;
using cngaes::Direction;
using cngaes::Mode;
using cngaes::Status;
using cngaes::StatusCode;

// What a key was made for: the others of its methods are not to be called.
struct AbiKey {
  Mode mode;
  std::unique_ptr<CipherKey> cipher;
};

constexpr std::int32_t code(StatusCode status) noexcept {
  return static_cast<std::int32_t>(status);
}
constexpr std::int32_t code(const Status& status) noexcept { return code(status.code); }
constexpr std::int32_t kBadArgument = code(StatusCode::bad_argument);

// Never null, so that an empty buffer needs no special case further in.
constexpr std::uint8_t kNothing[16] = {};
const std::uint8_t* bytes(const void* data) noexcept {
  return data == nullptr ? kNothing : static_cast<const std::uint8_t*>(data);
}
std::uint8_t* bytes(void* data) noexcept { return static_cast<std::uint8_t*>(data); }

bool is_missing(const void* data, size_t len) noexcept { return data == nullptr && len > 0; }

const CipherKey* cipher_for(void* key, Mode mode) noexcept {
  auto* const abi_key = static_cast<AbiKey*>(key);
  return abi_key != nullptr && abi_key->mode == mode ? abi_key->cipher.get() : nullptr;
}

Direction direction(std::int32_t decrypt) noexcept {
  return decrypt != 0 ? Direction::decrypt : Direction::encrypt;
}

bool mode_from(const char* name, Mode* out_mode) noexcept {
  constexpr struct {
    const char* name;
    Mode mode;
  } kModes[] = {{"ecb", Mode::ecb}, {"cbc", Mode::cbc}, {"ctr", Mode::ctr}, {"gcm", Mode::gcm}};
  for (const auto& known : kModes) {
    if (name != nullptr && std::strcmp(name, known.name) == 0) {
      *out_mode = known.mode;
      return true;
    }
  }
  return false;
}

bool is_tag_len(size_t len) noexcept { return len == 4 || len == 8 || (len >= 12 && len <= 16); }

}  // namespace

extern "C" {

uint32_t cngaes_abi_version(void) { return 1; }

int32_t cngaes_key_new(const char* mode, const void* key, size_t key_len, void** out_key) {
  Mode parsed = Mode::ecb;
  if (out_key == nullptr || key == nullptr || !mode_from(mode, &parsed) ||
      (key_len != 16 && key_len != 24 && key_len != 32)) {
    return kBadArgument;
  }
  auto abi_key = std::unique_ptr<AbiKey>(new (std::nothrow) AbiKey{parsed, nullptr});
  if (abi_key == nullptr) return code(StatusCode::out_of_memory);
  const Status status =
      cngaes::cpu_backend().make_key(parsed, bytes(key), key_len, &abi_key->cipher);
  if (status.ok()) *out_key = abi_key.release();
  return code(status);
}

void cngaes_key_free(void* key) { delete static_cast<AbiKey*>(key); }

int32_t cngaes_ecb(void* key, int32_t decrypt, const void* in, size_t len, void* out) {
  const CipherKey* const cipher = cipher_for(key, Mode::ecb);
  if (cipher == nullptr || len % 16 != 0 || is_missing(in, len) || is_missing(out, len)) {
    return kBadArgument;
  }
  return code(cipher->ecb(direction(decrypt), bytes(out), bytes(in), len));
}

int32_t cngaes_cbc(void* key, int32_t decrypt, const void* iv16, const void* in, size_t len,
                   void* out) {
  const CipherKey* const cipher = cipher_for(key, Mode::cbc);
  if (cipher == nullptr || iv16 == nullptr || len % 16 != 0 || is_missing(in, len) ||
      is_missing(out, len)) {
    return kBadArgument;
  }
  std::uint8_t iv[16];
  std::memcpy(iv, iv16, sizeof iv);
  return code(cipher->cbc(direction(decrypt), iv, bytes(out), bytes(in), len));
}

int32_t cngaes_ctr(void* key, const void* counter16, const void* in, size_t len, void* out) {
  const CipherKey* const cipher = cipher_for(key, Mode::ctr);
  if (cipher == nullptr || counter16 == nullptr || is_missing(in, len) || is_missing(out, len)) {
    return kBadArgument;
  }
  std::uint8_t counter[16];
  std::memcpy(counter, counter16, sizeof counter);
  return code(cipher->ctr(counter, bytes(out), bytes(in), len));
}

int32_t cngaes_gcm_encrypt(void* key, const void* nonce, size_t nonce_len, const void* aad,
                           size_t aad_len, const void* in, size_t len, void* out, void* tag,
                           size_t tag_len) {
  const CipherKey* const cipher = cipher_for(key, Mode::gcm);
  if (cipher == nullptr || nonce == nullptr || nonce_len == 0 || is_missing(aad, aad_len) ||
      is_missing(in, len) || is_missing(out, len) || tag == nullptr || !is_tag_len(tag_len)) {
    return kBadArgument;
  }
  std::uint8_t nowhere[1];
  const cngaes::GcmMessage message = {bytes(nonce), nonce_len, bytes(aad), aad_len, tag_len};
  return code(
      cipher->gcm_seal(message, len > 0 ? bytes(out) : nowhere, bytes(tag), bytes(in), len));
}

int32_t cngaes_gcm_decrypt(void* key, const void* nonce, size_t nonce_len, const void* aad,
                           size_t aad_len, const void* in, size_t len, void* out, const void* tag,
                           size_t tag_len) {
  const CipherKey* const cipher = cipher_for(key, Mode::gcm);
  if (cipher == nullptr || nonce == nullptr || nonce_len == 0 || is_missing(aad, aad_len) ||
      is_missing(in, len) || is_missing(out, len) || tag == nullptr || !is_tag_len(tag_len)) {
    return kBadArgument;
  }
  std::uint8_t nowhere[1];
  const cngaes::GcmMessage message = {bytes(nonce), nonce_len, bytes(aad), aad_len, tag_len};
  return code(
      cipher->gcm_open(message, len > 0 ? bytes(out) : nowhere, bytes(in), len, bytes(tag)));
}

int32_t cngaes_sha256(const void* in, size_t len, void* out32) {
  if (is_missing(in, len) || out32 == nullptr) return kBadArgument;
  return code(cngaes::cpu_backend().sha256(bytes(out32), bytes(in), len));
}

int32_t cngaes_hmac_sha256(const void* key, size_t key_len, const void* in, size_t len,
                           void* out32) {
  if (is_missing(key, key_len) || is_missing(in, len) || out32 == nullptr) return kBadArgument;
  return code(cngaes::cpu_backend().hmac_sha256(bytes(out32), bytes(key), key_len, bytes(in), len));
}

}  // extern "C"
