//! Formats that are recognised only to say what they are and what would read them.
//!
//! A new one is a row of [`FORMATS`](super::FORMATS) here and its words in [`refusal`].

use super::format::{DocumentKind, Format, Signature};
use super::{Document, DocumentError, Input, sniff};

impl DocumentKind {
    /// An archive that cannot be unpacked here.
    pub const ARCHIVE: DocumentKind = DocumentKind::named("archive");
    /// Sound or video.
    pub const MEDIA: DocumentKind = DocumentKind::named("media");
    /// Anything else that is not text.
    pub const BINARY: DocumentKind = DocumentKind::named("binary");

    const VISIO: DocumentKind = DocumentKind::named("visio");
    const PUBLISHER: DocumentKind = DocumentKind::named("publisher");
    const HANGUL: DocumentKind = DocumentKind::named("hangul");
    const PROJECT: DocumentKind = DocumentKind::named("project");
    const COMPOUND: DocumentKind = DocumentKind::named("compound");
    const IWORK: DocumentKind = DocumentKind::named("iwork");
    const ONENOTE: DocumentKind = DocumentKind::named("onenote");
    const DJVU: DocumentKind = DocumentKind::named("djvu");
    const HTML_HELP: DocumentKind = DocumentKind::named("html-help");
    const POSTSCRIPT: DocumentKind = DocumentKind::named("postscript");
    const WORDPERFECT: DocumentKind = DocumentKind::named("wordperfect");
    const OLD_WORD: DocumentKind = DocumentKind::named("old-word");
    const WRITE: DocumentKind = DocumentKind::named("write");
    const PERFECT_OFFICE: DocumentKind = DocumentKind::named("perfect-office");
    const MAIL_FOLDER: DocumentKind = DocumentKind::named("mail-folder");
    const XPS: DocumentKind = DocumentKind::named("xps");
    const DRAWING: DocumentKind = DocumentKind::named("drawing");
    const METAFILE: DocumentKind = DocumentKind::named("metafile");
    const OLD_SPREADSHEET: DocumentKind = DocumentKind::named("old-spreadsheet");
    const DATABASE: DocumentKind = DocumentKind::named("database");
    const PROGRAM: DocumentKind = DocumentKind::named("program");
    const FONT: DocumentKind = DocumentKind::named("font");
    /// Text in a charset of mainframes.
    pub(super) const EBCDIC: DocumentKind = DocumentKind::named("ebcdic");
    const PROPERTY_LIST: DocumentKind = DocumentKind::named("property-list");
}

