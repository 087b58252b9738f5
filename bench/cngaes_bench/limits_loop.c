/* One timed loop over many libraries, for limits.py: each library is a table of functions filled by
 * dlopen, and the loop around the calls is the same for all of them.
 *
 *   cc -O2 -shared -fPIC limits_loop.c -o limits_loop.so -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__has_include)
#if __has_include(<intel-ipsec-mb.h>)
#include <intel-ipsec-mb.h>
#define HAVE_IPSEC_MB 1
#endif
#endif

enum { MAX_STREAMS = 32 };

/* What is timed: len bytes in all; streams > 1 cuts them into as many messages. */
struct work {
  const char* mode; /* ecb, cbc, ctr, gcm, sha256 */
  int decrypt;
  int key_len;
  const uint8_t* key;
  const uint8_t* iv; /* 16 bytes; GCM takes 12 */
  uint8_t* out;      /* len bytes, for GCM 16 more, for SHA-256 32 a stream */
  const uint8_t* in; /* likewise when GCM decrypts */
  size_t len;
  int streams;
};

/* run() does the whole work once and returns 1 when it went well. */
struct loop {
  void* library;
  int (*run)(struct loop*);
  struct work work;
  void* f[8]; /* the library's functions */
  void* state;
  char version[96];
};

static void* need(struct loop* loop, int i, const char* name) {
  return loop->f[i] = dlsym(loop->library, name);
}

/* ---- this package: its C ABI -------------------------------------------------------------------
 */

typedef int32_t (*key_new_fn)(const char*, const void*, size_t, void**);
typedef int32_t (*ecb_fn)(void*, int32_t, const void*, size_t, void*);
typedef int32_t (*cbc_fn)(void*, int32_t, const void*, const void*, size_t, void*);
typedef int32_t (*ctr_fn)(void*, const void*, const void*, size_t, void*);
typedef int32_t (*gcm_fn)(void*, const void*, size_t, const void*, size_t, const void*, size_t,
                          void*, void*, size_t);
typedef int32_t (*sha_fn)(const void*, size_t, void*);

static int ours_ecb(struct loop* l) {
  const struct work* w = &l->work;
  return ((ecb_fn)l->f[0])(l->state, w->decrypt, w->in, w->len, w->out) == 0;
}
static int ours_cbc(struct loop* l) {
  const struct work* w = &l->work;
  return ((cbc_fn)l->f[0])(l->state, w->decrypt, w->iv, w->in, w->len, w->out) == 0;
}
static int ours_ctr(struct loop* l) {
  const struct work* w = &l->work;
  return ((ctr_fn)l->f[0])(l->state, w->iv, w->in, w->len, w->out) == 0;
}
static int ours_gcm(struct loop* l) {
  const struct work* w = &l->work;
  uint8_t* tag = w->decrypt ? (uint8_t*)w->in + w->len : w->out + w->len;
  return ((gcm_fn)l->f[0])(l->state, w->iv, 12, "", 0, w->in, w->len, w->out, tag, 16) == 0;
}
static int ours_sha256(struct loop* l) {
  return ((sha_fn)l->f[0])(l->work.in, l->work.len, l->work.out) == 0;
}

static int open_ours(struct loop* l) {
  const struct {
    const char *mode, *symbol;
    int (*run)(struct loop*);
  } doors[] = {{"ecb", "cngaes_ecb", ours_ecb},
               {"cbc", "cngaes_cbc", ours_cbc},
               {"ctr", "cngaes_ctr", ours_ctr},
               {"gcm", l->work.decrypt ? "cngaes_gcm_decrypt" : "cngaes_gcm_encrypt", ours_gcm},
               {"sha256", "cngaes_sha256", ours_sha256}};
  if (l->work.streams > 1 || !need(l, 1, "cngaes_key_new")) return 0;
  for (size_t i = 0; i < sizeof doors / sizeof *doors; ++i) {
    if (strcmp(doors[i].mode, l->work.mode) != 0) continue;
    l->run = doors[i].run;
    if (!need(l, 0, doors[i].symbol)) return 0;
    if (strcmp(l->work.mode, "sha256") == 0) return 1;
    return ((key_new_fn)l->f[1])(l->work.mode, l->work.key, (size_t)l->work.key_len, &l->state) ==
           0;
  }
  return 0;
}

/* ---- OpenSSL and what descends from it: EVP with a context that is used again
 * --------------------- */

