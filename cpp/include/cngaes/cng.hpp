// Windows CNG as a backend, and what of Windows matters to the choice among backends.
#pragma once

#include <cstdint>

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
// For tests, which have no such machine: what is_emulated_process() says from now on; -1 undoes it.
void pretend_emulated_process(int answer) noexcept;

// What both rest on, apart from any system.
// IsWow64Process2's answer: 0, or the machines of the process and of the system. Null where Windows
// lacks the function (before Windows 10 1709, when it had no emulation for x64).
using MachinesQuery = int (*)(std::uint16_t* process, std::uint16_t* system);
bool is_emulated_by(MachinesQuery query) noexcept;

// What backend=None means where CNG is there. An emulated process has its AES instructions
// translated one by one, and not always rightly (pycryptodome issue 728); CNG runs native code
// there.
constexpr bool prefers_cng(bool hardware_aes, bool emulated) noexcept {
  return emulated || !hardware_aes;
}

}  // namespace cngaes
