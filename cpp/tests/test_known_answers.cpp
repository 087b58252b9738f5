// Published vectors on every kernel, and on the cpu backend with each kernel forced.
#include <memory>

#include "check.hpp"
#include "cngaes/backend.hpp"
#include "cngaes/modes.hpp"
#include "cngaes/sha256.hpp"
#include "kernel_list.hpp"
#include "vectors.hpp"

namespace {

using namespace cngaes;
using test::Bytes;
using test::from_hex;

AesKey expand(const AesFunctions& fn, const char* key_text) {
  const Bytes user_key = from_hex(key_text);
  AesKey key;
  fn.expand_key(&key, user_key.data(), user_key.size());
  return key;
}

void fips197(const AesChoice& kernel) {
  const Bytes plaintext = from_hex(vectors::kFips197Plaintext);
  for (const vectors::BlockVector& v : vectors::kFips197) {
    const AesKey key = expand(kernel.fn, v.key);
    Bytes out(16);
    kernel.fn.ecb_encrypt(&key, out.data(), plaintext.data(), 1);
    CHECK_CASE(out == from_hex(v.ciphertext), "%s", kernel.name);
    kernel.fn.ecb_decrypt(&key, out.data(), out.data(), 1);
    CHECK_CASE(out == plaintext, "%s", kernel.name);
  }
}

void sp800_38a(const AesChoice& kernel) {
  const Bytes plaintext = from_hex(vectors::kSp800_38aPlaintext);
  const Bytes counter = from_hex(vectors::kSp800_38aCounter);
  const std::size_t blocks = plaintext.size() / 16;
  for (const vectors::ModeVector& v : vectors::kSp800_38a) {
    const AesKey key = expand(kernel.fn, v.key);
    Bytes out(plaintext.size());
    kernel.fn.ecb_encrypt(&key, out.data(), plaintext.data(), blocks);
    CHECK_CASE(out == from_hex(v.ecb), "%s", kernel.name);
    kernel.fn.ecb_decrypt(&key, out.data(), out.data(), blocks);
    CHECK_CASE(out == plaintext, "%s", kernel.name);

    Bytes iv = from_hex(vectors::kSp800_38aIv);
    kernel.fn.cbc_encrypt(&key, iv.data(), out.data(), plaintext.data(), blocks);
    CHECK_CASE(out == from_hex(v.cbc), "%s", kernel.name);
    iv = from_hex(vectors::kSp800_38aIv);
    kernel.fn.cbc_decrypt(&key, iv.data(), out.data(), out.data(), blocks);
    CHECK_CASE(out == plaintext, "%s", kernel.name);

    kernel.fn.ctr32(&key, out.data(), plaintext.data(), blocks, counter.data());
    CHECK_CASE(out == from_hex(v.ctr), "%s", kernel.name);
  }
}

void gcm(const AesChoice& kernel) {
  int number = 0;
  for (const vectors::GcmVector& v : vectors::kGcm) {
    ++number;
    const AesKey key = expand(kernel.fn, v.key);
    GhashKey ghash_key;
    gcm_expand(kernel.fn, key, &ghash_key);
    const GcmContext context{kernel.fn, key, ghash_key};
    const Bytes nonce = from_hex(v.nonce);
    const Bytes aad = from_hex(v.aad);
    const Bytes plaintext = from_hex(v.plaintext);
    const GcmMessage message{nonce.data(), nonce.size(), aad.data(), aad.size(), 16};
    Bytes out(plaintext.size());
    Bytes tag(16);
    CHECK(gcm_seal(context, message, out.data(), tag.data(), plaintext.data(), out.size()).ok());
    CHECK_CASE(out == from_hex(v.ciphertext), "%s, case %d", kernel.name, number);
    CHECK_CASE(tag == from_hex(v.tag), "%s, case %d", kernel.name, number);
    CHECK(gcm_open(context, message, out.data(), out.data(), out.size(), tag.data()).ok());
    CHECK_CASE(out == plaintext, "%s, case %d", kernel.name, number);
  }
}

Bytes digest_of(const Sha256Choice& kernel, const Bytes& message) {
  Bytes digest(kSha256DigestBytes);
  Sha256::hash(kernel.fn, digest.data(), message.data(), message.size());
  return digest;
}

void sha256(const Sha256Choice& kernel) {
  for (const vectors::HashVector& v : vectors::kSha256) {
    Bytes message;
    for (std::size_t i = 0; i < v.repeats; ++i) {
      message.insert(message.end(), v.text, v.text + std::strlen(v.text));
    }
    CHECK_CASE(digest_of(kernel, message) == from_hex(v.digest), "%s, %zu bytes", kernel.name,
               message.size());
  }
  Bytes digests;
  Bytes message;
  for (std::size_t len = 0; len <= 300; ++len) {
    const Bytes digest = digest_of(kernel, message);
    digests.insert(digests.end(), digest.begin(), digest.end());
    message.push_back(static_cast<std::uint8_t>(len % 251));
  }
  CHECK_CASE(digest_of(kernel, digests) == from_hex(vectors::kSha256Chain), "%s", kernel.name);
}

void hmac(const Sha256Choice& kernel) {
  for (const vectors::HmacVector& v : vectors::kHmacSha256) {
    const Bytes key = from_hex(v.key);
    const Bytes text = from_hex(v.text);
    const Bytes expected = from_hex(v.mac);
    Bytes mac(kSha256DigestBytes);
    Sha256::hmac(kernel.fn, mac.data(), key.data(), key.size(), text.data(), text.size());
    mac.resize(expected.size());
    CHECK_CASE(mac == expected, "%s", kernel.name);
  }
}

// The same doors as Python goes through; the kernel is whichever is chosen here.
void backend() {
  const Backend& cpu = cpu_backend();
  for (const vectors::ModeVector& v : vectors::kSp800_38a) {
    const Bytes user_key = from_hex(v.key);
    const Bytes plaintext = from_hex(vectors::kSp800_38aPlaintext);
    std::unique_ptr<CipherKey> key;
    CHECK(cpu.make_key(Mode::cbc, user_key.data(), user_key.size(), &key).ok());
    if (key == nullptr) return;
    Bytes out(plaintext.size());
    CHECK(key->ecb(Direction::encrypt, out.data(), plaintext.data(), out.size()).ok());
    CHECK(out == from_hex(v.ecb));
    CHECK(key->ecb(Direction::decrypt, out.data(), out.data(), out.size()).ok());
    CHECK(out == plaintext);
    Bytes iv = from_hex(vectors::kSp800_38aIv);
    CHECK(key->cbc(Direction::encrypt, iv.data(), out.data(), plaintext.data(), out.size()).ok());
    CHECK(out == from_hex(v.cbc));
    CHECK(iv == Bytes(out.end() - 16, out.end()));
    iv = from_hex(vectors::kSp800_38aIv);
    CHECK(key->cbc(Direction::decrypt, iv.data(), out.data(), out.data(), out.size()).ok());
    CHECK(out == plaintext);
    Bytes counter = from_hex(vectors::kSp800_38aCounter);
    CHECK(key->ctr(counter.data(), out.data(), plaintext.data(), out.size()).ok());
    CHECK(out == from_hex(v.ctr));
  }
  for (const vectors::HashVector& v : vectors::kSha256) {
    if (v.repeats != 1) continue;
    Bytes digest(kSha256DigestBytes);
    const auto* text = reinterpret_cast<const std::uint8_t*>(v.text);
    CHECK(cpu.sha256(digest.data(), text, std::strlen(v.text)).ok());
    CHECK(digest == from_hex(v.digest));
  }
  for (const vectors::HmacVector& v : vectors::kHmacSha256) {
    const Bytes key = from_hex(v.key);
    const Bytes text = from_hex(v.text);
    const Bytes expected = from_hex(v.mac);
    Bytes mac(kSha256DigestBytes);
    CHECK(cpu.hmac_sha256(mac.data(), key.data(), key.size(), text.data(), text.size()).ok());
    mac.resize(expected.size());
    CHECK(mac == expected);
  }
}

}  // namespace

int main(int argc, char** argv) {
  test::begin(argc, argv);
  test::for_each_aes([](const AesChoice& kernel) {
    fips197(kernel);
    sp800_38a(kernel);
    gcm(kernel);
  });
  test::for_each_sha256([](const Sha256Choice& kernel) {
    sha256(kernel);
    hmac(kernel);
  });
  backend();
  return test::end();
}
