// Arguments of vectorcall functions, without a format string (142 ns against 45, CPython 3.11).
#pragma once

#include "python.hpp"

namespace cngaes::python {

inline constexpr int kMaxParameters = 9;

struct Signature {
  const char* function;  // with its class, as it appears in errors: "AESGCM.encrypt"
  int num_required;
  int num_positional;  // the rest is keyword-only
  int num_total;
  const char* names[kMaxParameters];
};

// Fills out[num_total] with borrowed references, null where nothing was given.
bool parse_arguments(const Signature& signature, PyObject* const* args, Py_ssize_t num_args,
                     PyObject* keyword_names, PyObject** out);
// The same for tp_init's tuple and dict.
bool parse_arguments(const Signature& signature, PyObject* args, PyObject* keywords,
                     PyObject** out);

// Anything with __index__. TypeError names the argument; values beyond 64 bits become the nearest
// end of the range.
bool int_from(PyObject* argument, const char* name, std::int64_t* out_value);

}  // namespace cngaes::python
