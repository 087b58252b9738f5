// How many instructions a kernel executes for a fixed piece of work, counted by single steps of a
// child process, against instruction_counts.txt: catches regressions that a noisy clock hides.
// Counts depend on the compiler; the table is of the one that its first line names.
//
// With --update the table is written anew: test_instructions --update FILE.
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "check.hpp"
#include "cngaes/registry.hpp"
#include "single_steps.hpp"

namespace {

using namespace cngaes;

constexpr std::size_t kBlocks = 64;    // 1 KiB: two whole steps of the widest kernel
constexpr std::size_t kFewBlocks = 8;  // for generic, which is slow
constexpr std::size_t kStreams = 16;

struct Data {
  alignas(64) std::uint8_t in[16 * kBlocks] = {1, 2, 3};
  alignas(64) std::uint8_t out[16 * kBlocks] = {};
  alignas(64) std::uint8_t small[16] = {};
  alignas(64) std::uint32_t states[kStreams][8] = {};
  AesKey key;
  GhashKey ghash_key;
};

using Work = std::map<std::string, std::function<void()>>;

Work work_of(const Kernel& kernel, Data& d) {
  Work work;
  const std::string name = std::string(kernel.name) + "/";
  if (kernel.family == Family::sha256) {
    const Sha256Choice* choice = nullptr;
    if (!find_sha256(kernel.name, &choice).ok()) return work;
    const Sha256Functions& raw = *kernel.sha256;
    const Sha256Functions& fn = choice->fn;
    if (raw.compress != nullptr) {
      work[name + "compress"] = [&] { fn.compress(d.states[0], d.in, 2); };
    }
    work[name + "compress_streams"] = [&] {
      const std::uint8_t* data[kStreams];
      for (auto& p : data) p = d.in;
      fn.compress_streams(d.states, data, kStreams, 1);
    };
    return work;
  }
  const AesChoice* choice = nullptr;
  if (!find_aes(kernel.name, &choice).ok()) return work;
  const AesFunctions& raw = *kernel.aes;
  const AesFunctions& fn = choice->fn;
  const std::uint8_t user_key[32] = {7};
  fn.expand_key(&d.key, user_key, 32);
  fn.ghash_init(&d.ghash_key, d.in);
  const std::size_t n = name == "generic/" ? kFewBlocks : kBlocks;
  if (raw.expand_key != nullptr) {
    work[name + "expand_key"] = [&] { fn.expand_key(&d.key, user_key, 32); };
  }
  if (raw.cbc_encrypt != nullptr) {
    work[name + "cbc_encrypt"] = [&, n] { fn.cbc_encrypt(&d.key, d.small, d.out, d.in, n); };
  }
  work[name + "ecb_encrypt"] = [&, n] { fn.ecb_encrypt(&d.key, d.out, d.in, n); };
  work[name + "ecb_decrypt"] = [&, n] { fn.ecb_decrypt(&d.key, d.out, d.in, n); };
  work[name + "ctr32"] = [&, n] { fn.ctr32(&d.key, d.out, d.in, n, d.small); };
  work[name + "cbc_decrypt"] = [&, n] { fn.cbc_decrypt(&d.key, d.small, d.out, d.in, n); };
  work[name + "ghash_init"] = [&] { fn.ghash_init(&d.ghash_key, d.in); };
  work[name + "ghash"] = [&, n] { fn.ghash(&d.ghash_key, d.small, d.in, n); };
  work[name + "gcm_encrypt"] = [&, n] {
    fn.gcm_encrypt(&d.key, &d.ghash_key, d.small, d.out, d.in, n, d.in);
  };
  work[name + "gcm_decrypt"] = [&, n] {
    fn.gcm_decrypt(&d.key, &d.ghash_key, d.small, d.out, d.in, n, d.in);
  };
  if (fn.gcm_encrypt_short != nullptr) {
    work[name + "gcm_encrypt_short"] = [&] {
      fn.gcm_encrypt_short(&d.key, &d.ghash_key, d.small, d.out, d.in, 4, d.in, 0);
    };
  }
  return work;
}

std::string compiler() {
#ifdef __clang__
  return "clang " + std::to_string(__clang_major__);
#else
  return "GCC " + std::to_string(__GNUC__);
#endif
}

int skipped(const std::string& reason) {
  std::printf("SKIPPED: instruction counts: %s\n", reason.c_str());
  return 77;
}

int run(const char* file, bool update) {
  std::map<std::string, long> expected;
  std::ifstream in(file);
  std::string line;
  std::string of;
  std::getline(in, of);
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string name;
    long value = 0;
    if (words >> name >> value) expected[name] = value;
  }
  if (!update && of != compiler()) return skipped("the table is of " + of + ", not " + compiler());
  static Data data;
  std::map<std::string, long> counts;
  for (const Kernel& kernel : compiled_kernels()) {
    if (!is_supported(kernel)) continue;
    for (const auto& [name, call] : work_of(kernel, data)) {
      // Once before: what is resolved or faulted in at the first call.
      const auto steps = test::single_steps(call, call, [](const auto&, std::string*) {});
      if (steps.fault == test::kNoPtrace) return skipped(steps.fault);
      CHECK_CASE(steps.fault.empty(), "%s: %s", name.c_str(), steps.fault.c_str());
      counts[name] = static_cast<long>(steps.count);
    }
  }
  if (update) {
    // Kernels that this CPU lacks keep their rows.
    for (const auto& each : counts) expected[each.first] = each.second;
    std::ofstream out(file);
    out << compiler() << '\n';
    for (const auto& each : expected) out << each.first << ' ' << each.second << '\n';
    return 0;
  }
  for (const auto& each : counts) {
    const auto row = expected.find(each.first);
    CHECK_CASE(row != expected.end(), "%s is not in %s", each.first.c_str(), file);
    if (row == expected.end()) continue;
    // A percent for what another minor version of the compiler does.
    CHECK_CASE(each.second <= row->second + row->second / 100 + 2,
               "%s: %ld instructions, %ld in the table", each.first.c_str(), each.second,
               row->second);
  }
  return test::end();
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(1, argv);
  test::stay_on_one_core();
  const bool update = argc > 1 && std::strcmp(argv[1], "--update") == 0;
  if (argc < (update ? 3 : 2)) return 2;
  return run(argv[argc - 1], update);
}
