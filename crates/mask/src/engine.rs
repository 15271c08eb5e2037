//! One linear pass over the text. A single automaton matches every trigger (key prefixes, stems of
//! sensitive names, `://`, program names). At each match a small recogniser examines the
//! surrounding text and may claim a span. Text without triggers only passes through the automaton.
//!
//! Recognisers read a bounded distance ahead and back, or start at a word boundary, so hostile text
//! takes linear time too.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, MatchKind};

use super::call::{self, CALLS};
use super::command::{self, PROGRAMS};
use super::logon::{self, LOGONS};
use super::name::{FOREIGN_CODES, FOREIGN_PASSWORDS};
use super::shape::{self, SHAPES};
use super::special::{self, HOOKS};
use super::text::{Span, Text, is_word};
use super::{context, header, url};

/// The replacement for a secret.
pub(super) const MASK: &str = "***";

/// Which recogniser a trigger calls.
#[derive(Clone, Copy, Debug)]
enum Trigger {
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
    Code,
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
    "Login:",
    "LOGIN:",
    "logins:",
    "Logins:",
    "ticket=",
    "mdp:",
    "TAN:",
    "TAN is ",
    "mdp =",
    "MDP:",
];

struct Engine {
    automaton: DFA,
    triggers: Vec<Trigger>,
}

impl Engine {
    fn new(table: Vec<(String, Trigger)>) -> Self {
        let automaton = DFA::builder()
            .match_kind(MatchKind::Standard)
            .build(table.iter().map(|(literal, _)| literal.as_str()))
            .expect("the trigger table is small and constant");
        Self {
            automaton,
            triggers: table.into_iter().map(|(_, trigger)| trigger).collect(),
        }
    }
}

/// For ASCII text. Without the words of other scripts, the table is half as wide and fits the
/// processor's cache.
static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    Engine::new(
        trigger_table()
            .into_iter()
            .filter(|(literal, _)| literal.is_ascii())
            .collect(),
    )
});

/// For all other text.
static WIDE_ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::new(trigger_table()));

fn trigger_table() -> Vec<(String, Trigger)> {
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
    (
        &["Sec-WebSocket-Protocol", "sec-websocket-protocol"],
        Trigger::WebSocket,
    ),
];

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

/// Each step of the automaton depends on the one before it, so four interleaved runs over four
/// parts of a text take little longer than one run over one part.
const RUNS: usize = 4;

/// Shorter texts are read in one run.
const WORTH_SEVERAL_RUNS: usize = 2048;

/// Claims every span that a pattern takes for a secret. The automaton is stepped here instead of
/// being asked for one match after another: documents are full of stems, and restarting at each one
/// would cost more than the stems do.
pub(super) fn find(text: Text<'_>, spans: &mut Vec<Span>) {
    let engine = if text.str.is_ascii() {
        &*ENGINE
    } else {
        &*WIDE_ENGINE
    };
    let automaton = &engine.automaton;
    let Ok(start) = automaton.start_state(Anchored::No) else {
        return;
    };
    let parts = parts(text);
    let mut passes = [const { Pass::new() }; RUNS];
    let mut states = [start; RUNS];
    let shared = parts.iter().map(|part| part.len()).min().unwrap_or(0);
    let starts = parts.each_ref().map(|part| part.start);
    for index in 0..shared {
        for run in 0..RUNS {
            let byte = text.bytes[starts[run] + index];
            states[run] = automaton.next_state(Anchored::No, states[run], byte);
        }
        for run in 0..RUNS {
            if automaton.is_special(states[run]) {
                let end = starts[run] + index + 1;
                passes[run].matched(text, engine, states[run], end, spans);
            }
        }
    }
    for run in 0..RUNS {
        for index in parts[run].start + shared..parts[run].end {
            states[run] = automaton.next_state(Anchored::No, states[run], text.bytes[index]);
            if automaton.is_special(states[run]) {
                passes[run].matched(text, engine, states[run], index + 1, spans);
            }
        }
    }
}

