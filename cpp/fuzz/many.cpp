// Hashes, batches of everything, and equal nonces.
#include <map>
#include <string>

#include "cngaes/messages.hpp"
#include "cngaes/nonces.hpp"
#include "cngaes/sha256.hpp"
#include "cngaes/split.hpp"
#include "input.hpp"
#include "reference_more.hpp"

namespace fuzz {
namespace {

using namespace cngaes;
using reference::Aes;

// The messages of a batch, and the same in one of the layouts that a list can have.
class Messages {
 public:
  Messages(Input& input, std::size_t count, std::size_t whole) {
    kind_ = input.below(3);
    const std::size_t same = input.below(80) / whole * whole;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t len = kind_ == 2 ? same : input.length() / whole * whole;
      items.push_back(input.bytes(len));
    }
    lay_out();
  }
  // Those that exist already, side by side or by pointer.
  Messages(std::vector<Bytes> given, std::size_t kind) : items(std::move(given)), kind_(kind) {
    lay_out();
  }
  List list() const {
    if (kind_ == 0) return List::of_views(views_.data());
    if (kind_ == 1) return List::packed(joined_.data(), where());
    const std::size_t len = items.empty() ? 0 : items[0].size();
    return List::strided(joined_.data(), len, len);
  }
  std::size_t count() const { return items.size(); }

  std::vector<Bytes> items;

 private:
  Offsets where() const { return {reinterpret_cast<const std::uint8_t*>(offsets_.data())}; }
  void lay_out() {
    offsets_.push_back(0);
    for (const Bytes& item : items) {
      joined_ = reference::joined(std::move(joined_), item);
      offsets_.push_back(static_cast<std::int64_t>(joined_.size()));
    }
    for (const Bytes& item : items) views_.push_back({item.data(), item.size()});
  }

  std::size_t kind_;
  Bytes joined_;
  std::vector<std::int64_t> offsets_;
  std::vector<ByteView> views_;
};

// Results: side by side or each in memory of its own.
class Results {
 public:
  Results(const std::vector<std::size_t>& lengths, bool packed) : packed_(packed) {
    offsets_.push_back(0);
    for (const std::size_t len : lengths) {
      offsets_.push_back(offsets_.back() + static_cast<std::int64_t>(len));
      singles_.emplace_back(packed ? 0 : len, 0);
      pointers_.push_back(singles_.back().data());
    }
    all_ = std::make_unique<Buffer>(packed ? static_cast<std::size_t>(offsets_.back()) : 0, 0);
  }
  OutList list() {
    if (!packed_) return OutList::of_pointers(pointers_.data());
    return OutList::packed(all_->data(), {reinterpret_cast<const std::uint8_t*>(offsets_.data())});
  }
  bool holds(const std::vector<Bytes>& expected) {
    Bytes joined;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!packed_ && !singles_[i].holds(expected[i])) return false;
      joined = reference::joined(std::move(joined), expected[i]);
    }
    return !packed_ || all_->holds(joined);
  }

 private:
  bool packed_;
  std::vector<std::int64_t> offsets_;
  std::vector<Buffer> singles_;
  std::vector<std::uint8_t*> pointers_;
  std::unique_ptr<Buffer> all_;
};

std::size_t batch_count(Input& input) {
  const std::size_t kind = input.byte();
  return kind < 200 ? kind % 12 : kind % 70;
}

unsigned batch_threads(Input& input) { return static_cast<unsigned>(1 + input.below(3)); }

}  // namespace

void gcm_batch(Input& input) {
  const Bytes user_key = input.key();
  const std::size_t count = batch_count(input);
  const std::size_t tag_len = input.tag_len();
  const std::size_t nonce_len = input.flag() ? 1 + input.below(40) : 12;
  const Bytes nonces = input.bytes(count * nonce_len + 1);
  const bool own_aads = input.flag();
  const Messages aads(input, own_aads ? count : 1, 1);
  const Messages in(input, count, 1);
  const Aes aes(user_key);
  std::vector<Bytes> sealed;
  std::vector<std::size_t> sealed_len;
  std::vector<std::size_t> plain_len;
  for (std::size_t i = 0; i < count; ++i) {
    const Bytes nonce(&nonces[i * nonce_len], &nonces[i * nonce_len] + nonce_len);
    const reference::Sealed one =
        reference::gcm_seal(aes, nonce, aads.items[own_aads ? i : 0], in.items[i]);
    sealed.push_back(one.ciphertext);
    sealed.back().insert(sealed.back().end(), one.tag.begin(),
                         one.tag.begin() + static_cast<long>(tag_len));
    sealed_len.push_back(sealed.back().size());
    plain_len.push_back(in.items[i].size());
  }
  const auto key = make_key(Mode::gcm, user_key);
  Results out(sealed_len, input.flag());
  const Bytes shared = own_aads ? Bytes() : aads.items[0];
  GcmBatch batch = {List::strided(nonces.data(), nonce_len, nonce_len),
                    own_aads ? aads.list() : List::same_for_all({shared.data(), shared.size()}),
                    in.list(), out.list(), tag_len};
  REQUIRE(gcm_seal_batch(*key, batch, count, batch_threads(input)).ok());
  REQUIRE(out.holds(sealed));

  // Opened, some of them forged; tags of 4 bytes would fit by chance in one of 2^32.
  std::vector<std::uint8_t> failed(count + 1);
  std::vector<std::uint8_t> forged(count + 1);
  std::vector<Bytes> opened = in.items;
  for (std::size_t i = 0; i < count; ++i) {
    if (input.byte() % 4 != 1) continue;
    forged[i] = static_cast<std::uint8_t>(input.flip(&sealed[i]));
    opened[i] = Bytes(opened[i].size());
  }
  const Messages back(sealed, input.below(2));
  Results plain(plain_len, input.flag());
  batch.in = back.list();
  batch.out = plain.list();
  REQUIRE(gcm_open_batch(*key, batch, count, failed.data(), batch_threads(input)).ok());
  REQUIRE(failed == forged);
  REQUIRE(plain.holds(opened));
}

