#include "fake_bcrypt.hpp"

#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace fake {
namespace {

using namespace cngaes;
using namespace cngaes::cng;

enum class Kind : std::uint8_t { provider, key, hash };
struct Object {
  Kind kind;
  std::u16string algorithm;
  std::u16string mode;
  std::vector<std::uint8_t> secret;
  std::unique_ptr<CipherKey> key;
  std::vector<std::uint8_t> data;  // hashed so far
  bool keyed = false;
  bool finished = false;
  bool busy = false;
};

// For the counters; what happens to one object at a time is the caller's affair.
std::mutex g_mutex;
State g_state;

NtStatus as_status(std::uint32_t value) { return static_cast<NtStatus>(value); }

// True: this call fails now, with *out_status.
bool fails(const char* name, NtStatus* out_status) {
  const std::lock_guard lock(g_mutex);
  ++g_state.counts[name];
  const bool now = g_state.calls++ == g_state.fail_at;
  *out_status = as_status(g_state.status);
  return now && !g_state.short_result;
}
bool is_short() {
  const std::lock_guard lock(g_mutex);
  return g_state.short_result && g_state.calls - 1 == g_state.fail_at;
}

NtStatus misuse(std::uint32_t status) {
  const std::lock_guard lock(g_mutex);
  g_state.misused = true;
  return as_status(status);
}

Object* object_of(Handle handle) { return static_cast<Object*>(handle); }
std::uintptr_t number_of(Handle handle) { return reinterpret_cast<std::uintptr_t>(handle); }
bool is_pseudo(Handle handle) { return number_of(handle) < 0x1000; }

Handle give_out(Object* object) {
  const std::lock_guard lock(g_mutex);
  ++g_state.handles;
  return object;
}
NtStatus take_back(Handle handle, Kind kind) {
  if (handle == nullptr || is_pseudo(handle) || object_of(handle)->kind != kind) {
    return misuse(nt::kInvalidHandle);
  }
  const std::lock_guard lock(g_mutex);
  --g_state.handles;
  delete object_of(handle);
  return 0;
}

NtStatus CNGAES_BCRYPT_CALL open_provider(Handle* out, const char16_t* algorithm, const char16_t*,
                                          Ulong flags) {
  NtStatus status = 0;
  if (fails("open", &status)) return status;
  *out = give_out(new Object{Kind::provider, algorithm, u"", {}, nullptr, {}, flags == kHmacFlag});
  return 0;
}
NtStatus CNGAES_BCRYPT_CALL close_provider(Handle handle, Ulong) {
  return take_back(handle, Kind::provider);
}
NtStatus CNGAES_BCRYPT_CALL set_property(Handle handle, const char16_t* name,
                                         const std::uint8_t* value, Ulong len, Ulong) {
  NtStatus status = 0;
  if (fails("set", &status)) return status;
  if (is_pseudo(handle)) return misuse(nt::kAccessDenied);
  if (std::u16string(name) != u"ChainingMode" || len % 2 != 0) return misuse(nt::kInvalidParameter);
  std::u16string mode(len / 2, u'\0');
  std::memcpy(mode.data(), value, len);
  mode.pop_back();  // the NUL
  object_of(handle)->mode = mode;
  return 0;
}

bool cipher_mode(Handle provider, Mode* out_mode) {
  if (is_pseudo(provider)) {
    const std::uintptr_t n = number_of(provider);
    *out_mode = n == 0x1E1 ? Mode::gcm : n == 0x1A1 ? Mode::cbc : Mode::ecb;
    return n == 0x1E1 || n == 0x1A1 || n == 0x1B1;
  }
  const std::u16string& mode = object_of(provider)->mode;
  *out_mode = mode == u"ChainingModeGCM"   ? Mode::gcm
              : mode == u"ChainingModeECB" ? Mode::ecb
                                           : Mode::cbc;
  return object_of(provider)->algorithm == u"AES";
}

NtStatus new_key(Mode mode, const std::vector<std::uint8_t>& secret, Handle* out) {
  auto* made = new Object{Kind::key, u"AES", u"", secret, nullptr, {}};
  made->mode = mode == Mode::gcm ? u"G" : mode == Mode::cbc ? u"C" : u"E";
  if (!cpu_backend().make_key(mode, secret.data(), secret.size(), &made->key).ok()) std::abort();
  *out = give_out(made);
  return 0;
}
NtStatus CNGAES_BCRYPT_CALL import_key(Handle provider, Handle, const char16_t* type, Handle* out,
                                       std::uint8_t* object, Ulong, const std::uint8_t* blob,
                                       Ulong blob_len, Ulong flags) {
  NtStatus status = 0;
  if (fails("import", &status)) {
    *out = reinterpret_cast<Handle>(&g_state);  // what stands there after a failure means nothing
    return status;
  }
  if (is_pseudo(provider) && !g_state.pseudo_handles) return as_status(nt::kInvalidHandle);
  Mode mode = Mode::ecb;
  Ulong head[3];
  std::memcpy(head, blob, sizeof head);
  if (!cipher_mode(provider, &mode) || std::u16string(type) != u"KeyDataBlob" ||
      object != nullptr || flags != 0 || head[0] != 0x4D42444B || head[1] != 1 ||
      blob_len != head[2] + 12) {
    return misuse(nt::kInvalidParameter);
  }
  if (g_state.no_gcm_192 && mode == Mode::gcm && head[2] == 24) return as_status(nt::kNotSupported);
  return new_key(mode, {blob + 12, blob + blob_len}, out);
}
NtStatus CNGAES_BCRYPT_CALL duplicate_key(Handle key, Handle* out, std::uint8_t*, Ulong, Ulong) {
  NtStatus status = 0;
  if (fails("duplicate_key", &status)) return status;
  const Object& from = *object_of(key);
  const Mode mode = from.mode == u"G" ? Mode::gcm : from.mode == u"C" ? Mode::cbc : Mode::ecb;
  return new_key(mode, from.secret, out);
}
NtStatus CNGAES_BCRYPT_CALL destroy_key(Handle key) { return take_back(key, Kind::key); }

NtStatus gcm(Direction direction, const Object& key, const std::uint8_t* in, Ulong len,
             const AuthInfo& info, std::uint8_t* out, Ulong* result_len) {
  if (info.size != sizeof(AuthInfo) || info.version != 1 || info.flags != 0 ||
      info.nonce == nullptr || info.aad == nullptr || info.tag == nullptr) {
    return misuse(nt::kInvalidParameter);
  }
  if (info.nonce_len != 12) return misuse(nt::kInternalError);
  if (info.tag_len < 12 || info.tag_len > 16) return misuse(nt::kInvalidParameter);
  static_cast<void>(static_cast<volatile const std::uint8_t*>(info.nonce)[15]);  // for ASan
  *result_len = len;
  if (in == nullptr) return misuse(nt::kInvalidParameter);
  if (out == nullptr) return 0;  // a size query: the tag is not looked at
  const GcmMessage message = {info.nonce, 12, info.aad, info.aad_len, info.tag_len};
  if (direction == Direction::encrypt) {
    return key.key->gcm_seal(message, out, info.tag, in, len).ok() ? 0 : -1;
  }
  std::vector<std::uint8_t> ciphertext(in, in + len);
  const Status status = key.key->gcm_open(message, out, in, len, info.tag);
  if (status.ok()) return 0;
  // As CNG: the plaintext is there.
  std::vector<std::uint8_t> tag(16);
  std::vector<std::uint8_t> plain(len + 1);
  static_cast<void>(key.key->gcm_seal({info.nonce, 12, info.aad, info.aad_len, 16}, plain.data(),
                                      tag.data(), ciphertext.data(), len));
  if (len > 0) std::memcpy(out, plain.data(), len);
  return as_status(nt::kAuthTagMismatch);
}

// Two calls with one CBC key at a time are wrong: it carries the chain.
class Alone {
 public:
  explicit Alone(Object& object) : object_(object) {
    const std::lock_guard lock(g_mutex);
    if (object_.busy) g_state.misused = true;
    object_.busy = true;
  }
  ~Alone() {
    const std::lock_guard lock(g_mutex);
    object_.busy = false;
  }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  Object& object_;
};

NtStatus crypt(Direction direction, Handle handle, const std::uint8_t* in, Ulong len, void* info,
               std::uint8_t* iv, Ulong iv_len, std::uint8_t* out, Ulong out_len, Ulong* result_len,
               Ulong flags) {
  NtStatus failure = 0;
  const bool now = fails(direction == Direction::encrypt ? "encrypt" : "decrypt", &failure);
  if (now && g_state.write_before_failing && out != nullptr) std::memset(out, 0x5A, out_len);
  if (now) return failure;
  Object& key = *object_of(handle);
  if (result_len == nullptr || flags != 0 || key.kind != Kind::key) {
    return misuse(nt::kInvalidParameter);
  }
  NtStatus status = 0;
  if (key.mode == u"G") {
    if (info == nullptr) return misuse(nt::kInvalidParameter);
    status = gcm(direction, key, in, len, *static_cast<AuthInfo*>(info), out, result_len);
  } else {
    if (len % 16 != 0) return misuse(nt::kInvalidBufferSize);
    if (in == nullptr || out == nullptr || out_len < len) return misuse(nt::kInvalidParameter);
    *result_len = len;
    if (key.mode == u"E") {
      if (iv != nullptr) return misuse(nt::kInvalidParameter);
      static_cast<void>(key.key->ecb(direction, out, in, len));
    } else {
      if (iv == nullptr || iv_len != 16) return misuse(nt::kInvalidParameter);
      const Alone alone(key);
      static_cast<void>(key.key->cbc(direction, iv, out, in, len));
      std::memset(iv, 0xEE, 16);  // whoever relies on what is written there is wrong somewhere
    }
  }
  if (succeeded(status) && is_short()) --*result_len;
  return status;
}
NtStatus CNGAES_BCRYPT_CALL encrypt(Handle key, const std::uint8_t* in, Ulong len, void* info,
                                    std::uint8_t* iv, Ulong iv_len, std::uint8_t* out,
                                    Ulong out_len, Ulong* result_len, Ulong flags) {
  return crypt(Direction::encrypt, key, in, len, info, iv, iv_len, out, out_len, result_len, flags);
}
NtStatus CNGAES_BCRYPT_CALL decrypt(Handle key, const std::uint8_t* in, Ulong len, void* info,
                                    std::uint8_t* iv, Ulong iv_len, std::uint8_t* out,
                                    Ulong out_len, Ulong* result_len, Ulong flags) {
  return crypt(Direction::decrypt, key, in, len, info, iv, iv_len, out, out_len, result_len, flags);
}

bool hash_kind(Handle provider, bool* out_keyed) {
  if (is_pseudo(provider)) {
    *out_keyed = number_of(provider) == 0xB1;
    return *out_keyed || number_of(provider) == 0x41;
  }
  *out_keyed = object_of(provider)->keyed;
  return object_of(provider)->algorithm == u"SHA256";
}
void compute(const Object& o, std::uint8_t out[32]) {
  const Backend& cpu = cpu_backend();
  const Status status =
      o.keyed ? cpu.hmac_sha256(out, o.secret.data(), o.secret.size(), o.data.data(), o.data.size())
              : cpu.sha256(out, o.data.data(), o.data.size());
  if (!status.ok()) std::abort();
}
NtStatus CNGAES_BCRYPT_CALL hash(Handle provider, const std::uint8_t* secret, Ulong secret_len,
                                 const std::uint8_t* in, Ulong len, std::uint8_t* out,
                                 Ulong out_len) {
  NtStatus status = 0;
  if (fails("hash", &status)) {
    if (g_state.write_before_failing) std::memset(out, 0x5A, out_len);
    return status;
  }
  if (is_pseudo(provider) && !g_state.pseudo_handles) return as_status(nt::kInvalidHandle);
  Object o{Kind::hash, u"", u"", {}, nullptr, {}};
  if (!hash_kind(provider, &o.keyed) || in == nullptr || out_len != 32 ||
      o.keyed != (secret != nullptr)) {
    return misuse(nt::kInvalidParameter);
  }
  if (secret_len > 0) o.secret.assign(secret, secret + secret_len);
  o.data.assign(in, in + len);
  compute(o, out);
  return 0;
}
NtStatus CNGAES_BCRYPT_CALL create_hash(Handle provider, Handle* out, std::uint8_t*, Ulong,
                                        const std::uint8_t* secret, Ulong secret_len, Ulong) {
  NtStatus status = 0;
  if (fails("create_hash", &status)) return status;
  if (is_pseudo(provider) && !g_state.pseudo_handles) return as_status(nt::kInvalidHandle);
  auto made = std::make_unique<Object>(Object{Kind::hash, u"", u"", {}, nullptr, {}});
  if (!hash_kind(provider, &made->keyed) || made->keyed != (secret != nullptr)) {
    return misuse(nt::kInvalidParameter);
  }
  if (secret_len > 0) made->secret.assign(secret, secret + secret_len);
  *out = give_out(made.release());
  return 0;
}
NtStatus CNGAES_BCRYPT_CALL hash_data(Handle hash, const std::uint8_t* in, Ulong len, Ulong) {
  NtStatus status = 0;
  if (fails("hash_data", &status)) return status;
  Object& o = *object_of(hash);
  if (o.finished || in == nullptr) return misuse(nt::kInvalidParameter);
  o.data.insert(o.data.end(), in, in + len);
  return 0;
}
NtStatus CNGAES_BCRYPT_CALL finish_hash(Handle hash, std::uint8_t* out, Ulong len, Ulong) {
  NtStatus status = 0;
  if (fails("finish_hash", &status)) {
    if (g_state.write_before_failing) std::memset(out, 0x5A, len);
    return status;
  }
  Object& o = *object_of(hash);
  if (o.finished || len != 32) return misuse(nt::kInvalidParameter);
  o.finished = true;
  compute(o, out);
  return 0;
}
NtStatus CNGAES_BCRYPT_CALL duplicate_hash(Handle hash, Handle* out, std::uint8_t*, Ulong, Ulong) {
  NtStatus status = 0;
  if (fails("duplicate_hash", &status)) return status;
  const Object& o = *object_of(hash);
  if (o.finished) return misuse(nt::kInvalidParameter);
  *out = give_out(new Object{Kind::hash, u"", u"", o.secret, nullptr, o.data, o.keyed});
  return 0;
}
NtStatus CNGAES_BCRYPT_CALL destroy_hash(Handle hash) { return take_back(hash, Kind::hash); }

}  // namespace

State& state() { return g_state; }
void reset() {
  const long handles = g_state.handles;
  g_state = State{};
  g_state.handles = handles;
}
const Bcrypt& table() {
  static const Bcrypt kTable = {open_provider,  close_provider, set_property, import_key,
                                duplicate_key,  destroy_key,    encrypt,      decrypt,
                                hash,           create_hash,    hash_data,    finish_hash,
                                duplicate_hash, destroy_hash,   false};
  return kTable;
}

}  // namespace fake
