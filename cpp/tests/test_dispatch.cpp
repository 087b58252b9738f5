// CPU detection from faked registers, and which kernel then runs.
#include <memory>

#include "check.hpp"
#include "cngaes/backend.hpp"
#include "cngaes/registry.hpp"

namespace {

using namespace cngaes;
using test::Bytes;

// Bits of CPUID leaf 1 ECX, leaf 7 EBX and ECX (Intel SDM volume 2A).
constexpr std::uint32_t kPclmulBit = 1U << 1;
constexpr std::uint32_t kSsse3Bit = 1U << 9;
constexpr std::uint32_t kSse41Bit = 1U << 19;
constexpr std::uint32_t kAesBit = 1U << 25;
constexpr std::uint32_t kOsxsaveBit = 1U << 27;
constexpr std::uint32_t kAvxBit = 1U << 28;
constexpr std::uint32_t kAvx2Bit = 1U << 5;
constexpr std::uint32_t kAvx512fBit = 1U << 16;
constexpr std::uint32_t kAvx512dqBit = 1U << 17;
constexpr std::uint32_t kShaBit = 1U << 29;
constexpr std::uint32_t kAvx512bwBit = 1U << 30;
constexpr std::uint32_t kAvx512vlBit = 1U << 31;
constexpr std::uint32_t kVaesBit = 1U << 9;
constexpr std::uint32_t kVpclmulBit = 1U << 10;

// A CPU with everything, under a system that saves every register.
X86Cpuid full_cpu() {
  X86Cpuid cpu;
  cpu.max_leaf = 0x1f;
  cpu.leaf1_ecx = kPclmulBit | kSsse3Bit | kSse41Bit | kAesBit | kOsxsaveBit | kAvxBit;
  cpu.leaf7_ebx = kAvx2Bit | kAvx512fBit | kAvx512dqBit | kShaBit | kAvx512bwBit | kAvx512vlBit;
  cpu.leaf7_ecx = kVaesBit | kVpclmulBit;
  cpu.xcr0 = 0xe7;  // x87, xmm, ymm, opmask, zmm
  return cpu;
}

constexpr FeatureSet kNarrow = kSsse3 | kSse41 | kAesNi | kPclmul | kShaNi;
constexpr FeatureSet kWide = kNarrow | kAvx | kAvx2 | kVaes | kVpclmul;
constexpr FeatureSet kAll = kWide | kAvx512;

#define CHECK_FEATURES(cpu, expected)                                           \
  CHECK_CASE(features_from_cpuid(cpu) == (expected), "got %llx, expected %llx", \
             static_cast<unsigned long long>(features_from_cpuid(cpu)),         \
             static_cast<unsigned long long>(expected))

void cpuid() {
  CHECK_FEATURES(X86Cpuid{}, FeatureSet{0});
  X86Cpuid cpu = full_cpu();
  CHECK_FEATURES(cpu, kAll);

  // The system does not use XSAVE: XCR0 means nothing, and no wide register may be touched.
  cpu = full_cpu();
  cpu.leaf1_ecx &= ~kOsxsaveBit;
  CHECK_FEATURES(cpu, kNarrow);

  // XCR0 without zmm, without opmask, without ymm, without xmm.
  cpu = full_cpu();
  for (const std::uint64_t xcr0 : {0x07, 0x27, 0x67, 0xc7, 0xa7}) {
    cpu.xcr0 = xcr0;
    CHECK_FEATURES(cpu, kWide);
  }
  for (const std::uint64_t xcr0 : {0x00, 0x01, 0x03, 0x05, 0xe3, 0xe5}) {
    cpu.xcr0 = xcr0;
    CHECK_FEATURES(cpu, kNarrow);
  }

  // No AVX: whatever leaf 7 says (some virtual machines mask only the one bit).
  cpu = full_cpu();
  cpu.leaf1_ecx &= ~kAvxBit;
  CHECK_FEATURES(cpu, kNarrow);

  // An old maximum leaf: leaf 7 was not read, or holds another leaf's bits.
  cpu = full_cpu();
  cpu.max_leaf = 6;
  CHECK_FEATURES(cpu, (kNarrow & ~FeatureSet{kShaNi}) | kAvx);

  // AVX-512 is one feature here: any part missing, all is.
  for (const std::uint32_t part : {kAvx512fBit, kAvx512dqBit, kAvx512bwBit, kAvx512vlBit}) {
    cpu = full_cpu();
    cpu.leaf7_ebx &= ~part;
    CHECK_FEATURES(cpu, kWide);
  }

  // Single bits go where they belong.
  cpu = full_cpu();
  cpu.vendor_ebx = 0x756e6547;  // "Genu"
  CHECK_FEATURES(cpu, kAll | kIntel);
  cpu.vendor_ebx = 0x68747541;  // "Auth"
  cpu.leaf7_ecx = kVaesBit;
  CHECK_FEATURES(cpu, kAll & ~FeatureSet{kVpclmul});
  cpu.leaf7_ecx = kVpclmulBit;
  CHECK_FEATURES(cpu, kAll & ~FeatureSet{kVaes});
  cpu = full_cpu();
  cpu.leaf7_ebx &= ~kShaBit;
  CHECK_FEATURES(cpu, kAll & ~FeatureSet{kShaNi});
  cpu = full_cpu();
  cpu.leaf1_ecx &= ~kAesBit;
  CHECK_FEATURES(cpu, kAll & ~FeatureSet{kAesNi});
  cpu = full_cpu();
  cpu.leaf1_ecx &= ~kPclmulBit;
  CHECK_FEATURES(cpu, kAll & ~FeatureSet{kPclmul});
}

// A kernel is usable only with all it needs: VAES without AVX2 is not enough for any VAES kernel.
void needs() {
  X86Cpuid cpu = full_cpu();
  cpu.leaf7_ebx &= ~kAvx2Bit;
  const FeatureSet without_avx2 = features_from_cpuid(cpu);
  bool ends_with_generic[kNumFamilies] = {};
  for (const Kernel& kernel : compiled_kernels()) {
    const std::string name = kernel.name;
    if (name.find("vaes") != std::string::npos) CHECK((kernel.needs & ~without_avx2) != 0);
    if (name == "x86-vaes512") CHECK((kernel.needs & kAvx512) != 0);
    if (name == "x86-aesni") CHECK((kernel.needs & ~FeatureSet{kNarrow}) == 0);
    CHECK((kernel.family == Family::aes) == (kernel.aes != nullptr));
    CHECK((kernel.family == Family::sha256) == (kernel.sha256 != nullptr));
    CHECK((name == "generic") == (kernel.needs == 0));
    // generic is the last of its family.
    CHECK(!ends_with_generic[static_cast<std::size_t>(kernel.family)]);
    if (name == "generic") ends_with_generic[static_cast<std::size_t>(kernel.family)] = true;
  }
  CHECK(ends_with_generic[0] && ends_with_generic[1]);
}

void feature_names() {
  FeatureSet set = 0;
  std::string unknown;
  CHECK(parse_feature_names("", &set, &unknown) && set == 0);
  CHECK(parse_feature_names("aes,vaes", &set, &unknown) && set == (kAesNi | kVaes));
  for (const FeatureName& feature : kFeatureNames) {
    CHECK(parse_feature_names(feature.name, &set, &unknown) && set == feature.bit);
  }
  CHECK(!parse_feature_names("aes,VAES,sse9", &set, &unknown) && unknown == "VAES");
}

std::string names_of(FeatureSet set) {
  std::string names;
  for (const FeatureName& feature : kFeatureNames) {
    if ((set & feature.bit) == 0) continue;
    if (!names.empty()) names += ",";
    names += feature.name;
  }
  return names;
}

std::string family_name(const Kernel& kernel) {
  return kFamilyNames[static_cast<std::size_t>(kernel.family)];
}

// Makes a key or a hash afresh and uses every door; the kernel's name as the objects tell it.
std::string use(Family family) {
  const Backend& cpu = cpu_backend();
  std::uint8_t data[256] = {};
  if (family == Family::sha256) {
    const Sha256Choice* choice = nullptr;
    if (!choose_sha256(&choice).ok()) return "(none)";
    CHECK(cpu.sha256(data, data + 64, 192).ok());
    std::uint32_t state_words[1][8] = {};
    const std::uint8_t* const stream = data;
    choice->fn.compress_streams(state_words, &stream, 1, 1);
    std::unique_ptr<HashState> state;
    CHECK(cpu.make_hash(&state).ok());
    CHECK(state->update(data, sizeof data).ok() && state->digest(data).ok());
    return choice->name;
  }
  std::unique_ptr<CipherKey> key;
  if (!cpu.make_key(Mode::gcm, data, 32, &key).ok()) return "(none)";
  const GcmMessage message{data, 12, data, 20, 16};
  std::uint8_t tag[16];
  for (const std::size_t len : {std::size_t{16}, sizeof data}) {
    CHECK(key->ecb(Direction::encrypt, data, data, len).ok());
    CHECK(key->ecb(Direction::decrypt, data, data, len).ok());
    CHECK(key->ctr(tag, data, data, len).ok());
    CHECK(key->cbc(Direction::encrypt, tag, data, data, len).ok());
    CHECK(key->cbc(Direction::decrypt, tag, data, data, len).ok());
    CHECK(key->gcm_seal(message, data, tag, data, len).ok());
  }
  return key->kernel();
}

bool is_among(const std::string& item, const std::string& list) {
  return ("," + list + ",").find("," + item + ",") != std::string::npos;
}

// What ran must be the kernel itself or one it may inherit from: below it in the list, with needs
// that are a subset. Nothing of a better kernel.
void check_hits(const Kernel& kernel) {
  const std::string hits = take_kernel_hits();
  CHECK_CASE(is_among(family_name(kernel) + ":" + kernel.name, hits), "%s: %s ran", kernel.name,
             hits.c_str());
  bool below = false;
  for (const Kernel& other : compiled_kernels()) {
    below = below || &other == &kernel;
    const bool may_run =
        other.family == kernel.family && below && (other.needs & ~kernel.needs) == 0;
    CHECK_CASE(may_run || !is_among(family_name(other) + ":" + other.name, hits), "%s: %s ran",
               kernel.name, hits.c_str());
  }
}

// Masks the features until the kernel is the best one left.
void masks() {
  std::string error;
  for (const Kernel& kernel : compiled_kernels()) {
    CHECK(set_cpu_mask("", &error).ok());
    if (!is_preferred(kernel)) continue;
    FeatureSet mask = 0;
    for (const Kernel& better : compiled_kernels()) {
      if (&better == &kernel) break;
      if (better.family == kernel.family) mask |= better.needs & ~kernel.needs;
    }
    CHECK(set_cpu_mask(names_of(mask), &error).ok());
    CHECK((usable_features() & mask) == 0);
    take_kernel_hits();
    const std::string name = use(kernel.family);
    CHECK_CASE(name == kernel.name, "with %s masked: %s instead of %s", names_of(mask).c_str(),
               name.c_str(), kernel.name);
    take_kernel_hits();  // the known-answer test of the first use
    CHECK(use(kernel.family) == kernel.name);
    check_hits(kernel);
  }
  CHECK(set_cpu_mask("no-such-feature", &error).code == StatusCode::bad_argument);
  CHECK(error.find("no-such-feature") != std::string::npos);
  // One missing feature among those needed is enough.
  for (const Kernel& kernel : compiled_kernels()) {
    for (const FeatureName& feature : kFeatureNames) {
      if ((kernel.needs & feature.bit) == 0) continue;
      CHECK(set_cpu_mask(feature.name, &error).ok());
      CHECK_CASE(!is_supported(kernel), "%s without %s", kernel.name, feature.name);
      CHECK_CASE(use(kernel.family) != kernel.name, "%s without %s", kernel.name, feature.name);
      CHECK(force_kernels(kernel.name, &error).code == StatusCode::unsupported);
    }
  }
  // Preferences too can be masked; they forbid nothing.
  for (const Kernel& kernel : compiled_kernels()) {
    CHECK(set_cpu_mask(names_of(kernel.prefers), &error).ok());
    if (kernel.prefers == 0 || !is_supported(kernel)) continue;
    CHECK_CASE(!is_preferred(kernel) && use(kernel.family) != kernel.name, "%s", kernel.name);
    CHECK(force_kernels(kernel.name, &error).ok() && use(kernel.family) == kernel.name);
    CHECK(force_kernels("", &error).ok());
  }
  CHECK(set_cpu_mask("", &error).ok());
}

void forced() {
  std::string error;
  for (const Kernel& kernel : compiled_kernels()) {
    const std::string spec = family_name(kernel) + "=" + kernel.name;
    if (!is_supported(kernel)) {
      CHECK(force_kernels(spec, &error).code == StatusCode::unsupported);
      continue;
    }
    CHECK(force_kernels(spec, &error).ok());
    take_kernel_hits();
    CHECK_CASE(use(kernel.family) == kernel.name, "%s", kernel.name);
    take_kernel_hits();
    CHECK(use(kernel.family) == kernel.name);
    check_hits(kernel);
  }
  CHECK(force_kernels("aes=generic,sha256=generic", &error).ok());
  CHECK(use(Family::aes) == "generic" && use(Family::sha256) == "generic");
  // A wrong choice changes nothing, and says what would be right.
  CHECK(force_kernels("no-such-kernel", &error).code == StatusCode::bad_argument);
  CHECK(error.find("no-such-kernel") != std::string::npos);
  CHECK(error.find("generic") != std::string::npos);
  CHECK(force_kernels("des=generic", &error).code == StatusCode::bad_argument);
  CHECK(force_kernels("sha256=x86-aesni", &error).code == StatusCode::bad_argument);
  CHECK(use(Family::aes) == "generic" && use(Family::sha256) == "generic");
  // A bare name is for all families that have it.
  CHECK(force_kernels("", &error).ok());
  CHECK(force_kernels("generic", &error).ok());
  CHECK(use(Family::aes) == "generic" && use(Family::sha256) == "generic");
  CHECK(force_kernels("", &error).ok());
}

// A key keeps the kernel it was made with.
void keys_keep_their_kernel() {
  std::string error;
  CHECK(force_kernels("", &error).ok());
  const std::uint8_t user_key[16] = {};
  std::unique_ptr<CipherKey> key;
  CHECK(cpu_backend().make_key(Mode::ctr, user_key, 16, &key).ok());
  if (key == nullptr) return;
  const std::string name = key->kernel();
  CHECK(force_kernels("generic", &error).ok());
  take_kernel_hits();
  std::uint8_t data[16] = {};
  std::uint8_t counter[16] = {};
  CHECK(key->ctr(counter, data, data, 16).ok());  // a slot that no kernel inherits
  CHECK(key->kernel() == name);
  CHECK(is_among("aes:" + name, take_kernel_hits()));
  CHECK(force_kernels("", &error).ok());
}

// Every slot is filled after inheritance, and the GHASH group comes from one kernel.
void inheritance() {
  for (const Kernel& kernel : compiled_kernels()) {
    if (!is_supported(kernel)) continue;
    if (kernel.family == Family::sha256) {
      const Sha256Choice* choice = nullptr;
      CHECK(find_sha256(kernel.name, &choice).ok());
      CHECK(choice->fn.compress != nullptr && choice->fn.compress_streams != nullptr);
      CHECK_CASE(choice->fn.lanes > 0, "%s", kernel.name);
      continue;
    }
    const AesChoice* choice = nullptr;
    CHECK(find_aes(kernel.name, &choice).ok());
    const AesFunctions& fn = choice->fn;
    CHECK(fn.expand_key && fn.ecb_encrypt && fn.ecb_decrypt && fn.ctr32 && fn.cbc_encrypt);
    CHECK(fn.cbc_decrypt && fn.cbc_encrypt_streams && fn.ghash_init && fn.ghash);
    CHECK(fn.ghash_multiply && fn.gcm_encrypt && fn.gcm_decrypt);
    take_kernel_hits();
    GhashKey ghash_key;
    std::uint8_t h[16] = {1};
    std::uint8_t y[16] = {};
    fn.ghash_init(&ghash_key, h);
    const std::string init = take_kernel_hits();
    fn.ghash(&ghash_key, y, h, 1);
    CHECK_CASE(take_kernel_hits() == init, "%s", kernel.name);
  }
  const AesChoice* none = nullptr;
  CHECK(find_aes("no-such-kernel", &none).code == StatusCode::unsupported);
  const Sha256Choice* no_hash = nullptr;
  CHECK(find_sha256("x86-aesni", &no_hash).code == StatusCode::unsupported);
}

// A kernel whose known-answer test failed is passed over; with none left there is an error, not a
// silent fallback; and a forced one does not fall back either.
void failed_self_tests() {
  std::string error;
  CHECK(force_kernels("", &error).ok());
  for (const Family family : {Family::aes, Family::sha256}) {
    std::vector<const Kernel*> in_order;
    for (const bool preferred : {true, false}) {
      for (const Kernel& kernel : compiled_kernels()) {
        if (kernel.family != family || !is_supported(kernel)) continue;
        if (is_preferred(kernel) == preferred) in_order.push_back(&kernel);
      }
    }
    for (const Kernel* row : in_order) {
      const Kernel& kernel = *row;
      CHECK_CASE(use(family) == kernel.name, "%s", kernel.name);
      CHECK_CASE(self_test_state(kernel) == SelfTest::passed, "%s", kernel.name);
      pretend_self_test(kernel, SelfTest::failed);
      CHECK(self_test_state(kernel) == SelfTest::failed);
      CHECK_CASE(use(family) != kernel.name, "%s failed its test", kernel.name);
      CHECK(force_kernels(family == Family::aes ? std::string("aes=") + kernel.name
                                                : std::string("sha256=") + kernel.name,
                          &error)
                .ok());
      CHECK_CASE(use(family) == "(none)", "%s failed its test and was forced", kernel.name);
      CHECK(force_kernels("", &error).ok());
    }
    CHECK(use(family) == "(none)");
    for (const Kernel& kernel : compiled_kernels()) {
      if (kernel.family != family || !is_supported(kernel)) continue;
      CHECK_CASE(run_self_test(kernel) == SelfTest::passed, "%s", kernel.name);
      pretend_self_test(kernel, SelfTest::untested);
    }
    CHECK(use(family) != "(none)");
  }
}

void backend_choice() {
  const Backend* backend = nullptr;
  std::string error;
  CHECK(find_backend("cpu", &backend, &error).ok() && backend == &cpu_backend());
  CHECK(find_backend("no-such-backend", &backend, &error).code == StatusCode::unsupported);
  CHECK(error.find("no-such-backend") != std::string::npos);
  CHECK(error.find("cpu") != std::string::npos);
#ifndef _WIN32
  CHECK(find_backend("cng", &backend, &error).code == StatusCode::unsupported);
  CHECK(error.find("needs Windows") != std::string::npos);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  cpuid();
  feature_names();
  needs();
  masks();
  forced();
  keys_keep_their_kernel();
  inheritance();
  failed_self_tests();
  backend_choice();
  std::printf("features in use: %s\n", names_of(usable_features()).c_str());
  return test::end();
}
