#!/usr/bin/env bash
# Budget: 2 minutes. Proves: on x86 CPUs that this machine is not (qemu-user models without AES-NI,
# without AVX, with XSAVE off), the package imports, chooses the best kernel that the CPU can run and no
# other, and gives the right bytes. The emulator has no VPCLMULQDQ, SHA-NI or AVX-512: what needs those is
# tested on CPUs that have them, and with features masked (tests/test_dispatch.py).
# By hand: tools/ci/72_x86_cpus.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
step_begin
[ "$(uname -m)" = x86_64 ] || skip_step "x86 CPU models: this machine is no x86"
want_apt qemu-x86_64-static:qemu-user-static || skip_step "x86 CPU models: $MISSING"
want_python

# on CPU KERNELS FEATURE_IT_MUST_NOT_SEE
on() {
  qemu-x86_64-static -cpu "$1" "$PY" - "$2" "$3" <<'PYTHON'
import hashlib
import sys

import cngaes

expected, absent = sys.argv[1].split(","), sys.argv[2]
kernels = cngaes.supported_kernels()
assert list(kernels["aes"]) == expected, kernels
# SHA-NI in newer emulators only.
assert ("x86-shani" in kernels["sha256"]) == ("sha_ni" in cngaes.cpu_features()), kernels
assert kernels["sha256"][-1] == "generic", kernels
assert absent not in cngaes.cpu_features(), cngaes.cpu_features()
assert set(cngaes.self_test().values()) == {"passed"}, cngaes.self_test()

# The free choice, by its results: SP 800-38A F.1.5, F.2.5 and F.5.5 (AES-256), GCM's test case 16.
key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
text = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
iv, counter = bytes(range(16)), bytes(range(0xF0, 0x100))
ecb = cngaes.AESECB(key, padding=None)
cbc = cngaes.AESCBC(key, padding=None)
ctr = cngaes.AESCTR(key)
for cipher, start, digest in (
    (ecb, (), "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870"),
    (cbc, (iv,), "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"),
    (ctr, (counter,), "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"),
):
    assert cipher.kernel == expected[0], cipher.kernel
    assert cipher.encrypt(*start, text).hex() == digest, cipher
    assert cipher.decrypt(*start, bytes.fromhex(digest)) == text, cipher
gcm = cngaes.AESGCM(bytes.fromhex("feffe9928665731c6d6a8f9467308308" * 2))
sealed = gcm.encrypt(
    bytes.fromhex("cafebabefacedbaddecaf888"),
    bytes.fromhex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    ),
    bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
)
assert gcm.kernel == expected[0], gcm.kernel
assert sealed.hex() == (
    "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
    "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
    "76fc6ece0f4e1768cddf8853bb2d551b"
)
for size in (0, 55, 56, 64, 1000):
    data = bytes(i % 251 for i in range(size))
    assert cngaes.sha256_digest(data) == hashlib.sha256(data).digest(), size
PYTHON
}
failed=0
cpu() { timed "$1: $2" on "$@" || failed=1; }
cpu qemu64 generic aes
cpu Nehalem generic aes                    # SSSE3, SSE4.1, no AES
cpu max,-aes generic aes                   # VAES, AVX2, but no AES
cpu max,-pclmulqdq generic pclmulqdq
cpu Westmere x86-aesni,generic avx         # AES-NI without AVX
cpu Haswell x86-aesni,generic vaes
cpu max x86-aesni,generic vpclmulqdq       # VAES without VPCLMULQDQ
cpu max,-xsave x86-aesni,generic avx       # CPUID says AVX, the system does not save its registers
cpu max,-avx x86-aesni,generic avx
[ $failed = 0 ] || die "x86 CPU models"
