//! Bytes to text: byte-order mark, then the declared charset, then the page's own `meta`, then UTF-8 with a fallback.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// The text, and whether some bytes had no meaning in its charset.
#[derive(Debug)]
pub struct Decoded {
    /// The text.
    pub text: String,
    /// Whether bytes were replaced.
    pub lossy: bool,
}

/// Decodes a body. `declared` is the charset of the Content-Type header.
pub fn decode(body: &[u8], declared: Option<&str>) -> Decoded {
    let named = declared.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let encoding = named.or_else(|| in_meta(body)).unwrap_or_else(|| guess(body));
    let (text, _, lossy) = encoding.decode(body); // a byte-order mark overrules all of it
    Decoded { text: text.into_owned(), lossy }
}

/// Valid UTF-8 is UTF-8; anything else without a name is most likely the web's oldest default.
fn guess(body: &[u8]) -> &'static Encoding {
    if std::str::from_utf8(body).is_ok() { UTF_8 } else { WINDOWS_1252 }
}

/// The charset that a page names within its first kilobyte, as browsers look for it.
fn in_meta(body: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(&body[..body.len().min(1_024)]).to_ascii_lowercase();
    let after = &start[start.find("charset")? + "charset".len()..];
    let value = after.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
    let end = value.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '>' | '/')).unwrap_or(value.len());
    match Encoding::for_label(&value.as_bytes()[..end])? {
        // A page that can be read as ASCII so far is not UTF-16, whatever it says.
        encoding if encoding.name().starts_with("UTF-16") => Some(UTF_8),
        encoding => Some(encoding),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_then_the_meta_then_the_bytes_decide() {
        assert_eq!(decode(b"caf\xE9", Some("iso-8859-1")).text, "café");
        assert_eq!(decode(b"<meta charset='windows-1251'>\xCF\xF0", None).text, "<meta charset='windows-1251'>Пр");
        assert_eq!(decode("日本".as_bytes(), None).text, "日本");
        assert_eq!(decode(b"\x93quoted\x94", None).text, "“quoted”");
        assert_eq!(decode(b"\xFF\xFEh\x00i\x00", Some("utf-8")).text, "hi");
    }

    #[test]
    fn unknown_names_and_broken_bytes_do_not_fail() {
        assert_eq!(decode(b"plain", Some("klingon")).text, "plain");
        assert!(decode(b"a\xFFb", Some("utf-8")).lossy);
    }
}
