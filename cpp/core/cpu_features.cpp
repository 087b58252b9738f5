#include "cngaes/cpu_features.hpp"

namespace cngaes {
namespace {

constexpr std::uint32_t bit(int n) noexcept { return 1U << n; }
constexpr bool has_all(std::uint64_t value, std::uint64_t bits) noexcept {
  return (value & bits) == bits;
}

}  // namespace

// Bit numbers: Intel SDM volume 2A, CPUID, leaves 1 and 7; XCR0: volume 1 section 13.3.
FeatureSet features_from_cpuid(const X86Cpuid& cpuid) noexcept {
  FeatureSet set = 0;
  constexpr std::uint32_t kGenu = 0x756e6547;  // "GenuineIntel"
  if (cpuid.vendor_ebx == kGenu) set |= kIntel;
  const std::uint32_t c1 = cpuid.leaf1_ecx;
  if ((c1 & bit(1)) != 0) set |= kPclmul;
  if ((c1 & bit(9)) != 0) set |= kSsse3;
  if ((c1 & bit(19)) != 0) set |= kSse41;
  if ((c1 & bit(25)) != 0) set |= kAesNi;

  const std::uint32_t b7 = cpuid.max_leaf >= 7 ? cpuid.leaf7_ebx : 0;
  const std::uint32_t c7 = cpuid.max_leaf >= 7 ? cpuid.leaf7_ecx : 0;
  if ((b7 & bit(29)) != 0) set |= kShaNi;

  // Wide registers count only if the operating system saves them: a virtual machine may show AVX
  // in CPUID with XSAVE turned off, and the first instruction would be SIGILL.
  constexpr std::uint64_t kXmmYmm = 0x06;
  constexpr std::uint64_t kOpmaskZmm = 0xe0;
  const bool os_ymm = (c1 & bit(27)) != 0 && has_all(cpuid.xcr0, kXmmYmm);
  if (!os_ymm || (c1 & bit(28)) == 0) return set;
  set |= kAvx;
  if ((b7 & bit(5)) != 0) set |= kAvx2;
  if ((c7 & bit(9)) != 0) set |= kVaes;
  if ((c7 & bit(10)) != 0) set |= kVpclmul;
  constexpr std::uint32_t kF = 1U << 16;
  constexpr std::uint32_t kDq = 1U << 17;
  constexpr std::uint32_t kBw = 1U << 30;
  constexpr std::uint32_t kVl = 1U << 31;
  if (has_all(cpuid.xcr0, kOpmaskZmm) && has_all(b7, kF | kDq | kBw | kVl)) set |= kAvx512;
  return set;
}

bool parse_feature_names(std::string_view names, FeatureSet* out_set, std::string* out_unknown) {
  *out_set = 0;
  while (!names.empty()) {
    const std::size_t comma = names.find(',');
    const std::string_view name = names.substr(0, comma);
    names = comma == std::string_view::npos ? std::string_view{} : names.substr(comma + 1);
    if (name.empty()) continue;
    FeatureSet found = 0;
    for (const FeatureName& feature : kFeatureNames) {
      if (name == feature.name) found = feature.bit;
    }
    if (found == 0) {
      *out_unknown = name;
      return false;
    }
    *out_set |= found;
  }
  return true;
}

#if !defined(__x86_64__) && !defined(__i386__) && !defined(_M_X64) && !defined(_M_IX86) && \
    !defined(__aarch64__) && !defined(_M_ARM64)
FeatureSet detect_cpu_features() noexcept { return 0; }
#endif

}  // namespace cngaes
