// A bcrypt.dll that works on any system: it computes with the `cpu` backend, keeps the rules that
// the real one is documented to have, counts its handles and fails when told to.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "../cng/backend_cng.hpp"

namespace fake {

using cngaes::cng::Bcrypt;
using cngaes::cng::NtStatus;
using cngaes::cng::Ulong;

struct State {
  long handles = 0;                   // of all kinds, alive
  long calls = 0;                     // that could fail
  long fail_at = -1;                  // that call fails (0: the next one)
  std::uint32_t status = 0;           // with this
  bool write_before_failing = false;  // as CNG does with plaintext after a wrong tag
  bool short_result = false;          // the call at fail_at succeeds with a length one too small
  bool pseudo_handles = true;
  bool no_gcm_192 = false;
  bool misused = false;                // a null pointer, a dead handle, an IV of the caller
  std::map<std::string, long> counts;  // calls by name
};
State& state();

// Everything as new, with no handles alive.
void reset();
const Bcrypt& table();

}  // namespace fake
