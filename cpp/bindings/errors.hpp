// The one place where a Status becomes a Python exception.
#pragma once

#include "cngaes/status.hpp"
#include "python.hpp"

namespace cngaes::python {

// Sets the exception for a status that is not ok; returns null for use in return statements.
PyObject* raise(Status status);

// An exception class of cngaes.exceptions with a text.
PyObject* raise_named(const char* class_name, const char* text);

}  // namespace cngaes::python
