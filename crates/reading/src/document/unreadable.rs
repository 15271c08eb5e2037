//! Formats that are recognised only to say that they cannot be read.

use super::format::{DocumentKind, Format, Signature};
use super::{Document, DocumentError, Input};

impl DocumentKind {
    /// DOC, XLS or PPT.
    pub const LEGACY_OFFICE: DocumentKind = DocumentKind::named("legacy-office");
    /// An archive of files.
    pub const ARCHIVE: DocumentKind = DocumentKind::named("archive");
    /// An image, audio or video file.
    pub const MEDIA: DocumentKind = DocumentKind::named("media");
    /// Anything else that is not text.
    pub const BINARY: DocumentKind = DocumentKind::named("binary");
}

pub(super) static LEGACY_OFFICE: Format = Format {
    kind: DocumentKind::LEGACY_OFFICE,
    label: None,
    media_types: &[
        "application/msword",
        "application/vnd.ms-excel",
        "application/vnd.ms-powerpoint",
    ],
    extensions: &["doc", "xls", "ppt", "dot", "pps"],
    signature: Signature::StartsWith(&[b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"]),
    needs_worker: false,
    is_text: false,
    read: refuse_legacy_office,
};

pub(super) static MEDIA: Format = Format {
    kind: DocumentKind::MEDIA,
    label: None,
    media_types: &["image/*", "audio/*", "video/*"],
    extensions: &[],
    signature: Signature::StartsWith(&[
        b"\x89PNG",
        b"GIF8",
        b"\xFF\xD8\xFF",
        b"RIFF",
        b"OggS",
        b"ID3",
        b"II*\0",
        b"MM\0*",
        b"\0\0\x01\0",
        b"\x1A\x45\xDF\xA3",
    ]),
    needs_worker: false,
    is_text: false,
    read: refuse,
};

/// Archives of other formats than ZIP. A ZIP archive that is no document gets this kind, too.
pub(super) static ARCHIVE: Format = Format {
    kind: DocumentKind::ARCHIVE,
    label: None,
    media_types: &[
        "application/zip",
        "application/gzip",
        "application/x-tar",
        "application/x-7z-compressed",
        "application/vnd.rar",
    ],
    extensions: &[
        "zip", "gz", "tgz", "tar", "7z", "rar", "bz2", "xz", "zst", "jar",
    ],
    signature: Signature::StartsWith(&[
        b"\x1F\x8B",
        b"BZh",
        b"7z\xBC\xAF\x27\x1C",
        b"Rar!\x1A\x07",
        b"\xFD7zXZ\0",
        b"\x28\xB5\x2F\xFD",
    ]),
    needs_worker: false,
    is_text: false,
    read: refuse,
};

pub(super) static BINARY: Format = Format {
    kind: DocumentKind::BINARY,
    label: None,
    media_types: &[],
    extensions: &[],
    signature: Signature::StartsWith(&[
        b"\x7FELF",
        b"MZ\x90\0",
        b"\0asm",
        b"wOFF",
        b"wOF2",
        b"SQLite format 3\0",
    ]),
    needs_worker: false,
    is_text: false,
    read: refuse,
};

fn refuse(_: &Input<'_>) -> Result<Document, DocumentError> {
    Err(DocumentError::Unsupported)
}

fn refuse_legacy_office(_: &Input<'_>) -> Result<Document, DocumentError> {
    Err(DocumentError::LegacyOffice)
}
