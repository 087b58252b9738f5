// A libssl that .NET loads in place of the distribution's (DOTNET_OPENSSL_VERSION_OVERRIDE): it tells on
// standard error which EVP functions are called, with buffers and lengths, and calls OpenSSL's. .NET looks
// functions up in the library that it loaded and then in those that this one needs, so LD_PRELOAD
// would not be asked, and what is not defined here is OpenSSL's own.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Context Context;

static void* real(const char* name) {
  // In OpenSSL's own library, which is loaded: a search by name would find this one again.
  static void* library;
  if (library == NULL) library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_NOLOAD);
  void* function = library == NULL ? NULL : dlsym(library, name);
  if (function == NULL) {
    fprintf(stderr, "evp_trace: no %s in libcrypto.so.3\n", name);
    abort();
  }
  return function;
}

#define REAL(function) ((__typeof__(&function))real(#function))

int EVP_CipherInit_ex(Context* context, const void* cipher, void* engine, const unsigned char* key,
                      const unsigned char* iv, int encrypt) {
  fprintf(stderr, "CALL EVP_CipherInit_ex key=%d iv=%d\n", key != NULL, iv != NULL);
  return REAL(EVP_CipherInit_ex)(context, cipher, engine, key, iv, encrypt);
}

int EVP_CipherUpdate(Context* context, unsigned char* out, int* out_len, const unsigned char* in, int in_len) {
  fprintf(stderr, "CALL EVP_CipherUpdate bytes=%d input=%zx output=%zx\n", in_len, (size_t)in, (size_t)out);
  return REAL(EVP_CipherUpdate)(context, out, out_len, in, in_len);
}

int EVP_CipherFinal_ex(Context* context, unsigned char* out, int* out_len) {
  fprintf(stderr, "CALL EVP_CipherFinal_ex\n");
  return REAL(EVP_CipherFinal_ex)(context, out, out_len);
}

int EVP_CIPHER_CTX_ctrl(Context* context, int type, int number, void* pointer) {
  fprintf(stderr, "CALL EVP_CIPHER_CTX_ctrl type=%d\n", type);
  return REAL(EVP_CIPHER_CTX_ctrl)(context, type, number, pointer);
}

Context* EVP_CIPHER_CTX_new(void) {
  fprintf(stderr, "CALL EVP_CIPHER_CTX_new\n");
  return REAL(EVP_CIPHER_CTX_new)();
}

void EVP_CIPHER_CTX_free(Context* context) {
  fprintf(stderr, "CALL EVP_CIPHER_CTX_free\n");
  REAL(EVP_CIPHER_CTX_free)(context);
}

int EVP_DigestInit_ex(Context* context, const void* digest, void* engine) {
  fprintf(stderr, "CALL EVP_DigestInit_ex\n");
  return REAL(EVP_DigestInit_ex)(context, digest, engine);
}

int EVP_DigestUpdate(Context* context, const void* in, size_t len) {
  fprintf(stderr, "CALL EVP_DigestUpdate bytes=%zu input=%zx\n", len, (size_t)in);
  return REAL(EVP_DigestUpdate)(context, in, len);
}

int EVP_DigestFinal_ex(Context* context, unsigned char* out, unsigned int* len) {
  fprintf(stderr, "CALL EVP_DigestFinal_ex\n");
  return REAL(EVP_DigestFinal_ex)(context, out, len);
}
