//! What a name says about its value: `DB_PASSWORD`, `apiKey`, `X-Auth-Token`, "the API key".
//!
//! A name is split into words (`dbPassword` and `DB_PASSWORD` have the same two). The last
//! meaningful word decides, together with the word before it: an `api key` is a secret, a
//! `primary key` is not.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::words::{WordMap, WordSet};

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
const FORM_WORDS: &str = include_str!("words/form.txt");

/// Words before `key` that make it harmless: a lookup, a key of the keyboard, something public.
const HARMLESS_KEYS: &str = include_str!("words/harmless_keys.txt");

/// Words before `key` that make it a credential.
const SECRET_KEYS: &str = include_str!("words/secret_keys.txt");

/// Words before `token` that make it harmless: tokens of a language, of pagination, of money.
const HARMLESS_TOKENS: &str = include_str!("words/harmless_tokens.txt");

/// Words before `pass` in a compound. Other words do not count, or `compass` would be a secret.
const GLUED_PASS: &[&str] = &[
    "db", "user", "my", "root", "admin", "smtp", "ftp", "mail", "mysql", "pg", "ssh", "imap",
    "ldap", "redis", "wifi", "sql", "key", "store",
];

/// More words than any name needs; the last ones count.
const MOST_WORDS: usize = 8;

/// The words of a name, as slices of it: very many names are examined, so nothing is copied.
struct Words<'n> {
    list: [&'n str; MOST_WORDS],
    count: usize,
}

impl<'n> Words<'n> {
    fn split(name: &'n str) -> Self {
        let bytes = name.as_bytes();
        let mut words = Self {
            list: [""; MOST_WORDS],
            count: 0,
        };
        let mut start = 0;
        for (index, byte) in bytes.iter().enumerate() {
            let separator = !byte.is_ascii_alphanumeric() && byte.is_ascii();
            if separator || starts_hump(bytes, index) {
                words.push(&name[start..index]);
                start = if separator { index + 1 } else { index };
            }
        }
        words.push(&name[start..]);
        words
    }

    fn push(&mut self, word: &'n str) {
        if word.is_empty() {
            return;
        }
        if self.count == MOST_WORDS {
            self.list.rotate_left(1);
            self.count -= 1;
        }
        self.list[self.count] = word;
        self.count += 1;
    }

    fn before(&self, index: usize) -> &'n str {
        index.checked_sub(1).map_or("", |at| self.list[at])
    }

    fn last(&self) -> &'n str {
        self.before(self.count)
    }

    fn has(&self, word: &str) -> bool {
        self.list[..self.count]
            .iter()
            .any(|own| own.len() == word.len() && own.eq_ignore_ascii_case(word))
    }
}

/// Whether a word of camel case starts here: `dbPassword`, `AWSSecret`. That is an uppercase letter
/// after a lowercase one, or the last of several uppercase ones before a lowercase one.
fn starts_hump(name: &[u8], index: usize) -> bool {
    let Some(before) = index.checked_sub(1).map(|at| name[at]) else {
        return false;
    };
    let next_is_small = name.get(index + 1).is_some_and(u8::is_ascii_lowercase);
    name[index].is_ascii_uppercase()
        && (before.is_ascii_lowercase()
            || before.is_ascii_digit()
            || before.is_ascii_uppercase() && next_is_small)
}

/// Words before `code` that make it an access code.
const CODE_WORDS: &str = include_str!("words/codes.txt");

/// Passwords and one-time codes in other languages; the engine matches the same words.
pub(super) const FOREIGN_PASSWORDS: &str = include_str!("words/foreign_passwords.txt");
pub(super) const FOREIGN_CODES: &str = include_str!("words/foreign_codes.txt");

static FOREIGN_PASSWORD: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| FOREIGN_PASSWORDS.split_whitespace().collect());
static FOREIGN_CODE: LazyLock<Vec<String>> =
    LazyLock::new(|| FOREIGN_CODES.lines().map(str::to_lowercase).collect());
static CODE_WORD: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(CODE_WORDS));
static FORM: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(FORM_WORDS));
static HARMLESS_KEY: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(HARMLESS_KEYS));
static SECRET_KEY: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(SECRET_KEYS));
static HARMLESS_TOKEN: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(HARMLESS_TOKENS));

/// The sense of `name`. `lead` is the one or two words of prose before it ("your API").
pub(super) fn sense(name: &str, lead: &str) -> Option<Sense> {
    let words = Words::split(name);
    let mut last = words.count.checked_sub(1)?;
    if words.has("publishable") || words.has("public") {
        return None;
    }
    if (name.contains(' ') || !name.is_ascii()) && is_foreign_code(name) {
        return Some(Sense::Code);
    }
    // In `SECRET_KEY_BASE` and `password_hash`, the word that the form words qualify decides.
    while last > 0 && (FORM.contains(words.list[last]) || is_key_data(&words, last)) {
        last -= 1;
    }
    let lead_words = Words::split(lead);
    if is_any(words.list[last], &["code"]) && asks_for_code(&lead_words) {
        return Some(Sense::Code);
    }
    let before = match words.before(last) {
        "" => lead_words.last(),
        own => own,
    };
    word_sense(words.list[last], before, words.count > 1)
}

