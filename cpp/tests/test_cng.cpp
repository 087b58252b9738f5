// The `cng` backend over a bcrypt.dll of our own: right answers, every failure, chunk borders.
#include <functional>

#include "check.hpp"
#include "cngaes/cng.hpp"
#include "cngaes/contexts.hpp"
#include "cngaes/messages.hpp"
#include "cngaes/split.hpp"
#include "fake_bcrypt.hpp"

namespace {

using namespace cngaes;
using cng::CngBackend;
using test::Bytes;
using test::Random;

constexpr std::uint32_t kStatuses[] = {cng::nt::kUnsuccessful,      cng::nt::kNotImplemented,
                                       cng::nt::kInvalidParameter,  cng::nt::kNoMemory,
                                       cng::nt::kAccessDenied,      cng::nt::kBufferTooSmall,
                                       cng::nt::kNotSupported,      cng::nt::kInternalError,
                                       cng::nt::kInvalidBufferSize, cng::nt::kNotFound,
                                       cng::nt::kAuthTagMismatch,   cng::nt::kInsufficientResources,
                                       cng::nt::kInvalidHandle,     0xDEADBEEF};

StatusCode expected_code(std::uint32_t status) {
  switch (status) {
    case cng::nt::kNoMemory:
    case cng::nt::kInsufficientResources:
      return StatusCode::out_of_memory;
    case cng::nt::kNotImplemented:
    case cng::nt::kNotSupported:
    case cng::nt::kNotFound:
      return StatusCode::unsupported;
    default:
      return StatusCode::backend_error;
  }
}

const Bytes kIv = test::from_hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
const Bytes kKey =
    test::from_hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");

GcmMessage message_of(const Bytes& aad, std::size_t tag_len = 16) {
  return {kIv.data(), 12, aad.data(), aad.size(), tag_len};
}

// One operation with fresh objects: its status, and what it wrote.
struct Operation {
  const char* name;
  std::function<Status(const Backend&, Bytes*)> run;
  bool decrypts_gcm = false;
};

Bytes sample(std::size_t len) { return Random(len + 1).bytes(len); }

Status with_key(const Backend& backend, Mode mode, std::size_t key_len,
                const std::function<Status(const CipherKey&)>& f) {
  std::unique_ptr<CipherKey> key;
  const Status status = backend.make_key(mode, kKey.data(), key_len, &key);
  return status.ok() ? f(*key) : status;
}

Operation block_operation(const char* name, Mode mode, Direction direction, std::size_t len,
                          std::size_t key_len) {
  return {name, [=](const Backend& backend, Bytes* out) {
            return with_key(backend, mode, key_len, [&](const CipherKey& key) {
              *out = sample(len);  // in place
              Bytes iv = kIv;
              if (mode == Mode::ecb) return key.ecb(direction, out->data(), out->data(), len);
              const Status status =
                  mode == Mode::cbc ? key.cbc(direction, iv.data(), out->data(), out->data(), len)
                                    : key.ctr(iv.data(), out->data(), out->data(), len);
              // The chain goes on: shown by one more block.
              Bytes more(16);
              if (!status.ok()) return status;
              const Status last = mode == Mode::cbc
                                      ? key.cbc(direction, iv.data(), more.data(), more.data(), 16)
                                      : key.ctr(iv.data(), more.data(), more.data(), 16);
              if (!last.ok()) out->assign(out->size(), 0);
              out->insert(out->end(), more.begin(), more.end());
              return last;
            });
          }};
}

Operation seal(std::size_t len, std::size_t aad_len) {
  return {"gcm_seal", [=](const Backend& backend, Bytes* out) {
            return with_key(backend, Mode::gcm, 32, [&](const CipherKey& key) {
              *out = sample(len);
              out->resize(len + 16);
              const Bytes aad = sample(aad_len);
              return key.gcm_seal(message_of(aad), out->data(), out->data() + len, out->data(),
                                  len);
            });
          }};
}
Operation open(std::size_t len, std::size_t aad_len, bool forge) {
  return {"gcm_open",
          [=](const Backend& backend, Bytes* out) {
            Bytes sealed;
            if (!seal(len, aad_len).run(cpu_backend(), &sealed).ok()) std::abort();
            if (forge) sealed.back() ^= 1;
            return with_key(backend, Mode::gcm, 32, [&](const CipherKey& key) {
              *out = Bytes(sealed.begin(), sealed.end() - 16);
              const Bytes aad = sample(aad_len);
              return key.gcm_open(message_of(aad), out->data(), out->data(), len,
                                  sealed.data() + len);
            });
          },
          true};
}

// Three messages of 0, 100 and 700 bytes in one call.
const std::int64_t kOffsets[] = {0, 0, 100, 800};
const std::int64_t kSealedOffsets[] = {0, 16, 132, 848};
List three(const Bytes& data, const std::int64_t* offsets) {
  return List::packed(data.data(),
                      {reinterpret_cast<const std::uint8_t*>(offsets), OffsetWidth::int64});
}
OutList three_out(Bytes* out, const std::int64_t* offsets) {
  return OutList::packed(out->data(),
                         {reinterpret_cast<const std::uint8_t*>(offsets), OffsetWidth::int64});
}

Status seal_three(const Backend& backend, Bytes* out) {
  const Bytes data = sample(800);
  out->assign(848, 0x11);
  return with_key(backend, Mode::gcm, 32, [&](const CipherKey& key) {
    const GcmBatch batch = {List::strided(kKey.data(), 12, 1), List::same_for_all({kIv.data(), 5}),
                            three(data, kOffsets), three_out(out, kSealedOffsets), 16};
    return gcm_seal_batch(key, batch, 3, 2);
  });
}

// The second is forged: the others are opened all the same.
Status open_three(const Backend& backend, Bytes* out) {
  Bytes sealed;
  if (!seal_three(cpu_backend(), &sealed).ok()) std::abort();
  sealed[50] ^= 1;
  out->assign(800, 0x11);
  return with_key(backend, Mode::gcm, 32, [&](const CipherKey& key) {
    const GcmBatch batch = {List::strided(kKey.data(), 12, 1), List::same_for_all({kIv.data(), 5}),
                            three(sealed, kSealedOffsets), three_out(out, kOffsets), 16};
    std::uint8_t failed[3] = {};
    const Status status = gcm_open_batch(key, batch, 3, failed, 2);
    out->insert(out->end(), failed, failed + 3);
    return status;
  });
}

Status hash_three(const Backend& backend, Bytes* out, bool keyed) {
  const Bytes data = sample(800);
  out->assign(96, 0x11);
  const HashBatch batch = {three(data, kOffsets), OutList::strided(out->data(), 32)};
  return keyed ? hmac_sha256_batch(backend, {kKey.data(), kKey.size()}, batch, 3, 2)
               : sha256_batch(backend, batch, 3, 2);
}

std::vector<Operation> operations() {
  std::vector<Operation> all;
  for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
    all.push_back(block_operation("ecb", Mode::ecb, direction, 5000 / 16 * 16, 16));
    all.push_back(block_operation("cbc", Mode::cbc, direction, 5000 / 16 * 16, 24));
    all.push_back(block_operation("ctr", Mode::ctr, direction, 4999, 32));
  }
  for (const std::size_t len : {0, 1, 1000}) {
    all.push_back(seal(len, len));
    all.push_back(open(len, len, false));
    all.push_back(open(len, 0, false));
  }
  all.push_back({"sha256", [](const Backend& backend, Bytes* out) {
                   out->assign(32, 0x11);
                   const Bytes data = sample(5000);
                   return backend.sha256(out->data(), data.data(), data.size());
                 }});
  for (const std::size_t key_len : {0, 20, 5000}) {
    all.push_back({"hmac", [key_len](const Backend& backend, Bytes* out) {
                     out->assign(32, 0x11);
                     const Bytes key = sample(key_len);
                     const Bytes data = sample(3000);
                     return backend.hmac_sha256(out->data(), key.data(), key.size(), data.data(),
                                                data.size());
                   }});
  }
  all.push_back({"gcm_seal_batch", seal_three});
  for (const bool keyed : {false, true}) {
    all.push_back(
        {keyed ? "hmac_batch" : "sha256_batch",
         [keyed](const Backend& backend, Bytes* out) { return hash_three(backend, out, keyed); }});
  }
  all.push_back({"hash", [](const Backend& backend, Bytes* out) {
                   out->assign(64, 0);
                   const Bytes data = sample(5000);
                   std::unique_ptr<HashState> state;
                   std::unique_ptr<HashState> copy;
                   Status status = backend.make_hash(&state);
                   if (status.ok()) status = state->update(data.data(), data.size());
                   if (status.ok()) status = state->copy(&copy);
                   if (status.ok()) status = copy->update(data.data(), 7);
                   if (status.ok()) status = state->digest(out->data());
                   if (status.ok()) status = copy->digest(out->data() + 32);
                   return status;
                 }});
  return all;
}

