#pragma once

#include <string>

namespace cngaes {

// A variable of the process's environment as it is now; empty if it is not set.
std::string environment_value(const char* name);

}  // namespace cngaes
