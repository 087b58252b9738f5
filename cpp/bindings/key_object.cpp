#include "key_object.hpp"

#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "buffers.hpp"
#include "cngaes/registry.hpp"

namespace cngaes::python {
namespace {

const char* short_name(PyTypeObject* type) noexcept {
  const char* dot = std::strrchr(type->tp_name, '.');
  return dot == nullptr ? type->tp_name : dot + 1;
}

// "pkcs7" or None.
bool padding_from(PyObject* argument, bool* out_padded) {
  if (argument == Py_None) {
    *out_padded = false;
    return true;
  }
  if (PyUnicode_Check(argument) && PyUnicode_CompareWithASCIIString(argument, "pkcs7") == 0) {
    *out_padded = true;
    return true;
  }
  PyErr_Format(PyUnicode_Check(argument) ? PyExc_ValueError : PyExc_TypeError,
               "padding must be 'pkcs7' or None, got %R", argument);
  return false;
}

// SP 800-38D section 5.2.1.2, and its appendix C for 4 and 8.
bool tag_length_from(PyObject* argument, std::uint8_t* out_tag_len) {
  std::int64_t value = 0;
  if (!int_from(argument, "tag_length", &value)) return false;
  if (value != 4 && value != 8 && (value < 12 || value > 16)) {
    PyErr_Format(PyExc_ValueError, "tag_length must be 4, 8 or 12 to 16 bytes, got %R", argument);
    return false;
  }
  *out_tag_len = static_cast<std::uint8_t>(value);
  return true;
}

void tp_dealloc(PyObject* object) {
  auto* self = as_key(object);
  PyTypeObject* const type = Py_TYPE(object);
  delete self->key;
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject* tp_repr(PyObject* object) {
  const auto* self = as_key(object);
  const char* name = short_name(Py_TYPE(object));
  if (!self->made) return PyUnicode_FromFormat("<%s not initialised>", name);
  return PyUnicode_FromFormat("<%s %d-bit key, %s, %s%s>", name, self->key_len * 8,
                              self->backend->name(), self->kernel,
                              self->gate.is_closed() ? ", closed" : "");
}

PyObject* close(PyObject* object, PyObject*) {
  auto* self = as_key(object);
  if (!check_made(self)) return nullptr;
  if (self->gate.has_calls()) {
    PyThreadState* const state = PyEval_SaveThread();
    self->gate.close_and_wait();
    PyEval_RestoreThread(state);
  } else {
    self->gate.close_and_wait();
  }
  // Two threads may close at once; one of them gets the pointer.
  static_assert(std::atomic_ref<CipherKey*>::is_always_lock_free);
  delete std::atomic_ref<CipherKey*>(self->key).exchange(nullptr);
  Py_RETURN_NONE;
}

PyObject* enter(PyObject* object, PyObject*) {
  const auto* self = as_key(object);
  if (!check_made(self)) return nullptr;
  if (self->gate.is_closed()) return raise_closed(self);
  return Py_NewRef(object);
}

PyObject* exit(PyObject* object, PyObject* const*, Py_ssize_t) { return close(object, nullptr); }

PyObject* reduce(PyObject* object, PyObject*) {
  PyErr_Format(PyExc_TypeError, "%s holds a key and cannot be copied or pickled",
               short_name(Py_TYPE(object)));
  return nullptr;
}

PyObject* get_backend(PyObject* object, void*) {
  const auto* self = as_key(object);
  return check_made(self) ? PyUnicode_FromString(self->backend->name()) : nullptr;
}
PyObject* get_kernel(PyObject* object, void*) {
  const auto* self = as_key(object);
  return check_made(self) ? PyUnicode_FromString(self->kernel) : nullptr;
}
PyMethodDef key_methods[] = {
    {"close", close, METH_NOARGS,
     "Wait for running calls, then wipe the key. The object is of no use afterwards.\n\nRaises "
     "nothing when called again."},
    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", as_method(exit), METH_FASTCALL, nullptr},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef key_properties[] = {
    {"backend", get_backend, nullptr, "Name of the backend: 'cpu', 'cng' or 'cng-ctypes'.",
     nullptr},
    {"kernel", get_kernel, nullptr, "Name of the kernel that this key uses, as 'x86-vaes256'.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

PyObject* key_new(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* const object = type->tp_alloc(type, 0);
  if (object != nullptr) {
    auto* self = as_key(object);
    new (&self->gate) CallGate;
    new (&self->claimed) std::atomic<bool>(false);
    new (&self->made) std::atomic<bool>(false);
  }
  return object;
}

bool key_init(KeyObject* self, const KeyTypeInfo& info, PyObject* const* values) {
  const bool has_option = info.option != KeyTypeInfo::Option::none;
  PyObject* const option = has_option ? values[1] : nullptr;
  bool padded = info.padded_by_default;
  std::uint8_t tag_len = 16;
  if (option != nullptr && info.option == KeyTypeInfo::Option::padding &&
      !padding_from(option, &padded)) {
    return false;
  }
  if (option != nullptr && info.option == KeyTypeInfo::Option::tag_length &&
      !tag_length_from(option, &tag_len)) {
    return false;
  }
  Input key;
  if (!key.get(values[0], "key")) return false;
  if (key.len() != 16 && key.len() != 24 && key.len() != 32) {
    raise_size("key", "16, 24 or 32 bytes", key.len());
    return false;
  }
  const Backend* const backend = backend_from(values[info.init.num_total - 1]);
  if (backend == nullptr) return false;
  if (info.option == KeyTypeInfo::Option::tag_length) {
    const Status status = backend->check_tag_length(tag_len);
    if (!status.ok()) {
      raise(status);
      return false;
    }
  }
  return key_make(self, info.mode, *backend, key, tag_len, padded);
}

bool key_make(KeyObject* self, Mode mode, const Backend& backend, const Input& key,
              std::uint8_t tag_len, bool padded) {
  if (self->claimed.exchange(true)) {
    PyErr_Format(PyExc_TypeError, "%s is already initialised", short_name(Py_TYPE(self)));
    return false;
  }
  std::unique_ptr<CipherKey> made;
  const Status status = backend.make_key(mode, key.data(), key.len(), &made);
  if (!status.ok()) {
    self->claimed = false;
    raise_choice(status);
    return false;
  }
  self->backend = &backend;
  self->kernel = made->kernel();
  self->key = made.release();
  self->key_len = static_cast<std::uint8_t>(key.len());
  self->tag_len = tag_len;
  self->padded = padded;
  self->made.store(true, std::memory_order_release);
  return true;
}

PyObject* make_key_base(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(tp_dealloc)},
      {Py_tp_repr, reinterpret_cast<void*>(tp_repr)},
      {Py_tp_methods, key_methods},
      {Py_tp_getset, key_properties},
      {0, nullptr},
  };
  PyType_Spec spec = {"cngaes._core._Key", sizeof(KeyObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE |
                          Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  return PyType_FromModuleAndSpec(module, &spec, nullptr);
}

bool check_made(const KeyObject* self) {
  if (self->made.load(std::memory_order_acquire)) return true;
  PyErr_Format(PyExc_TypeError, "%s.__init__() was not called", short_name(Py_TYPE(self)));
  return false;
}

PyObject* raise_closed(const KeyObject* self) {
  return PyErr_Format(PyExc_ValueError, "%s is closed", short_name(Py_TYPE(self)));
}

const Backend* backend_from(PyObject* argument) {
  std::string_view name;
  if (argument != nullptr && argument != Py_None) {
    if (!PyUnicode_Check(argument)) {
      PyErr_Format(PyExc_TypeError, "backend must be str or None, not %.200s",
                   Py_TYPE(argument)->tp_name);
      return nullptr;
    }
    Py_ssize_t len = 0;
    const char* text = PyUnicode_AsUTF8AndSize(argument, &len);
    if (text == nullptr) return nullptr;
    name = {text, static_cast<std::size_t>(len)};
    if (name.empty()) name = "''";  // an empty name is unknown, not the default
  }
  const Backend* backend = nullptr;
  std::string error;
  const Status status = find_backend(name, &backend, &error);
  if (status.ok()) return backend;
  raise_named("UnsupportedBackend", error.c_str());
  return nullptr;
}

PyObject* raise_choice(Status status) {
  if (status.code != StatusCode::bad_argument) return raise(status);
  const std::string& error = environment_error();
  if (error.find("CNGAES_CPU_MASK") == 0) {
    PyErr_SetString(PyExc_ValueError, error.c_str());
    return nullptr;
  }
  return raise_named("UnsupportedBackend", error.c_str());
}

}  // namespace cngaes::python
