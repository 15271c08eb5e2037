//! The triggers: every literal that makes a recogniser look, and which one it calls.

mod literals;
mod names;

use std::collections::BTreeSet;

use self::literals::LITERALS;
use self::names::{JOINED_STEMS, STEMS};
use crate::call::CALLS;
use crate::command::PROGRAMS;
use crate::encoded;
use crate::hook::HOOKS;
use crate::logon::LOGONS;
use crate::middle::MIDDLES;
use crate::name::{FOREIGN_CODES, FOREIGN_PASSWORDS, TOKENS};
use crate::shape::SHAPES;
use crate::spoken;

/// Which recogniser a trigger calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trigger {
    Shape(usize),
    Hook(usize),
    Program(usize),
    Call(usize),
    Logon(usize),
    Middle(usize),
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
    Encoded(usize),
    WirelessCode,
    SecureString,
    CodeToUse,
    StarredHash,
    AccountOption,
    TokenOption,
    PasswordOption,
    Printed,
    BracedPassword,
    WindowsHashes,
    WindowsResponse,
    GeneratedPassword,
    KeyContent,
    AuthenticatorFile,
    MailDialogue,
    UserAndPassword,
    Mark,
    Account,
    WordForCode,
}

impl Trigger {
    /// Whether it reads words around it, which may be escaped.
    pub(crate) fn reads_around(self) -> bool {
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
    pub(crate) fn guesses(self) -> bool {
        matches!(self, Trigger::Stem | Trigger::OpeningCode | Trigger::Bearer)
    }
}

pub(crate) fn trigger_table() -> Vec<(String, Trigger)> {
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
    for word in TOKENS {
        spellings(word)
            .iter()
            .for_each(|form| add(form, Trigger::Stem));
    }
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
    MIDDLES
        .iter()
        .enumerate()
        .for_each(|(index, middle)| add(middle.mark, Trigger::Middle(index)));
    LOGONS
        .iter()
        .enumerate()
        .for_each(|(index, logon)| add(logon.marker, Trigger::Logon(index)));
    spoken::WORDS
        .iter()
        .for_each(|word| add(word, Trigger::WordForCode));
    for (literals, trigger) in LITERALS {
        literals.iter().for_each(|literal| add(literal, *trigger));
    }
    escaped_markers()
        .iter()
        .for_each(|marker| add(marker, Trigger::Escape));
    encoded::spellings()
        .iter()
        .for_each(|(spelling, place)| add(spelling, Trigger::Encoded(*place)));
    discord_heads()
        .iter()
        .for_each(|head| add(head, Trigger::Discord));
    table
}

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
