//! What a name promises about its value: `DB_PASSWORD`, `apiKey`, `X-Auth-Token`, "the API key".
//!
//! A name is cut into words (`dbPassword` and `DB_PASSWORD` are the same two) and the last word that
//! carries meaning decides, with the word before it as a witness: an `api key` is a secret, a `primary key` is not.

use std::sync::LazyLock;

use super::words::WordSet;

/// How readily a value under a name is taken for a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// People choose these: any value counts, even a plain word.
    Password,
    /// Machines make these and the name leaves no doubt: any value but an obvious word counts.
    Credential,
    /// The name has other meanings too (`token`, `auth`): the value must look chosen or made.
    Token,
    /// The name mostly means something else (`key`, `signature`): the value must look made.
    Key,
    /// An id people quote (`session 12`) or a cookie that proves an identity: only in addresses and cookie-like pairs.
    Session,
    /// A scheme and credentials follow: `Bearer …`.
    Authorization,
    /// `name=value` pairs follow.
    Cookie,
    /// Words follow: a mnemonic or a passphrase.
    Phrase,
}

/// Suffixes that say something about the form or place of the secret, not that it is none.
const FORM_WORDS: &[&str] = &[
    "value",
    "val",
    "string",
    "str",
    "raw",
    "plain",
    "plaintext",
    "header",
    "env",
    "b64",
    "base64",
    "encoded",
    "hex",
    "old",
    "new",
    "prod",
    "production",
    "dev",
    "staging",
    "test",
    "live",
    "default",
    "current",
    "base",
    "hash",
    "main",
    "primary",
    "secondary",
    "backup",
    "global",
    "ro",
    "rw",
    "admin",
    "again",
    "confirm",
    "confirmation",
    "v1",
    "v2",
    "v3",
    "2",
    "1",
    "3",
    "0",
    "temp",
    "digest",
    "file",
    "text",
    "root",
    "sandbox",
    "next",
    "prev",
    "previous",
    "encrypted",
];

/// Before `key`: a lookup, a place on the keyboard, something public; never a secret.
const HARMLESS_KEYS: &[&str] = &[
    "primary",
    "foreign",
    "public",
    "sort",
    "sorting",
    "partition",
    "cache",
    "object",
    "hot",
    "arrow",
    "escape",
    "enter",
    "shift",
    "control",
    "composite",
    "candidate",
    "unique",
    "map",
    "translation",
    "i18n",
    "row",
    "hash",
    "lookup",
    "dedupe",
    "dedup",
    "idempotency",
    "publishable",
    "surrogate",
    "natural",
    "group",
    "index",
    "range",
    "shard",
    "routing",
    "message",
    "config",
    "metadata",
    "tag",
    "label",
    "json",
    "dict",
    "dictionary",
    "attribute",
    "property",
    "parent",
    "child",
    "item",
    "field",
    "answer",
    "piano",
    "major",
    "minor",
    "storage_object",
    "s3",
    "issue",
    "project",
    "jira",
    "citation",
    "bib",
    "bibtex",
    "cite",
    "join",
    "order",
    "registry",
    "feature",
    "flag",
    "query",
    "param",
    "meta",
    "data",
    "state",
    "event",
    "press",
    "any",
    "low",
    "function",
    "f",
    "tab",
    "delete",
    "return",
    "home",
    "end",
    "missing",
    "duplicate",
    "unknown",
    "invalid",
    "react",
    "v",
    "locale",
    "lang",
    "column",
    "table",
    "site",
    "i",
    "each",
    "this",
    "that",
    "which",
    "same",
    "first",
    "last",
    "next",
    "prev",
    "other",
    "block",
    "image",
    "content",
    "topic",
    "theme",
    "color",
    "setting",
    "context",
    "resource",
    "blob",
    "file",
    "filename",
];

