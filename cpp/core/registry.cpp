#include "cngaes/registry.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <utility>

#include "cngaes/environment.hpp"
#include "self_test.hpp"

namespace cngaes {
namespace {

#if defined(__x86_64__) || defined(__i386__) || defined(_M_X64) || defined(_M_IX86)
#define CNGAES_X86 1
constexpr FeatureSet kNeedsAesni = kSsse3 | kSse41 | kAesNi | kPclmul;
constexpr FeatureSet kNeedsVaes256 = kNeedsAesni | kAvx | kAvx2 | kVaes | kVpclmul;
constexpr FeatureSet kNeedsShani = kSsse3 | kSse41 | kShaNi;
#endif
#if defined(__aarch64__) || defined(_M_ARM64)
#define CNGAES_ARM64 1
// EOR3 has not been seen in MSVC's header, and the file would be empty (cngaes/compat_arm64.h).
#if !defined(_MSC_VER) || defined(__clang__)
#define CNGAES_ARM64_EOR3 1
#endif
constexpr FeatureSet kNeedsArm64Ce = kArmAes | kArmPmull;
#endif

// Order of preference within each family. 512-bit registers come first wherever they exist:
// measured faster on Zen 4 (docs/architecture.md); a CPU that slows down for them would get a
// preference of its own in usable_features, not a different order here.
constexpr Kernel kKernels[] = {
#ifdef CNGAES_X86
    {"x86-vaes512", Family::aes, kNeedsVaes256 | kAvx512, &kAesX86Vaes512, nullptr},
    {"x86-vaes256", Family::aes, kNeedsVaes256, &kAesX86Vaes256, nullptr},
    {"x86-aesni", Family::aes, kNeedsAesni, &kAesX86Aesni, nullptr},
    // Where the SHA unit starts one instruction in two clocks. AMD's starts one a clock: three
    // messages by it (.70 c/B) beat what two units for 512 bits can do (.79, counted).
    {"x86-shani-avx512", Family::sha256, kNeedsShani | kAvx | kAvx2 | kAvx512, nullptr,
     &kSha256X86ShaniAvx512, kIntel},
    {"x86-shani", Family::sha256, kNeedsShani, nullptr, &kSha256X86Shani},
#endif
#ifdef CNGAES_ARM64_EOR3
    {"arm64-eor3", Family::aes, kNeedsArm64Ce | kArmSha3, &kAesArm64Eor3, nullptr},
#endif
#ifdef CNGAES_ARM64
    {"arm64-ce", Family::aes, kNeedsArm64Ce, &kAesArm64Ce, nullptr},
    {"arm64-ce", Family::sha256, kArmSha2, nullptr, &kSha256Arm64Ce},
#endif
    {"generic", Family::aes, 0, &kAesGeneric, nullptr},
    {"generic", Family::sha256, 0, nullptr, &kSha256Generic},
};
constexpr std::size_t kNumKernels = std::size(kKernels);

// ---- inheritance --------------------------------------------------------------------------------

#ifdef CNGAES_TEST_HOOKS
std::atomic<std::uint64_t> g_hits{0};

// A slot that notes which row ran.
template <std::size_t Row, auto Member>
struct Tracked;
template <std::size_t Row, class... A, void (*AesFunctions::*Member)(A...)>
struct Tracked<Row, Member> {
  static void call(A... a) {
    g_hits |= std::uint64_t{1} << Row;
    (kKernels[Row].aes->*Member)(a...);
  }
};
template <std::size_t Row, class... A, void (*Sha256Functions::*Member)(A...)>
struct Tracked<Row, Member> {
  static void call(A... a) {
    g_hits |= std::uint64_t{1} << Row;
    (kKernels[Row].sha256->*Member)(a...);
  }
};
#endif

template <std::size_t Row>
constexpr const auto* functions_of() {
  if constexpr (kKernels[Row].family == Family::aes) {
    return kKernels[Row].aes;
  } else {
    return kKernels[Row].sha256;
  }
}

// Fills what `into` lacks of one slot from this row.
template <std::size_t Row, auto Member, class Functions>
void inherit_slot(Functions& into) {
  if (into.*Member != nullptr || functions_of<Row>()->*Member == nullptr) return;
#ifdef CNGAES_TEST_HOOKS
  into.*Member = &Tracked<Row, Member>::call;
#else
  into.*Member = functions_of<Row>()->*Member;
#endif
}

template <std::size_t Row, auto... Members, class Functions>
void inherit_slots(Functions& into) {
  (inherit_slot<Row, Members>(into), ...);
}

template <std::size_t Row>
void inherit_from_row(AesFunctions& into) {
  if constexpr (kKernels[Row].family == Family::aes) {
    using F = AesFunctions;
    inherit_slots<Row, &F::expand_key, &F::ecb_encrypt, &F::ecb_decrypt, &F::ctr32, &F::cbc_encrypt,
                  &F::cbc_decrypt, &F::cbc_encrypt_streams>(into);
    // Together or not at all: these share the layout of GhashKey::table.
    if (into.ghash_init == nullptr) {
      inherit_slots<Row, &F::ghash_init, &F::ghash, &F::ghash_finish, &F::ghash_multiply,
                    &F::gcm_encrypt, &F::gcm_decrypt, &F::gcm_encrypt_short, &F::gcm_decrypt_short>(
          into);
    }
  }
}
template <std::size_t Row>
void inherit_from_row(Sha256Functions& into) {
  if constexpr (kKernels[Row].family == Family::sha256) {
    using F = Sha256Functions;
    inherit_slots<Row, &F::compress>(into);
    if (into.compress_streams == nullptr) {
      into.lanes = kKernels[Row].sha256->lanes;
      inherit_slots<Row, &F::compress_streams, &F::schedule, &F::compress_scheduled>(into);
    }
  }
}

// Row `first` and, below it, whatever a CPU that meets first's needs can run too.
template <class Functions, std::size_t... Rows>
void resolve(std::size_t first, Functions& into, std::index_sequence<Rows...>) {
  const FeatureSet needs = kKernels[first].needs;
  auto visit = [&]<std::size_t Row>() {
    if (Row >= first && (kKernels[Row].needs & ~needs) == 0) inherit_from_row<Row>(into);
  };
  (visit.template operator()<Rows>(), ...);
}

struct Resolved {
  std::array<AesChoice, kNumKernels> aes{};
  std::array<Sha256Choice, kNumKernels> sha256{};

