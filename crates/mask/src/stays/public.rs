//! Text that looks drawn at random and is public or no value at all, told by its form and by what
//! stands right around it: ids in logs, public keys, addresses, the words of a help text.

use super::place::Place;
use crate::text::{is_alphanumeric, is_blank, is_hex, is_upper_or_digit};
use crate::value;

pub(super) fn any(place: &Place<'_>) -> bool {
    is_code(place) || is_id(place) || is_published(place)
}

fn is_code(place: &Place<'_>) -> bool {
    is_address(place)
        || is_key_of_map(place)
        || is_quoted_question(place)
        || is_path_below_variable(place)
        || is_called(place)
        || is_drawing(place)
        || is_explanation(place)
        || is_field(place)
        || is_argument_name(place)
        || is_path_of_field(place)
        || is_demand(place)
        || is_service(place)
        || is_keyword(place)
        || is_generic(place)
        || is_between_texts(place)
        || is_channel(place)
        || place.shown.starts_with("^(?=")
}

fn is_id(place: &Place<'_>) -> bool {
    is_product(place)
        || is_message_id(place)
        || is_session_of_log(place)
        || is_video(place)
        || is_archived(place)
        || is_record(place)
        || is_digest_in_list(place)
        || place.shown.starts_with("GHSA-")
        || is_source_map(place)
        || place.after.starts_with(" - gsmtp")
        || is_id_of_property(place)
        || is_id_of_request(place)
}

fn is_published(place: &Place<'_>) -> bool {
    is_public_key(place) || is_signature(place) || is_sequence(place) || is_certificate(place)
}

/// `https://…`, the whole address after its scheme.
fn is_address(place: &Place<'_>) -> bool {
    place.shown.starts_with("//")
        && (place.before.ends_with("https:") || place.before.ends_with("http:"))
}

/// `'users' =>`: what comes after the value says that it is a key itself.
fn is_key_of_map(place: &Place<'_>) -> bool {
    place.is_quoted()
        && place.after[1..].trim_start().starts_with("=>")
        && place.all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// „Passwort vergessen?“: the label of a link.
fn is_quoted_question(place: &Place<'_>) -> bool {
    let question = place.shown.strip_suffix(['“', '”', '»']);
    question
        .and_then(|question| question.strip_suffix('?'))
        .is_some_and(|words| words.chars().all(char::is_alphabetic))
}

/// `"$API_URL/projects"`: an address that a variable begins.
fn is_path_below_variable(place: &Place<'_>) -> bool {
    let (name, path) = place.shown.split_once('/').unwrap_or_default();
    name.len() > 1
        && name.starts_with('$')
        && name[1..]
            .bytes()
            .all(|byte| is_upper_or_digit(byte) || byte == b'_')
        && path
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'/' | b'_' | b'-'))
}

/// `Argument "password" to "login" has incompatible type`: the function that takes it.
fn is_called(place: &Place<'_>) -> bool {
    place.before.ends_with("\" to \"")
        && place.after.starts_with('"')
        && place.all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
}

/// A path of a drawing: `<path d="M12 9.5a4 4 0 0 1 4 4v2h1.5A1.5 …"`.
fn is_drawing(place: &Place<'_>) -> bool {
    let open = place.before.rfind('"').map(|at| &place.before[..at]);
    open.is_some_and(|tag| tag.ends_with(" d="))
        && place.all(|byte| {
            byte.is_ascii_digit()
                || matches!(byte, b'.' | b',' | b'-')
                || b"MLHVCSQTAZ".contains(&byte.to_ascii_uppercase())
        })
}

/// The text beside an option in a help text: `--user <user:password>   Server user`.
fn is_explanation(place: &Place<'_>) -> bool {
    let option = place.before.trim_end();
    place.before.len() >= option.len() + 2
        && option.ends_with('>')
        && option.contains(" <")
        && option.trim_start().starts_with('-')
        && place.all(|byte| byte.is_ascii_alphabetic())
}

