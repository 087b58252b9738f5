#pragma once

namespace cngaes::python {

// Makes `cng-ctypes` known to the core. Its Python side is loaded at the first use.
void register_ctypes_backend() noexcept;

}  // namespace cngaes::python
