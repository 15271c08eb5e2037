//! Guesses the format of text from its first characters.

use encoding_rs::Encoding;

use super::format::DocumentKind;

/// The format of a text by its first characters.
pub(super) fn text_kind(start: &[u8]) -> DocumentKind {
    let text = String::from_utf8_lossy(start);
    match text
        .trim_start_matches('\u{FEFF}')
        .trim_start()
        .chars()
        .next()
    {
        Some('<') => markup(start).unwrap_or(DocumentKind::TEXT),
        Some('{') => DocumentKind::JSON,
        Some('[')
            if text.trim_start().starts_with("[{") || text.trim_start().starts_with("[\n") =>
        {
            DocumentKind::JSON
        }
        _ => DocumentKind::TEXT,
    }
}

/// The format of a text that is declared as XML. Elements of HTML, which make a page of text
/// without a declared type, count here only if the root is `html`.
pub(super) fn declared_xml_kind(start: &[u8]) -> DocumentKind {
    let text = String::from_utf8_lossy(start).to_ascii_lowercase();
    match markup(start) {
        Some(DocumentKind::HTML) if first_element(&text) != Some("html") => DocumentKind::XML,
        kind => kind.unwrap_or(DocumentKind::XML),
    }
}

/// The format of markup by its first element. `None` if it is not recognised.
fn markup(start: &[u8]) -> Option<DocumentKind> {
    let text = String::from_utf8_lossy(start).to_ascii_lowercase();
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    let root = first_element(text)?;
    let is_declared = text.starts_with("<?xml") || has_other_doctype(text);
    Some(match root.rsplit(':').next().unwrap_or(root) {
        "rss" | "feed" | "rdf" => DocumentKind::FEED,
        "html" => DocumentKind::HTML,
        _ if is_declared => DocumentKind::XML,
        "head" | "body" | "title" | "script" | "div" | "p" | "h1" | "meta" | "link" | "style"
        | "table" | "main" | "article" | "section" | "span" | "center" | "header" | "nav" | "a"
        | "br" | "ul" | "form" | "pre" => DocumentKind::HTML,
        _ if text.starts_with("<!doctype html") => DocumentKind::HTML,
        _ if text.contains("xmlns") => DocumentKind::XML,
        _ => return None,
    })
}

/// Whether the text begins with a document type other than that of pages, such as `article` of the
/// journals (JATS), whose elements have names of HTML.
fn has_other_doctype(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("<!doctype") else {
        return false;
    };
    let name = rest.split(['>', '[']).next().unwrap_or_default();
    let name = name.split_whitespace().next();
    name.is_some_and(|name| name != "html")
}

/// The name of the first element, past declarations, comments and a document type.
fn first_element(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = &rest[rest.find('<')? + 1..];
        if rest.starts_with("!--") {
            rest = &rest[rest.find("-->")?..];
        } else if !rest.starts_with(['!', '?']) {
            let end = rest
                .find(|letter: char| letter.is_whitespace() || matches!(letter, '>' | '/'))
                .unwrap_or(rest.len());
            return Some(&rest[..end]);
        } else if rest.starts_with("!doctype html") {
            return Some("html");
        }
    }
}

pub(super) fn looks_like_markup(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    text.trim_start_matches('\u{FEFF}')
        .trim_start()
        .starts_with('<')
        || text.to_ascii_lowercase().contains("<html")
        || text.contains("</")
        || text.contains("/>")
}

/// One control character in so many bytes is more than text has. In compressed data, one byte in
/// ten is a control character.
const CONTROLS_ONE_IN: usize = 50;

/// Whether there are more control characters than a mistake in a template produces. UTF-16 is
/// decoded first, since half of its bytes are zeros.
pub(super) fn looks_binary(start: &[u8], wide: Option<&'static Encoding>) -> bool {
    let (controls, length) = match wide {
        Some(encoding) => {
            let text = encoding.decode(&start[..start.len() / 2 * 2]).0;
            (
                text.chars()
                    .filter(|c| {
                        u8::try_from(*c).is_ok_and(is_control) || *c == char::REPLACEMENT_CHARACTER
                    })
                    .count(),
                text.len(),
            )
        }
        None => (
            start.iter().filter(|byte| is_control(**byte)).count(),
            start.len(),
        ),
    };
    controls > 1 + length / CONTROLS_ONE_IN
}

/// Whether there is any control character that text does not contain.
pub(super) fn has_control(start: &[u8]) -> bool {
    start.iter().any(|byte| is_control(*byte))
}

/// The bytes of a file that are looked at together.
const WINDOW: usize = 1_024;

/// Whether one in ten parts of the file looks binary. A text with a picture or a signature after it
/// begins like text.
pub(super) fn is_mostly_binary(bytes: &[u8]) -> bool {
    let windows = bytes.chunks(WINDOW);
    let all = windows.len();
    let binary = windows.filter(|window| looks_binary(window, None)).count();
    10 * binary > all
}

/// Whether this is text in EBCDIC, the charset of mainframes, which nothing here decodes: most
/// letters are beyond ASCII, and the blank, which fills the fields of its records, is at the place
/// of the `@`.
pub(super) fn is_ebcdic(bytes: &[u8]) -> bool {
    const BLANK: u8 = 0x40;
    let start = &bytes[..bytes.len().min(4 * WINDOW)];
    let count = |wanted: &dyn Fn(u8) -> bool| start.iter().filter(|byte| wanted(**byte)).count();
    let blanks = count(&|byte| byte == BLANK);
    start.len() >= 64
        && count(&|byte| byte == b' ') == 0
        && 10 * blanks > start.len()
        && 2 * count(&|byte| byte >= 0x80) > start.len() - blanks
}

/// The bytes of a file in which the header of a PDF is searched.
const PDF_BYTES: usize = 64 * 1_024;

/// Whether this is a PDF with a page of other bytes before it, more than the readers of the format
/// look at. Text about the format has its header, too, but no objects and no end.
pub(super) fn is_pdf_after_junk(bytes: &[u8], is_claimed: bool) -> bool {
    let contains = |bytes: &[u8], text: &[u8]| bytes.windows(text.len()).any(|it| it == text);
    let start = &bytes[..bytes.len().min(PDF_BYTES)];
    let Some(at) = start.windows(5).position(|it| it == b"%PDF-") else {
        return false;
    };
    let end = &bytes[bytes.len().saturating_sub(WINDOW)..];
    contains(&bytes[at..], b"endobj") && (is_claimed || contains(end, b"%%EOF"))
}

/// Whether this is a control character that text does not contain. Escape is not one: ISO-2022-JP
/// uses it.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=0x08 | 0x0E..=0x1A | 0x1C..=0x1F)
}
