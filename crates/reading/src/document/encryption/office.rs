//! Office files with a password: a compound file that holds the encrypted package, as ECMA-376 and
//! MS-OFFCRYPTO describe it ("agile" and "standard" encryption).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::cipher::{BLOCK, Cipher, Hash};
use super::{Encrypted, PASSWORD_OF_READ_ONLY};
use crate::document::budget::Budget;
use crate::document::compound::CompoundFile;
use crate::document::error::DocumentError;
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::password::Password;
use crate::document::xml::{XmlElement, XmlTree};
use crate::document::{Document, Hint, Input, read_nested};

impl DocumentKind {
    /// An Office file with a password, whose own format shows only when it is open.
    pub const ENCRYPTED_OFFICE: DocumentKind = DocumentKind::named("encrypted-office");
}

pub(in crate::document) static ENCRYPTED_OFFICE: Format = Format {
    kind: DocumentKind::ENCRYPTED_OFFICE,
    label: None,
    media_types: &[],
    extensions: &[],
    signature: Signature::Compound(|file| file.has("EncryptedPackage")),
    needs_worker: true,
    is_text: false,
    read: read_encrypted,
};

/// The package is preceded by its length.
const LENGTH_SIZE: usize = 8;

fn read_encrypted(input: &Input<'_>) -> Result<Document, DocumentError> {
    let file = CompoundFile::open(input.bytes).ok_or(DocumentError::Broken)?;
    let stream = |name: &str| {
        let entry = file.find(file.root(), name).ok_or(DocumentError::Broken)?;
        let bytes = file.read(entry, input.budget)?;
        bytes.ok_or(DocumentError::Broken)
    };
    if is_restricted(&file) {
        return Err(Encrypted::RestrictedOffice.not_supported());
    }
    let scheme = Scheme::read(&stream("EncryptionInfo")?, input)?;
    let password = input.hint.password.as_ref();
    let given = match password.map(Password::reveal) {
        Some(words) => scheme.key(words, input.budget)?,
        None => None,
    };
    let key = match given {
        Some(key) => key,
        None => scheme
            .key(PASSWORD_OF_READ_ONLY, input.budget)?
            .ok_or(Encrypted::Office.closed_to(password))?,
    };
    let package = scheme.open(&key, stream("EncryptedPackage")?)?;
    let hint = Hint {
        password: None,
        ..input.hint.clone()
    };
    read_nested(&package, &hint, input)
}

/// Whether rights management encrypts the package, so that there is no password.
fn is_restricted(file: &CompoundFile<'_>) -> bool {
    const PATH: [&str; 3] = ["\u{6}DataSpaces", "DataSpaceInfo", "DRMEncryptedDataSpace"];
    let mut path = PATH.into_iter();
    path.try_fold(file.root(), |storage, name| file.find(storage, name))
        .is_some()
}

/// How the package is encrypted.
enum Scheme {
    Standard(Standard),
    Agile(Box<Agile>),
}

impl Scheme {
    fn read(info: &[u8], input: &Input<'_>) -> Result<Scheme, DocumentError> {
        let unknown = Encrypted::Office.not_supported();
        match (short(info, 0), short(info, 2)) {
            (Some(4), Some(4)) => {
                let xml = info.get(8..).ok_or(DocumentError::Broken)?;
                let tree = XmlTree::parse(xml, input.nodes())?;
                let agile = Agile::read(tree.root()).ok_or(unknown)?;
                Ok(Scheme::Agile(Box::new(agile)))
            }
            (Some(2..=4), Some(2)) => Standard::read(info).map(Scheme::Standard).ok_or(unknown),
            (None, _) | (_, None) => Err(DocumentError::Broken),
            _ => Err(unknown),
        }
    }

    /// The key of the package. `None` if the password is not the right one.
    fn key(&self, password: &str, budget: &Budget) -> Result<Option<Vec<u8>>, DocumentError> {
        let password: Vec<u8> = password.encode_utf16().flat_map(u16::to_le_bytes).collect();
        match self {
            Scheme::Standard(standard) => standard.key(&password, budget),
            Scheme::Agile(agile) => agile.key(&password, budget),
        }
    }