typedef const void* (*const_fn)(void);
typedef void* (*new_fn)(void);
typedef int (*init_fn)(void*, const void*, void*, const uint8_t*, const uint8_t*, int);
typedef int (*update_fn)(void*, uint8_t*, int*, const uint8_t*, int);
typedef int (*control_fn)(void*, int, int, void*);
typedef int (*final_fn)(void*, uint8_t*, int*);
typedef int (*one_shot_fn)(const void*, size_t, uint8_t*, unsigned*, const void*, void*);

static int evp_cipher(struct loop* l) {
  const struct work* w = &l->work;
  int n = 0;
  return ((init_fn)l->f[0])(l->state, NULL, NULL, NULL, w->iv, -1) &&
         ((update_fn)l->f[1])(l->state, w->out, &n, w->in, (int)w->len) && n == (int)w->len;
}
static int evp_gcm(struct loop* l) {
  const struct work* w = &l->work;
  int n = 0;
  if (!evp_cipher(l)) return 0;
  if (!w->decrypt) {
    return ((final_fn)l->f[3])(l->state, w->out + w->len, &n) &&
           ((control_fn)l->f[2])(l->state, 0x10, 16, w->out + w->len); /* EVP_CTRL_AEAD_GET_TAG */
  }
  return ((control_fn)l->f[2])(l->state, 0x11, 16, (uint8_t*)w->in + w->len) &&
         ((final_fn)l->f[3])(l->state, w->out + w->len, &n);
}
static int evp_digest(struct loop* l) {
  return ((one_shot_fn)l->f[0])(l->work.in, l->work.len, l->work.out, NULL, l->state, NULL);
}

static int open_evp(struct loop* l) {
  char name[32];
  if (l->work.streams > 1) return 0;
  if (strcmp(l->work.mode, "sha256") == 0) {
    l->run = evp_digest;
    if (!need(l, 0, "EVP_Digest") || !need(l, 1, "EVP_sha256")) return 0;
    l->state = (void*)((const_fn)l->f[1])();
    return 1;
  }
  snprintf(name, sizeof name, "EVP_aes_%d_%s", 8 * l->work.key_len, l->work.mode);
  if (!need(l, 4, name) || !need(l, 5, "EVP_CIPHER_CTX_new") || !need(l, 0, "EVP_CipherInit_ex") ||
      !need(l, 1, "EVP_CipherUpdate") || !need(l, 2, "EVP_CIPHER_CTX_ctrl") ||
      !need(l, 3, "EVP_CipherFinal_ex") || !need(l, 6, "EVP_CIPHER_CTX_set_padding")) {
    return 0;
  }
  l->run = strcmp(l->work.mode, "gcm") == 0 ? evp_gcm : evp_cipher;
  l->state = ((new_fn)l->f[5])();
  return l->state != NULL &&
         ((init_fn)l->f[0])(l->state, ((const_fn)l->f[4])(), NULL, l->work.key, l->work.iv,
                            !l->work.decrypt) &&
         ((int (*)(void*, int))l->f[6])(l->state, 0);
}

/* BoringSSL and AWS-LC have a cheaper door for GCM. */
typedef void* (*aead_new_fn)(const void*, const uint8_t*, size_t, size_t);
typedef int (*aead_fn)(const void*, uint8_t*, size_t*, size_t, const uint8_t*, size_t,
                       const uint8_t*, size_t, const uint8_t*, size_t);

static int aead(struct loop* l) {
  const struct work* w = &l->work;
  size_t n = 0;
  const size_t in_len = w->decrypt ? w->len + 16 : w->len;
  return ((aead_fn)l->f[0])(l->state, w->out, &n, w->len + 16, w->iv, 12, w->in, in_len, NULL, 0);
}
static int open_aead(struct loop* l) {
  if (strcmp(l->work.mode, "gcm") != 0) return open_evp(l);
  if (!need(l, 0, l->work.decrypt ? "EVP_AEAD_CTX_open" : "EVP_AEAD_CTX_seal") ||
      !need(l, 1, "EVP_AEAD_CTX_new") ||
      !need(l, 2, l->work.key_len == 16 ? "EVP_aead_aes_128_gcm" : "EVP_aead_aes_256_gcm")) {
    return 0;
  }
  l->run = aead;
  l->state =
      ((aead_new_fn)l->f[1])(((const_fn)l->f[2])(), l->work.key, (size_t)l->work.key_len, 16);
  return l->state != NULL;
}

/* ---- intel-ipsec-mb
 * ------------------------------------------------------------------------------ */

