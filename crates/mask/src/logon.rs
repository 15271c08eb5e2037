//! Commands and protocols whose secret has neither a name nor an option: `net use … secret`,
//! `sqlplus scott/tiger@db`, `htpasswd -b file user secret`, `AUTH secret`,
//! `echo secret | sudo -S`. The command is the trigger; its own rules say which word is the secret.

use super::command::{command_end, next_word};
use super::text::{Span, Text, is_base64, is_blank, is_space, is_word};
use super::value;

#[derive(Clone, Copy, Debug)]
pub(super) struct Logon {
    pub(super) marker: &'static str,
    find: fn(Text<'_>, usize, &[Span]) -> Option<Span>,
}

const fn logon(marker: &'static str, find: fn(Text<'_>, usize, &[Span]) -> Option<Span>) -> Logon {
    Logon { marker, find }
}

pub(super) const LOGONS: &[Logon] = &[
    logon("net use ", net_use),
    logon("net user ", net_user),
    logon("htpasswd ", htpasswd),
    logon("mosquitto_passwd ", htpasswd),
    logon("radtest ", after_user),
    logon("radtest ", last_chosen),
    logon("createUser ", last_quoted),
    logon("::add-mask::", first_made),
    logon("pro attach ", first_made),
    logon(" login ", last_key),
    logon("sqlplus ", oracle),
    logon("impdp ", oracle),
    logon("expdp ", oracle),
    logon("sqlldr ", oracle),
    logon("rman target ", oracle),
    logon("sqlcl ", oracle),
    logon("conn ", oracle_shell),
    logon("connect ", oracle_shell),
    logon("CONNECT ", oracle_shell),
    logon("vault login ", first_made),
    logon("vault operator unseal ", first_made),
    logon("slmgr /ipk ", first_made),
    logon("op signin ", first_made),
    logon("alias set ", fourth_made),
    logon("SSWS ", first_made),
    logon("AUTH ", auth),
    logon("AUTHENTICATE ", auth),
    logon("PASS ", protocol_password),
    logon("LOGIN ", imap_login),
    logon("IDENTIFY ", identify),
    logon("identify ", identify),
    logon("ACL SETUSER ", redis_user),
    logon("--from-literal=", literal),
    logon("--from-literal ", literal),
    logon("encrypt_string ", first_chosen),
    logon("isakmp key ", router_key),
    logon("key-string ", router_key),
    logon("message-digest-key ", last_chosen),
    logon("rootpw ", last_chosen),
    logon("sp_addlinkedsrvlogin ", last_chosen),
    logon("sp_addlogin ", after_user),
    logon("SQLConnectInfo ", last_chosen),
    logon("\nuser ", second_strong),
    logon("config http-basic.", last_chosen),
    logon("LOGON ", oracle),
    logon(".LOGON ", oracle),
    logon(" on >", listed_user),
    logon("\"AUTH\" ", last_any),
    logon("wpa_passphrase ", after_user),
    logon("add_user ", after_user),
    logon("adduser ", after_user),
    logon("change_password ", after_user),
    logon("set_password ", after_user),
    logon("OPER ", second_chosen),
    logon("ejabberdctl register ", last_chosen),
    logon("b2 authorize-account ", second_chosen),
    logon("rclone obscure ", first_chosen),
    logon("gpp-decrypt ", first_made),
    logon("BasicAuth ", second_chosen),
    logon("AT+CPIN=", first_number),
    logon("dns cloudflare ", first_made),
    logon("Z> authentication ", oracle),
    logon("PASSWORD}  ", first_chosen),
    logon("AKIA", beside_id),
    logon("encoded\": ", encoded_key),
    logon("userlist.txt", listed_below),
    logon("mkpasswd ", last_chosen),
    logon("openssl passwd ", last_chosen),
    logon("bw login ", second_chosen),
    logon("bw unlock ", first_chosen),
    logon("+login ", second_of_many),
    logon("radius-server ", last_chosen),
    logon("tacacs-server ", last_chosen),
    logon(": EAP ", last_quoted),
    logon(": XAUTH ", last_quoted),
    logon(": NTLM ", last_quoted),
    logon("option key ", first_quoted),
    logon("bundle config ", last_pair),
    logon("_HEADERS=", header_pair),
    logon("honeycomb-team", header_value),
];

/// More words than any of these commands has before its secret.
const MOST_WORDS: usize = 16;

