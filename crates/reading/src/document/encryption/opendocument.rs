//! OpenDocument files with a password: each part is encrypted by itself, and the manifest says how.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::DeflateDecoder;
use sha1::Sha1;

use super::Encrypted;
use super::cipher::{BLOCK, Cipher, Hash};
use crate::document::error::DocumentError;
use crate::document::password::Password;
use crate::document::xml::{XmlElement, XmlTree};
use crate::document::{Input, zip};

/// More rounds than any program asks for. They are not interrupted.
const MAX_ROUNDS: u32 = 1_000_000;

/// Which parts of a file are encrypted, and how.
pub(in crate::document) struct Manifest {
    tree: Option<XmlTree>,
}

impl Manifest {
    pub(in crate::document) fn read(bytes: Option<Vec<u8>>, input: &Input<'_>) -> Manifest {
        let tree = bytes.and_then(|bytes| XmlTree::parse(&bytes, input.nodes()).ok());
        Manifest { tree }
    }

    /// The content of a part, given its bytes in the archive.
    pub(in crate::document) fn open(
        &self,
        name: &str,
        bytes: Vec<u8>,
        input: &Input<'_>,
    ) -> Result<Vec<u8>, DocumentError> {
        let Some(data) = self.encryption(name) else {
            return Ok(bytes);
        };
        let part = EncryptedPart::read(data).ok_or(Encrypted::OpenDocument.not_supported())?;
        let password = input.hint.password.as_ref();
        let closed = Encrypted::OpenDocument.closed_to(password);
        let words = password.map(Password::reveal).ok_or(closed)?;
        let packed = part.open(bytes, words)?.ok_or(closed)?;
        zip::unpack_all(DeflateDecoder::new(&packed[..]), input.budget)
    }

    fn encryption(&self, name: &str) -> Option<XmlElement<'_>> {
        let entries = self.tree.as_ref()?.root();
        let mut entries = entries.all("file-entry");
        let entry = entries.find(|entry| entry.attribute("full-path") == Some(name))?;
        entry.child("encryption-data")
    }
}

/// How one part is encrypted.
struct EncryptedPart {
    /// Of the first kilobyte of the compressed part.
    checksum: Vec<u8>,
    checksum_hash: Hash,
    start: [u8; BLOCK],
    password_hash: Hash,
    salt: Vec<u8>,
    rounds: u32,
    key_size: usize,
}

impl EncryptedPart {
    /// `None` for another encryption than AES in chains with a key from PBKDF2.
    fn read(data: XmlElement<'_>) -> Option<EncryptedPart> {
        let algorithm = data.child("algorithm")?;
        let derivation = data.child("key-derivation")?;
        let name = algorithm.attribute("algorithm-name")?;
        let is_known = name.ends_with("aes256-cbc") || name.ends_with("aes128-cbc");
        let is_derived = derivation
            .attribute("key-derivation-name")?
            .ends_with("PBKDF2");
        let start_key = data.child("start-key-generation");
        let generation = start_key.and_then(|it| it.attribute("start-key-generation-name"));
        let number = |name: &str| derivation.attribute(name)?.parse::<u32>().ok();
        (is_known && is_derived).then_some(EncryptedPart {
            checksum: decoded(data, "checksum")?,
            checksum_hash: hash_of(data.attribute("checksum-type")?)?,
            start: decoded(algorithm, "initialisation-vector")?
                .try_into()
                .ok()?,
            password_hash: generation.map_or(Some(Hash::Sha1), hash_of)?,
            salt: decoded(derivation, "salt")?,
            rounds: number("iteration-count").filter(|it| *it <= MAX_ROUNDS)?,
            key_size: usize::try_from(number("key-size").unwrap_or(16)).ok()?,
        })
    }

    /// The compressed bytes. `None` if the password is not the right one.
    fn open(&self, mut bytes: Vec<u8>, password: &str) -> Result<Option<Vec<u8>>, DocumentError> {
        const CHECKED: usize = 1_024;
        let password = self.password_hash.of(&[password.as_bytes()]);
        let mut key = vec![0; self.key_size.min(32)];
        pbkdf2::pbkdf2_hmac::<Sha1>(&password, &self.salt, self.rounds, &mut key);
        let cipher = Cipher::new(&key).ok_or(Encrypted::OpenDocument.not_supported())?;
        cipher.decrypt_chain(&self.start, &mut bytes);
        // The last byte says how many were added to fill the last block.
        let added = bytes.last().map_or(0, |last| usize::from(*last).min(BLOCK));
        let unpadded = &bytes[..bytes.len().saturating_sub(added)];
        let is_right = [unpadded, &bytes[..]].iter().any(|it| {
            let checked = &it[..it.len().min(CHECKED)];
            self.checksum_hash.of(&[checked]) == self.checksum
        });
        Ok(is_right.then_some(bytes))
    }
}

fn hash_of(name: &str) -> Option<Hash> {
    let name = name.to_ascii_lowercase();
    let name = name.rsplit(['#', ':']).next()?;
    Some(match name {
        "sha1" | "sha1/1k" | "sha1-1k" => Hash::Sha1,
        "sha256" | "sha256-1k" | "sha256/1k" => Hash::Sha256,
        _ => return None,
    })
}

fn decoded(element: XmlElement<'_>, name: &str) -> Option<Vec<u8>> {
    STANDARD.decode(element.attribute(name)?.trim()).ok()
}