/// What a format is and what would read it. `None` for formats that nothing is to be said about.
pub(super) fn refusal(kind: DocumentKind) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        DocumentKind::VISIO => (
            "This is a Visio drawing (VSD), which cannot be read here.",
            "Export it as PDF or SVG from Visio or LibreOffice Draw, or look for such a version.",
        ),
        DocumentKind::PUBLISHER => (
            "This is a Publisher document (PUB), which cannot be read here.",
            "Export it as PDF from Publisher or LibreOffice Draw, or look for such a version.",
        ),
        DocumentKind::HANGUL => (
            "This is a Hangul document (HWP), which cannot be read here.",
            "Export it as PDF or DOCX from Hangul or LibreOffice, or look for such a version.",
        ),
        DocumentKind::PROJECT => (
            "This is a Project file (MPP), which cannot be read here.",
            "Export it as PDF, CSV or XML from Project or ProjectLibre, or look for such a version.",
        ),
        DocumentKind::COMPOUND => (
            "This is a compound file (OLE) of a program that is not known here.",
            "Open it in the program that made it and export it as PDF or text.",
        ),
        DocumentKind::IWORK => (
            "This is a Pages, Numbers or Keynote document, which cannot be read here.",
            "Export it as PDF, DOCX, XLSX or PPTX from the app or from iCloud, or look for such a version.",
        ),
        DocumentKind::ONENOTE => (
            "This is a OneNote section, which cannot be read here.",
            "Export it as PDF or DOCX from OneNote.",
        ),
        DocumentKind::DJVU => (
            "This is a DjVu scan, which cannot be read here.",
            "Convert it with `djvutxt` or to PDF with `ddjvu`, or look for a PDF.",
        ),
        DocumentKind::HTML_HELP => (
            "This is a compiled HTML help file (CHM), which cannot be read here.",
            "Unpack it with 7-Zip or `extract_chmLib` and read the pages inside.",
        ),
        DocumentKind::POSTSCRIPT => (
            "This is PostScript, a program that draws pages and cannot be read here.",
            "Convert it to PDF with `ps2pdf`, or look for a PDF.",
        ),
        DocumentKind::WORDPERFECT => (
            "This is a WordPerfect or Works document, which cannot be read here.",
            "Save it as DOCX or PDF from LibreOffice, or look for such a version.",
        ),
        DocumentKind::MAIL_FOLDER => (
            "This is an Outlook data file (PST or OST) with many messages, which cannot be read here.",
            "Unpack it with `readpst` and read the messages (EML) inside.",
        ),
        DocumentKind::XPS => (
            "This is an XPS document, which cannot be read here.",
            "Convert it to PDF with `xpstopdf` or a PDF printer, or look for a PDF.",
        ),
        DocumentKind::DRAWING => (
            "This is a CAD or design file, which cannot be read here.",
            "Export it as PDF or SVG from the program that made it.",
        ),
        DocumentKind::METAFILE => (
            "This is a Windows metafile (WMF or EMF), a drawing that cannot be read here.",
            "Convert it to PDF or SVG with LibreOffice Draw or Inkscape.",
        ),
        DocumentKind::OLD_SPREADSHEET => (
            "This is a Lotus 1-2-3, Quattro Pro or Works spreadsheet, which cannot be read here.",
            "Save it as XLSX or ODS from LibreOffice, or look for such a version.",
        ),
        DocumentKind::PERFECT_OFFICE => (
            "This is a file of WordPerfect Office (WordPerfect, Quattro Pro or Presentations), which cannot be read here.",
            "Export it as PDF from there, or look for such a version.",
        ),
        DocumentKind::WRITE => (
            "This is a document of Windows Write or of Word for DOS, which cannot be read here.",
            "Save it as DOCX or PDF from LibreOffice, or look for such a version.",
        ),
        DocumentKind::DATABASE => (
            "This is a database or a columnar data file, which cannot be read here.",
            "Export the tables as CSV with a tool for it (`sqlite3`, `mdb-export`, DuckDB).",
        ),
        DocumentKind::PROGRAM => (
            "This is a program or a library, not a document.",
            "Look for its documentation or its source.",
        ),
        DocumentKind::FONT => (
            "This is a font, not a document.",
            "Look for a page about it.",
        ),
        DocumentKind::PROPERTY_LIST => (
            "This is a binary property list, which cannot be read here.",
            "Convert it with `plutil -convert xml1`.",
        ),
        DocumentKind::EBCDIC => (
            "This is text or a table in EBCDIC, the charset of mainframes, which cannot be read here.",
            "Convert text with `iconv -f CP037 -t UTF-8`, and records with numbers in them with their copybook.",
        ),
        DocumentKind::MOBI => (
            "This is a Kindle book with a compression that is not unpacked here.",
            "Convert it to EPUB with Calibre (`ebook-convert`), or look for an EPUB or PDF.",
        ),
        DocumentKind::MEDIA => (
            "This is sound or video, which is not transcribed here.",
            "Look for a transcript, subtitles (SRT, VTT) or a page about it.",
        ),
        DocumentKind::ARCHIVE => (
            "This is an archive of a kind that is not unpacked here (7z, RAR, xz, zstd, bzip2 or Brotli).",
            "Unpack it and read the files inside, or look for a ZIP or for a single document.",
        ),
        _ => return None,
    })
}

