//! `rustcrypto`: the crates aes, aes-gcm, cbc, ctr, ecb and sha2, which look for the CPU's instructions
//! when they run.

use crate::protocol::{Engine, Why};
use crate::workload::{Case, Material, Mode, TAG};
use aes::cipher::block_padding::Pkcs7;
use aes::cipher::{
    Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt,
    BlockSizeUser, InOutBuf, InnerIvInit, KeyInit, StreamCipher, StreamCipherCoreWrapper,
    consts::U16,
};
use aes::{Aes128, Aes192, Aes256};
use aes_gcm::AesGcm;
use aes_gcm::aead::AeadInOut;
use aes_gcm::aead::consts::U12;
use sha2::Digest;

pub fn make(case: &Case, material: &Material) -> Result<Box<dyn Engine>, Why> {
    match case.key_len {
        0 => Ok(Box::new(Sha256)),
        16 => keyed::<Aes128>(case, material),
        24 => keyed::<Aes192>(case, material),
        _ => keyed::<Aes256>(case, material),
    }
}

trait Aes:
    BlockCipherEncrypt
    + BlockCipherDecrypt
    + BlockSizeUser<BlockSize = U16>
    + KeyInit
    + Send
    + Sync
    + 'static
{
}
impl<T> Aes for T where
    T: BlockCipherEncrypt
        + BlockCipherDecrypt
        + BlockSizeUser<BlockSize = U16>
        + KeyInit
        + Send
        + Sync
        + 'static
{
}

fn keyed<A: Aes>(case: &Case, material: &Material) -> Result<Box<dyn Engine>, Why> {
    let bad = |_| Why::Failed("bad key length".into());
    if case.mode == Mode::Gcm {
        let key = AesGcm::<A, U12>::new_from_slice(&material.key).map_err(bad)?;
        return Ok(Box::new(Gcm {
            key,
            nonce: material.nonce,
            decrypt: case.decrypt,
        }));
    }
    let key = A::new_from_slice(&material.key).map_err(bad)?;
    Ok(Box::new(Blocks {
        key,
        iv: material.iv,
        case: *case,
    }))
}

struct Gcm<A> {
    key: AesGcm<A, U12>,
    nonce: [u8; 12],
    decrypt: bool,
}

impl<A: Aes> Engine for Gcm<A> {
    fn in_place(&self, buffer: &mut [u8]) -> bool {
        let (body, tag) = buffer.split_at_mut(buffer.len() - TAG);
        let made = self
            .key
            .encrypt_inout_detached(&self.nonce.into(), b"", body.into());
        made.map(|made| tag.copy_from_slice(&made)).is_ok()
    }

    fn apply(&self, source: &[u8], target: &mut [u8]) -> bool {
        let nonce = self.nonce.into();
        if self.decrypt {
            let (body, tag) = source.split_at(source.len() - TAG);
            let (Ok(both), Ok(tag)) = (InOutBuf::new(body, target), tag.try_into()) else {
                return false;
            };
            return self
                .key
                .decrypt_inout_detached(&nonce, b"", both, tag)
                .is_ok();
        }
        let (body, tag) = target.split_at_mut(source.len());
        let Ok(both) = InOutBuf::new(source, body) else {
            return false;
        };
        let made = self.key.encrypt_inout_detached(&nonce, b"", both);
        made.map(|made| tag.copy_from_slice(&made)).is_ok()
    }

    fn placements(&self) -> &'static [&'static str] {
        if self.decrypt {
            &["into", "new"]
        } else {
            &["into", "new", "inplace"]
        }
    }

    fn statement(&self) -> &'static str {
        if self.decrypt {
            "key.decrypt_inout_detached(nonce, aad, data and out, tag)"
        } else {
            "key.encrypt_inout_detached(nonce, aad, data and out)"
        }
    }
}

struct Blocks<A> {
    key: A,
    iv: [u8; 16],
    case: Case,
}

impl<A: Aes> Blocks<A> {
    fn whole(&self, both: InOutBuf<'_, '_, u8>) -> bool {
        let iv = &self.iv.into();
        if self.case.mode == Mode::Ctr {
            let core = ctr::CtrCore::<&A, ctr::flavors::Ctr128BE>::inner_iv_init(&self.key, iv);
            return StreamCipherCoreWrapper::from_core(core)
                .try_apply_keystream_inout(both)
                .is_ok();
        }
        let (blocks, rest) = both.into_chunks::<U16>();
        let blocks: InOutBuf<'_, '_, Block<A>> = blocks;
        match (self.case.mode, self.case.decrypt) {
            (Mode::Cbc, false) => {
                cbc::Encryptor::inner_iv_init(&self.key, iv).encrypt_blocks_inout(blocks)
            }
            (Mode::Cbc, true) => {
                cbc::Decryptor::inner_iv_init(&self.key, iv).decrypt_blocks_inout(blocks)
            }
            (_, false) => self.key.encrypt_blocks_inout(blocks),
            (_, true) => self.key.decrypt_blocks_inout(blocks),
        }
        rest.is_empty()
    }

    fn with_padding(&self, source: &[u8], target: &mut [u8]) -> bool {
        use aes::cipher::common::InnerInit;
        let iv = &self.iv.into();
        let size = self.case.size;
        let length = match (self.case.mode, self.case.decrypt) {
            (Mode::Cbc, false) => cbc::Encryptor::inner_iv_init(&self.key, iv)
                .encrypt_padded_b2b::<Pkcs7>(source, target)
                .map(<[u8]>::len)
                .ok(),
            (_, false) => ecb::Encryptor::inner_init(&self.key)
                .encrypt_padded_b2b::<Pkcs7>(source, target)
                .map(<[u8]>::len)
                .ok(),
            // Decryption wants room for the padding, too.
            (Mode::Cbc, true) => cbc::Decryptor::inner_iv_init(&self.key, iv)
                .decrypt_padded_b2b::<Pkcs7>(source, target)
                .map(<[u8]>::len)
                .ok(),
            (_, true) => ecb::Decryptor::inner_init(&self.key)
                .decrypt_padded_b2b::<Pkcs7>(source, target)
                .map(<[u8]>::len)
                .ok(),
        };
        length
            == Some(if self.case.decrypt {
                size
            } else {
                source.len() / 16 * 16 + 16
            })
    }
}

impl<A: Aes> Engine for Blocks<A> {
    fn in_place(&self, buffer: &mut [u8]) -> bool {
        self.whole(buffer.into())
    }

    fn apply(&self, source: &[u8], target: &mut [u8]) -> bool {
        if self.case.padded() {
            return self.with_padding(source, target);
        }
        InOutBuf::new(source, target).is_ok_and(|both| self.whole(both))
    }

    fn placements(&self) -> &'static [&'static str] {
        if self.case.padded() {
            &["into", "new"]
        } else {
            &["into", "new", "inplace"]
        }
    }

    fn statement(&self) -> &'static str {
        match self.case.mode {
            Mode::Ctr => "Ctr128BE over &key: apply_keystream_inout(data and out)",
            Mode::Cbc => "cbc over &key: blocks_inout(data and out)",
            _ => "key: blocks_inout(data and out)",
        }
    }
}

struct Sha256;

impl Engine for Sha256 {
    fn apply(&self, source: &[u8], target: &mut [u8]) -> bool {
        target.copy_from_slice(&sha2::Sha256::digest(source));
        true
    }

    fn placements(&self) -> &'static [&'static str] {
        &["into", "new"]
    }

    fn statement(&self) -> &'static str {
        "Sha256::digest(data)"
    }
}
