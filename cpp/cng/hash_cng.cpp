// SHA-256 and HMAC of the `cng` backend, and the backend itself.
#include <algorithm>
#include <cstring>

#include "backend_cng.hpp"
#include "cngaes/secure_memory.hpp"

namespace cngaes::cng {
namespace {

constexpr const char* kNoHash = "this bcrypt.dll has no SHA-256; backend=\"cpu\" has it";
constexpr Ulong kDigest = 32;

class CngHash final : public HashState, public WipedObject {
 public:
  explicit CngHash(const Context& context) noexcept : context_(context) {}
  CngHash(const CngHash&) = delete;
  CngHash& operator=(const CngHash&) = delete;
  ~CngHash() override {
    if (handle_ != nullptr) context_.api.destroy_hash(handle_);
  }

  Status init(Algorithm algorithm, const std::uint8_t* key, Ulong key_len) noexcept {
    const NeverNull never_null;
    const char* name = nullptr;
    const NtStatus status =
        context_.providers.with(algorithm, "BCryptCreateHash", &name, [&](Handle provider) {
          // No key is said by a null pointer, here as in Microsoft's examples.
          return context_.api.create_hash(
              provider, &handle_, nullptr, 0,
              algorithm == Algorithm::hmac_sha256 ? never_null.in(key, key_len) : nullptr, key_len,
              0);
        });
    return made(status, name);
  }

  const char* kernel() const noexcept override { return "bcrypt.dll"; }

  Status update(const std::uint8_t* in, std::size_t len) noexcept override {
    for (std::size_t done = 0; done < len;) {
      const std::size_t n = std::min<std::size_t>(len - done, context_.max_call);
      const NtStatus status = context_.api.hash_data(handle_, in + done, static_cast<Ulong>(n), 0);
      if (!succeeded(status)) return status_from(status, "BCryptHashData", kNoHash);
      done += n;
    }
    return kOk;
  }

  // Finishes a copy: the object may go on afterwards.
  Status digest(std::uint8_t out[32]) const noexcept override {
    CngHash last(context_);
    const Status status = last.copy_from(*this);
    return status.ok() ? last.finish(out) : status;
  }

  Status finish(std::uint8_t out[32]) noexcept {
    const NtStatus status = context_.api.finish_hash(handle_, out, kDigest, 0);
    if (succeeded(status)) return kOk;
    secure_wipe(out, kDigest);
    return status_from(status, "BCryptFinishHash", kNoHash);
  }

  Status copy(std::unique_ptr<HashState>* out_copy) const noexcept override {
    std::unique_ptr<CngHash> other(new CngHash(context_));
    if (other == nullptr) return fail(StatusCode::out_of_memory);
    const Status status = other->copy_from(*this);
    if (status.ok()) *out_copy = std::move(other);
    return status;
  }

 private:
  Status copy_from(const CngHash& from) noexcept {
    return made(context_.api.duplicate_hash(from.handle_, &handle_, nullptr, 0, 0),
                "BCryptDuplicateHash");
  }
  Status made(NtStatus status, const char* name) noexcept {
    if (!succeeded(status)) {
      handle_ = nullptr;
      return status_from(status, name, kNoHash);
    }
    return handle_ != nullptr ? kOk : wrong_length(name);
  }

  const Context& context_;
  Handle handle_ = nullptr;
};

}  // namespace

Status CngBackend::check_tag_length(std::size_t tag_len) const noexcept {
  return check_gcm_tag_length(tag_len);
}

Status CngBackend::make_key(Mode mode, const std::uint8_t* key, std::size_t key_len,
                            std::unique_ptr<CipherKey>* out_key) const noexcept {
  return make_cng_key(context_, mode, key, key_len, out_key);
}

Status CngBackend::make_hash(std::unique_ptr<HashState>* out_state) const noexcept {
  std::unique_ptr<CngHash> made(new CngHash(context_));
  if (made == nullptr) return fail(StatusCode::out_of_memory);
  const Status status = made->init(Algorithm::sha256, nullptr, 0);
  if (status.ok()) *out_state = std::move(made);
  return status;
}

Status CngBackend::digest(Algorithm algorithm, const std::uint8_t* key, Ulong key_len,
                          std::uint8_t out[32], const std::uint8_t* in,
                          std::size_t len) const noexcept {
  const Bcrypt& api = context_.api;
  if (api.hash == nullptr || len > context_.max_call) {  // null: before Windows 10
    CngHash state(context_);
    Status status = state.init(algorithm, key, key_len);
    if (status.ok()) status = state.update(in, len);
    return status.ok() ? state.finish(out) : status;
  }
  const NeverNull never_null;
  const char* name = nullptr;
  const NtStatus status =
      context_.providers.with(algorithm, "BCryptHash", &name, [&](Handle provider) {
        return api.hash(provider,
                        algorithm == Algorithm::hmac_sha256 ? never_null.in(key, key_len) : nullptr,
                        key_len, never_null.in(in, len), static_cast<Ulong>(len), out, kDigest);
      });
  if (succeeded(status)) return kOk;
  secure_wipe(out, kDigest);
  return status_from(status, name, kNoHash);
}

Status CngBackend::sha256(std::uint8_t out[32], const std::uint8_t* in,
                          std::size_t len) const noexcept {
  return digest(Algorithm::sha256, nullptr, 0, out, in, len);
}

Status CngBackend::hmac_sha256(std::uint8_t out[32], const std::uint8_t* key, std::size_t key_len,
                               const std::uint8_t* in, std::size_t len) const noexcept {
  if (key_len <= context_.max_call) {
    return digest(Algorithm::hmac_sha256, key, static_cast<Ulong>(key_len), out, in, len);
  }
  // FIPS 198-1 step 2: a key longer than a block counts as its digest.
  SecretBuffer<kDigest> short_key;
  const Status status = sha256(short_key.data, key, key_len);
  return status.ok() ? digest(Algorithm::hmac_sha256, short_key.data, kDigest, out, in, len)
                     : status;
}

}  // namespace cngaes::cng