/// A format whose reader only refuses it.
const fn refused(
    kind: DocumentKind,
    media_types: &'static [&'static str],
    extensions: &'static [&'static str],
    signature: Signature,
    read: fn(&Input<'_>) -> Result<Document, DocumentError>,
) -> Format {
    Format {
        kind,
        label: None,
        media_types,
        extensions,
        signature,
        needs_worker: false,
        is_text: false,
        read,
    }
}

/// Whether a mark at the start of the file tells that it is of the format. Words such as `FWS` also
/// begin plain text, which is no format that is refused, except for PostScript.
pub(super) fn is_telling(format: &Format, mark: &[u8], start: &[u8]) -> bool {
    let is_refused = format.label.is_none() && !format.is_text;
    !is_refused
        || format.kind == DocumentKind::POSTSCRIPT
        || !mark.is_ascii()
        || sniff::has_control(start)
}

pub(super) static VISIO: Format = refused(
    DocumentKind::VISIO,
    &["application/vnd.visio"],
    &["vsd", "vst"],
    Signature::Compound(|file| file.has("VisioDocument")),
    |_| Err(DocumentError::NotRead(DocumentKind::VISIO)),
);

pub(super) static PUBLISHER: Format = refused(
    DocumentKind::PUBLISHER,
    &["application/x-mspublisher"],
    &["pub"],
    Signature::Compound(|file| file.has("Quill")),
    |_| Err(DocumentError::NotRead(DocumentKind::PUBLISHER)),
);

pub(super) static HANGUL: Format = refused(
    DocumentKind::HANGUL,
    &[
        "application/x-hwp",
        "application/haansofthwp",
        "application/vnd.hancom.hwp",
    ],
    &["hwp"],
    Signature::Compound(|file| file.has("BodyText") || file.has("HwpSummaryInformation")),
    |_| Err(DocumentError::NotRead(DocumentKind::HANGUL)),
);

/// Hangul before version 5, which has a format of its own.
pub(super) static OLD_HANGUL: Format = refused(
    DocumentKind::named("old-hangul"),
    &[],
    &[],
    Signature::StartsWith(&[b"HWP Document File"]),
    |_| Err(DocumentError::NotRead(DocumentKind::HANGUL)),
);

pub(super) static PROJECT: Format = refused(
    DocumentKind::PROJECT,
    &["application/vnd.ms-project"],
    &["mpp"],
    Signature::Compound(|file| file.has("Props9") || file.has("Props12") || file.has("Props14")),
    |_| Err(DocumentError::NotRead(DocumentKind::PROJECT)),
);

/// The last row for compound files.
pub(super) static COMPOUND: Format = refused(
    DocumentKind::COMPOUND,
    &["application/x-ole-storage"],
    &["msi"],
    Signature::Compound(|_| true),
    |_| Err(DocumentError::NotRead(DocumentKind::COMPOUND)),
);

pub(super) static IWORK: Format = refused(
    DocumentKind::IWORK,
    &[
        "application/vnd.apple.pages",
        "application/vnd.apple.numbers",
        "application/vnd.apple.keynote",
    ],
    &["pages", "numbers"],
    Signature::Zip(|zip| {
        ["Index/Document.iwa", "Index.zip", "index.xml", "index.apxl"]
            .iter()
            .any(|name| zip.has_listed_entry(name))
    }),
    |_| Err(DocumentError::NotRead(DocumentKind::IWORK)),
);

pub(super) static XPS: Format = refused(
    DocumentKind::XPS,
    &["application/vnd.ms-xpsdocument", "application/oxps"],
    &["xps", "oxps"],
    Signature::Zip(|zip| {
        ["FixedDocSeq.fdseq", "FixedDocumentSequence.fdseq"]
            .iter()
            .any(|name| zip.has_listed_entry(name))
    }),
    |_| Err(DocumentError::NotRead(DocumentKind::XPS)),
);

