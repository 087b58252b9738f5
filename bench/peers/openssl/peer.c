// OpenSSL's EVP functions as a peer of the benchmark (docs/peers.md), without ctypes in between.
#define _GNU_SOURCE
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

enum { kMib = 1 << 20, kTag = 16, kDigest = 32, kMaxThreads = 256, kMaxCells = 4096 };
enum { kArticleSeed = 20260807, kRandomSeed = 1123581321, kDataAt = 64 };

typedef struct {
  char algorithm[16];
  bool decrypt, gcm, hash, padded;
  size_t size, key_len, in_len, out_len;
} Case;

typedef struct Input {
  char name[64];
  Case of;
  const uint8_t *key, *iv;
  uint8_t* data;
  struct Input* next;
} Input;

typedef struct {
  char name[160];
  char answer[512];
  const Input* input;
  char placement;  // 'i'nto, 'n'ew, in'p'lace
  bool per_call;
  int threads;
  EVP_CIPHER_CTX* contexts[kMaxThreads];  // one a thread: a context is a key and a state
  uint8_t* outputs[kMaxThreads];          // what the last run left
  bool comparable;
} Cell;

static Cell* cells[kMaxCells];
static int num_cells;
static Cell* current;
static Input* inputs;
static uint8_t* buffers[kMaxThreads];
static size_t buffer_lens[kMaxThreads];
static char problem[256];  // of the question being answered
static bool is_unsupported;

static bool fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(problem, sizeof problem, format, arguments);
  va_end(arguments);
  return false;
}

static bool refuse(const char* why) {
  is_unsupported = true;
  return fail("%s", why);
}

static void* must(void* memory) {
  if (memory == NULL) {
    fputs("out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

// The input, from the size alone.

static const uint8_t* block_of(uint32_t seed) {
  static uint8_t* made[2];
  uint8_t** block = &made[seed == kArticleSeed];
  if (*block == NULL) {
    *block = must(malloc(kMib));
    for (size_t i = 0; i < kMib; ++i) {
      seed ^= seed << 13;
      seed ^= seed >> 17;
      seed ^= seed << 5;
      (*block)[i] = (uint8_t)seed;
    }
  }
  return *block;
}

static bool parse_case(const char* name, Case* out) {
  char direction[16], unit[8] = "";
  unsigned long size, bits = 0;
  memset(out, 0, sizeof *out);
  if (sscanf(name, "%15[^/]/%15[^/]/%lu%7s", out->algorithm, direction, &size, unit) != 4) {
    return fail("bad case %s", name);
  }
  size_t factor = *unit == 'K' ? 1 << 10 : *unit == 'M' ? 1 << 20 : *unit == 'G' ? 1 << 30 : 1;
  out->size = size * factor;
  if (out->size > INT32_MAX) {
    return refuse("a length of libcrypto is an int: at most 2 GiB - 1 a call");
  }
  out->decrypt = strcmp(direction, "decrypt") == 0;
  out->hash = strcmp(out->algorithm, "sha256") == 0;
  if (!out->hash && sscanf(out->algorithm, "aes-%lu-", &bits) != 1)
    return fail("bad case %s", name);
  const char* mode = strrchr(out->algorithm, '-');
  out->key_len = bits / 8;
  out->gcm = mode != NULL && strcmp(mode, "-gcm") == 0;
  bool blocks = mode != NULL && (strcmp(mode, "-cbc") == 0 || strcmp(mode, "-ecb") == 0);
  out->padded = blocks && out->size % 16 != 0;
  size_t cipher_len = out->size + (out->gcm ? kTag : 0) + (out->padded ? 16 - out->size % 16 : 0);
  out->in_len = out->decrypt ? cipher_len : out->size;
  out->out_len = out->hash ? kDigest : out->decrypt ? out->size : cipher_len;
  return true;
}

static bool check(int result) {
  return result == 1 ? true : fail("a function of libcrypto failed");
}

static bool set_key(EVP_CIPHER_CTX* context, const Input* input) {
  static EVP_CIPHER* fetched;
  static char fetched_name[16];
  const Case* of = &input->of;
  if (strcmp(fetched_name, of->algorithm) != 0) {
    EVP_CIPHER_free(fetched);
    fetched = EVP_CIPHER_fetch(NULL, of->algorithm, NULL);
    snprintf(fetched_name, sizeof fetched_name, "%s", of->algorithm);
  }
  if (fetched == NULL) return fail("this libcrypto has no %s", of->algorithm);
  return check(EVP_CipherInit_ex2(context, fetched, input->key, NULL, !of->decrypt, NULL)) &&
         check(EVP_CIPHER_CTX_set_padding(context, of->padded));
}

// One message. `in` and `out` may be the same memory.
static bool message(EVP_CIPHER_CTX* context, const Input* input, const uint8_t* in, uint8_t* out) {
  const Case* of = &input->of;
  size_t body = of->in_len - (of->gcm && of->decrypt ? kTag : 0);
  int written = 0, last = 0;
  if (!check(EVP_CipherInit_ex2(context, NULL, NULL, input->iv, -1, NULL)) ||
      !check(EVP_CipherUpdate(context, out, &written, in, (int)body))) {
    return false;
  }
  if (of->gcm && of->decrypt &&
      !check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, kTag, (void*)(in + body)))) {
    return false;
  }
  if (!check(EVP_CipherFinal_ex(context, out + written, &last))) return false;
  return !of->gcm || of->decrypt ||
         check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, kTag, out + body));
}

