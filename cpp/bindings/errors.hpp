// The one place where a Status becomes a Python exception.
#pragma once

#include "cngaes/status.hpp"
#include "python.hpp"

namespace cngaes::python {

// Sets the exception for a status that is not ok; returns null for use in return statements.
PyObject* raise(Status status);

// The same for one message of a batch: "messages[3]: ...".
PyObject* raise_item(Status status, const char* item);

// InvalidTag for the messages i of a batch with failed[i] != 0.
PyObject* raise_invalid_tags(const std::uint8_t* failed, std::size_t count);

// An exception class of cngaes.exceptions with a text.
PyObject* raise_named(const char* class_name, const char* text);

}  // namespace cngaes::python
