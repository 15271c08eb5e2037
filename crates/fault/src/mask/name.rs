//! What a name promises about its value: `DB_PASSWORD`, `apiKey`, `X-Auth-Token`, "the API key".
//!
//! A name is cut into words (`dbPassword` and `DB_PASSWORD` are the same two) and the last word that
//! carries meaning decides, with the word before it as a witness: an `api key` is a secret, a `primary key` is not.

use std::sync::LazyLock;

use super::words::{WordMap, WordSet};

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
    "db", "user", "my", "root", "admin", "smtp", "ftp", "mail", "mysql", "pg", "ssh", "imap", "ldap", "redis", "wifi", "sql", "key",
    "store",
];

/// More words than any name needs; the last ones count.
const MOST_WORDS: usize = 8;

/// The words of a name, as slices of it: names are judged by the thousand, so nothing is copied.
struct Words<'n> {
    list: [&'n str; MOST_WORDS],
    count: usize,
}

impl<'n> Words<'n> {
    fn of(name: &'n str) -> Self {
        let bytes = name.as_bytes();
        let mut words = Self { list: [""; MOST_WORDS], count: 0 };
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
        self.list[..self.count].iter().any(|own| own.len() == word.len() && own.eq_ignore_ascii_case(word))
    }
}

/// `dbPassword`, `AWSSecret`: a capital after a small letter, or the last of several before one.
fn starts_hump(name: &[u8], index: usize) -> bool {
    let Some(before) = index.checked_sub(1).map(|at| name[at]) else {
        return false;
    };
    let next_is_small = name.get(index + 1).is_some_and(u8::is_ascii_lowercase);
    name[index].is_ascii_uppercase()
        && (before.is_ascii_lowercase() || before.is_ascii_digit() || before.is_ascii_uppercase() && next_is_small)
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
    while last > 0 && FORM.contains(words.list[last]) {
        last -= 1;
    }
    let lead_words = Words::of(lead);
    let before = match words.before(last) {
        "" => lead_words.last(),
        own => own,
    };
    word_sense(words.list[last], before, words.count > 1)
}

/// What a single word says, before its neighbours are asked.
#[derive(Clone, Copy, Debug)]
enum Says {
    Sense(Sense),
    Pass,
    Words,
    Secret,
    Token,
    Tokens,
    Key,
    Auth,
}

const PASSWORD_WORDS: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "passwort",
    "pwd",
    "passcode",
    "psw",
    "pword",
    "passw",
    "passwrd",
    "kennwort",
    "contraseña",
    "contrasena",
    "senha",
    "wachtwoord",
    "passe",
    "pw",
    "пароль",
    "пароля",
    "Пароль",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
    "requirepass",
    "masterauth",
];

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
    "otp",
    "totp",
    "sasl",
    "pat",
];

static SAYS: LazyLock<WordMap<Says>> = LazyLock::new(|| {
    let same = |words: &[&'static str], sense| words.iter().map(|word| (*word, Says::Sense(sense))).collect::<Vec<_>>();
    let mut all = same(PASSWORD_WORDS, Sense::Password);
    all.extend(same(TOKEN_WORDS, Sense::Token));
    all.extend(same(&["sig", "signature", "hmac", "salt", "pepper", "samlresponse", "sid", "appid"], Sense::Key));
    all.extend(same(&["passphrase", "mnemonic"], Sense::Phrase));
    all.extend(same(&["session", "sessionid"], Sense::Session));
    all.extend(same(&["cookie", "cookies"], Sense::Cookie));
    all.extend(same(&["authorization"], Sense::Authorization));
    all.extend([
        ("pass", Says::Pass),
        ("phrase", Says::Words),
        ("words", Says::Words),
        ("secret", Says::Secret),
        ("secrets", Says::Secret),
    ]);
    all.extend([("token", Says::Token), ("tokens", Says::Tokens), ("key", Says::Key), ("keys", Says::Key), ("auth", Says::Auth)]);
    WordMap::new(&all)
});

/// Before `pass`: a ticket, a try, a filter, a place in the mountains.
const HARMLESS_PASSES: &[&str] = &[
    "first", "second", "boarding", "day", "season", "did", "to", "must", "will", "should", "tests", "all", "mountain", "by", "low", "high",
    "band", "render",
];

fn is_any(word: &str, list: &[&str]) -> bool {
    list.iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn word_sense(word: &str, before: &str, compound: bool) -> Option<Sense> {
    match SAYS.get(word) {
        Some(Says::Sense(sense)) => Some(sense),
        Some(Says::Pass) if is_any(before, HARMLESS_PASSES) => None,
        Some(Says::Pass) => Some(if compound { Sense::Password } else { Sense::Token }),
        Some(Says::Words) => is_any(before, &["seed", "recovery", "secret", "pass", "backup", "mnemonic"]).then_some(Sense::Phrase),
        Some(Says::Secret) if is_any(before, &["open", "trade", "top", "no", "kubernetes", "k8s", "image", "pull"]) => Some(Sense::Key),
        Some(Says::Secret) => Some(Sense::Credential),
        Some(Says::Token) => token_sense(before, compound),
        Some(Says::Tokens) => token_sense(before, compound).map(|_| Sense::Key),
        Some(Says::Key) => key_sense(before, compound),
        Some(Says::Auth) => Some(if is_any(before, &["proxy"]) { Sense::Authorization } else { Sense::Token }),
        None => glued_sense(word),
    }
}

/// Before a lone `token`: the pair leaves no doubt.
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
    Some(if compound || is_any(before, SECRET_TOKENS) { Sense::Credential } else { Sense::Token })
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

/// `apikey`, `accesstoken`, `dbpassword`, `clientsecret`.
fn glued_sense(word: &str) -> Option<Sense> {
    let head = |tail: &str| without_tail(word, tail).filter(|head| head.len() > 1);
    // Only words that end like this can be glued; the last letters rule out nearly all others.
    match word.as_bytes().last()?.to_ascii_lowercase() {
        b'd' if head("password").is_some() || head("passwd").is_some() || head("pwd").is_some() => Some(Sense::Password),
        b's' if head("pass").is_some_and(|head| is_any(head, GLUED_PASS)) => Some(Sense::Password),
        b'n' => head("token").and_then(|head| token_sense(head, true)),
        b't' => head("secret").map(|_| Sense::Credential),
        b'e' => head("signature").map(|_| Sense::Key),
        b'y' => {
            let head = head("key")?;
            let glued_twice = || without_tail(head, "api").or_else(|| without_tail(head, "access"));
            (SECRET_KEY.contains(head) || glued_twice().is_some()).then_some(Sense::Credential)
        }
        _ => None,
    }
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
        for name in
            ["DB_PASSWORD", "dbPassword", "db-password", "spring.datasource.password", "PASSWORD_HASH", "mysqlRootPassword", "dbpass"]
        {
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
