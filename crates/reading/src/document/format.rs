//! What one document format is: how it is recognised and which function reads it.
//!
//! The file of a format exports one [`Format`], and [`FORMATS`] lists them all, so a new format is
//! one file and one line. The rest of the crate names a format by its [`DocumentKind`].

use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize, Serializer};

use super::compound::CompoundFile;
use super::recognise;
use super::zip_listing::ZipListing;
use super::{Document, DocumentError, FORMATS, Input};

/// One document format.
#[derive(Debug)]
pub(super) struct Format {
    pub(super) kind: DocumentKind,
    /// The name in the list of formats that are read, which some error messages show. `None` for
    /// formats that are not read, and for plain text.
    pub(super) label: Option<&'static str>,
    /// Media types in lower case. One `*` stands for any text: `image/*`, `*+json`.
    pub(super) media_types: &'static [&'static str],
    /// File name extensions in lower case, without the dot.
    pub(super) extensions: &'static [&'static str],
    pub(super) signature: Signature,
    /// Whether a worker process reads it. Binary formats need one: their parsers can exhaust the
    /// memory or the stack. So do text formats with a parser of their own: only a worker's time is
    /// limited from outside.
    pub(super) needs_worker: bool,
    /// Whether the bytes are text, so that the source can be shown as it is.
    pub(super) is_text: bool,
    pub(super) read: fn(&Input<'_>) -> Result<Document, DocumentError>,
}

/// How the bytes of a format are recognised.
///
/// Formats that have a signature always carry it, so text without one is not of that format,
/// whatever its media type says.
#[derive(Debug)]
pub(super) enum Signature {
    /// Text. Only the declared type, the extension and the first characters tell.
    None,
    /// The file starts with one of these. Tried first.
    StartsWith(&'static [&'static [u8]]),
    /// The file is a ZIP archive with certain entries. Tried second.
    Zip(fn(&ZipListing<'_>) -> bool),
    /// The file is a compound file (OLE) with certain entries. Tried third.
    Compound(fn(&CompoundFile<'_>) -> bool),
    /// The first kilobyte, and if that does not tell, the whole file, contains something. The
    /// function is given both. Tried last.
    Within(fn(&[u8], &[u8]) -> bool),
}

impl Format {
    /// Whether there are files inside that can be asked for by their names.
    pub(super) fn has_files(&self) -> bool {
        const WITH_FILES: &[DocumentKind] = &[
            DocumentKind::ZIP,
            DocumentKind::TAR,
            DocumentKind::GZIP,
            DocumentKind::EML,
            DocumentKind::MBOX,
            DocumentKind::MSG,
            DocumentKind::TNEF,
            DocumentKind::SIGNED,
            DocumentKind::PDF,
        ];
        WITH_FILES.contains(&self.kind)
    }

    pub(super) fn has_signature(&self) -> bool {
        !matches!(self.signature, Signature::None)
    }
}

/// Which format a document has. Each format's file defines a constant, such as
/// `DocumentKind::PDF`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DocumentKind(&'static str);

impl DocumentKind {
    pub(super) const fn named(name: &'static str) -> DocumentKind {
        DocumentKind(name)
    }

    /// The format of the bytes. The declared media type and the file name are claims, which the
    /// bytes overrule.
    pub fn detect(media_type: Option<&str>, file_name: Option<&str>, bytes: &[u8]) -> DocumentKind {
        recognise::detect(FORMATS, media_type, file_name, bytes)
    }

    /// The format that the media type declares, or the file name where the media type is missing
    /// or says nothing of use.
    pub fn claimed(media_type: Option<&str>, file_name: Option<&str>) -> Option<DocumentKind> {
        recognise::claimed(FORMATS, media_type, file_name).map(|format| format.kind)
    }

    /// Whether a worker process reads it.
    pub fn needs_worker(self) -> bool {
        self.format().is_some_and(|format| format.needs_worker)
    }

    /// Whether it is text already, so that its source can be shown.
    pub fn is_text(self) -> bool {
        self.format().is_some_and(|format| format.is_text)
    }

    fn format(self) -> Option<&'static Format> {
        FORMATS.iter().copied().find(|format| format.kind == self)
    }
}

/// A worker process sends the kind by its name.
impl Serialize for DocumentKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for DocumentKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<DocumentKind, D::Error> {
        let name = String::deserialize(deserializer)?;
        FORMATS
            .iter()
            .map(|format| format.kind)
            .find(|kind| kind.0 == name)
            .ok_or_else(|| de::Error::custom("no such document format"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_name_media_type_and_extension_belongs_to_one_format() {
        let mut seen = HashSet::new();
        for format in FORMATS {
            assert!(seen.insert(format.kind.0), "{:?}", format.kind);
        }
        let mut seen = HashSet::new();
        for media_type in FORMATS.iter().flat_map(|format| format.media_types) {
            assert!(seen.insert(media_type), "{media_type}");
            assert!(media_type.matches('*').count() <= 1, "{media_type}");
        }
        let mut seen = HashSet::new();
        for extension in FORMATS.iter().flat_map(|format| format.extensions) {
            assert!(seen.insert(extension), "{extension}");
        }
    }

    #[test]
    fn a_kind_survives_the_pipe_from_a_worker() {
        for format in FORMATS {
            let json = serde_json::to_string(&format.kind).expect("a string");
            assert_eq!(
                serde_json::from_str::<DocumentKind>(&json).expect("listed"),
                format.kind
            );
        }
        assert!(serde_json::from_str::<DocumentKind>("\"unheard-of\"").is_err());
    }

    #[test]
    fn only_text_can_lack_a_signature() {
        for format in FORMATS {
            assert!(
                format.has_signature() || format.is_text,
                "{:?}",
                format.kind
            );
        }
    }
}
