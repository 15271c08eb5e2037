//! What a file is: by its bytes where they tell, else by what is declared, else by its name.
//!
//! Declared types and extensions are claims. A signature in the bytes overrules both; a claim of a
//! format that always has a signature is disproved by its absence where the bytes are plainly text.
//! One table holds every format.

use encoding_rs::Encoding;
use serde::{Deserialize, Serialize};

use super::zip::ZipArchive;
use crate::extract::charset;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// Portable Document Format.
    Pdf,
    /// A Word document.
    Docx,
    /// A PowerPoint presentation.
    Pptx,
    /// An Excel workbook.
    Xlsx,
    /// An OpenDocument text.
    Odt,
    /// An OpenDocument spreadsheet.
    Ods,
    /// An OpenDocument presentation.
    Odp,
    /// An electronic book.
    Epub,
    /// Rich text.
    Rtf,
    /// Values separated by commas or semicolons.
    Csv,
    /// Values separated by tabs.
    Tsv,
    /// JSON.
    Json,
    /// One JSON value a line.
    JsonLines,
    /// XML that is no feed and no page.
    Xml,
    /// RSS or Atom.
    Feed,
    /// YAML.
    Yaml,
    /// A web page.
    Html,
    /// Markdown.
    Markdown,
    /// Source code or a configuration file, by the extension.
    Source,
    /// Text without further structure.
    Text,
    /// DOC, XLS or PPT.
    LegacyOffice,
    /// An archive of files.
    Archive,
    /// A picture, a sound, a film.
    Media,
    /// Anything else that is not text.
    Binary,
}

/// One format: what declares it.
struct Format {
    kind: Kind,
    media_types: &'static [&'static str],
    extensions: &'static [&'static str],
}

const fn format(
    kind: Kind,
    media_types: &'static [&'static str],
    extensions: &'static [&'static str],
) -> Format {
    Format {
        kind,
        media_types,
        extensions,
    }
}

/// Every format, by media type and extension.
const FORMATS: &[Format] = &[
    format(
        Kind::Pdf,
        &["application/pdf", "application/x-pdf"],
        &["pdf"],
    ),
    format(
        Kind::Docx,
        &[
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
            "application/vnd.ms-word.document.macroenabled.12",
        ],
        &["docx", "docm", "dotx"],
    ),
    format(
        Kind::Pptx,
        &[
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
            "application/vnd.ms-powerpoint.presentation.macroenabled.12",
        ],
        &["pptx", "pptm", "ppsx"],
    ),
    format(
        Kind::Xlsx,
        &[
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
            "application/vnd.ms-excel.sheet.macroenabled.12",
        ],
        &["xlsx", "xlsm", "xltx"],
    ),
    format(
        Kind::Odt,
        &[
            "application/vnd.oasis.opendocument.text",
            "application/vnd.oasis.opendocument.text-template",
        ],
        &["odt", "ott"],
    ),
    format(
        Kind::Ods,
        &[
            "application/vnd.oasis.opendocument.spreadsheet",
            "application/vnd.oasis.opendocument.spreadsheet-template",
        ],
        &["ods", "ots"],
    ),
    format(
        Kind::Odp,
        &[
            "application/vnd.oasis.opendocument.presentation",
            "application/vnd.oasis.opendocument.presentation-template",
        ],
        &["odp", "otp"],
    ),
    format(Kind::Epub, &["application/epub+zip"], &["epub"]),
    format(
        Kind::Rtf,
        &["application/rtf", "text/rtf", "application/x-rtf"],
        &["rtf"],
    ),
    format(
        Kind::Csv,
        &[
            "text/csv",
            "application/csv",
            "text/x-csv",
            "text/comma-separated-values",
        ],
        &["csv"],
    ),
    format(Kind::Tsv, &["text/tab-separated-values"], &["tsv", "tab"]),
    format(
        Kind::JsonLines,
        &[
            "application/x-ndjson",
            "application/ndjson",
            "application/jsonl",
            "application/x-jsonlines",
        ],
        &["jsonl", "ndjson"],
    ),
    format(
        Kind::Json,
        &["application/json", "text/json", "application/x-json"],
        &["json", "geojson", "ipynb", "webmanifest"],
    ),
    format(
        Kind::Feed,
        &[
            "application/rss+xml",
            "application/atom+xml",
            "application/rdf+xml",
        ],
        &["rss", "atom"],
    ),
    format(
        Kind::Html,
        &["text/html", "application/xhtml+xml"],
        &["html", "htm", "xhtml"],
    ),
    format(
        Kind::Xml,
        &["application/xml", "text/xml"],
        &[
            "xml", "xsd", "xsl", "xslt", "svg", "opml", "kml", "gpx", "wsdl",
        ],
    ),
    format(
        Kind::Yaml,
        &[
            "application/yaml",
            "text/yaml",
            "application/x-yaml",
            "text/x-yaml",
            "text/vnd.yaml",
        ],
        &["yaml", "yml"],
    ),
    format(
        Kind::Markdown,
        &["text/markdown", "text/x-markdown"],
        &["md", "markdown", "mdx"],
    ),
    format(
        Kind::Source,
        &[
            "application/javascript",
            "text/javascript",
            "application/x-javascript",
            "text/css",
            "application/sql",
        ],
        &[],
    ),
    format(
        Kind::Source,
        &[
            "application/toml",
            "application/x-sh",
            "text/x-python",
            "text/x-c",
            "text/x-rust",
            "application/graphql",
        ],
        &[],
    ),
    format(
        Kind::Text,
        &[],
        &[
            "txt", "text", "log", "rst", "adoc", "org", "tex", "srt", "vtt", "diff", "patch",
        ],
    ),
    format(
        Kind::LegacyOffice,
        &[
            "application/msword",
            "application/vnd.ms-excel",
            "application/vnd.ms-powerpoint",
        ],
        &["doc", "xls", "ppt", "dot", "pps"],
    ),
    format(
        Kind::Archive,
        &[
            "application/zip",
            "application/gzip",
            "application/x-tar",
            "application/x-7z-compressed",
            "application/vnd.rar",
        ],
        &[
            "zip", "gz", "tgz", "tar", "7z", "rar", "bz2", "xz", "zst", "jar",
        ],
    ),
];

