//! Bytes that are mixed with the password (XOR obfuscation), as Excel did before version 97 and in
//! files for other countries. The numbers are those of MS-OFFCRYPTO.

/// The bytes that the password makes.
pub(in crate::document) struct XorMask {
    bytes: [u8; 16],
}

/// The longest password.
const MAX_LENGTH: usize = 15;

const FILLER: [u8; 15] = [
    0xBB, 0xFF, 0xFF, 0xBA, 0xFF, 0xFF, 0xB9, 0x80, 0x00, 0xBE, 0x0F, 0x00, 0xBF, 0x0F, 0x00,
];

/// Where the key starts, by the length of the password.
const STARTS: [u16; MAX_LENGTH] = [
    0xE1F0, 0x1D0F, 0xCC9C, 0x84C0, 0x110C, 0x0E10, 0xF1CE, 0x313E, 0x1872, 0xE139, 0xD40F, 0x84F9,
    0x280C, 0xA96A, 0x4EC3,
];

/// What each bit of each letter adds to the key, the last letter of the longest password last.
const BITS: [[u16; 7]; MAX_LENGTH] = [
    [0xAEFC, 0x4DD9, 0x9BB2, 0x2745, 0x4E8A, 0x9D14, 0x2A09],
    [0x7B61, 0xF6C2, 0xFDA5, 0xEB6B, 0xC6F7, 0x9DCF, 0x2BBF],
    [0x4563, 0x8AC6, 0x05AD, 0x0B5A, 0x16B4, 0x2D68, 0x5AD0],
    [0x0375, 0x06EA, 0x0DD4, 0x1BA8, 0x3750, 0x6EA0, 0xDD40],
    [0xD849, 0xA0B3, 0x5147, 0xA28E, 0x553D, 0xAA7A, 0x44D5],
    [0x6F45, 0xDE8A, 0xAD35, 0x4A4B, 0x9496, 0x390D, 0x721A],
    [0xEB23, 0xC667, 0x9CEF, 0x29FF, 0x53FE, 0xA7FC, 0x5FD9],
    [0x47D3, 0x8FA6, 0x0F6D, 0x1EDA, 0x3DB4, 0x7B68, 0xF6D0],
    [0xB861, 0x60E3, 0xC1C6, 0x93AD, 0x377B, 0x6EF6, 0xDDEC],
    [0x45A0, 0x8B40, 0x06A1, 0x0D42, 0x1A84, 0x3508, 0x6A10],
    [0xAA51, 0x4483, 0x8906, 0x022D, 0x045A, 0x08B4, 0x1168],
    [0x76B4, 0xED68, 0xCAF1, 0x85C3, 0x1BA7, 0x374E, 0x6E9C],
    [0x3730, 0x6E60, 0xDCC0, 0xA9A1, 0x4363, 0x86C6, 0x1DAD],
    [0x3331, 0x6662, 0xCCC4, 0x89A9, 0x0373, 0x06E6, 0x0DCC],
    [0x1021, 0x2042, 0x4084, 0x8108, 0x1231, 0x2462, 0x48C4],
];

impl XorMask {
    /// The mask of a password. `None` if it is not the right one.
    pub(super) fn open(key: u16, verifier: u16, password: &str) -> Option<XorMask> {
        let letters: Vec<u8> = password
            .encode_utf16()
            .take(MAX_LENGTH)
            .map(|unit| match unit.to_le_bytes() {
                [0, high] => high,
                [low, _] => low,
            })
            .collect();
        let is_right =
            !letters.is_empty() && key_of(&letters) == key && verifier_of(&letters) == verifier;
        is_right.then(|| XorMask::new(key, &letters))
    }

    fn new(key: u16, letters: &[u8]) -> XorMask {
        let mut bytes = [0; 16];
        let filled = letters.iter().chain(&FILLER);
        for ((byte, letter), part) in bytes
            .iter_mut()
            .zip(filled)
            .zip(key.to_le_bytes().iter().cycle())
        {
            *byte = (letter ^ part).rotate_left(2);
        }
        XorMask { bytes }
    }

    /// Opens the data of a record after what is not mixed. The record starts at this place of the
    /// stream.
    pub(in crate::document) fn apply(&self, record: &mut [u8], place: usize, plain: usize) {
        let start = place.wrapping_add(record.len()).wrapping_add(plain);
        for (byte, index) in record.iter_mut().skip(plain).zip(start..) {
            *byte = byte.rotate_left(3) ^ self.bytes[index % 16];
        }
    }
}

fn key_of(letters: &[u8]) -> u16 {
    let mut key = STARTS[letters.len() - 1];
    let rows = &BITS[MAX_LENGTH - letters.len()..];
    for (letter, row) in letters.iter().zip(rows) {
        for (bit, added) in row.iter().enumerate() {
            if letter & (1 << bit) != 0 {
                key ^= added;
            }
        }
    }
    key
}

fn verifier_of(letters: &[u8]) -> u16 {
    let mut verifier = 0_u16;
    for letter in letters.iter().rev().copied().chain([letters.len() as u8]) {
        let carried = (verifier >> 14) & 1;
        verifier = (carried | ((verifier << 1) & 0x7FFF)) ^ u16::from(letter);
    }
    verifier ^ 0xCE4B
}
