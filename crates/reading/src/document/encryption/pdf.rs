//! The standard encryption of PDF, as far as the parser does not know it: the password of the owner,
//! and files of which only the attachments are encrypted.

use aho_corasick::AhoCorasick;
use hayro_syntax::object::{Dict, FromBytes as _, Name, String as PdfString};
use rc4::{KeyInit, Rc4, StreamCipher};

use super::cipher::Hash;

const HANDLER: &str = "/Standard";
const KEY: &[u8] = b"/Encrypt";
/// A description of an encryption is not longer, and does not consist of more dictionaries.
const MAX_DESCRIPTION: usize = 4_096;
const MAX_DICTIONARIES: usize = 8;
/// The most places where a description may be.
const MAX_PLACES: usize = 16;

/// What fills a password up to its full length.
const PADDING: [u8; 32] = [
    0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08,
    0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
];

/// The password that opens the file to a reader, if the given one is that of its owner. A wrong one
/// gives another wrong one, or none. (Algorithm 7 of PDF 1.7, for keys of up to 128 bits.)
pub(in crate::document) fn user_password(file: &[u8], owner: &str) -> Option<String> {
    let description = description(file)?;
    let revision = description.get::<u8>("R")?;
    let mut password = description.get::<PdfString<'_>>("O")?.to_vec();
    let bits = match description.get::<u8>("V")? {
        1 => 40,
        2 => description.get::<u16>("Length").unwrap_or(40),
        _ => description.get::<u16>("Length").unwrap_or(128),
    };
    if !(2..=4).contains(&revision) || password.len() < PADDING.len() {
        return None;
    }
    password.truncate(PADDING.len());
    let length = usize::from(bits / 8).clamp(5, 16);
    let mut key = Hash::Md5.of(&[&padded(owner)]);
    if revision > 2 {
        for _ in 0..50 {
            key = Hash::Md5.of(&[&key[..length]]);
        }
    }
    let rounds = if revision > 2 { 20 } else { 1 };
    for round in (0..rounds).rev() {
        let key: Vec<u8> = key[..length].iter().map(|byte| byte ^ round).collect();
        Rc4::new_from_slice(&key)
            .ok()?
            .apply_keystream(&mut password);
    }
    let length = (0..=password.len()).find(|at| PADDING.starts_with(&password[*at..]))?;
    password.truncate(length);
    String::from_utf8(password).ok()
}

/// A password in the encoding of PDF, which is Latin-1 for the most part, in its full length.
fn padded(password: &str) -> Vec<u8> {
    let latin: Option<Vec<u8>> = password.chars().map(|it| u8::try_from(it).ok()).collect();
    let password = latin.unwrap_or_else(|| password.as_bytes().to_vec());
    password
        .into_iter()
        .chain(PADDING)
        .take(PADDING.len())
        .collect()
}

/// Whether only the files that are attached to this one are encrypted.
pub(in crate::document) fn has_open_pages(file: &[u8]) -> bool {
    description(file).is_some_and(|description| {
        let is_open = |key: &str| {
            let filter = description.get::<Name<'_>>(key);
            filter.is_none_or(|filter| filter.as_str() == "Identity")
        };
        let has_filters = description
            .get::<u8>("V")
            .is_some_and(|version| version >= 4);
        has_filters && is_open("StmF") && is_open("StrF")
    })
}

/// The file as if it were not encrypted. `None` if it is not.
pub(in crate::document) fn without_encryption(file: &[u8]) -> Option<Vec<u8>> {
    description(file)?;
    let mut plain = file.to_vec();
    let search = AhoCorasick::new([KEY]).ok()?;
    for key in search.find_iter(file) {
        // A name that only begins alike is another.
        if !file.get(key.end()).is_some_and(u8::is_ascii_alphanumeric) {
            plain[key.start() + 1] = b'X';
        }
    }
    Some(plain)
}

/// The dictionary that describes the encryption. It is never part of a packed stream.
fn description(file: &[u8]) -> Option<Dict<'_>> {
    let search = AhoCorasick::new([HANDLER]).ok()?;
    let places = search.find_iter(file).map(|found| found.start());
    places.take(MAX_PLACES).find_map(|place| {
        let before = &file[place.saturating_sub(MAX_DESCRIPTION)..place];
        let start = place - before.len();
        let opening = before.windows(2).enumerate().rev();
        let opening = opening.filter(|(_, letters)| *letters == b"<<");
        opening.take(MAX_DICTIONARIES).find_map(|(at, _)| {
            let dict = Dict::from_bytes(&file[start + at..])?;
            let handler = dict.get::<Name<'_>>("Filter")?;
            (handler.as_str() == "Standard" && dict.contains_key("O")).then_some(dict)
        })
    })
}
