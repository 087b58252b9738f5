// CPUID and XGETBV. Empty on other architectures.
#include "cngaes/cpu_features.hpp"

#if defined(__x86_64__) || defined(__i386__) || defined(_M_X64) || defined(_M_IX86)

#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <cpuid.h>
#endif

namespace cngaes {
namespace {

struct Leaf {
  std::uint32_t eax, ebx, ecx, edx;
};

Leaf cpuid(std::uint32_t leaf) noexcept {
#if defined(_MSC_VER)
  int r[4];
  __cpuidex(r, static_cast<int>(leaf), 0);
  return {static_cast<std::uint32_t>(r[0]), static_cast<std::uint32_t>(r[1]),
          static_cast<std::uint32_t>(r[2]), static_cast<std::uint32_t>(r[3])};
#else
  Leaf r{};
  __cpuid_count(leaf, 0, r.eax, r.ebx, r.ecx, r.edx);
  return r;
#endif
}

std::uint64_t xgetbv0() noexcept {
#if defined(_MSC_VER)
  return _xgetbv(0);
#else
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
#endif
}

}  // namespace

FeatureSet detect_cpu_features() noexcept {
  X86Cpuid registers;
  const Leaf leaf0 = cpuid(0);
  registers.max_leaf = leaf0.eax;
  registers.vendor_ebx = leaf0.ebx;
  registers.leaf1_ecx = cpuid(1).ecx;
  if (registers.max_leaf >= 7) {
    const Leaf leaf7 = cpuid(7);
    registers.leaf7_ebx = leaf7.ebx;
    registers.leaf7_ecx = leaf7.ecx;
  }
  constexpr std::uint32_t kOsXsave = 1U << 27;
  if ((registers.leaf1_ecx & kOsXsave) != 0) registers.xcr0 = xgetbv0();
  return features_from_cpuid(registers);
}

}  // namespace cngaes

#endif
