# Linux on ARM64, from Debian's g++-aarch64-linux-gnu; tests run under qemu-user.
# QEMU_CPU=max and QEMU_CPU=cortex-a76 in the environment take the two branches of the dispatch.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
