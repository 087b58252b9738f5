# Windows ARM64 Python extension by zig; ZIG in the environment names its program.
include("${CMAKE_CURRENT_LIST_DIR}/python.cmake")
set(CMAKE_SYSTEM_PROCESSOR ARM64)
# -O2 here too: CMake's probes would otherwise make zig build its C++ library a second time.
set(CMAKE_CXX_COMPILER "$ENV{ZIG}" c++ -target aarch64-windows-gnu -O2)
set(CMAKE_RC_COMPILER /bin/true)
set(CMAKE_AR "${CMAKE_CURRENT_LIST_DIR}/zig-ar")
set(CMAKE_RANLIB "${CMAKE_CURRENT_LIST_DIR}/zig-ranlib")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-s")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-s")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-s")
set(Python_LIBRARY "$ENV{WINSDK}/arm64/python$ENV{WINSDK_PYTHON}.lib" CACHE FILEPATH "" FORCE)
set(PYTHON_MODULE_EXTENSION ".cp$ENV{WINSDK_PYTHON}-win_arm64.pyd" CACHE INTERNAL "")
