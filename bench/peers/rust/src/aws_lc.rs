//! `rust-aws-lc`: AWS-LC by aws-lc-rs. GCM decrypts from one buffer into another; all else is in place.

use crate::protocol::{Engine, Why};
use crate::workload::{Case, Material, Mode, TAG};
use aws_lc_rs::aead::{AES_128_GCM, AES_192_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::cipher::{
    AES_128, AES_192, AES_256, DecryptingKey, DecryptionContext, EncryptingKey, EncryptionContext,
    UnboundCipherKey,
};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::iv::FixedLength;

pub fn make(case: &Case, material: &Material) -> Result<Box<dyn Engine>, Why> {
    build(case, material).map_err(|_| Why::Failed("aws-lc-rs refused the key".into()))?
}

fn build(case: &Case, material: &Material) -> Result<Result<Box<dyn Engine>, Why>, Unspecified> {
    if case.padded() {
        return Ok(Err(Why::unsupported(
            "aws-lc-rs grows the vector that it pads: no placement here",
        )));
    }
    let iv = if case.mode == Mode::Ecb {
        None
    } else {
        Some(material.iv)
    };
    Ok(Ok(match case.mode {
        Mode::Sha256 => Box::new(Sha256),
        Mode::Gcm => {
            let algorithm = match case.key_len {
                16 => &AES_128_GCM,
                24 => &AES_192_GCM,
                _ => &AES_256_GCM,
            };
            let key = LessSafeKey::new(UnboundKey::new(algorithm, &material.key)?);
            Box::new(Gcm {
                key,
                nonce: material.nonce,
                decrypt: case.decrypt,
            })
        }
        mode => {
            let algorithm = match case.key_len {
                16 => &AES_128,
                24 => &AES_192,
                _ => &AES_256,
            };
            let key = UnboundCipherKey::new(algorithm, &material.key)?;
            if case.decrypt {
                let key = match mode {
                    Mode::Ctr => DecryptingKey::ctr(key),
                    Mode::Cbc => DecryptingKey::cbc(key),
                    _ => DecryptingKey::ecb(key),
                }?;
                Box::new(Decrypt { key, iv })
            } else {
                let key = match mode {
                    Mode::Ctr => EncryptingKey::ctr(key),
                    Mode::Cbc => EncryptingKey::cbc(key),
                    _ => EncryptingKey::ecb(key),
                }?;
                Box::new(Encrypt { key, iv })
            }
        }
    }))
}

struct Gcm {
    key: LessSafeKey,
    nonce: [u8; 12],
    decrypt: bool,
}

impl Engine for Gcm {
    fn in_place(&self, buffer: &mut [u8]) -> bool {
        let (body, tag) = buffer.split_at_mut(buffer.len() - TAG);
        let nonce = Nonce::assume_unique_for_key(self.nonce);
        let sealed = self
            .key
            .seal_in_place_separate_tag(nonce, Aad::empty(), body);
        sealed
            .map(|made| tag.copy_from_slice(made.as_ref()))
            .is_ok()
    }

    fn apply(&self, source: &[u8], target: &mut [u8]) -> bool {
        let (body, tag) = source.split_at(source.len() - TAG);
        let nonce = Nonce::assume_unique_for_key(self.nonce);
        self.key
            .open_separate_gather(nonce, Aad::empty(), body, tag, target)
            .is_ok()
    }

    fn placements(&self) -> &'static [&'static str] {
        if self.decrypt {
            &["into", "new"]
        } else {
            &["inplace"]
        }
    }

    fn statement(&self) -> &'static str {
        if self.decrypt {
            "key.open_separate_gather(nonce, aad, data, tag, out)"
        } else {
            "key.seal_in_place_separate_tag(nonce, aad, buffer)"
        }
    }
}

struct Encrypt {
    key: EncryptingKey,
    iv: Option<[u8; 16]>,
}

impl Engine for Encrypt {
    fn in_place(&self, buffer: &mut [u8]) -> bool {
        let context = match self.iv {
            Some(iv) => EncryptionContext::Iv128(FixedLength::from(iv)),
            None => EncryptionContext::None,
        };
        self.key.less_safe_encrypt(buffer, context).is_ok()
    }

    fn placements(&self) -> &'static [&'static str] {
        &["inplace"]
    }

    fn statement(&self) -> &'static str {
        "key.less_safe_encrypt(buffer, context)"
    }
}

struct Decrypt {
    key: DecryptingKey,
    iv: Option<[u8; 16]>,
}

impl Engine for Decrypt {
    fn in_place(&self, buffer: &mut [u8]) -> bool {
        let context = match self.iv {
            Some(iv) => DecryptionContext::Iv128(FixedLength::from(iv)),
            None => DecryptionContext::None,
        };
        self.key.decrypt(buffer, context).is_ok()
    }

    fn placements(&self) -> &'static [&'static str] {
        &["inplace"]
    }

    fn statement(&self) -> &'static str {
        "key.decrypt(buffer, context)"
    }
}

struct Sha256;

impl Engine for Sha256 {
    fn apply(&self, source: &[u8], target: &mut [u8]) -> bool {
        let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, source);
        target.copy_from_slice(digest.as_ref());
        true
    }

    fn placements(&self) -> &'static [&'static str] {
        &["into", "new"]
    }

    fn statement(&self) -> &'static str {
        "digest::digest(&SHA256, data)"
    }
}
