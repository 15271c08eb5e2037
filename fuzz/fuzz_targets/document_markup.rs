//! Reads text in any of the markups, calendars, contacts, subtitles and notebooks: never panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reading::document::{Hint, Limits, read_document_within};

const NAMES: &[(&str, &str)] = &[
    ("a.tex", ""),
    ("a.rst", ""),
    ("a.adoc", ""),
    ("a.ics", "BEGIN:VCALENDAR\n"),
    ("a.vcf", "BEGIN:VCARD\n"),
    ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\n"),
    ("a.vtt", "WEBVTT\n\n"),
    ("a.ipynb", "{\"nbformat\":4,\"cells\":["),
    ("a.rss", "<rss><channel>"),
    ("a.csv", ""),
];

fuzz_target!(|input: (usize, &str)| {
    let (kind, text) = input;
    let (name, start) = NAMES[kind % NAMES.len()];
    let hint = Hint {
        file_name: Some(name.to_owned()),
        ..Hint::default()
    };
    let _ = read_document_within(format!("{start}{text}").as_bytes(), &hint, Limits::default());
});