#ifdef HAVE_IPSEC_MB
struct ipsec {
  IMB_MGR* mgr;
  struct gcm_key_data gcm_key __attribute__((aligned(64)));
  struct gcm_context_data gcm_context __attribute__((aligned(64)));
  DECLARE_ALIGNED(uint32_t enc[60], 16);
  DECLARE_ALIGNED(uint32_t dec[60], 16);
  IMB_JOB jobs[MAX_STREAMS];
};

static int ipsec_gcm(struct loop* l) {
  const struct work* w = &l->work;
  struct ipsec* s = l->state;
  uint8_t tag[16];
  IMB_MGR* m = s->mgr;
  aes_gcm_enc_dec_t fn = w->key_len == 16 ? (w->decrypt ? m->gcm128_dec : m->gcm128_enc)
                                          : (w->decrypt ? m->gcm256_dec : m->gcm256_enc);
  fn(&s->gcm_key, &s->gcm_context, w->out, w->in, w->len, w->iv, (const uint8_t*)"", 0, tag, 16);
  if (w->decrypt) return memcmp(tag, w->in + w->len, 16) == 0;
  memcpy(w->out + w->len, tag, 16);
  return 1;
}
/* One by one through the queue, where there is no call for a burst. */
static int ipsec_jobs(struct ipsec* s, int num, IMB_CIPHER_MODE mode, IMB_CIPHER_DIRECTION way) {
  int done = 0;
  for (int i = 0; i < num; ++i) {
    IMB_JOB* next = IMB_GET_NEXT_JOB(s->mgr);
    *next = s->jobs[i];
    next->cipher_mode = mode;
    next->cipher_direction = way;
    next->chain_order = IMB_ORDER_HASH_CIPHER;
    next = IMB_SUBMIT_JOB_NOCHECK(s->mgr);
    for (; next != NULL; next = IMB_GET_COMPLETED_JOB(s->mgr)) ++done;
  }
  while (IMB_FLUSH_JOB(s->mgr) != NULL) ++done;
  return done == num;
}
static int ipsec_cipher(struct loop* l) {
  const struct work* w = &l->work;
  struct ipsec* s = l->state;
  const IMB_CIPHER_MODE mode = strcmp(w->mode, "ecb") == 0   ? IMB_CIPHER_ECB
                               : strcmp(w->mode, "cbc") == 0 ? IMB_CIPHER_CBC
                                                             : IMB_CIPHER_CNTR;
  const size_t each = w->len / (size_t)w->streams;
  for (int i = 0; i < w->streams; ++i) {
    IMB_JOB* job = &s->jobs[i];
    job->enc_keys = s->enc;
    job->dec_keys = s->dec;
    job->key_len_in_bytes = (uint64_t)w->key_len;
    job->src = w->in + each * (size_t)i;
    job->dst = w->out + each * (size_t)i;
    job->cipher_start_src_offset_in_bytes = 0;
    job->msg_len_to_cipher_in_bytes = each;
    job->iv = w->iv;
    job->iv_len_in_bytes = mode == IMB_CIPHER_ECB ? 0 : 16;
  }
  if (mode == IMB_CIPHER_ECB) {
    s->jobs[0].hash_alg = IMB_AUTH_NULL;
    return ipsec_jobs(s, 1, mode, w->decrypt ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT);
  }
  return IMB_SUBMIT_CIPHER_BURST_NOCHECK(s->mgr, s->jobs, (uint32_t)w->streams, mode,
                                         w->decrypt ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT,
                                         (IMB_KEY_SIZE_BYTES)w->key_len) == (uint32_t)w->streams;
}
static int ipsec_sha256(struct loop* l) {
  const struct work* w = &l->work;
  struct ipsec* s = l->state;
  const size_t each = w->len / (size_t)w->streams;
  for (int i = 0; i < w->streams; ++i) {
    IMB_JOB* job = &s->jobs[i];
    job->src = w->in + each * (size_t)i;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_hash_in_bytes = each;
    job->auth_tag_output = w->out + 32 * i;
    job->auth_tag_output_len_in_bytes = 32;
    job->hash_alg = IMB_AUTH_SHA_256;
  }
  return ipsec_jobs(s, w->streams, IMB_CIPHER_NULL, IMB_DIR_ENCRYPT);
}