/// The text in parts of about the same length. Each ends at a line end, because no trigger and
/// hardly any secret spans two lines.
fn parts(text: Text<'_>) -> [Span; RUNS] {
    let mut start = 0;
    std::array::from_fn(|run| {
        let wanted = text.len() / RUNS * (run + 1);
        let end = if run + 1 == RUNS {
            text.len()
        } else if text.len() < WORTH_SEVERAL_RUNS {
            start
        } else {
            let line_end = text.bytes[start..wanted]
                .iter()
                .rposition(|it| *it == b'\n');
            line_end.map_or(start, |at| start + at + 1)
        };
        std::mem::replace(&mut start, end)..end
    })
}

/// The positions up to which one pass has examined the text, so that no part is examined twice.
struct Pass {
    name_end: usize,
    shape_end: usize,
    command_end: usize,
    done: usize,
}

impl Pass {
    const fn new() -> Pass {
        Pass {
            name_end: 0,
            shape_end: 0,
            command_end: 0,
            done: 0,
        }
    }

    #[inline(never)]
    fn matched(
        &mut self,
        text: Text<'_>,
        engine: &Engine,
        state: StateID,
        end: usize,
        spans: &mut Vec<Span>,
    ) {
        if !engine.automaton.is_match(state) {
            return;
        }
        for which in 0..engine.automaton.match_len(state) {
            let pattern = engine.automaton.match_pattern(state, which);
            let hit = end - engine.automaton.pattern_len(pattern)..end;
            self.look(text, engine.triggers[pattern.as_usize()], hit, spans);
        }
    }

    fn look(&mut self, text: Text<'_>, trigger: Trigger, hit: Span, spans: &mut Vec<Span>) {
        let (start, end) = (hit.start, hit.end);
        if start < self.done {
            return;
        }
        let before = spans.len();
        match trigger {
            Trigger::Stem => self.stem(text, hit, spans),
            Trigger::Shape(index) => self.shape(text, index, hit, spans),
            Trigger::Program(index) if start >= self.command_end => {
                self.command_end = command::at(text, &PROGRAMS[index], start, spans)
            }
            Trigger::Program(_) => {}
            Trigger::Call(index) => call::at(text, &CALLS[index], start, spans),
            Trigger::Logon(index) => spans.extend(logon::at(text, &LOGONS[index], start)),
            Trigger::OpeningCode => self.opening_code(text, hit, spans),
            Trigger::CodeBefore => spans.extend(special::code_before(text, start)),
            Trigger::Piped => spans.extend(logon::piped(text, start)),
            Trigger::ListedUsers => logon::listed_users(text, end, spans),
            Trigger::AttachedKey => spans.extend(logon::attached_key(text, end)),
            Trigger::OracleAddress => spans.extend(logon::oracle_address(text, end)),
            Trigger::EncodedName => spans.extend(url::encoded_name(text, start)),
            Trigger::ShortPassword => spans.extend(url::short_password(text, hit)),
            Trigger::WebSocket => header::web_socket_protocols(text, end, spans),
            Trigger::Hook(index) => spans.extend(special::hook_path(text, &HOOKS[index], start)),
            Trigger::Address => url::user_part(text, start, spans),
            Trigger::DriverAddress => spans.extend(url::driver_address(text, start)),
            Trigger::BareAddress => spans.extend(url::bare_address(text, start)),
            Trigger::JsonWebToken => spans.extend(special::json_web_token(text, start)),
            Trigger::PrivateKey => spans.extend(special::private_key(text, start)),
            Trigger::PuttyKey => spans.extend(special::putty_key(text, end)),
            Trigger::Telegram => spans.extend(special::telegram_token(text, start)),
            Trigger::Firebase => spans.extend(special::firebase_key(text, start)),
            Trigger::Discord => spans.extend(special::discord_token(text, start)),
            Trigger::Mailchimp => spans.extend(special::mailchimp_key(text, start)),
            Trigger::AzureSecret => spans.extend(special::azure_secret(text, start)),
            Trigger::Terraform => spans.extend(special::terraform_token(text, start)),
            Trigger::Airtable => spans.extend(special::airtable_token(text, start)),
            Trigger::PasswordHash => spans.extend(special::password_hash(text, start)),
            Trigger::BracedHash => spans.extend(special::braced_hash(text, end)),
            Trigger::Pgpass => spans.extend(special::pgpass_line(text, start)),
            Trigger::Bearer => spans.extend(header::bearer(text, end)),
            Trigger::Basic => spans.extend(header::basic(text, end)),
            Trigger::IdentifiedBy => spans.extend(command::identified_by(text, end)),
            Trigger::Code => spans.extend(url::authorization_code(text, hit)),
        }
        for span in &spans[before..] {
            self.done = self.done.max(span.end);
        }
    }

