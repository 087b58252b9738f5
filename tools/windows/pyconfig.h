// What Python's headers ask of PC/pyconfig.h, for building extensions of 64-bit Windows CPython 3.11
// with GCC or clang. (The file of that name in CPython knows MSVC's macros only; without MS_WIN64,
// for example, SIZEOF_VOID_P would silently be 4.)
#ifndef Py_CONFIG_H
#define Py_CONFIG_H

#include <io.h>
#include <limits.h>
#include <stdio.h>

#define MS_WIN32
#define MS_WINDOWS
#ifndef MS_WIN64
#define MS_WIN64
#endif
#define NT_THREADS
#define PLATFORM "win32"
#define Py_ENABLE_SHARED 1
#define HAVE_DECLSPEC_DLL
#define HAVE_DYNAMIC_LOADING
#define WITH_DOC_STRINGS 1
#define WITH_PYMALLOC 1

#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_FLOAT 4
#define SIZEOF_DOUBLE 8
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_OFF_T 4
#define SIZEOF_FPOS_T 8
#define SIZEOF_WCHAR_T 2
#define SIZEOF__BOOL 1
#define SIZEOF_PID_T SIZEOF_VOID_P
#define ALIGNOF_LONG 4
#define ALIGNOF_SIZE_T 8
#define DOUBLE_IS_LITTLE_ENDIAN_IEEE754 1

typedef long long Py_ssize_t;
#define HAVE_PY_SSIZE_T 1
#define PY_SSIZE_T_MAX LLONG_MAX
#define PY_LONG_LONG long long
#define PY_LLONG_MIN LLONG_MIN
#define PY_LLONG_MAX LLONG_MAX
#define PY_ULLONG_MAX ULLONG_MAX

#define HAVE_CLOCK
#define HAVE_CONIO_H 1
#define HAVE_DIRECT_H 1
#define HAVE_ERRNO_H 1
#define HAVE_FCNTL_H 1
#define HAVE_INTPTR_T 1
#define HAVE_LARGEFILE_SUPPORT
#define HAVE_PROCESS_H 1
#define HAVE_SIGNAL_H 1
#define HAVE_STDDEF_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UINTPTR_T 1
#define HAVE_WCHAR_H 1
#define HAVE_WCSCOLL 1
#define HAVE_WCSFTIME 1
#define HAVE_WCSXFRM 1
#define STDC_HEADERS 1

#ifdef __cplusplus
static_assert(sizeof(void*) == SIZEOF_VOID_P && sizeof(long) == SIZEOF_LONG &&
              sizeof(wchar_t) == SIZEOF_WCHAR_T && sizeof(Py_ssize_t) == sizeof(size_t));
#endif

#endif