  Resolved() {
    for (std::size_t row = 0; row < kNumKernels; ++row) {
      if (kKernels[row].family == Family::aes) {
        aes[row].name = kKernels[row].name;
        aes[row].fn.gcm_together = kKernels[row].aes->gcm_together;
        resolve(row, aes[row].fn, std::make_index_sequence<kNumKernels>());
      } else {
        sha256[row].name = kKernels[row].name;
        resolve(row, sha256[row].fn, std::make_index_sequence<kNumKernels>());
      }
    }
  }
};

const Resolved& resolved() {
  static const Resolved instance;
  return instance;
}

// ---- settings -----------------------------------------------------------------------------------

struct Settings {
  FeatureSet detected = 0;
  FeatureSet mask = 0;
  std::string forced[kNumFamilies];  // kernel names; empty = free choice
  std::string environment_error;
};

// Guards settings() and the writing of the two caches below.
std::mutex g_mutex;
std::atomic<const AesChoice*> g_aes{nullptr};
std::atomic<const Sha256Choice*> g_sha256{nullptr};
std::array<std::atomic<SelfTest>, kNumKernels> g_self_tests{};

std::string known_kernels() {
  std::string text;
  for (const Kernel& kernel : kKernels) {
    if (text.find(kernel.name) != std::string::npos) continue;
    if (!text.empty()) text += ", ";
    text += kernel.name;
  }
  return text;
}

Status parse_kernels(std::string_view spec, FeatureSet usable, std::string (&out)[kNumFamilies],
                     std::string* error) {
  while (!spec.empty()) {
    const std::size_t comma = spec.find(',');
    std::string_view item = spec.substr(0, comma);
    spec = comma == std::string_view::npos ? std::string_view{} : spec.substr(comma + 1);
    std::string_view family;
    if (const std::size_t equals = item.find('='); equals != std::string_view::npos) {
      family = item.substr(0, equals);
      item = item.substr(equals + 1);
      if (family != kFamilyNames[0] && family != kFamilyNames[1]) {
        *error = "unknown kernel family '" + std::string(family) + "'; known: aes, sha256";
        return fail(StatusCode::bad_argument);
      }
    }
    bool known = false;
    bool supported = true;
    for (const Kernel& kernel : kKernels) {
      const auto index = static_cast<std::size_t>(kernel.family);
      if (item != kernel.name || (!family.empty() && family != kFamilyNames[index])) continue;
      known = true;
      supported = supported && (kernel.needs & ~usable) == 0;
      out[index] = kernel.name;
    }
    if (!known) {
      *error = "unknown kernel '" + std::string(item) + "'" +
               (family.empty() ? "" : " in family '" + std::string(family) + "'") +
               "; known: " + known_kernels();
      return fail(StatusCode::bad_argument);
    }
    if (!supported) {
      *error = "kernel '" + std::string(item) + "' needs CPU features that are missing or masked";
      return fail(StatusCode::unsupported);
    }
  }
  return kOk;
}

Settings read_environment() {
  Settings s;
  s.detected = detect_cpu_features();
  std::string unknown;
  if (!parse_feature_names(environment_value("CNGAES_CPU_MASK"), &s.mask, &unknown)) {
    s.environment_error = "CNGAES_CPU_MASK: unknown CPU feature '" + unknown + "'";
    return s;
  }
  std::string error;
  const Status status =
      parse_kernels(environment_value("CNGAES_KERNEL"), s.detected & ~s.mask, s.forced, &error);
  if (!status.ok()) s.environment_error = "CNGAES_KERNEL: " + error;
  return s;
}

const Settings& from_environment() {
  static const Settings as_at_load = read_environment();
  return as_at_load;
}

Settings& settings() {
  static Settings instance = from_environment();
  return instance;
}

void forget_choices() {
  g_aes = nullptr;
  g_sha256 = nullptr;
}

// ---- choice -------------------------------------------------------------------------------------

SelfTest tested(std::size_t row) noexcept {
  SelfTest state = g_self_tests[row];
  if (state == SelfTest::untested) state = run_self_test(kKernels[row]);
  return state;
}

// Index of the kernel for new keys or hashes of a family. Call with g_mutex held.
Status choose_row(Family family, std::size_t* out_row) {
  const Settings& s = settings();
  if (!s.environment_error.empty()) {
    return fail(StatusCode::bad_argument, s.environment_error.c_str());
  }
  const std::string& forced = s.forced[static_cast<std::size_t>(family)];
  const FeatureSet usable = s.detected & ~s.mask;
  bool any_supported = false;
  for (const bool preferred : {true, false}) {
    for (std::size_t row = 0; row < kNumKernels; ++row) {
      const Kernel& kernel = kKernels[row];
      if (kernel.family != family || (kernel.needs & ~usable) != 0) continue;
      if (((kernel.prefers & ~usable) == 0) != preferred) continue;
      if (!forced.empty() && forced != kernel.name) continue;
      any_supported = true;
      if (tested(row) == SelfTest::passed) {
        *out_row = row;
        return kOk;
      }
    }
  }
  if (!any_supported) {
    return fail(StatusCode::unsupported, "the forced kernel needs CPU features that are masked");
  }
  return fail(StatusCode::self_test, "no usable kernel passed its known-answer test");
}

template <class Choice, class Choices>
Status choose(Family family, std::atomic<const Choice*>& cache, const Choices& choices,
              const Choice** out_choice) noexcept {
  const Choice* choice = cache.load(std::memory_order_acquire);
  if (choice == nullptr) {
    const std::lock_guard lock(g_mutex);
    std::size_t row = 0;
    const Status status = choose_row(family, &row);
    if (!status.ok()) return status;
    choice = &choices[row];
    cache.store(choice, std::memory_order_release);
  }
  *out_choice = choice;
  return kOk;
}

std::size_t row_of(const Kernel& kernel) noexcept {
  return static_cast<std::size_t>(&kernel - kKernels);
}

template <class Choice, class Choices>
Status find(Family family, std::string_view name, const Choices& choices,
            const Choice** out_choice) noexcept {
  for (const Kernel& kernel : kKernels) {
    if (kernel.family != family || name != kernel.name) continue;
    if (!is_supported(kernel)) break;
    *out_choice = &choices[row_of(kernel)];
    return kOk;
  }
  return fail(StatusCode::unsupported, "no such kernel on this CPU");
}

}  // namespace

std::span<const Kernel> compiled_kernels() noexcept { return kKernels; }

FeatureSet usable_features() noexcept {
  const std::lock_guard lock(g_mutex);
  return settings().detected & ~settings().mask;
}

bool is_supported(const Kernel& kernel) noexcept {
  return (kernel.needs & ~usable_features()) == 0;
}

bool is_preferred(const Kernel& kernel) noexcept {
  return ((kernel.needs | kernel.prefers) & ~usable_features()) == 0;
}

Status choose_aes(const AesChoice** out_choice) noexcept {
  return choose(Family::aes, g_aes, resolved().aes, out_choice);
}
Status choose_sha256(const Sha256Choice** out_choice) noexcept {
  return choose(Family::sha256, g_sha256, resolved().sha256, out_choice);
}
Status find_aes(std::string_view name, const AesChoice** out_choice) noexcept {
  return find(Family::aes, name, resolved().aes, out_choice);
}
Status find_sha256(std::string_view name, const Sha256Choice** out_choice) noexcept {
  return find(Family::sha256, name, resolved().sha256, out_choice);
}

SelfTest self_test_state(const Kernel& kernel) noexcept { return g_self_tests[row_of(kernel)]; }

SelfTest run_self_test(const Kernel& kernel) noexcept {
  const std::size_t row = row_of(kernel);
  const bool passed = kernel.family == Family::aes
                          ? aes_known_answers(resolved().aes[row].fn)
                          : sha256_known_answers(resolved().sha256[row].fn);
  const SelfTest state = passed ? SelfTest::passed : SelfTest::failed;
  g_self_tests[row] = state;
  return state;
}

Status force_kernels(std::string_view spec, std::string* error) {
  const std::lock_guard lock(g_mutex);
  Settings& s = settings();
  std::string forced[kNumFamilies];
  const Status status = parse_kernels(spec, s.detected & ~s.mask, forced, error);
  if (!status.ok()) return status;
  for (std::size_t i = 0; i < kNumFamilies; ++i) s.forced[i] = forced[i];
  forget_choices();
  return kOk;
}

bool has_forced_kernels() noexcept {
  const std::lock_guard lock(g_mutex);
  return std::any_of(std::begin(settings().forced), std::end(settings().forced),
                     [](const std::string& name) { return !name.empty(); });
}

Status set_cpu_mask(std::string_view names, std::string* error) {
  const std::lock_guard lock(g_mutex);
  FeatureSet mask = 0;
  std::string unknown;
  if (!parse_feature_names(names, &mask, &unknown)) {
    *error = "unknown CPU feature '" + unknown + "'";
    return fail(StatusCode::bad_argument);
  }
  settings().mask = mask;
  forget_choices();
  return kOk;
}

void use_environment_choice() {
  const std::lock_guard lock(g_mutex);
  settings() = from_environment();
  forget_choices();
}

const std::string& environment_error() noexcept { return settings().environment_error; }

#ifdef CNGAES_TEST_HOOKS
std::string take_kernel_hits() {
  const std::uint64_t hits = g_hits.exchange(0);
  std::string text;
  for (std::size_t row = 0; row < kNumKernels; ++row) {
    if ((hits >> row & 1) == 0) continue;
    if (!text.empty()) text += ",";
    text += kFamilyNames[static_cast<std::size_t>(kKernels[row].family)];
    text += ":";
    text += kKernels[row].name;
  }
  return text;
}
void pretend_self_test(const Kernel& kernel, SelfTest state) noexcept {
  g_self_tests[row_of(kernel)] = state;
  forget_choices();
}
#endif

}  // namespace cngaes
