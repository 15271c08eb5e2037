//! Which format a file has: by its bytes where they tell, else by its declared type, else by its
//! name.
//!
//! Declared types and extensions are claims. A signature in the bytes overrules both. A claim of a
//! format that always has a signature is disproved by its absence, if the bytes are clearly text.

use encoding_rs::Encoding;

use super::compound::{self, CompoundFile};
use super::format::{DocumentKind, Format, Signature};
use super::zip_listing::ZipListing;
use super::{mail, sniff, source, unreadable};
use crate::extract::charset;

/// How many bytes are searched for a signature or the beginning of the markup.
pub(super) const PREFIX: usize = 1_024;

/// The format of the bytes.
pub(super) fn detect(
    formats: &[&Format],
    media_type: Option<&str>,
    file_name: Option<&str>,
    bytes: &[u8],
) -> DocumentKind {
    let claims = [
        media_type.and_then(|name| by_media_type(formats, name)),
        file_name.and_then(|name| by_extension(formats, name)),
    ];
    let is_claimed =
        |matches: &dyn Fn(&Format) -> bool| claims.iter().flatten().any(|it| matches(it));
    let found = by_signature(formats, bytes);
    // Lines of a name and a value are no proof of a message against the claim of another text, and
    // few of them are enough where a message is claimed.
    let found = match found {
        Some(DocumentKind::EML) if is_claimed(&|it| !it.has_signature()) => None,
        None if is_claimed(&|it| it.kind == DocumentKind::EML)
            && mail::eml::begins_with_headers(bytes) =>
        {
            Some(DocumentKind::EML)
        }
        None if !is_claimed(&|it| it.kind != DocumentKind::PDF)
            && sniff::is_pdf_after_junk(bytes, is_claimed(&|it| it.kind == DocumentKind::PDF)) =>
        {
            Some(DocumentKind::PDF)
        }
        found => found,
    };
    found.unwrap_or_else(|| {
        let wide = charset::wide(bytes, media_type.and_then(declared_charset));
        by_claims(claims, wide, bytes)
    })
}

/// What the media type claims, or the file name where the media type is missing or vague.
pub(super) fn claimed<'f>(
    formats: &[&'f Format],
    media_type: Option<&str>,
    file_name: Option<&str>,
) -> Option<&'f Format> {
    media_type
        .and_then(|name| by_media_type(formats, name))
        .or_else(|| file_name.and_then(|name| by_extension(formats, name)))
}

fn by_signature(formats: &[&Format], bytes: &[u8]) -> Option<DocumentKind> {
    let start = &bytes[..bytes.len().min(PREFIX)];
    let first = |matches: &dyn Fn(&Signature) -> bool| {
        formats
            .iter()
            .find(|format| matches(&format.signature))
            .map(|format| format.kind)
    };
    let unspaced = after_blanks(bytes);
    let by_start = find(formats, |format| match format.signature {
        Signature::StartsWith(marks) => marks.iter().any(|mark| {
            (start.starts_with(mark) || unspaced.starts_with(mark))
                && unreadable::is_telling(format, mark, start)
        }),
        _ => false,
    });
    if let Some(format) = by_start {
        return Some(format.kind);
    }
    if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
        let zip = ZipListing::open(bytes);
        return first(&|signature| match signature {
            Signature::Zip(is_document) => is_document(&zip),
            _ => false,
        });
    }
    if start.starts_with(compound::SIGNATURE) {
        // A directory that cannot be read says nothing: what is claimed decides.
        let file = CompoundFile::open(bytes)?;
        return first(&|signature| match signature {
            Signature::Compound(is_document) => is_document(&file),
            _ => false,
        });
    }
    first(&|signature| match signature {
        Signature::Within(is_in) => is_in(start, bytes),
        _ => false,
    })
}

fn by_media_type<'f>(formats: &[&'f Format], declared: &str) -> Option<&'f Format> {
    let name = declared
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let (family, subtype) = name.split_once('/')?;
    let exact = find(formats, |format| {
        format.media_types.contains(&name.as_str())
    });
    if exact.is_some() {
        return exact;
    }
    match (family, subtype) {
        // Servers declare these for anything they do not know.
        ("text", "plain")
        | ("application", "octet-stream" | "x-download" | "force-download" | "binary")
        | ("binary", _) => None,
        _ => find(formats, |format| {
            format
                .media_types
                .iter()
                .any(|pattern| matches_pattern(pattern, &name))
        }),
    }
}

/// Whether a media type matches a pattern with one `*`.
fn matches_pattern(pattern: &str, name: &str) -> bool {
    pattern.split_once('*').is_some_and(|(start, end)| {
        name.strip_prefix(start)
            .is_some_and(|rest| rest.ends_with(end))
    })
}

