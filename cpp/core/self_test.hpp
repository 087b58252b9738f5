// Known-answer tests, run once when a kernel makes its first key (cngaes/registry.hpp).
#pragma once

#include "cngaes/kernels.h"

namespace cngaes {

bool aes_known_answers(const AesFunctions& fn) noexcept;
bool sha256_known_answers(const Sha256Functions& fn) noexcept;

}  // namespace cngaes
