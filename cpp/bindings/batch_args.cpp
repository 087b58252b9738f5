#include "batch_args.hpp"

#include <cstdio>
#include <cstring>

#include "args.hpp"
#include "cngaes/nonces.hpp"
#include "cngaes/pool.hpp"
#include "errors.hpp"

namespace cngaes::python {

ItemName::ItemName(const char* list, std::size_t index) {
  static_cast<void>(std::snprintf(text, sizeof text, "%s[%zu]", list, index));
}

// ---- sequences ----------------------------------------------------------------------------------

InputList::~InputList() {
  for (std::size_t i = 0; i < num_held_; ++i) PyBuffer_Release(&held_[i]);
}

bool InputList::get(PyObject* object, const char* name) {
  if (PyUnicode_Check(object) || PyObject_CheckBuffer(object) != 0) {
    PyErr_Format(PyExc_TypeError, "%s must be a sequence of bytes-like objects, not %.200s", name,
                 Py_TYPE(object)->tp_name);
    return false;
  }
  items_ = Ref(PySequence_Tuple(object));
  if (!items_) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
      PyErr_Clear();
      PyErr_Format(PyExc_TypeError, "%s must be a sequence of bytes-like objects, not %.200s", name,
                   Py_TYPE(object)->tp_name);
    }
    return false;
  }
  count_ = static_cast<std::size_t>(PyTuple_GET_SIZE(items_.get()));
  if (!views_.allocate(count_)) return false;
  for (std::size_t i = 0; i < count_; ++i) {
    PyObject* const item = PyTuple_GET_ITEM(items_.get(), static_cast<Py_ssize_t>(i));
    if (PyBytes_CheckExact(item)) {
      views_[i] = {reinterpret_cast<const std::uint8_t*>(PyBytes_AS_STRING(item)),
                   static_cast<std::size_t>(PyBytes_GET_SIZE(item))};
    } else if (!get_view(item, name, i)) {
      return false;
    }
    total_ += views_[i].len;
  }
  return true;
}

bool InputList::get_view(PyObject* item, const char* name, std::size_t index) {
  if (held_.get() == nullptr && !held_.allocate(count_)) return false;
  Py_buffer& view = held_[num_held_];
  if (!get_contiguous_view(item, &view, ItemName(name, index).text)) return false;
  ++num_held_;
  const auto len = static_cast<std::size_t>(view.len);
  // Never null, see Input.
  views_[index] = {len > 0 ? static_cast<const std::uint8_t*>(view.buf) : Input::nothing(), len};
  return true;
}

bool EqualInputs::get(PyObject* object, const char* name, std::size_t item_len, std::size_t count) {
  item_len_ = item_len;
  is_packed_ = PyObject_CheckBuffer(object) != 0;
  if (!is_packed_) {
    if (!sequence_.get(object, name)) return false;
    if (sequence_.count() == count) return true;
    PyErr_Format(PyExc_ValueError, "%s must have %zu items, one for each message, got %zu", name,
                 count, sequence_.count());
    return false;
  }
  if (!packed_.get(object, name)) return false;
  if (packed_.len() % item_len == 0 && packed_.len() / item_len == count) return true;
  PyErr_Format(PyExc_ValueError, "%s must be %zu bytes for each of %zu messages, got %zu bytes",
               name, item_len, count, packed_.len());
  return false;
}

// ---- Arrow --------------------------------------------------------------------------------------

namespace {

// The width of the items that a format of the struct module describes; 0 if they are no signed
// integers of 4 or 8 bytes in this machine's order.
std::size_t offset_width(const Py_buffer& view) noexcept {
  const char* format = view.format == nullptr ? "B" : view.format;
  const std::uint16_t one = 1;
  std::uint8_t first = 0;
  std::memcpy(&first, &one, 1);
  if (*format == '@' || *format == '=' || *format == (first == 1 ? '<' : '>')) ++format;
  const bool is_signed = *format != '\0' && std::strchr("ilqn", *format) != nullptr;
  if (!is_signed || format[1] != '\0' || (view.itemsize != 4 && view.itemsize != 8)) return 0;
  return static_cast<std::size_t>(view.itemsize);
}

}  // namespace

