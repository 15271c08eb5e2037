//! What one word of a name says about the value, given the word before it.

use std::sync::LazyLock;

use super::Sense;
use super::foreign::{foreign_key, foreign_sense};
use super::glued::glued_sense;
use crate::words::{WordMap, WordSet};

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

const PASSWORD_WORDS: &str = include_str!("../words/passwords.txt");

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
    "csrf",
    "xsrf",
    "tok",
    "tkn",
    "crumb",
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
            "otp", "totp", "pin", "mfa", "cvv", "cvc", "cvv2", "tan", "mtan", "puk",
        ],
        Sense::Code,
    ));
    all.extend(same(
        &[
            "login",
            "logins",
            "userid",
            "zugangsdaten",
            "identifiants",
            "zugang",
            "acceso",
            "inloggegevens",
            "user/pass",
            "wifi",
            "fi",
            "wlan",
        ],
        Sense::Login,
    ));
    all.extend(same(
        &[
            "psk",
            "community",
            "rocommunity",
            "rwcommunity",
            "rlkey",
            "skey",
            "sk",
            "macaroon",
            "pass4symmkey",
            "wskey",
            "wif",
            "hexkey",
            "resourcekey",
            "authkey",
            "passkey",
            "rekey",
            "nwkskey",
            "appskey",
            "nthash",
            "lmhash",
            "setcookie",
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
            "license",
            "licence",
            "encrypt",
            "ntlm",
        ],
        Sense::Key,
    ));
    all.extend(same(&["passphrase", "mnemonic", "seed"], Sense::Phrase));
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
    "all", "mountain", "by", "low", "high", "band", "render", "pre", "post", "single", "multi",
    "final", "each", "every", "forward", "backward", "game",
];

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

/// Words before `code` that make it an access code.
const CODE_WORDS: &str = include_str!("../words/codes.txt");

pub(super) static CODE_WORD: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(CODE_WORDS));

/// Words before `key` that make it harmless: a lookup, a key of the keyboard, something public.
const HARMLESS_KEYS: &str = include_str!("../words/harmless_keys.txt");

pub(super) static HARMLESS_KEY: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(HARMLESS_KEYS));

/// Words before `key` that make it a credential.
const SECRET_KEYS: &str = include_str!("../words/secret_keys.txt");

pub(super) static SECRET_KEY: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(SECRET_KEYS));

/// Words before `token` that make it harmless: tokens of a language, of pagination, of money.
const HARMLESS_TOKENS: &str = include_str!("../words/harmless_tokens.txt");

static HARMLESS_TOKEN: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(HARMLESS_TOKENS));

pub(super) fn word_sense(word: &str, before: &str, compound: bool) -> Option<Sense> {
    match (word, before) {
        // The `secret_id` of Vault, Consul and Nomad is the secret itself.
        (id, secret) if is_any(id, &["id"]) && is_any(secret, &["secret"]) => {
            return Some(Sense::Token);
        }
        (id, session) if is_any(id, &["id"]) && is_any(session, &["session"]) => {
            return Some(Sense::Session);
        }
        (network, code) if is_any(network, &["wifi"]) && is_any(code, &["code", "clave"]) => {
            return Some(Sense::Password);
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
                    "existing",
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
            .or_else(|| foreign_key(word, compound))
            .or_else(|| numbered_sense(word, before, compound))
            .or_else(|| glued_sense(word)),
    }
}

/// The same name with a number: `password1`, `api_key2`, `token01`.
fn numbered_sense(word: &str, before: &str, compound: bool) -> Option<Sense> {
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    (name.len() >= 3 && (1..=2).contains(&(word.len() - name.len())))
        .then(|| word_sense(name, before, compound))
        .flatten()
}

pub(super) fn token_sense(before: &str, compound: bool) -> Option<Sense> {
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
    if is_any(before, &["primary", "secondary"]) {
        // A column of a table, or the first of two keys of a service.
        compound.then_some(Sense::Key)
    } else if HARMLESS_KEY.contains(before) {
        None
    } else if is_any(before, &["preshared"]) {
        // People choose those of wireless networks and tunnels.
        Some(Sense::Password)
    } else if SECRET_KEY.contains(before) {
        Some(Sense::Credential)
    } else if compound && before.len() > 1 {
        Some(Sense::Token)
    } else {
        Some(Sense::Key)
    }
}

pub(super) fn is_any(word: &str, list: &[&str]) -> bool {
    list.iter().any(|known| word.eq_ignore_ascii_case(known))
}