pub(super) static ONENOTE: Format = refused(
    DocumentKind::ONENOTE,
    &["application/onenote", "application/msonenote"],
    &["one"],
    Signature::StartsWith(&[
        b"\xE4\x52\x5C\x7B\x8C\xD8\xA7\x4D",
        b"\xA1\x2F\xFF\x43\xD9\xEF\x76\x4C",
    ]),
    |_| Err(DocumentError::NotRead(DocumentKind::ONENOTE)),
);

pub(super) static DJVU: Format = refused(
    DocumentKind::DJVU,
    &["image/vnd.djvu", "image/x-djvu"],
    &["djvu", "djv"],
    Signature::StartsWith(&[b"AT&TFORM"]),
    |_| Err(DocumentError::NotRead(DocumentKind::DJVU)),
);

pub(super) static HTML_HELP: Format = refused(
    DocumentKind::HTML_HELP,
    &["application/vnd.ms-htmlhelp"],
    &["chm"],
    Signature::StartsWith(&[b"ITSF", b"ITOLITLS"]),
    |_| Err(DocumentError::NotRead(DocumentKind::HTML_HELP)),
);

pub(super) static POSTSCRIPT: Format = refused(
    DocumentKind::POSTSCRIPT,
    &["application/postscript"],
    &["ps", "eps"],
    Signature::StartsWith(&[b"%!PS", b"\xC5\xD0\xD3\xC6"]),
    |_| Err(DocumentError::NotRead(DocumentKind::POSTSCRIPT)),
);

pub(super) static WORDPERFECT: Format = refused(
    DocumentKind::WORDPERFECT,
    &["application/vnd.wordperfect", "application/vnd.ms-works"],
    &["wpd", "wps"],
    Signature::StartsWith(&[b"\xFFWPC"]),
    |_| Err(DocumentError::NotRead(DocumentKind::WORDPERFECT)),
);

/// Word files from before compound files: Word 1 and 2 for Windows, Word 4 and 5 for the Macintosh.
pub(super) static OLD_WORD: Format = refused(
    DocumentKind::OLD_WORD,
    &[],
    &[],
    Signature::StartsWith(&[
        b"\x9B\xA5\x21\x00",
        b"\xDB\xA5\x2D\x00",
        b"\xFE\x37\x00\x1C",
        b"\xFE\x37\x00\x23",
    ]),
    |_| Err(DocumentError::OldWord),
);

pub(super) static WRITE: Format = refused(
    DocumentKind::WRITE,
    &["application/x-mswrite"],
    &["wri"],
    Signature::StartsWith(&[b"\x31\xBE\0\0\0\xAB", b"\x32\xBE\0\0\0\xAB"]),
    |_| Err(DocumentError::NotRead(DocumentKind::WRITE)),
);

pub(super) static MAIL_FOLDER: Format = refused(
    DocumentKind::MAIL_FOLDER,
    &["application/vnd.ms-outlook-pst"],
    &["pst", "ost"],
    Signature::StartsWith(&[b"!BDN"]),
    |_| Err(DocumentError::NotRead(DocumentKind::MAIL_FOLDER)),
);

pub(super) static DRAWING: Format = refused(
    DocumentKind::DRAWING,
    &["image/vnd.dwg", "image/vnd.adobe.photoshop"],
    &["dwg", "psd", "ai", "indd", "skp"],
    Signature::StartsWith(&[
        b"AC10",
        b"AutoCAD Binary DXF",
        b"8BPS",
        b"\x06\x06\xED\xF5\xD8\x1D\x46\xE5",
    ]),
    |_| Err(DocumentError::NotRead(DocumentKind::DRAWING)),
);

pub(super) static METAFILE: Format = refused(
    DocumentKind::METAFILE,
    &["image/wmf", "image/x-wmf", "image/emf", "image/x-emf"],
    &["wmf", "emf", "wmz", "emz"],
    Signature::Within(|start, _| {
        start.starts_with(b"\xD7\xCD\xC6\x9A")
            || start.starts_with(b"\x01\0\x09\0\0\x03")
            || (start.starts_with(b"\x01\0\0\0") && start.get(40..44) == Some(b" EMF"))
    }),
    |_| Err(DocumentError::NotRead(DocumentKind::METAFILE)),
);