/// Another field with a word in it: `rotate-keys: provider=serper`.
fn is_field(place: &Place<'_>) -> bool {
    let word = |part: &str| {
        part.len() >= 3
            && part
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    let fields = place.shown.split_once('=');
    place.before.ends_with(' ')
        && place.after.starts_with(' ')
        && fields.is_some_and(|(name, own)| word(name) && word(own))
}

/// `SecretId=` before its quoted value, `algorithms=[` before a list of them.
fn is_argument_name(place: &Place<'_>) -> bool {
    let shown = place.shown.strip_suffix('[').unwrap_or(place.shown);
    let name = shown.strip_suffix('=').unwrap_or_default();
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && place.before.ends_with(['(', ' ', ','])
        && place.after.starts_with(['"', '\''])
}

/// `*.password`, where fields to be redacted are listed.
fn is_path_of_field(place: &Place<'_>) -> bool {
    let path = place.shown.strip_prefix("*.").unwrap_or_default();
    !path.is_empty()
        && place.is_quoted()
        && path
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'.')
        || place.shown == "*password*"
}

/// `${NAME:?NAME must be set}`: what a shell says if there is no value.
fn is_demand(place: &Place<'_>) -> bool {
    let name = place.before.strip_suffix(':').unwrap_or_default();
    let start = name.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    place.shown.starts_with('?') && start.len() < name.len() && start.ends_with("${")
}

/// The first argument of `keyring.set_password("service", user, password)`.
fn is_service(place: &Place<'_>) -> bool {
    let call = place.before.trim_end_matches(['"', '\'']);
    place.is_quoted()
        && call.ends_with("keyring.set_password(")
        && place.after[1..].starts_with(',')
}

/// A keyword of Lisp before its value: `:host "…"`.
fn is_keyword(place: &Place<'_>) -> bool {
    place.before.ends_with(" :")
        && place.after.starts_with(" \"")
        && place.all(|byte| byte.is_ascii_lowercase())
}

/// The channel of a browser's log: `pw:api navigating to …`.
fn is_channel(place: &Place<'_>) -> bool {
    place.before.trim_start() == "pw:" && matches!(place.shown, "api" | "browser" | "channel")
}

/// A function with a type: `useState<string | null>(null)`.
fn is_generic(place: &Place<'_>) -> bool {
    place.all(|byte| byte.is_ascii_alphabetic())
        && place.after.starts_with('<')
        && place.after.contains(">(")
}

/// The code between two quoted texts, which closes a call.
fn is_between_texts(place: &Place<'_>) -> bool {
    place.shown.starts_with(')') && place.shown.contains('\n') && place.before.ends_with('"')
}

/// What a browser or a library calls itself at the end of a line of an access log.
fn is_product(place: &Place<'_>) -> bool {
    let (name, version) = place.shown.split_once('/').unwrap_or_default();
    place.is_quoted()
        && place.before.contains(" HTTP/")
        && !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
        && version
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// `//# sourceMappingURL=data:application/json;base64,…`
fn is_source_map(place: &Place<'_>) -> bool {
    place.before.ends_with(";base64,") && place.before.contains("sourceMappingURL=data:")
}

/// The id of a mail: `<…@mx.example.org>`.
fn is_message_id(place: &Place<'_>) -> bool {
    let host = place
        .after
        .strip_prefix('@')
        .and_then(|it| it.split_once('>'));
    place.before.ends_with('<')
        && host.is_some_and(|(host, _)| {
            host.bytes()
                .all(|byte| is_alphanumeric(byte) || matches!(byte, b'.' | b'-'))
        })
}

/// The id of a connection, as mail servers log it: `rip=198.51.100.7, …, session=<…>`.
fn is_session_of_log(place: &Place<'_>) -> bool {
    place.before.ends_with("session=<")
        && place.after.starts_with('>')
        && place.before.contains("rip=")
}

/// The id of a site at a counter of visitors: `gtag('config', 'G-4LZMYF9NZH')`, `id=GTM-LSRMR4I`.
fn is_id_of_property(place: &Place<'_>) -> bool {
    let name = place
        .before
        .trim_end_matches([' ', '"', '\'', ':', '=', ',', '(', '>'])
        .to_ascii_lowercase();
    let named = ["id", "tag", "gtm", "config", "create", "analytics"]
        .iter()
        .any(|it| name.ends_with(it));
    named
        && !name.contains("secret")
        && place.shown.split_once('-').is_some_and(|(kind, id)| {
            matches!(kind, "G" | "GT" | "GTM" | "UA" | "AW")
                && (6..=12).contains(&id.len())
                && id.bytes().all(is_upper_or_digit)
                && id.bytes().any(|byte| byte.is_ascii_uppercase())
        })
}

/// What tells one request from its repetition: `"ClientToken": "d507791c-…"`. With a small letter it
/// is a credential of other services.
fn is_id_of_request(place: &Place<'_>) -> bool {
    let name = place.before.trim_end_matches([' ', '"', '\'', ':', '=']);
    value::is_uuid(place.shown) && name.ends_with("ClientToken")
}

/// The id of an entry of a feed: `<guid isPermaLink="false">…</guid>`.
pub(super) fn is_id_of_entry(place: &Place<'_>) -> bool {
    let tag = place.before.trim_end_matches('>').rsplit('<').next();
    tag.is_some_and(|tag| tag == "guid" || tag == "id" || tag.starts_with("guid "))
}

/// The id of a video in the name of its file: `title [f6KgGjERFiM].mp4`.
fn is_video(place: &Place<'_>) -> bool {
    place.shown.len() == 11 && place.before.ends_with(" [") && place.after.starts_with("].")
}

/// The digest of an archived page, between its status and its length.
fn is_archived(place: &Place<'_>) -> bool {
    place.shown.len() == 32
        && place.all(is_upper_or_digit)
        && place.before.contains(")/")
        && place.before.contains(" http")
        && starts_with_number(place.after.strip_prefix(' '))
}

fn starts_with_number(text: Option<&str>) -> bool {
    text.is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit()))
}

