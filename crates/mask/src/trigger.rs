//! The triggers: every literal that makes a recogniser look, and which one it calls.

use std::collections::BTreeSet;

use super::call::CALLS;
use super::command::PROGRAMS;
use super::logon::LOGONS;
use super::name::{FOREIGN_CODES, FOREIGN_PASSWORDS};
use super::shape::SHAPES;
use super::special::HOOKS;

/// Which recogniser a trigger calls.
#[derive(Clone, Copy, Debug)]
pub(super) enum Trigger {
    Shape(usize),
    Hook(usize),
    Program(usize),
    Call(usize),
    Logon(usize),
    Stem,
    OpeningCode,
    CodeBefore,
    Piped,
    ListedUsers,
    AttachedKey,
    OracleAddress,
    EncodedName,
    ShortPassword,
    WebSocket,
    Escape,
    Address,
    DriverAddress,
    BareAddress,
    JsonWebToken,
    PrivateKey,
    PuttyKey,
    Telegram,
    Firebase,
    Discord,
    Mailchimp,
    AzureSecret,
    Terraform,
    Airtable,
    PasswordHash,
    BracedHash,
    Pgpass,
    Bearer,
    Basic,
    IdentifiedBy,
    JsonWebKey,
    CookieJar,
    SecretObject,
    CodeGrant,
    ShortName,
    Code,
}

impl Trigger {
    /// Whether it reads words around it, which may be escaped.
    pub(super) fn reads_around(self) -> bool {
        matches!(
            self,
            Trigger::Program(_)
                | Trigger::Call(_)
                | Trigger::Logon(_)
                | Trigger::Piped
                | Trigger::ListedUsers
                | Trigger::IdentifiedBy
                | Trigger::PrivateKey
                | Trigger::Basic
                | Trigger::Pgpass
        )
    }

    /// Whether what it finds is judged by its looks, which escapes change.
    pub(super) fn guesses(self) -> bool {
        matches!(self, Trigger::Stem | Trigger::OpeningCode | Trigger::Bearer)
    }
}

/// Parts of names that suggest a secret. Each is matched in lowercase, Titlecase and UPPERCASE.
const STEMS: &[&str] = &[
    "key",
    "token",
    "secret",
    "pass",
    "pwd",
    "auth",
    "cred",
    "sig",
    "cookie",
    "jwt",
    "mnemonic",
    "phrase",
    "salt",
    "sess",
    "verifier",
    "hmac",
    "senha",
    "contrasena",
    "kennwort",
    "wachtwoord",
    "appid",
    "saml",
    "assword",
    "clave",
    "parola",
    "heslo",
    "kodeord",
    "adgangskode",
    "salasana",
    "losenord",
    "jelszo",
    "sifre",
    "kata sandi",
    "zugangsdaten",
    "identifiants",
    "inloggegevens",
    "community",
    "psk",
    "wif",
    "otp",
    "cvv",
    "cvc",
    "csrf",
    "xsrf",
    "pepper",
];

/// Stems that count only with the characters after them, because they are too short or too common.
const JOINED_STEMS: &[&str] = &[
    "_pw",
    "_PW",
    "Pw:",
    "pw:",
    "pw=",
    "PW=",
    "PW:",
    "pw is ",
    "PW is ",
    "pw was ",
    "pw for ",
    "pw\"",
    "pw'",
    "pw =",
    "PW =",
    "mot de passe",
    "Mot de passe",
    "MOT DE PASSE",
    "mật khẩu",
    "Mật khẩu",
    "parola d'ordine",
    "Parola d'ordine",
    "كلمة المرور",
    "كلمة السر",
    "pin:",
    "pin=",
    "pin\"",
    "pin'",
    "pin\\",
    "pin is ",
    "PIN",
    "Pin:",
    "Pin is ",
    "pin code",
    "pin =",
    "words:",
    "words are ",
    "words =",
    "words is ",
    "login:",
    "login=",
    "login = ",
    "LOGIN=",
    "LOGIN = ",
    "Login:",
    "LOGIN:",
    "logins:",
    "Logins:",
    "ticket=",
    "sid=",
    "sid\"",
    "tok=",
    "tok:",
    "tkn=",
    "tkn:",
    "bearer=",
    "bearer:",
    "bearer\"",
    "mdp:",
    "TAN:",
    "TAN is ",
    "mdp =",
    "MDP:",
];