static int open_ipsec(struct loop* l) {
  IMB_MGR* (*alloc)(uint64_t) = (IMB_MGR * (*)(uint64_t)) need(l, 0, "alloc_mb_mgr");
  void (*init)(IMB_MGR*, IMB_ARCH*) = (void (*)(IMB_MGR*, IMB_ARCH*))need(l, 1, "init_mb_mgr_auto");
  const char* (*version)(void) = (const char* (*)(void))need(l, 2, "imb_get_version_str");
  struct ipsec* s = NULL;
  if (!alloc || !init || posix_memalign((void**)&s, 64, sizeof *s) != 0) return 0;
  memset(s, 0, sizeof *s);
  l->state = s;
  s->mgr = alloc(0);
  if (s->mgr == NULL) return 0;
  init(s->mgr, NULL);
  if (version) snprintf(l->version, sizeof l->version, "%s", version());
  const struct work* w = &l->work;
  if (strcmp(w->mode, "sha256") == 0) {
    l->run = ipsec_sha256;
    return 1;
  }
  if (w->key_len == 16) {
    IMB_AES_KEYEXP_128(s->mgr, w->key, s->enc, s->dec);
    IMB_AES128_GCM_PRE(s->mgr, w->key, &s->gcm_key);
  } else {
    IMB_AES_KEYEXP_256(s->mgr, w->key, s->enc, s->dec);
    IMB_AES256_GCM_PRE(s->mgr, w->key, &s->gcm_key);
  }
  l->run = strcmp(w->mode, "gcm") == 0 ? ipsec_gcm : ipsec_cipher;
  /* A message of its CBC encryption has at most 65,535 bytes. */
  return !(strcmp(w->mode, "cbc") == 0 && !w->decrypt && w->len / (size_t)w->streams > 65535);
}
#else
static int open_ipsec(struct loop* l) {
  (void)l;
  return 0;
}
#endif

/* ---- what limits.py calls
 * ------------------------------------------------------------------------ */

void loop_close(struct loop* l) {
  if (l != NULL && l->library != NULL) dlclose(l->library);
  free(l);
}

/* kind: ours, evp, aead or ipsec. Null when the library is not there or cannot do the work. States
 * of the libraries live as long as the process. */
struct loop* loop_open(const char* path, const char* kind, const struct work* work) {
  struct loop* l = calloc(1, sizeof *l);
  if (l == NULL) return NULL;
  l->work = *work;
  l->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (l->library != NULL) {
    int (*open)(struct loop*) = strcmp(kind, "ours") == 0   ? open_ours
                                : strcmp(kind, "evp") == 0  ? open_evp
                                : strcmp(kind, "aead") == 0 ? open_aead
                                                            : open_ipsec;
    const char* (*version)(int) = (const char* (*)(int))dlsym(l->library, "OpenSSL_version");
    if (version) snprintf(l->version, sizeof l->version, "%s", version(0));
    if (work->streams >= 1 && work->streams <= MAX_STREAMS && open(l)) return l;
  }
  loop_close(l);
  return NULL;
}

const char* loop_version(const struct loop* l) { return l->version; }

/* Nanoseconds of `turns` times the work, or -1. */
int64_t loop_run(struct loop* l, int64_t turns) {
  struct timespec a, b;
  int well = 1;
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (int64_t i = 0; i < turns; ++i) well &= l->run(l);
  clock_gettime(CLOCK_MONOTONIC, &b);
  return well ? (int64_t)(b.tv_sec - a.tv_sec) * 1000000000 + (b.tv_nsec - a.tv_nsec) : -1;
}

/* ---- what single instructions cost
 * --------------------------------------------------------------- */

#if defined(__x86_64__)
/* Eight chains fill a unit of any latency below eight over its rate; one chain shows the latency.
 */
#define EIGHT(OP, REG, SOURCE)                                                                     \
  OP SOURCE "%%" REG "8, %%" REG "8\n\t" OP SOURCE "%%" REG "9, %%" REG "9\n\t" OP SOURCE "%%" REG \
            "10, %%" REG "10\n\t" OP SOURCE "%%" REG "11, %%" REG "11\n\t" OP SOURCE "%%" REG      \
            "12, %%" REG "12\n\t" OP SOURCE "%%" REG "13, %%" REG "13\n\t" OP SOURCE "%%" REG      \
            "14, %%" REG "14\n\t" OP SOURCE "%%" REG "15, %%" REG "15\n\t"
/* Two operands: the second is read and written. */
#define EIGHT_SSE(OP, SOURCE)                                                       \
  OP SOURCE "%%xmm8\n\t" OP SOURCE "%%xmm9\n\t" OP SOURCE "%%xmm10\n\t" OP SOURCE   \
            "%%xmm11\n\t" OP SOURCE "%%xmm12\n\t" OP SOURCE "%%xmm13\n\t" OP SOURCE \
            "%%xmm14\n\t" OP SOURCE "%%xmm15\n\t"
