// AES keys of the `cng` backend.
//
// ECB and GCM handles carry no state: calls on one may run at once. A CBC handle carries its chain,
// so it is lent to one call at a time, and a second call at the same time gets a copy of its own.
#include <algorithm>
#include <cstring>

#include "backend_cng.hpp"
#include "cngaes/bytes.hpp"
#include "cngaes/secure_memory.hpp"

namespace cngaes::cng {
namespace {

constexpr std::size_t kBlock = 16;
// One BCrypt call for so much keystream: enough to make its fixed cost vanish, and it stays in the
// first-level cache beside the data.
constexpr std::size_t kCtrBatch = 16384;

constexpr Algorithm algorithm_of(Mode mode) noexcept {
  switch (mode) {
    case Mode::cbc:
      return Algorithm::cbc;
    case Mode::gcm:
      return Algorithm::gcm;
    case Mode::ecb:
    case Mode::ctr:
      break;
  }
  return Algorithm::ecb;
}

class CngKey final : public CipherKey, public SecretObject {
 public:
  CngKey(const Context& context, Mode mode, std::size_t key_len) noexcept
      : context_(context), missing_(missing_cipher(mode, key_len)) {}
  CngKey(const CngKey&) = delete;
  CngKey& operator=(const CngKey&) = delete;
  ~CngKey() override {
    if (handle_ != nullptr) context_.api.destroy_key(handle_);
  }

  Status init(Mode mode, const std::uint8_t* key, std::size_t key_len) noexcept {
    SecretBuffer<sizeof(KeyBlob)> memory;
    KeyBlob blob = {kKeyBlobMagic, 1, static_cast<Ulong>(key_len), {}};
    std::memcpy(blob.key, key, key_len);
    std::memcpy(memory.data, &blob, sizeof blob);
    secure_wipe(&blob, sizeof blob);
    const char* name = nullptr;
    const NtStatus status =
        context_.providers.with(algorithm_of(mode), "BCryptImportKey", &name, [&](Handle provider) {
          return context_.api.import_key(provider, nullptr, u"KeyDataBlob", &handle_, nullptr, 0,
                                         memory.data, kKeyBlobHeader + static_cast<Ulong>(key_len),
                                         0);
        });
    if (!succeeded(status)) {
      handle_ = nullptr;
      return status_from(status, name, missing_);
    }
    return handle_ != nullptr ? kOk : wrong_length(name);
  }

  const char* kernel() const noexcept override { return "bcrypt.dll"; }

  Status ecb(Direction direction, std::uint8_t* out, const std::uint8_t* in,
             std::size_t len) const noexcept override {
    for (std::size_t done = 0; done < len;) {
      const std::size_t n = std::min<std::size_t>(len - done, context_.max_call);
      const Status status = crypt(handle_, direction, nullptr, out + done, in + done, n);
      if (!status.ok()) return wiped(status, out, len);
      done += n;
    }
    return kOk;
  }

  Status cbc(Direction direction, std::uint8_t iv[16], std::uint8_t* out, const std::uint8_t* in,
             std::size_t len) const noexcept override {
    if (len == 0) return kOk;
    Loan loan;
    Status status = borrow(&loan);
    for (std::size_t done = 0; done < len && status.ok();) {
      const std::size_t n = std::min<std::size_t>(len - done, context_.max_call);
      std::uint8_t own_iv[kBlock];  // CNG writes into it, or not
      std::memcpy(own_iv, iv, kBlock);
      // Decrypting in place overwrites what chains on.
      std::uint8_t next[kBlock] = {};
      if (direction == Direction::decrypt) std::memcpy(next, in + done + n - kBlock, kBlock);
      status = crypt(loan.handle, direction, own_iv, out + done, in + done, n);
      if (direction == Direction::encrypt) std::memcpy(next, out + done + n - kBlock, kBlock);
      if (status.ok()) std::memcpy(iv, next, kBlock);
      done += n;
    }
    give_back(loan);
    return status.ok() ? kOk : wiped(status, out, len);
  }

  // CNG has no counter mode: the counters are encrypted by ECB.
  Status ctr(std::uint8_t counter[16], std::uint8_t* out, const std::uint8_t* in,
             std::size_t len) const noexcept override {
    SecretBuffer<kCtrBatch> keystream;
    const std::size_t batch = std::min<std::size_t>(kCtrBatch, context_.max_call);
    keystream.wipe_only(std::min(batch, (len + kBlock - 1) / kBlock * kBlock));
    for (std::size_t done = 0; done < len;) {
      const std::size_t n = std::min(len - done, batch);
      const std::size_t whole = (n + kBlock - 1) / kBlock * kBlock;
      for (std::size_t at = 0; at < whole; at += kBlock) {
        std::memcpy(keystream.data + at, counter, kBlock);
        add_be128(counter, 1);
      }
      const Status status =
          crypt(handle_, Direction::encrypt, nullptr, keystream.data, keystream.data, whole);
      if (!status.ok()) return wiped(status, out, len);
      for (std::size_t i = 0; i < n; ++i) {
        out[done + i] = static_cast<std::uint8_t>(in[done + i] ^ keystream.data[i]);
      }
      done += n;
    }
    return kOk;
  }

