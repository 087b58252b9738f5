// Sixteen threads on objects that they share and on objects of their own, for as many seconds as
// CNGAES_STORM_SECONDS says (1 if nothing). Every result is compared with what one thread got. For
// ThreadSanitizer above all, which sees races that happened to do no harm.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "check.hpp"
#include "cngaes/backend.hpp"
#include "cngaes/messages.hpp"
#include "cngaes/pool.hpp"
#include "cngaes/registry.hpp"
#include "cngaes/split.hpp"

namespace {

using namespace cngaes;
using test::Bytes;
using test::Random;

constexpr unsigned kThreads = 16;
constexpr std::size_t kSizes[] = {0, 1, 16, 100, 1000, 5000, 200000};
const Bytes kNonce = Random(1).bytes(12);

std::unique_ptr<CipherKey> make_key(Mode mode) {
  std::unique_ptr<CipherKey> key;
  const Bytes user_key = Random(2).bytes(32);
  if (!cpu_backend().make_key(mode, user_key.data(), 32, &key).ok()) std::abort();
  return key;
}

// All modes over one message, joined; threads: for the calls that can use several.
Bytes everything(const CipherKey* const keys[4], const Bytes& data, unsigned threads) {
  const std::size_t len = data.size();
  const std::size_t whole = len / 16 * 16;
  Bytes out(5 * len + 400);
  std::uint8_t* at = out.data();
  bool ok = true;
  const GcmMessage message = {kNonce.data(), 12, kNonce.data(), 5, 16};
  ok &= keys[3]->gcm_seal_split(message, at, at + len, data.data(), len, threads).ok();
  Bytes opened(len);
  ok &= keys[3]->gcm_open_split(message, opened.data(), at, len, at + len, threads).ok();
  ok &= opened == data;
  at += len + 16;
  BlockMessage ecb = {*keys[0], Mode::ecb, true, {}, threads};
  ok &= encrypt_message(ecb, at, data.data(), len).ok();
  at += len + 16;
  BlockMessage cbc = {*keys[1], Mode::cbc, false, {}, threads};
  std::size_t out_len = 0;
  ok &= decrypt_message(cbc, at, data.data(), whole, &out_len).ok();
  at += len + 16;
  std::uint8_t counter[16] = {};
  ok &= ctr_message(*keys[2], counter, 5, at, data.data(), len, threads).ok();
  at += len + 16;
  ok &= cpu_backend().sha256(at, data.data(), len).ok();
  ok &= cpu_backend().hmac_sha256(at + 32, kNonce.data(), 12, data.data(), len).ok();
  if (!ok) out.clear();
  return out;
}

struct Shared {
  std::unique_ptr<CipherKey> keys[4] = {make_key(Mode::ecb), make_key(Mode::cbc),
                                        make_key(Mode::ctr), make_key(Mode::gcm)};
  std::vector<Bytes> data;
  std::vector<Bytes> expected;
  std::atomic<bool> stop{false};
  std::atomic<long> rounds{0};
  std::atomic<long> wrong{0};

  Shared() {
    const CipherKey* const all[] = {keys[0].get(), keys[1].get(), keys[2].get(), keys[3].get()};
    for (const std::size_t size : kSizes) {
      data.push_back(Random(size).bytes(size));
      expected.push_back(everything(all, data.back(), 1));
      CHECK(!expected.back().empty());
    }
  }
};

// A race that CNGAES_STORM_RACE asks for, so that whoever relies on ThreadSanitizer can see it
// work.
long g_planted_race = 0;

void work(Shared& shared, unsigned number) {
  Random random(number);
  const bool race = std::getenv("CNGAES_STORM_RACE") != nullptr;
  while (!shared.stop) {
    if (race) ++g_planted_race;
    std::unique_ptr<CipherKey> own[4];
    const CipherKey* used[4];
    constexpr Mode kModes[] = {Mode::ecb, Mode::cbc, Mode::ctr, Mode::gcm};
    for (std::size_t i = 0; i < 4; ++i) {
      if (random.below(2) == 0) own[i] = make_key(kModes[i]);
      used[i] = own[i] != nullptr ? own[i].get() : shared.keys[i].get();
    }
    const std::size_t which = random.below(random.below(8) == 0 ? 7 : 6);
    const auto threads = static_cast<unsigned>(1 + random.below(4));
    if (everything(used, shared.data[which], threads) != shared.expected[which]) ++shared.wrong;
    // What a program may do at the same time: ask for and change the choice for later keys.
    if (number == 0) {
      const auto kernels = compiled_kernels();
      const Kernel& kernel = kernels[random.below(kernels.size())];
      std::string error;
      if (is_supported(kernel)) {
        static_cast<void>(force_kernels(kernel.name, &error));
        static_cast<void>(run_self_test(kernel));
      }
    }
    if (number == 1 && random.below(50) == 0) stop_pool();
    ++shared.rounds;
  }
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  const char* const seconds = std::getenv("CNGAES_STORM_SECONDS");
  Shared shared;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads.emplace_back([&shared, i] { work(shared, i); });
  }
  std::this_thread::sleep_for(std::chrono::seconds(seconds != nullptr ? std::atoi(seconds) : 1));
  shared.stop = true;
  for (std::thread& thread : threads) thread.join();
  stop_pool();
  std::printf("%ld rounds\n", shared.rounds.load());
  CHECK_CASE(shared.wrong == 0, "%ld of %ld", shared.wrong.load(), shared.rounds.load());
  CHECK(shared.rounds >= static_cast<long>(kThreads));
  return test::end();
}
