#include "errors.hpp"

#include <cstdio>

namespace cngaes::python {

PyObject* raise_named(const char* class_name, const char* text) {
  // Looked up when needed: errors are rare, and a module-level cache would be shared between
  // interpreters.
  const Ref module(PyImport_ImportModule("cngaes.exceptions"));
  if (!module) return nullptr;
  const Ref type(PyObject_GetAttrString(module.get(), class_name));
  if (!type) return nullptr;
  if (text == nullptr) {
    PyErr_SetNone(type.get());
  } else {
    PyErr_SetString(type.get(), text);
  }
  return nullptr;
}

namespace {

PyObject* raise_cng_error(Status status) {
  const Ref module(PyImport_ImportModule("cngaes.exceptions"));
  if (!module) return nullptr;
  const Ref type(PyObject_GetAttrString(module.get(), "CngError"));
  if (!type) return nullptr;
  const Ref error(PyObject_CallFunction(type.get(), "ks",
                                        static_cast<unsigned long>(status.ntstatus),
                                        status.text == nullptr ? "" : status.text));
  if (error) PyErr_SetObject(type.get(), error.get());
  return nullptr;
}

}  // namespace

PyObject* raise(Status status) {
  const char* text = status.text == nullptr ? "" : status.text;
  switch (status.code) {
    case StatusCode::ok:
      PyErr_SetString(PyExc_SystemError, "raise() called without an error");
      return nullptr;
    case StatusCode::invalid_tag:
      return raise_named("InvalidTag", nullptr);
    case StatusCode::invalid_padding:
      return raise_named("InvalidPadding", "invalid padding");
    case StatusCode::out_of_memory:
      return PyErr_NoMemory();
    case StatusCode::unsupported:
      return raise_named("UnsupportedBackend", text);
    case StatusCode::limit:
      PyErr_SetString(PyExc_OverflowError, text);
      return nullptr;
    case StatusCode::self_test:
      PyErr_SetString(PyExc_RuntimeError, text);
      return nullptr;
    case StatusCode::backend_error:
      return raise_cng_error(status);
    case StatusCode::bad_argument:
      PyErr_SetString(PyExc_ValueError, text);
      return nullptr;
  }
  Py_UNREACHABLE();
}

}  // namespace cngaes::python
