// What AESGCM, AESCBC, AESCTR and AESECB have in common: one key on one backend.
//
// They are heap types of their own rather than pybind11 classes: their methods are vectorcall
// slots either way, and a type made here also decides what a second __init__, a half-made object
// and a constructor call cost and do.
#pragma once

#include "args.hpp"
#include "buffers.hpp"
#include "cngaes/backend.hpp"
#include "errors.hpp"
#include "gate.hpp"
#include "python.hpp"

namespace cngaes::python {

struct KeyObject {
  // clang-format off
  PyObject_HEAD
      // clang-format on
      CipherKey* key;  // null before __init__ and after close()
  const Backend* backend;
  const char* kernel;
  CallGate gate;
  std::uint8_t key_len;
  std::uint8_t tag_len;       // AESGCM
  bool padded;                // AESCBC, AESECB
  std::atomic<bool> claimed;  // __init__ has begun
  std::atomic<bool> made;     // __init__ has succeeded
};

// What differs between the four constructors.
struct KeyTypeInfo {
  const char* name;  // "cngaes.AESGCM"
  Mode mode;
  Signature init;  // key, then the option if any, then backend
  enum class Option : std::uint8_t { none, tag_length, padding } option;
  bool padded_by_default;
};

PyObject* key_new(PyTypeObject* type, PyObject* args, PyObject* keywords);
// values: as parsed by info.init.
bool key_init(KeyObject* self, const KeyTypeInfo& info, PyObject* const* values);

// The second half of it: arguments are checked.
bool key_make(KeyObject* self, Mode mode, const Backend& backend, const Input& key,
              std::uint8_t tag_len, bool padded);

// The common base of the four types: close(), `with`, backend, kernel, no copying.
PyObject* make_key_base(PyObject* module);

// TypeError unless __init__ has run.
bool check_made(const KeyObject* self);
PyObject* raise_closed(const KeyObject* self);

// Calls f(const CipherKey&) -> Status with the key held open; raises what it returns.
template <class F>
bool with_key(KeyObject* self, std::size_t len, F f) {
  Status status = kOk;
  {
    const CallScope scope(self->gate, len);
    if (!scope.is_open()) {
      raise_closed(self);
      return false;
    }
    status = run_released(len, [&] { return f(*self->key); });
  }
  if (status.ok()) return true;
  raise(status);
  return false;
}

// backend argument -> backend; None and null are the default. Raises UnsupportedBackend.
const Backend* backend_from(PyObject* argument);
// What a wrong CNGAES_KERNEL or CNGAES_CPU_MASK is turned into when a kernel is chosen.
PyObject* raise_choice(Status status);

inline KeyObject* as_key(PyObject* self) noexcept { return reinterpret_cast<KeyObject*>(self); }

// tp_init and tp_vectorcall know no more than the type: one pair of them for each KeyTypeInfo.
template <const KeyTypeInfo& kInfo>
struct KeyConstructor {
  static int tp_init(PyObject* self, PyObject* args, PyObject* keywords) {
    PyObject* values[kMaxParameters];
    if (!parse_arguments(kInfo.init, args, keywords, values)) return -1;
    return key_init(as_key(self), kInfo, values) ? 0 : -1;
  }

  static PyObject* tp_vectorcall(PyObject* type, PyObject* const* args,
                                 std::size_t num_args_and_flag, PyObject* keyword_names) {
    PyObject* values[kMaxParameters];
    if (!parse_arguments(kInfo.init, args, PyVectorcall_NARGS(num_args_and_flag), keyword_names,
                         values)) {
      return nullptr;
    }
    Ref self(key_new(reinterpret_cast<PyTypeObject*>(type), nullptr, nullptr));
    if (!self || !key_init(as_key(self.get()), kInfo, values)) return nullptr;
    return self.release();
  }

  static bool add_type(PyObject* module, PyObject* base, PyMethodDef* methods,
                       PyGetSetDef* properties, const char* doc) {
    PyType_Slot slots[] = {
        {Py_tp_new, reinterpret_cast<void*>(key_new)},
        {Py_tp_init, reinterpret_cast<void*>(tp_init)},
        {Py_tp_methods, methods},
        {Py_tp_getset, properties},
        {Py_tp_doc, const_cast<char*>(doc)},
        {0, nullptr},
    };
    PyType_Spec spec = {kInfo.name, sizeof(KeyObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE, slots};
    const Ref type(PyType_FromModuleAndSpec(module, &spec, base));
    if (!type) return false;
    auto* const type_object = reinterpret_cast<PyTypeObject*>(type.get());
    // Not inherited by subclasses, whose __new__ and __init__ therefore run as usual.
    type_object->tp_vectorcall = tp_vectorcall;
    return PyModule_AddType(module, type_object) == 0;
  }
};

}  // namespace cngaes::python
