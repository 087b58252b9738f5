// Runs a corpus without libFuzzer, in any build and on any machine: replay CORPUS.TXT, a text of
// one input in hexadecimal digits a line.
#include <fstream>
#include <string>

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t len);

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1]);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const test::Bytes input = test::from_hex(line.c_str());
    LLVMFuzzerTestOneInput(input.data(), input.size());
    ++test::g_checks;
  }
  return test::end();
}
