# Windows x64 Python extension by Debian's g++-mingw-w64-x86-64 (posix threads).
include("${CMAKE_CURRENT_LIST_DIR}/python.cmake")
set(CMAKE_SYSTEM_PROCESSOR AMD64)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-static -s")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -s")
set(Python_LIBRARY "$ENV{WINSDK}/amd64/libpython$ENV{WINSDK_PYTHON}.a" CACHE FILEPATH "" FORCE)
set(PYTHON_MODULE_EXTENSION ".cp$ENV{WINSDK_PYTHON}-win_amd64.pyd" CACHE INTERNAL "")