#define CLOBBERED \
  "xmm0", "xmm1", "xmm2", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#define TWICE(X) X X
#define REPEAT(TEXT) \
  for (int64_t i = 0; i < turns; ++i) __asm__ volatile(TWICE(TWICE(TEXT))::: CLOBBERED)
#define ONE(OP, REG, SOURCE) OP SOURCE "%%" REG "8, %%" REG "8\n\t"
#define ONE_SSE(OP, SOURCE) OP SOURCE "%%xmm8\n\t"
#define CHAIN(TEXT)                   \
  for (int64_t i = 0; i < turns; ++i) \
  __asm__ volatile(TWICE(TWICE(TWICE(TWICE(TWICE(TEXT)))))::: CLOBBERED)

/* 32 instructions a turn in every probe but sha-block, which is one block's worth. */
static int probe_turns(const char* name, int64_t turns) {
  if (strcmp(name, "aesenc") == 0)
    REPEAT(EIGHT_SSE("aesenc ", "%%xmm0, "));
  else if (strcmp(name, "aesenc-latency") == 0)
    CHAIN(ONE_SSE("aesenc ", "%%xmm0, "));
  else if (strcmp(name, "vaesenc-ymm") == 0)
    REPEAT(EIGHT("vaesenc ", "ymm", "%%ymm0, "));
  else if (strcmp(name, "vaesenc-zmm") == 0)
    REPEAT(EIGHT("vaesenc ", "zmm", "%%zmm0, "));
  else if (strcmp(name, "pclmulqdq") == 0)
    REPEAT(EIGHT_SSE("pclmulqdq ", "$0, %%xmm0, "));
  else if (strcmp(name, "vpclmulqdq-ymm") == 0)
    REPEAT(EIGHT("vpclmulqdq ", "ymm", "$0, %%ymm0, "));
  else if (strcmp(name, "vpclmulqdq-zmm") == 0)
    REPEAT(EIGHT("vpclmulqdq ", "zmm", "$0, %%zmm0, "));
  else if (strcmp(name, "sha256rnds2") == 0)
    REPEAT(EIGHT_SSE("sha256rnds2 ", "%%xmm1, "));
  else if (strcmp(name, "sha256rnds2-latency") == 0)
    CHAIN(ONE_SSE("sha256rnds2 ", "%%xmm1, "));
  else if (strcmp(name, "sha256msg1") == 0)
    REPEAT(EIGHT_SSE("sha256msg1 ", "%%xmm1, "));
  else if (strcmp(name, "sha256msg2") == 0)
    REPEAT(EIGHT_SSE("sha256msg2 ", "%%xmm1, "));
  else if (strcmp(name, "vprord-zmm") == 0)
    REPEAT(EIGHT("vprord ", "zmm", "$7, "));
  else if (strcmp(name, "vpaddd-zmm") == 0)
    REPEAT(EIGHT("vpaddd ", "zmm", "%%zmm0, "));
  else if (strcmp(name, "sha-block") == 0) {
    /* 32 rounds of two, twelve of each schedule instruction. */
#define SHA_PART                                                                            \
  EIGHT_SSE("sha256rnds2 ", "%%xmm1, ")                                                     \
  "sha256msg1 %%xmm1, %%xmm2\n\tsha256msg2 %%xmm1, %%xmm3\n\tsha256msg1 %%xmm1, %%xmm4\n\t" \
  "sha256msg2 %%xmm1, %%xmm5\n\tsha256msg1 %%xmm1, %%xmm6\n\tsha256msg2 %%xmm1, %%xmm7\n\t"
    for (int64_t i = 0; i < turns; ++i)
      __asm__ volatile(TWICE(TWICE(SHA_PART))::: CLOBBERED, "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
  } else {
    return 0;
  }
  return 1;
}

/* Nanoseconds of `turns` turns of a probe; -1 when there is no such probe. The caller has asked the
 * CPU whether it knows the instruction. */
int64_t probe_run(const char* name, int64_t turns) {
  struct timespec a, b;
  int known;
  clock_gettime(CLOCK_MONOTONIC, &a);
  known = probe_turns(name, turns);
  if (name[0] == 'v') __asm__ volatile("vzeroupper");
  clock_gettime(CLOCK_MONOTONIC, &b);
  return known ? (int64_t)(b.tv_sec - a.tv_sec) * 1000000000 + (b.tv_nsec - a.tv_nsec) : -1;
}
#else
int64_t probe_run(const char* name, int64_t turns) {
  (void)name;
  (void)turns;
  return -1;
}
#endif