/// Signatures, at the first byte. PDF is sought further in, and ZIP is looked into.
const SIGNATURES: &[(&[u8], Kind)] = &[
    (b"{\\rtf", Kind::Rtf),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", Kind::LegacyOffice),
    (b"\x89PNG", Kind::Media),
    (b"GIF8", Kind::Media),
    (b"\xFF\xD8\xFF", Kind::Media),
    (b"RIFF", Kind::Media),
    (b"OggS", Kind::Media),
    (b"ID3", Kind::Media),
    (b"II*\0", Kind::Media),
    (b"MM\0*", Kind::Media),
    (b"\0\0\x01\0", Kind::Media),
    (b"\x1A\x45\xDF\xA3", Kind::Media),
    (b"\x1F\x8B", Kind::Archive),
    (b"BZh", Kind::Archive),
    (b"7z\xBC\xAF\x27\x1C", Kind::Archive),
    (b"Rar!\x1A\x07", Kind::Archive),
    (b"\xFD7zXZ\0", Kind::Archive),
    (b"\x28\xB5\x2F\xFD", Kind::Archive),
    (b"\x7FELF", Kind::Binary),
    (b"MZ\x90\0", Kind::Binary),
    (b"\0asm", Kind::Binary),
    (b"wOFF", Kind::Binary),
    (b"wOF2", Kind::Binary),
    (b"SQLite format 3\0", Kind::Binary),
];

/// How far to look: enough for a prologue, little enough to be free.
const PREFIX: usize = 1_024;

impl Kind {
    /// What the bytes are, with the declared media type and the file name as claims.
    pub fn detect(declared: Option<&str>, file_name: Option<&str>, bytes: &[u8]) -> Kind {
        by_signature(bytes).unwrap_or_else(|| {
            let claims = [
                declared.and_then(by_media_type),
                file_name.and_then(by_extension),
            ];
            by_claims(
                claims,
                charset::wide(bytes, declared.and_then(charset)),
                bytes,
            )
        })
    }

