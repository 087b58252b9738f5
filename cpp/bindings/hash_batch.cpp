// sha256_many, sha256_packed, hmac_sha256_many, hmac_sha256_packed.
#include "batch_out.hpp"
#include "cngaes/kernels.h"
#include "cngaes/split.hpp"
#include "key_object.hpp"
#include "types.hpp"

namespace cngaes::python {
namespace {

constexpr std::size_t kDigest = kSha256DigestBytes;

// The same for both: HMAC has a key in front.
Status run(const Backend& backend, const Input* key, const HashBatch& batch, std::size_t count,
           unsigned threads) noexcept {
  return key == nullptr ? sha256_batch(backend, batch, count, threads)
                        : hmac_sha256_batch(backend, key->view(), batch, count, threads);
}

PyObject* hash_many(const Input* key, PyObject* messages_object, PyObject* threads_object,
                    PyObject* backend_object) {
  InputList messages;
  unsigned threads = 0;
  BytesList out;
  if (!messages.get(messages_object, "messages") || !threads_from(threads_object, &threads)) {
    return nullptr;
  }
  const Backend* const backend = backend_from(backend_object);
  const std::size_t count = messages.count();
  if (backend == nullptr || !out.make(count, [](std::size_t) { return kDigest; })) return nullptr;
  const Status status = run_released(batch_work(messages.total(), count), [&] {
    return run(*backend, key, {messages.list(), out.list()}, count, threads);
  });
  return status.ok() ? out.release() : raise_choice(status);
}

PyObject* hash_packed(const Input* key, PyObject* data, PyObject* offsets, PyObject* out_object,
                      PyObject* threads_object, PyObject* backend_object) {
  PackedInput messages;
  unsigned threads = 0;
  FlatOutput out;
  if (!messages.get(data, "data", offsets, "offsets") || !threads_from(threads_object, &threads) ||
      !out.get(out_object)) {
    return nullptr;
  }
  if (out.is_given() &&
      (!check_overlap(out.given(), messages.data(), "data", InPlace::no, "out") ||
       (key != nullptr && !check_overlap(out.given(), *key, "key", InPlace::no, "out")))) {
    return nullptr;
  }
  const Backend* const backend = backend_from(backend_object);
  const std::size_t count = messages.count();
  if (backend == nullptr || !out.make(std::uint64_t{kDigest} * count)) return nullptr;
  const Status status = run_released(batch_work(messages.total(), count), [&] {
    const OutList list = OutList::strided(out.data(), kDigest);
    return run(*backend, key, {messages.list(), list}, count, threads);
  });
  if (status.ok()) return out.release();
  raise_choice(status);
  return out.wiped();
}

constexpr Signature kShaMany = {"sha256_many", 1, 1, 3, {"messages", "threads", "backend"}};
PyObject* sha256_many(PyObject*, PyObject* const* args, Py_ssize_t num_args,
                      PyObject* keyword_names) {
  PyObject* values[3];
  if (!parse_arguments(kShaMany, args, num_args, keyword_names, values)) return nullptr;
  return hash_many(nullptr, values[0], values[1], values[2]);
}

constexpr Signature kShaPacked = {
    "sha256_packed", 2, 2, 5, {"data", "offsets", "out", "threads", "backend"}};
PyObject* sha256_packed(PyObject*, PyObject* const* args, Py_ssize_t num_args,
                        PyObject* keyword_names) {
  PyObject* values[5];
  if (!parse_arguments(kShaPacked, args, num_args, keyword_names, values)) return nullptr;
  return hash_packed(nullptr, values[0], values[1], values[2], values[3], values[4]);
}

constexpr Signature kHmacMany = {
    "hmac_sha256_many", 2, 2, 4, {"key", "messages", "threads", "backend"}};
PyObject* hmac_sha256_many(PyObject*, PyObject* const* args, Py_ssize_t num_args,
                           PyObject* keyword_names) {
  PyObject* values[4];
  Input key;
  if (!parse_arguments(kHmacMany, args, num_args, keyword_names, values) ||
      !key.get(values[0], "key")) {
    return nullptr;
  }
  return hash_many(&key, values[1], values[2], values[3]);
}

constexpr Signature kHmacPacked = {
    "hmac_sha256_packed", 3, 3, 6, {"key", "data", "offsets", "out", "threads", "backend"}};
PyObject* hmac_sha256_packed(PyObject*, PyObject* const* args, Py_ssize_t num_args,
                             PyObject* keyword_names) {
  PyObject* values[6];
  Input key;
  if (!parse_arguments(kHmacPacked, args, num_args, keyword_names, values) ||
      !key.get(values[0], "key")) {
    return nullptr;
  }
  return hash_packed(&key, values[1], values[2], values[3], values[4], values[5]);
}

PyMethodDef functions[] = {
    {"sha256_many", as_method(sha256_many), METH_FASTCALL | METH_KEYWORDS,
     "sha256_many(messages, *, threads=None, backend=None)\n--\n\n"
     "The SHA-256 digests (FIPS 180-4) of a sequence of messages, a list of 32 bytes each.\n\n"
     "Several messages are hashed in step on each core. threads is how many cores may be used;\n"
     "None is as many as pay. Raises TypeError or BufferError for a message that is no buffer,\n"
     "naming its index; UnsupportedBackend."},
    {"sha256_packed", as_method(sha256_packed), METH_FASTCALL | METH_KEYWORDS,
     "sha256_packed(data, offsets, *, out=None, threads=None, backend=None)\n--\n\n"
     "The digests of data[offsets[i]:offsets[i + 1]] for every i, 32 bytes each, one after\n"
     "another in fresh bytes or in out, a writable buffer of exactly that size.\n\n"
     "offsets is any buffer of int32 or int64; the first need not be 0. Raises ValueError for\n"
     "offsets that run backwards or past the end of data, or an out of another size or that\n"
     "overlaps data; else as sha256_many()."},
    {"hmac_sha256_many", as_method(hmac_sha256_many), METH_FASTCALL | METH_KEYWORDS,
     "hmac_sha256_many(key, messages, *, threads=None, backend=None)\n--\n\n"
     "HMAC-SHA-256 (FIPS 198-1) of each of a sequence of messages under one key.\n\n"
     "As sha256_many()."},
    {"hmac_sha256_packed", as_method(hmac_sha256_packed), METH_FASTCALL | METH_KEYWORDS,
     "hmac_sha256_packed(key, data, offsets, *, out=None, threads=None, backend=None)\n--\n\n"
     "HMAC-SHA-256 (FIPS 198-1) of packed messages under one key. As sha256_packed()."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_hash_batches(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace cngaes::python