pub(super) fn trigger_table() -> Vec<(String, Trigger)> {
    let mut table: Vec<(String, Trigger)> = Vec::new();
    let mut add = |literal: &str, trigger| table.push((literal.to_owned(), trigger));
    SHAPES
        .iter()
        .enumerate()
        .for_each(|(index, shape)| add(shape.prefix, Trigger::Shape(index)));
    HOOKS
        .iter()
        .enumerate()
        .for_each(|(index, hook)| add(hook.marker, Trigger::Hook(index)));
    PROGRAMS
        .iter()
        .enumerate()
        .for_each(|(index, program)| add(program.name, Trigger::Program(index)));
    for stem in STEMS {
        cases(stem).iter().for_each(|form| add(form, Trigger::Stem));
    }
    FOREIGN_PASSWORDS.split_whitespace().for_each(|word| {
        spellings(word)
            .iter()
            .for_each(|form| add(form, Trigger::Stem))
    });
    FOREIGN_CODES.lines().for_each(|phrase| {
        spellings(phrase)
            .iter()
            .for_each(|form| add(form, Trigger::Stem))
    });
    JOINED_STEMS
        .iter()
        .for_each(|stem| add(stem, Trigger::Stem));
    CALLS
        .iter()
        .enumerate()
        .for_each(|(index, call)| add(call.marker, Trigger::Call(index)));
    LOGONS
        .iter()
        .enumerate()
        .for_each(|(index, logon)| add(logon.marker, Trigger::Logon(index)));
    for (literals, trigger) in LITERALS {
        literals.iter().for_each(|literal| add(literal, *trigger));
    }
    escaped_markers()
        .iter()
        .for_each(|marker| add(marker, Trigger::Escape));
    discord_heads()
        .iter()
        .for_each(|head| add(head, Trigger::Discord));
    table
}

const LITERALS: &[(&[&str], Trigger)] = &[
    (&["://"], Trigger::Address),
    (&["@tcp(", "@unix("], Trigger::DriverAddress),
    (&["@"], Trigger::BareAddress),
    (&["eyJ"], Trigger::JsonWebToken),
    (&["-----BEGIN"], Trigger::PrivateKey),
    (&["Private-Lines:"], Trigger::PuttyKey),
    (&[":AA"], Trigger::Telegram),
    (&[":APA91b"], Trigger::Firebase),
    (&["-us"], Trigger::Mailchimp),
    (&["Q~"], Trigger::AzureSecret),
    (&[".atlasv1."], Trigger::Terraform),
    (&["pat"], Trigger::Airtable),
    (
        &[
            "$2a$", "$2b$", "$2y$", "$apr1$", "$1$", "$5$", "$6$", "$y$", "$argon2", "$scrypt$",
            "$pbkdf2",
        ],
        Trigger::PasswordHash,
    ),
    (
        &["{SHA}", "{SSHA}", "{SHA512}", "{SSHA512}"],
        Trigger::BracedHash,
    ),
    (&[":5432:", ":5433:", ":*:"], Trigger::Pgpass),
    (
        &["bearer ", "Bearer ", "BEARER ", "Bearer%20", "Bearer+"],
        Trigger::Bearer,
    ),
    (&["basic ", "Basic ", "BASIC "], Trigger::Basic),
    (
        &[
            "IDENTIFIED WITH",
            "identified with",
            "IDENTIFIED BY",
            "identified by",
            "Identified By",
            "Identified by",
        ],
        Trigger::IdentifiedBy,
    ),
    (&["?code=", "&code="], Trigger::Code),
    (&["kty"], Trigger::JsonWebKey),
    (&["\tTRUE\t", "\tFALSE\t"], Trigger::CookieJar),
    (
        &[
            "kind: Secret",
            "\"kind\": \"Secret\"",
            "\"kind\":\"Secret\"",
        ],
        Trigger::SecretObject,
    ),
    (&["authorization_code"], Trigger::CodeGrant),
    // Names that say nothing alone; services use them for long random values.
    (
        &[
            "?k=",
            "&k=",
            "?t=",
            "&t=",
            "?tk=",
            "&tk=",
            "?st=",
            "&st=",
            "?sign=",
            "&sign=",
            "?hash=",
            "&hash=",
            "?link=",
            "&link=",
            "?invite=",
            "&invite=",
            "?verification=",
            "&verification=",
        ],
        Trigger::ShortName,
    ),
    (&["code", "Code", "CODE"], Trigger::OpeningCode),
    (
        &[
            " is your ",
            " est votre ",
            " ist Ihr ",
            " ist dein ",
            " es tu ",
            " es su ",
            " is the ",
            " as your ",
        ],
        Trigger::CodeBefore,
    ),
    (
        &[
            "sudo -S",
            "--passphrase-fd",
            "--stdin",
            "--password-stdin",
            "chpasswd",
            "secret create ",
            "secrets create ",
            "secrets versions add ",
            "secret put ",
            "secret set ",
            "env add ",
        ],
        Trigger::Piped,
    ),
    (&["chpasswd"], Trigger::ListedUsers),
    (
        &["ATTACH DATABASE", "attach database"],
        Trigger::AttachedKey,
    ),
    (
        &["oracle:thin:", "oracle:oci:", "oracle:oci8:"],
        Trigger::OracleAddress,
    ),
    (&["%6", "%7"], Trigger::EncodedName),
    (&["?p=", "&p="], Trigger::ShortPassword),
    // Names and addresses that are written in escapes themselves.
    (
        &[
            "\\u00",
            "\\x1b[",
            "\\x1B[",
            "\\033[",
            "\\e[",
            "^[[",
            "=3D",
            ":\\/\\/",
            "%3A%2F%2F",
            "%3a%2f%2f",
            "%5Cu00",
            "%5cu00",
            ":&#x2F;&#x2F;",
            ":&#47;&#47;",
            "%242a%24",
            "%242b%24",
            "%242y%24",
            "%246%24",
            "%24argon2",
            "%24pbkdf2",
            "+IDENTIFIED+BY+",
            "+identified+by+",
        ],
        Trigger::Escape,
    ),
    (
        &["Sec-WebSocket-Protocol", "sec-websocket-protocol"],
        Trigger::WebSocket,
    ),
];

