//! Secrets passed to a function, often after a user name: `login("bob", "…")`,
//! `SetBasicAuth("bob", "…")`, `jwt.sign(claims, "…")`.
//!
//! The function's name is the trigger and says which argument is the secret. Only a quoted literal
//! counts.

use super::context::value_at;
use super::extent::Style;
use super::join::Joint;
use super::judge::is_secret;
use super::name::Sense;
use super::text::{Span, Text, is_space, is_word};
use super::value;

#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) marker: &'static str,
    /// The index of the secret argument.
    argument: usize,
    /// Whether the marker may be the end of a longer name (`HTTPBasicAuth`).
    tail: bool,
    kind: ArgumentRole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArgumentRole {
    /// The argument is the secret.
    Secret,
    /// Every argument that looks like a password or a generated key is a secret.
    Any,
    /// Every argument that looks like a generated key is a secret.
    Generated,
    /// Every argument but the first that looks like a generated password is a secret.
    Strong,
    /// The argument is the secret if the first argument names a password.
    Field,
    /// The argument is the secret if the text before the call says so.
    Keys,
    /// The second argument is a secret if the first two look like a key and its secret.
    Twin,
    /// The argument is `user:secret`.
    Pair,
}

const fn call(marker: &'static str, argument: usize, tail: bool) -> Call {
    Call {
        marker,
        argument,
        tail,
        kind: ArgumentRole::Secret,
    }
}

const fn other(marker: &'static str, argument: usize, kind: ArgumentRole) -> Call {
    Call {
        marker,
        argument,
        tail: true,
        kind,
    }
}

pub(super) const CALLS: &[Call] = &[
    call("login(", 1, false),
    call("Login(", 1, false),
    call("log_in(", 1, false),
    call("logIn(", 1, false),
    call("sign_in(", 1, false),
    call("signIn(", 1, false),
    call("authenticate(", 1, false),
    call("auth(", 1, false),
    call("basic_auth(", 1, true),
    call("basic_auth ", 1, true),
    call("basicAuth(", 1, true),
    call("BasicAuth(", 1, true),
    call("digest_auth(", 1, true),
    call("digestAuth(", 1, true),
    call("DigestAuth(", 1, true),
    call("NtlmAuth(", 1, true),
    call("redentials(", 1, true),
    call("redential(", 1, true),
    call("PasswordAuthentication(", 1, true),
    call("AuthenticationToken(", 1, true),
    call("redentials.basic(", 1, true),
    call("UserPassword(", 1, true),
    call("PlainAuth(", 2, true),
    call("mysqli(", 2, false),
    call("mysqli_connect(", 2, false),
    call("mysql_connect(", 2, false),
    call("PDO(", 2, false),
    call("PDO->__construct(", 2, false),
    call("mysqli->__construct(", 2, false),
    call("getConnection(", 2, false),
    call(">connect(", 2, true),
    call("DBI.connect(", 2, false),
    call("remote(", 3, false),
    call("remoteSecure(", 3, false),
    call("get_dbh(", 2, false),
    call("WiFi.begin(", 1, false),
    call("Sequelize(", 2, false),
    call("ldap3.Connection(", 2, false),
    call("get_connection(", 2, false),
    call("jwt.sign(", 1, false),
    call("jwt.encode(", 1, false),
    call("jwt.verify(", 1, false),
    call("jwt.decode(", 1, false),
    call("JWT.encode(", 1, false),
    call("JWT.decode(", 1, false),
    call("Fernet(", 0, false),
    call("Wallet(", 0, false),
    call("algoliasearch(", 1, false),
    call("unlockAccount(", 1, false),
    call("mqtt.Client(", 3, false),
    call("PinTanClient(", 2, true),
    other("Vimeo(", 0, ArgumentRole::Generated),
    other("Ably.Realtime(", 0, ArgumentRole::Generated),
    other("Ably.Rest(", 0, ArgumentRole::Generated),
    call(".basic(", 1, true),
    other("AES.new(", 0, ArgumentRole::Any),
    other("bcrypt.hash(", 0, ArgumentRole::Any),
    other("bcrypt.hashSync(", 0, ArgumentRole::Any),
    other("hashpw(", 0, ArgumentRole::Any),
    call("setVapidDetails(", 2, true),
    other("Github(", 0, ArgumentRole::Generated),
    other("Twilio.new(", 0, ArgumentRole::Twin),
    other("Pusher(", 0, ArgumentRole::Twin),
    other("OAuth1(", 0, ArgumentRole::Twin),
    other("UserHandler(", 0, ArgumentRole::Twin),
    other("OAuthHandler(", 0, ArgumentRole::Twin),
    other("S3Connection(", 0, ArgumentRole::Twin),
    other("ApiClient(", 0, ArgumentRole::Twin),
    other("OpenTok(", 0, ArgumentRole::Twin),
    other("Twilio(", 0, ArgumentRole::Twin),
    other(" fill(\"", 1, ArgumentRole::Field),
    call("bearer_auth(", 0, false),
    call("bearerAuth(", 0, false),
    call("withToken(", 0, false),
    other("Client(", 0, ArgumentRole::Generated),
    other(">__construct(", 0, ArgumentRole::Strong),
    other("connect(", 0, ArgumentRole::Strong),
    other("Connect(", 0, ArgumentRole::Strong),
    other(".Open \"", 0, ArgumentRole::Strong),
    other("crypt(", 0, ArgumentRole::Any),
    other("CRYPT(", 0, ArgumentRole::Any),
    other("hmac.new(", 0, ArgumentRole::Any),
    other("createHmac(", 1, ArgumentRole::Any),
    other(".fill(", 1, ArgumentRole::Field),
    other(".type(", 1, ArgumentRole::Field),
    other("fill_in(", 1, ArgumentRole::Field),
    other("sendKeys(", 0, ArgumentRole::Keys),
    other("send_keys(", 0, ArgumentRole::Keys),
    other("btoa(", 0, ArgumentRole::Pair),
    other("b64encode(", 0, ArgumentRole::Pair),
    other("base64_encode(", 0, ArgumentRole::Pair),
    other("EncodeToString([]byte(", 0, ArgumentRole::Pair),
    other("Base64.strict_encode64(", 0, ArgumentRole::Pair),
    other("Buffer.from(", 0, ArgumentRole::Pair),
    other("USERPWD, ", 0, ArgumentRole::Pair),
    other("USERPWD,", 0, ArgumentRole::Pair),
    other("SecureString ", 0, ArgumentRole::Secret),
    other("SecureString(", 0, ArgumentRole::Secret),
];

