// What core and backend functions return. Python exceptions are made from it in one place, the
// bindings (cpp/bindings/errors.cpp).
#pragma once

#include <cstdint>

namespace cngaes {

enum class StatusCode : std::uint8_t {
  ok = 0,
  invalid_tag = 1,
  invalid_padding = 2,
  out_of_memory = 3,
  unsupported = 4,    // the backend cannot do this; `text` says what and which backend can
  limit = 5,          // a size above the mode's or the backend's limit; `text` names it
  self_test = 6,      // no kernel passed its known-answer test
  backend_error = 7,  // CNG failed; `ntstatus` says how
  bad_argument = 8,   // only the C ABI and the environment's choices can produce it
};

struct [[nodiscard]] Status {
  StatusCode code = StatusCode::ok;
  std::uint32_t ntstatus = 0;
  const char* text = nullptr;  // static storage

  constexpr bool ok() const noexcept { return code == StatusCode::ok; }
};

inline constexpr Status kOk{};

constexpr Status fail(StatusCode code, const char* text = nullptr) noexcept {
  return Status{code, 0, text};
}

}  // namespace cngaes