pub(super) static OLD_SPREADSHEET: Format = refused(
    DocumentKind::OLD_SPREADSHEET,
    &[
        "application/vnd.lotus-1-2-3",
        "application/x-lotus-1-2-3",
        "application/x-quattro-pro",
    ],
    &[
        "wk1", "wk3", "wk4", "123", "wks", "wq1", "wq2", "wb1", "wb2", "wb3", "qpw",
    ],
    // The first record, which is two bytes long and holds the version.
    Signature::StartsWith(&[
        b"\0\0\x02\0\x04\x04",
        b"\0\0\x02\0\x05\x04",
        b"\0\0\x02\0\x06\x04",
        b"\xFF\0\x02\0\x04\x04",
        b"\0\0\x02\0\x20\x51",
        b"\0\0\x02\0\x21\x51",
        b"\0\0\x02\0\x01\x10",
        b"\0\0\x02\0\x02\x10",
        b"\0\0\x1A\0\0\x10",
        b"\0\0\x1A\0\x02\x10",
        b"\0\0\x1A\0\x03\x10",
        b"\0\0\x1A\0\x05\x10",
    ]),
    |_| Err(DocumentError::NotRead(DocumentKind::OLD_SPREADSHEET)),
);

/// WordPerfect, Quattro Pro and Presentations since version 7.
pub(super) static PERFECT_OFFICE: Format = refused(
    DocumentKind::PERFECT_OFFICE,
    &[],
    &[],
    Signature::Compound(|file| file.has("NativeContent_MAIN") || file.has("PerfectOffice_MAIN")),
    |_| Err(DocumentError::NotRead(DocumentKind::PERFECT_OFFICE)),
);

pub(super) static DATABASE: Format = refused(
    DocumentKind::DATABASE,
    &[
        "application/vnd.sqlite3",
        "application/x-sqlite3",
        "application/vnd.apache.parquet",
        "application/msaccess",
        "application/x-msaccess",
    ],
    &["sqlite", "sqlite3", "parquet", "mdb", "accdb", "dbf"],
    Signature::StartsWith(&[
        b"SQLite format 3\0",
        b"PAR1",
        b"Obj\x01",
        b"ARROW1",
        b"\0\x01\0\0Standard Jet DB",
        b"\0\x01\0\0Standard ACE DB",
        b"\x89HDF\r\n\x1A\n",
    ]),
    |_| Err(DocumentError::NotRead(DocumentKind::DATABASE)),
);

pub(super) static PROGRAM: Format = refused(
    DocumentKind::PROGRAM,
    &[
        "application/x-executable",
        "application/x-msdownload",
        "application/java-vm",
        "application/wasm",
    ],
    &[
        "exe", "dll", "so", "class", "wasm", "pyc", "dmg", "deb", "rpm",
    ],
    Signature::StartsWith(&[
        b"\x7FELF",
        b"MZ\x90\0",
        b"\0asm",
        b"\xCA\xFE\xBA\xBE",
        b"\xFE\xED\xFA",
        b"\xCF\xFA\xED\xFE",
        b"\xCE\xFA\xED\xFE",
        b"!<arch>\n",
        b"\xED\xAB\xEE\xDB",
    ]),
    |_| Err(DocumentError::NotRead(DocumentKind::PROGRAM)),
);

pub(super) static FONT: Format = refused(
    DocumentKind::FONT,
    &["font/*", "application/vnd.ms-fontobject"],
    &["ttf", "otf", "woff", "woff2", "eot"],
    Signature::StartsWith(&[
        b"wOFF",
        b"wOF2",
        b"OTTO\0",
        b"\0\x01\0\0\0",
        b"ttcf",
        b"true\0",
    ]),
    |_| Err(DocumentError::NotRead(DocumentKind::FONT)),
);

