// What module.cpp puts together.
#pragma once

#include <pybind11/pybind11.h>

#include "python.hpp"

namespace cngaes::python {

bool add_gcm_type(PyObject* module, PyObject* key_base);
bool add_mode_types(PyObject* module, PyObject* key_base);  // AESCBC, AESCTR, AESECB
bool add_context_types(PyObject* module);
bool add_hash_type(PyObject* module);  // and the one-shot hash functions
bool add_hash_batches(PyObject* module);
bool add_timing_functions(PyObject* module);
void add_introspection(pybind11::module_& module);

}  // namespace cngaes::python