    /// What the header says, or the name where the header is missing or says nothing of use.
    pub fn claimed(declared: Option<&str>, file_name: Option<&str>) -> Option<Kind> {
        declared
            .and_then(by_media_type)
            .or_else(|| file_name.and_then(by_extension))
    }

    /// Whether a worker process reads it: binary formats, whose parsers may fail in ways that text
    /// cannot make them.
    pub fn needs_worker(self) -> bool {
        use Kind::{Docx, Epub, Odp, Ods, Odt, Pdf, Pptx, Rtf, Xlsx};
        matches!(
            self,
            Pdf | Docx | Pptx | Xlsx | Odt | Ods | Odp | Epub | Rtf
        )
    }

    /// Whether it is text already, so that its source can be shown.
    pub fn is_text(self) -> bool {
        !self.has_signature() || self == Kind::Rtf
    }

    /// Whether files of this kind always start with a signature.
    fn has_signature(self) -> bool {
        self.needs_worker()
            || matches!(
                self,
                Kind::LegacyOffice | Kind::Archive | Kind::Media | Kind::Binary
            )
    }
}

fn by_media_type(declared: &str) -> Option<Kind> {
    let name = declared
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    if let Some(format) = FORMATS
        .iter()
        .find(|format| format.media_types.contains(&name.as_str()))
    {
        return Some(format.kind);
    }
    let (family, subtype) = name.split_once('/')?;
    match (family, subtype) {
        // Servers say these of anything they do not know.
        ("text", "plain")
        | ("application", "octet-stream" | "x-download" | "force-download" | "binary")
        | ("binary", _) => None,
        (_, subtype) if subtype.ends_with("+json") => Some(Kind::Json),
        ("image", "svg+xml") => Some(Kind::Xml),
        (_, subtype) if subtype.ends_with("+xml") => Some(Kind::Xml),
        ("image" | "audio" | "video", _) => Some(Kind::Media),
        ("text", subtype) if subtype.starts_with("x-") => Some(Kind::Source),
        _ => None,
    }
}

fn by_extension(file_name: &str) -> Option<Kind> {
    let extension = extension(file_name)?;
    let format = FORMATS
        .iter()
        .find(|format| format.extensions.contains(&extension.as_str()));
    format
        .map(|format| format.kind)
        .or_else(|| language(file_name).map(|_| Kind::Source))
}

/// The extension in lower case.
fn extension(file_name: &str) -> Option<String> {
    let (stem, extension) = file_name.rsplit_once('.')?;
    (!stem.is_empty() && !extension.is_empty()).then(|| extension.to_ascii_lowercase())
}

/// The language of a source file, as the info string of a fenced block names it.
pub(super) fn language(file_name: &str) -> Option<&'static str> {
    const LANGUAGES: &[(&str, &[&str])] = &[
        ("rust", &["rs"]),
        ("python", &["py", "pyi"]),
        ("javascript", &["js", "mjs", "cjs", "jsx"]),
        ("typescript", &["ts", "mts", "cts", "tsx"]),
        ("go", &["go"]),
        ("java", &["java"]),
        ("kotlin", &["kt", "kts"]),
        ("swift", &["swift"]),
        ("c", &["c", "h"]),
        ("cpp", &["cc", "cpp", "cxx", "hpp", "hh", "hxx"]),
        ("csharp", &["cs"]),
        ("php", &["php"]),
        ("ruby", &["rb"]),
        ("perl", &["pl", "pm"]),
        ("lua", &["lua"]),
        ("r", &["r"]),
        ("julia", &["jl"]),
        ("scala", &["scala"]),
        ("haskell", &["hs"]),
        ("elixir", &["ex", "exs"]),
        ("erlang", &["erl"]),
        ("clojure", &["clj", "cljs"]),
        ("zig", &["zig"]),
        ("dart", &["dart"]),
        ("sql", &["sql"]),
        ("sh", &["sh", "bash", "zsh"]),
        ("powershell", &["ps1"]),
        ("css", &["css", "scss", "less"]),
        ("toml", &["toml"]),
        ("ini", &["ini", "cfg", "conf", "properties", "env"]),
        ("dockerfile", &["dockerfile"]),
        ("makefile", &["mk"]),
        ("cmake", &["cmake"]),
        ("protobuf", &["proto"]),
        ("graphql", &["graphql", "gql"]),
        ("hcl", &["tf", "hcl"]),
        ("nix", &["nix"]),
        ("vue", &["vue"]),
        ("svelte", &["svelte"]),
    ];
    let extension = extension(file_name)?;
    LANGUAGES
        .iter()
        .find(|(_, extensions)| extensions.contains(&extension.as_str()))
        .map(|(language, _)| *language)
}

