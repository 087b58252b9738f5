// Kernel contract: what an instruction-set level must provide.
//
// Kernel files include only this header, C headers and intrinsics: no Python, no allocation, no
// C++ library. They do whole blocks, return nothing, and have no secret-dependent branch or index.
// num_blocks may be 0 everywhere; pointers to data are then not touched.
// Argument order everywhere: context, outputs, inputs, counts. `out` may equal `in`; any other
// overlap is the caller's fault and refused before a kernel is called.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace cngaes {

inline constexpr size_t kAesBlockBytes = 16;  // FIPS 197 section 3.4: Nb = 4 words
inline constexpr size_t kMaxRoundKeys = 15;   // FIPS 197 table 3: Nr = 14, plus the whitening key
inline constexpr size_t kSha256BlockBytes = 64;  // FIPS 180-4 section 1
inline constexpr size_t kSha256DigestBytes = 32;

// One layout for all kernels, so that a kernel can inherit any slot from the next one down.
struct alignas(64) AesKey {
  uint8_t enc[kMaxRoundKeys * kAesBlockBytes];  // FIPS 197 section 5.2, round 0 first
  uint8_t dec[kMaxRoundKeys * kAesBlockBytes];  // equivalent inverse cipher, section 5.3.5, in
                                                // order of use (dec[0] = last encryption key)
  uint32_t rounds;                              // 10, 12 or 14
};

// Powers of the hash subkey H (SP 800-38D section 6.3). `table` belongs to the kernel whose
// ghash_init filled it: the slots of the GHASH group below are therefore inherited together.
inline constexpr size_t kGhashTableBytes = 1024;
struct alignas(64) GhashKey {
  uint8_t table[kGhashTableBytes];
  uint8_t h[kAesBlockBytes];
};

inline constexpr size_t kGcmShortBlocks = 7;

// One of several CBC encryptions under one key that advance in step.
struct CbcStream {
  uint8_t* out;
  const uint8_t* in;
  size_t num_blocks;
  uint8_t iv[kAesBlockBytes];  // chaining value, in and out
};

// A null function means: inherit from the next kernel down. `generic` has none that is null.
struct AesFunctions {
  // GCM messages of up to so many blocks are best encrypted together with others (gcm_many.cpp);
  // 0 stands for 2. More where a single block costs as much as many. Not inherited.
  size_t gcm_together = 0;

  // FIPS 197 section 5.2; user_key_len is 16, 24 or 32. Fills enc, dec and rounds.
  void (*expand_key)(AesKey* key, const uint8_t* user_key, size_t user_key_len);

  void (*ecb_encrypt)(const AesKey* key, uint8_t* out, const uint8_t* in, size_t num_blocks);
  void (*ecb_decrypt)(const AesKey* key, uint8_t* out, const uint8_t* in, size_t num_blocks);
  // Counter blocks counter, counter+1, ...: the last 32 bits, big-endian, count modulo 2**32
  // (inc32 of SP 800-38D section 6.2). Wider counters are the core's job. counter is not changed.
  void (*ctr32)(const AesKey* key, uint8_t* out, const uint8_t* in, size_t num_blocks,
                const uint8_t counter[16]);
  // iv: chaining value, in and out, so that calls can be continued.
  void (*cbc_encrypt)(const AesKey* key, uint8_t iv[16], uint8_t* out, const uint8_t* in,
                      size_t num_blocks);
  void (*cbc_decrypt)(const AesKey* key, uint8_t iv[16], uint8_t* out, const uint8_t* in,
                      size_t num_blocks);
  // Any number of messages of any lengths; the kernel keeps as many of them in step as suit it.
  // Worth most when the lengths are alike: the last ones of a batch run with fewer beside them.
  void (*cbc_encrypt_streams)(const AesKey* key, CbcStream* streams, size_t num_streams);