static const Input* input_of(const char* name, const Case* of) {
  for (Input* known = inputs; known != NULL; known = known->next) {
    if (strcmp(known->name, name) == 0) return known;
  }
  bool article = of->size % kMib == 0;
  const uint8_t* block = block_of(article ? kArticleSeed : kRandomSeed);
  static uint8_t counting[32];
  for (int i = 0; i < 32; ++i) counting[i] = (uint8_t)i;
  Input made = {"", *of, article ? counting : block, NULL, NULL, inputs};
  snprintf(made.name, sizeof made.name, "%s", name);
  made.iv = article ? counting : of->gcm ? block + 48 : block + 32;
  const char* text = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  bool perl = of->size == 52 && strcmp(of->algorithm, "aes-256-ecb") == 0;
  if (perl) made.key = (const uint8_t*)"0123456789abcdef0123456789abcdef";
  for (Input* known = inputs; known != NULL && !of->decrypt && !perl; known = known->next) {
    if (!known->of.decrypt && known->of.size == of->size) made.data = known->data;
  }
  if (made.data == NULL) {
    made.data = must(malloc(of->size + 32));
    size_t start = article ? 0 : kDataAt;
    for (size_t i = 0; i < of->size; ++i) {
      made.data[i] = perl ? (uint8_t)text[i] : block[(start + i) % kMib];
    }
  }
  if (of->decrypt) {
    Case encrypt;
    char* other = strdup(name);
    memcpy(strchr(other, '/') + 1, "en", 2);  // decrypt -> encrypt
    bool done = parse_case(other, &encrypt);
    free(other);
    Input plain = made;
    plain.of = encrypt;
    uint8_t* encrypted = must(malloc(of->in_len + 16));
    EVP_CIPHER_CTX* context = must(EVP_CIPHER_CTX_new());
    done = done && set_key(context, &plain) && message(context, &plain, made.data, encrypted);
    EVP_CIPHER_CTX_free(context);
    free(made.data);
    made.data = encrypted;
    if (!done) return NULL;
  }
  inputs = must(malloc(sizeof made));
  *inputs = made;
  return inputs;
}

// Work.

static uint8_t* buffer_of(int thread, size_t size) {
  if (buffer_lens[thread] < size) {
    // The old one stays: prepared cells point into it.
    buffers[thread] = must(malloc(size));
    memset(buffers[thread], 0xa5, size);  // touch every page before any clock runs
    buffer_lens[thread] = size;
  }
  return buffers[thread];
}

static void release(Cell* cell) {
  for (int i = 0; cell != NULL && i < cell->threads; ++i) {
    if (cell->placement == 'n') free(cell->outputs[i]);
    cell->outputs[i] = NULL;
  }
}

typedef struct {
  Cell* cell;
  int thread;
  uint64_t loops;
  pthread_barrier_t* start;
  bool ok;
} Work;

static bool one_call(Cell* cell, int thread) {
  const Input* input = cell->input;
  uint8_t* out = buffers[thread];
  if (cell->placement == 'n') {
    free(cell->outputs[thread]);
    out = must(malloc(input->of.out_len + 16));
  }
  cell->outputs[thread] = out;
  if (input->of.hash) {
    return check(EVP_Digest(input->data, input->of.in_len, out, NULL, EVP_sha256(), NULL));
  }
  EVP_CIPHER_CTX* context = cell->contexts[thread];
  if (!cell->per_call)
    return message(context, input, cell->placement == 'p' ? out : input->data, out);
  context = must(EVP_CIPHER_CTX_new());
  bool ok = set_key(context, input) &&
            message(context, input, cell->placement == 'p' ? out : input->data, out);
  EVP_CIPHER_CTX_free(context);
  return ok;
}

static void* work(void* argument) {
  Work* mine = argument;
  if (mine->start != NULL) pthread_barrier_wait(mine->start);
  mine->ok = true;
  for (uint64_t i = 0; i < mine->loops && mine->ok; ++i) {
    mine->ok = one_call(mine->cell, mine->thread);
  }
  return NULL;
}