bool is_clean(const Bytes& out) {
  for (const std::uint8_t byte : out) {
    if (byte == 0x5A && out.size() >= 32) {
      // One such byte may be chance; a run is what the failing call wrote.
      return out != Bytes(out.size(), 0x5A);
    }
  }
  return true;
}

void right_answers(const cng::Bcrypt& api, cng::Ulong max_call, const char* what) {
  for (const Operation& operation : operations()) {
    const CngBackend backend(api, max_call);
    Bytes expected;
    Bytes out;
    CHECK(operation.run(cpu_backend(), &expected).ok());
    // A message of GCM cannot be cut; above the limit it is refused.
    const Status status = operation.run(backend, &out);
    CHECK_CASE(status.ok(), "%s, %s: %s", what, operation.name,
               status.text == nullptr ? "" : status.text);
    CHECK_CASE(out == expected, "%s, %s", what, operation.name);
  }
  CHECK_CASE(fake::state().handles == 0 && !fake::state().misused, "%s", what);
}

void every_failure() {
  for (const Operation& operation : operations()) {
    for (const bool pseudo : {true, false}) {
      // How many calls there are to fail.
      fake::reset();
      fake::state().pseudo_handles = pseudo;
      Bytes out;
      {
        const CngBackend backend(fake::table(), 1024);
        CHECK(operation.run(backend, &out).ok());
      }
      const long calls = fake::state().calls;
      CHECK(calls > 0);
      for (long at = 0; at < calls; ++at) {
        for (const std::uint32_t nt_status : kStatuses) {
          fake::reset();
          fake::state().pseudo_handles = pseudo;
          fake::state().fail_at = at;
          fake::state().status = nt_status;
          fake::state().write_before_failing = true;
          Bytes got;
          Status status;
          {
            const CngBackend backend(fake::table(), 1024);
            status = operation.run(backend, &got);
          }
          if (nt_status == cng::nt::kInvalidHandle && status.ok()) {
            // Taken for an unknown pseudo-handle: opened, and done once more.
            CHECK(fake::state().counts["open"] > 0 && got == out);
          } else if (nt_status == cng::nt::kAuthTagMismatch && operation.decrypts_gcm &&
                     fake::state().counts["decrypt"] > 0) {
            CHECK(status.code == StatusCode::invalid_tag && got == Bytes(got.size()));
          } else {
            CHECK_CASE(status.code == expected_code(nt_status) && status.ntstatus == nt_status &&
                           status.text != nullptr,
                       "%s call %ld status %08x: code %d", operation.name, at, nt_status,
                       static_cast<int>(status.code));
            CHECK_CASE(is_clean(got), "%s call %ld: output not wiped", operation.name, at);
          }
          CHECK_CASE(fake::state().handles == 0 && !fake::state().misused, "%s call %ld",
                     operation.name, at);
        }
      }
      // Lengths that come back short.
      for (long at = 0; at < calls; ++at) {
        fake::reset();
        fake::state().pseudo_handles = pseudo;
        fake::state().fail_at = at;
        fake::state().short_result = true;
        Bytes got;
        Status status;
        {
          const CngBackend backend(fake::table(), 1024);
          status = operation.run(backend, &got);
        }
        const bool crypts = fake::state().counts["encrypt"] + fake::state().counts["decrypt"] > 0;
        CHECK(status.ok() || (crypts && status.code == StatusCode::backend_error &&
                              status.ntstatus == 0 && status.text != nullptr));
        CHECK(status.ok() ? got == out : is_clean(got));
        CHECK(fake::state().handles == 0);
      }
    }
  }
}

