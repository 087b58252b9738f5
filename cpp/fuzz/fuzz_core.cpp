// Every call of the core on every kernel against the reference: one call for each input. For
// libFuzzer, and for replay.cpp, which runs the corpus in any build.
#include <string>

#include "input.hpp"

namespace {

using Case = void (*)(fuzz::Input& input);
constexpr Case kCases[] = {fuzz::block_message, fuzz::ctr_message, fuzz::block_context,
                           fuzz::ctr_context,   fuzz::gcm_message, fuzz::gcm_stream,
                           fuzz::gcm_batch,     fuzz::cbc_batch,   fuzz::hash,
                           fuzz::hmac,          fuzz::hash_batch,  fuzz::equal_nonces,
                           fuzz::kernel_slots};
constexpr std::size_t kNumCases = sizeof kCases / sizeof kCases[0];

std::vector<std::string> names_of(cngaes::Family family) {
  std::vector<std::string> names;
  for (const cngaes::Kernel& kernel : cngaes::compiled_kernels()) {
    if (kernel.family == family && cngaes::is_supported(kernel)) names.emplace_back(kernel.name);
  }
  return names;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t len) {
  fuzz::Input input(data, len);
  const std::size_t which = input.byte();
  const std::size_t kernel = input.byte();
  std::string error;
  static const std::vector<std::string> aes = names_of(cngaes::Family::aes);
  static const std::vector<std::string> sha256 = names_of(cngaes::Family::sha256);
  const std::string spec =
      "aes=" + aes[kernel % aes.size()] + ",sha256=" + sha256[kernel % sha256.size()];
  REQUIRE(cngaes::force_kernels(spec, &error).ok());
  // Long messages take the reference long: one of 128 inputs.
  if (which >= 254) {
    fuzz::split_message(input);
  } else {
    kCases[which % kNumCases](input);
  }
  return 0;
}
