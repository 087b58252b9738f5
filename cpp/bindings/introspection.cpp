// What was compiled in, what this CPU can run, what is in use; and the test hooks. Nothing here is
// hot, so it is plain pybind11.
#include <string>

#include "cngaes/backend.hpp"
#include "cngaes/c_abi.h"
#include "cngaes/cng.hpp"
#include "cngaes/registry.hpp"
#include "errors.hpp"
#include "key_object.hpp"
#include "types.hpp"

namespace py = pybind11;

namespace cngaes::python {
namespace {

// {"aes": (names, best first), "sha256": (...)} of the kernels that `keep` accepts; behind them
// those that `behind` accepts and `keep` does not.
template <class Keep, class Behind>
py::dict kernels_by_family(Keep keep, Behind behind) {
  py::dict result;
  for (std::size_t family = 0; family < kNumFamilies; ++family) {
    py::list names;
    for (const Kernel& kernel : compiled_kernels()) {
      if (static_cast<std::size_t>(kernel.family) == family && keep(kernel)) {
        names.append(kernel.name);
      }
    }
    for (const Kernel& kernel : compiled_kernels()) {
      if (static_cast<std::size_t>(kernel.family) == family && behind(kernel) && !keep(kernel)) {
        names.append(kernel.name);
      }
    }
    result[kFamilyNames[family]] = py::tuple(names);
  }
  return result;
}

const char* self_test_text(SelfTest state) noexcept {
  switch (state) {
    case SelfTest::passed:
      return "passed";
    case SelfTest::failed:
      return "failed";
    case SelfTest::untested:
      break;
  }
  return "untested";
}

// {"aes/x86-vaes256": "passed", ...} for the kernels that this CPU supports.
template <class State>
py::dict self_tests(State state) {
  py::dict result;
  for (const Kernel& kernel : compiled_kernels()) {
    if (!is_supported(kernel)) continue;
    const std::string name =
        std::string(kFamilyNames[static_cast<std::size_t>(kernel.family)]) + "/" + kernel.name;
    result[py::str(name)] = self_test_text(state(kernel));
  }
  return result;
}

py::tuple cpu_features() {
  py::list names;
  const FeatureSet usable = usable_features();
  for (const FeatureName& feature : kFeatureNames) {
    if ((usable & feature.bit) != 0) names.append(feature.name);
  }
  return py::tuple(names);
}

constexpr const char* kArchitecture =
#if defined(__x86_64__) || defined(_M_X64)
    "x86_64";
#elif defined(__i386__) || defined(_M_IX86)
    "x86";
#elif defined(__aarch64__) || defined(_M_ARM64)
    "arm64";
#else
    "other";
#endif

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "gcc " __VERSION__;
#elif defined(_MSC_VER)
  return "msvc " + std::to_string(_MSC_VER);
#else
  return "unknown";
#endif
}

py::dict build_info() {
  py::dict info;
  info["version"] = CNGAES_VERSION;
  info["architecture"] = kArchitecture;
  info["pointer_bits"] = 8 * sizeof(void*);
  info["compiler"] = compiler();
#ifdef NDEBUG
  info["optimised"] = true;
#else
  info["optimised"] = false;
#endif
  info["pybind11"] = PYBIND11_TOSTRING(PYBIND11_VERSION_MAJOR) "." PYBIND11_TOSTRING(
      PYBIND11_VERSION_MINOR) "." PYBIND11_TOSTRING(PYBIND11_VERSION_MICRO);
  info["c_abi_version"] = cngaes_abi_version();
  info["release_gil_from_bytes"] = kReleaseGilFrom;
#ifdef Py_GIL_DISABLED
  info["free_threaded"] = true;
#else
  info["free_threaded"] = false;
#endif
  return info;
}

py::tuple available_backends() {
  py::list names;
  for (const Backend* backend : backends()) {
    if (backend->unavailable_reason() == nullptr) names.append(backend->name());
  }
  return py::tuple(names);
}

py::dict backend_status() {
  py::dict result;
  for (const Backend* backend : backends()) {
    const char* reason = backend->unavailable_reason();
    result[backend->name()] = reason == nullptr ? "available" : reason;
  }
  return result;
}

std::string default_backend() {
  const Backend* const backend = backend_from(nullptr);
  if (backend == nullptr) throw py::error_already_set();
  return backend->name();
}

py::dict windows_info() {
  py::dict info;
  info["wine_version"] = wine_version();
  info["emulated_process"] = is_emulated_process();
  return info;
}

void check(Status status, const std::string& error) {
  if (status.ok()) return;
  raise_named("UnsupportedBackend", error.c_str());
  throw py::error_already_set();
}

void force_kernels_hook(const py::object& spec) {
  if (spec.is_none()) {
    use_environment_choice();
    return;
  }
  std::string error;
  check(force_kernels(spec.cast<std::string>(), &error), error);
}

void mask_cpu_hook(const py::object& names) {
  if (names.is_none()) {
    use_environment_choice();
    return;
  }
  std::string error;
  if (!set_cpu_mask(names.cast<std::string>(), &error).ok()) throw py::value_error(error);
}

void pretend_emulated_hook(const py::object& answer) {
  pretend_emulated_process(answer.is_none() ? -1 : static_cast<int>(answer.cast<bool>()));
}

}  // namespace

void add_introspection(py::module_& module) {
  module.def(
      "compiled_kernels",
      [] {
        const auto all = [](const Kernel&) { return true; };
        return kernels_by_family(all, all);
      },
      "Kernels in this build: {'aes': names, 'sha256': names}, best first.");
  module.def(
      "supported_kernels", [] { return kernels_by_family(is_preferred, is_supported); },
      "Those of compiled_kernels() that this CPU, less CNGAES_CPU_MASK, can run, the one that it "
      "chooses first.");
  module.def("cpu_features", cpu_features,
             "Names of the CPU features in use, less CNGAES_CPU_MASK.");
  module.def("build_info", build_info, "How this extension was built.");
  module.def(
      "self_test", [] { return self_tests(run_self_test); },
      "Run the known answers of every supported kernel now: {'aes/generic': 'passed', ...}.");
  module.def(
      "self_test_state", [] { return self_tests(self_test_state); },
      "The same without running: 'untested' until a kernel makes its first key.");
  module.def("available_backends", available_backends, "Names of the backends usable here.");
  module.def("backend_status", backend_status,
             "Every known backend: 'available', or why it is not.");
  module.def("windows_info", windows_info,
             "{'wine_version': '8.0' or '', 'emulated_process': whether a build for x64 runs on "
             "ARM64}.");
  module.def("environment_error", environment_error,
             "What is wrong with CNGAES_KERNEL or CNGAES_CPU_MASK as they were at import; empty if "
             "nothing is.");
  module.def("default_backend", default_backend,
             "The backend that backend=None means. Raises UnsupportedBackend if CNGAES_BACKEND "
             "names another.");
  module.def("_force_kernels", force_kernels_hook, py::arg("spec"),
             "For tests: as CNGAES_KERNEL; None goes back to the environment's choice.");
  module.def("_mask_cpu", mask_cpu_hook, py::arg("names"),
             "For tests: as CNGAES_CPU_MASK; None goes back to the environment's choice.");
  module.def("_pretend_emulated", pretend_emulated_hook, py::arg("answer"),
             "For tests: what windows_info() says of emulation; None goes back to the truth.");
}

}  // namespace cngaes::python
