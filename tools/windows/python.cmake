# What the toolchain files for Windows share. For Python, WINSDK in the environment names a folder with
# include/ (Python's headers, this folder's pyconfig.h) and the import libraries in amd64/, arm64/, and
# WINSDK_PYTHON is its version ("311"); the C++ tests need neither.
set(CMAKE_SYSTEM_NAME Windows)
set(Python_INCLUDE_DIR "$ENV{WINSDK}/include" CACHE PATH "" FORCE)
set(PYTHON_IS_DEBUG OFF CACHE INTERNAL "")
set(PYTHON_MODULE_DEBUG_POSTFIX "" CACHE INTERNAL "")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
