// Windows CNG as a backend, and what of Windows matters to the choice among backends.
#pragma once

#include "cngaes/backend.hpp"

namespace cngaes {

// Null where bcrypt.dll cannot be used, with the reason.
const Backend* cng_backend(const char** out_reason) noexcept;

// For measurements: the `cng` backend over functions that succeed and compute nothing. What it
// takes is what our side of a call costs. Never handed out by find_backend.
const Backend& noop_cng_backend() noexcept;

// "8.0"; empty when this is no Wine.
const char* wine_version() noexcept;

// A process built for x86 that runs on an ARM64 Windows.
bool is_emulated_process() noexcept;

}  // namespace cngaes
