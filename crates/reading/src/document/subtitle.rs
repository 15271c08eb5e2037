//! Subtitles (SRT, WebVTT): what is said, and when.

use std::collections::HashSet;

use super::format::{DocumentKind, Format, Signature};
use super::markdown::one_line;
use super::text::with_decoded_text;
use super::{Document, Input};

impl DocumentKind {
    /// SubRip subtitles.
    pub const SRT: DocumentKind = DocumentKind::named("srt");
    /// Subtitles of the web.
    pub const VTT: DocumentKind = DocumentKind::named("vtt");
}

pub(super) static SRT: Format = Format {
    kind: DocumentKind::SRT,
    label: Some("SRT"),
    media_types: &["application/x-subrip", "text/srt"],
    extensions: &["srt"],
    signature: Signature::Within(|start, _| begins_with_cue(start)),
    needs_worker: true,
    is_text: true,
    read: |input| Ok(read_subtitles(DocumentKind::SRT, input)),
};

pub(super) static VTT: Format = Format {
    kind: DocumentKind::VTT,
    label: Some("VTT"),
    media_types: &["text/vtt"],
    extensions: &["vtt"],
    signature: Signature::Within(|_, bytes| is_vtt(bytes)),
    needs_worker: true,
    is_text: true,
    read: |input| Ok(read_subtitles(DocumentKind::VTT, input)),
};

/// Whether the text begins with the mark as a word, and has a pair of times.
fn is_vtt(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let rest = text.trim_ascii_start().strip_prefix(b"WEBVTT");
    rest.is_some_and(|rest| {
        rest.first().is_some_and(u8::is_ascii_whitespace)
            && rest.windows(3).any(|window| window == b"-->")
    })
}

/// Whether the text begins with a pair of times, most often after a number.
fn begins_with_cue(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let mut lines = text
        .trim_start_matches('\u{FEFF}')
        .trim_start()
        .split(['\r', '\n'])
        .filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let times = if is_number(first) {
        lines.next().unwrap_or_default()
    } else {
        first
    };
    begin_of_cue(times).is_some()
}

/// The time at which a cue begins, as it is shown, if the line has the times of one.
fn begin_of_cue(line: &str) -> Option<String> {
    let (begin, end) = line.split_once("-->")?;
    let is_time = |text: &str| {
        text.contains(':')
            && text
                .chars()
                .all(|it| it.is_ascii_digit() || ":.,".contains(it))
    };
    let begin = begin.trim();
    let end = end.split_whitespace().next()?;
    if !is_time(begin) || !is_time(end) {
        return None;
    }
    let seconds = begin.split(['.', ',']).next()?;
    Some(match seconds.matches(':').count() {
        1 => format!("00:{seconds}"),
        _ => seconds.to_owned(),
    })
}

fn read_subtitles(kind: DocumentKind, input: &Input<'_>) -> Document {
    with_decoded_text(input, |text| {
        let mut markdown = input.markdown();
        let mut shown = String::new();
        for (time, words) in cues(kind, text) {
            // Captions that roll repeat the lines before.
            if words != shown {
                markdown.line(&format!("[{time}] {words}"));
                shown = words;
            }
            if markdown.is_full() {
                break;
            }
        }
        Document::new(kind, markdown)
    })
}

/// The cues: when each begins, and its words.
fn cues(kind: DocumentKind, text: &str) -> Vec<(String, String)> {
    let mut cues: Vec<(String, String)> = Vec::new();
    let mut previous: HashSet<String> = HashSet::new();
    let mut lines = text.lines().peekable();
    let mut before = "";
    // Whether cues have numbers is seen at the first.
    let mut are_numbered = None;
    while let Some(line) = lines.next() {
        let Some(begin) = begin_of_cue(line) else {
            before = line;
            continue;
        };
        let are_numbered = *are_numbered.get_or_insert_with(|| is_number(before));
        // An empty line can be part of what is said.
        let mut words: Vec<String> = Vec::new();
        while let Some(line) = lines.next_if(|line| {
            let begins_block = words.last().is_none_or(String::is_empty);
            begin_of_cue(line).is_none() && !(begins_block && is_remark(kind, line))
        }) {
            words.push(one_line(&without_tags(line)));
        }
        if lines
            .peek()
            .is_some_and(|line| begin_of_cue(line).is_some())
        {
            drop_name(kind, are_numbered, &mut words);
        }
        let fresh: Vec<&str> = words
            .iter()
            .filter(|line| !line.is_empty() && !previous.contains(*line))
            .map(String::as_str)
            .collect();
        if !fresh.is_empty() {
            cues.push((begin, fresh.join(" ")));
        }
        previous = words.into_iter().collect();
    }
    cues
}

