// The very source of x86-vaes512, over vectors of four 128-bit registers.
#define CNGAES_EMULATED_512 "../../tests/vectors_512_emulated.h"
#define kAesX86Vaes512 kAesX86Vaes512Emulated
#include "../kernels/x86/aes_vaes512.cpp"
