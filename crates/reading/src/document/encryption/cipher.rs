//! AES and the hashes that the formats ask for by name.

use aes::cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};

pub(super) const BLOCK: usize = 16;

/// A hash function of a document's own choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hash {
    Md5,
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    /// The hash of all the pieces, one after another.
    pub(super) fn of(self, pieces: &[&[u8]]) -> Vec<u8> {
        fn digest<D: Digest>(pieces: &[&[u8]]) -> Vec<u8> {
            let mut digest = D::new();
            for piece in pieces {
                digest.update(piece);
            }
            digest.finalize().to_vec()
        }
        match self {
            Hash::Md5 => digest::<Md5>(pieces),
            Hash::Sha1 => digest::<Sha1>(pieces),
            Hash::Sha256 => digest::<Sha256>(pieces),
            Hash::Sha384 => digest::<Sha384>(pieces),
            Hash::Sha512 => digest::<Sha512>(pieces),
        }
    }
}

/// AES with a key of any of its sizes.
pub(super) enum Cipher {
    Aes128(Aes128),
    Aes192(Aes192),
    Aes256(Aes256),
}

impl Cipher {
    /// `None` for a key of another size.
    pub(super) fn new(key: &[u8]) -> Option<Cipher> {
        Some(match key.len() {
            16 => Cipher::Aes128(Aes128::new_from_slice(key).ok()?),
            24 => Cipher::Aes192(Aes192::new_from_slice(key).ok()?),
            32 => Cipher::Aes256(Aes256::new_from_slice(key).ok()?),
            _ => return None,
        })
    }

    /// Decrypts each block by itself. A rest that is no block stays as it is.
    pub(super) fn decrypt_blocks(&self, bytes: &mut [u8]) {
        for block in bytes.chunks_exact_mut(BLOCK) {
            self.decrypt_block(block);
        }
    }

    /// Decrypts blocks of which each is chained to the one before (CBC). A rest that is no block
    /// stays as it is.
    pub(super) fn decrypt_chain(&self, start: &[u8; BLOCK], bytes: &mut [u8]) {
        let mut before = *start;
        for block in bytes.chunks_exact_mut(BLOCK) {
            let mut encrypted = [0; BLOCK];
            encrypted.copy_from_slice(block);
            self.decrypt_block(block);
            xor(block, &before);
            before = encrypted;
        }
    }

    /// Encrypts or decrypts with a counter from one, its lowest byte first, as ZIP archives do.
    pub(super) fn count_through(&self, bytes: &mut [u8]) {
        for (number, piece) in (1_u128..).zip(bytes.chunks_mut(BLOCK)) {
            let mut key = number.to_le_bytes();
            self.encrypt_block(&mut key);
            xor(piece, &key);
        }
    }

    fn decrypt_block(&self, block: &mut [u8]) {
        match self {
            Cipher::Aes128(cipher) => on_block(block, |it| cipher.decrypt_block(it)),
            Cipher::Aes192(cipher) => on_block(block, |it| cipher.decrypt_block(it)),
            Cipher::Aes256(cipher) => on_block(block, |it| cipher.decrypt_block(it)),
        }
    }

    fn encrypt_block(&self, block: &mut [u8]) {
        match self {
            Cipher::Aes128(cipher) => on_block(block, |it| cipher.encrypt_block(it)),
            Cipher::Aes192(cipher) => on_block(block, |it| cipher.encrypt_block(it)),
            Cipher::Aes256(cipher) => on_block(block, |it| cipher.encrypt_block(it)),
        }
    }
}

/// All three ciphers have blocks of the same size.
fn on_block(bytes: &mut [u8], work: impl Fn(&mut Block<Aes128>)) {
    if let Ok(block) = bytes.try_into() {
        work(block);
    }
}

fn xor(bytes: &mut [u8], with: &[u8]) {
    for (byte, other) in bytes.iter_mut().zip(with) {
        *byte ^= other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of FIPS 197 and of NIST SP 800-38A.
    #[test]
    fn ciphers_and_hashes_are_the_standard_ones() {
        let key: Vec<u8> = (0..32).collect();
        let mut block: Vec<u8> = (0..16).map(|number| number * 0x11).collect();
        let cipher = Cipher::new(&key).expect("a key of 256 bits");
        cipher.encrypt_block(&mut block);
        assert_eq!(block[..4], [0x8E, 0xA2, 0xB7, 0xCA]);
        cipher.decrypt_blocks(&mut block);
        assert_eq!(block[..4], [0x00, 0x11, 0x22, 0x33]);
        assert!(Cipher::new(&key[..7]).is_none());
        let lengths = [Hash::Sha1, Hash::Sha256, Hash::Sha384, Hash::Sha512]
            .map(|hash| hash.of(&[b"a", b"bc"]).len());
        assert_eq!(lengths, [20, 32, 48, 64]);
        assert_eq!(Hash::Sha1.of(&[b"a", b"bc"])[..3], [0xA9, 0x99, 0x3E]);
    }

    #[test]
    fn a_rest_that_is_no_block_stays() {
        let cipher = Cipher::new(&[7; 16]).expect("a key of 128 bits");
        let mut bytes = *b"0123456789ABCDEFrest";
        cipher.decrypt_chain(&[0; BLOCK], &mut bytes);
        assert_eq!(&bytes[16..], b"rest");
        let mut twice = *b"any length";
        cipher.count_through(&mut twice);
        cipher.count_through(&mut twice);
        assert_eq!(&twice, b"any length");
    }
}
