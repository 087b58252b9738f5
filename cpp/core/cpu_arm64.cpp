// AES and PMULL come together on every ARMv8 core that has either, but are asked for apart where
// the system tells them apart. Empty on other architectures.
#include "cngaes/cpu_features.hpp"

#if defined(__aarch64__) || defined(_M_ARM64)

#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#elif defined(__linux__)
#include <sys/auxv.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace cngaes {

#if defined(__APPLE__)
namespace {
bool sysctl_says(const char* name) noexcept {
  int value = 0;
  std::size_t size = sizeof value;
  return sysctlbyname(name, &value, &size, nullptr, 0) == 0 && value != 0;
}
}  // namespace
#endif

FeatureSet detect_cpu_features() noexcept {
  FeatureSet set = 0;
#if defined(_WIN32)
  // PF_ARM_V8_CRYPTO_INSTRUCTIONS_AVAILABLE (30) stands for AES, PMULL, SHA-1 and SHA-256;
  // PF_ARM_SHA3_INSTRUCTIONS_AVAILABLE (64) is missing from older SDK headers.
  if (IsProcessorFeaturePresent(30)) set |= kArmAes | kArmPmull | kArmSha2;
  if (IsProcessorFeaturePresent(64)) set |= kArmSha3;
#elif defined(__linux__)
  // Bits of the kernel's AT_HWCAP ABI (arch/arm64/include/uapi/asm/hwcap.h).
  const unsigned long hwcap = getauxval(AT_HWCAP);
  if ((hwcap & (1UL << 3)) != 0) set |= kArmAes;
  if ((hwcap & (1UL << 4)) != 0) set |= kArmPmull;
  if ((hwcap & (1UL << 6)) != 0) set |= kArmSha2;
  if ((hwcap & (1UL << 17)) != 0) set |= kArmSha3;
#elif defined(__APPLE__)
  if (sysctl_says("hw.optional.arm.FEAT_AES")) set |= kArmAes;
  if (sysctl_says("hw.optional.arm.FEAT_PMULL")) set |= kArmPmull;
  if (sysctl_says("hw.optional.arm.FEAT_SHA256")) set |= kArmSha2;
  if (sysctl_says("hw.optional.arm.FEAT_SHA3")) set |= kArmSha3;
#endif
  return set;
}

}  // namespace cngaes

#endif