pub(super) fn at(text: Text<'_>, logon: &Logon, start: usize) -> Option<Span> {
    let free = logon.marker.starts_with(['\n', ' ', '.', ':', '_', '+'])
        || logon.marker.starts_with("honeycomb");
    if !free && (is_word(text.before(start)) || matches!(text.before(start), b'-' | b'.')) {
        return None;
    }
    let mut index = start + logon.marker.len();
    let end = command_end(text, index).min(index + 400);
    let mut words = Vec::new();
    while words.len() < MOST_WORDS
        && let Some(word) = next_word(text, index, end)
    {
        index = word.next;
        words.push(word.span);
    }
    let span = (logon.find)(text, start, &words)?;
    (!span.is_empty() && !value::is_placeholder(text.slice(span.clone()))).then_some(span)
}

fn chosen(text: Text<'_>, span: &Span, shortest: usize) -> bool {
    let shown = text.slice(span.clone());
    let looks = value::is_password_like(shown) || value::is_numbered_words(shown);
    shown.len() >= shortest && looks && !value::is_code(shown)
}

/// The word of `net use Z: \\server\share secret /user:bob` that is no drive, share or option.
fn net_use(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    let place = |shown: &str| shown.starts_with(['\\', '/', '*']) || shown.ends_with(':');
    // The words have lost their leading backslashes, so a share is recognised by the one inside.
    let share =
        |span: &Span| text.before(span.start) == b'\\' || text.slice(span.clone()).contains('\\');
    words
        .iter()
        .find(|span| !place(text.slice((*span).clone())) && !share(span) && chosen(text, span, 4))
        .cloned()
}

fn net_user(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    words
        .get(1)
        .filter(|span| !text.slice((*span).clone()).starts_with('/') && chosen(text, span, 4))
        .cloned()
}

/// The last word of `htpasswd -b file user secret`; `-b` means that the secret is on the command
/// line.
fn htpasswd(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    let option = |span: &&Span| text.slice((*span).clone()).starts_with('-');
    let batch = words
        .iter()
        .filter(option)
        .any(|span| text.slice(span.clone()).contains('b'));
    let redirects = |span: &&Span| text.at(span.start) == b'>';
    let plain: Vec<&Span> = words
        .iter()
        .take_while(|span| !redirects(span))
        .filter(|span| !option(span))
        .collect();
    (batch && plain.len() >= 2)
        .then(|| plain.last().copied().cloned())
        .flatten()
}

/// The password in `scott/tiger@db` and `system/manager`.
fn oracle(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    let word = words
        .iter()
        .find(|span| !text.slice((*span).clone()).starts_with('-'))?;
    slash_pair(text, word.clone())
}

fn oracle_shell(text: Text<'_>, start: usize, words: &[Span]) -> Option<Span> {
    let line = text.line_start(start, 12)?;
    let lead = text.slice(line..start).trim();
    let role = matches!(
        text.slice(words.first()?.clone()),
        "target" | "catalog" | "auxiliary"
    );
    let secret = slash_pair(text, words.get(usize::from(role))?.clone())?;
    ((lead.is_empty() || lead.ends_with('>'))
        && (text.at(secret.end) == b'@' || chosen(text, &secret, 4)))
    .then_some(secret)
}

/// The password in `jdbc:oracle:thin:scott/tiger@…`, found at the driver's name.
pub(super) fn oracle_address(text: Text<'_>, after: usize) -> Option<Span> {
    let end = text.run(after, 200, |byte| {
        !is_space(byte) && !matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>')
    });
    let secret = slash_pair(text, after..end)?;
    (text.at(secret.end) == b'@' && !value::is_placeholder(text.slice(secret.clone())))
        .then_some(secret)
}

fn slash_pair(text: Text<'_>, word: Span) -> Option<Span> {
    let shown = text.slice(word.clone());
    let slash = shown.find('/')?;
    // Teradata's users and passwords are divided by a comma.
    let comma = shown[slash..].find(',').filter(|_| !shown.contains('@'));
    let slash = comma.map_or(slash, |comma| slash + comma);
    let at = shown[slash..]
        .find(['@', ';'])
        .map_or(shown.len(), |at| slash + at);
    let user = shown[..slash]
        .bytes()
        .all(|byte| is_word(byte) || matches!(byte, b'$' | b'#' | b'"' | b'-' | b'.' | b'/'));
    (slash > 0 && user && at > slash + 1).then(|| word.start + slash + 1..word.start + at)
}

fn first_made(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    let word = words.first()?;
    let shown = text.slice(word.clone());
    (!shown.starts_with('-')
        && !shown.contains('=')
        && (value::is_key_like(shown, 16)
            || value::is_serial(shown)
            || shown.starts_with("s.") && shown.len() >= 20))
        .then(|| word.clone())
}

/// `mc alias set name address user secret`
fn fourth_made(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    words.get(3).filter(|word| chosen(text, word, 8)).cloned()
}

