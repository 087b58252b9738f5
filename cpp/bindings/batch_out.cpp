#include "batch_out.hpp"

#include <cstring>

#include "cngaes/secure_memory.hpp"

namespace cngaes::python {

bool FlatOutput::get(PyObject* object) {
  if (object == nullptr || object == Py_None) return true;
  object_ = object;
  return given_.get(object, "out");
}

bool FlatOutput::make(std::uint64_t size) {
  if (is_given()) {
    if (given_.len() != size) {
      PyErr_Format(PyExc_ValueError, "out must be %llu bytes, got %zu bytes",
                   static_cast<unsigned long long>(size), given_.len());
      return false;
    }
    data_ = given_.data();
    return true;
  }
  fresh_ = Ref(new_bytes(size > SIZE_MAX ? SIZE_MAX : static_cast<std::size_t>(size)));
  if (!fresh_) return false;
  data_ = bytes_data(fresh_.get());
  return true;
}

PyObject* FlatOutput::wiped() noexcept {
  if (is_given() && data_ != nullptr) secure_wipe(data_, given_.len());
  return nullptr;
}

bool PackedOutput::begin(const PackedInput& messages) {
  width_ = messages.width();
  count_ = messages.count();
  const auto width = static_cast<std::size_t>(width_);
  if (count_ >= SIZE_MAX / width) {
    PyErr_NoMemory();
    return false;
  }
  offsets_ = Ref(new_bytes((count_ + 1) * width));
  if (!offsets_) return false;
  store(0, 0);
  return true;
}

void PackedOutput::store(std::size_t i, std::uint64_t offset) noexcept {
  std::uint8_t* const at = bytes_data(offsets_.get()) + static_cast<std::size_t>(width_) * i;
  if (width_ == OffsetWidth::int32) {
    const auto value = static_cast<std::int32_t>(offset);
    std::memcpy(at, &value, sizeof value);
  } else {
    const auto value = static_cast<std::int64_t>(offset);
    std::memcpy(at, &value, sizeof value);
  }
}

bool PackedOutput::check_total(std::uint64_t total) const {
  if (width_ == OffsetWidth::int64 || total <= INT32_MAX) return true;
  PyErr_Format(PyExc_OverflowError,
               "out_offsets: the result has %llu bytes, and int32 offsets end at 2**31-1; give "
               "offsets as int64, or fewer messages",
               static_cast<unsigned long long>(total));
  return false;
}

PyObject* PackedOutput::offsets_view() noexcept {
  const Ref view(PyMemoryView_FromObject(offsets_.get()));
  return view ? PyObject_CallMethod(view.get(), "cast", "s",
                                    width_ == OffsetWidth::int32 ? "i" : "q")
              : nullptr;
}

PyObject* PackedOutput::release() noexcept {
  const Ref offsets(offsets_view());
  const Ref out(offsets ? flat_.release() : nullptr);
  return out ? PyTuple_Pack(2, out.get(), offsets.get()) : nullptr;
}

PyObject* PackedOutput::release_with_validity(const std::uint8_t* failed) noexcept {
  const Ref validity(new_bytes((count_ + 7) / 8));
  if (!validity) return nullptr;
  std::uint8_t* const bits = bytes_data(validity.get());
  std::memset(bits, 0, (count_ + 7) / 8);
  for (std::size_t i = 0; i < count_; ++i) {
    bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | (failed[i] == 0 ? 1U << (i % 8) : 0U));
  }
  const Ref offsets(offsets_view());
  const Ref out(offsets ? flat_.release() : nullptr);
  return out ? PyTuple_Pack(3, out.get(), offsets.get(), validity.get()) : nullptr;
}

}  // namespace cngaes::python
