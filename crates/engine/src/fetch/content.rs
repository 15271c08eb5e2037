//! What an answer's body is: by its declared type first, by its first bytes where the declaration is missing, vague or
//! plainly wrong.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

/// The kinds of body this tier reads, and the one it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// HTML or XHTML.
    Html,
    /// Markdown, as a site offers it to readers like us.
    Markdown,
    /// Text that is fine as it stands: plain text, JSON, CSV, YAML, XML, source.
    Text,
    /// No text.
    Binary,
}

/// Decides from the declared media type (lower case, without parameters), the declared charset and the first bytes.
pub(super) fn classify(declared: Option<&str>, charset: Option<&str>, body: &[u8]) -> Body {
    let start = &body[..body.len().min(PREFIX)];
    match declared.and_then(by_media_type) {
        // A text type is a claim that the bytes can disprove, and so is any other.
        Some(Body::Binary) if starts_as_html(start) => Body::Html,
        Some(Body::Binary) => Body::Binary,
        _ if looks_binary(start, charset) => Body::Binary,
        Some(text) => text,
        None if looks_like_html(start) => Body::Html,
        None => Body::Text,
    }
}

fn by_media_type(media_type: &str) -> Option<Body> {
    let (family, subtype) = media_type.split_once('/')?;
    Some(match (family, subtype) {
        ("text", "html") | ("application", "xhtml+xml") => Body::Html,
        ("text", "markdown" | "x-markdown") => Body::Markdown,
        ("text", "plain") => return None, // servers say this of anything they do not know
        ("text", _) => Body::Text,
        ("application", "octet-stream" | "binary") => return None,
        ("application", subtype) if is_textual(subtype) => Body::Text,
        _ => Body::Binary,
    })
}

fn is_textual(subtype: &str) -> bool {
    subtype.ends_with("+json")
        || subtype.ends_with("+xml")
        || matches!(
            subtype,
            "json"
                | "xml"
                | "yaml"
                | "x-yaml"
                | "toml"
                | "javascript"
                | "x-javascript"
                | "ecmascript"
                | "ndjson"
                | "x-ndjson"
                | "csv"
                | "sql"
                | "x-sh"
        )
}

/// How far to look: enough for a prologue, little enough to be free.
const PREFIX: usize = 1_024;

const MAGIC: &[&[u8]] = &[b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xFF\xD8\xFF", b"\x1F\x8B", b"RIFF", b"\x7FELF", b"OggS", b"ID3"];

/// A known beginning, or more controls than a slip of a template leaves behind. Half the bytes of UTF-16 are zeros, so it is
/// decoded first.
fn looks_binary(start: &[u8], charset: Option<&str>) -> bool {
    if MAGIC.iter().any(|mark| start.starts_with(mark)) {
        return true;
    }
    let (controls, length) = match wide_encoding(start, charset) {
        Some(encoding) => {
            let even = &start[..start.len() / 2 * 2];
            let text = encoding.decode(even).0;
            (text.chars().filter(|c| u8::try_from(*c).is_ok_and(is_control) || *c == char::REPLACEMENT_CHARACTER).count(), text.len())
        }
        None => (start.iter().filter(|byte| is_control(**byte)).count(), start.len()),
    };
    controls > 1 + length / CONTROLS_ONE_IN
}

/// Text has next to none of them; every tenth byte of compressed data is one.
const CONTROLS_ONE_IN: usize = 50;

/// A control that no text has. Escape is left out: Japanese mail and news charsets are full of it.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=0x08 | 0x0E..=0x1A | 0x1C..=0x1F)
}

/// UTF-16, by its byte-order mark or by declaration.
fn wide_encoding(start: &[u8], charset: Option<&str>) -> Option<&'static Encoding> {
    let marked = Encoding::for_bom(start).map(|(encoding, _)| encoding);
    let named = || charset.and_then(|label| Encoding::for_label(label.as_bytes()));
    marked.or_else(named).filter(|encoding| [UTF_16LE, UTF_16BE].contains(encoding))
}

fn beginning(start: &[u8]) -> String {
    String::from_utf8_lossy(start).trim_start_matches('\u{FEFF}').trim_start().to_ascii_lowercase()
}

/// So clearly a page that a declaration as something else is wrong: error pages under the type of the file that was asked for.
fn starts_as_html(start: &[u8]) -> bool {
    let text = beginning(start);
    ["<!doctype html", "<html"].iter().any(|tag| text.starts_with(tag))
}

fn looks_like_html(start: &[u8]) -> bool {
    let text = beginning(start);
    ["<!doctype html", "<html", "<head", "<body", "<!--", "<title", "<script", "<div", "<p>", "<h1", "<meta"]
        .iter()
        .any(|tag| text.starts_with(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(declared: &str, body: &[u8]) -> Body {
        classify(Some(declared), None, body)
    }

    #[test]
    fn declared_types_are_believed_unless_the_bytes_disprove_them() {
        assert_eq!(of("text/html", b"plain words"), Body::Html);
        assert_eq!(of("application/ld+json", b"{}"), Body::Text);
        assert_eq!(of("text/markdown", b"# Hi"), Body::Markdown);
        assert_eq!(of("image/png", b"\x89PNG"), Body::Binary);
        assert_eq!(of("text/html", b"%PDF-1.7"), Body::Binary);
        assert_eq!(of("text/html", b"\x00\x01\x02"), Body::Binary);
    }

    #[test]
    fn missing_and_vague_types_are_sniffed() {
        assert_eq!(classify(None, None, b"  <!DOCTYPE html><p>x"), Body::Html);
        assert_eq!(of("text/plain", b"\xEF\xBB\xBF<html>"), Body::Html);
        assert_eq!(of("application/octet-stream", b"just words"), Body::Text);
        assert_eq!(classify(None, None, b"PK\x03\x04rest"), Body::Binary);
        assert_eq!(classify(None, None, b""), Body::Text);
        assert_eq!(of("text/plain", b"\xFF\xFEh\x00i\x00"), Body::Text);
    }

    #[test]
    fn declared_utf_16_without_a_mark_is_text() {
        let little: Vec<u8> = "<html>a page".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "日本語 text".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(classify(Some("text/html"), Some("utf-16le"), &little), Body::Html);
        assert_eq!(classify(Some("text/plain"), Some("utf-16be"), &big), Body::Text);
        assert_eq!(classify(Some("text/html"), Some("utf-16le"), &[0; 64]), Body::Binary);
        assert_eq!(classify(Some("text/html"), Some("utf-8"), &little), Body::Binary);
    }

    #[test]
    fn one_zero_byte_does_not_make_a_page_binary() {
        assert_eq!(of("text/html", b"<html><p>a\0b</p>"), Body::Html);
        assert_eq!(classify(None, None, b"<html>\0"), Body::Html);
        let noise: Vec<u8> = (0..1_024u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert_eq!(of("text/html", &noise), Body::Binary);
        assert_eq!(of("text/plain", b"\x1B$BF|K\\8l\x1B(B"), Body::Text);
    }

    #[test]
    fn a_page_under_the_type_of_a_file_is_a_page() {
        for wrong in ["application/pdf", "image/png", "video/mp4"] {
            assert_eq!(of(wrong, b"\n<!DOCTYPE HTML><title>Sign in"), Body::Html, "{wrong}");
            assert_eq!(of(wrong, b"<html lang=en>"), Body::Html, "{wrong}");
            assert_eq!(of(wrong, b"<svg>"), Body::Binary, "{wrong}");
        }
        assert_eq!(of("application/pdf", b"%PDF-1.7 <html>"), Body::Binary);
    }
}
