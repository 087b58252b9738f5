// The `cpu` backend: modes over the kernel that the registry chose when the key was made.
#include <new>

#include "cngaes/backend.hpp"
#include "cngaes/modes.hpp"
#include "cngaes/registry.hpp"
#include "cngaes/secure_memory.hpp"
#include "cngaes/sha256.hpp"

namespace cngaes {
namespace {

class CpuKey final : public CipherKey, public SecretObject {
 public:
  CpuKey(const AesChoice& choice, Mode mode, const std::uint8_t* key, std::size_t key_len) noexcept
      : choice_(choice) {
    fn().expand_key(&aes_, key, key_len);
    if (mode == Mode::gcm) gcm_expand(fn(), aes_, &ghash_);
  }

  const char* kernel() const noexcept override { return choice_.name; }

  Status ecb(Direction direction, std::uint8_t* out, const std::uint8_t* in,
             std::size_t len) const noexcept override {
    (direction == Direction::encrypt ? fn().ecb_encrypt : fn().ecb_decrypt)(&aes_, out, in,
                                                                            len / 16);
    return kOk;
  }

  Status cbc(Direction direction, std::uint8_t iv[16], std::uint8_t* out, const std::uint8_t* in,
             std::size_t len) const noexcept override {
    (direction == Direction::encrypt ? fn().cbc_encrypt : fn().cbc_decrypt)(&aes_, iv, out, in,
                                                                            len / 16);
    return kOk;
  }

  Status ctr(std::uint8_t counter[16], std::uint8_t* out, const std::uint8_t* in,
             std::size_t len) const noexcept override {
    ctr_crypt(fn(), aes_, counter, out, in, len);
    return kOk;
  }

  Status gcm_seal(const GcmMessage& message, std::uint8_t* out, std::uint8_t* out_tag,
                  const std::uint8_t* in, std::size_t len) const noexcept override {
    return cngaes::gcm_seal(gcm(), message, out, out_tag, in, len);
  }

  Status gcm_open(const GcmMessage& message, std::uint8_t* out, const std::uint8_t* in,
                  std::size_t len, const std::uint8_t* tag) const noexcept override {
    return cngaes::gcm_open(gcm(), message, out, in, len, tag);
  }

  Status gcm_check(const GcmMessage& message, std::uint64_t len) const noexcept override {
    return gcm_check_sizes(message, len);
  }

  Status gcm_seal_split(const GcmMessage& message, std::uint8_t* out, std::uint8_t* out_tag,
                        const std::uint8_t* in, std::size_t len,
                        unsigned threads) const noexcept override {
    return cngaes::gcm_seal_split(gcm(), message, out, out_tag, in, len, threads);
  }

  Status gcm_open_split(const GcmMessage& message, std::uint8_t* out, const std::uint8_t* in,
                        std::size_t len, const std::uint8_t* tag,
                        unsigned threads) const noexcept override {
    return cngaes::gcm_open_split(gcm(), message, out, in, len, tag, threads);
  }

  Status gcm_seal_many(const GcmBatch& batch, Range range) const noexcept override {
    return cngaes::gcm_seal_many(gcm(), batch, range);
  }

  Status gcm_open_many(const GcmBatch& batch, Range range,
                       std::uint8_t* out_failed) const noexcept override {
    return cngaes::gcm_open_many(gcm(), batch, range, out_failed);
  }

  Status cbc_encrypt_many(const CbcBatch& batch, Range range) const noexcept override {
    cngaes::cbc_encrypt_many(fn(), aes_, batch, range);
    return kOk;
  }

  Status gcm_start(Direction direction, const GcmMessage& message,
                   std::unique_ptr<GcmStream>* out_stream) const noexcept override {
    const Status sizes = gcm_check_sizes(message, 0);
    if (!sizes.ok()) return sizes;
    out_stream->reset(new CpuGcmStream(direction, gcm(), message));
    return *out_stream != nullptr ? kOk : fail(StatusCode::out_of_memory);
  }

 private:
  const AesFunctions& fn() const noexcept { return choice_.fn; }
  GcmContext gcm() const noexcept { return {fn(), aes_, ghash_}; }

  const AesChoice& choice_;
  AesKey aes_;
  GhashKey ghash_;  // filled for Mode::gcm only
};

class CpuHash final : public HashState, public WipedObject {
 public:
  explicit CpuHash(const Sha256Choice& choice) noexcept : choice_(choice), hash_(choice.fn) {}
  CpuHash(const CpuHash&) = default;

  const char* kernel() const noexcept override { return choice_.name; }

  Status update(const std::uint8_t* in, std::size_t len) noexcept override {
    return hash_.update(in, len)
               ? kOk
               : fail(StatusCode::limit,
                      "data: SHA-256 takes at most 2**61-1 bytes (FIPS 180-4 section 5.1.1)");
  }
  Status digest(std::uint8_t out[32]) const noexcept override {
    hash_.digest(out);
    return kOk;
  }
  Status copy(std::unique_ptr<HashState>* out_copy) const noexcept override {
    out_copy->reset(new CpuHash(*this));
    return *out_copy != nullptr ? kOk : fail(StatusCode::out_of_memory);
  }

 private:
  const Sha256Choice& choice_;
  Sha256 hash_;
};

class CpuBackend final : public Backend {
 public:
  const char* name() const noexcept override { return "cpu"; }
  const char* unavailable_reason() const noexcept override { return nullptr; }

  Status make_key(Mode mode, const std::uint8_t* key, std::size_t key_len,
                  std::unique_ptr<CipherKey>* out_key) const noexcept override {
    const AesChoice* choice = nullptr;
    const Status status = choose_aes(&choice);
    if (!status.ok()) return status;
    out_key->reset(new CpuKey(*choice, mode, key, key_len));
    return *out_key != nullptr ? kOk : fail(StatusCode::out_of_memory);
  }

  Status make_hash(std::unique_ptr<HashState>* out_state) const noexcept override {
    const Sha256Choice* choice = nullptr;
    const Status status = choose_sha256(&choice);
    if (!status.ok()) return status;
    out_state->reset(new CpuHash(*choice));
    return *out_state != nullptr ? kOk : fail(StatusCode::out_of_memory);
  }

  Status sha256(std::uint8_t out[32], const std::uint8_t* in,
                std::size_t len) const noexcept override {
    const Sha256Choice* choice = nullptr;
    const Status status = choose_sha256(&choice);
    if (status.ok()) Sha256::hash(choice->fn, out, in, len);
    return status;
  }

  Status hmac_sha256(std::uint8_t out[32], const std::uint8_t* key, std::size_t key_len,
                     const std::uint8_t* in, std::size_t len) const noexcept override {
    const Sha256Choice* choice = nullptr;
    const Status status = choose_sha256(&choice);
    if (status.ok()) Sha256::hmac(choice->fn, out, key, key_len, in, len);
    return status;
  }

  Status sha256_many(const HashBatch& batch, Range range) const noexcept override {
    const Sha256Choice* choice = nullptr;
    const Status status = choose_sha256(&choice);
    if (status.ok()) cngaes::sha256_many(choice->fn, batch, range);
    return status;
  }

  Status hmac_sha256_many(const std::uint8_t* key, std::size_t key_len, const HashBatch& batch,
                          Range range) const noexcept override {
    const Sha256Choice* choice = nullptr;
    const Status status = choose_sha256(&choice);
    if (status.ok()) cngaes::hmac_sha256_many(choice->fn, key, key_len, batch, range);
    return status;
  }
};

}  // namespace

const Backend& cpu_backend() noexcept {
  static const CpuBackend instance;
  return instance;
}

}  // namespace cngaes