    fn open(&self, key: &[u8], mut package: Vec<u8>) -> Result<Vec<u8>, DocumentError> {
        let broken = DocumentError::Broken;
        let length = package.get(..LENGTH_SIZE).ok_or(broken)?;
        let length = u64::from_le_bytes(length.try_into().map_err(|_| broken)?);
        package.drain(..LENGTH_SIZE);
        let cipher = Cipher::new(key).ok_or(Encrypted::Office.not_supported())?;
        match self {
            Scheme::Standard(_) => cipher.decrypt_blocks(&mut package),
            Scheme::Agile(agile) => agile.decrypt(&cipher, &mut package),
        }
        package.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        Ok(package)
    }
}

/// The hash of a password, made slow to try: it is hashed again as often as `rounds` says.
fn slow_hash(
    hash: Hash,
    salt: &[u8],
    password: &[u8],
    rounds: u32,
    budget: &Budget,
) -> Result<Vec<u8>, DocumentError> {
    let mut value = hash.of(&[salt, password]);
    for round in 0..rounds {
        if round % 1_000 == 0 {
            budget.check_time()?;
        }
        value = hash.of(&[&round.to_le_bytes(), &value]);
    }
    Ok(value)
}

/// The encryption of Office 2007.
struct Standard {
    key_size: usize,
    salt: Vec<u8>,
    verifier: Vec<u8>,
    verifier_hash: Vec<u8>,
}

impl Standard {
    const ROUNDS: u32 = 50_000;
    const AES: std::ops::RangeInclusive<u32> = 0x660E..=0x6610;

    /// `None` for another cipher than AES.
    fn read(info: &[u8]) -> Option<Standard> {
        const HEADER: usize = 12;
        let header_size = usize::try_from(long(info, 8)?).ok()?;
        let is_aes = Standard::AES.contains(&long(info, HEADER + 8)?);
        let key_size = usize::try_from(long(info, HEADER + 16)?).ok()? / 8;
        // The size of the salt, the salt, the verifier, the size of its hash, its hash.
        let verifier = info.get(HEADER.checked_add(header_size)?..)?;
        is_aes.then_some(Standard {
            key_size,
            salt: verifier.get(4..20)?.to_vec(),
            verifier: verifier.get(20..36)?.to_vec(),
            verifier_hash: verifier.get(40..72)?.to_vec(),
        })
    }

    fn key(&self, password: &[u8], budget: &Budget) -> Result<Option<Vec<u8>>, DocumentError> {
        let slow = slow_hash(Hash::Sha1, &self.salt, password, Standard::ROUNDS, budget)?;
        let last = Hash::Sha1.of(&[&slow, &[0; 4]]);
        let half = |filler: u8| {
            let mut mixed = [filler; 64];
            for (byte, other) in mixed.iter_mut().zip(&last) {
                *byte ^= other;
            }
            Hash::Sha1.of(&[&mixed])
        };
        let mut key = [half(0x36), half(0x5C)].concat();
        key.truncate(self.key_size);
        let cipher = Cipher::new(&key).ok_or(Encrypted::Office.not_supported())?;
        let (mut verifier, mut expected) = (self.verifier.clone(), self.verifier_hash.clone());
        cipher.decrypt_blocks(&mut verifier);
        cipher.decrypt_blocks(&mut expected);
        let is_right = expected.starts_with(&Hash::Sha1.of(&[&verifier]));
        Ok(is_right.then_some(key))
    }
}

/// The encryption of Office 2010 and later.
struct Agile {
    package_hash: Hash,
    package_salt: Vec<u8>,
    package_key_size: usize,
    hash: Hash,
    salt: Vec<u8>,
    rounds: u32,
    key_size: usize,
    verifier: Vec<u8>,
    verifier_hash: Vec<u8>,
    encrypted_key: Vec<u8>,
}

impl Agile {
    /// What a key is for enters its hash.
    const FOR_VERIFIER: [u8; 8] = [0xFE, 0xA7, 0xD2, 0x76, 0x3B, 0x4B, 0x9E, 0x79];
    const FOR_VERIFIER_HASH: [u8; 8] = [0xD7, 0xAA, 0x0F, 0x6D, 0x30, 0x61, 0x34, 0x4E];
    const FOR_KEY: [u8; 8] = [0x14, 0x6E, 0x0B, 0xE7, 0xAB, 0xAC, 0xD0, 0xD6];
    /// Pieces of this size are encrypted by themselves.
    const SEGMENT: usize = 4_096;
    /// The most rounds that the format allows.
    const MAX_ROUNDS: u32 = 10_000_000;

