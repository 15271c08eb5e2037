//! What an answer's body is: by its declared type first, by its first bytes where the declaration is missing or vague.

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

/// Decides from the declared media type (lower case, without parameters) and the first bytes.
pub(super) fn classify(declared: Option<&str>, body: &[u8]) -> Body {
    let by_type = declared.and_then(by_media_type);
    match by_type {
        // A text type is a claim; zero bytes disprove it in every charset this tier decodes without a byte-order mark.
        Some(Body::Html | Body::Markdown | Body::Text) if looks_binary(body) => Body::Binary,
        Some(body) => body,
        None if looks_binary(body) => Body::Binary,
        None if looks_like_html(body) => Body::Html,
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

fn looks_binary(body: &[u8]) -> bool {
    let start = &body[..body.len().min(PREFIX)];
    let has_utf16_mark = start.starts_with(&[0xFE, 0xFF]) || start.starts_with(&[0xFF, 0xFE]);
    let magic: &[&[u8]] =
        &[b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xFF\xD8\xFF", b"\x1F\x8B", b"RIFF", b"\x7FELF", b"OggS", b"ID3"];
    magic.iter().any(|mark| start.starts_with(mark)) || (!has_utf16_mark && start.contains(&0))
}

fn looks_like_html(body: &[u8]) -> bool {
    let start = &body[..body.len().min(PREFIX)];
    let text = String::from_utf8_lossy(start).trim_start_matches('\u{FEFF}').trim_start().to_ascii_lowercase();
    ["<!doctype html", "<html", "<head", "<body", "<!--", "<title", "<script", "<div", "<p>", "<h1", "<meta"]
        .iter()
        .any(|tag| text.starts_with(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_types_are_believed_unless_the_bytes_disprove_them() {
        assert_eq!(classify(Some("text/html"), b"plain words"), Body::Html);
        assert_eq!(classify(Some("application/ld+json"), b"{}"), Body::Text);
        assert_eq!(classify(Some("text/markdown"), b"# Hi"), Body::Markdown);
        assert_eq!(classify(Some("image/png"), b"\x89PNG"), Body::Binary);
        assert_eq!(classify(Some("text/html"), b"%PDF-1.7"), Body::Binary);
        assert_eq!(classify(Some("text/html"), b"\x00\x01\x02"), Body::Binary);
    }

    #[test]
    fn missing_and_vague_types_are_sniffed() {
        assert_eq!(classify(None, b"  <!DOCTYPE html><p>x"), Body::Html);
        assert_eq!(classify(Some("text/plain"), b"\xEF\xBB\xBF<html>"), Body::Html);
        assert_eq!(classify(Some("application/octet-stream"), b"just words"), Body::Text);
        assert_eq!(classify(None, b"PK\x03\x04rest"), Body::Binary);
        assert_eq!(classify(None, b""), Body::Text);
        assert_eq!(classify(Some("text/plain"), b"\xFF\xFEh\x00i\x00"), Body::Text);
    }
}
