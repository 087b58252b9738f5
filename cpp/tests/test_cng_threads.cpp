// The `cng` backend from 4 threads on one key object of each mode, 1,000 operations each: right
// bytes, and never two calls with one CBC key, which carries the chain (the bcrypt.dll of our own
// would tell).
#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "check.hpp"
#include "fake_bcrypt.hpp"

namespace {

using namespace cngaes;
using cng::CngBackend;
using test::Bytes;

constexpr std::size_t kLen = 160;
const Bytes kKey = test::Random(1).bytes(32);
const Bytes kIv = test::Random(2).bytes(16);
const Bytes kAad = test::Random(3).bytes(5);
const Bytes kData = test::Random(4).bytes(kLen);
const GcmMessage kMessage = {kIv.data(), 12, kAad.data(), kAad.size(), 16};

// Empty if the call failed.
Bytes run(Mode mode, Direction direction, const CipherKey& key, const Bytes& in) {
  Bytes out = in;
  Bytes iv = kIv;
  Status status = kOk;
  if (mode == Mode::ecb) {
    status = key.ecb(direction, out.data(), in.data(), in.size());
  } else if (mode == Mode::cbc) {
    status = key.cbc(direction, iv.data(), out.data(), in.data(), in.size());
  } else if (mode == Mode::ctr) {
    status = key.ctr(iv.data(), out.data(), in.data(), in.size());
  } else if (direction == Direction::encrypt) {
    out.resize(in.size() + 16);
    status = key.gcm_seal(kMessage, out.data(), out.data() + in.size(), in.data(), in.size());
  } else {
    out.resize(in.size() - 16);
    status = key.gcm_open(kMessage, out.data(), in.data(), out.size(), in.data() + out.size());
  }
  return status.ok() ? out : Bytes{};
}

void threads_on_one_key(Mode mode, cng::Ulong max_call) {
  fake::reset();
  const CngBackend backend(fake::table(), max_call);
  std::unique_ptr<CipherKey> key;
  std::unique_ptr<CipherKey> reference;
  CHECK(backend.make_key(mode, kKey.data(), kKey.size(), &key).ok());
  CHECK(cpu_backend().make_key(mode, kKey.data(), kKey.size(), &reference).ok());
  const Bytes encrypted = run(mode, Direction::encrypt, *reference, kData);
  CHECK(encrypted.size() >= kLen && encrypted != kData);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < test::rounds(1000); ++i) {
        const bool ok = (i + t) % 2 == 0 ? run(mode, Direction::encrypt, *key, kData) == encrypted
                                         : run(mode, Direction::decrypt, *key, encrypted) == kData;
        if (!ok) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  key.reset();
  CHECK_CASE(wrong == 0, "mode %d: %d wrong", static_cast<int>(mode), wrong.load());
  CHECK_CASE(fake::state().handles == 0 && !fake::state().misused, "mode %d: misused",
             static_cast<int>(mode));
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  for (const Mode mode : {Mode::ecb, Mode::cbc, Mode::ctr}) {
    threads_on_one_key(mode, cng::kMaxCallBytes);
    threads_on_one_key(mode, 64);  // each in several calls
  }
  threads_on_one_key(Mode::gcm, cng::kMaxCallBytes);
  return test::end();
}
