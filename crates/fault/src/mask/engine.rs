//! One linear pass over the text. A single automaton knows every trigger (key prefixes, stems of sensitive names, `://`,
//! program names); at each hit one small recogniser looks around and may claim a span. Clean text meets the automaton only.
//!
//! Recognisers look a bounded distance ahead and back, or start at a word border, so hostile text stays linear too.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::automaton::Automaton;
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, MatchKind};

use super::command::{self, PROGRAMS};
use super::shape::{self, SHAPES};
use super::special::{self, HOOKS};
use super::text::{Span, Text, is_word};
use super::{context, header, url};

/// What a masked secret becomes.
pub(super) const MASK: &str = "***";

/// Which recogniser a trigger calls.
#[derive(Clone, Copy, Debug)]
enum Trigger {
    Shape(usize),
    Hook(usize),
    Program(usize),
    Stem,
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

/// Parts of names that promise a secret; each is looked for in small, Title and CAPITAL letters.
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
];

/// Stems without case, and short ones that count only with their joint.
const PLAIN_STEMS: &[&str] = &["пароль", "Пароль", "пароля", "contraseña", "Contraseña", "密码", "密碼", "パスワード", "비밀번호"];

struct Engine {
    automaton: DFA,
    triggers: Vec<Trigger>,
}

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let table = trigger_table();
    let automaton = DFA::builder()
        .match_kind(MatchKind::Standard)
        .build(table.iter().map(|(literal, _)| literal.as_str()))
        .expect("the trigger table is small and constant");
    Engine { automaton, triggers: table.into_iter().map(|(_, trigger)| trigger).collect() }
});

fn trigger_table() -> Vec<(String, Trigger)> {
    let mut table: Vec<(String, Trigger)> = Vec::new();
    let mut add = |literal: &str, trigger| table.push((literal.to_owned(), trigger));
    SHAPES.iter().enumerate().for_each(|(index, shape)| add(shape.prefix, Trigger::Shape(index)));
    HOOKS.iter().enumerate().for_each(|(index, hook)| add(hook.marker, Trigger::Hook(index)));
    PROGRAMS.iter().enumerate().for_each(|(index, program)| add(program.name, Trigger::Program(index)));
    for stem in STEMS {
        cases(stem).iter().for_each(|form| add(form, Trigger::Stem));
    }
    PLAIN_STEMS.iter().for_each(|stem| add(stem, Trigger::Stem));
    for form in
        ["_pw", "_PW", "Pw:", "pw:", "pw=", "PW=", "PW:", "pw is ", "PW is ", "pw was ", "mot de passe", "Mot de passe", "MOT DE PASSE"]
    {
        add(form, Trigger::Stem);
    }
    for (literals, trigger) in LITERALS {
        literals.iter().for_each(|literal| add(literal, *trigger));
    }
    discord_heads().iter().for_each(|head| add(head, Trigger::Discord));
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
    (&["$2a$", "$2b$", "$2y$", "$apr1$", "$1$", "$5$", "$6$", "$y$", "$argon2", "$scrypt$", "$pbkdf2"], Trigger::PasswordHash),
    (&["{SHA}", "{SSHA}", "{SHA512}", "{SSHA512}"], Trigger::BracedHash),
    (&[":5432:", ":5433:", ":*:"], Trigger::Pgpass),
    (&["bearer ", "Bearer ", "BEARER ", "Bearer%20", "Bearer+"], Trigger::Bearer),
    (&["basic ", "Basic ", "BASIC "], Trigger::Basic),
    (&["IDENTIFIED BY", "identified by", "Identified By", "Identified by"], Trigger::IdentifiedBy),
    (&["?code=", "&code="], Trigger::Code),
];

fn cases(stem: &str) -> [String; 3] {
    let title = stem[..1].to_ascii_uppercase() + &stem[1..];
    [stem.to_owned(), title, stem.to_ascii_uppercase()]
}

/// The first three base64 digits of any decimal number: Discord tokens start with an id.
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

/// Claims every span that a pattern takes for a secret. The automaton is stepped here rather than asked for one match after
/// another: documents are full of stems, and starting anew at each would cost more than the stems do.
pub(super) fn find(text: Text<'_>, spans: &mut Vec<Span>) {
    let engine = &*ENGINE;
    let automaton = &engine.automaton;
    let Ok(mut state) = automaton.start_state(Anchored::No) else {
        return;
    };
    let mut pass = Pass { text, name_end: 0, shape_end: 0, command_end: 0, done: 0 };
    for (index, byte) in text.bytes.iter().enumerate() {
        state = automaton.next_state(Anchored::No, state, *byte);
        if automaton.is_special(state) && automaton.is_match(state) {
            for which in 0..automaton.match_len(state) {
                let pattern = automaton.match_pattern(state, which);
                let hit = index + 1 - automaton.pattern_len(pattern)..index + 1;
                pass.look(engine.triggers[pattern.as_usize()], hit, spans);
            }
        }
    }
}

/// What one pass remembers, so that nothing is examined twice.
struct Pass<'t> {
    text: Text<'t>,
    name_end: usize,
    shape_end: usize,
    command_end: usize,
    done: usize,
}

impl Pass<'_> {
    fn look(&mut self, trigger: Trigger, hit: Span, spans: &mut Vec<Span>) {
        let text = self.text;
        let (start, end) = (hit.start, hit.end);
        if start < self.done {
            return;
        }
        let before = spans.len();
        match trigger {
            Trigger::Stem => self.stem(hit, spans),
            Trigger::Shape(index) => self.shape(index, hit, spans),
            Trigger::Program(index) if start >= self.command_end => self.command_end = command::at(text, &PROGRAMS[index], start, spans),
            Trigger::Program(_) => {}
            Trigger::Hook(index) => self.hook(index, hit, spans),
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

    fn stem(&mut self, hit: Span, spans: &mut Vec<Span>) {
        if hit.end > self.name_end {
            self.name_end = context::at(self.text, trimmed(self.text, hit), spans);
        }
    }

    fn shape(&mut self, index: usize, hit: Span, spans: &mut Vec<Span>) {
        let shape = &SHAPES[index];
        if hit.start < self.shape_end {
            return;
        }
        match shape::at(self.text, shape, hit.start) {
            Ok(span) => spans.push(span),
            Err(end) => self.shape_end = end,
        }
    }

    fn hook(&mut self, index: usize, hit: Span, spans: &mut Vec<Span>) {
        let span = special::hook_path(self.text, &HOOKS[index], hit.start);
        spans.extend(span);
    }
}

/// Short stems carry their joint (`pw=`), which is not part of the name.
fn trimmed(text: Text<'_>, hit: Span) -> Span {
    // "mot de passe" holds blanks of its own.
    if is_word(text.at(hit.end - 1)) { hit } else { hit.start..text.run(hit.start, hit.len(), is_word) }
}

/// Replaces spans by the mask; borrows when there is nothing to do.
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
