// The `cng` backend: AES and SHA-256 of Windows' bcrypt.dll.
#pragma once

#include <atomic>
#include <string>

#include "bcrypt_api.hpp"
#include "cngaes/backend.hpp"

namespace cngaes::cng {

// The most bytes of one BCrypt call: a ULONG, in whole blocks. Tests lower it.
inline constexpr Ulong kMaxCallBytes = 0xFFFFFFF0;

enum class Algorithm : std::uint8_t { ecb, cbc, gcm, sha256, hmac_sha256 };
inline constexpr std::size_t kNumAlgorithms = 5;

// The algorithm handles: Windows 10's pseudo-handles, which cost nothing, or where they are not
// known, handles opened once and kept.
class Providers {
 public:
  explicit Providers(const Bcrypt& api) noexcept : api_(api) {}
  Providers(const Providers&) = delete;
  Providers& operator=(const Providers&) = delete;
  ~Providers();

  // Calls f(Handle) -> NtStatus, a second time with an opened handle if the first one is unknown.
  // *out_name: the function that failed; `name` is f's.
  template <class F>
  NtStatus with(Algorithm algorithm, const char* name, const char** out_name, F f) noexcept {
    *out_name = name;
    std::atomic<Handle>& opened = opened_[static_cast<std::size_t>(algorithm)];
    const Handle known = opened.load(std::memory_order_acquire);
    const NtStatus status = f(known != nullptr ? known : pseudo_handle(algorithm));
    if (known != nullptr || static_cast<std::uint32_t>(status) != nt::kInvalidHandle) return status;
    const NtStatus open_status = open(algorithm, out_name);
    return succeeded(open_status) ? f(opened.load(std::memory_order_acquire)) : open_status;
  }

 private:
  static Handle pseudo_handle(Algorithm algorithm) noexcept;
  NtStatus open(Algorithm algorithm, const char** out_name) noexcept;

  const Bcrypt& api_;
  std::atomic<Handle> opened_[kNumAlgorithms] = {};
};

// What the keys and hashes of a backend share.
struct Context {
  const Bcrypt& api;
  Ulong max_call;
  mutable Providers providers;
};

class CngBackend final : public Backend {
 public:
  explicit CngBackend(const Bcrypt& api, Ulong max_call = kMaxCallBytes,
                      const char* name = "cng") noexcept
      : context_{api, max_call, Providers(api)}, name_(name) {}

  const char* name() const noexcept override { return name_; }
  const char* unavailable_reason() const noexcept override { return nullptr; }
  Status check_tag_length(std::size_t tag_len) const noexcept override;
  Status make_key(Mode mode, const std::uint8_t* key, std::size_t key_len,
                  std::unique_ptr<CipherKey>* out_key) const noexcept override;
  Status make_hash(std::unique_ptr<HashState>* out_state) const noexcept override;
  Status sha256(std::uint8_t out[32], const std::uint8_t* in,
                std::size_t len) const noexcept override;
  Status hmac_sha256(std::uint8_t out[32], const std::uint8_t* key, std::size_t key_len,
                     const std::uint8_t* in, std::size_t len) const noexcept override;

 private:
  Status digest(Algorithm algorithm, const std::uint8_t* key, Ulong key_len, std::uint8_t out[32],
                const std::uint8_t* in, std::size_t len) const noexcept;

  Context context_;
  const char* name_;
};

// The one place where an NTSTATUS becomes a Status. function: static, named in the exception.
Status status_from(NtStatus status, const char* function, const char* missing) noexcept;
// Success, but the function wrote another number of bytes than it must.
constexpr Status wrong_length(const char* function) noexcept {
  return Status{StatusCode::backend_error, 0, function};
}
const char* missing_cipher(Mode mode, std::size_t key_len) noexcept;

// The limits that CNG sets and the other backends do not have.
Status check_gcm_message(const GcmMessage& message, std::uint64_t len, Ulong max_call) noexcept;
Status check_gcm_tag_length(std::size_t tag_len) noexcept;
inline constexpr Status kNoGcmStream =
    fail(StatusCode::unsupported,
         "CNG has no reliable GCM in pieces; AESGCM(key, backend=\"cpu\") has no such limit");

// CNG takes no null pointers seriously: an empty message with a null output is a size query to it,
// which succeeds without looking at the tag.
class NeverNull {
 public:
  const std::uint8_t* in(const std::uint8_t* data, std::size_t len) const noexcept {
    return len == 0 ? room_ : data;
  }
  std::uint8_t* out(std::uint8_t* data, std::size_t len) noexcept {
    return len == 0 ? room_ : data;
  }

 private:
  std::uint8_t room_[16] = {};
};

Status make_cng_key(const Context& context, Mode mode, const std::uint8_t* key, std::size_t key_len,
                    std::unique_ptr<CipherKey>* out_key) noexcept;

// bcrypt.dll's functions, looked up once; null with a reason where there is none.
const Bcrypt* load_bcrypt(const char** out_reason) noexcept;
// A table that succeeds at once and computes nothing: what is left is the price of our own side.
const Bcrypt& noop_bcrypt() noexcept;

}  // namespace cngaes::cng