/// `wandb login --relogin …`: the last word of a command is as long as a key.
fn last_key(text: Text<'_>, start: usize, words: &[Span]) -> Option<Span> {
    let command = text.run_back(start, 24, |byte| is_word(byte) || byte == b'-');
    let starts = starts_a_command(text, command)
        || text.before(command) == b' ' && text.at(command.saturating_sub(2)) == b'$';
    words
        .last()
        .filter(|word| starts && value::is_key_like(text.slice((*word).clone()), 32))
        .cloned()
}

/// `createUser bob SHA "…" AES "…"`
fn last_quoted(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    let quoted = |span: &&Span| text.before(span.start) == b'"' && text.at(span.end) == b'"';
    let first = words.iter().find(quoted)?;
    let last = words.iter().rev().find(quoted)?;
    Some(first.start..last.end)
}

/// `option key '…'`, a setting of a wireless network.
fn first_quoted(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    let word = words.first()?;
    let quote = text.before(word.start);
    (matches!(quote, b'"' | b'\'') && text.at(word.end) == quote && word.len() >= 8)
        .then(|| word.clone())
}

/// The password in `bundle config set gems.example.com bob:…`.
fn last_pair(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    let word = words.last()?;
    let (_, secret) = text.slice(word.clone()).split_once(':')?;
    let secret = word.end - secret.len()..word.end;
    chosen(text, &secret, 6).then_some(secret)
}

/// The value in `OTEL_EXPORTER_OTLP_HEADERS=name=value`, where headers are listed.
fn header_pair(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    let word = words.first()?;
    let (name, value) = text.slice(word.clone()).split_once('=')?;
    let value = value.split(',').next().unwrap_or(value);
    let start = word.start + name.len() + 1;
    let sent = value::is_key_like(value, 16) && !name.contains(':');
    sent.then(|| start..start + value.len())
}

/// `"x-honeycomb-team": "…"`, `x-honeycomb-team=…`: a header that carries the key of a team.
fn header_value(text: Text<'_>, start: usize, _: &[Span]) -> Option<Span> {
    let mark = |byte: u8| is_blank(byte) || matches!(byte, b'"' | b'\'' | b':' | b'=');
    let start = text.run(start + "honeycomb-team".len(), 8, mark);
    let end = text.run(start, 80, is_word);
    value::is_key_like(text.slice(start..end), 16).then_some(start..end)
}

/// `"encoded": "…"` below `"api_key"`: both parts of a key in one, as Elasticsearch returns it.
fn encoded_key(text: Text<'_>, start: usize, _: &[Span]) -> Option<Span> {
    let near = text.slice(start.saturating_sub(160)..start);
    let value = super::extent::quoted(text, start + "encoded\": ".len())?.span;
    let made = value::is_key_like(text.slice(value.clone()), 40);
    (near.contains("\"api_key\"") && made).then_some(value)
}

/// The first `"user" "password"` below the name of a list of users; the other rows are alike.
fn listed_below(text: Text<'_>, start: usize, _: &[Span]) -> Option<Span> {
    let line = text.run(start, 80, |byte| byte != b'\n') + 1;
    let user = super::extent::quoted(text, line)?.span;
    let password = super::extent::quoted(text, user.end + 2)?.span;
    (text.starts_with(user.end, "\" \"") && password.len() >= 6).then_some(password)
}

/// The secret behind the id of a key of Amazon: `AKIA…:…`.
fn beside_id(text: Text<'_>, start: usize, _: &[Span]) -> Option<Span> {
    let id = text.run(start, 21, |byte| byte.is_ascii_alphanumeric());
    let divides = |byte: u8| is_blank(byte) || b":,;/|\"'".contains(&byte);
    let secret = text.run(id, 4, divides);
    let end = text.run(secret, 41, is_base64);
    let fits = id - start == 20 && secret > id && end - secret == 40;
    (fits && value::is_key_like(text.slice(secret..end), 40)).then_some(secret..end)
}

fn first_chosen(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    words.first().filter(|word| chosen(text, word, 4)).cloned()
}

/// The word after the user: `rabbitmqctl add_user bob …`.
fn after_user(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    let user = |span: &&Span| !text.slice((*span).clone()).starts_with(['-', ',']);
    words
        .iter()
        .filter(user)
        .nth(1)
        .filter(|word| chosen(text, word, 6))
        .cloned()
}

/// The key in `crypto isakmp key 0 … address 10.0.0.1`, after how it is stored.
fn router_key(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    let stored = |span: &Span| matches!(text.slice(span.clone()), "0" | "6" | "7");
    words.iter().find(|span| !stored(span)).cloned()
}

