//! Office files before 2007 with a password, as MS-OFFCRYPTO describes them: RC4 with a key of 40
//! bits, RC4 with a key that Windows makes (CryptoAPI), and bytes that are mixed with the password.
//!
//! A stream is divided into blocks, each with a key of its own. What is not encrypted counts for the
//! place in the block.

use rc4::{KeyInit, Rc4, StreamCipher};

use super::cipher::Hash;
use super::xor::XorMask;
use super::{Encrypted, PASSWORD_OF_READ_ONLY};
use crate::document::error::DocumentError;
use crate::document::password::Password;

/// What decrypts the streams of a file, made with the right password.
pub(in crate::document) enum OldCipher {
    Rc4(BlockKeys),
    Xor(XorMask),
}

impl OldCipher {
    /// Opens a file whose description of its encryption this is.
    pub(in crate::document) fn open(
        info: &[u8],
        password: Option<&Password>,
    ) -> Result<OldCipher, DocumentError> {
        BlockKeys::open(info, password).map(OldCipher::Rc4)
    }

    /// Opens a workbook whose bytes are mixed with the password.
    pub(in crate::document) fn open_xor(
        key: u16,
        verifier: u16,
        password: Option<&Password>,
    ) -> Result<OldCipher, DocumentError> {
        with_password(password, |words| XorMask::open(key, verifier, words)).map(OldCipher::Xor)
    }
}

fn with_password<T>(
    password: Option<&Password>,
    open: impl Fn(&str) -> Option<T>,
) -> Result<T, DocumentError> {
    password
        .and_then(|password| open(password.reveal()))
        .or_else(|| open(PASSWORD_OF_READ_ONLY))
        .ok_or(Encrypted::OldOffice.closed_to(password))
}

/// What the RC4 keys of the blocks are made from.
pub(in crate::document) struct BlockKeys {
    hash: Vec<u8>,
    /// The length of the keys in bytes; `None` for those of 40 bits without CryptoAPI.
    length: Option<usize>,
}

impl BlockKeys {
    /// Opens a file whose description of its encryption this is.
    pub(in crate::document) fn open(
        info: &[u8],
        password: Option<&Password>,
    ) -> Result<BlockKeys, DocumentError> {
        let scheme = Scheme::read(info).ok_or(Encrypted::OldOffice.not_supported())?;
        with_password(password, |words| scheme.open(words))
    }

    fn block(&self, number: u32) -> Rc4 {
        let number = number.to_le_bytes();
        let key = match self.length {
            None => {
                let start = &self.hash[..SHORT_KEY.min(self.hash.len())];
                Hash::Md5.of(&[start, &number])
            }
            Some(length) => {
                let mut key = Hash::Sha1.of(&[&self.hash, &number]);
                key.truncate(length);
                if length == SHORT_KEY {
                    key.resize(16, 0);
                }
                key
            }
        };
        Rc4::new_from_slice(&key).expect("a key has 5 to 16 bytes")
    }

    /// Decrypts one block as a whole.
    pub(in crate::document) fn decrypt_block(&self, bytes: &mut [u8], number: u32) {
        self.block(number).apply_keystream(bytes);
    }

    /// Decrypts pieces of a stream one after the other.
    pub(in crate::document) fn stream(&self, block_size: usize) -> BlockStream<'_> {
        BlockStream {
            keys: self,
            size: block_size,
            block: None,
            place: 0,
        }
    }
}

/// A stream that is decrypted from its beginning to its end.
pub(in crate::document) struct BlockStream<'k> {
    keys: &'k BlockKeys,
    size: usize,
    block: Option<(u32, Rc4)>,
    /// How far the bytes of the block are used.
    place: usize,
}