  Status gcm_seal(const GcmMessage& message, std::uint8_t* out, std::uint8_t* out_tag,
                  const std::uint8_t* in, std::size_t len) const noexcept override {
    std::uint8_t tag[kBlock] = {};
    const Status status = gcm(Direction::encrypt, message, out, in, len, tag);
    if (status.ok()) std::memcpy(out_tag, tag, message.tag_len);
    return status;
  }

  Status gcm_open(const GcmMessage& message, std::uint8_t* out, const std::uint8_t* in,
                  std::size_t len, const std::uint8_t* tag) const noexcept override {
    std::uint8_t own_tag[kBlock] = {};
    if (message.tag_len <= kBlock) std::memcpy(own_tag, tag, message.tag_len);
    return gcm(Direction::decrypt, message, out, in, len, own_tag);
  }

  Status gcm_check(const GcmMessage& message, std::uint64_t len) const noexcept override {
    return check_gcm_message(message, len, context_.max_call);
  }

  Status gcm_start(Direction, const GcmMessage&,
                   std::unique_ptr<GcmStream>*) const noexcept override {
    return kNoGcmStream;
  }

 private:
  // A CBC handle for one call; `own`: made for this call.
  struct Loan {
    Handle handle = nullptr;
    bool own = false;
  };

  static const char* name_of(Direction direction) noexcept {
    return direction == Direction::encrypt ? "BCryptEncrypt" : "BCryptDecrypt";
  }
  auto function(Direction direction) const noexcept {
    return direction == Direction::encrypt ? context_.api.encrypt : context_.api.decrypt;
  }
  static Status wiped(Status status, std::uint8_t* out, std::size_t len) noexcept {
    if (len > 0) secure_wipe(out, len);
    return status;
  }

  Status crypt(Handle handle, Direction direction, std::uint8_t* iv, std::uint8_t* out,
               const std::uint8_t* in, std::size_t len) const noexcept {
    Ulong num_out = 0;
    const auto n = static_cast<Ulong>(len);
    const NtStatus status =
        function(direction)(handle, in, n, nullptr, iv,
                            iv == nullptr ? 0 : static_cast<Ulong>(kBlock), out, n, &num_out, 0);
    if (!succeeded(status)) return status_from(status, name_of(direction), missing_);
    return num_out == n ? kOk : wrong_length(name_of(direction));
  }

  Status gcm(Direction direction, const GcmMessage& message, std::uint8_t* out,
             const std::uint8_t* in, std::size_t len, std::uint8_t tag[16]) const noexcept {
    const Status sizes = check_gcm_message(message, len, context_.max_call);
    if (!sizes.ok()) return sizes;
    // 16 bytes, since CNG may read a whole block where 12 bytes are said to be.
    std::uint8_t nonce[kBlock] = {};
    std::memcpy(nonce, message.nonce, message.nonce_len);
    NeverNull never_null;
    AuthInfo info = {};
    info.size = sizeof info;
    info.version = 1;
    info.nonce = nonce;
    info.nonce_len = static_cast<Ulong>(message.nonce_len);
    info.aad = never_null.in(message.aad, message.aad_len);
    info.aad_len = static_cast<Ulong>(message.aad_len);
    info.tag = tag;
    info.tag_len = static_cast<Ulong>(message.tag_len);
    const auto n = static_cast<Ulong>(len);
    Ulong num_out = 0;
    const NtStatus status = function(direction)(handle_, never_null.in(in, len), n, &info, nullptr,
                                                0, never_null.out(out, len), n, &num_out, 0);
    if (succeeded(status) && num_out == n) return kOk;
    if (static_cast<std::uint32_t>(status) == nt::kAuthTagMismatch &&
        direction == Direction::decrypt) {
      return wiped(Status{StatusCode::invalid_tag, nt::kAuthTagMismatch, nullptr}, out, len);
    }
    return wiped(succeeded(status) ? wrong_length(name_of(direction))
                                   : status_from(status, name_of(direction), missing_),
                 out, len);
  }

  Status borrow(Loan* out_loan) const noexcept {
    // Where a repeated IV would continue the chain, the handle stays unused and only its copies
    // work.
    if (!context_.api.repeated_iv_continues &&
        !is_lent_.exchange(true, std::memory_order_acquire)) {
      out_loan->handle = handle_;
      return kOk;
    }
    out_loan->own = true;
    const NtStatus status = context_.api.duplicate_key(handle_, &out_loan->handle, nullptr, 0, 0);
    if (succeeded(status) && out_loan->handle != nullptr) return kOk;
    out_loan->handle = nullptr;
    return succeeded(status) ? wrong_length("BCryptDuplicateKey")
                             : status_from(status, "BCryptDuplicateKey", missing_);
  }

  void give_back(const Loan& loan) const noexcept {
    if (!loan.own) {
      is_lent_.store(false, std::memory_order_release);
    } else if (loan.handle != nullptr) {
      context_.api.destroy_key(loan.handle);
    }
  }

  const Context& context_;
  const char* missing_;
  Handle handle_ = nullptr;
  mutable std::atomic<bool> is_lent_{false};
};

}  // namespace

Status make_cng_key(const Context& context, Mode mode, const std::uint8_t* key, std::size_t key_len,
                    std::unique_ptr<CipherKey>* out_key) noexcept {
  std::unique_ptr<CngKey> made(new CngKey(context, mode, key_len));
  if (made == nullptr) return fail(StatusCode::out_of_memory);
  const Status status = made->init(mode, key, key_len);
  if (status.ok()) *out_key = std::move(made);
  return status;
}

}  // namespace cngaes::cng
