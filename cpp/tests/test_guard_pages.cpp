// No kernel and no mode reads or writes a byte outside its arguments: every argument touches an
// unmapped page, once at its end and once at its start. Inputs are write-protected besides.
#include "cngaes/kernels.h"

#include <memory>

#include "check.hpp"
#include "cngaes/backend.hpp"
#include "guarded.hpp"
#include "kernel_list.hpp"
#include "reference.hpp"

namespace {

using namespace cngaes;
using test::Bytes;
using test::Guarded;
using test::Random;

constexpr std::size_t kMaxBlocks = 40;

struct Arena {
  Guarded user_key{32}, key{sizeof(AesKey)}, ghash_key{sizeof(GhashKey)}, small{16}, y{16};
  Guarded in{64 * kMaxBlocks}, out{64 * kMaxBlocks};
  bool end = true;  // which side touches

  // Calls run(out, in) out of place with `in` write-protected, then in place.
  template <class Run>
  void both_places(const Bytes& data, Run run) {
    std::uint8_t* from = in.put(end, data.data(), data.size());
    std::uint8_t* to = out.at(end, data.size());
    in.read_only(true);
    run(to, from);
    const Bytes first(to, to + data.size());
    in.read_only(false);
    run(from, from);
    CHECK(Bytes(from, from + data.size()) == first);
  }
};

void aes(const AesChoice& kernel, Arena& arena, std::size_t key_len, Random& random) {
  const AesFunctions& fn = kernel.fn;
  const bool end = arena.end;
  const Bytes user_key = random.bytes(key_len);
  // Both structures are as large as their alignment says, so that they fit at a page's end.
  auto* key = reinterpret_cast<AesKey*>(arena.key.at(end, sizeof(AesKey)));
  auto* ghash_key = reinterpret_cast<GhashKey*>(arena.ghash_key.at(end, sizeof(GhashKey)));
  fn.expand_key(key, arena.user_key.put(end, user_key.data(), key_len), key_len);
  fn.ghash_init(ghash_key, arena.small.put(end, user_key.data(), 16));
  arena.key.read_only(true);
  arena.ghash_key.read_only(true);

  std::uint8_t* y = arena.y.at(end, 16);
  std::memset(y, 1, 16);
  arena.small.read_only(true);
  fn.ghash_multiply(y, arena.small.at(end, 16));
  arena.small.read_only(false);

  for (std::size_t n = 0; n <= kMaxBlocks; ++n) {
    const Bytes data = random.bytes(16 * n);
    const Bytes start = random.bytes(16);
    arena.both_places(data, [&](auto* out, auto* in) { fn.ecb_encrypt(key, out, in, n); });
    arena.both_places(data, [&](auto* out, auto* in) { fn.ecb_decrypt(key, out, in, n); });
    arena.both_places(data, [&](auto* out, auto* in) {
      fn.cbc_encrypt(key, arena.small.put(end, start.data(), 16), out, in, n);
    });
    arena.both_places(data, [&](auto* out, auto* in) {
      fn.cbc_decrypt(key, arena.small.put(end, start.data(), 16), out, in, n);
    });
    const std::uint8_t* counter = arena.small.put(end, start.data(), 16);
    arena.small.read_only(true);
    arena.both_places(data, [&](auto* out, auto* in) { fn.ctr32(key, out, in, n, counter); });
    arena.both_places(data, [&](auto* out, auto* in) {
      fn.gcm_encrypt(key, ghash_key, arena.y.at(end, 16), out, in, n, counter);
    });
    arena.both_places(data, [&](auto* out, auto* in) {
      fn.gcm_decrypt(key, ghash_key, arena.y.at(end, 16), out, in, n, counter);
    });
    if (fn.gcm_encrypt_short != nullptr && n - 1 < kGcmShortBlocks) {
      for (const auto run : {fn.gcm_encrypt_short, fn.gcm_decrypt_short}) {
        arena.both_places(data, [&](auto* out, auto* in) {
          run(key, ghash_key, arena.y.at(end, 16), out, in, n, counter, 8);
        });
      }
    }
    arena.small.read_only(false);
    const std::uint8_t* hashed = arena.in.put(end, data.data(), data.size());
    arena.in.read_only(true);
    fn.ghash(ghash_key, arena.y.at(end, 16), hashed, n);
    arena.in.read_only(false);
  }
  arena.key.read_only(false);
  arena.ghash_key.read_only(false);
}

// Stream i has its own pages.
void cbc_streams(const AesChoice& kernel, Random& random) {
  constexpr std::size_t kStreams = 11;
  AesKey key;
  const Bytes user_key = random.bytes(32);
  kernel.fn.expand_key(&key, user_key.data(), user_key.size());
  std::vector<std::unique_ptr<Guarded>> inputs;
  std::vector<std::unique_ptr<Guarded>> outputs;
  for (std::size_t i = 0; i < kStreams; ++i) {
    inputs.push_back(std::make_unique<Guarded>(16 * kMaxBlocks));
    outputs.push_back(std::make_unique<Guarded>(16 * kMaxBlocks));
  }
  Guarded table(kStreams * sizeof(CbcStream));
  for (const bool end : {true, false}) {
    for (std::size_t num = 0; num <= kStreams; ++num) {
      auto* streams = reinterpret_cast<CbcStream*>(table.at(end, num * sizeof(CbcStream)));
      for (std::size_t i = 0; i < num; ++i) {
        const Bytes data = random.bytes(16 * random.below(kMaxBlocks + 1));
        streams[i] = CbcStream{outputs[i]->at(end, data.size()),
                               inputs[i]->put(end, data.data(), data.size()),
                               data.size() / 16,
                               {}};
        inputs[i]->read_only(true);
      }
      kernel.fn.cbc_encrypt_streams(&key, streams, num);
      for (std::size_t i = 0; i < num; ++i) inputs[i]->read_only(false);
      CHECK(true);
    }
  }
}

void sha256(const Sha256Choice& kernel, Random& random) {
  Guarded in(64 * kMaxBlocks);
  constexpr std::size_t kStreams = 20;
  Guarded state(32 * kStreams);
  Guarded pointers(sizeof(std::uint8_t*) * kStreams);
  for (const bool end : {true, false}) {
    for (std::size_t n = 0; n <= kMaxBlocks; ++n) {
      const Bytes data = random.bytes(64 * n);
      const std::uint8_t* from = in.put(end, data.data(), data.size());
      in.read_only(true);
      kernel.fn.compress(reinterpret_cast<std::uint32_t*>(state.at(end, 32)), from, n);
      const std::size_t num = n % (kStreams + 1);
      auto* list =
          reinterpret_cast<const std::uint8_t**>(pointers.at(end, num * sizeof(std::uint8_t*)));
      for (std::size_t i = 0; i < num; ++i) list[i] = from;
      pointers.read_only(true);
      kernel.fn.compress_streams(reinterpret_cast<std::uint32_t (*)[8]>(state.at(end, 32 * num)),
                                 list, num, n);
      pointers.read_only(false);
      in.read_only(false);
      CHECK(true);
    }
    if (kernel.fn.schedule == nullptr) continue;
    const Bytes data = random.bytes(64);
    Guarded schedule(256);
    auto* const words = reinterpret_cast<std::uint32_t*>(schedule.at(end, 256));
    kernel.fn.schedule(words, in.put(end, data.data(), data.size()));
    schedule.read_only(true);
    kernel.fn.compress_scheduled(
        reinterpret_cast<std::uint32_t (*)[8]>(state.at(end, 32 * kernel.fn.lanes)), words);
    schedule.read_only(false);
  }
}

// The modes around the kernels: any number of bytes.
void backend(bool end, Random& random) {
  Guarded key_pages(64), nonce(64), aad(512), in(1024), out(1024), tag(16), counter(16), digest(32);
  const Backend& cpu = cpu_backend();
  const Bytes user_key = random.bytes(32);
  std::unique_ptr<CipherKey> key;
  CHECK(cpu.make_key(Mode::gcm, key_pages.put(end, user_key.data(), 32), 32, &key).ok());
  if (key == nullptr) return;
  const reference::Aes aes(user_key);
  for (std::size_t len = 0; len <= 600; len += len < 70 ? 1 : 1 + random.below(16)) {
    const Bytes data = random.bytes(len);
    const Bytes more = random.bytes(random.below(4) == 0 ? random.below(400) : random.below(40));
    const Bytes iv = random.bytes(random.below(2) == 0 ? 12 : 1 + random.below(40));
    const std::size_t tag_len = 12 + random.below(5);
    const GcmMessage message{nonce.put(end, iv.data(), iv.size()), iv.size(),
                             aad.put(end, more.data(), more.size()), more.size(), tag_len};
    const std::uint8_t* from = in.put(end, data.data(), len);
    std::uint8_t* to = out.at(end, len);
    std::uint8_t* seal = tag.at(end, tag_len);
    nonce.read_only(true);
    aad.read_only(true);
    in.read_only(true);
    CHECK(key->gcm_seal(message, to, seal, from, len).ok());
    const reference::Sealed expected = reference::gcm_seal(aes, iv, more, data);
    CHECK_CASE(Bytes(to, to + len) == expected.ciphertext, "%zu bytes", len);
    CHECK_CASE(std::memcmp(seal, expected.tag.data(), tag_len) == 0, "%zu bytes", len);
    in.read_only(false);
    tag.read_only(true);
    out.read_only(true);
    CHECK(key->gcm_open(message, in.at(end, len), to, len, seal).ok());
    out.read_only(false);
    tag.read_only(false);
    nonce.read_only(false);
    aad.read_only(false);
    std::uint8_t* opened = in.at(end, len);
    CHECK_CASE(Bytes(opened, opened + len) == data, "%zu bytes", len);

    in.read_only(true);
    std::uint8_t* block = counter.put(end, user_key.data(), 16);
    CHECK(key->ctr(block, to, from, len).ok());
    CHECK(Bytes(to, to + len) == reference::ctr(aes, reference::block_at(user_key, 0), data, 16));
    CHECK(cpu.sha256(digest.at(end, 32), from, len).ok());
    in.read_only(false);
    const Bytes mac_key = random.bytes(random.below(65));
    CHECK(cpu.hmac_sha256(digest.at(end, 32), key_pages.put(end, mac_key.data(), mac_key.size()),
                          mac_key.size(), from, len)
              .ok());
  }
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  test::for_each_aes([](const AesChoice& kernel) {
    Random random(5);
    Arena arena;
    for (const std::size_t key_len : test::kKeyLengths) {
      for (const bool end : {true, false}) {
        arena.end = end;
        aes(kernel, arena, key_len, random);
      }
    }
    cbc_streams(kernel, random);
  });
  test::for_each_sha256([](const Sha256Choice& kernel) {
    Random random(6);
    sha256(kernel, random);
  });
  for (const Kernel& kernel : compiled_kernels()) {
    std::string error;
    if (!is_supported(kernel)) continue;
    CHECK(force_kernels(std::string(kernel.name), &error).ok());
    Random random(7);
    backend(true, random);
    backend(false, random);
  }
  return test::end();
}
