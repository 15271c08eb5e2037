//! Names in other languages and scripts.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::Sense;

/// Passwords and one-time codes in other languages; the engine matches the same words.
pub(crate) const FOREIGN_PASSWORDS: &str = include_str!("../words/foreign_passwords.txt");

pub(crate) const FOREIGN_CODES: &str = include_str!("../words/foreign_codes.txt");

static FOREIGN_PASSWORD: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| FOREIGN_PASSWORDS.split_whitespace().collect());

static FOREIGN_CODE: LazyLock<Vec<String>> =
    LazyLock::new(|| FOREIGN_CODES.lines().map(str::to_lowercase).collect());

/// "code de vérification", "Bestätigungscode", "认证码": the whole phrase decides.
pub(super) fn is_foreign_code(name: &str) -> bool {
    let lower = name.to_lowercase();
    FOREIGN_CODE
        .iter()
        .any(|phrase| lower.ends_with(phrase.as_str()))
}

/// Words for a key, which mostly mean something else alone.
const KEYS: &[&str] = &["schlüssel", "sleutel", "ключ", "clé", "密钥", "金鑰"];

/// Words for a token.
pub(crate) const TOKENS: &[&str] = &[
    "токен",
    "токена",
    "токеном",
    "トークン",
    "シークレット",
    "令牌",
    "토큰",
    "密匙",
];

/// The sense of a key: `WLAN-Schlüssel`, `Lizenzschlüssel`.
pub(super) fn foreign_key(word: &str, compound: bool) -> Option<Sense> {
    // Nearly all names are ASCII, and of these words only one is.
    if word.is_ascii() && !matches!(word.as_bytes(), [.., b't', b'e', b'l']) {
        return None;
    }
    let lower = word.to_lowercase();
    let key = KEYS.iter().find(|key| lower.ends_with(*key))?;
    Some(if compound || key.len() < lower.len() {
        Sense::Credential
    } else {
        Sense::Key
    })
}

/// Words of other scripts, some of them too long for the table.
pub(super) fn foreign_sense(word: &str) -> Option<Sense> {
    if word.is_ascii() {
        return None;
    }
    let lower = word.to_lowercase();
    if TOKENS.contains(&lower.as_str()) {
        return Some(Sense::Token);
    }
    FOREIGN_PASSWORD
        .contains(lower.as_str())
        .then_some(Sense::Password)
}
