// Runs a test on every kernel that this build has and this CPU supports.
#pragma once

#include "check.hpp"
#include "cngaes/registry.hpp"

namespace test {

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
