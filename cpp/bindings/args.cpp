#include "args.hpp"

#include <limits>

namespace cngaes::python {
namespace {

bool assign_keyword(const Signature& s, PyObject* name, PyObject* value, PyObject** out) {
  for (int i = 0; i < s.num_total; ++i) {
    if (PyUnicode_CompareWithASCIIString(name, s.names[i]) != 0) continue;
    if (out[i] != nullptr) {
      PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", s.function,
                   s.names[i]);
      return false;
    }
    out[i] = value;
    return true;
  }
  PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", s.function, name);
  return false;
}

bool assign_positional(const Signature& s, PyObject* const* args, Py_ssize_t num_args,
                       PyObject** out) {
  if (num_args > s.num_positional) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments (%zd given)",
                 s.function, s.num_positional, num_args);
    return false;
  }
  for (int i = 0; i < s.num_total; ++i) out[i] = i < num_args ? args[i] : nullptr;
  return true;
}

bool check_required(const Signature& s, PyObject* const* out) {
  for (int i = 0; i < s.num_required; ++i) {
    if (out[i] == nullptr) {
      PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s'", s.function, s.names[i]);
      return false;
    }
  }
  return true;
}

}  // namespace

bool parse_arguments(const Signature& signature, PyObject* const* args, Py_ssize_t num_args,
                     PyObject* keyword_names, PyObject** out) {
  if (!assign_positional(signature, args, num_args, out)) return false;
  if (keyword_names != nullptr) {
    const Py_ssize_t num_keywords = PyTuple_GET_SIZE(keyword_names);
    for (Py_ssize_t i = 0; i < num_keywords; ++i) {
      if (!assign_keyword(signature, PyTuple_GET_ITEM(keyword_names, i), args[num_args + i], out)) {
        return false;
      }
    }
  }
  return check_required(signature, out);
}

bool parse_arguments(const Signature& signature, PyObject* args, PyObject* keywords,
                     PyObject** out) {
  PyObject* items[kMaxParameters + 1];
  const Py_ssize_t num_args = PyTuple_GET_SIZE(args);
  for (Py_ssize_t i = 0; i < num_args && i <= kMaxParameters; ++i) {
    items[i] = PyTuple_GET_ITEM(args, i);
  }
  if (!assign_positional(signature, items, num_args, out)) return false;
  if (keywords != nullptr) {
    PyObject* name = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(keywords, &position, &name, &value) != 0) {
      if (!assign_keyword(signature, name, value, out)) return false;
    }
  }
  return check_required(signature, out);
}

bool int_from(PyObject* argument, const char* name, std::int64_t* out_value) {
  if (PyIndex_Check(argument) == 0) {
    PyErr_Format(PyExc_TypeError, "%s must be int, not %.200s", name, Py_TYPE(argument)->tp_name);
    return false;
  }
  const Ref index(PyNumber_Index(argument));
  if (!index) return false;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  using Limits = std::numeric_limits<std::int64_t>;
  *out_value = overflow > 0 ? Limits::max() : overflow < 0 ? Limits::min() : value;
  return true;
}

}  // namespace cngaes::python
