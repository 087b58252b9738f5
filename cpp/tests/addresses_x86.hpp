// Which memory each instruction of the running program uses, from objdump's listing of it: the
// assembler's authors know every encoding, EVEX with its scaled displacements included.
#pragma once

#include <sys/user.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>

namespace x86 {

// displacement + base + index * scale; registers by number, kNone for none.
struct Operand {
  std::int64_t displacement = 0;
  int base = -1;
  int index = -1;
  unsigned scale = 1;
};

class Addresses {
 public:
  Addresses() {
    char program[4096] = {};
    if (readlink("/proc/self/exe", program, sizeof program - 1) <= 0) return;
    const std::string command =
        std::string("objdump -d --no-show-raw-insn '") + program + "' 2>/dev/null";
    std::FILE* const listing = popen(command.c_str(), "r");
    if (listing == nullptr) return;
    char line[512];
    while (std::fgets(line, sizeof line, listing) != nullptr) add_line(line);
    pclose(listing);
  }

  std::size_t size() const { return num_instructions_; }

  // The addresses that the next instruction uses, two at most; *fault if that cannot be told.
  unsigned used_by(const user_regs_struct& r, std::uint64_t used[2], std::string* fault) const {
    const auto found = instructions_.find(r.rip);
    if (found == instructions_.end()) {
      *fault = "an instruction that the listing does not have";
      return 0;
    }
    const Instruction& instruction = found->second;
    if (instruction.vector_index) *fault = "addresses made in a vector register";
    for (unsigned i = 0; i < instruction.num; ++i) {
      const Operand& o = instruction.operands[i];
      used[i] = static_cast<std::uint64_t>(o.displacement) + value(r, o.base) +
                value(r, o.index) * o.scale;
    }
    return instruction.num;
  }

 private:
  struct Instruction {
    Operand operands[2];
    unsigned num = 0;
    bool vector_index = false;
  };

  static std::uint64_t value(const user_regs_struct& r, int number) {
    const unsigned long long values[] = {r.rax, r.rbx, r.rcx, r.rdx, r.rsi, r.rdi, r.rbp, r.rsp,
                                         r.r8,  r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15};
    if (number < 0) return 0;
    return number >= 16 ? values[number - 16] & 0xffffffff : values[number];
  }

  // -1: none that varies (rip, eiz); -2: a vector register. 16 and more: the low half.
  static int register_number(const std::string& name) {
    static const char* const kNames[] = {
        "rax", "rbx", "rcx", "rdx", "rsi",  "rdi",  "rbp",  "rsp",  "r8",   "r9",  "r10",
        "r11", "r12", "r13", "r14", "r15",  "eax",  "ebx",  "ecx",  "edx",  "esi", "edi",
        "ebp", "esp", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"};
    for (int i = 0; i < 32; ++i) {
      if (name == kNames[i]) return i;
    }
    return name.find("mm") != std::string::npos ? -2 : -1;
  }

  // "  401136:\tvmovdqu 0x40(%rsi,%rax,8),%ymm1"
  void add_line(const char* line) {
    char* end = nullptr;
    const std::uint64_t at = std::strtoull(line, &end, 16);
    if (end == line || end[0] != ':' || end[1] != '\t') return;
    std::string text = end + 2;
    text = text.substr(0, text.find_first_of("#\n"));
    ++num_instructions_;
    Instruction& instruction = instructions_[at];
    const std::string mnemonic = text.substr(0, text.find(' '));
    // They use no memory, whatever they look like.
    if (mnemonic.compare(0, 3, "lea") == 0 || mnemonic.compare(0, 3, "nop") == 0) return;
    for (std::size_t open = text.find('('); open != std::string::npos && instruction.num < 2;
         open = text.find('(', open + 1)) {
      const std::size_t close = text.find(')', open);
      if (close == std::string::npos) break;
      Operand& o = instruction.operands[instruction.num++];
      std::size_t start = text.find_last_of(" ,:*", open);
      start = start == std::string::npos ? 0 : start + 1;
      o.displacement = static_cast<std::int64_t>(std::strtoll(text.c_str() + start, nullptr, 16));
      std::string inside = text.substr(open + 1, close - open - 1) + ",,";
      const std::string base = inside.substr(0, inside.find(','));
      inside = inside.substr(inside.find(',') + 1);
      const std::string index = inside.substr(0, inside.find(','));
      inside = inside.substr(inside.find(',') + 1);
      o.base = base.empty() ? -1 : register_number(base.substr(1));
      o.index = index.empty() ? -1 : register_number(index.substr(1));
      const int scale = std::atoi(inside.c_str());
      o.scale = scale > 0 ? static_cast<unsigned>(scale) : 1;
      instruction.vector_index = instruction.vector_index || o.index == -2;
    }
  }

  std::unordered_map<std::uint64_t, Instruction> instructions_;
  std::size_t num_instructions_ = 0;
};

}  // namespace x86
