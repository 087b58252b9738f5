// The interface that the Python classes know: `cpu` implements it with kernels, `cng` with BCrypt.
//
// Whoever calls has checked sizes (keys, IVs, whole blocks) and overlaps. Everything that can fail
// returns a Status. Methods that are const may run in parallel on one object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cngaes/status.hpp"

namespace cngaes {

enum class Mode : std::uint8_t { ecb, cbc, ctr, gcm };
enum class Direction : std::uint8_t { encrypt, decrypt };

// SP 800-38D section 5.2.1.1: len(P) <= 2**39-256 bits, len(A) and len(IV) <= 2**64-1 bits.
inline constexpr std::uint64_t kGcmMaxDataBytes = (1ULL << 36) - 32;
inline constexpr std::uint64_t kGcmMaxAadBytes = (1ULL << 61) - 1;

// What distinguishes one GCM message from the next under the same key.
struct GcmMessage {
  const std::uint8_t* nonce;
  std::size_t nonce_len;  // >= 1
  const std::uint8_t* aad;
  std::size_t aad_len;
  std::size_t tag_len;  // 4, 8, 12..16
};

// An unfinished GCM message. Not for use by two threads at once.
class GcmStream {
 public:
  virtual ~GcmStream() = default;
  // out receives len bytes; may equal in.
  virtual Status update(std::uint8_t* out, const std::uint8_t* in, std::size_t len) noexcept = 0;
  virtual Status tag(std::uint8_t out_tag[16]) noexcept = 0;
};

// One AES key, expanded for one mode on one backend.
class CipherKey {
 public:
  virtual ~CipherKey() = default;
  virtual const char* kernel() const noexcept = 0;

  // len is a multiple of 16. iv: chaining value in and out.
  virtual Status ecb(Direction direction, std::uint8_t* out, const std::uint8_t* in,
                     std::size_t len) const noexcept = 0;
  virtual Status cbc(Direction direction, std::uint8_t iv[16], std::uint8_t* out,
                     const std::uint8_t* in, std::size_t len) const noexcept = 0;
  // counter: 128-bit big-endian, in and out: moved on by the blocks begun, ceil(len / 16).
  virtual Status ctr(std::uint8_t counter[16], std::uint8_t* out, const std::uint8_t* in,
                     std::size_t len) const noexcept = 0;
  // out: len bytes; out_tag: message.tag_len bytes.
  virtual Status gcm_seal(const GcmMessage& message, std::uint8_t* out, std::uint8_t* out_tag,
                          const std::uint8_t* in, std::size_t len) const noexcept = 0;
  // invalid_tag: out holds zeros.
  virtual Status gcm_open(const GcmMessage& message, std::uint8_t* out, const std::uint8_t* in,
                          std::size_t len, const std::uint8_t* tag) const noexcept = 0;
  // The key must outlive the stream.
  virtual Status gcm_start(Direction direction, const GcmMessage& message,
                           std::unique_ptr<GcmStream>* out_stream) const noexcept = 0;
};

// An unfinished SHA-256.
class HashState {
 public:
  virtual ~HashState() = default;
  virtual const char* kernel() const noexcept = 0;
  virtual Status update(const std::uint8_t* in, std::size_t len) noexcept = 0;
  virtual Status digest(std::uint8_t out[32]) const noexcept = 0;  // may go on afterwards
  virtual Status copy(std::unique_ptr<HashState>* out_copy) const noexcept = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const char* name() const noexcept = 0;
  // Null when usable here, else the reason ("needs Windows").
  virtual const char* unavailable_reason() const noexcept = 0;
  // bad_argument for a GCM tag length that the mode allows and this backend does not.
  virtual Status check_tag_length(std::size_t) const noexcept { return kOk; }

  virtual Status make_key(Mode mode, const std::uint8_t* key, std::size_t key_len,
                          std::unique_ptr<CipherKey>* out_key) const noexcept = 0;
  virtual Status make_hash(std::unique_ptr<HashState>* out_state) const noexcept = 0;
  virtual Status sha256(std::uint8_t out[32], const std::uint8_t* in,
                        std::size_t len) const noexcept = 0;
  virtual Status hmac_sha256(std::uint8_t out[32], const std::uint8_t* key, std::size_t key_len,
                             const std::uint8_t* in, std::size_t len) const noexcept = 0;
};

const Backend& cpu_backend() noexcept;

// All that this build knows by name, available here or not: cpu, cng, cng-ctypes.
std::span<const Backend* const> backends() noexcept;

// The backend that calls CNG from Python; the Python module brings it. Call before backends().
void set_ctypes_backend(const Backend* backend) noexcept;

// name empty: the environment's choice (CNGAES_BACKEND), else the default of this machine.
// `unsupported` for an unknown or unavailable one, with the reason in *error.
Status find_backend(std::string_view name, const Backend** out_backend, std::string* error);

}  // namespace cngaes