    fn stem(&mut self, text: Text<'_>, hit: Span, spans: &mut Vec<Span>) {
        if hit.end > self.name_end {
            self.name_end = context::at(text, trimmed(text, hit), spans);
        }
    }

    /// "code" is a common word, so a code counts only with digits nearby.
    fn opening_code(&mut self, text: Text<'_>, hit: Span, spans: &mut Vec<Span>) {
        let near = &text.bytes[hit.end..text.len().min(hit.end + 16)];
        if matches!(
            near.first(),
            Some(b' ' | b':' | b'=' | b'"' | b'\'' | b's' | b'\\' | b'_' | b'`' | b'%')
        ) && near.iter().any(u8::is_ascii_digit)
        {
            self.stem(text, hit, spans);
        }
    }

    fn shape(&mut self, text: Text<'_>, index: usize, hit: Span, spans: &mut Vec<Span>) {
        let shape = &SHAPES[index];
        if hit.start < self.shape_end {
            return;
        }
        match shape::at(text, shape, hit.start) {
            Ok(span) => spans.push(span),
            Err(end) => self.shape_end = end,
        }
    }
}

/// Short stems include their joint (`pw=`), which is not part of the name.
fn trimmed(text: Text<'_>, hit: Span) -> Span {
    // "mot de passe" itself contains spaces.
    if is_word(text.at(hit.end - 1)) {
        hit
    } else {
        hit.start..text.run(hit.start, hit.len(), is_word)
    }
}

/// Replaces the spans by the mask. Borrows the text if there are none.
pub(super) fn replace<'t>(text: Text<'t>, mut spans: Vec<Span>) -> Cow<'t, str> {
    if spans.is_empty() {
        return Cow::Borrowed(text.str);
    }
    spans.sort_unstable_by_key(|span| span.start);
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    let mut index = 0;
    while index < spans.len() {
        let mut span = text.widened(spans[index].clone());
        while index + 1 < spans.len() && spans[index + 1].start <= span.end {
            index += 1;
            span.end = span.end.max(text.widened(spans[index].clone()).end);
        }
        out.push_str(&text.str[copied..span.start.max(copied)]);
        out.push_str(MASK);
        copied = span.end;
        index += 1;
    }
    out.push_str(&text.str[copied..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn time(piece: &str, size: usize) -> Duration {
        let text = piece.repeat(size / piece.len());
        let start = Instant::now();
        let mut spans = Vec::new();
        find(Text::new(&text), &mut spans);
        start.elapsed()
    }

    /// Repeats every literal of the table: four times the text must take about four times as long.
    /// Reading to the end of the text from each literal would take sixteen times as long, and
    /// minutes in all.
    #[test]
    fn no_trigger_reads_far_again_and_again() {
        for (literal, _) in trigger_table() {
            for piece in [literal.clone(), format!("{literal}-")] {
                // The best of a few runs, and a lower bound, because short runs on a busy machine
                // vary.
                let best = |size| (0..5).map(|_| time(&piece, size)).min().unwrap_or_default();
                if time(&piece, 40_000) > Duration::from_millis(150) {
                    let (small, large) = (best(10_000), best(40_000));
                    assert!(
                        large < small * 10 + Duration::from_millis(100),
                        "{piece:?}: {small:?}, then {large:?}"
                    );
                }
            }
        }
    }
}
