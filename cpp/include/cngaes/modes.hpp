// The modes, each written once over a kernel's slots (cngaes/kernels.h). Sizes were checked by the
// caller; in and out are the same or do not overlap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cngaes/backend.hpp"
#include "cngaes/kernels.h"
#include "cngaes/secure_memory.hpp"
#include "cngaes/status.hpp"

namespace cngaes {

// SP 800-38A section 6.5 with a 128-bit big-endian counter, in and out: it moves on by
// ceil(len / 16).
void ctr_crypt(const AesFunctions& fn, const AesKey& key, std::uint8_t counter[16],
               std::uint8_t* out, const std::uint8_t* in, std::size_t len) noexcept;

// Many messages, their chains in step.
void cbc_encrypt_many(const AesFunctions& fn, const AesKey& key, const CbcBatch& batch,
                      Range range) noexcept;

// Everything GCM needs of a key, ready for use with `fn`.
struct GcmContext {
  const AesFunctions& fn;
  const AesKey& aes;
  const GhashKey& ghash;
};

// H = CIPH_K(0^128) and its powers (SP 800-38D section 6.4 step 1).
void gcm_expand(const AesFunctions& fn, const AesKey& aes, GhashKey* out_ghash) noexcept;

// SP 800-38D algorithm 4. `limit` before anything is written if a size is too large.
Status gcm_seal(const GcmContext& context, const GcmMessage& message, std::uint8_t* out,
                std::uint8_t* out_tag, const std::uint8_t* in, std::size_t len) noexcept;
// SP 800-38D algorithm 5. invalid_tag: out holds len zeros.
Status gcm_open(const GcmContext& context, const GcmMessage& message, std::uint8_t* out,
                const std::uint8_t* in, std::size_t len, const std::uint8_t* tag) noexcept;

// The same over up to `threads` cores: each works on a piece, and GHASHes of the pieces are joined
// by powers of H.
Status gcm_seal_split(const GcmContext& context, const GcmMessage& message, std::uint8_t* out,
                      std::uint8_t* out_tag, const std::uint8_t* in, std::size_t len,
                      unsigned threads) noexcept;
Status gcm_open_split(const GcmContext& context, const GcmMessage& message, std::uint8_t* out,
                      const std::uint8_t* in, std::size_t len, const std::uint8_t* tag,
                      unsigned threads) noexcept;

// Many messages, see CipherKey: short ones are taken together.
Status gcm_seal_many(const GcmContext& context, const GcmBatch& batch, Range range) noexcept;
Status gcm_open_many(const GcmContext& context, const GcmBatch& batch, Range range,
                     std::uint8_t* out_failed) noexcept;

// The limits of SP 800-38D section 5.2.1.1, compared in 64 bits on every platform.
Status gcm_check_sizes(const GcmMessage& message, std::uint64_t data_len) noexcept;

// GCM in pieces. Borrows the key.
class CpuGcmStream final : public GcmStream, public SecretObject {
 public:
  CpuGcmStream(Direction direction, const GcmContext& context, const GcmMessage& message) noexcept;
  CpuGcmStream(const CpuGcmStream&) = delete;
  CpuGcmStream& operator=(const CpuGcmStream&) = delete;
  ~CpuGcmStream() override;

  Status update(std::uint8_t* out, const std::uint8_t* in, std::size_t len) noexcept override;
  Status tag(std::uint8_t out_tag[16]) noexcept override;

#ifdef CNGAES_TEST_HOOKS
  void pretend_processed(std::uint64_t len) noexcept { data_len_ = len; }
#endif

 private:
  void update_partial(std::uint8_t* out, const std::uint8_t* in, std::size_t len) noexcept;

  GcmContext context_;
  Direction direction_;
  std::uint8_t y_[16] = {};
  std::uint8_t tag_mask_[16];  // CIPH_K(J0)
  std::uint8_t counter_[16];
  std::uint8_t keystream_[16] = {};
  std::uint8_t partial_[16] = {};  // ciphertext of the block in progress, zero-padded
  std::size_t num_partial_ = 0;
  std::uint64_t aad_len_;
  std::uint64_t data_len_ = 0;
};

}  // namespace cngaes
