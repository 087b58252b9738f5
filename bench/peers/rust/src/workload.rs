//! The input of a case, from its size alone (docs/peers.md).

use std::collections::HashMap;
use std::sync::Arc;

pub const TAG: usize = 16;
const MIB: usize = 1 << 20;
const DATA_AT: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    Gcm,
    Ctr,
    Cbc,
    Ecb,
    Sha256,
}

/// What the name `aes-256-gcm/encrypt/1MiB` says.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Case {
    pub mode: Mode,
    pub key_len: usize,
    pub decrypt: bool,
    pub size: usize,
}

impl Case {
    pub fn parse(name: &str) -> Option<Case> {
        let mut parts = name.split('/');
        let (algorithm, direction, size) = (parts.next()?, parts.next()?, parts.next()?);
        let digits = size.find(|c: char| !c.is_ascii_digit())?;
        let unit = match &size[digits..] {
            "B" => 1,
            "KiB" => 1 << 10,
            "MiB" => MIB,
            "GiB" => 1 << 30,
            _ => return None,
        };
        let words: Vec<&str> = algorithm.split('-').collect();
        let mode = match *words.last()? {
            "gcm" => Mode::Gcm,
            "ctr" => Mode::Ctr,
            "cbc" => Mode::Cbc,
            "ecb" => Mode::Ecb,
            "sha256" => Mode::Sha256,
            _ => return None,
        };
        let key_len = if mode == Mode::Sha256 {
            0
        } else {
            words.get(1)?.parse::<usize>().ok()? / 8
        };
        let size = size[..digits].parse::<usize>().ok()? * unit;
        Some(Case {
            mode,
            key_len,
            decrypt: direction == "decrypt",
            size,
        })
    }

    pub fn padded(&self) -> bool {
        matches!(self.mode, Mode::Cbc | Mode::Ecb) && self.size % 16 != 0
    }

    pub fn output_len(&self) -> usize {
        match self.mode {
            Mode::Sha256 => 32,
            _ if self.decrypt => self.size,
            Mode::Gcm => self.size + TAG,
            _ if self.padded() => self.size / 16 * 16 + 16,
            _ => self.size,
        }
    }
}

#[derive(Clone)]
pub struct Material {
    pub key: Vec<u8>,
    pub iv: [u8; 16],
    pub nonce: [u8; 12],
    pub data: Arc<Vec<u8>>,
}

/// Keeps one plaintext a size.
#[derive(Default)]
pub struct Workload {
    plaintexts: HashMap<usize, Arc<Vec<u8>>>,
}

impl Workload {
    /// Key, IV, nonce and plaintext of a case.
    pub fn plain(&mut self, case: &Case) -> Material {
        let article = case.size % MIB == 0;
        let counting: Vec<u8> = (0..32).collect();
        let head = if article {
            None
        } else {
            Some(block(1_123_581_321))
        };
        let plaintext = || {
            let (source, start) = match &head {
                Some(random) => (random.clone(), DATA_AT),
                None => (block(20_260_807), 0),
            };
            Arc::new(
                source
                    .iter()
                    .cycle()
                    .skip(start)
                    .take(case.size)
                    .copied()
                    .collect(),
            )
        };
        let mut data = self
            .plaintexts
            .entry(case.size)
            .or_insert_with(plaintext)
            .clone();
        let (mut key, iv, nonce) = match &head {
            Some(random) => (
                random[..case.key_len].to_vec(),
                &random[32..48],
                &random[48..60],
            ),
            None => (
                counting[..case.key_len].to_vec(),
                &counting[..16],
                &counting[..12],
            ),
        };
        if case.mode == Mode::Ecb && case.key_len == 32 && case.size == 52 {
            data = Arc::new((b'a'..=b'z').chain(b'A'..=b'Z').collect());
            key = b"0123456789abcdef".repeat(2);
        }
        Material {
            key,
            iv: iv.try_into().unwrap(),
            nonce: nonce.try_into().unwrap(),
            data,
        }
    }
}

fn block(seed: u32) -> Vec<u8> {
    let mut state = seed;
    let next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    std::iter::repeat_with(next).take(MIB).collect()
}