/// How far the arguments of a call are read, in bytes.
const LONGEST_CALL: usize = 320;

pub(super) fn at(text: Text<'_>, call: &Call, start: usize, spans: &mut Vec<Span>) {
    let open = start + call.marker.trim_end_matches('"').len();
    if !call.tail && is_word(text.before(start)) {
        return;
    }
    let arguments = arguments(text, open);
    let nth = |index: usize| {
        arguments
            .get(index)
            .cloned()
            .and_then(|span| literal(text, span))
    };
    match call.kind {
        ArgumentRole::Secret => {
            // `Credentials("realm", "host", "user", "…")`
            let longer = call.argument == 1 && arguments.len() == 4;
            let argument = if longer { 3 } else { call.argument };
            spans.extend(nth(argument).filter(|span| is_given(text, span)))
        }
        ArgumentRole::Any => spans.extend(
            arguments
                .iter()
                .filter_map(|span| literal(text, span.clone()))
                .filter(|span| is_made(text, span)),
        ),
        ArgumentRole::Generated => spans.extend(
            arguments
                .iter()
                .filter_map(|span| literal(text, span.clone()))
                .filter(|span| is_generated(text.slice(span.clone()))),
        ),
        ArgumentRole::Strong => spans.extend(
            arguments
                .iter()
                .skip(1)
                .filter_map(|span| literal(text, span.clone()))
                .filter(|span| {
                    let shown = text.slice(span.clone());
                    value::is_strong(&shown.replace('=', "+")) || value::is_numbered_words(shown)
                }),
        ),
        ArgumentRole::Field
            if arguments
                .first()
                .is_some_and(|first| names_a_password(text.slice(first.clone()))) =>
        {
            spans.extend(nth(call.argument).filter(|span| is_given(text, span)));
        }
        ArgumentRole::Keys if names_a_password(text.slice(start.saturating_sub(80)..start)) => {
            spans.extend(nth(0).filter(|span| is_given(text, span)));
        }
        // `.get('#password').type("…")`
        ArgumentRole::Field if names_a_password(text.slice(start.saturating_sub(80)..start)) => {
            let word = |shown: &str| shown.bytes().all(|byte| byte.is_ascii_alphabetic());
            let given = |span: &Span| is_given(text, span) && !word(text.slice(span.clone()));
            spans.extend(nth(0).filter(given));
        }
        ArgumentRole::Twin => {
            let made = |span: &Span| {
                let shown = text.slice(span.clone());
                value::is_key_like(shown, 10) && !value::is_uuid(shown) && !shown.contains("://")
            };
            let first = nth(0).filter(made);
            spans.extend(first.and_then(|_| nth(1)).filter(made));
        }
        ArgumentRole::Pair => spans.extend(nth(0).and_then(|span| secret_of_pair(text, span))),
        ArgumentRole::Field | ArgumentRole::Keys => {}
    }
}

