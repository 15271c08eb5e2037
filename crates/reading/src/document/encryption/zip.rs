//! Encrypted entries of ZIP archives: the old encryption of PKZIP, and AES as WinZip and 7-Zip
//! write it.

use flate2::Crc;
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;

use super::cipher::Cipher;

/// How an entry is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::document) enum ZipEncryption {
    /// Of PKZIP. The byte is known to whoever has the password.
    Old { check: u8 },
    /// With a key of that many bytes.
    Aes { key: usize },
    /// Another one.
    Unknown,
}

/// The method in the header of an entry that is encrypted with AES.
pub(in crate::document) const AES_METHOD: u16 = 99;

impl ZipEncryption {
    /// The encryption and the method of compression in the extra field of an AES entry, from its
    /// strength on.
    pub(in crate::document) fn aes(field: &[u8]) -> (ZipEncryption, u16) {
        let method = field
            .get(5..7)
            .and_then(|pair| pair.try_into().ok())
            .map_or(AES_METHOD, u16::from_le_bytes);
        let encryption = match field.get(4) {
            Some(strength @ 1..=3) => ZipEncryption::Aes {
                key: 8 + 8 * usize::from(*strength),
            },
            _ => ZipEncryption::Unknown,
        };
        (encryption, method)
    }

    /// The compressed bytes of an entry. `None` if the password is not the right one.
    pub(in crate::document) fn open(self, packed: &[u8], password: &str) -> Option<Vec<u8>> {
        match self {
            ZipEncryption::Old { check } => open_old(packed, password, check),
            ZipEncryption::Aes { key } => open_aes(packed, password, key),
            ZipEncryption::Unknown => None,
        }
    }
}

fn open_aes(packed: &[u8], password: &str, key_size: usize) -> Option<Vec<u8>> {
    const ROUNDS: u32 = 1_000;
    const CHECK: usize = 2;
    const TAG: usize = 10;
    let (salt, rest) = packed.split_at_checked(key_size / 2)?;
    let (check, rest) = rest.split_at_checked(CHECK)?;
    let (encrypted, tag) = rest.split_at_checked(rest.len().checked_sub(TAG)?)?;
    let mut keys = vec![0; 2 * key_size + CHECK];
    pbkdf2::pbkdf2_hmac::<Sha1>(password.as_bytes(), salt, ROUNDS, &mut keys);
    if &keys[2 * key_size..] != check {
        return None;
    }
    let mut mac = Hmac::<Sha1>::new_from_slice(&keys[key_size..2 * key_size]).ok()?;
    mac.update(encrypted);
    mac.verify_truncated_left(tag).ok()?;
    let mut content = encrypted.to_vec();
    Cipher::new(&keys[..key_size])?.count_through(&mut content);
    Some(content)
}

/// The three keys of the old encryption.
struct OldKeys([u32; 3]);

impl OldKeys {
    fn new(password: &str) -> OldKeys {
        let mut keys = OldKeys([0x1234_5678, 0x2345_6789, 0x3456_7890]);
        for byte in password.bytes() {
            keys.update(byte);
        }
        keys
    }

    fn update(&mut self, byte: u8) {
        let [first, second, third] = &mut self.0;
        *first = crc_step(*first, byte);
        *second = second
            .wrapping_add(*first & 0xFF)
            .wrapping_mul(134_775_813)
            .wrapping_add(1);
        *third = crc_step(*third, (*second >> 24) as u8);
    }

    fn decrypt(&mut self, byte: u8) -> u8 {
        let key = (self.0[2] | 2) & 0xFFFF;
        let plain = byte ^ (key.wrapping_mul(key ^ 1) >> 8) as u8;
        self.update(plain);
        plain
    }
}

/// One step of the checksum of ZIP archives, without the inversions around it.
fn crc_step(checksum: u32, byte: u8) -> u32 {
    const POLYNOMIAL: u32 = 0xEDB8_8320;
    let mut value = (checksum ^ u32::from(byte)) & 0xFF;
    for _ in 0..8 {
        value = if value & 1 == 1 {
            (value >> 1) ^ POLYNOMIAL
        } else {
            value >> 1
        };
    }
    (checksum >> 8) ^ value
}

fn open_old(packed: &[u8], password: &str, check: u8) -> Option<Vec<u8>> {
    const HEADER: usize = 12;
    let mut keys = OldKeys::new(password);
    let mut content: Vec<u8> = packed.iter().map(|byte| keys.decrypt(*byte)).collect();
    if content.get(HEADER - 1) != Some(&check) {
        return None;
    }
    content.drain(..HEADER);
    Some(content)
}

/// Whether the content has the checksum that its header states. The old encryption lets one wrong
/// password in 256 pass.
pub(in crate::document) fn has_checksum(content: &[u8], checksum: u32) -> bool {
    let mut sum = Crc::new();
    sum.update(content);
    sum.sum() == checksum
}
