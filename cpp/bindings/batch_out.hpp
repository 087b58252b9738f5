// Results of the batch calls: a list of bytes objects, or one buffer with Arrow's offsets.
#pragma once

#include "batch_args.hpp"
#include "buffers.hpp"
#include "cngaes/lists.hpp"

namespace cngaes::python {

// A list of fresh bytes objects.
class BytesList {
 public:
  // size(i): bytes of the i-th.
  template <class Size>
  bool make(std::size_t count, Size size) {
    list_ = Ref(PyList_New(static_cast<Py_ssize_t>(count)));
    if (!list_ || !pointers_.allocate(count)) return false;
    for (std::size_t i = 0; i < count; ++i) {
      PyObject* const bytes = new_bytes(size(i));
      if (bytes == nullptr) return false;
      PyList_SET_ITEM(list_.get(), static_cast<Py_ssize_t>(i), bytes);
      pointers_[i] = bytes_data(bytes);
    }
    return true;
  }
  OutList list() const noexcept { return OutList::of_pointers(pointers_.get()); }
  void set_none(std::size_t i) {
    PyList_SetItem(list_.get(), static_cast<Py_ssize_t>(i), Py_NewRef(Py_None));
  }
  PyObject* release() noexcept { return list_.release(); }

 private:
  Ref list_;
  Array<std::uint8_t*> pointers_;
};

// A given buffer or fresh bytes.
class FlatOutput {
 public:
  // None and null: fresh.
  bool get(PyObject* object);
  // Errors name the size that a given one must have.
  bool make(std::uint64_t size);

  bool is_given() const noexcept { return object_ != nullptr; }
  const Output& given() const noexcept { return given_; }
  std::uint8_t* data() const noexcept { return data_; }
  PyObject* release() noexcept { return is_given() ? Py_NewRef(object_) : fresh_.release(); }
  // For an error after make(): what may stand in the caller's buffer goes. Returns null.
  PyObject* wiped() noexcept;

 private:
  PyObject* object_ = nullptr;  // borrowed from the caller's frame
  Output given_;
  Ref fresh_;
  std::uint8_t* data_ = nullptr;
};

// The same with Arrow's offsets, of the width that the input's had.
class PackedOutput {
 public:
  bool get(PyObject* object) { return flat_.get(object); }
  bool is_given() const noexcept { return flat_.is_given(); }
  const Output& given() const noexcept { return flat_.given(); }

  // size(len): bytes of the result of a message of len bytes. work: see run_released.
  template <class Size>
  bool make(const PackedInput& messages, std::size_t work, Size size) {
    if (!begin(messages)) return false;
    const std::uint64_t total = run_released(work, [&] {
      const List in = messages.list();
      std::uint64_t at = 0;
      for (std::size_t i = 0; i < count_; ++i) {
        at += size(in[i].len);
        store(i + 1, at);
      }
      return at;
    });
    return check_total(total) && flat_.make(total);
  }
  OutList list() const noexcept {
    return OutList::packed(flat_.data(), {bytes_or_null(offsets_.get()), width_});
  }

  PyObject* release() noexcept;  // (out, out_offsets)
  // (out, out_offsets, validity): Arrow's bitmap, 1 where failed[i] is 0.
  PyObject* release_with_validity(const std::uint8_t* failed) noexcept;
  PyObject* wiped() noexcept { return flat_.wiped(); }

 private:
  static const std::uint8_t* bytes_or_null(PyObject* bytes) noexcept {
    return bytes == nullptr ? nullptr : bytes_data(bytes);
  }
  bool begin(const PackedInput& messages);
  void store(std::size_t i, std::uint64_t offset) noexcept;
  bool check_total(std::uint64_t total) const;
  PyObject* offsets_view() noexcept;

  FlatOutput flat_;
  OffsetWidth width_ = OffsetWidth::int32;
  std::size_t count_ = 0;
  Ref offsets_;
};

}  // namespace cngaes::python