/// `client-key-data` in a kubeconfig; other data is not a secret.
fn is_key_data(words: &Words<'_>, last: usize) -> bool {
    is_any(words.list[last], &["data"]) && is_any(words.before(last), &["key"])
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

/// The meaning of a single word, without its neighbours.
#[derive(Clone, Copy, Debug)]
enum Says {
    Sense(Sense),
    Pass,
    Code,
    Words,
    Secret,
    Token,
    Tokens,
    Key,
    Auth,
}

const PASSWORD_WORDS: &str = include_str!("words/passwords.txt");

const TOKEN_WORDS: &[&str] = &[
    "jwt",
    "bearer",
    "credential",
    "credentials",
    "creds",
    "cred",
    "verifier",
    "assertion",
    "sessid",
    "phpsessid",
    "jsessionid",
    "sasl",
    "pat",
];

static SAYS: LazyLock<WordMap<Says>> = LazyLock::new(|| {
    let same = |words: &[&'static str], sense| {
        words
            .iter()
            .map(|word| (*word, Says::Sense(sense)))
            .collect::<Vec<_>>()
    };
    let mut all: Vec<(&str, Says)> = PASSWORD_WORDS
        .split_whitespace()
        .map(|word| (word, Says::Sense(Sense::Password)))
        .collect();
    all.extend(same(TOKEN_WORDS, Sense::Token));
    all.extend(same(&["clave", "parola", "heslo", "kodeord"], Sense::Pass));
    all.extend(same(
        &[
            "otp", "totp", "pin", "mfa", "cvv", "cvc", "cvv2", "tan", "mtan",
        ],
        Sense::Code,
    ));
    all.extend(same(
        &[
            "login",
            "logins",
            "zugangsdaten",
            "identifiants",
            "zugang",
            "acceso",
            "inloggegevens",
            "user/pass",
        ],
        Sense::Login,
    ));
    all.extend(same(
        &[
            "psk",
            "community",
            "rlkey",
            "wskey",
            "wif",
            "hexkey",
            "resourcekey",
            "authkey",
            "passkey",
            "rekey",
        ],
        Sense::Credential,
    ));
    all.extend(same(
        &[
            "sig",
            "signature",
            "hmac",
            "salt",
            "pepper",
            "samlresponse",
            "sid",
            "appid",
            "ticket",
        ],
        Sense::Key,
    ));
    all.extend(same(&["passphrase", "mnemonic"], Sense::Phrase));
    all.extend(same(&["session", "sessionid"], Sense::Session));
    all.extend(same(&["cookie", "cookies"], Sense::Cookie));
    all.extend(same(&["authorization"], Sense::Authorization));
    all.extend([
        ("pass", Says::Pass),
        ("code", Says::Code),
        ("codes", Says::Code),
        ("phrase", Says::Words),
        ("words", Says::Words),
        ("secret", Says::Secret),
        ("secrets", Says::Secret),
    ]);
    all.extend([
        ("token", Says::Token),
        ("tokens", Says::Tokens),
        ("key", Says::Key),
        ("keys", Says::Key),
        ("auth", Says::Auth),
    ]);
    WordMap::new(&all)
});

/// Words before `pass` that make it harmless: a ticket, an attempt, a filter, a mountain pass.
const HARMLESS_PASSES: &[&str] = &[
    "first", "second", "boarding", "day", "season", "did", "to", "must", "will", "should", "tests",
    "all", "mountain", "by", "low", "high", "band", "render",
];

fn is_any(word: &str, list: &[&str]) -> bool {
    list.iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn word_sense(word: &str, before: &str, compound: bool) -> Option<Sense> {
    match (word, before) {
        // Vault's `secret_id` is the secret of a role.
        ("id", "secret") => return Some(Sense::Key),
        (id, session) if is_any(id, &["id"]) && is_any(session, &["session"]) => {
            return Some(Sense::Session);
        }
        (part, saml) if is_any(part, &["response", "request"]) && is_any(saml, &["saml"]) => {
            return Some(Sense::Key);
        }
        _ => {}
    }
    match SAYS.get(word) {
        Some(Says::Sense(sense)) => Some(sense),
        Some(Says::Pass) if is_any(before, HARMLESS_PASSES) => None,
        Some(Says::Pass) => Some(if compound {
            Sense::Password
        } else {
            Sense::Pass
        }),
        Some(Says::Code) => CODE_WORD.contains(before).then_some(Sense::Code),
        Some(Says::Words) => is_any(
            before,
            &["seed", "recovery", "secret", "pass", "backup", "mnemonic"],
        )
        .then_some(Sense::Phrase),
        Some(Says::Secret)
            if is_any(
                before,
                &[
                    "open",
                    "trade",
                    "top",
                    "no",
                    "kubernetes",
                    "k8s",
                    "image",
                    "pull",
                ],
            ) =>
        {
            Some(Sense::Key)
        }
        Some(Says::Secret) => Some(Sense::Credential),
        Some(Says::Token) => token_sense(before, compound),
        Some(Says::Tokens) => token_sense(before, compound).map(|_| Sense::Key),
        Some(Says::Key) => key_sense(before, compound),
        Some(Says::Auth) => Some(if is_any(before, &["proxy"]) {
            Sense::Authorization
        } else {
            Sense::Token
        }),
        None => foreign_sense(word)
            .or_else(|| numbered_sense(word, before, compound))
            .or_else(|| glued_sense(word)),
    }
}

/// "code de vérification", "Bestätigungscode", "认证码": the whole phrase decides.
fn is_foreign_code(name: &str) -> bool {
    let lower = name.to_lowercase();
    FOREIGN_CODE
        .iter()
        .any(|phrase| lower.ends_with(phrase.as_str()))
}

/// Words of other scripts, some of them too long for the table.
fn foreign_sense(word: &str) -> Option<Sense> {
    if word.is_ascii() {
        return None;
    }
    let lower = word.to_lowercase();
    FOREIGN_PASSWORD
        .contains(lower.as_str())
        .then_some(Sense::Password)
}

/// The same name with a number: `password1`, `api_key2`, `token01`.
fn numbered_sense(word: &str, before: &str, compound: bool) -> Option<Sense> {
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    (name.len() >= 3 && (1..=2).contains(&(word.len() - name.len())))
        .then(|| word_sense(name, before, compound))
        .flatten()
}

/// Words before a lone `token` that make it unambiguous.
const SECRET_TOKENS: &[&str] = &[
    "access",
    "auth",
    "api",
    "refresh",
    "bearer",
    "bot",
    "personal",
    "secret",
    "session",
    "security",
    "service",
    "deploy",
    "csrf",
    "oauth",
    "id",
    "authentication",
];

fn token_sense(before: &str, compound: bool) -> Option<Sense> {
    if HARMLESS_TOKEN.contains(before) {
        return None;
    }
    Some(if compound || is_any(before, SECRET_TOKENS) {
        Sense::Credential
    } else {
        Sense::Token
    })
}

fn key_sense(before: &str, compound: bool) -> Option<Sense> {
    if HARMLESS_KEY.contains(before) {
        None
    } else if SECRET_KEY.contains(before) {
        Some(Sense::Credential)
    } else if compound && before.len() > 1 {
        Some(Sense::Token)
    } else {
        Some(Sense::Key)
    }
}

/// The sense of a compound: `apikey`, `accesstoken`, `dbpassword`, `clientsecret`.
fn glued_sense(word: &str) -> Option<Sense> {
    let head = |tail: &str| without_tail(word, tail).filter(|head| head.len() > 1);
    // Only words with these endings can be compounds; the last letter rules out nearly all others.
    match word.as_bytes().last()?.to_ascii_lowercase() {
        b'd' if head("password").is_some() || head("passwd").is_some() || head("pwd").is_some() => {
            Some(Sense::Password)
        }
        b's' if head("pass").is_some_and(|head| is_any(head, GLUED_PASS)) => Some(Sense::Password),
        b'n' => head("token").and_then(|head| token_sense(head, true)),
        b't' => head("secret").map(|_| Sense::Credential),
        b'e' if head("code").is_some_and(is_code_head) => Some(Sense::Code),
        b'e' => head("signature").map(|_| Sense::Key),
        b'y' => {
            let head = head("key")?;
            let glued_twice = || without_tail(head, "api").or_else(|| without_tail(head, "access"));
            (SECRET_KEY.contains(head) || glued_twice().is_some()).then_some(Sense::Credential)
        }
        _ => None,
    }
}

/// The first part of `accesscode`, `Sicherheitscode` or `verificatiecode`.
fn is_code_head(head: &str) -> bool {
    let lower = head.to_ascii_lowercase();
    CODE_WORD.contains(head)
        || ["ungs", "heits", "gangs", "catie", "gang", "mal"]
            .iter()
            .any(|tail| lower.ends_with(tail))
}

fn without_tail<'w>(word: &'w str, tail: &str) -> Option<&'w str> {
    let split = word.len().checked_sub(tail.len())?;
    let head = word.get(..split)?;
    word[split..].eq_ignore_ascii_case(tail).then_some(head)
}

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
            "primary_key",
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
