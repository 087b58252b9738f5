/* bcryptprimitives.dll for Wine before 9.0: Rust's standard library, and so the cryptography wheel,
   wants its ProcessPrng. */
__declspec(dllimport) unsigned char __stdcall SystemFunction036(void*, unsigned long);

__declspec(dllexport) int __stdcall ProcessPrng(unsigned char* data, unsigned long long len) {
  while (len > 0) {
    const unsigned long n = len > 0x40000000 ? 0x40000000 : (unsigned long)len;
    if (!SystemFunction036(data, n)) return 0;
    data += n;
    len -= n;
  }
  return 1;
}

int __stdcall DllMainCRTStartup(void* module, unsigned reason, void* reserved) {
  (void)module, (void)reason, (void)reserved;
  return 1;
}
