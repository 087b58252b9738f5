// The extension module _core: what the other files define, put together.
#include "cngaes/pool.hpp"
#include "cngaes/registry.hpp"
#include "ctypes_backend.hpp"
#include "types.hpp"

#include "key_object.hpp"

namespace py = pybind11;
namespace bindings = cngaes::python;

PYBIND11_MODULE(_core_module, m, py::mod_gil_not_used(),
                py::multiple_interpreters::per_interpreter_gil()) {
  m.doc() = "AES and SHA-256 kernels, modes and backends. Use the names of cngaes instead.";
  // The environment counts as it is now, not at the first key.
  static_cast<void>(cngaes::environment_error());
  static_cast<void>(cngaes::environment_backend());

  bindings::register_ctypes_backend();

  // The pool is the process's, not an interpreter's: its threads end when Python does. If there is
  // no room for the registration, they end with the process.
  static const int registered = Py_AtExit(cngaes::stop_pool);
  static_cast<void>(registered);

  const bindings::Ref key_base(bindings::make_key_base(m.ptr()));
  if (!key_base || !bindings::add_gcm_type(m.ptr(), key_base.get()) ||
      !bindings::add_mode_types(m.ptr(), key_base.get()) || !bindings::add_context_types(m.ptr()) ||
      !bindings::add_hash_type(m.ptr()) || !bindings::add_hash_batches(m.ptr()) ||
      !bindings::add_timing_functions(m.ptr())) {
    throw py::error_already_set();
  }
  bindings::add_introspection(m);
}

// The entry point that Python looks for. pybind11 supports subinterpreters from CPython 3.12 on; in
// one of 3.11 its own entry point waits for ever for the GIL that its thread holds.
extern "C" PYBIND11_EXPORT PyObject* PyInit__core() {
#if PY_VERSION_HEX < 0x030C0000
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError, "cngaes supports subinterpreters from CPython 3.12 on");
    return nullptr;
  }
#endif
  return PyInit__core_module();
}
