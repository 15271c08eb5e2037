//! What a name says about its value: `DB_PASSWORD`, `apiKey`, `X-Auth-Token`, "the API key".
//!
//! A name is split into words. The last meaningful word decides, together with the word before it:
//! an `api key` is a secret, a `primary key` is not.

mod foreign;
mod glued;
mod split;
mod word;

use std::sync::LazyLock;

pub(super) use self::foreign::{FOREIGN_CODES, FOREIGN_PASSWORDS, TOKENS};

use self::foreign::is_foreign_code;
use self::split::Words;
use self::word::{is_any, word_sense};
use super::words::WordSet;

/// How readily the value of a name is taken for a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// People choose these, so any value counts, even a plain word.
    Password,
    /// These are generated and the name is unambiguous: any value but an obvious word counts.
    Credential,
    /// The name has other meanings too (`token`, `auth`): the value must look like a password or a
    /// generated key.
    Token,
    /// The name mostly means something else (`key`, `signature`): the value must look generated.
    Key,
    /// An id that people quote (`session 12`) or a cookie that is a credential: counts only in URLs
    /// and cookie-like pairs.
    Session,
    /// A scheme and credentials follow: `Bearer …`.
    Authorization,
    /// `name=value` pairs follow.
    Cookie,
    /// Words follow: a mnemonic or a passphrase.
    Phrase,
    /// A password, or a ticket, an attempt, a filter (`pass`, `clave`): quoted text counts, a bare
    /// word must look like a password.
    Pass,
    /// A one-time code or a PIN: a few digits.
    Code,
    /// A user and a secret follow: `bob / hunter2`.
    Login,
}

/// Suffixes that describe the form or place of the secret; the name still means a secret.
const FORM_WORDS: &str = include_str!("../words/form.txt");

static FORM: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(FORM_WORDS));

/// Whether a name with this word is that of something public, or of a failure. The length decides
/// nearly always.
fn names_no_secret(word: &str) -> bool {
    match word.len() {
        3 => word.eq_ignore_ascii_case("err"),
        5 => word.eq_ignore_ascii_case("error"),
        6 => is_any(word, &["public", "hashed", "sealed", "masked"]),
        8 => is_any(word, &["checksum", "redacted"]),
        9 => word.eq_ignore_ascii_case("exception"),
        11 => word.eq_ignore_ascii_case("publishable"),
        _ => false,
    }
}

/// The sense of `name`. `lead` is the one or two words of prose before it ("your API").
pub(super) fn sense(name: &str, lead: &str) -> Option<Sense> {
    let words = Words::split(name);
    let mut last = words.before_purpose().checked_sub(1)?;
    if words.own().iter().any(|word| names_no_secret(word)) {
        return None;
    }
    if (name.contains(' ') || !name.is_ascii()) && is_foreign_code(name) {
        return Some(Sense::Code);
    }
    // In `SECRET_KEY_BASE` and `password_hash`, the word that the form words qualify decides.
    while last > 0 && (FORM.contains(words.list[last]) || is_key_data(&words, last)) {
        last -= 1;
    }
    if is_any(words.list[last], &["code"]) && asks_for_code(&Words::split(lead)) {
        return Some(Sense::Code);
    }
    let before = match words.before(last) {
        "" => Words::split(lead).last(),
        own => own,
    };
    if is_any(words.list[last], &["key"]) && words.own().iter().any(|word| is_wireless(word)) {
        return Some(Sense::Password);
    }
    word_sense(words.list[last], before, words.count > 1).filter(|sense| {
        !(matches!(sense, Sense::Key | Sense::Session) && name.starts_with("data-"))
    })
}

/// How much a name says of what stands near it without being joined to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hint {
    /// Perhaps a secret: a long drawn value near it is one.
    Key,
    /// An account or a network: a drawn value on its line is its password.
    Account,
    /// A secret: any drawn value near it is one.
    Secret,
    /// A password, which people choose.
    Password,
}