  // The GHASH group: inherited together (see GhashKey).
  void (*ghash_init)(GhashKey* key, const uint8_t h[16]);  // fills table and h
  // y = GHASH state, in and out (SP 800-38D algorithm 2, started at y).
  void (*ghash)(const GhashKey* key, uint8_t y[16], const uint8_t* data, size_t num_blocks);
  // The same, with the length block [aad_bits]64 || [data_bits]64 behind the data (SP 800-38D
  // algorithm 4 step 5): one reduction for both in a short message.
  void (*ghash_finish)(const GhashKey* key, uint8_t y[16], const uint8_t* data, size_t num_blocks,
                       uint64_t aad_bits, uint64_t data_bits);
  // y = y * x in GF(2**128) (SP 800-38D algorithm 1): raises H to powers and so joins GHASHes of
  // pieces that were computed apart.
  void (*ghash_multiply)(uint8_t y[16], const uint8_t x[16]);
  // ctr32 and GHASH over the ciphertext in one pass. Each input block is loaded once.
  void (*gcm_encrypt)(const AesKey* key, const GhashKey* ghash_key, uint8_t y[16], uint8_t* out,
                      const uint8_t* in, size_t num_blocks, const uint8_t counter[16]);
  void (*gcm_decrypt)(const AesKey* key, const GhashKey* ghash_key, uint8_t y[16], uint8_t* out,
                      const uint8_t* in, size_t num_blocks, const uint8_t counter[16]);
  // All of a message of 1 to kGcmShortBlocks whole blocks but its AAD, whose GHASH state y is: y
  // becomes the tag, the data is encrypted from j0 + 1 on (SP 800-38D algorithm 4 steps 3 to 6).
  // Each input block is loaded once. Null where nothing is gained over the slots above.
  void (*gcm_encrypt_short)(const AesKey* key, const GhashKey* ghash_key, uint8_t y[16],
                            uint8_t* out, const uint8_t* in, size_t num_blocks,
                            const uint8_t j0[16], uint64_t aad_bits);
  void (*gcm_decrypt_short)(const AesKey* key, const GhashKey* ghash_key, uint8_t y[16],
                            uint8_t* out, const uint8_t* in, size_t num_blocks,
                            const uint8_t j0[16], uint64_t aad_bits);
};

struct Sha256Functions {
  // FIPS 180-4 section 6.2.2 over num_blocks blocks of 64 bytes.
  void (*compress)(uint32_t state[8], const uint8_t* data, size_t num_blocks);
  // The same for num_streams messages of num_blocks blocks each, in step; any number of them.
  // Messages of unequal lengths are the core's job: it keeps `lanes` of them under way, calls this
  // for as many blocks as the shortest still has, and puts the next one in its place.
  void (*compress_streams)(uint32_t (*states)[8], const uint8_t* const* data, size_t num_streams,
                           size_t num_blocks);
  // How many streams at a time compress_streams is fastest for; fewer cost more a byte, other
  // multiples of it do not cost less. Inherited with compress_streams; 0 only where that is null.
  size_t lanes;
  // One block that is the same for `lanes` messages: the padding behind whole blocks. schedule
  // gives W[t] + K[t] for all rounds (section 6.2.2 steps 1 and 3), once for many calls of
  // compress_scheduled. Both are null where they gain nothing; inherited with compress_streams.
  void (*schedule)(uint32_t words[64], const uint8_t block[kSha256BlockBytes]);
  void (*compress_scheduled)(uint32_t (*states)[8], const uint32_t words[64]);
};

// Tables are defined in their kernel files; cpp/core/registry.cpp lists them.
extern const AesFunctions kAesGeneric;
extern const AesFunctions kAesArm64Ce;
extern const AesFunctions kAesArm64Eor3;
extern const AesFunctions kAesX86Aesni;
extern const AesFunctions kAesX86Vaes256;
extern const AesFunctions kAesX86Vaes512;
extern const Sha256Functions kSha256Generic;
extern const Sha256Functions kSha256Arm64Ce;
extern const Sha256Functions kSha256X86Shani;
extern const Sha256Functions kSha256X86ShaniAvx512;

}  // namespace cngaes