impl BlockStream<'_> {
    /// Decrypts a piece that starts at this place.
    pub(in crate::document) fn decrypt(&mut self, bytes: &mut [u8], place: usize) {
        let mut place = place;
        let mut rest = bytes;
        while !rest.is_empty() {
            let inside = place % self.size;
            let length = rest.len().min(self.size - inside);
            let (piece, after) = rest.split_at_mut(length);
            self.at(place / self.size, inside).apply_keystream(piece);
            self.place = inside + length;
            place += length;
            rest = after;
        }
    }

    /// The cipher at a place of a block.
    fn at(&mut self, block: usize, inside: usize) -> &mut Rc4 {
        let block = u32::try_from(block).unwrap_or(u32::MAX);
        let is_later = |it: &(u32, Rc4)| it.0 == block && self.place <= inside;
        if !self.block.as_ref().is_some_and(is_later) {
            self.block = None;
            self.place = 0;
        }
        let keys = self.keys;
        let (_, cipher) = self.block.get_or_insert_with(|| (block, keys.block(block)));
        let mut skipped = vec![0; inside - self.place];
        cipher.apply_keystream(&mut skipped);
        cipher
    }
}

/// The bytes of a hash that make a key of 40 bits.
const SHORT_KEY: usize = 5;

/// What the file says about its encryption.
struct Scheme<'i> {
    /// The length of the keys in bytes; `None` for those of 40 bits without CryptoAPI.
    key_length: Option<usize>,
    salt: &'i [u8],
    /// A number and its hash, both encrypted.
    verifier: &'i [u8],
    verifier_hash: &'i [u8],
}

impl<'i> Scheme<'i> {
    fn read(info: &'i [u8]) -> Option<Scheme<'i>> {
        let short = |at: usize| {
            info.get(at..at + 2)
                .map(|it| u16::from_le_bytes([it[0], it[1]]))
        };
        match (short(0)?, short(2)?) {
            (1, 1) => Some(Scheme {
                key_length: None,
                salt: info.get(4..20)?,
                verifier: info.get(20..36)?,
                verifier_hash: info.get(36..52)?,
            }),
            (2..=4, 2) => Scheme::crypto_api(info),
            _ => None,
        }
    }

    fn crypto_api(info: &'i [u8]) -> Option<Scheme<'i>> {
        const HEADER: usize = 12;
        const RC4: u32 = 0x6801;
        let long = |at: usize| -> Option<u32> {
            let bytes = info.get(at..at.checked_add(4)?)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        };
        let size = usize::try_from(long(8)?).ok()?;
        let bits = usize::try_from(long(HEADER + 16)?).ok()?;
        let length = if bits == 0 { SHORT_KEY } else { bits / 8 };
        let verifier = info.get(HEADER.checked_add(size)?..)?;
        let is_rc4 = long(HEADER + 8)? == RC4 && (SHORT_KEY..=16).contains(&length);
        is_rc4.then_some(Scheme {
            key_length: Some(length),
            salt: verifier.get(4..20)?,
            verifier: verifier.get(20..36)?,
            verifier_hash: verifier.get(40..60)?,
        })
    }

    /// The keys. `None` if the password is not the right one.
    fn open(&self, password: &str) -> Option<BlockKeys> {
        let password: Vec<u8> = password.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let (value, hash) = match self.key_length {
            Some(_) => (Hash::Sha1.of(&[self.salt, &password]), Hash::Sha1),
            None => (self.short_hash(&password), Hash::Md5),
        };
        let keys = BlockKeys {
            hash: value,
            length: self.key_length,
        };
        let mut both = [self.verifier, self.verifier_hash].concat();
        keys.decrypt_block(&mut both, 0);
        let (verifier, expected) = both.split_at(self.verifier.len());
        (hash.of(&[verifier]) == expected).then_some(keys)
    }

    /// The hash of a password for keys of 40 bits.
    fn short_hash(&self, password: &[u8]) -> Vec<u8> {
        let first = Hash::Md5.of(&[password]);
        let start = &first[..SHORT_KEY.min(first.len())];
        let pieces = [start, self.salt].repeat(16);
        Hash::Md5.of(&pieces)
    }
}
