// CBC encryption of many messages: one chain waits for its own latency, so the kernel gets several.
#include <algorithm>

#include "cngaes/bytes.hpp"
#include "cngaes/messages.hpp"
#include "cngaes/modes.hpp"
#include "cngaes/padding.hpp"
#include "cngaes/secure_memory.hpp"

namespace cngaes {
namespace {

constexpr std::size_t kBlock = kAesBlockBytes;
// So many messages are given to the kernel at once, which works on as many as it likes and starts
// the next as one ends.
constexpr std::size_t kGroup = 128;

// First what lies in the caller's memory, then the block with the padding of each.
void encrypt_group(const AesFunctions& fn, const AesKey& key, const CbcBatch& batch,
                   const std::size_t* indices, std::size_t num) noexcept {
  CbcStream streams[kGroup];
  for (std::size_t k = 0; k < num; ++k) {
    const ByteView in = batch.in[indices[k]];
    CbcStream& s = streams[k];
    s.out = batch.out[indices[k]];
    s.in = in.data;
    s.num_blocks = in.len / kBlock;
    std::memcpy(s.iv, batch.ivs[indices[k]].data, kBlock);
  }
  fn.cbc_encrypt_streams(&key, streams, num);
  if (!batch.padded) {
    wipe_stack();  // here, since this frame is large: wiping from further up would not reach so
                   // deep
    return;
  }
  SecretBuffer<kBlock * kGroup> last;
  last.wipe_only(kBlock * num);
  for (std::size_t k = 0; k < num; ++k) {
    const ByteView in = batch.in[indices[k]];
    CbcStream& s = streams[k];
    const std::size_t whole = in.len / kBlock * kBlock;
    pkcs7_pad(last.data + kBlock * k, in.data + whole, in.len - whole);
    s.out = batch.out[indices[k]] + whole;
    s.in = last.data + kBlock * k;
    s.num_blocks = 1;
  }
  fn.cbc_encrypt_streams(&key, streams, num);
  wipe_stack();
}

}  // namespace

void cbc_encrypt_many(const AesFunctions& fn, const AesKey& key, const CbcBatch& batch,
                      Range range) noexcept {
  std::size_t indices[kGroup];
  for (std::size_t begin = range.begin; begin < range.end;) {
    std::size_t num = 0;
    for (; begin < range.end && num < kGroup; ++begin) {
      if (batch.in[begin].len < range.skip_from) indices[num++] = begin;
    }
    // The longest first: at the end of the group, short ones leave few lanes empty for long.
    std::sort(indices, indices + num,
              [&](std::size_t a, std::size_t b) { return batch.in[a].len > batch.in[b].len; });
    encrypt_group(fn, key, batch, indices, num);
  }
}

}  // namespace cngaes