/// Before `key`: the pair is a credential.
const SECRET_KEYS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "encryption",
    "encrypt",
    "encrypted",
    "decryption",
    "signing",
    "signature",
    "sign",
    "master",
    "account",
    "subscription",
    "shared",
    "auth",
    "authentication",
    "ssh",
    "service",
    "admin",
    "consumer",
    "client",
    "app",
    "application",
    "license",
    "licence",
    "product",
    "activation",
    "recovery",
    "session",
    "webhook",
    "deploy",
    "server",
    "ingest",
    "ingestion",
    "write",
    "functions",
    "host",
    "storage",
    "jwt",
    "hmac",
    "root",
    "integration",
    "gateway",
    "token",
    "user",
    "personal",
    "sas",
    "aes",
    "symmetric",
    "security",
    "rsa",
    "wallet",
    "wif",
    "tls",
    "ssl",
    "authorization",
    "preshared",
    "psk",
    "openai",
    "stripe",
    "anthropic",
    "google",
    "gemini",
    "maps",
    "aws",
    "azure",
    "sendgrid",
    "mailgun",
    "mailchimp",
    "twilio",
    "datadog",
    "dd",
    "heroku",
    "algolia",
    "serper",
    "exa",
    "brave",
    "tavily",
    "serpapi",
    "github",
    "gitlab",
    "cloudflare",
    "cf",
    "newrelic",
    "sentry",
    "pagerduty",
    "groq",
    "xai",
    "grok",
    "mistral",
    "cohere",
    "deepseek",
    "replicate",
    "firebase",
    "fcm",
    "rails",
    "django",
    "flask",
    "laravel",
    "secretaccess",
    "apim",
    "openrouter",
    "perplexity",
    "huggingface",
    "hf",
    "airtable",
    "notion",
    "linear",
    "slack",
    "discord",
    "telegram",
    "bing",
    "youtube",
    "mapbox",
    "openweather",
    "weather",
    "lens",
    "uspto",
    "semantic",
    "scholar",
    "vapid",
    "cron",
    "nonce",
    "logged",
];

/// Before `token`: a piece of language, of a page list, of money; never a secret.
const HARMLESS_TOKENS: &[&str] = &[
    "max",
    "min",
    "num",
    "total",
    "prompt",
    "completion",
    "input",
    "output",
    "count",
    "page",
    "continuation",
    "sync",
    "stop",
    "eos",
    "bos",
    "pad",
    "unk",
    "mask",
    "cls",
    "sep",
    "special",
    "unexpected",
    "syntax",
    "design",
    "css",
    "lexer",
    "punctuation",
    "operator",
    "identifier",
    "whitespace",
    "erc20",
    "erc721",
    "nft",
    "governance",
    "utility",
    "native",
    "per",
    "first",
    "last",
    "previous",
    "keyword",
    "color",
    "string",
    "next",
    "public",
    "word",
    "subword",
    "text",
    "reasoning",
    "cached",
    "image",
    "audio",
    "visual",
    "class",
    "current",
    "end",
    "start",
    "begin",
    "eof",
    "crypto",
    "meme",
    "unknown",
    "offending",
    "cancellation",
    "cancel",
    "progress",
];

/// One word that is two: the head must be known, or `monkey` and `compass` would be secrets.
const GLUED_PASS: &[&str] = &[
    "db", "user", "my", "root", "admin", "smtp", "ftp", "mail", "mysql", "pg", "ssh", "imap",
    "ldap", "redis", "wifi", "sql", "key", "store",
];

/// The longest name that is read, and the most words of it.
const LONGEST: usize = 96;
const MOST_WORDS: usize = 8;

/// The words of a name in lower case, without allocating: names are judged by the thousand.
struct Words {
    bytes: [u8; LONGEST],
    /// Start and end of each word; the last ones, when there are more than fit.
    ends: [(u8, u8); MOST_WORDS],
    count: usize,
}

impl Words {
    fn of(name: &str) -> Self {
        let name = name.as_bytes();
        // The end of a name decides; a long beginning is cut.
        let name = &name[name.len().saturating_sub(LONGEST)..];
        let mut words = Self {
            bytes: [0; LONGEST],
            ends: [(0, 0); MOST_WORDS],
            count: 0,
        };
        let mut start = 0;
        for (index, byte) in name.iter().enumerate() {
            words.bytes[index] = byte.to_ascii_lowercase();
            let separator = !byte.is_ascii_alphanumeric() && *byte < 0x80;
            if separator || starts_hump(name, index) {
                words.push(start, index);
                start = if separator { index + 1 } else { index };
            }
        }
        words.push(start, name.len());
        words
    }

    fn push(&mut self, start: usize, end: usize) {
        if start >= end {
            return;
        }
        if self.count == MOST_WORDS {
            self.ends.rotate_left(1);
            self.count -= 1;
        }
        self.ends[self.count] = (start as u8, end as u8);
        self.count += 1;
    }

    fn get(&self, index: usize) -> &str {
        let (start, end) = self.ends[index];
        std::str::from_utf8(&self.bytes[usize::from(start)..usize::from(end)]).unwrap_or_default()
    }

    fn before(&self, index: usize) -> &str {
        index.checked_sub(1).map_or("", |at| self.get(at))
    }

    fn last(&self) -> &str {
        self.before(self.count)
    }

    fn has(&self, word: &str) -> bool {
        (0..self.count).any(|index| self.get(index) == word)
    }
}

/// `dbPassword`, `AWSSecret`: a capital after a small letter, or the last of several before one.
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

static FORM: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(FORM_WORDS));
static HARMLESS_KEY: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(HARMLESS_KEYS));
static SECRET_KEY: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(SECRET_KEYS));
static HARMLESS_TOKEN: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(HARMLESS_TOKENS));

