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
use super::hook::{self, HOOKS};
use super::logon::{self, LOGONS};
use super::middle::{self, MIDDLES};
use super::name::Hint;
use super::near::{self, Near};
use super::shape::{self, SHAPES};
use super::special;
use super::text::{Span, Text, is_word};
use super::trigger::{Trigger, trigger_table};
use super::view::{self, EscapedParts, Windows};
use super::{
    again, beside, context, encoded, header, nest, piped, place, profile, spoken, stays, table,
    url, wrapped,
};

/// The replacement for a secret.
pub(super) const MASK: &str = "***";

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

/// Each step of the automaton depends on the one before it, so four interleaved runs over four
/// parts of a text take little longer than one run over one part.
const RUNS: usize = 4;

/// Shorter texts are read in one run.
const WORTH_SEVERAL_RUNS: usize = 2048;

/// Longer words may be keys that happen to have no digit, in bytes.
const LONGEST_SMALL_WORD: usize = 16;

/// How far an escape may be from what a trigger reads, in bytes.
const SEEN_BEFORE: usize = 160;
const SEEN_AFTER: usize = 320;

/// No trigger is longer, in bytes.
const LONGEST_TRIGGER: usize = 64;

/// Claims every span that a pattern takes for a secret. The automaton is stepped here instead of
/// being asked for one match after another: documents are full of stems, and restarting at each one
/// would cost more than the stems do.
pub(super) fn find(text: Text<'_>, spans: &mut Vec<Span>) {
    if is_one_small_word(text) {
        return;
    }
    let mut found = Vec::new();
    let escaped = EscapedParts::of(text);
    let windows = scan(text, &escaped, None, &mut found);
    if found.is_empty() && windows.is_empty() {
        return;
    }
    let in_a_layer = |layer: Text<'_>, undone: &EscapedParts, found: &mut Vec<Span>| {
        scan(layer, &EscapedParts::none(), Some(undone), found);
    };
    view::look(text, &windows, in_a_layer, &mut found);
    found.retain(|span| !stays::any(text, span));
    wrapped::find(text, &mut found);
    beside::find(text, &mut found);
    again::find(text, &mut found);
    spans.append(&mut found);
}

/// Whether this is one short word in small letters, as most names and many values of a reply are: it
/// has no room for a name and a value, and a generated key has digits or capitals.
fn is_one_small_word(text: Text<'_>) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'_';
    text.len() <= LONGEST_SMALL_WORD && text.bytes.iter().all(is_plain)
}

/// As [`find`], in the text as it is. Returns where escapes must be undone to see more. In a layer,
/// `undone` says where escapes were: what is far from them has been seen before.
fn scan<'p>(
    text: Text<'_>,
    escaped: &'p EscapedParts,
    undone: Option<&'p EscapedParts>,
    spans: &mut Vec<Span>,
) -> Windows<'p> {
    let engine = if text.str.is_ascii() {
        &*ENGINE
    } else {
        &*WIDE_ENGINE
    };
    let automaton = &engine.automaton;
    let Ok(start) = automaton.start_state(Anchored::No) else {
        return Windows::new(escaped);
    };
    let mut windows = Windows::new(escaped);
    if let Some(undone) = undone {
        for part in undone.reach(SEEN_BEFORE, SEEN_AFTER + LONGEST_TRIGGER, text.len()) {
            let mut pass = Pass::new(escaped, Some(undone));
            pass.read(text, engine, start, part, spans);
            spans.append(&mut pass.near.found);
        }
        return windows;
    }
    if text.len() < WORTH_SEVERAL_RUNS {
        let mut pass = Pass::new(escaped, None);
        pass.read(text, engine, start, 0..text.len(), spans);
        spans.append(&mut pass.near.found);
        return pass.windows;
    }
    let parts = parts(text);
    let mut passes = [(); RUNS].map(|()| Pass::new(escaped, None));
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
        let rest = parts[run].start + shared..parts[run].end;
        passes[run].read(text, engine, states[run], rest, spans);
    }
    for mut pass in passes {
        spans.append(&mut pass.near.found);
        windows.append(pass.windows);
    }
    windows
}