static uint64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static long page_faults(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

static bool run(Cell* cell, uint64_t loops, uint64_t* out_ns, long* out_faults, uint64_t* out_cpu) {
  const Case* of = &cell->input->of;
  release(cell);
  for (int i = 0; i < cell->threads; ++i) {
    size_t edge = of->out_len < 16 ? of->out_len : 16;
    if (cell->placement == 'p') {
      memcpy(buffers[i], cell->input->data, of->in_len);
    } else if (cell->placement == 'i') {
      memset(buffers[i], 0xa5, edge);
      memset(buffers[i] + of->out_len - edge, 0xa5, edge);
    }
  }
  cell->comparable = loops == 1 || cell->placement != 'p';
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, (unsigned)cell->threads + 1);
  Work works[kMaxThreads];
  pthread_t threads[kMaxThreads];
  for (int i = 0; i < cell->threads; ++i) {
    works[i] = (Work){cell, i, loops, cell->threads > 1 ? &barrier : NULL, false};
    if (cell->threads > 1 && pthread_create(&threads[i], NULL, work, &works[i]) != 0) {
      fputs("no thread\n", stderr);
      exit(1);
    }
  }
  long faults = page_faults();
  uint64_t cpu = now(CLOCK_PROCESS_CPUTIME_ID);
  uint64_t start = now(CLOCK_MONOTONIC);
  if (cell->threads == 1) {
    work(&works[0]);
  } else {
    pthread_barrier_wait(&barrier);
    start = now(CLOCK_MONOTONIC);
    for (int i = 0; i < cell->threads; ++i) pthread_join(threads[i], NULL);
  }
  *out_ns = now(CLOCK_MONOTONIC) - start;
  *out_cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  *out_faults = page_faults() - faults;
  pthread_barrier_destroy(&barrier);
  for (int i = 0; i < cell->threads; ++i) {
    if (!works[i].ok) return false;
  }
  return true;
}

static void to_hex(const uint8_t* bytes, size_t count, char* out) {
  for (size_t i = 0; i < count; ++i) sprintf(out + 2 * i, "%02x", bytes[i]);
  out[2 * count] = 0;
}

static bool fingerprint(Cell* cell, char* out, size_t room) {
  uint64_t ns, cpu;
  long faults;
  if ((!cell->comparable || cell->outputs[0] == NULL) && !run(cell, 1, &ns, &faults, &cpu)) {
    return false;
  }
  size_t size = cell->input->of.out_len;
  uint8_t first[kDigest], digest[kDigest];
  for (int i = 0; i < cell->threads; ++i) {
    if (!check(EVP_Digest(cell->outputs[i], size, digest, NULL, EVP_sha256(), NULL))) return false;
    if (i > 0 && memcmp(first, digest, kDigest) != 0) return fail("the threads' outputs differ");
    memcpy(first, digest, kDigest);
  }
  char head[17], tail[33], whole[65];
  size_t last = size < 16 ? size : 16;
  to_hex(cell->outputs[0], size < 8 ? size : 8, head);
  to_hex(cell->outputs[0] + size - last, last, tail);
  to_hex(first, kDigest, whole);
  snprintf(out, room, "\"ok\": {\"first8\": \"%s\", \"last16\": \"%s\", \"sha256\": \"%s\"}", head,
           tail, whole);
  return true;
}

// Questions. They come from the suite only, so that a few searches do for reading JSON.

static bool text_of(const char* line, const char* field, char* out, size_t room) {
  char pattern[32];
  snprintf(pattern, sizeof pattern, "\"%s\": \"", field);
  const char* found = strstr(line, pattern);
  if (found == NULL) return fail("prepare needs the text %s", field);
  found += strlen(pattern);
  size_t length = strcspn(found, "\"");
  if (length >= room) return fail("%s is too long", field);
  memcpy(out, found, length);
  out[length] = 0;
  return true;
}

static unsigned long long number_of(const char* line, const char* field) {
  char pattern[32];
  snprintf(pattern, sizeof pattern, "\"%s\": ", field);
  const char* found = strstr(line, pattern);
  return found == NULL ? 0 : strtoull(found + strlen(pattern), NULL, 10);
}