/// What `name` promises. `lead` is the one or two words of prose before it ("your API").
pub(super) fn sense(name: &str, lead: &str) -> Option<Sense> {
    let words = Words::of(name);
    let mut last = words.count.checked_sub(1)?;
    if words.has("publishable") || words.has("public") {
        return None;
    }
    // `SECRET_KEY_BASE` and `password_hash` are decided by what the form words qualify.
    while last > 0 && FORM.contains(words.get(last)) {
        last -= 1;
    }
    let lead_words = Words::of(lead);
    let before = match words.before(last) {
        "" => lead_words.last(),
        own => own,
    };
    word_sense(words.get(last), before, words.count > 1)
}

fn word_sense(word: &str, before: &str, compound: bool) -> Option<Sense> {
    match word {
        "password" | "passwords" | "passwd" | "passwort" | "pwd" | "passcode" | "psw" | "pword"
        | "passw" | "passwrd" | "kennwort" | "contraseña" | "contrasena" | "senha"
        | "wachtwoord" | "passe" | "pw" | "пароль" | "пароля" | "Пароль" | "密码" | "密碼"
        | "パスワード" | "비밀번호" | "requirepass" | "masterauth" | "userpassword" => {
            Some(Sense::Password)
        }
        "pass"
            if !matches!(
                before,
                "first"
                    | "second"
                    | "boarding"
                    | "day"
                    | "season"
                    | "did"
                    | "to"
                    | "must"
                    | "will"
                    | "should"
                    | "tests"
                    | "all"
                    | "mountain"
                    | "by"
                    | "low"
                    | "high"
                    | "band"
                    | "render"
            ) =>
        {
            Some(if compound {
                Sense::Password
            } else {
                Sense::Token
            })
        }
        "passphrase" | "mnemonic" => Some(Sense::Phrase),
        "phrase" | "words"
            if matches!(
                before,
                "seed" | "recovery" | "secret" | "pass" | "backup" | "mnemonic"
            ) =>
        {
            Some(Sense::Phrase)
        }
        "secret" | "secrets" => Some(
            if matches!(
                before,
                "open" | "trade" | "top" | "no" | "kubernetes" | "k8s" | "image" | "pull"
            ) {
                Sense::Key
            } else {
                Sense::Credential
            },
        ),
        "token" | "tokens" => token_sense(word, before, compound),
        "key" | "keys" => key_sense(before, compound),
        "authorization" => Some(Sense::Authorization),
        "auth" | "jwt" | "bearer" | "credential" | "credentials" | "creds" | "cred"
        | "verifier" | "assertion" | "sessid" | "phpsessid" | "jsessionid" | "otp" | "totp"
        | "sasl" | "pat" => Some(if word == "auth" && before == "proxy" {
            Sense::Authorization
        } else {
            Sense::Token
        }),
        "sig" | "signature" | "hmac" | "salt" | "pepper" | "samlresponse" | "sid" | "appid" => {
            Some(Sense::Key)
        }
        "session" | "sessionid" => Some(Sense::Session),
        "cookie" | "cookies" => Some(Sense::Cookie),
        _ => glued_sense(word),
    }
}

fn token_sense(word: &str, before: &str, compound: bool) -> Option<Sense> {
    if HARMLESS_TOKEN.contains(before) {
        return None;
    }
    match (word, before, compound) {
        ("tokens", _, _) => Some(Sense::Key),
        (_, _, true) => Some(Sense::Credential),
        (
            _,
            "access" | "auth" | "api" | "refresh" | "bearer" | "bot" | "personal" | "secret"
            | "session" | "security" | "service" | "deploy" | "csrf" | "oauth" | "id"
            | "authentication",
            _,
        ) => Some(Sense::Credential),
        _ => Some(Sense::Token),
    }
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

/// `apikey`, `accesstoken`, `dbpassword`, `clientsecret`, `authorizationtoken`.
fn glued_sense(word: &str) -> Option<Sense> {
    let head = |tail: &str| word.strip_suffix(tail).filter(|head| head.len() > 1);
    if head("password").is_some()
        || head("passwd").is_some()
        || head("pwd").is_some()
        || head("pass").is_some_and(|head| GLUED_PASS.contains(&head))
    {
        return Some(Sense::Password);
    }
    if let Some(head) = head("token") {
        return token_sense("token", head, true);
    }
    if head("secret").is_some() {
        return Some(Sense::Credential);
    }
    if head("signature").is_some() {
        return Some(Sense::Key);
    }
    let head = head("key")?;
    SECRET_KEY
        .contains(head)
        .then_some(Sense::Credential)
        .or_else(|| {
            head.strip_suffix("api")
                .or_else(|| head.strip_suffix("access"))
                .map(|_| Sense::Credential)
        })
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
