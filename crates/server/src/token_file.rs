//! The file of static bearer tokens that `--tokens` names.
//!
//! ```toml
//! [[token]]
//! name = "ada"                      # whose sessions and limits these calls have
//! sha256 = "9f86d0…"                # of the token; or token = "…" itself
//! scopes = ["research", "web"]      # left out: the tools of every toolset
//! ```

use std::{fmt, io, path::Path};

use ring::digest;
use serde::Deserialize;

use crate::scope::{Scope, Scopes};

/// Shorter tokens can be guessed.
const MIN_TOKEN: usize = 32;
/// As many as a header of a request may have.
const MAX_TOKEN: usize = 4_096;
const MAX_FILE: u64 = 1 << 20;

/// The SHA-256 of a token.
pub(crate) type TokenHash = [u8; digest::SHA256_OUTPUT_LEN];

/// One table of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TokenEntry {
    pub(crate) name: String,
    pub(crate) hash: TokenHash,
    pub(crate) scopes: Scopes,
    /// The token itself, where the file has it. It must not be shown anywhere.
    plain: Option<String>,
}

impl TokenEntry {
    pub(crate) fn plain(&self) -> Option<&str> {
        self.plain.as_deref()
    }
}

/// Why a file cannot be used. The text quotes nothing that could be a token.
#[derive(Debug)]
pub(crate) enum TokenFileError {
    Unreadable(io::ErrorKind),
    TooLarge,
    /// Not TOML, or not of this form: the line, if it is known.
    Form(Option<usize>),
    /// The table with this number has this mistake.
    Entry(usize, &'static str),
    Empty,
}

impl fmt::Display for TokenFileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenFileError::Unreadable(kind) => write!(out, "the file cannot be read ({kind})"),
            TokenFileError::TooLarge => write!(out, "the file is larger than 1 MiB"),
            TokenFileError::Form(line) => {
                if let Some(line) = line {
                    write!(out, "line {line}: ")?;
                }
                write!(
                    out,
                    "expected tables [[token]] with name, token or sha256, and scopes"
                )
            }
            TokenFileError::Entry(number, mistake) => {
                write!(out, "[[token]] number {number}: {mistake}")
            }
            TokenFileError::Empty => write!(out, "the file has no [[token]]"),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFile {
    #[serde(default)]
    token: Vec<WrittenEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenEntry {
    name: String,
    token: Option<String>,
    sha256: Option<String>,
    scopes: Option<Vec<String>>,
}

/// Reads the file.
pub(crate) fn read(path: &Path) -> Result<Vec<TokenEntry>, TokenFileError> {
    let unreadable = |error: io::Error| TokenFileError::Unreadable(error.kind());
    if std::fs::metadata(path).map_err(unreadable)?.len() > MAX_FILE {
        return Err(TokenFileError::TooLarge);
    }
    parse(&std::fs::read_to_string(path).map_err(unreadable)?)
}

/// What an operator is told about a file that [`is_shown`].
pub(crate) const SHOWN_TOKENS: &str = "--tokens: every user of this machine can read the tokens in the file; run chmod 600 on it, or write sha256 instead of token";

/// Whether a file has tokens themselves, and not only their hashes, and everyone on this machine can
/// read it.
pub(crate) fn is_shown(path: &Path) -> bool {
    is_readable_by_all(path)
        && read(path).is_ok_and(|entries| entries.iter().any(|entry| entry.plain.is_some()))
}

#[cfg(unix)]
pub(crate) fn is_readable_by_all(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let file = std::fs::metadata(path);
    file.is_ok_and(|file| file.permissions().mode() & 0o004 != 0)
}

/// Elsewhere, permissions are not so simple.
#[cfg(not(unix))]
pub(crate) fn is_readable_by_all(_path: &Path) -> bool {
    false
}

fn parse(text: &str) -> Result<Vec<TokenEntry>, TokenFileError> {
    let written: WrittenFile = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| line_of(text, span.start));
        TokenFileError::Form(line)
    })?;
    let mut entries: Vec<TokenEntry> = Vec::new();
    for (index, table) in written.token.into_iter().enumerate() {
        let mistake = |text| TokenFileError::Entry(index + 1, text);
        let entry = entry(table).map_err(mistake)?;
        if entries.iter().any(|other| other.hash == entry.hash) {
            return Err(mistake("this token is in the file twice"));
        }
        entries.push(entry);
    }
    if entries.is_empty() {
        return Err(TokenFileError::Empty);
    }
    Ok(entries)
}

fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

