#include "buffers.hpp"

#include <cstring>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace cngaes::python {
namespace {

// A large result is memory that nobody has touched: filling it costs a page fault for every 4 KiB,
// more than the cipher. Where the system gives huge pages to those who ask, ask; if it does not,
// nothing is lost. Below some MiB the memory often comes from an allocator's heap and is not fresh.
#if defined(__linux__) && defined(MADV_HUGEPAGE)
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kAdviseFrom = 2 * kHugePage;  // at least one whole aligned page inside

void advise_huge_pages(void* data, std::size_t len) noexcept {
  if (len < kAdviseFrom) return;
  const auto start = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t skipped = (kHugePage - start % kHugePage) % kHugePage;
  const std::uintptr_t end = (start + len) & ~(kHugePage - 1);
  // May fail (a kernel without them): then the pages are small ones, as ever.
  (void)madvise(static_cast<char*>(data) + skipped, end - start - skipped, MADV_HUGEPAGE);
}
#else
void advise_huge_pages(void*, std::size_t) noexcept {}
#endif

bool raise_not_a_buffer(PyObject* object, const char* name) {
  if (PyUnicode_Check(object)) {
    PyErr_Format(PyExc_TypeError, "%s must be bytes-like, not str: encode it first", name);
  } else {
    PyErr_Format(PyExc_TypeError, "%s must be bytes-like, not %.200s", name,
                 Py_TYPE(object)->tp_name);
  }
  return false;
}

bool raise_not_contiguous(const char* name) {
  PyErr_Format(PyExc_BufferError, "%s must be C-contiguous", name);
  return false;
}

// PyBUF_STRIDES, and the contiguity checked by us: asked for contiguous memory, exporters raise
// what they like (numpy: ValueError).
bool get_contiguous(PyObject* object, Py_buffer* view, int flags, const char* name) {
  if (PyObject_GetBuffer(object, view, flags | PyBUF_STRIDES) != 0) {
    view->obj = nullptr;
    return false;
  }
  if (PyBuffer_IsContiguous(view, 'C') == 0) {
    PyBuffer_Release(view);
    view->obj = nullptr;
    return raise_not_contiguous(name);
  }
  return true;
}

}  // namespace

bool get_contiguous_view(PyObject* object, Py_buffer* view, const char* name, int flags) {
  if (PyObject_CheckBuffer(object) == 0) return raise_not_a_buffer(object, name);
  return get_contiguous(object, view, flags, name);
}

bool Input::get_view(PyObject* object, const char* name) {
  if (!get_contiguous_view(object, &view_, name)) return false;
  len_ = static_cast<std::size_t>(view_.len);
  if (len_ > 0) data_ = static_cast<const std::uint8_t*>(view_.buf);
  return true;
}

bool Output::get(PyObject* object, const char* name) {
  if (PyObject_CheckBuffer(object) == 0) return raise_not_a_buffer(object, name);
  if (!get_contiguous(object, &view_, PyBUF_WRITABLE | PyBUF_FORMAT, name)) {
    // Read-only, or another reason? Only a second look without PyBUF_WRITABLE can tell.
    PyObject* type = nullptr;
    PyObject* value = nullptr;
    PyObject* traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    Py_buffer readable;
    if (PyObject_GetBuffer(object, &readable, PyBUF_FULL_RO) == 0) {
      const bool readonly = readable.readonly != 0;
      PyBuffer_Release(&readable);
      if (readonly) {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(traceback);
        PyErr_Format(PyExc_TypeError, "%s must be writable, not a read-only %.200s", name,
                     Py_TYPE(object)->tp_name);
        return false;
      }
    } else {
      PyErr_Clear();
    }
    PyErr_Restore(type, value, traceback);
    return false;
  }
  // An array of Python objects is memory full of pointers: writing there would crash later.
  if (view_.format != nullptr && std::strchr(view_.format, 'O') != nullptr) {
    PyErr_Format(PyExc_TypeError, "%s holds Python objects, not bytes", name);
    return false;
  }
  len_ = static_cast<std::size_t>(view_.len);
  data_ = len_ > 0 ? static_cast<std::uint8_t*>(view_.buf) : nothing_;
  return true;
}

PyObject* new_bytes(std::size_t len) {
  if (len > static_cast<std::size_t>(PY_SSIZE_T_MAX)) {
    PyErr_SetString(PyExc_OverflowError, "the result is too large for a bytes object");
    return nullptr;
  }
  PyObject* const bytes = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(len));
  if (bytes != nullptr) advise_huge_pages(PyBytes_AS_STRING(bytes), len);
  return bytes;
}

PyObject* raise_size(const char* name, const char* expected, std::size_t given) {
  return PyErr_Format(PyExc_ValueError, "%s must be %s, got %zu bytes", name, expected, given);
}

bool check_exact_size(const char* name, std::size_t expected, std::size_t given) {
  if (given == expected) return true;
  PyErr_Format(PyExc_ValueError, "%s must be %zu bytes, got %zu bytes", name, expected, given);
  return false;
}

bool check_overlap(const Output& out, const Input& in, const char* in_name, InPlace in_place,
                   const char* out_name) {
  if (out.len() == 0 || in.len() == 0) return true;
  if (in_place == InPlace::yes && out.data() == in.data()) return true;
  const auto out_start = reinterpret_cast<std::uintptr_t>(out.data());
  const auto in_start = reinterpret_cast<std::uintptr_t>(in.data());
  if (out_start + out.len() <= in_start || in_start + in.len() <= out_start) return true;
  PyErr_Format(PyExc_ValueError,
               in_place == InPlace::yes
                   ? "%s overlaps %s: it must start exactly where %s starts, or not overlap it"
                   : "%s overlaps %s",
               out_name, in_name, in_name);
  return false;
}

}  // namespace cngaes::python
