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

PyObject* raise_item(Status status, const char* item) {
  char text[256];
  const char* const what = status.text == nullptr ? "" : status.text;
  static_cast<void>(std::snprintf(text, sizeof text, "%s: %s", item, what));
  status.text = text;
  return raise(status);
}

PyObject* raise_invalid_tags(const std::uint8_t* failed, std::size_t count) {
  Py_ssize_t num_failed = 0;
  for (std::size_t i = 0; i < count; ++i) num_failed += failed[i];
  const Ref indices(PyTuple_New(num_failed));
  if (!indices) return nullptr;
  Py_ssize_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (failed[i] == 0) continue;
    PyObject* const index = PyLong_FromSize_t(i);
    if (index == nullptr) return nullptr;
    PyTuple_SET_ITEM(indices.get(), at++, index);
  }
  const Ref module(PyImport_ImportModule("cngaes.exceptions"));
  const Ref type(module ? PyObject_GetAttrString(module.get(), "InvalidTag") : nullptr);
  const Ref error(type ? PyObject_CallOneArg(type.get(), indices.get()) : nullptr);
  if (error) PyErr_SetObject(type.get(), error.get());
  return nullptr;
}

}  // namespace cngaes::python