fn is_number(line: &str) -> bool {
    line.trim().parse::<u32>().is_ok()
}

/// Whether a line begins a block of WebVTT that is not said.
fn is_remark(kind: DocumentKind, line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    kind == DocumentKind::VTT && ["NOTE", "STYLE", "REGION"].contains(&word)
}

/// Drops the name of the next cue from the end of the lines before it. It is a number in SubRip, and any line
/// after an empty one in WebVTT.
fn drop_name(kind: DocumentKind, are_numbered: bool, lines: &mut Vec<String>) {
    let is_name = match &lines[..] {
        [.., empty, name] if kind == DocumentKind::VTT => empty.is_empty() && !name.is_empty(),
        _ => false,
    };
    if is_name {
        lines.pop();
        return;
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines.pop_if(|line| are_numbered && is_number(line));
}

/// The most bytes of a tag.
const MAX_TAG: usize = 500;

/// The text without tags; the voice that speaks is kept.
fn without_tags(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find(['<', '{']) {
        text.push_str(&rest[..open]);
        let close = if rest[open..].starts_with('<') {
            '>'
        } else {
            '}'
        };
        let is_tag = rest[open + 1..]
            .starts_with(|it: char| it.is_ascii_alphanumeric() || matches!(it, '/' | '\\'));
        let tag = &rest[open..];
        let tag = &tag[..tag.floor_char_boundary(MAX_TAG)];
        let end = if is_tag { tag.find(close) } else { None };
        let Some(end) = end else {
            text.push_str(&rest[open..=open]);
            rest = &rest[open + 1..];
            continue;
        };
        let tag = &rest[open + 1..open + end];
        if let Some(voice) = tag.strip_prefix("v ") {
            text.push_str(voice.trim());
            text.push_str(": ");
        }
        rest = &rest[open + end + 1..];
    }
    text.push_str(rest);
    let entities = [
        ("&amp;", "&"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&nbsp;", " "),
    ];
    entities
        .iter()
        .fold(text, |text, (name, letter)| text.replace(name, letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_dropped_and_voices_kept() {
        assert_eq!(
            without_tags("<v Ada>Hi <i>you</i></v> {\\an8}& 1 < 2"),
            "Ada: Hi you & 1 < 2"
        );
        assert_eq!(without_tags("a < b <"), "a < b <");
    }

    #[test]
    fn long_lines_and_long_cues_take_no_long_time() {
        for open in ["<", "<a", "{", "{\\"] {
            let line = open.repeat(200_000);
            assert_eq!(without_tags(&line), line);
        }
        let cue = |name: &str| {
            let words: Vec<String> = (0..50_000).map(|it| format!("{name}{it}\n")).collect();
            format!("00:01.000 --> 00:02.000\n{}\n", words.concat())
        };
        assert_eq!(
            cues(DocumentKind::VTT, &[cue("a"), cue("b"), cue("b")].concat()).len(),
            2
        );
    }

    #[test]
    fn a_text_about_the_mark_is_no_subtitle() {
        assert!(is_vtt(b"WEBVTT\n\n00:01.000 --> 00:02.000\nHi"));
        assert!(is_vtt(
            b"\xEF\xBB\xBFWEBVTT - x\r\n\r\n00:01.000 --> 00:02.000"
        ));
        assert!(!is_vtt(b"WEBVTT is a format"));
        assert!(!is_vtt(b"WEBVTTs have lines with -->"));
    }

    #[test]
    fn times_are_shown_with_hours() {
        assert_eq!(
            begin_of_cue("01:02.500 --> 01:03.000 align:left").as_deref(),
            Some("00:01:02")
        );
        assert_eq!(
            begin_of_cue("00:00:01,000 --> 00:00:02,000").as_deref(),
            Some("00:00:01")
        );
        assert_eq!(begin_of_cue("a --> b"), None);
    }
}