fn by_signature(bytes: &[u8]) -> Option<Kind> {
    let start = &bytes[..bytes.len().min(PREFIX)];
    if let Some((_, kind)) = SIGNATURES.iter().find(|(mark, _)| start.starts_with(mark)) {
        return Some(*kind);
    }
    if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
        return Some(in_archive(bytes));
    }
    // The header may follow some bytes that a mailer or a web server put before it, but not a
    // page's markup.
    let header = start.windows(5).position(|window| window == b"%PDF-")?;
    (header == 0 || !looks_like_markup(start)).then_some(Kind::Pdf)
}

/// The document that an archive is, by the parts it must have.
fn in_archive(bytes: &[u8]) -> Kind {
    // Enough to see what it is; whether that is too many is for the reader to say.
    const MANY: usize = 70_000;
    let Ok(archive) = ZipArchive::open(bytes, MANY) else {
        return damaged_archive(bytes);
    };
    let has = |prefix: &str| archive.names().any(|name| name.starts_with(prefix));
    match () {
        () if archive.contains("META-INF/container.xml") => Kind::Epub,
        () if archive.contains("content.xml") => open_document(bytes),
        () if has("word/") => Kind::Docx,
        () if has("ppt/") => Kind::Pptx,
        () if has("xl/") => Kind::Xlsx,
        () => Kind::Archive,
    }
}

/// Without a directory, the names in the local headers still tell.
fn damaged_archive(bytes: &[u8]) -> Kind {
    let start = &bytes[..bytes.len().min(64 * PREFIX)];
    let has = |name: &[u8]| start.windows(name.len()).any(|window| window == name);
    match () {
        () if has(b"application/epub+zip") => Kind::Epub,
        () if has(b"vnd.oasis.opendocument") => open_document(bytes),
        () if has(b"word/") => Kind::Docx,
        () if has(b"ppt/") => Kind::Pptx,
        () if has(b"xl/") => Kind::Xlsx,
        () => Kind::Archive,
    }
}

/// The first entry of an OpenDocument file is its media type, stored as it is.
fn open_document(bytes: &[u8]) -> Kind {
    let start = &bytes[..bytes.len().min(PREFIX)];
    let has = |name: &[u8]| start.windows(name.len()).any(|window| window == name);
    match () {
        () if has(b"opendocument.spreadsheet") => Kind::Ods,
        () if has(b"opendocument.presentation") => Kind::Odp,
        () => Kind::Odt,
    }
}

/// The charset of a Content-Type.
pub(super) fn charset(declared: &str) -> Option<&str> {
    let mut parameters = declared
        .split([';', ','])
        .skip(1)
        .filter_map(|parameter| parameter.split_once('='));
    let (_, value) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Some(value.trim().trim_matches(['"', '\'']))
}

/// Where to look: templates begin with any number of empty lines.
fn beginning(bytes: &[u8]) -> &[u8] {
    let blank = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    let rest = &bytes[blank..];
    &rest[..rest.len().min(PREFIX)]
}

