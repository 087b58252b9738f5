//! `rust-ring`: AES-GCM and SHA-256. Its interface works in place only, so there is no other placement.

use crate::protocol::{Engine, Why};
use crate::workload::{Case, Material, Mode, TAG};
use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};

struct Gcm {
    key: LessSafeKey,
    nonce: [u8; 12],
}

pub fn make(case: &Case, material: &Material) -> Result<Box<dyn Engine>, Why> {
    match (case.mode, case.key_len) {
        (Mode::Sha256, _) => Ok(Box::new(Sha256)),
        (Mode::Gcm, 16 | 32) => {
            let algorithm = if case.key_len == 16 {
                &AES_128_GCM
            } else {
                &AES_256_GCM
            };
            let key = UnboundKey::new(algorithm, &material.key)
                .map_err(|_| Why::Failed("bad key".into()))?;
            Ok(Box::new(Gcm {
                key: LessSafeKey::new(key),
                nonce: material.nonce,
            }))
        }
        (Mode::Gcm, _) => Err(Why::unsupported("ring has no 192-bit keys")),
        _ => Err(Why::unsupported("ring has no mode but GCM")),
    }
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

    fn placements(&self) -> &'static [&'static str] {
        &["inplace"]
    }

    fn statement(&self) -> &'static str {
        "key.seal_in_place_separate_tag(nonce, aad, buffer)"
    }
}

struct Sha256;

impl Engine for Sha256 {
    fn apply(&self, source: &[u8], target: &mut [u8]) -> bool {
        let digest = ring::digest::digest(&ring::digest::SHA256, source);
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