fn entry(written: WrittenEntry) -> Result<TokenEntry, &'static str> {
    let name = written.name.trim().to_owned();
    if !(1..=100).contains(&name.len()) || name.chars().any(char::is_control) {
        return Err("name must have 1 to 100 characters");
    }
    let hash = match (&written.token, &written.sha256) {
        (Some(token), None) => {
            let fits = (MIN_TOKEN..=MAX_TOKEN).contains(&token.len());
            if !fits || !is_bearer(token) {
                return Err(
                    "token must have 32 to 4096 characters of A-Z, a-z, 0-9, - . _ ~ + / and =",
                );
            }
            token_hash(token)
        }
        (None, Some(hash)) => parse_hash(hash).ok_or("sha256 must have 64 hexadecimal digits")?,
        _ => return Err("give either token or sha256"),
    };
    let scopes = match written.scopes {
        None => Scopes::every_toolset(),
        Some(names) => names
            .iter()
            .map(|name| Scope::parse(name))
            .collect::<Option<Scopes>>()
            .ok_or(
                "scopes may be research, web, live, patterns, agent, metrics, operator and proxy",
            )?,
    };
    Ok(TokenEntry {
        name,
        hash,
        scopes,
        plain: written.token,
    })
}

/// The characters that RFC 6750 allows in a token.
pub(crate) fn is_bearer(token: &str) -> bool {
    let body = token.trim_end_matches('=');
    let is_allowed = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/')
    };
    !body.is_empty() && body.bytes().all(is_allowed)
}

pub(crate) fn token_hash(token: &str) -> TokenHash {
    let digest = digest::digest(&digest::SHA256, token.as_bytes());
    digest.as_ref().try_into().expect("SHA-256 has 32 bytes")
}

pub(crate) fn parse_hash(text: &str) -> Option<TokenHash> {
    let mut hash = TokenHash::default();
    if text.len() != 2 * hash.len() || !text.is_ascii() {
        return None;
    }
    for (index, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "correct-horse-battery-staple-0123456789";

    fn mistake(text: &str) -> String {
        parse(text).expect_err("a mistake").to_string()
    }

    #[test]
    fn a_token_and_its_hash_are_the_same_entry() {
        let hash = token_hash(TOKEN);
        let digits: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let plain = parse(&format!("[[token]]\nname = \"ada\"\ntoken = \"{TOKEN}\"\n"));
        let hashed = parse(&format!(
            "[[token]]\nname = \"ada\"\nsha256 = \"{digits}\"\nscopes = [\"web\", \"proxy\"]\n"
        ));
        let (plain, hashed) = (plain.expect("read"), hashed.expect("read"));
        assert_eq!(plain[0].hash, hashed[0].hash);
        assert_eq!(plain[0].scopes, Scopes::every_toolset());
        assert!(hashed[0].scopes.has(Scope::Proxy) && !hashed[0].scopes.has(Scope::Research));
        assert_eq!((plain[0].plain(), hashed[0].plain()), (Some(TOKEN), None));
    }

    #[test]
    fn mistakes_say_where_they_are_and_quote_no_token() {
        let short = "[[token]]\nname = \"a\"\ntoken = \"hunter2hunter2\"\n";
        assert!(mistake(short).starts_with("[[token]] number 1: token must have 32"));
        assert!(!mistake(short).contains("hunter2"));
        let twice = format!(
            "[[token]]\nname=\"a\"\ntoken=\"{TOKEN}\"\n[[token]]\nname=\"b\"\ntoken=\"{TOKEN}\"\n"
        );
        assert!(mistake(&twice).contains("number 2: this token is in the file twice"));
        let unknown = format!("[[token]]\nname=\"a\"\ntoken=\"{TOKEN}\"\nscopes=[\"admin\"]\n");
        assert!(mistake(&unknown).contains("scopes may be research"));
        let both = format!("[[token]]\nname=\"a\"\ntoken=\"{TOKEN}\"\nsha256=\"00\"\n");
        assert!(mistake(&both).contains("either token or sha256"));
        let strange = format!("[[token]]\nname=\"a\"\ntoken=\"{TOKEN}\"\nadmin=true\n");
        assert!(
            mistake(&strange).starts_with("line 4: "),
            "{}",
            mistake(&strange)
        );
        let broken = format!("[[token]]\ntoken = \"{TOKEN}\n");
        assert!(!mistake(&broken).contains(TOKEN), "{}", mistake(&broken));
        assert!(mistake("").contains("no [[token]]"));
    }
}