/// What bytes without a signature are: the first claim that they do not disprove, else what they
/// look like.
fn by_claims(claims: [Option<Kind>; 2], wide: Option<&'static Encoding>, bytes: &[u8]) -> Kind {
    let claims = claims.into_iter().flatten();
    // A blank is half a letter of UTF-16, so only narrow text is cut at one.
    let start = if wide.is_some() {
        &bytes[..bytes.len().min(2 * PREFIX)]
    } else {
        beginning(bytes)
    };
    if looks_binary(start, wide) {
        // Cut or damaged, perhaps; the parser will say.
        return claims
            .into_iter()
            .find(|kind| kind.has_signature())
            .unwrap_or(Kind::Binary);
    }
    let narrow = wide.map(|encoding| {
        encoding
            .decode(&start[..start.len() / 2 * 2])
            .0
            .into_owned()
    });
    let start = narrow.as_ref().map_or(start, |text| text.as_bytes());
    // Nobody calls a text a picture: either is wrong, and neither is to be read.
    if claims.clone().any(|kind| kind == Kind::Media) && sniffed(start) == Kind::Text {
        return Kind::Media;
    }
    // Text and markup cannot be a format that has a signature; CSV called Excel is the everyday
    // case.
    match claims.into_iter().find(|kind| !kind.has_signature()) {
        Some(Kind::Xml | Kind::Feed) => xml(start),
        Some(Kind::Html) if looks_like_markup(start) => Kind::Html,
        Some(Kind::Html) | None => sniffed(start),
        Some(kind) => kind,
    }
}

/// The kind of a text by how it starts.
fn sniffed(start: &[u8]) -> Kind {
    let text = String::from_utf8_lossy(start);
    match text
        .trim_start_matches('\u{FEFF}')
        .trim_start()
        .chars()
        .next()
    {
        Some('<') => markup(start).unwrap_or(Kind::Text),
        Some('{') => Kind::Json,
        Some('[')
            if text.trim_start().starts_with("[{") || text.trim_start().starts_with("[\n") =>
        {
            Kind::Json
        }
        _ => Kind::Text,
    }
}

/// What declared XML is: elements that would make a page of a text without a type do not make one
/// here.
fn xml(start: &[u8]) -> Kind {
    let text = String::from_utf8_lossy(start).to_ascii_lowercase();
    match markup(start) {
        Some(Kind::Html) if first_element(&text) != Some("html") => Kind::Xml,
        kind => kind.unwrap_or(Kind::Xml),
    }
}

