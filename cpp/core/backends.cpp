// The backends by name and the choice among them.
#include <atomic>

#include "cngaes/backend.hpp"
#include "cngaes/cng.hpp"
#include "cngaes/environment.hpp"
#include "cngaes/registry.hpp"

namespace cngaes {
namespace {

// Stands for a backend that this build or this system does not have: it has a name and a reason,
// and find_backend never hands it out.
class UnavailableBackend final : public Backend {
 public:
  UnavailableBackend(const char* name, const char* reason) noexcept
      : name_(name), reason_(reason) {}
  const char* name() const noexcept override { return name_; }
  const char* unavailable_reason() const noexcept override { return reason_; }

  Status make_key(Mode, const std::uint8_t*, std::size_t,
                  std::unique_ptr<CipherKey>*) const noexcept override {
    return fail(StatusCode::unsupported, reason_);
  }
  Status make_hash(std::unique_ptr<HashState>*) const noexcept override {
    return fail(StatusCode::unsupported, reason_);
  }
  Status sha256(std::uint8_t*, const std::uint8_t*, std::size_t) const noexcept override {
    return fail(StatusCode::unsupported, reason_);
  }
  Status hmac_sha256(std::uint8_t*, const std::uint8_t*, std::size_t, const std::uint8_t*,
                     std::size_t) const noexcept override {
    return fail(StatusCode::unsupported, reason_);
  }

 private:
  const char* name_;
  const char* reason_;
};

std::atomic<const Backend*> g_ctypes_backend{nullptr};

// Asked for every key and hash, so what cannot change is asked once.
const Backend& default_backend() noexcept {
  static const char* reason = nullptr;
  static const Backend* const cng = cng_backend(&reason);
  if (cng == nullptr) return cpu_backend();
  const AesChoice* choice = nullptr;
  const Status status = choose_aes(&choice);
  // A wrong choice of kernels is an error, which `cpu` reports; it is no reason for another
  // backend.
  if (!status.ok() && status.code != StatusCode::self_test) return cpu_backend();
  const bool hardware_aes = status.ok() && choice->name != std::string_view("generic");
  if (!prefers_cng(hardware_aes, is_emulated_process())) return cpu_backend();
  return has_forced_kernels() ? cpu_backend() : *cng;
}

}  // namespace

const std::string& environment_backend() {
  static const std::string value = environment_value("CNGAES_BACKEND");
  return value;
}

void set_ctypes_backend(const Backend* backend) noexcept { g_ctypes_backend = backend; }

std::span<const Backend* const> backends() noexcept {
  static const char* reason = nullptr;
  static const Backend* const cng = cng_backend(&reason);
  static const UnavailableBackend no_cng("cng", reason);
  static const UnavailableBackend no_ctypes("cng-ctypes", cng == nullptr ? reason : "needs Python");
  static const Backend* const ctypes = g_ctypes_backend;
  static const Backend* const all[] = {&cpu_backend(), cng != nullptr ? cng : &no_cng,
                                       cng != nullptr && ctypes != nullptr ? ctypes : &no_ctypes};
  return all;
}

Status find_backend(std::string_view name, const Backend** out_backend, std::string* error) {
  const bool from_environment = name.empty() && !environment_backend().empty();
  const std::string prefix = from_environment ? "CNGAES_BACKEND: " : "";
  if (name.empty()) name = environment_backend();
  if (name.empty()) {
    *out_backend = &default_backend();
    return kOk;
  }
  std::string known;
  for (const Backend* backend : backends()) {
    if (name == backend->name()) {
      if (backend->unavailable_reason() == nullptr) {
        *out_backend = backend;
        return kOk;
      }
      *error = prefix + "backend '" + std::string(name) + "' " + backend->unavailable_reason();
      return fail(StatusCode::unsupported);
    }
    known += known.empty() ? "" : ", ";
    known += backend->name();
  }
  *error = prefix + "unknown backend '" + std::string(name) + "'; known: " + known;
  return fail(StatusCode::unsupported);
}

}  // namespace cngaes
