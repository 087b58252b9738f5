// The kernels in order of preference, and the choice among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cngaes/cpu_features.hpp"
#include "cngaes/kernels.h"
#include "cngaes/status.hpp"

namespace cngaes {

enum class Family : std::uint8_t { aes = 0, sha256 = 1 };
inline constexpr std::size_t kNumFamilies = 2;
inline constexpr const char* kFamilyNames[kNumFamilies] = {"aes", "sha256"};

// One row: an instruction-set level of one family.
struct Kernel {
  const char* name;
  Family family;
  FeatureSet needs;               // capability
  const AesFunctions* aes;        // null unless family is aes
  const Sha256Functions* sha256;  // null unless family is sha256
  FeatureSet prefers = 0;         // free choice takes others first where any of these is missing
};

// Best first; `generic` ends each family.
std::span<const Kernel> compiled_kernels() noexcept;

// Features in use: detected, less CNGAES_CPU_MASK or what set_cpu_mask was given.
FeatureSet usable_features() noexcept;
bool is_supported(const Kernel& kernel) noexcept;
// Supported, and not only for want of a better one.
bool is_preferred(const Kernel& kernel) noexcept;

// A kernel's slots after inheritance, its self-test state beside them.
struct AesChoice {
  const char* name;
  AesFunctions fn;
};
struct Sha256Choice {
  const char* name;
  Sha256Functions fn;
};

// The choice for a new key or hash: the forced kernel if any, else the first supported one whose
// known-answer test passes. The test runs once per kernel, here, at first use.
Status choose_aes(const AesChoice** out_choice) noexcept;
Status choose_sha256(const Sha256Choice** out_choice) noexcept;

// Like choose_*, for one named kernel (tests, self_test). `unsupported` if this CPU lacks it.
Status find_aes(std::string_view name, const AesChoice** out_choice) noexcept;
Status find_sha256(std::string_view name, const Sha256Choice** out_choice) noexcept;

enum class SelfTest : std::uint8_t { untested = 0, passed = 1, failed = 2 };
SelfTest self_test_state(const Kernel& kernel) noexcept;
// Runs the kernel's known answers now, whatever its state; the CPU must support it.
SelfTest run_self_test(const Kernel& kernel) noexcept;

// "aes=x86-vaes256,sha256=generic", or a bare name for all families it has; empty = free choice.
// `error` gets the reason when the result is not ok. Replaces what CNGAES_KERNEL said.
Status force_kernels(std::string_view spec, std::string* error);
bool has_forced_kernels() noexcept;
// Feature names to take away; empty = none. Replaces what CNGAES_CPU_MASK said.
Status set_cpu_mask(std::string_view names, std::string* error);
// Back to what the environment said at load. A wrong environment value makes every choose_* fail
// with bad_argument and this text.
void use_environment_choice();
const std::string& environment_error() noexcept;

#ifdef CNGAES_TEST_HOOKS
// Which kernels' functions ran since the last call, as a set of names ("aes:x86-aesni").
std::string take_kernel_hits();
// Sets a kernel's self-test result, so that a test can see a failed one passed over.
void pretend_self_test(const Kernel& kernel, SelfTest state) noexcept;
#endif

}  // namespace cngaes
