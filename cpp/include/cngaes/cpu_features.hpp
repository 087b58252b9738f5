// What the CPU and the operating system let us use, as one set of bits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cngaes {

using FeatureSet = std::uint64_t;

// Names are those of /proc/cpuinfo where it has one.
enum Feature : FeatureSet {
  kSsse3 = 1ULL << 0,
  kSse41 = 1ULL << 1,
  kAesNi = 1ULL << 2,
  kPclmul = 1ULL << 3,
  kAvx = 1ULL << 4,
  kAvx2 = 1ULL << 5,
  kVaes = 1ULL << 6,
  kVpclmul = 1ULL << 7,
  kShaNi = 1ULL << 8,
  kAvx512 = 1ULL << 9,  // F, BW, VL and DQ together, with the OS saving zmm state
  kIntel = 1ULL << 10,  // no ability, but what preferences go by
  kArmAes = 1ULL << 32,
  kArmPmull = 1ULL << 33,
  kArmSha2 = 1ULL << 34,
  kArmSha3 = 1ULL << 35,  // EOR3
};

struct FeatureName {
  FeatureSet bit;
  const char* name;
};
inline constexpr FeatureName kFeatureNames[] = {
    {kSsse3, "ssse3"},
    {kSse41, "sse4_1"},
    {kAesNi, "aes"},
    {kPclmul, "pclmulqdq"},
    {kAvx, "avx"},
    {kAvx2, "avx2"},
    {kVaes, "vaes"},
    {kVpclmul, "vpclmulqdq"},
    {kShaNi, "sha_ni"},
    {kAvx512, "avx512"},
    {kIntel, "intel"},
    {kArmAes, "arm-aes"},
    {kArmPmull, "arm-pmull"},
    {kArmSha2, "arm-sha2"},
    {kArmSha3, "arm-sha3"},
};

// The registers that detection reads, so that a test can fake a CPU.
struct X86Cpuid {
  std::uint32_t max_leaf = 0;
  std::uint32_t vendor_ebx = 0;  // leaf 0: the name's first four letters
  std::uint32_t leaf1_ecx = 0;
  std::uint32_t leaf7_ebx = 0;
  std::uint32_t leaf7_ecx = 0;
  std::uint64_t xcr0 = 0;  // read only when leaf1_ecx has OSXSAVE
};
FeatureSet features_from_cpuid(const X86Cpuid& cpuid) noexcept;

// Asks the CPU and the operating system anew.
FeatureSet detect_cpu_features() noexcept;

// "aes,vaes" -> bits. False and the offending name in *out_unknown when a name is not known.
bool parse_feature_names(std::string_view names, FeatureSet* out_set, std::string* out_unknown);

}  // namespace cngaes