void forged() {
  fake::reset();
  const CngBackend backend(fake::table());
  for (const std::size_t len : {0, 1, 16, 1000}) {
    for (const std::size_t aad_len : {0, 5}) {
      Bytes out;
      const Status status = open(len, aad_len, true).run(backend, &out);
      CHECK_CASE(status.code == StatusCode::invalid_tag, "%zu bytes, %zu", len, aad_len);
      CHECK(out == Bytes(len));
    }
  }
}

// One by one behind the batch calls: the forged message is named, the others are there.
void forged_in_a_batch() {
  fake::reset();
  const CngBackend backend(fake::table());
  Bytes expected;
  Bytes out;
  CHECK(open_three(cpu_backend(), &expected).ok() && open_three(backend, &out).ok());
  CHECK(out == expected);
  const Bytes data = sample(800);
  CHECK(std::memcmp(&out[100], &data[100], 700) == 0);
  CHECK(std::memcmp(out.data(), Bytes(100).data(), 100) == 0);
  CHECK(out[800] == 0 && out[801] == 1 && out[802] == 0);
}

void limits() {
  fake::reset();
  const CngBackend backend(fake::table(), 1024);
  Bytes out(3000, 0x33);
  Bytes tag(16);
  const Status status = with_key(backend, Mode::gcm, 32, [&](const CipherKey& key) {
    GcmMessage message = message_of({});
    CHECK(key.gcm_seal(message, out.data(), tag.data(), out.data(), 1040).code ==
          StatusCode::limit);
    CHECK(key.gcm_open(message, out.data(), out.data(), 1040, tag.data()).code ==
          StatusCode::limit);
    message.aad = out.data();
    message.aad_len = 1040;
    CHECK(key.gcm_seal(message, out.data(), tag.data(), out.data(), 16).code == StatusCode::limit);
    for (const std::size_t nonce_len : {1, 11, 13, 16}) {
      message = message_of({});
      message.nonce_len = nonce_len;
      const Status wrong = key.gcm_seal(message, out.data(), tag.data(), out.data(), 16);
      CHECK(wrong.code == StatusCode::bad_argument &&
            std::string(wrong.text).find("backend=\"cpu\"") != std::string::npos);
    }
    for (const std::size_t tag_len : {4, 8}) {
      message = message_of({}, tag_len);
      CHECK(key.gcm_seal(message, out.data(), tag.data(), out.data(), 16).code ==
            StatusCode::bad_argument);
      CHECK(backend.check_tag_length(tag_len).code == StatusCode::bad_argument);
    }
    std::unique_ptr<GcmStream> stream;
    CHECK(key.gcm_start(Direction::encrypt, message_of({}), &stream).code ==
          StatusCode::unsupported);
    return kOk;
  });
  CHECK(status.ok() && out == Bytes(3000, 0x33) && fake::state().calls == 1);
  fake::state().no_gcm_192 = true;
  const Status missing = with_key(backend, Mode::gcm, 24, [](const CipherKey&) { return kOk; });
  CHECK(missing.code == StatusCode::unsupported &&
        std::string(missing.text).find("AES-192-GCM") != std::string::npos);
}

