#include "backend_cng.hpp"

namespace cngaes::cng {
namespace {

struct Row {
  const char16_t* algorithm;
  const char16_t* mode;  // null for hashes
  std::size_t mode_bytes;
  Ulong flags;
  std::uintptr_t pseudo;
};
template <std::size_t kUnits>
constexpr Row cipher(const char16_t (&mode)[kUnits], std::uintptr_t pseudo) {
  return {u"AES", mode, sizeof mode, 0, pseudo};
}
constexpr Row kRows[kNumAlgorithms] = {
    cipher(u"ChainingModeECB", 0x1B1),        cipher(u"ChainingModeCBC", 0x1A1),
    cipher(u"ChainingModeGCM", 0x1E1),        {u"SHA256", nullptr, 0, 0, 0x41},
    {u"SHA256", nullptr, 0, kHmacFlag, 0xB1},
};

}  // namespace

Handle Providers::pseudo_handle(Algorithm algorithm) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is what a pseudo-handle is
  return reinterpret_cast<Handle>(kRows[static_cast<std::size_t>(algorithm)].pseudo);
}

NtStatus Providers::open(Algorithm algorithm, const char** out_name) noexcept {
  const Row& row = kRows[static_cast<std::size_t>(algorithm)];
  Handle handle = nullptr;
  *out_name = "BCryptOpenAlgorithmProvider";
  // By name, so that no third party's provider with a higher priority is taken.
  NtStatus status =
      api_.open_provider(&handle, row.algorithm, u"Microsoft Primitive Provider", row.flags);
  if (!succeeded(status)) return status;
  if (row.mode != nullptr) {
    *out_name = "BCryptSetProperty";
    status =
        api_.set_property(handle, u"ChainingMode", reinterpret_cast<const std::uint8_t*>(row.mode),
                          static_cast<Ulong>(row.mode_bytes), 0);
    if (!succeeded(status)) {
      api_.close_provider(handle, 0);
      return status;
    }
  }
  Handle none = nullptr;
  if (!opened_[static_cast<std::size_t>(algorithm)].compare_exchange_strong(
          none, handle, std::memory_order_acq_rel)) {
    api_.close_provider(handle, 0);  // another thread was faster
  }
  return status;
}

Providers::~Providers() {
  for (std::atomic<Handle>& opened : opened_) {
    if (Handle handle = opened.exchange(nullptr); handle != nullptr) api_.close_provider(handle, 0);
  }
}

}  // namespace cngaes::cng