/// What any word of a name says, wherever in the name it stands: `pap-secrets`, `AuthInfo`.
pub(super) fn hint(name: &str, lead: &str) -> Option<Hint> {
    let words = Words::split(name);
    if words.own().iter().any(|word| names_no_secret(word)) {
        return None;
    }
    let says = |index: usize| {
        let before = match words.before(index) {
            "" => Words::split(lead).last(),
            own => own,
        };
        word_sense(words.list[index], before, words.count > 1)
    };
    let senses = || (0..words.count).filter_map(says);
    let secret = |sense: Sense| {
        matches!(
            sense,
            Sense::Password
                | Sense::Credential
                | Sense::Token
                | Sense::Authorization
                | Sense::Phrase
                | Sense::Pass
                | Sense::Login
        )
    };
    let credentials = |word: &&str| is_any(word, &["credentials", "creds", "chap", "psk"]);
    if senses().any(|sense| sense == Sense::Password) || words.own().iter().any(credentials) {
        return Some(Hint::Password);
    }
    if senses().any(secret) {
        return Some(Hint::Secret);
    }
    senses()
        .any(|sense| sense == Sense::Key)
        .then_some(Hint::Key)
}

/// People choose the keys of wireless networks.
fn is_wireless(word: &str) -> bool {
    is_any(
        word,
        &["wifi", "wlan", "wireless", "wpa", "wpa2", "wpa3", "wep"],
    )
}

/// `client-key-data` in a kubeconfig; other data is not a secret.
fn is_key_data(words: &Words<'_>, last: usize) -> bool {
    is_any(words.list[last], &["data", "v4"]) && is_any(words.before(last), &["key", "password"])
}

/// Whether the words ask for or announce a code: "Enter the code 482913", "Your Example code is
/// 482913".
fn asks_for_code(lead: &Words<'_>) -> bool {
    let asked = is_any(lead.last(), &["the", "this", "following"])
        && (lead.has("enter") || lead.has("type"));
    asked || lead.has("your") && !is_any(lead.last(), OTHER_CODES)
}

/// Words before `code` that make it harmless.
const OTHER_CODES: &[&str] = &[
    "zip",
    "postal",
    "country",
    "area",
    "source",
    "error",
    "promo",
    "discount",
    "exit",
    "status",
    "coupon",
    "product",
    "referral",
    "qr",
    "bar",
    "dress",
    "sort",
    "swift",
    "language",
    "currency",
    "tax",
    "color",
    "order",
    "class",
    "diagnosis",
    "machine",
    "morse",
    "own",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compound_names_are_secrets() {
        for name in [
            "DB_PASSWORD",
            "dbPassword",
            "db-password",
            "spring.datasource.password",
            "PASSWORD_HASH",
            "mysqlRootPassword",
            "dbpass",
        ] {
            assert_eq!(sense(name, ""), Some(Sense::Password), "{name}");
        }
        for name in [
            "apiKey",
            "API_KEY",
            "x-api-key",
            "apikey",
            "X-Subscription-Token",
            "OPENAI_API_KEY",
            "SECRET_KEY_BASE",
            "Ocp-Apim-Subscription-Key",
            "AccountKey",
            "clientsecret",
            "AWSSecretKey",
        ] {
            assert_eq!(sense(name, ""), Some(Sense::Credential), "{name}");
        }
        assert_eq!(sense("key", "the API"), Some(Sense::Credential));
        assert_eq!(sense("Proxy-Authorization", ""), Some(Sense::Authorization));
    }

    #[test]
    fn other_keys_and_tokens_are_not() {
        for name in [
            "max_tokens",
            "monkey",
            "keyboard",
            "tokenizer",
            "author",
            "next_page_token",
            "public_key",
            "publicKeyToken",
            "api_key_id",
            "token_type",
            "password_reset",
            "compass",
        ] {
            assert_eq!(sense(name, ""), None, "{name}");
        }
        assert_eq!(sense("key", "primary"), None);
        assert_eq!(sense("token", "unexpected"), None);
    }
}
