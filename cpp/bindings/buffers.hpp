// Buffers of the caller, held for the whole call and counted in bytes whatever their item size.
#pragma once

#include "cngaes/lists.hpp"
#include "python.hpp"

namespace cngaes::python {

// A C-contiguous view, with the errors of Input below. flags: PyBUF_FORMAT or nothing.
bool get_contiguous_view(PyObject* object, Py_buffer* view, const char* name, int flags = 0);

// A readable argument. Errors name it: TypeError for str and objects without a buffer, BufferError
// for memory that is not C-contiguous.
class Input {
 public:
  Input() noexcept = default;
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
  }

  // The argument must stay referenced by the caller's frame, as vectorcall arguments do: exact
  // bytes objects are immutable, so nothing more is needed to hold them.
  bool get(PyObject* object, const char* name) {
    if (PyBytes_CheckExact(object)) {
      data_ = reinterpret_cast<const std::uint8_t*>(PyBytes_AS_STRING(object));
      len_ = static_cast<std::size_t>(PyBytes_GET_SIZE(object));
      return true;
    }
    return get_view(object, name);
  }
  // None, or nothing given, is the empty buffer.
  bool get_optional(PyObject* object, const char* name) {
    return object == nullptr || object == Py_None || get(object, name);
  }

  const std::uint8_t* data() const noexcept { return data_; }
  std::size_t len() const noexcept { return len_; }
  ByteView view() const noexcept { return {data_, len_}; }

  // Where an empty input points to.
  static const std::uint8_t* nothing() noexcept { return kNothing; }

 private:
  bool get_view(PyObject* object, const char* name);

  // Never null: BCrypt and memcpy both treat a null pointer as a special case.
  const std::uint8_t* data_ = kNothing;
  std::size_t len_ = 0;
  Py_buffer view_{};

  static constexpr std::uint8_t kNothing[16] = {};
};

// A writable argument; TypeError if it is read-only.
class Output {
 public:
  Output() noexcept = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
  }

  bool get(PyObject* object, const char* name);

  std::uint8_t* data() const noexcept { return data_; }
  std::size_t len() const noexcept { return len_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t len_ = 0;
  std::uint8_t nothing_[1] = {};
  Py_buffer view_{};
};

// A fresh bytes object, not filled; null with MemoryError or OverflowError set.
PyObject* new_bytes(std::size_t len);
inline std::uint8_t* bytes_data(PyObject* bytes) noexcept {
  return reinterpret_cast<std::uint8_t*>(PyBytes_AS_STRING(bytes));
}

// ValueError "`name`: expected ..., got ... bytes".
PyObject* raise_size(const char* name, const char* expected, std::size_t given);
bool check_exact_size(const char* name, std::size_t expected, std::size_t given);

// ValueError if `out` shares memory with `in`; in_place allows both to start at the same byte.
enum class InPlace : bool { no, yes };
bool check_overlap(const Output& out, const Input& in, const char* in_name, InPlace in_place,
                   const char* out_name = "buf");

}  // namespace cngaes::python
