//! Secrets that stand in a fixed column of a line that no names divide: the settings of routers and
//! switches (`radius-server host 192.0.2.1 key 7 …`), and the lines below a comment that says that
//! they are secrets (`# /etc/ppp/chap-secrets`).

use std::sync::LazyLock;

use memchr::memchr2;

use super::line::{SHORTEST, next};
use crate::text::{Span, Text, is_hex};
use crate::value;
use crate::words::WordSet;

/// How many lines below a comment are read.
const MOST_ROWS: usize = 12;

/// A row with more words is a sentence or code.
const MOST_CELLS: usize = 8;

/// Words that begin a setting of a router, a switch or a server of accounts.
static DEVICE: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(
        "snmp-server radius-server tacacs-server tacacs radius ntp crypto failover aaa key key-string
        pre-shared-key enable username user password passwd community neighbor ppp pppoe isakmp wlan
        config set configure mgmt-user onu ip ipsec server host ap snmp tunnel-group standby vrrp
        secret encrypted-keystring ldap-login-password wpa-passphrase rootpw bindpw basicauth
        security passphrase client auth authentication",
    )
});

/// Words between a name and its value that say how it is stored, or for what it is used.
static QUALIFIER: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(
        "md5 sha sha1 sha2 sha256 sha384 sha512 aes aes128 aes192 aes256 des 3des ascii hex plain
        plaintext clear cleartext encrypted local remote version 2c v1 v2c v3 priv auth ro rw 0 1 2 3 4
        5 6 7 8 9 10 12 14 15 128 192 256 hash hash2 cipher simple local-key read write",
    )
});

/// Words that name the value after them, and its qualifiers.
static NAME: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(
        "key secret password passwd pw pre-shared-key community key-string shared-secret psk auth priv
        2c md5 sha sha1 sha256 ascii wpa-passphrase passphrase encrypted-keystring",
    )
});

/// Adds the secrets of a line that sets something in a device.
pub(super) fn device(text: Text<'_>, line: &Span, spans: &mut Vec<Span>) {
    // A colon or an equals sign makes names and fields of the words.
    if memchr2(b':', b'=', &text.bytes[line.clone()]).is_some() {
        return;
    }
    let start = text.run(line.start, 16, |byte| byte.is_ascii_whitespace());
    let end = text.run(start, 32, |byte| byte.is_ascii_lowercase() || byte == b'-');
    if end == start || !DEVICE.contains(text.slice(start..end)) {
        return;
    }
    let mut named = false;
    for cell in cells(text, line) {
        let shown = text.slice(cell.clone());
        let word = shown.trim_matches('"');
        if named && !QUALIFIER.contains(word) && !NAME.contains(word) {
            if is_secret_cell(word) {
                spans.push(cell);
            }
            named = false;
        }
        named |= NAME.contains(word);
    }
}

/// Whether a line is a comment that may say what the lines below it are.
pub(super) fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    (line.starts_with("# ") || line.starts_with("; ") || line.starts_with("#\t"))
        && !line.contains(['(', '`', '?', '='])
}

/// Adds the secrets of the rows below a comment about them.
pub(super) fn below(text: Text<'_>, end: usize, spans: &mut Vec<Span>) {
    let mut end = end;
    for _ in 0..MOST_ROWS {
        let Some(line) = next(text, end).filter(|line| !line.is_empty()) else {
            return;
        };
        end = line.end;
        if is_row(text.slice(line.clone())) {
            spans.extend(last_secret(text, &line));
        }
    }
}

/// Whether a line has the cells of a row and no sign of code or of settings with names.
fn is_row(line: &str) -> bool {
    !line.starts_with(['#', ';', '/', '-', '<', '{'])
        && line.contains([' ', '\t', ':'])
        && !line.contains(" = ")
        && !line.contains(": ")
        && line.split_whitespace().count() <= MOST_CELLS
}

fn last_secret(text: Text<'_>, line: &Span) -> Option<Span> {
    let cells = cells(text, line);
    cells.into_iter().rev().find_map(|cell| {
        let shown = text.slice(cell.clone());
        let own = shown.rfind(':').map_or(0, |colon| colon + 1);
        let word = &shown[own..];
        is_secret_cell(word).then_some(cell.start + own..cell.end)
    })
}

/// The words of a line; quotation marks hold the words of one together and are no part of it.
fn cells(text: Text<'_>, line: &Span) -> Vec<Span> {
    let mut cells = Vec::new();
    let mut at = line.start;
    while at < line.end && cells.len() < 2 * MOST_CELLS {
        let start = text.run(at, line.end - at, |byte| byte.is_ascii_whitespace());
        let quote = text.at(start);
        if start < line.end && matches!(quote, b'"' | b'\'') {
            let close = text.run(start + 1, line.end - start - 1, |byte| byte != quote);
            cells.push(start + 1..close);
            at = close + 1;
        } else {
            let end = text.run(start, line.end - start, |byte| !byte.is_ascii_whitespace());
            if end > start {
                cells.push(start..end);
            }
            at = end.max(start + 1);
        }
    }
    cells
}

/// Whether a cell in the place of a secret is one.
pub(crate) fn is_secret_cell(word: &str) -> bool {
    value::is_numbered_words(word) || is_chosen(word) || is_stored(word)
}

/// Whether people or generators make such passwords: a digit or a mark among letters, and nothing
/// else is written so.
fn is_chosen(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let counts = value::is_password_like(word) && digits > 0 && letters >= 3
        || value::is_numbered_words(word)
        || value::is_joined_words(word)
        || value::is_scrambled(word, true)
        || value::is_drawn(word);
    (SHORTEST - 2..=64).contains(&word.len())
        && counts
        && !word.contains('/')
        && !value::is_ordinary(word)
        && !value::is_version(word)
        && !value::is_placeholder(word)
        && !value::is_uuid(word)
}

/// Whether a device stores a secret so: at least sixteen hexadecimal digits, or a marked digest.
fn is_stored(word: &str) -> bool {
    let digits = word.trim_start_matches("0x");
    let hex = digits.len() >= 16 && digits.bytes().all(is_hex) && value::is_key_like(digits, 16);
    hex || word.starts_with('$') && word.len() >= 16 && !value::is_placeholder(word)
}
