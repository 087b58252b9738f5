// A process that is translated is told from what the system answers, and prefers CNG.
#include "check.hpp"
#include "cngaes/cng.hpp"

namespace {

using namespace cngaes;

// An x64 process on ARM64 Windows, by what the system would answer.
void emulated_process() {
  // IMAGE_FILE_MACHINE_*: 0 unknown, 0x14c x86, 0x8664 x64, 0xaa64 ARM64.
  CHECK(!is_emulated_by(nullptr));
  CHECK(is_emulated_by([](std::uint16_t* process, std::uint16_t* system) {
    *process = 0;  // so for x64, as measured by others on a Snapdragon
    *system = 0xaa64;
    return 1;
  }));
  CHECK(is_emulated_by([](std::uint16_t* process, std::uint16_t* system) {
    *process = 0x14c;
    *system = 0xaa64;
    return 1;
  }));
  CHECK(!is_emulated_by([](std::uint16_t* process, std::uint16_t* system) {
    *process = 0;
    *system = 0x8664;
    return 1;
  }));
  CHECK(!is_emulated_by([](std::uint16_t* process, std::uint16_t* system) {
    *process = 0x14c;  // a 32-bit process on x64 is not emulated
    *system = 0x8664;
    return 1;
  }));
  CHECK(!is_emulated_by([](std::uint16_t*, std::uint16_t* system) {
    *system = 0xaa64;  // but the call failed
    return 0;
  }));
  static_assert(prefers_cng(true, true) && prefers_cng(false, true) && prefers_cng(false, false) &&
                !prefers_cng(true, false));
  const bool before = is_emulated_process();
  pretend_emulated_process(1);
  CHECK(is_emulated_process());
  pretend_emulated_process(0);
  CHECK(!is_emulated_process());
  pretend_emulated_process(-1);
  CHECK(is_emulated_process() == before);
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  emulated_process();
  return test::end();
}