// Every border of a chunk: lengths around multiples of the limit, in and out apart and the same.
void chunk_borders() {
  fake::reset();
  const CngBackend backend(fake::table(), 4096);
  for (const Mode mode : {Mode::ecb, Mode::cbc, Mode::ctr}) {
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      for (std::size_t len = 4096 - 32; len <= 3 * 4096 + 32; len += 16) {
        if (len % 4096 > 32 && len % 4096 < 4096 - 32) continue;
        Bytes expected;
        Bytes out;
        const Operation operation = block_operation("border", mode, direction, len, 32);
        CHECK(operation.run(cpu_backend(), &expected).ok() && operation.run(backend, &out).ok());
        CHECK_CASE(out == expected, "mode %d, %zu bytes", static_cast<int>(mode), len);
      }
    }
  }
  for (std::size_t len = 4095; len <= 3 * 4096 + 1; ++len) {
    if (len % 4096 > 1 && len % 4096 < 4095) continue;
    const Bytes data = sample(len);
    std::uint8_t expected[32];
    std::uint8_t out[32];
    CHECK(cpu_backend().sha256(expected, data.data(), len).ok());
    CHECK(backend.sha256(out, data.data(), len).ok() && std::memcmp(out, expected, 32) == 0);
    CHECK(cpu_backend().hmac_sha256(expected, data.data(), len, data.data(), len).ok());
    CHECK(backend.hmac_sha256(out, data.data(), len, data.data(), len).ok() &&
          std::memcmp(out, expected, 32) == 0);
  }
}

