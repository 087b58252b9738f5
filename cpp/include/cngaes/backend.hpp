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

#include "cngaes/lists.hpp"
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

// Many GCM messages under one key. The tag stands behind each ciphertext; messages of gcm_open_many
// that have no room for one have failed already and are not touched.
struct GcmBatch {
  List nonces;
  List aads;
  List in;
  OutList out;
  std::size_t tag_len;

  GcmMessage message(std::size_t i) const noexcept {
    const ByteView nonce = nonces[i];
    const ByteView aad = aads[i];
    return {nonce.data, nonce.len, aad.data, aad.len, tag_len};
  }
};

// Many messages for CBC encryption; out: encrypted_size() bytes each.
struct CbcBatch {
  List ivs;
  List in;
  OutList out;
  bool padded;
};

// Many messages to hash; out: 32 bytes each.
struct HashBatch {
  List in;
  OutList out;
};

// The messages begin <= i < end of a batch, but for those of skip_from bytes and more, which
// somebody else does.
struct Range {
  std::size_t begin;
  std::size_t end;
  std::size_t skip_from = SIZE_MAX;
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
  // What gcm_seal and gcm_open would say to sizes: those of the mode, and the backend's own limits.
  virtual Status gcm_check(const GcmMessage& message, std::uint64_t len) const noexcept = 0;

  // The same over up to `threads` cores, where the backend can split a message; else over one.
  virtual Status gcm_seal_split(const GcmMessage& message, std::uint8_t* out, std::uint8_t* out_tag,
                                const std::uint8_t* in, std::size_t len,
                                unsigned threads) const noexcept;
  virtual Status gcm_open_split(const GcmMessage& message, std::uint8_t* out,
                                const std::uint8_t* in, std::size_t len, const std::uint8_t* tag,
                                unsigned threads) const noexcept;

  // Many messages, over one core. A backend that can do no better makes one call after another.
  // After an error the outputs hold anything; the caller wipes them.
  virtual Status gcm_seal_many(const GcmBatch& batch, Range range) const noexcept;
  // out_failed[i]: 1 where the tag was wrong, and out[i] then holds zeros; else unchanged.
  virtual Status gcm_open_many(const GcmBatch& batch, Range range,
                               std::uint8_t* out_failed) const noexcept;
  virtual Status cbc_encrypt_many(const CbcBatch& batch, Range range) const noexcept;

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

  // Many messages, over one core; by default one after another.
  virtual Status sha256_many(const HashBatch& batch, Range range) const noexcept;
  virtual Status hmac_sha256_many(const std::uint8_t* key, std::size_t key_len,
                                  const HashBatch& batch, Range range) const noexcept;
};

const Backend& cpu_backend() noexcept;

// All that this build knows by name, available here or not: cpu, cng, cng-ctypes.
std::span<const Backend* const> backends() noexcept;

// The backend that calls CNG from Python; the Python module brings it. Call before backends().
void set_ctypes_backend(const Backend* backend) noexcept;

// What CNGAES_BACKEND said at the first call: a change afterwards has no effect.
const std::string& environment_backend();

// name empty: the environment's choice (CNGAES_BACKEND), else the default of this machine.
// `unsupported` for an unknown or unavailable one, with the reason in *error.
Status find_backend(std::string_view name, const Backend** out_backend, std::string* error);

}  // namespace cngaes