fn by_extension<'f>(formats: &[&'f Format], file_name: &str) -> Option<&'f Format> {
    let extension = extension(file_name)?;
    find(formats, |format| {
        format.extensions.contains(&extension.as_str())
    })
    .or_else(|| {
        source::language(file_name)?;
        find(formats, |format| format.kind == DocumentKind::SOURCE)
    })
}

fn find<'f>(formats: &[&'f Format], matches: impl Fn(&Format) -> bool) -> Option<&'f Format> {
    formats.iter().copied().find(|format| matches(format))
}

/// The extension of a file name, in lower case.
pub(super) fn extension(file_name: &str) -> Option<String> {
    let (stem, extension) = file_name.rsplit_once('.')?;
    (!stem.is_empty() && !extension.is_empty()).then(|| extension.to_ascii_lowercase())
}

/// The charset parameter of a media type.
pub(super) fn declared_charset(media_type: &str) -> Option<&str> {
    let mut parameters = media_type
        .split([';', ','])
        .skip(1)
        .filter_map(|parameter| parameter.split_once('='));
    let (_, value) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Some(value.trim().trim_matches(['"', '\'']))
}

/// The format of bytes without a signature: the first claim that they do not disprove, else what
/// they look like. `wide` is the encoding if the text is UTF-16.
fn by_claims(
    claims: [Option<&Format>; 2],
    wide: Option<&'static Encoding>,
    bytes: &[u8],
) -> DocumentKind {
    let mut claims = claims.into_iter().flatten();
    // Leading blanks can only be skipped in narrow text: in UTF-16 a blank byte is half a
    // character.
    let start = match wide {
        Some(_) => &bytes[..bytes.len().min(2 * PREFIX)],
        None => after_blanks(bytes),
    };
    let is_noise = wide.is_none() && sniff::is_mostly_binary(bytes);
    if is_noise || sniff::looks_binary(start, wide) {
        // A claimed format whose signature is cut off or damaged: its parser reports that. Readers
        // of text would show the noise.
        return claims
            .find(|format| format.has_signature() && !format.is_text)
            .map_or(DocumentKind::BINARY, |format| format.kind);
    }
    let decoded = wide.map(|encoding| {
        encoding
            .decode(&start[..start.len() / 2 * 2])
            .0
            .into_owned()
    });
    let start = decoded.as_ref().map_or(start, |text| text.as_bytes());
    // Text that is declared as an image or a film has the wrong type or the wrong content. Neither
    // is worth reading.
    let pictures = [DocumentKind::MEDIA, DocumentKind::IMAGE];
    let picture = claims
        .clone()
        .find(|format| pictures.contains(&format.kind));
    if let Some(picture) = picture.filter(|_| sniff::text_kind(start) == DocumentKind::TEXT) {
        return picture.kind;
    }
    // Text cannot be of a format that has a signature. CSV declared as Excel is common.
    let claim = claims.find(|format| !format.has_signature());
    match claim.map(|format| format.kind) {
        Some(DocumentKind::XML | DocumentKind::FEED) => sniff::declared_xml_kind(start),
        Some(DocumentKind::HTML) if sniff::looks_like_markup(start) => DocumentKind::HTML,
        Some(DocumentKind::HTML) | None => sniff::text_kind(start),
        Some(kind) => kind,
    }
}

