//! Passwords on command lines: `curl -u user:secret`, `mysql -psecret`, `sshpass -p secret`,
//! `redis-cli -a secret`.
//!
//! To most programs, `-p` means a port or a path, so the program's name is the trigger and its own
//! options are read.

use super::text::{Span, Text, is_blank, is_space, is_word};
use super::value;

#[derive(Clone, Copy, Debug)]
pub(super) struct Program {
    pub(super) name: &'static str,
    /// Options whose next word is a password.
    apart: &'static [&'static str],
    /// Options with the password attached.
    glued: &'static [&'static str],
    /// Options followed by `user:password`.
    paired: &'static [&'static str],
}

const fn program(
    name: &'static str,
    apart: &'static [&'static str],
    glued: &'static [&'static str],
    paired: &'static [&'static str],
) -> Program {
    Program {
        name,
        apart,
        glued,
        paired,
    }
}

pub(super) const PROGRAMS: &[Program] = &[
    program(
        "curl ",
        &["--pass", "--proxy-pass"],
        &[],
        &[
            "-u",
            "--user",
            "-U",
            "--proxy-user",
            "-E",
            "--cert",
            "--proxy-cert",
        ],
    ),
    program("mysql ", &[], &["-p"], &[]),
    program("mysqldump ", &[], &["-p"], &[]),
    program("mysqladmin ", &["password"], &["-p"], &[]),
    program("mysqlimport ", &[], &["-p"], &[]),
    program("mariadb ", &[], &["-p"], &[]),
    program("mariadb-dump ", &[], &["-p"], &[]),
    program("sshpass ", &["-p"], &["-p"], &[]),
    program("docker login ", &["-p"], &[], &[]),
    program("podman login ", &["-p"], &[], &[]),
    program("oc login ", &["-p"], &[], &[]),
    program("cf login ", &["-p"], &[], &[]),
    program("az login ", &["-p"], &[], &[]),
    program("mongo ", &["-p"], &[], &[]),
    program("mongosh ", &["-p"], &[], &[]),
    program("mongodump ", &["-p"], &[], &[]),
    program("redis-cli ", &["-a"], &[], &[]),
    program("ldapsearch ", &["-w"], &[], &[]),
    program("ldapmodify ", &["-w"], &[], &[]),
    program("ldapadd ", &["-w"], &[], &[]),
    program("sqlcmd ", &["-P"], &["-P"], &[]),
    program("isql ", &["-P"], &["-P"], &[]),
    program("tsql ", &["-P"], &["-P"], &[]),
    program("freerdp ", &[], &["/p:"], &[]),
    program(
        "skopeo ",
        &[],
        &[],
        &["--creds", "--src-creds", "--dest-creds"],
    ),
    program("buildah ", &[], &[], &["--creds"]),
    program("ctr ", &[], &[], &["--user", "-u"]),
    program("unzip ", &["-P"], &["-P"], &[]),
    program("zip ", &["-P"], &[], &[]),
    program("7z ", &[], &["-p"], &[]),
    program("http ", &[], &[], &["-a", "--auth"]),
    program("https ", &[], &[], &["-a", "--auth"]),
    program("xh ", &[], &[], &["-a", "--auth"]),
    program("smbclient ", &[], &[], &["-U"]),
    program("snmpwalk ", &["-A", "-X", "-c"], &[], &[]),
    program("ipmitool ", &["-P"], &[], &[]),
    program("cqlsh ", &["-p"], &[], &[]),
    program("influx ", &["-p", "-t"], &[], &[]),
    program("rabbitmqadmin ", &["-p"], &[], &[]),
    program("ldap ", &["-w"], &[], &[]),
    program("az keyvault secret set ", &["--value"], &[], &[]),
    program("security add-generic-password ", &["-w"], &[], &[]),
    program("security add-internet-password ", &["-w"], &[], &[]),
    program("security unlock-keychain ", &["-p"], &[], &[]),
    program("security set-key-partition-list ", &["-k"], &[], &[]),
    program("ldapwhoami ", &["-w"], &[], &[]),
    program("ldappasswd ", &["-w", "-s"], &[], &[]),
    program("ldapdelete ", &["-w"], &[], &[]),
    program("openssl ", &["-k", "-K"], &[], &[]),
    program("ssh-keygen ", &["-N", "-P"], &[], &[]),
    program("veracrypt ", &["-p"], &[], &[]),
    program("useradd ", &["-p"], &[], &[]),
    program("usermod ", &["-p"], &[], &[]),
    program("lftp ", &[], &[], &["-u"]),
    program("unrar ", &[], &["-p"], &[]),
    program("rar ", &[], &["-p", "-hp"], &[]),
    program("7za ", &[], &["-p"], &[]),
    program("xfreerdp ", &[], &["/p:"], &[]),
    program("wfreerdp ", &[], &["/p:"], &[]),
    program("rdesktop ", &["-p"], &[], &[]),
    program("psexec ", &["-p"], &[], &[]),
    program("PsExec ", &["-p"], &[], &[]),
    program("PSEXEC ", &["-p"], &[], &[]),
    program("psExec ", &["-p"], &[], &[]),
    program("psexec.exe ", &["-p"], &[], &[]),
    program("PsExec.exe ", &["-p"], &[], &[]),
    program("PSEXEC.EXE ", &["-p"], &[], &[]),
    program("plink ", &["-pw"], &[], &[]),
    program("pscp ", &["-pw"], &[], &[]),
    program("putty ", &["-pw"], &[], &[]),
    program("twine ", &["-p"], &[], &[]),
    program("helm ", &["-p"], &[], &[]),
    program("cmdkey ", &[], &["/pass:"], &[]),
    program("schtasks ", &["/rp", "/p"], &[], &[]),
    program("wmic ", &[], &["/password:"], &[]),
    program("bcp ", &["-P"], &["-P"], &[]),
    program("snmpget ", &["-A", "-X", "-c"], &[], &[]),
    program("racadm ", &["-p"], &[], &[]),
    program("swift ", &["-K"], &[], &[]),
    program("snmptrap ", &["-A", "-X", "-c"], &[], &[]),
    program("snmpset ", &["-A", "-X", "-c"], &[], &[]),
    program("snmpbulkget ", &["-A", "-X", "-c"], &[], &[]),
    program("snmpbulkwalk ", &["-A", "-X", "-c"], &[], &[]),
    program("mosquitto_pub ", &["-P"], &[], &[]),
    program("mosquitto_sub ", &["-P"], &[], &[]),
    program("clickhouse-client ", &["--password"], &[], &[]),
    program("sqlmap ", &[], &[], &["--auth-cred"]),
    program("evil-winrm ", &["-p"], &[], &[]),
    program("crackmapexec ", &["-p"], &[], &[]),
    program("hydra ", &["-p"], &[], &[]),
    program("hdbsql ", &["-p"], &[], &[]),
    program("signtool ", &["/p"], &[], &[]),
    program("x11vnc ", &["-passwd"], &[], &[]),
    program("db2 connect ", &["using"], &[], &[]),
    program("etcdctl ", &[], &[], &["--user"]),
    program("check_snmp ", &["-A", "-X", "-C"], &[], &[]),
    program("fs_cli ", &["-p"], &[], &[]),
    program("sipp ", &["-ap"], &[], &[]),
    program("elster-cli ", &["--pin"], &[], &[]),
    program("signal-cli ", &["--pin", "verify"], &[], &[]),
    program("oathtool ", &["-b"], &[], &[]),
    program("monero-wallet-rpc ", &[], &[], &["--rpc-login"]),
    program("monerod ", &[], &[], &["--rpc-login"]),
    program("check_nt ", &["-s"], &[], &[]),
    program("eapol_test ", &["-s"], &[], &[]),
    program("net ads ", &[], &[], &["-U"]),
    program("net rpc ", &[], &[], &["-U"]),
    program("addauth ", &[], &[], &["digest"]),
];