/// Kinds of records whose ids are drawn, after the number of their kind.
const RECORDS: &[&str] = &["Account ", "Contact ", "Opportunity ", "Case ", "Lead "];

/// The id of a record of a customer, or of an item in a password manager.
fn is_record(place: &Place<'_>) -> bool {
    let numbered = place
        .shown
        .bytes()
        .take(2)
        .all(|byte| byte.is_ascii_digit());
    let customer = matches!(place.shown.len(), 15 | 18)
        && numbered
        && RECORDS.iter().any(|kind| place.before.ends_with(kind));
    let item = place.shown.len() == 26 && place.before.ends_with(" item ");
    (customer || item) && place.all(is_alphanumeric)
}

/// The short digest of a secret in a list of names: `NAME   108d13dc28542a41   97d ago`.
fn is_digest_in_list(place: &Place<'_>) -> bool {
    place.shown.len() <= 16
        && place.all(is_hex)
        && place.before.bytes().last().is_some_and(is_blank)
        && starts_with_number(Some(place.after.trim_start()))
        && place.after.contains(" ago")
}

/// A certificate in an element of that name.
fn is_certificate(place: &Place<'_>) -> bool {
    place.shown.starts_with("MII") && place.before.ends_with("X509Certificate>")
}

/// Beginnings of public keys and ids of notes.
const PUBLIC_KEYS: &[&str] = &["npub1", "note1", "nevent1", "nprofile1"];

/// A public key, by its beginning or by the name before it.
fn is_public_key(place: &Place<'_>) -> bool {
    let shown = place.shown;
    let name = place.before.trim_end_matches([' ', '=', ':', '"', '\'']);
    let point = shown.len() == 87 && shown.starts_with('B');
    shown.len() >= 58 && PUBLIC_KEYS.iter().any(|it| shown.starts_with(it))
        || is_host_key(place)
        || point && name.to_ascii_lowercase().ends_with("applicationserverkey")
}

/// The fingerprint of a server, after its algorithm and length: `ssh-ed25519 255 …`.
fn is_host_key(place: &Place<'_>) -> bool {
    let mut words = place.before.rsplit(' ');
    let (gap, length, algorithm) = (words.next(), words.next(), words.next());
    let number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    gap == Some("")
        && length.is_some_and(number)
        && algorithm.is_some_and(|it| it.trim_start_matches("-hostkey=\"").starts_with("ssh-"))
}

/// The signature of a transaction, alone on its line.
fn is_signature(place: &Place<'_>) -> bool {
    place.before.trim_start() == "Signature: "
        && place.after.is_empty()
        && (86..=88).contains(&place.shown.len())
        && place.all(is_alphanumeric)
}

/// A sequence of a gene: `5'-ATGCGTACGTTAGCCTAGGA-3'`.
fn is_sequence(place: &Place<'_>) -> bool {
    let letters = place.shown.trim_start_matches('-').trim_end_matches("-3");
    letters.len() >= 12 && letters.bytes().all(|byte| b"ACGTUN".contains(&byte))
}
