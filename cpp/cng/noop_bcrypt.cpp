#include "backend_cng.hpp"

namespace cngaes::cng {
namespace {

std::uint8_t g_object;  // what every handle points to

NtStatus CNGAES_BCRYPT_CALL open_provider(Handle* out, const char16_t*, const char16_t*, Ulong) {
  *out = &g_object;
  return 0;
}
NtStatus CNGAES_BCRYPT_CALL close_provider(Handle, Ulong) { return 0; }
NtStatus CNGAES_BCRYPT_CALL set_property(Handle, const char16_t*, const std::uint8_t*, Ulong,
                                         Ulong) {
  return 0;
}
NtStatus CNGAES_BCRYPT_CALL import_key(Handle, Handle, const char16_t*, Handle* out, std::uint8_t*,
                                       Ulong, const std::uint8_t*, Ulong, Ulong) {
  *out = &g_object;
  return 0;
}
NtStatus CNGAES_BCRYPT_CALL duplicate(Handle, Handle* out, std::uint8_t*, Ulong, Ulong) {
  *out = &g_object;
  return 0;
}
NtStatus CNGAES_BCRYPT_CALL destroy(Handle) { return 0; }
NtStatus CNGAES_BCRYPT_CALL crypt(Handle, const std::uint8_t*, Ulong, void*, std::uint8_t*, Ulong,
                                  std::uint8_t*, Ulong out_len, Ulong* result_len, Ulong) {
  *result_len = out_len;
  return 0;
}
NtStatus CNGAES_BCRYPT_CALL hash(Handle, const std::uint8_t*, Ulong, const std::uint8_t*, Ulong,
                                 std::uint8_t*, Ulong) {
  return 0;
}
NtStatus CNGAES_BCRYPT_CALL create_hash(Handle, Handle* out, std::uint8_t*, Ulong,
                                        const std::uint8_t*, Ulong, Ulong) {
  *out = &g_object;
  return 0;
}
NtStatus CNGAES_BCRYPT_CALL hash_data(Handle, const std::uint8_t*, Ulong, Ulong) { return 0; }
NtStatus CNGAES_BCRYPT_CALL finish_hash(Handle, std::uint8_t*, Ulong, Ulong) { return 0; }

}  // namespace

const Bcrypt& noop_bcrypt() noexcept {
  static constexpr Bcrypt kTable = {
      open_provider, close_provider, set_property, import_key,  duplicate, destroy, crypt, crypt,
      hash,          create_hash,    hash_data,    finish_hash, duplicate, destroy, false};
  return kTable;
}

}  // namespace cngaes::cng
