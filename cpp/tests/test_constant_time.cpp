// No branch and no address depends on a secret: keys, messages and chaining values are declared
// undefined to Valgrind, which reports every jump and every address made from such bytes (the
// method of A. Langley's ctgrind). Public: lengths, nonces, and the verdict on a tag or padding.
#include "check.hpp"

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define RUNNING_ON_VALGRIND 0
#define VALGRIND_MAKE_MEM_UNDEFINED(data, len) static_cast<void>(data)
#define VALGRIND_MAKE_MEM_DEFINED(data, len) static_cast<void>(data)
#define VALGRIND_COUNT_ERRORS 0
#endif

#include "cngaes/modes.hpp"
#include "cngaes/padding.hpp"
#include "cngaes/secure_memory.hpp"
#include "cngaes/sha256.hpp"
#include "kernel_list.hpp"

namespace {

using namespace cngaes;
using test::Bytes;
using test::Random;

Bytes secret_bytes(std::size_t len, Random& random) {
  Bytes bytes = random.bytes(len);
  VALGRIND_MAKE_MEM_UNDEFINED(bytes.data(), len);
  return bytes;
}

void aes(const AesChoice& kernel, std::size_t key_len, std::size_t n, Random& random) {
  const AesFunctions& fn = kernel.fn;
  const Bytes user_key = secret_bytes(key_len, random);
  const Bytes data = secret_bytes(16 * n, random);
  Bytes out(16 * n);
  Bytes iv = secret_bytes(16, random);
  AesKey key;
  fn.expand_key(&key, user_key.data(), key_len);
  fn.ecb_encrypt(&key, out.data(), data.data(), n);
  fn.ecb_decrypt(&key, out.data(), data.data(), n);
  fn.cbc_encrypt(&key, iv.data(), out.data(), data.data(), n);
  fn.cbc_decrypt(&key, iv.data(), out.data(), data.data(), n);
  const Bytes counter = random.bytes(16);
  fn.ctr32(&key, out.data(), data.data(), n, counter.data());

  GhashKey ghash_key;
  gcm_expand(fn, key, &ghash_key);
  Bytes y = secret_bytes(16, random);
  fn.ghash(&ghash_key, y.data(), data.data(), n);
  fn.ghash_multiply(y.data(), iv.data());
  fn.gcm_encrypt(&key, &ghash_key, y.data(), out.data(), data.data(), n, counter.data());
  fn.gcm_decrypt(&key, &ghash_key, y.data(), out.data(), data.data(), n, counter.data());

  std::vector<CbcStream> streams(7);
  Bytes stream_data = secret_bytes(16 * 7 * 7, random);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    std::uint8_t* at = &stream_data[16 * 7 * i];
    streams[i] = {at, at, i, {}};
  }
  fn.cbc_encrypt_streams(&key, streams.data(), streams.size());

  const GcmMessage message{counter.data(), 12, data.data(), data.size(), 16};
  std::uint8_t tag[16];
  const std::size_t len = n > 0 ? 16 * n - 3 : 0;
  CHECK(gcm_seal({fn, key, ghash_key}, message, out.data(), tag, data.data(), len).ok());
  // Whole blocks: the short messages' own slots.
  CHECK(gcm_seal({fn, key, ghash_key}, message, out.data(), tag, data.data(), 16 * n).ok());
  if (fn.gcm_decrypt_short != nullptr && n > 0 && n <= kGcmShortBlocks) {
    fn.gcm_decrypt_short(&key, &ghash_key, tag, out.data(), data.data(), n, counter.data(), 0);
  }
}

void sha256(const Sha256Choice& kernel, std::size_t len, Random& random) {
  const Bytes data = secret_bytes(len, random);
  std::uint8_t digest[32];
  Sha256::hash(kernel.fn, digest, data.data(), len);
  const Bytes words = secret_bytes(32 * 19, random);
  std::vector<std::uint32_t> states(8 * 19);
  std::memcpy(states.data(), words.data(), words.size());
  const std::vector<const std::uint8_t*> streams(19, data.data());
  kernel.fn.compress_streams(reinterpret_cast<std::uint32_t (*)[8]>(states.data()), streams.data(),
                             streams.size(), len / 64);
  if (kernel.fn.schedule != nullptr && len >= 64) {
    std::uint32_t schedule[64];
    kernel.fn.schedule(schedule, data.data());
    kernel.fn.compress_scheduled(reinterpret_cast<std::uint32_t (*)[8]>(states.data()), schedule);
  }
  Sha256::hmac(kernel.fn, digest, data.data(), len % 100, data.data(), len);
}

void core(Random& random) {
  const Bytes a = secret_bytes(16, random);
  const Bytes b = secret_bytes(16, random);
  for (std::size_t len = 0; len <= 16; ++len) {
    int equal = constant_time_equal(a.data(), b.data(), len);
    VALGRIND_MAKE_MEM_DEFINED(&equal, sizeof equal);
    CHECK(equal == 0 || len < 4);
  }
  for (unsigned pad = 0; pad < 20; ++pad) {
    Bytes block(16, static_cast<std::uint8_t>(pad));
    VALGRIND_MAKE_MEM_UNDEFINED(block.data(), block.size());
    std::size_t left = pkcs7_unpad(block.data());
    VALGRIND_MAKE_MEM_DEFINED(&left, sizeof left);
    CHECK(left == (pad >= 1 && pad <= 16 ? 16 - pad : 16));
  }
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  if (!RUNNING_ON_VALGRIND) {
    std::printf("SKIPPED: only Valgrind can tell\n");
    return 77;
  }
  Random random(11);
  test::for_each_aes([&random](const AesChoice& kernel) {
    const auto before = VALGRIND_COUNT_ERRORS;
    for (const std::size_t key_len : test::kKeyLengths) {
      for (const std::size_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 17, 37, 70}) {
        aes(kernel, key_len, n, random);
      }
    }
    CHECK_CASE(VALGRIND_COUNT_ERRORS == before, "%s", kernel.name);
  });
  test::for_each_sha256([&random](const Sha256Choice& kernel) {
    const auto before = VALGRIND_COUNT_ERRORS;
    for (const std::size_t len : {0, 1, 55, 56, 64, 130, 500}) sha256(kernel, len, random);
    CHECK_CASE(VALGRIND_COUNT_ERRORS == before, "%s", kernel.name);
  });
  core(random);
  // The method works: a table looked up with a secret is seen.
  const auto before = VALGRIND_COUNT_ERRORS;
  std::printf("One report about main() follows on purpose.\n");
  std::fflush(stdout);
  static volatile std::uint8_t table[256] = {};
  const Bytes secret = secret_bytes(1, random);
  std::uint8_t found = table[secret[0]];
  VALGRIND_MAKE_MEM_DEFINED(&found, 1);
  CHECK(found == 0 && VALGRIND_COUNT_ERRORS == before + 1);
  return test::end();
}