/// How much of a command line is read, in bytes.
const LONGEST_LINE: usize = 2048;

/// Reads the words of the command that starts at `start` and pushes the spans of its passwords.
pub(super) fn at(text: Text<'_>, program: &Program, start: usize, spans: &mut Vec<Span>) -> usize {
    if is_word(text.before(start)) || matches!(text.before(start), b'-' | b'.') {
        return start;
    }
    let mut option = None;
    let mut index = start + program.name.len();
    let end = command_end(text, index);
    while let Some(word) = next_word(text, index, end) {
        index = word.next;
        let shown = text.slice(word.span.clone());
        match option.take() {
            Some(OptionValue::Apart) => push(text, word.span, spans),
            Some(OptionValue::Paired) => push_pair(text, word.span, spans),
            None => option = read_option(text, program, &word, shown, spans),
        }
    }
    end
}

#[derive(Clone, Copy)]
enum OptionValue {
    Apart,
    Paired,
}

fn read_option(
    text: Text<'_>,
    program: &Program,
    word: &Word,
    shown: &str,
    spans: &mut Vec<Span>,
) -> Option<OptionValue> {
    let (head, inline) = match shown.split_once('=') {
        Some((head, _)) if head.starts_with("--") => (head, true),
        _ => (shown, false),
    };
    if program.paired.contains(&head) {
        if inline {
            push_pair(
                text,
                unquoted(text, word.span.start + head.len() + 1..word.span.end),
                spans,
            );
            return None;
        }
        return Some(OptionValue::Paired);
    }
    if program.apart.contains(&shown) {
        return Some(OptionValue::Apart);
    }
    if let Some(option) = program
        .paired
        .iter()
        .find(|option| option.len() == 2 && shown.starts_with(**option) && shown.contains(':'))
    {
        push_pair(
            text,
            unquoted(text, word.span.start + option.len()..word.span.end),
            spans,
        );
    }
    if let Some(option) = program
        .glued
        .iter()
        .find(|option| shown.starts_with(**option) && shown.len() > option.len())
    {
        push(
            text,
            unquoted(text, word.span.start + option.len()..word.span.end),
            spans,
        );
    }
    // `-p="…"`
    if let Some(option) = program.apart.iter().find(|option| {
        option.len() == 2 && shown.starts_with(**option) && shown[2..].starts_with('=')
    }) {
        let from = word.span.start + option.len() + 1;
        push(text, unquoted(text, from..word.span.end), spans);
    }
    None
}