    /// `None` for anything but a password and AES in chains.
    fn read(root: XmlElement<'_>) -> Option<Agile> {
        let package = root.find("keyData")?;
        let key = root.find("encryptedKey")?;
        for part in [package, key] {
            let is = |name: &str, value: &str| part.attribute(name) == Some(value);
            if !is("cipherAlgorithm", "AES") || !is("cipherChaining", "ChainingModeCBC") {
                return None;
            }
        }
        Some(Agile {
            package_hash: hash_of(package)?,
            package_salt: decoded(package, "saltValue")?,
            package_key_size: key_size(package)?,
            hash: hash_of(key)?,
            salt: decoded(key, "saltValue")?,
            rounds: number(key, "spinCount").filter(|it| *it <= Agile::MAX_ROUNDS)?,
            key_size: key_size(key)?,
            verifier: decoded(key, "encryptedVerifierHashInput")?,
            verifier_hash: decoded(key, "encryptedVerifierHashValue")?,
            encrypted_key: decoded(key, "encryptedKeyValue")?,
        })
    }

    fn key(&self, password: &[u8], budget: &Budget) -> Result<Option<Vec<u8>>, DocumentError> {
        let slow = slow_hash(self.hash, &self.salt, password, self.rounds, budget)?;
        let open = |purpose: [u8; 8], encrypted: &[u8]| {
            let key = fitted(self.hash.of(&[&slow, &purpose]), self.key_size);
            let mut bytes = encrypted.to_vec();
            let cipher = Cipher::new(&key).ok_or(Encrypted::Office.not_supported())?;
            cipher.decrypt_chain(&first_block(&self.salt), &mut bytes);
            Ok(bytes)
        };
        let verifier = open(Agile::FOR_VERIFIER, &self.verifier)?;
        let expected = open(Agile::FOR_VERIFIER_HASH, &self.verifier_hash)?;
        if !expected.starts_with(&self.hash.of(&[&verifier])) {
            return Ok(None);
        }
        let key = open(Agile::FOR_KEY, &self.encrypted_key)?;
        Ok(Some(fitted(key, self.package_key_size)))
    }

    fn decrypt(&self, cipher: &Cipher, package: &mut [u8]) {
        for (number, segment) in (0_u32..).zip(package.chunks_mut(Agile::SEGMENT)) {
            let start = self
                .package_hash
                .of(&[&self.package_salt, &number.to_le_bytes()]);
            cipher.decrypt_chain(&first_block(&start), segment);
        }
    }
}

fn hash_of(element: XmlElement<'_>) -> Option<Hash> {
    Some(match element.attribute("hashAlgorithm")? {
        "SHA1" | "SHA-1" => Hash::Sha1,
        "SHA256" | "SHA-256" => Hash::Sha256,
        "SHA384" | "SHA-384" => Hash::Sha384,
        "SHA512" | "SHA-512" => Hash::Sha512,
        _ => return None,
    })
}

fn number(element: XmlElement<'_>, name: &str) -> Option<u32> {
    element.attribute(name)?.parse().ok()
}

fn key_size(element: XmlElement<'_>) -> Option<usize> {
    usize::try_from(number(element, "keyBits")? / 8).ok()
}

fn decoded(element: XmlElement<'_>, name: &str) -> Option<Vec<u8>> {
    STANDARD.decode(element.attribute(name)?.trim()).ok()
}

/// The bytes with the length that is asked for. The format fills up with this number.
fn fitted(mut bytes: Vec<u8>, length: usize) -> Vec<u8> {
    bytes.resize(length.min(64), 0x36);
    bytes
}

fn first_block(bytes: &[u8]) -> [u8; BLOCK] {
    let mut block = [0x36; BLOCK];
    for (place, byte) in block.iter_mut().zip(bytes) {
        *place = *byte;
    }
    block
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at.checked_add(2)?)?;
    pair.try_into().ok().map(u16::from_le_bytes)
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    four.try_into().ok().map(u32::from_le_bytes)
}