/// The arguments between `open` and the closing parenthesis, at most five. The last one may be
/// truncated.
fn arguments(text: Text<'_>, open: usize) -> Vec<Span> {
    let mut found = Vec::new();
    let (mut depth, mut quote, mut from) = (0usize, 0u8, open);
    let stop = text.len().min(open + LONGEST_CALL);
    let mut at = open;
    while at < stop && found.len() < 5 {
        let byte = text.bytes[at];
        match byte {
            b'\\' if quote != 0 => at += 1,
            _ if quote != 0 => quote = if byte == quote { 0 } else { quote },
            b'"' | b'\'' | b'`' => quote = byte,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => break,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                found.push(from..at);
                from = at + 1;
            }
            b'\n' | b';'
                if depth == 0
                    && !text.bytes[open..at].iter().all(|it| is_space(*it))
                    && !text.bytes[open..at].contains(&b'"')
                    && !text.bytes[open..at].contains(&b'\'') =>
            {
                break;
            }
            _ => {}
        }
        at += 1;
    }
    found.push(from..at.min(stop));
    found
}

/// The text of an argument that is a literal: `"…"`, `b'…'`, `Some("…")`. Not `password: "…"`,
/// which `context` finds.
fn literal(text: Text<'_>, argument: Span) -> Option<Span> {
    let mut start = text.run(argument.start, argument.len(), |byte| {
        is_space(byte) || byte == b'(' || byte == b'&'
    });
    if text.starts_with(start, "-String ") {
        start = text.run(start + 8, 4, is_space);
    }
    let value = value_at(text, start, Style::Field);
    (value.quoted && value.span.end <= argument.end + 1).then_some(value.span)
}

fn is_given(text: Text<'_>, span: &Span) -> bool {
    let shown = text.slice(span.clone());
    is_secret(Sense::Password, Joint::Assign, shown, true, &[])
        && shown.len() >= 4
        && !shown.contains("://")
        && !value::is_plain_word(shown)
}

fn is_made(text: Text<'_>, span: &Span) -> bool {
    let shown = text.slice(span.clone());
    shown.len() >= 6
        && (value::is_password_like(shown) || value::is_key_like(shown, 12))
        && !value::is_placeholder(shown)
}

fn is_generated(shown: &str) -> bool {
    value::is_key_like(shown, 24) && !value::is_uuid(shown) && !value::is_placeholder(shown)
}

fn names_a_password(shown: &str) -> bool {
    let lower = shown.to_ascii_lowercase();
    [
        "password", "passwd", "pwd", "passwort", "contrase", "secret", "passcode",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

fn secret_of_pair(text: Text<'_>, span: Span) -> Option<Span> {
    let (user, secret) = text.slice(span.clone()).split_once(':')?;
    let named = !user.is_empty()
        && user
            .bytes()
            .all(|it| is_word(it) || matches!(it, b'.' | b'-' | b'@'));
    let counts = named
        && secret.len() >= 4
        && !secret.contains(['/', ' ', ','])
        && !value::is_placeholder(secret)
        && !value::is_plain_word(secret);
    counts.then(|| span.end - secret.len()..span.end)
}