/// The text in parts of about the same length. Each ends at a line end, because no trigger and
/// hardly any secret spans two lines.
fn parts(text: Text<'_>) -> [Span; RUNS] {
    let mut start = 0;
    std::array::from_fn(|run| {
        let wanted = text.len() / RUNS * (run + 1);
        let end = if run + 1 == RUNS {
            text.len()
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
struct Pass<'p> {
    name_end: usize,
    marked_end: usize,
    shape_end: usize,
    command_end: usize,
    table_end: usize,
    statement_end: usize,
    object_end: usize,
    key_end: usize,
    encoded_end: usize,
    done: usize,
    /// What stands near a name. It does not keep other recognisers from looking at the same place.
    near: Near,
    windows: Windows<'p>,
    undone: Option<&'p EscapedParts>,
}

impl<'p> Pass<'p> {
    const fn new(escaped: &'p EscapedParts, undone: Option<&'p EscapedParts>) -> Self {
        Pass {
            name_end: 0,
            marked_end: 0,
            shape_end: 0,
            command_end: 0,
            table_end: 0,
            statement_end: 0,
            object_end: 0,
            key_end: 0,
            encoded_end: 0,
            done: 0,
            near: Near::new(),
            windows: Windows::new(escaped),
            undone,
        }
    }

    /// Runs the automaton over a part of the text, from a state that it is in.
    fn read(
        &mut self,
        text: Text<'_>,
        engine: &Engine,
        mut state: StateID,
        part: Span,
        spans: &mut Vec<Span>,
    ) {
        for index in part {
            state = engine
                .automaton
                .next_state(Anchored::No, state, text.bytes[index]);
            if engine.automaton.is_special(state) {
                self.matched(text, engine, state, index + 1, spans);
            }
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
        if start < self.done || self.was_seen(&hit) {
            return;
        }
        let before = spans.len();
        if trigger.reads_around() {
            self.windows.note(text, &hit);
        }
        match trigger {
            Trigger::Stem => self.stem(text, hit, spans),
            Trigger::Shape(index) => self.shape(text, index, hit, spans),
            Trigger::Program(index) if start >= self.command_end => {
                self.command_end = command::at(text, &PROGRAMS[index], start, spans)
            }
            Trigger::Program(_) => {}
            Trigger::Call(index) => call::at(text, &CALLS[index], start, spans),
            Trigger::Logon(index) => spans.extend(logon::at(text, &LOGONS[index], start)),
            Trigger::Middle(index) => spans.extend(middle::around(text, &MIDDLES[index], start)),
            Trigger::OpeningCode => self.opening_code(text, hit, spans),
            Trigger::CodeBefore => spans.extend(special::code_before(text, start)),
            Trigger::Piped => spans.extend(piped::secret(text, start)),
            Trigger::ListedUsers => piped::listed_users(text, end, spans),
            Trigger::AttachedKey => spans.extend(logon::attached_key(text, end)),
            Trigger::OracleAddress => spans.extend(logon::oracle_address(text, end)),
            Trigger::EncodedName => spans.extend(url::encoded_name(text, start)),
            Trigger::ShortPassword => spans.extend(url::short_password(text, hit)),
            Trigger::Escape => self.windows.add(text, &hit),
            Trigger::WebSocket => header::web_socket_protocols(text, end, spans),
            Trigger::Hook(index) => spans.extend(hook::hook_path(text, &HOOKS[index], start)),
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
            Trigger::JsonWebKey if start >= self.key_end => {
                self.windows.note(text, &hit);
                self.key_end = special::json_web_key(text, start, spans);
            }
            Trigger::CookieJar => spans.extend(header::cookie_jar_line(text, start)),
            Trigger::SecretObject if start >= self.object_end => {
                self.object_end = end + nest::LONGEST_OBJECT / 2;
                self.windows.note(text, &hit);
                nest::secret_object(text, hit, spans);
            }
            Trigger::JsonWebKey | Trigger::SecretObject => {}
            Trigger::CodeGrant => {
                self.windows.note(text, &hit);
                spans.extend(url::granted_code(text, hit));
            }
            Trigger::ShortName => spans.extend(url::short_name(text, end)),
            Trigger::Code => spans.extend(url::authorization_code(text, hit)),
            Trigger::Encoded(place) => self.encoded(text, start, place, spans),
            Trigger::WirelessCode => spans.extend(profile::wireless_code(text, start)),
            Trigger::KeyContent => spans.extend(profile::key_content(text, end)),
            Trigger::AuthenticatorFile => profile::authenticator_file(text, start, spans),
            Trigger::MailDialogue => spans.extend(profile::mail_dialogue(text, end)),
            Trigger::BracedPassword => spans.extend(special::braced_password(text, end)),
            Trigger::WindowsHashes => spans.extend(special::windows_hashes(text, start)),
            Trigger::WindowsResponse => spans.extend(special::windows_response(text, start)),
            Trigger::GeneratedPassword => spans.extend(profile::generated_password(text, end)),
            Trigger::AccountOption => spans.extend(place::account(text, end)),
            Trigger::TokenOption => spans.extend(place::token(text, end)),
            Trigger::PasswordOption => spans.extend(place::password(text, end)),
            Trigger::Printed => spans.extend(place::printed(text, end)),
            Trigger::SecureString => spans.extend(profile::secure_string(text, end)),
            Trigger::CodeToUse => spans.extend(special::code_to_use(text, end)),
            Trigger::StarredHash => spans.extend(special::starred_hash(text, end)),
            Trigger::Mark if start >= self.marked_end => {
                let (marked, read) = near::marked(text, start);
                self.marked_end = read;
                self.near.found.extend(marked);
            }
            Trigger::Account => {
                spans.extend(place::user_pair(text, end));
                self.near.look(text, &hit, false, || Some(Hint::Account));
            }
            Trigger::Mark => {}
            Trigger::WordForCode => spans.extend(spoken::code(text, &hit)),
            Trigger::UserAndPassword => spans.extend(profile::user_and_password(text, end)),
        }
        if spans.len() == before {
            return;
        }
        if !trigger.guesses() {
            self.windows.sure.extend_from_slice(&spans[before..]);
        }
        for span in &spans[before..] {
            self.done = self.done.max(span.end);
        }
    }

    /// Whether no escape was undone near a place of a layer.
    fn was_seen(&self, hit: &Span) -> bool {
        self.undone.is_some_and(|undone| {
            !undone.any(hit.start.saturating_sub(SEEN_BEFORE)..hit.end + SEEN_AFTER)
        })
    }

    fn stem(&mut self, text: Text<'_>, hit: Span, spans: &mut Vec<Span>) {
        if hit.end <= self.name_end {
            return;
        }
        let stem = trimmed(text, hit);
        let Some(end) = context::name_end(text, &stem) else {
            self.name_end = stem.end;
            return;
        };
        self.windows.note(text, &(stem.start..end));
        let before = spans.len();
        self.table(text, &stem, end, spans);
        self.name_end = context::at(text, stem.clone(), end, spans);
        let own = spans.len() > before;
        let name = stem.start..end;
        self.near
            .look(text, &name, own, || context::hint(text, &stem, end));
    }

    /// Reads the table or the statement in whose heading the name stands.
    fn table(&mut self, text: Text<'_>, stem: &Span, end: usize, spans: &mut Vec<Span>) {
        if !table::may_end_cell(text, end) {
            return;
        }
        let before = spans.len();
        let name = context::name_start(text, stem.start)..end;
        spans.extend(table::setting(text, &name));
        if stem.start >= self.statement_end {
            let read = table::statement(text, name.clone(), spans);
            self.statement_end = self.statement_end.max(read.unwrap_or(0));
        }
        if stem.start >= self.table_end {
            let read =
                table::at(text, name.clone(), spans).or_else(|| table::html(text, name, spans));
            self.table_end = self.table_end.max(read.unwrap_or(0));
        }
        // A cell is found by its place, and the heading may be outside the window of an escape.
        self.windows.sure.extend_from_slice(&spans[before..]);
    }

    /// Reads the base64 text around a sensitive word in it.
    fn encoded(&mut self, text: Text<'_>, start: usize, place: usize, spans: &mut Vec<Span>) {
        if start < self.encoded_end {
            return;
        }
        let encoded = encoded::around(text, start, place);
        self.encoded_end = encoded.span.end;
        let mut found = Vec::new();
        let decoded = Text::new(&encoded.decoded);
        scan(decoded, &EscapedParts::none(), None, &mut found);
        if !found.is_empty() {
            spans.push(encoded.span);
        }
    }

    /// "code" is a common word, so a code counts only with digits nearby.
    fn opening_code(&mut self, text: Text<'_>, hit: Span, spans: &mut Vec<Span>) {
        let near = &text.bytes[hit.end..text.len().min(hit.end + 16)];
        // "Your recovery codes. Keep them safe.": they stand below.
        if matches!(near, [b's', b'.' | b' ' | b',' | b'\n', ..]) {
            return self.stem(text, hit, spans);
        }
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
mod tests;
