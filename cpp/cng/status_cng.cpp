#include "backend_cng.hpp"

namespace cngaes::cng {

Status status_from(NtStatus status, const char* function, const char* missing) noexcept {
  const auto code = static_cast<std::uint32_t>(status);
  switch (code) {
    case nt::kNoMemory:
    case nt::kInsufficientResources:
      return Status{StatusCode::out_of_memory, code, function};
    case nt::kNotSupported:
    case nt::kNotImplemented:
    case nt::kNotFound:
      return Status{StatusCode::unsupported, code, missing};
    default:
      // The tag mismatch too: where it means a forged message, the caller has taken it out.
      return succeeded(status) ? kOk : Status{StatusCode::backend_error, code, function};
  }
}

const char* missing_cipher(Mode mode, std::size_t key_len) noexcept {
#define CNGAES_MISSING(name) "this bcrypt.dll has no " name "; backend=\"cpu\" has it"
  static constexpr const char* kTexts[3][3] = {
      {CNGAES_MISSING("AES-128-ECB"), CNGAES_MISSING("AES-192-ECB"), CNGAES_MISSING("AES-256-ECB")},
      {CNGAES_MISSING("AES-128-CBC"), CNGAES_MISSING("AES-192-CBC"), CNGAES_MISSING("AES-256-CBC")},
      {CNGAES_MISSING("AES-128-GCM"), CNGAES_MISSING("AES-192-GCM"), CNGAES_MISSING("AES-256-GCM")},
  };
#undef CNGAES_MISSING
  const std::size_t row = mode == Mode::gcm ? 2 : mode == Mode::cbc ? 1 : 0;  // CTR is made of ECB
  return kTexts[row][(key_len - 16) / 8];
}

Status check_gcm_tag_length(std::size_t tag_len) noexcept {
  if (tag_len >= 12 && tag_len <= 16) return kOk;
  return fail(StatusCode::bad_argument,
              "tag_length must be 12 to 16 bytes for CNG; backend=\"cpu\" takes 4 and 8 too");
}

Status check_gcm_message(const GcmMessage& message, std::uint64_t len, Ulong max_call) noexcept {
  if (message.nonce_len != 12) {
    return fail(StatusCode::bad_argument,
                "nonce must be 12 bytes for CNG; backend=\"cpu\" takes any length from 1 byte on");
  }
  const Status status = check_gcm_tag_length(message.tag_len);
  if (!status.ok()) return status;
  // A ULONG for CNG; max_call is that in whole blocks.
  const std::uint64_t limit = std::uint64_t{max_call} + 15;
  if (len > limit) {
    return fail(StatusCode::limit,
                "data: CNG takes at most 2**32-1 bytes in a GCM message; backend=\"cpu\" has no "
                "such limit");
  }
  if (message.aad_len > limit) {
    return fail(StatusCode::limit,
                "associated_data: CNG takes at most 2**32-1 bytes; backend=\"cpu\" has no such "
                "limit");
  }
  return kOk;
}

}  // namespace cngaes::cng
