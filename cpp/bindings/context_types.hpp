// Contexts: one message in pieces.
#pragma once

#include <memory>

#include "buffers.hpp"
#include "cngaes/contexts.hpp"
#include "key_object.hpp"
#include "python.hpp"

namespace cngaes::python {

// ValueError for an empty nonce.
bool check_nonce(const Input& nonce);

// A context of `module` on the key; the arguments are checked. Null with an exception set.
PyObject* new_gcm_context(PyObject* module, KeyObject* key, Direction direction, PyObject* nonce,
                          PyObject* associated_data);

// A context around what make(const CipherKey&) -> unique_ptr<StreamContext> gives.
PyObject* new_context(PyObject* module, KeyObject* key,
                      std::unique_ptr<StreamContext> (*make)(const CipherKey& key,
                                                             const void* arguments),
                      const void* arguments);

}  // namespace cngaes::python