/// `user bob …`, a line of a script.
fn second_strong(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    words
        .get(1)
        .filter(|word| words.len() == 2 && value::is_strong(text.slice((*word).clone())))
        .cloned()
}

fn first_number(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    let number = |span: &&Span| text.bytes[(*span).clone()].iter().all(u8::is_ascii_digit);
    words.first().filter(number).cloned()
}

fn second_chosen(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    words
        .get(1)
        .filter(|word| words.len() == 2 && chosen(text, word, 6))
        .cloned()
}

/// `steamcmd +login bob … +quit`
fn second_of_many(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    words.get(1).filter(|word| chosen(text, word, 6)).cloned()
}

fn last_chosen(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    words.last().filter(|word| chosen(text, word, 6)).cloned()
}

/// The value in `--from-literal=name=secret`: every value of a Kubernetes secret is masked.
fn literal(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    let word = words.first()?;
    let equals = text.slice(word.clone()).find('=')?;
    Some(word.start + equals + 1..word.end).filter(|secret| chosen(text, secret, 4))
}

/// Whether a verb of a protocol is where verbs are: first on its line, after a prompt, or in
/// quotes.
fn starts_a_command(text: Text<'_>, start: usize) -> bool {
    let start = text.run_back(start, 4, is_blank);
    matches!(
        text.before(start),
        0 | b'\n' | b'\r' | b'>' | b':' | b'"' | b'\'' | b']' | b'`'
    )
}

/// `AUTH PLAIN …`, `AUTH LOGIN …` (mail), `AUTH …`, `AUTH user …` (Redis).
fn auth(text: Text<'_>, start: usize, words: &[Span]) -> Option<Span> {
    let first = words.first()?;
    if matches!(
        text.slice(first.clone()),
        "PLAIN" | "LOGIN" | "XOAUTH2" | "CRAM-MD5" | "OAUTHBEARER" | "NTLM"
    ) {
        let word = words.get(1)?;
        let shown = text.slice(word.clone());
        return (shown.len() >= 8 && shown.bytes().all(is_base64)).then(|| word.clone());
    }
    let last = words
        .get(1)
        .filter(|word| chosen(text, word, 6))
        .unwrap_or(first);
    (starts_a_command(text, start) && chosen(text, last, 6)).then(|| last.clone())
}

fn protocol_password(text: Text<'_>, start: usize, words: &[Span]) -> Option<Span> {
    let word = words.first()?;
    (words.len() == 1 && starts_a_command(text, start) && chosen(text, word, 6))
        .then(|| word.clone())
}

/// `a1 LOGIN bob secret`
fn imap_login(text: Text<'_>, start: usize, words: &[Span]) -> Option<Span> {
    let tag = text.run_back(start.saturating_sub(1), 8, |byte| {
        byte.is_ascii_alphanumeric()
    });
    let tagged = is_blank(text.before(start))
        && start - tag >= 2
        && text.bytes[tag..start].iter().any(u8::is_ascii_digit);
    words
        .get(1)
        .filter(|word| tagged && words.len() == 2 && chosen(text, word, 4))
        .cloned()
}

fn identify(text: Text<'_>, start: usize, words: &[Span]) -> Option<Span> {
    let near = text
        .slice(start.saturating_sub(24)..start)
        .to_ascii_lowercase();
    words
        .last()
        .filter(|word| near.contains("nickserv") && words.len() <= 2 && chosen(text, word, 4))
        .cloned()
}

/// `ACL SETUSER bob on >secret ~* +@all`
fn redis_user(text: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    let word = words.iter().find(|span| text.at(span.start) == b'>')?;
    Some(word.start + 1..word.end)
}

/// `user bob on >secret ~* +@all`, a line of a list of users.
fn listed_user(text: Text<'_>, start: usize, words: &[Span]) -> Option<Span> {
    let line = text.line_start(start, 80)?;
    words
        .first()
        .filter(|_| text.starts_with(line, "user "))
        .cloned()
}

fn last_any(_: Text<'_>, _: usize, words: &[Span]) -> Option<Span> {
    words.last().cloned()
}

/// `ATTACH DATABASE 'file' AS name KEY 'secret'`
pub(super) fn attached_key(text: Text<'_>, after: usize) -> Option<Span> {
    let end = text.run(after, 200, |byte| !matches!(byte, b'\n' | b';'));
    let key = text.slice(after..end).to_ascii_lowercase().find(" key ")?;
    let value = super::extent::quoted(text, after + key + 5)?;
    (!value::is_placeholder(text.slice(value.span.clone()))).then_some(value.span)
}
