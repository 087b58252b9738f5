// The batch calls of AESGCM.
#pragma once

#include "key_object.hpp"

namespace cngaes::python {

PyObject* gcm_encrypt_many(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                           PyObject* keyword_names);
PyObject* gcm_decrypt_many(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                           PyObject* keyword_names);
PyObject* gcm_encrypt_packed(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                             PyObject* keyword_names);
PyObject* gcm_decrypt_packed(PyObject* object, PyObject* const* args, Py_ssize_t num_args,
                             PyObject* keyword_names);

}  // namespace cngaes::python