// Padding and contexts of the core over this backend.
void messages() {
  fake::reset();
  Random random(3);
  const CngBackend backend(fake::table(), 64);
  for (std::size_t len = 0; len < 200; ++len) {
    const Bytes data = random.bytes(len);
    Bytes results[2];
    for (int i = 0; i < 2; ++i) {
      const Backend& used = i == 0 ? cpu_backend() : static_cast<const Backend&>(backend);
      std::unique_ptr<CipherKey> key;
      CHECK(used.make_key(Mode::cbc, kKey.data(), 32, &key).ok());
      BlockMessage message{*key, Mode::cbc, true, {}};
      results[i].resize(len / 16 * 16 + 16);
      CHECK(encrypt_message(message, results[i].data(), data.data(), len).ok());
      Bytes back = results[i];
      BlockMessage again{*key, Mode::cbc, true, {}};
      std::size_t out_len = 0;
      CHECK(decrypt_message(again, back.data(), back.data(), back.size(), &out_len).ok());
      CHECK(out_len == len && (len == 0 || std::memcmp(back.data(), data.data(), len) == 0));
    }
    CHECK(results[0] == results[1]);
  }
}

void fallbacks() {
  fake::reset();
  fake::state().pseudo_handles = false;
  right_answers(fake::table(), cng::kMaxCallBytes, "opened handles");
  CHECK(fake::state().counts["open"] > 0 && fake::state().counts["set"] > 0);
  {
    fake::reset();
    fake::state().pseudo_handles = false;
    const CngBackend backend(fake::table());
    std::uint8_t out[32];
    for (int i = 0; i < 10; ++i) CHECK(backend.sha256(out, out, 32).ok());
    CHECK(fake::state().counts["open"] == 1 && fake::state().counts["hash"] == 11);
  }
  fake::reset();
  cng::Bcrypt old = fake::table();
  old.hash = nullptr;
  right_answers(old, cng::kMaxCallBytes, "no BCryptHash");
  cng::Bcrypt wine = fake::table();
  wine.repeated_iv_continues = true;
  right_answers(wine, cng::kMaxCallBytes, "copies of a CBC key");
  CHECK(fake::state().counts["duplicate_key"] > 0);
}

void noop() {
  const Backend& backend = noop_cng_backend();
  CHECK(std::string(backend.name()) == "cng-noop");
  const Backend* found = nullptr;
  std::string error;
  CHECK(!find_backend("cng-noop", &found, &error).ok());
  Bytes out;
  CHECK(seal(16, 0).run(backend, &out).ok() && out.size() == 32);
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  fake::reset();
  right_answers(fake::table(), cng::kMaxCallBytes, "whole");
  right_answers(fake::table(), 1024, "1 KiB a call");
  every_failure();
  forged();
  forged_in_a_batch();
  limits();
  chunk_borders();
  messages();
  fallbacks();
  noop();
  CHECK(fake::state().handles == 0);
#ifndef _WIN32
  const char* reason = nullptr;
  CHECK(cng_backend(&reason) == nullptr && std::string(reason) == "needs Windows");
#endif
  return test::end();
}