bool PackedInput::copy_offsets(PyObject* object, const char* name) {
  Py_buffer view;
  if (!get_contiguous_view(object, &view, name, PyBUF_FORMAT)) return false;
  const std::size_t width = offset_width(view);
  if (width == 0) {
    PyErr_Format(PyExc_TypeError,
                 "%s must have items of int32 or int64, not of format '%s'; for a buffer of raw "
                 "bytes say which: memoryview(%s).cast('i') or .cast('q')",
                 name, view.format == nullptr ? "B" : view.format, name);
    PyBuffer_Release(&view);
    return false;
  }
  width_ = width == 4 ? OffsetWidth::int32 : OffsetWidth::int64;
  const auto len = static_cast<std::size_t>(view.len);
  const bool allocated = offsets_.allocate(len + width);
  if (allocated) {
    // Arrow allows no offsets at all where there are no messages.
    std::memset(offsets_.get(), 0, width);
    if (len > 0) std::memcpy(offsets_.get(), view.buf, len);
    count_ = len > 0 ? len / width - 1 : 0;
  }
  PyBuffer_Release(&view);
  return allocated;
}

bool PackedInput::check_offsets(const char* data_name, const char* offsets_name) {
  const Offsets at = offsets();
  if (at[0] < 0) {
    PyErr_Format(PyExc_ValueError, "%s[0] must be at least 0, got %lld", offsets_name,
                 static_cast<long long>(at[0]));
    return false;
  }
  std::int64_t before = at[0];
  bool grows = true;
  for (std::size_t i = 1; i <= count_; ++i) {  // without a branch for each
    const std::int64_t next = at[i];
    grows &= next >= before;
    before = next;
  }
  for (std::size_t i = 0; !grows && i < count_; ++i) {
    if (at[i + 1] >= at[i]) continue;
    PyErr_Format(PyExc_ValueError, "%s run backwards: %s[%zu] is %lld, %s[%zu] is %lld",
                 offsets_name, offsets_name, i, static_cast<long long>(at[i]), offsets_name, i + 1,
                 static_cast<long long>(at[i + 1]));
    return false;
  }
  if (static_cast<std::uint64_t>(at[count_]) <= data_.len()) return true;
  PyErr_Format(PyExc_ValueError, "%s[%zu] is %lld, past the end of %s, %zu bytes", offsets_name,
               count_, static_cast<long long>(at[count_]), data_name, data_.len());
  return false;
}

bool PackedInput::get(PyObject* data, const char* data_name, PyObject* offsets,
                      const char* offsets_name) {
  return data_.get(data, data_name) && copy_offsets(offsets, offsets_name) &&
         check_offsets(data_name, offsets_name);
}

// ---- the rest -----------------------------------------------------------------------------------

bool threads_from(PyObject* argument, unsigned* out_threads) {
  *out_threads = 0;
  if (argument == nullptr || argument == Py_None) return true;
  std::int64_t value = 0;
  if (!int_from(argument, "threads", &value)) return false;
  if (value < 1) {
    PyErr_Format(PyExc_ValueError, "threads must be at least 1 or None, got %R", argument);
    return false;
  }
  *out_threads = value > kMaxThreads ? kMaxThreads : static_cast<unsigned>(value);
  return true;
}

bool check_different_nonces(const List& nonces, std::size_t count) {
  const std::size_t work = batch_work(0, count);
  if (run_released(work, [&] { return increasing_nonces(nonces, count); })) return true;
  const Ref os(PyImport_ImportModule("os"));
  const Ref seed(os ? PyObject_CallMethod(os.get(), "urandom", "i", int{kNonceSeedBytes})
                    : nullptr);
  if (!seed) return false;
  EqualNonces equal = {};
  const Status status = run_released(
      work, [&] { return find_equal_nonces(nonces, count, bytes_data(seed.get()), &equal); });
  if (!status.ok()) {
    raise(status);
    return false;
  }
  if (!equal.found) return true;
  PyErr_Format(PyExc_ValueError,
               "nonces[%zu] and nonces[%zu] are equal: a nonce must never repeat under one key "
               "(allow_repeated_nonces=True turns this check off)",
               equal.first, equal.second);
  return false;
}

}  // namespace cngaes::python
