# 32-bit x86 Linux by the native compiler's -m32, from Debian's g++-12-multilib. That package leaves
# out the link /usr/include/asm that g++-multilib makes (which cannot be installed beside the cross
# compilers), hence the include folder. Programs run natively.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_CXX_COMPILER g++-12)
set(CMAKE_CXX_FLAGS_INIT "-m32 -isystem /usr/include/x86_64-linux-gnu")
