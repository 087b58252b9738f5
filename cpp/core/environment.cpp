#include "cngaes/environment.hpp"

#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#else
#include <cstdlib>
#endif

namespace cngaes {

std::string environment_value(const char* name) {
#if defined(_WIN32)
  // Not getenv: each C runtime of a process has a copy of its own, and Python may use another one
  // than this module. What os.environ is given comes here.
  std::string value;
  for (DWORD size = 64; size > value.size();) {
    value.resize(size);
    size = GetEnvironmentVariableA(name, value.data(), size);  // with the null if it does not fit
    if (size < value.size()) {
      value.resize(size);
      break;
    }
  }
  return value;
#else
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string(value);
#endif
}

}  // namespace cngaes