fn push(text: Text<'_>, span: Span, spans: &mut Vec<Span>) {
    let shown = text.slice(span.clone());
    if !value::is_placeholder(shown) && !shown.starts_with('-') {
        spans.push(span);
    }
}

/// Masks the password in `user:password` or `user%password`, and a user that is itself a key.
fn push_pair(text: Text<'_>, span: Span, spans: &mut Vec<Span>) {
    let shown = text.slice(span.clone());
    let Some(split) = shown.find([':', '%']).or_else(|| shown.find(',')) else {
        if value::is_key_like(shown, 16) {
            spans.push(span);
        }
        return;
    };
    let (user, password) = (
        span.start..span.start + split,
        span.start + split + 1..span.end,
    );
    let stand_ins = value::are_stand_ins(&shown[..split], &shown[split + 1..]);
    if !password.is_empty() && !stand_ins {
        push(text, password, spans);
    }
    if value::is_key_like(text.slice(user.clone()), 16) {
        spans.push(user);
    }
}

pub(super) struct Word {
    pub(super) span: Span,
    pub(super) next: usize,
}

/// The next shell word, without its quotes.
pub(super) fn next_word(text: Text<'_>, index: usize, end: usize) -> Option<Word> {
    let start = text.run(index, end.saturating_sub(index), |byte| {
        is_space(byte) || byte == b'\\'
    });
    if start >= end {
        return None;
    }
    let quote = text.at(start);
    if matches!(quote, b'"' | b'\'') {
        let close = past_escaped_quotes(text, start + 1, end, quote);
        return Some(Word {
            span: start + 1..close,
            next: close + 1,
        });
    }
    let mut close = text.run(start, end - start, |byte| !is_space(byte));
    // `-p'two words'`
    if let Some(open) = text.bytes[start..close]
        .iter()
        .position(|byte| matches!(byte, b'"' | b'\''))
    {
        let quote = text.at(start + open);
        close = past_escaped_quotes(text, start + open + 1, end, quote) + 1;
    }
    Some(Word {
        span: start..close.min(end),
        next: close,
    })
}

/// Where a quoted word closes. A shell writes the mark itself as `'\''`.
fn past_escaped_quotes(text: Text<'_>, from: usize, end: usize, quote: u8) -> usize {
    let mut close = text.run(from, end - from, |byte| byte != quote);
    while quote == b'\'' && close + 4 < end && text.starts_with(close, "'\\''") {
        close = text.run(close + 4, end - close - 4, |byte| byte != quote);
    }
    close
}

fn unquoted(text: Text<'_>, span: Span) -> Span {
    let quotes = |byte: u8| matches!(byte, b'"' | b'\'');
    match span.len() >= 2
        && quotes(text.at(span.start))
        && text.at(span.end - 1) == text.at(span.start)
    {
        true => span.start + 1..span.end - 1,
        false => span,
    }
}

/// Where a command ends: with its line, unless the line is continued, or where the shell starts
/// another command.
pub(super) fn command_end(text: Text<'_>, start: usize) -> usize {
    let stop = text.len().min(start + LONGEST_LINE);
    let mut at = start;
    while at < stop {
        let continued = text.before(at) == b'\\'
            || text.before(at) == b'\r' && at >= 2 && text.at(at - 2) == b'\\';
        match text.bytes[at] {
            b'\n' if !continued => return at,
            b'|' | b';' if is_blank(text.before(at)) => return at,
            b'&' if text.at(at + 1) == b'&' => return at,
            b'`' => return at,
            // The end of the JSON text that holds the command.
            b'"' if text.starts_with(at, "\",\"") || text.starts_with(at, "\"}") => return at,
            _ => at += 1,
        }
    }
    stop
}

/// The secret in `IDENTIFIED BY '…'`; `after` is the end of these words.
pub(super) fn identified_by(text: Text<'_>, after: usize) -> Option<Span> {
    let at = text.run(after, 8, is_blank);
    let at = if text.starts_with_ignoring_case(at, "password ") {
        at + 9
    } else {
        at
    };
    // "identified by `name`" is documentation.
    if text.at(at) == b'`' {
        return None;
    }
    let plugin = text.run(at, 48, |byte| is_word(byte) || matches!(byte, b'\'' | b'"'));
    let at = if text.starts_with_ignoring_case(plugin, " by ") {
        plugin + 4
    } else if text.bytes[after - 4..after].eq_ignore_ascii_case(b"with") {
        return None;
    } else {
        at
    };
    let value = super::extent::quoted(text, at)
        .unwrap_or_else(|| super::extent::bare(text, at, super::extent::Style::Field, true));
    let shown = text.slice(value.span.clone());
    (!shown.is_empty()
        && !value::is_placeholder(shown)
        && (value.quoted
            || value::is_password_like(shown) && !shown.starts_with('*')
            || value::is_numbered_words(shown)))
    .then_some(value.span)
}