/// The beginning of the text after a byte-order mark and leading blanks: some templates produce
/// many empty lines.
fn after_blanks(bytes: &[u8]) -> &[u8] {
    let rest = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let rest = rest.trim_ascii_start();
    &rest[..rest.len().min(PREFIX)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_overrule_claims() {
        assert_eq!(
            DocumentKind::detect(Some("text/html"), Some("a.html"), b"%PDF-1.7"),
            DocumentKind::PDF
        );
        assert_eq!(
            DocumentKind::detect(Some("application/pdf"), Some("a.pdf"), b"\x89PNG\r\n\x1A\n"),
            DocumentKind::IMAGE
        );
        let word = testkit::documents::compound(&[("WordDocument", b"x")]);
        assert_eq!(
            DocumentKind::detect(None, Some("report.docx"), &word),
            DocumentKind::DOC
        );
        for junk in [
            &b"junk before\n%PDF-1.4"[..],
            b"<br />\n<b>Warning</b>: a script's own page\n%PDF-1.4\n1 0 obj\n<<>>\nendobj",
        ] {
            assert_eq!(DocumentKind::detect(None, None, junk), DocumentKind::PDF);
        }
        for spaced in [&b"\xEF\xBB\xBF{\\rtf1 x}"[..], b"\r\n {\\rtf1 x}"] {
            assert_eq!(
                DocumentKind::detect(Some("text/plain"), None, spaced),
                DocumentKind::RTF
            );
        }
    }

    #[test]
    fn bytes_that_are_mostly_no_text_are_never_text() {
        let mut late = vec![b'a'; 3_000];
        late.extend((0..9_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8));
        for name in [None, Some("a.txt"), Some("a.csv"), Some("a.html")] {
            assert_eq!(
                DocumentKind::detect(None, name, &late),
                DocumentKind::BINARY
            );
        }
        let ebcdic = b"\xC8\x85\x93\x93\x96\x40\xA3\x88\x85\x99\x85\x40".repeat(9);
        let record = [&b"\xC8\x85\x93\x93\x96\x4B\x7A"[..], &[0x40; 300]].concat();
        for text in [ebcdic, record] {
            for name in ["a.txt", "a.ebc"] {
                assert_eq!(
                    DocumentKind::detect(None, Some(name), &text),
                    DocumentKind::EBCDIC
                );
            }
        }
        let mut log = b"2026-01-01 a line of a log\n".repeat(2_000);
        log[1_500..1_600].fill(0);
        assert_eq!(
            DocumentKind::detect(None, Some("a.log"), &log),
            DocumentKind::TEXT
        );
    }

    #[test]
    fn a_pdf_can_begin_late() {
        let late = |junk: usize| {
            let pdf = b"\n%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n";
            [&vec![b'j'; junk][..], pdf].concat()
        };
        for (junk, name) in [(1_018, None), (2_000, None), (2_000, Some("a.pdf"))] {
            assert_eq!(
                DocumentKind::detect(None, name, &late(junk)),
                DocumentKind::PDF
            );
        }
        assert_eq!(
            DocumentKind::detect(None, Some("a.md"), &late(2_000)),
            DocumentKind::MARKDOWN
        );
        let about = format!("{} the mark %PDF-1.4 begins it", "words ".repeat(300));
        assert_eq!(
            DocumentKind::detect(None, Some("a.pdf"), about.as_bytes()),
            DocumentKind::TEXT
        );
    }

    #[test]
    fn plain_text_can_begin_with_the_letters_of_a_refused_format() {
        for mark in [
            "ID3", "FWS", "CWS", "MThd", ".snd", "BZh", "LZIP", "AC10", "PAR1", "GGUF", "The moov",
        ] {
            let text = format!("{mark} (Fish and Wildlife Service) report\n");
            assert_eq!(
                DocumentKind::detect(None, None, text.as_bytes()),
                DocumentKind::TEXT,
                "{mark}"
            );
        }
        for (start, kind) in [
            (&b"ID3\x03\0\0\0\0\x0F\x76TT2"[..], DocumentKind::MEDIA),
            (b"\xFF\xFB\x90\x64\0\x0F", DocumentKind::MEDIA),
            (b"BZh91AY&SY\xAA\x01\x02", DocumentKind::ARCHIVE),
            (b"GGUF\x03\0\0\0", DocumentKind::BINARY),
        ] {
            assert_eq!(DocumentKind::detect(None, None, start), kind);
        }
    }

    #[test]
    fn headers_do_not_overrule_the_claim_of_another_text() {
        let mail = b"From: Ada <a@a.example>\nTo: b@b.example\nSubject: x\n\n{\"a\": 1}";
        let detect = |name| DocumentKind::detect(None, name, mail);
        assert_eq!(detect(None), DocumentKind::EML);
        assert_eq!(detect(Some("a.eml")), DocumentKind::EML);
        assert_eq!(detect(Some("a.yaml")), DocumentKind::YAML);
        assert_eq!(detect(Some("a.txt")), DocumentKind::TEXT);
        let loose = b"From: Ada\nTo: Bo\nSubject: x\n\nWords";
        let detect = |name| DocumentKind::detect(None, name, loose);
        assert_eq!(detect(None), DocumentKind::TEXT);
        assert_eq!(detect(Some("a.eml")), DocumentKind::EML);
    }

    #[test]
    fn text_disproves_the_claim_of_a_binary_format() {
        assert_eq!(
            DocumentKind::detect(
                Some("application/pdf"),
                None,
                b"<!DOCTYPE html><title>Sign in</title>"
            ),
            DocumentKind::HTML
        );
        assert_eq!(
            DocumentKind::detect(Some("application/pdf"), None, b"Not found"),
            DocumentKind::TEXT
        );
        assert_eq!(
            DocumentKind::detect(None, Some("a.xlsx"), b"{\"error\":1}"),
            DocumentKind::JSON
        );
        assert_eq!(
            DocumentKind::detect(Some("application/pdf"), None, b"\0\x01\x02broken"),
            DocumentKind::PDF
        );
        assert_eq!(
            DocumentKind::detect(
                Some("application/vnd.ms-excel"),
                Some("data.csv"),
                b"a,b\n1,2"
            ),
            DocumentKind::CSV
        );
        assert_eq!(
            DocumentKind::detect(None, None, b"<p>see the mark %PDF- in files</p>"),
            DocumentKind::HTML
        );
    }

    #[test]
    fn the_media_type_comes_before_the_file_name_unless_it_is_vague() {
        assert_eq!(
            DocumentKind::detect(Some("text/csv; charset=utf-8"), Some("a.txt"), b"a,b"),
            DocumentKind::CSV
        );
        assert_eq!(
            DocumentKind::detect(Some("text/plain"), Some("main.rs"), b"fn main() {}"),
            DocumentKind::SOURCE
        );
        assert_eq!(
            DocumentKind::detect(Some("application/octet-stream"), Some("x.tsv"), b"a\tb"),
            DocumentKind::TSV
        );
        assert_eq!(
            DocumentKind::detect(None, Some("x.unknown"), b"words"),
            DocumentKind::TEXT
        );
        assert_eq!(
            DocumentKind::detect(None, None, b"\0\0\0\0"),
            DocumentKind::BINARY
        );
    }

    #[test]
    fn xml_formats_are_told_apart_by_the_root_element() {
        assert_eq!(
            DocumentKind::detect(
                Some("text/xml"),
                None,
                b"<?xml version='1.0'?><!-- x --><rss version='2.0'>"
            ),
            DocumentKind::FEED
        );
        assert_eq!(
            DocumentKind::detect(
                Some("application/xml"),
                None,
                b"<feed xmlns='http://www.w3.org/2005/Atom'>"
            ),
            DocumentKind::FEED
        );
        assert_eq!(
            DocumentKind::detect(Some("application/xml"), None, b"<html xmlns='x'>"),
            DocumentKind::HTML
        );
        assert_eq!(
            DocumentKind::detect(None, None, b"<?xml version='1.0'?><note/>"),
            DocumentKind::XML
        );
        assert_eq!(
            DocumentKind::detect(Some("application/problem+xml"), None, b"<problem/>"),
            DocumentKind::XML
        );
        let journal = b"<!DOCTYPE article\nPUBLIC \"-//NLM//DTD JATS\" \"x.dtd\"><article><p>a</p>";
        for (bytes, name) in [(&journal[..], None), (b"<article><p>a</p>", Some("a.nxml"))] {
            assert_eq!(DocumentKind::detect(None, name, bytes), DocumentKind::XML);
        }
        let page = b"<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'><article><p>a</p>";
        assert_eq!(DocumentKind::detect(None, None, page), DocumentKind::HTML);
    }

    #[test]
    fn utf_16_is_recognised_by_mark_declaration_or_zero_bytes() {
        let little: Vec<u8> = "<html>a page"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let big: Vec<u8> = "日本語 text"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        let detect = |declared, bytes: &[u8]| DocumentKind::detect(Some(declared), None, bytes);
        assert_eq!(
            detect("text/html; charset=utf-16le", &little),
            DocumentKind::HTML
        );
        assert_eq!(
            detect("text/plain; charset=utf-16be", &big),
            DocumentKind::TEXT
        );
        assert_eq!(
            detect("text/html; charset=utf-16le", &[0; 64]),
            DocumentKind::BINARY
        );
        assert_eq!(
            detect("text/html; charset=utf-8", &little),
            DocumentKind::HTML
        );
        assert_eq!(detect("text/html", &big[6..]), DocumentKind::TEXT);
        let spaced: Vec<u8> = "\n\n<html>a page"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(
            detect("application/octet-stream", &spaced),
            DocumentKind::HTML
        );
        assert_eq!(
            detect("text/plain", b"\xFF\xFEh\x00i\x00"),
            DocumentKind::TEXT
        );
    }

    #[test]
    fn a_few_control_characters_do_not_make_a_page_binary() {
        let detect = |declared, bytes: &[u8]| DocumentKind::detect(Some(declared), None, bytes);
        assert_eq!(
            detect("text/html", b"<html><p>a\0b</p>"),
            DocumentKind::HTML
        );
        let noise: Vec<u8> = (0..1_024u32)
            .map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect();
        assert_eq!(detect("text/html", &noise), DocumentKind::BINARY);
        for name in ["a.ipynb", "a.rtf", "a.ics", "a.eml", "a.srt"] {
            assert_eq!(
                DocumentKind::detect(None, Some(name), &noise),
                DocumentKind::BINARY
            );
        }
        assert_eq!(
            detect("text/plain", b"\x1B$BF|K\\8l\x1B(B"),
            DocumentKind::TEXT
        );
        assert_eq!(
            detect(
                "text/html",
                format!("{}<html><p>late", "\n".repeat(3_000)).as_bytes()
            ),
            DocumentKind::HTML
        );
        assert_eq!(detect("text/html", b""), DocumentKind::TEXT);
    }
}
