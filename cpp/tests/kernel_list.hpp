// Runs a test on every kernel that this build has and this CPU supports.
#pragma once

#include "check.hpp"
#include "cngaes/registry.hpp"

#ifdef CNGAES_TEST_EMULATED_512
namespace cngaes {
extern const AesFunctions kAesX86Vaes512Emulated;
}
#endif

namespace test {

#ifdef CNGAES_TEST_EMULATED_512
// The source of x86-vaes512 over emulated vectors, above x86-aesni, which it is emulated by.
template <class TestOne>
void for_emulated_512(TestOne test_one) {
  const cngaes::AesChoice* below = nullptr;
  if (!cngaes::find_aes("x86-aesni", &below).ok()) {
    std::printf("not supported by this CPU: x86-aesni\n");
    return;
  }
  cngaes::AesChoice choice = *below;
  cngaes::AesFunctions fn = cngaes::kAesX86Vaes512Emulated;
  fn.expand_key = below->fn.expand_key;
  fn.cbc_encrypt = below->fn.cbc_encrypt;
  choice.name = "x86-vaes512, emulated";
  choice.fn = fn;
  CHECK(fn.ecb_encrypt != nullptr && fn.ecb_encrypt != below->fn.ecb_encrypt);
  test_one(choice);
}
#endif

// test_one: callable with an AesChoice.
template <class TestOne>
void for_each_aes(TestOne test_one) {
  for (const cngaes::Kernel& kernel : cngaes::compiled_kernels()) {
    if (kernel.family != cngaes::Family::aes) continue;
    if (!cngaes::is_supported(kernel)) {
      std::printf("not supported by this CPU: %s\n", kernel.name);
      continue;
    }
    const cngaes::AesChoice* choice = nullptr;
    const bool found = cngaes::find_aes(kernel.name, &choice).ok();
    CHECK(found);
    if (found) test_one(*choice);
  }
#ifdef CNGAES_TEST_EMULATED_512
  for_emulated_512(test_one);
#endif
}

// test_one: callable with a Sha256Choice.
template <class TestOne>
void for_each_sha256(TestOne test_one) {
  for (const cngaes::Kernel& kernel : cngaes::compiled_kernels()) {
    if (kernel.family != cngaes::Family::sha256) continue;
    if (!cngaes::is_supported(kernel)) {
      std::printf("not supported by this CPU: %s\n", kernel.name);
      continue;
    }
    const cngaes::Sha256Choice* choice = nullptr;
    const bool found = cngaes::find_sha256(kernel.name, &choice).ok();
    CHECK(found);
    if (found) test_one(*choice);
  }
}

inline constexpr std::size_t kKeyLengths[] = {16, 24, 32};

}  // namespace test