static bool prepare(const char* line) {
  char name[64], path[32], placement[16], key[16];
  Case of;
  if (!text_of(line, "case", name, sizeof name) || !text_of(line, "path", path, sizeof path) ||
      !text_of(line, "placement", placement, sizeof placement) ||
      !text_of(line, "key", key, sizeof key)) {
    return false;
  }
  release(current);
  current = NULL;
  unsigned long long threads = number_of(line, "threads");
  if (threads < 1 || threads > kMaxThreads) return fail("1 to %d threads", kMaxThreads);
  char full[sizeof cells[0]->name];
  snprintf(full, sizeof full, "%s %s %s %llu", name, placement, key, threads);
  for (int i = 0; i < num_cells; ++i) {
    if (strcmp(cells[i]->name, full) == 0) {
      current = cells[i];
      return true;
    }
  }
  if (num_cells == kMaxCells) return fail("at most %d cells", kMaxCells);
  if (!parse_case(name, &of)) return false;
  if (strcmp(path, "openssl-c") != 0) return fail("unknown path %s", path);
  Cell* cell = must(calloc(1, sizeof *cell));
  snprintf(cell->name, sizeof cell->name, "%s", full);
  cell->placement = strcmp(placement, "inplace") == 0 ? 'p' : placement[0];
  cell->per_call = strcmp(key, "per-call") == 0;
  cell->threads = (int)threads;
  bool in_place = cell->placement == 'p';
  bool ok = true;
  if (cell->placement == 't') ok = refuse("no placement typical");
  if (ok && of.hash && cell->per_call) ok = refuse("SHA-256 has no key");
  if (ok && of.hash && in_place) ok = refuse("a digest does not lie over its input");
  if (ok && of.decrypt && of.gcm && in_place) {
    ok = refuse("decrypting GCM in place needs fresh ciphertext for every call");
  }
  if (ok && of.padded && in_place) ok = refuse("with padding the output has another size");
  ok = ok && (cell->input = input_of(name, &of)) != NULL;
  for (int i = 0; ok && i < cell->threads; ++i) {
    buffer_of(i, of.size + 48);
    if (of.hash || cell->per_call) continue;
    cell->contexts[i] = must(EVP_CIPHER_CTX_new());
    ok = set_key(cell->contexts[i], cell->input);
  }
  uint64_t ns, cpu;
  long faults;
  char found[256];
  ok = ok && run(cell, 1, &ns, &faults, &cpu) && fingerprint(cell, found, sizeof found);
  if (!ok) {
    for (int i = 0; i < cell->threads; ++i) EVP_CIPHER_CTX_free(cell->contexts[i]);
    free(cell);
    return false;
  }
  const char* statement = of.hash  ? "EVP_Digest"
                          : of.gcm ? "EVP_CipherInit_ex2, EVP_CipherUpdate, EVP_CipherFinal_ex, tag"
                                   : "EVP_CipherInit_ex2, EVP_CipherUpdate, EVP_CipherFinal_ex";
  snprintf(cell->answer, sizeof cell->answer,
           "{%s, \"ns\": %" PRIu64 ", \"details\": {\"statement\": \"%s\"}}", found, ns, statement);
  current = cells[num_cells++] = cell;
  return true;
}

static bool answer(const char* line, char* out, size_t room) {
  if (strstr(line, "\"hello\"") != NULL) {
    struct utsname machine;
    uname(&machine);
    snprintf(out, room,
             "{\"name\": \"openssl\", \"version\": \"%s\", \"arch\": \"%s\", \"paths\": "
             "[\"openssl-c/into\", \"openssl-c/new\", \"openssl-c/inplace\"]}",
             OpenSSL_version(OPENSSL_VERSION), machine.machine);
    return true;
  }
  if (strstr(line, "\"prepare\"") != NULL) {
    if (!prepare(line)) return false;
    snprintf(out, room, "%s", current->answer);
    return true;
  }
  if (current == NULL) return fail("run or verify before prepare");
  unsigned long long loops = number_of(line, "run");
  if (loops > 0) {
    uint64_t ns, cpu;
    long faults;
    if (!run(current, loops, &ns, &faults, &cpu)) return false;
    snprintf(out, room,
             "{\"ns\": %" PRIu64 ", \"extras\": {\"page_faults\": %ld, \"cpu_ns\": %" PRIu64 "}}",
             ns, faults, cpu);
    return true;
  }
  char found[256];
  if (strstr(line, "\"verify\"") == NULL) return fail("unknown question");
  if (!fingerprint(current, found, sizeof found)) return false;
  snprintf(out, room, "{%s}", found);
  return true;
}

int main(void) {
  char line[4096], out[1024];
  while (fgets(line, sizeof line, stdin) != NULL && strstr(line, "\"quit\"") == NULL) {
    is_unsupported = false;
    if (!answer(line, out, sizeof out)) {
      printf("{\"%s\": \"%s\"}\n", is_unsupported ? "unsupported" : "error", problem);
    } else {
      puts(out);
    }
    if (fflush(stdout) != 0) break;
  }
  return 0;
}
