// Several messages in step give what each gives alone.
#include "check.hpp"
#include "kernel_list.hpp"
#include "reference.hpp"

namespace {

using namespace cngaes;
using test::Bytes;
using test::Random;

void cbc(const AesChoice& kernel, std::size_t num_streams, std::size_t max_blocks, Random& random) {
  const Bytes user_key = random.bytes(test::kKeyLengths[random.below(3)]);
  const reference::Aes aes(user_key);
  AesKey key;
  kernel.fn.expand_key(&key, user_key.data(), user_key.size());

  std::vector<Bytes> inputs;
  std::vector<test::Framed> outputs;
  std::vector<CbcStream> streams(num_streams);
  std::vector<reference::Block> ivs(num_streams);
  const bool in_place = random.below(2) != 0;
  for (std::size_t i = 0; i < num_streams; ++i) {
    // Equal lengths too, and empty ones.
    const std::size_t blocks = random.below(3) == 0 ? max_blocks : random.below(max_blocks + 1);
    inputs.push_back(random.bytes(16 * blocks));
    outputs.emplace_back(inputs.back(), random.below(32));
    random.fill(ivs[i].data(), 16);
  }
  for (std::size_t i = 0; i < num_streams; ++i) {
    streams[i].in = in_place ? outputs[i].data() : inputs[i].data();
    streams[i].out = outputs[i].data();
    streams[i].num_blocks = inputs[i].size() / 16;
    std::memcpy(streams[i].iv, ivs[i].data(), 16);
  }
  kernel.fn.cbc_encrypt_streams(&key, streams.data(), num_streams);
  for (std::size_t i = 0; i < num_streams; ++i) {
    const Bytes expected = reference::cbc(aes, false, &ivs[i], inputs[i]);
    CHECK_CASE(outputs[i].holds(expected), "%s, stream %zu of %zu, %zu blocks, in place %d",
               kernel.name, i, num_streams, inputs[i].size() / 16, in_place);
    CHECK_CASE(std::memcmp(streams[i].iv, ivs[i].data(), 16) == 0, "%s, iv of stream %zu of %zu",
               kernel.name, i, num_streams);
    CHECK(outputs[i].frame_intact());
  }
}

void sha256(const Sha256Choice& kernel, std::size_t num_streams, std::size_t blocks,
            Random& random) {
  std::vector<Bytes> messages;
  std::vector<const std::uint8_t*> data;
  // Raw storage for an array of arrays of eight.
  std::vector<std::uint32_t> states(8 * num_streams + 8, 0x5a5a5a5a);
  std::vector<std::uint32_t> expected = states;
  for (std::size_t i = 0; i < num_streams; ++i) {
    messages.push_back(random.bytes(64 * blocks));
    for (std::size_t j = 0; j < 8; ++j) {
      states[8 * i + j] = expected[8 * i + j] = static_cast<std::uint32_t>(random.next());
    }
    // One block at a time by the portable kernel.
    for (std::size_t b = 0; b < blocks; ++b) {
      kSha256Generic.compress(&expected[8 * i], &messages[i][64 * b], 1);
    }
  }
  for (const Bytes& message : messages) data.push_back(message.data());
  kernel.fn.compress_streams(reinterpret_cast<std::uint32_t (*)[8]>(states.data()), data.data(),
                             num_streams, blocks);
  CHECK_CASE(states == expected, "%s, %zu streams of %zu blocks", kernel.name, num_streams, blocks);
}

// A block that is the same for all, by its schedule.
void sha256_scheduled(const Sha256Choice& kernel, Random& random) {
  CHECK((kernel.fn.schedule == nullptr) == (kernel.fn.compress_scheduled == nullptr));
  if (kernel.fn.schedule == nullptr) return;
  const Bytes block = random.bytes(64);
  std::uint32_t words[66];
  words[0] = words[65] = 0x5a5a5a5a;
  kernel.fn.schedule(words + 1, block.data());
  std::vector<std::uint32_t> states(8 * kernel.fn.lanes + 8, 0x5a5a5a5a);
  for (std::size_t i = 0; i < 8 * kernel.fn.lanes; ++i) {
    states[i] = static_cast<std::uint32_t>(random.next());
  }
  std::vector<std::uint32_t> expected = states;
  for (std::size_t i = 0; i < kernel.fn.lanes; ++i) {
    kSha256Generic.compress(&expected[8 * i], block.data(), 1);
  }
  kernel.fn.compress_scheduled(reinterpret_cast<std::uint32_t (*)[8]>(states.data()), words + 1);
  CHECK_CASE(states == expected, "%s", kernel.name);
  CHECK(words[0] == 0x5a5a5a5a && words[65] == 0x5a5a5a5a);
}

void sha256_single(const Sha256Choice& kernel, std::size_t blocks, Random& random) {
  const Bytes message = random.bytes(64 * blocks);
  std::uint32_t expected[8];
  std::uint32_t state[10];
  for (std::size_t i = 0; i < 10; ++i) state[i] = static_cast<std::uint32_t>(random.next());
  const std::uint32_t before = state[0];
  const std::uint32_t behind = state[9];
  std::memcpy(expected, state + 1, sizeof expected);
  for (std::size_t b = 0; b < blocks; ++b) kSha256Generic.compress(expected, &message[64 * b], 1);
  test::Framed in(message, random.below(64));
  kernel.fn.compress(state + 1, in.data(), blocks);
  CHECK_CASE(std::memcmp(state + 1, expected, sizeof expected) == 0, "%s, %zu blocks", kernel.name,
             blocks);
  CHECK(state[0] == before && state[9] == behind && in.holds(message));
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  test::for_each_aes([](const AesChoice& kernel) {
    Random random(3);
    for (int round = 0; round < test::rounds(4); ++round) {
      for (std::size_t num_streams = 0; num_streams <= 40; ++num_streams) {
        cbc(kernel, num_streams, random.below(20), random);
      }
    }
    cbc(kernel, 9, 300, random);
  });
  test::for_each_sha256([](const Sha256Choice& kernel) {
    Random random(4);
    for (int round = 0; round < test::rounds(2); ++round) {
      for (std::size_t n = 0; n <= 36; ++n) {
        sha256(kernel, n, random.below(12), random);
        sha256(kernel, n, n == 7 ? 0 : 1, random);
      }
      sha256_scheduled(kernel, random);
      for (std::size_t blocks = 0; blocks <= 80; ++blocks) sha256_single(kernel, blocks, random);
    }
  });
  return test::end();
}
