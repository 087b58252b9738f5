// Arguments of the batch calls: sequences of buffers, Arrow's data with offsets, threads.
// Everything is held for the call, and offsets are copied: other threads may change theirs while
// the GIL is free.
#pragma once

#include "buffers.hpp"
#include "cngaes/lists.hpp"

namespace cngaes::python {

// An array that needs no constructors; false with MemoryError set if there is no room.
template <class T>
class Array {
 public:
  Array() noexcept = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { PyMem_RawFree(static_cast<void*>(items_)); }

  bool allocate(std::size_t n) {
    if (n <= static_cast<std::size_t>(PY_SSIZE_T_MAX) / sizeof(T)) {
      items_ = static_cast<T*>(PyMem_RawMalloc(n * sizeof(T)));
    }
    if (items_ == nullptr) PyErr_NoMemory();
    return items_ != nullptr;
  }
  T* get() const noexcept { return items_; }
  T& operator[](std::size_t i) const noexcept { return items_[i]; }

 private:
  T* items_ = nullptr;
};

// "messages[3]" for errors.
struct ItemName {
  char text[64];
  ItemName(const char* list, std::size_t index);
};

// A sequence (any iterable but a buffer or str) of bytes-like objects.
class InputList {
 public:
  InputList() noexcept = default;
  InputList(const InputList&) = delete;
  InputList& operator=(const InputList&) = delete;
  ~InputList();

  bool get(PyObject* object, const char* name);

  std::size_t count() const noexcept { return count_; }
  ByteView operator[](std::size_t i) const noexcept { return views_[i]; }
  List list() const noexcept { return List::of_views(views_.get()); }
  std::uint64_t total() const noexcept { return total_; }

 private:
  bool get_view(PyObject* item, const char* name, std::size_t index);

  Ref items_;  // a tuple: nobody can take an item away
  std::size_t count_ = 0;
  std::uint64_t total_ = 0;
  Array<ByteView> views_;
  Array<Py_buffer> held_;  // of the items that are no bytes objects
  std::size_t num_held_ = 0;
};

// Items of one length, one for each message: a sequence, or one buffer with all of them.
class EqualInputs {
 public:
  // item_len: of those in one buffer; each_name: "nonce".
  bool get(PyObject* object, const char* name, std::size_t item_len, std::size_t count);
  List list() const noexcept {
    return is_packed_ ? List::strided(packed_.data(), item_len_, item_len_) : sequence_.list();
  }
  bool is_packed() const noexcept { return is_packed_; }
  const Input& packed() const noexcept { return packed_; }
  ByteView operator[](std::size_t i) const noexcept {
    return is_packed_ ? ByteView{packed_.data() + i * item_len_, item_len_} : sequence_[i];
  }

 private:
  bool is_packed_ = false;
  std::size_t item_len_ = 0;
  Input packed_;
  InputList sequence_;
};

// Variable-size binary data as Arrow lays it out: message i is data[offsets[i]:offsets[i + 1]].
class PackedInput {
 public:
  bool get(PyObject* data, const char* data_name, PyObject* offsets, const char* offsets_name);

  std::size_t count() const noexcept { return count_; }
  OffsetWidth width() const noexcept { return width_; }
  const Input& data() const noexcept { return data_; }
  Offsets offsets() const noexcept { return {offsets_.get(), width_}; }
  List list() const noexcept { return List::packed(data_.data(), offsets()); }
  ByteView operator[](std::size_t i) const noexcept { return list()[i]; }
  std::uint64_t total() const noexcept { return count_ == 0 ? 0 : list().total(0, count_); }

 private:
  bool copy_offsets(PyObject* object, const char* name);
  bool check_offsets(const char* data_name, const char* offsets_name);

  Input data_;
  OffsetWidth width_ = OffsetWidth::int32;
  std::size_t count_ = 0;
  Array<std::uint8_t> offsets_;
};

// None and null are 0, which means as many cores as pay; else at least 1.
bool threads_from(PyObject* argument, unsigned* out_threads);
// The same for one message, where null is 1.
inline bool one_shot_threads(PyObject* argument, unsigned* out_threads) {
  *out_threads = 1;
  return argument == nullptr || threads_from(argument, out_threads);
}
// What a batch is worth in bytes, for the choice whether to give up the GIL.
constexpr std::size_t batch_work(std::uint64_t bytes, std::size_t count) noexcept {
  const std::uint64_t work = bytes + 64 * std::uint64_t{count};
  return work > SIZE_MAX ? SIZE_MAX : static_cast<std::size_t>(work);
}

// ValueError, naming both, if two nonces are equal.
bool check_different_nonces(const List& nonces, std::size_t count);

}  // namespace cngaes::python
