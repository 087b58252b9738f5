// The extension module _core: what the other files define, put together.
#include "cngaes/registry.hpp"
#include "types.hpp"

#include "key_object.hpp"

namespace py = pybind11;
namespace bindings = cngaes::python;

PYBIND11_MODULE(_core, m, py::mod_gil_not_used(),
                py::multiple_interpreters::per_interpreter_gil()) {
  m.doc() = "AES and SHA-256 kernels, modes and backends. Use the names of cngaes instead.";
  // The environment counts as it is now, not at the first key.
  static_cast<void>(cngaes::environment_error());

  const bindings::Ref key_base(bindings::make_key_base(m.ptr()));
  if (!key_base || !bindings::add_gcm_type(m.ptr(), key_base.get()) ||
      !bindings::add_mode_types(m.ptr(), key_base.get()) || !bindings::add_context_types(m.ptr()) ||
      !bindings::add_hash_type(m.ptr()) || !bindings::add_timing_functions(m.ptr())) {
    throw py::error_already_set();
  }
  bindings::add_introspection(m);
}