/// The kind of markup by its first element.
fn markup(start: &[u8]) -> Option<Kind> {
    let text = String::from_utf8_lossy(start).to_ascii_lowercase();
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    let root = first_element(text)?;
    let is_declared = text.starts_with("<?xml");
    Some(match root.rsplit(':').next().unwrap_or(root) {
        "rss" | "feed" | "rdf" => Kind::Feed,
        "html" => Kind::Html,
        _ if is_declared => Kind::Xml,
        "head" | "body" | "title" | "script" | "div" | "p" | "h1" | "meta" | "link" | "style"
        | "table" | "main" | "article" | "section" | "span" | "center" | "header" | "nav" | "a"
        | "br" | "ul" | "form" | "pre" => Kind::Html,
        _ if text.starts_with("<!doctype html") => Kind::Html,
        _ if text.contains("xmlns") => Kind::Xml,
        _ => return None,
    })
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

fn looks_like_markup(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    text.trim_start_matches('\u{FEFF}')
        .trim_start()
        .starts_with('<')
        || text.to_ascii_lowercase().contains("<html")
        || { text.contains("</") || text.contains("/>") }
}

/// Text has next to none of them; every tenth byte of compressed data is one.
const CONTROLS_ONE_IN: usize = 50;

/// More controls than a slip of a template leaves behind. Half the bytes of UTF-16 are zeros, so it
/// is decoded first.
fn looks_binary(start: &[u8], wide: Option<&'static Encoding>) -> bool {
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

/// A control that no text has. Escape is left out: Japanese mail and news charsets are full of it.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=0x08 | 0x0E..=0x1A | 0x1C..=0x1F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_overrule_claims() {
        assert_eq!(
            Kind::detect(Some("text/html"), Some("a.html"), b"%PDF-1.7"),
            Kind::Pdf
        );
        assert_eq!(
            Kind::detect(Some("application/pdf"), Some("a.pdf"), b"\x89PNG\r\n"),
            Kind::Media
        );
        assert_eq!(
            Kind::detect(
                None,
                Some("report.docx"),
                b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1rest"
            ),
            Kind::LegacyOffice
        );
        assert_eq!(
            Kind::detect(None, None, b"junk before\n%PDF-1.4"),
            Kind::Pdf
        );
    }

    #[test]
    fn text_disproves_a_binary_claim() {
        assert_eq!(
            Kind::detect(
                Some("application/pdf"),
                None,
                b"<!DOCTYPE html><title>Sign in</title>"
            ),
            Kind::Html
        );
        assert_eq!(
            Kind::detect(Some("application/pdf"), None, b"Not found"),
            Kind::Text
        );
        assert_eq!(
            Kind::detect(None, Some("a.xlsx"), b"{\"error\":1}"),
            Kind::Json
        );
        assert_eq!(
            Kind::detect(Some("application/pdf"), None, b"\0\x01\x02broken"),
            Kind::Pdf
        );
        assert_eq!(
            Kind::detect(
                Some("application/vnd.ms-excel"),
                Some("data.csv"),
                b"a,b\n1,2"
            ),
            Kind::Csv
        );
        assert_eq!(
            Kind::detect(None, None, b"<p>see the mark %PDF- in files</p>"),
            Kind::Html
        );
    }

    #[test]
    fn headers_come_before_names_unless_they_are_vague() {
        assert_eq!(
            Kind::detect(Some("text/csv; charset=utf-8"), Some("a.txt"), b"a,b"),
            Kind::Csv
        );
        assert_eq!(
            Kind::detect(Some("text/plain"), Some("main.rs"), b"fn main() {}"),
            Kind::Source
        );
        assert_eq!(
            Kind::detect(Some("application/octet-stream"), Some("x.tsv"), b"a\tb"),
            Kind::Tsv
        );
        assert_eq!(Kind::detect(None, Some("x.unknown"), b"words"), Kind::Text);
        assert_eq!(Kind::detect(None, None, b"\0\0\0\0"), Kind::Binary);
    }

    #[test]
    fn xml_is_told_apart_by_its_root() {
        assert_eq!(
            Kind::detect(
                Some("text/xml"),
                None,
                b"<?xml version='1.0'?><!-- x --><rss version='2.0'>"
            ),
            Kind::Feed
        );
        assert_eq!(
            Kind::detect(
                Some("application/xml"),
                None,
                b"<feed xmlns='http://www.w3.org/2005/Atom'>"
            ),
            Kind::Feed
        );
        assert_eq!(
            Kind::detect(Some("application/xml"), None, b"<html xmlns='x'>"),
            Kind::Html
        );
        assert_eq!(
            Kind::detect(None, None, b"<?xml version='1.0'?><note/>"),
            Kind::Xml
        );
        assert_eq!(
            Kind::detect(Some("application/problem+xml"), None, b"<problem/>"),
            Kind::Xml
        );
    }

    #[test]
    fn wide_text_is_text_by_its_mark_by_declaration_or_by_its_zeros() {
        let little: Vec<u8> = "<html>a page"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let big: Vec<u8> = "日本語 text"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        let of = |declared, bytes: &[u8]| Kind::detect(Some(declared), None, bytes);
        assert_eq!(of("text/html; charset=utf-16le", &little), Kind::Html);
        assert_eq!(of("text/plain; charset=utf-16be", &big), Kind::Text);
        assert_eq!(of("text/html; charset=utf-16le", &[0; 64]), Kind::Binary);
        assert_eq!(of("text/html; charset=utf-8", &little), Kind::Html);
        assert_eq!(of("text/html", &big[6..]), Kind::Text);
        let spaced: Vec<u8> = "\n\n<html>a page"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(of("application/octet-stream", &spaced), Kind::Html);
        assert_eq!(of("text/plain", b"\xFF\xFEh\x00i\x00"), Kind::Text);
    }

    #[test]
    fn a_slip_of_a_template_does_not_make_a_page_binary() {
        let of = |declared, bytes: &[u8]| Kind::detect(Some(declared), None, bytes);
        assert_eq!(of("text/html", b"<html><p>a\0b</p>"), Kind::Html);
        let noise: Vec<u8> = (0..1_024u32)
            .map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect();
        assert_eq!(of("text/html", &noise), Kind::Binary);
        assert_eq!(of("text/plain", b"\x1B$BF|K\\8l\x1B(B"), Kind::Text);
        assert_eq!(
            of(
                "text/html",
                format!("{}<html><p>late", "\n".repeat(3_000)).as_bytes()
            ),
            Kind::Html
        );
        assert_eq!(of("text/html", b""), Kind::Text);
    }
}