/// The markers of commands as forms write their spaces, and the beginnings of words in other
/// scripts as percent escapes: nothing else near them says that escapes must be undone.
fn escaped_markers() -> BTreeSet<String> {
    let commands = PROGRAMS.iter().map(|program| program.name);
    let logons = LOGONS.iter().map(|logon| logon.marker);
    let spaced = commands.chain(logons).filter(|marker| marker.len() >= 6);
    let mut all: BTreeSet<String> = spaced
        .flat_map(|marker| ["+", "%20"].map(|space| marker.replace(' ', space)))
        .collect();
    let foreign = FOREIGN_PASSWORDS
        .split_whitespace()
        .chain(FOREIGN_CODES.lines());
    for word in foreign.filter(|word| !word.is_ascii()) {
        let letters = word.chars().skip_while(char::is_ascii).take(2);
        let escaped: String = letters
            .collect::<String>()
            .bytes()
            .map(|byte| match byte.is_ascii() {
                true => char::from(byte).to_string(),
                false => format!("%{byte:02X}"),
            })
            .collect();
        all.insert(escaped);
    }
    all
}

/// A word as it is, and with an uppercase first letter.
fn spellings(word: &str) -> Vec<String> {
    let mut letters = word.chars();
    let title: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(letters)
        .collect();
    if title == word {
        vec![title]
    } else {
        vec![word.to_owned(), title]
    }
}

fn cases(stem: &str) -> [String; 3] {
    let title = stem[..1].to_ascii_uppercase() + &stem[1..];
    [stem.to_owned(), title, stem.to_ascii_uppercase()]
}

/// The first three base64 digits of any decimal number, because Discord tokens start with an id.
fn discord_heads() -> Vec<String> {
    let mut heads = Vec::new();
    for first in ["M", "N", "O"] {
        for second in ["D", "T", "j", "z"] {
            for third in ["A", "E", "I", "M", "Q", "U", "Y", "c", "g", "k"] {
                heads.push(format!("{first}{second}{third}"));
            }
        }
    }
    heads
}
