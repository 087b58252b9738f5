# Linux on s390x, from Debian's g++-s390x-linux-gnu: the big-endian machine that the portable
# kernels must be right on. Tests run under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_CXX_COMPILER s390x-linux-gnu-g++)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x-static)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