void cbc_batch(Input& input) {
  const Bytes user_key = input.key();
  const std::size_t count = batch_count(input);
  const bool is_padded = input.flag();
  const Bytes ivs = input.bytes(16 * count + 1);
  const Messages in(input, count, is_padded ? 1 : 16);
  const Aes aes(user_key);
  std::vector<Bytes> expected;
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < count; ++i) {
    reference::Block iv = reference::block_at(ivs, i);
    const Bytes& data = in.items[i];
    expected.push_back(reference::cbc(aes, false, &iv, is_padded ? reference::padded(data) : data));
    lengths.push_back(expected.back().size());
  }
  const auto key = make_key(Mode::cbc, user_key);
  Results out(lengths, input.flag());
  const CbcBatch batch = {List::strided(ivs.data(), 16, 16), in.list(), out.list(), is_padded};
  REQUIRE(cbc_encrypt_batch(*key, batch, count, batch_threads(input)).ok());
  REQUIRE(out.holds(expected));
}

void hash(Input& input) {
  const Sha256Choice* choice = nullptr;
  REQUIRE(choose_sha256(&choice).ok());
  const Bytes data = input.bytes(input.length());
  const Bytes expected = reference::sha256(data);
  Buffer placed(data, input.byte() % 64);
  Buffer digest(32, input.byte() % 64);
  REQUIRE(cpu_backend().sha256(digest.data(), placed.data(), data.size()).ok());
  REQUIRE(digest.holds(expected));
  Sha256 state(choice->fn);
  std::size_t at = 0;
  for (std::size_t i = 0; i < 20 && at < data.size(); ++i) {
    const std::size_t n = std::min(input.length(), data.size() - at);
    Buffer piece(Bytes(&data[at], &data[at] + n), input.byte() % 64);
    REQUIRE(state.update(piece.data(), n));
    at += n;
    if (input.flag()) {  // a digest on the way, and a copy that goes on by itself
      Sha256 copy = state;
      state.digest(digest.data());
      const Bytes first(data.begin(), data.begin() + static_cast<long>(at));
      REQUIRE(digest.holds(reference::sha256(first)));
      REQUIRE(copy.update(data.data() + at, data.size() - at));
      copy.digest(digest.data());
      REQUIRE(digest.holds(expected));
    }
  }
  REQUIRE(state.update(data.data() + at, data.size() - at));
  state.digest(digest.data());
  REQUIRE(digest.holds(expected));
}

void hmac(Input& input) {
  const Bytes key = input.bytes(input.below(150));
  const Bytes data = input.bytes(input.length());
  Buffer placed_key(key, input.byte() % 64);
  Buffer placed(data, input.byte() % 64);
  Buffer mac(32, input.byte() % 64);
  REQUIRE(cpu_backend()
              .hmac_sha256(mac.data(), placed_key.data(), key.size(), placed.data(), data.size())
              .ok());
  REQUIRE(mac.holds(reference::hmac_sha256(key, data)));
}

void hash_batch(Input& input) {
  const std::size_t count = batch_count(input);
  const bool keyed = input.flag();
  const Bytes key = input.bytes(input.below(150));
  const Messages in(input, count, 1);
  std::vector<Bytes> expected;
  for (const Bytes& item : in.items) {
    expected.push_back(keyed ? reference::hmac_sha256(key, item) : reference::sha256(item));
  }
  Results out(std::vector<std::size_t>(count, 32), input.flag());
  const HashBatch batch = {in.list(), out.list()};
  const unsigned threads = batch_threads(input);
  REQUIRE((keyed ? hmac_sha256_batch(cpu_backend(), {key.data(), key.size()}, batch, count, threads)
                 : sha256_batch(cpu_backend(), batch, count, threads))
              .ok());
  REQUIRE(out.holds(expected));
}

void equal_nonces(Input& input) {
  const std::size_t len = input.flag() ? 1 + input.below(40) : 12;
  const std::size_t count = input.below(300);
  Bytes nonces = input.bytes(count * len);
  for (std::size_t k = input.below(4); k > 0 && count > 0; --k) {
    const std::size_t from = input.below(count);
    std::memmove(&nonces[input.below(count) * len], &nonces[from * len], len);
  }
  const Bytes seed = input.bytes(kNonceSeedBytes);
  std::map<std::string, std::size_t> seen;
  EqualNonces expected = {false, 0, 0};
  for (std::size_t j = 0; j < count && !expected.found; ++j) {
    const auto [at, is_new] =
        seen.emplace(std::string(&nonces[j * len], &nonces[j * len] + len), j);
    if (!is_new) expected = {true, at->second, j};
  }
  EqualNonces got = {true, 1, 1};
  const List list = List::strided(nonces.data(), len, len);
  REQUIRE(find_equal_nonces(list, count, seed.data(), &got).ok());
  REQUIRE(got.found == expected.found);
  REQUIRE(!got.found || (got.second == expected.second && got.first < got.second));
  REQUIRE(!got.found || std::memcmp(&nonces[got.first * len], &nonces[got.second * len], len) == 0);
  REQUIRE(!increasing_nonces(list, count) || !got.found);
}

}  // namespace fuzz