pub(super) static PROPERTY_LIST: Format = refused(
    DocumentKind::PROPERTY_LIST,
    &["application/x-bplist"],
    &["plist"],
    // After the archives of Safari, which are property lists, too.
    Signature::Within(|start, _| start.starts_with(b"bplist0")),
    |_| Err(DocumentError::NotRead(DocumentKind::PROPERTY_LIST)),
);

pub(super) static MEDIA: Format = refused(
    DocumentKind::MEDIA,
    &["audio/*", "video/*", "application/x-shockwave-flash"],
    &[
        "mp3", "mp4", "m4a", "mov", "avi", "mkv", "webm", "wav", "ogg", "flac",
    ],
    Signature::Within(|start, _| is_media(start)),
    |_| Err(DocumentError::NotRead(DocumentKind::MEDIA)),
);

/// Whether these are the first bytes of sound or video, and not of a text that begins with the same
/// letters.
fn is_media(start: &[u8]) -> bool {
    const MARKS: &[&[u8]] = &[
        b"OggS",
        b"ID3",
        b"fLaC",
        b"MThd",
        b".snd",
        b"FLV\x01",
        b"FWS",
        b"CWS",
        b"\x1A\x45\xDF\xA3",
        b"\0\0\x01\xBA",
        b"\0\0\x01\xB3",
        b"\x30\x26\xB2\x75\x8E\x66\xCF\x11",
        b"#!AMR",
    ];
    let inside = |at: usize, marks: &[&[u8]]| {
        marks
            .iter()
            .any(|mark| start.get(at..).is_some_and(|rest| rest.starts_with(mark)))
    };
    let is_marked = MARKS.iter().any(|mark| start.starts_with(mark))
        || (start.starts_with(b"RIFF") && inside(8, &[b"WAVE", b"AVI ", b"RMID"]))
        || (start.starts_with(b"FORM") && inside(8, &[b"AIFF", b"AIFC"]))
        || (inside(4, &[b"ftyp"])
            && !inside(8, &[b"heic", b"heix", b"mif1", b"msf1", b"avif", b"avis", b"hevc"]))
        || inside(4, &[b"moov", b"mdat"])
        // The first frame of an MP3 without a tag.
        || (start.len() > 3 && start[0] == 0xFF && matches!(start[1], 0xFB | 0xF3 | 0xF2));
    is_marked && (sniff::has_control(start) || !start[..start.len().min(4)].is_ascii())
}

/// Archives that cannot be unpacked here.
pub(super) static ARCHIVE: Format = refused(
    DocumentKind::ARCHIVE,
    &[
        "application/x-7z-compressed",
        "application/vnd.rar",
        "application/x-rar-compressed",
        "application/x-bzip2",
        "application/x-xz",
        "application/zstd",
        "application/vnd.ms-cab-compressed",
        "application/x-lzip",
    ],
    &[
        "7z", "rar", "bz2", "xz", "zst", "cab", "lz", "lzma", "z", "br",
    ],
    Signature::StartsWith(&[
        b"BZh",
        b"7z\xBC\xAF\x27\x1C",
        b"Rar!\x1A\x07",
        b"\xFD7zXZ\0",
        b"\x28\xB5\x2F\xFD",
        b"MSCF\0\0\0\0",
        b"LZIP",
        b"\x1F\x9D",
    ]),
    |_| Err(DocumentError::NotRead(DocumentKind::ARCHIVE)),
);

pub(super) static EBCDIC: Format = refused(
    DocumentKind::EBCDIC,
    &[],
    &["ebc", "ebcdic"],
    Signature::Within(|_, bytes| sniff::is_ebcdic(bytes)),
    |_| Err(DocumentError::NotRead(DocumentKind::EBCDIC)),
);

pub(super) static BINARY: Format = refused(
    DocumentKind::BINARY,
    &[],
    &[],
    Signature::StartsWith(&[b"\x93NUMPY", b"GGUF", b"PK\x07\x08"]),
    |_| Err(DocumentError::Unsupported),
);
