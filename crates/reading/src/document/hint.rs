//! What is claimed about a document, and what is wanted of it.

use serde::{Deserialize, Serialize};

use super::format::DocumentKind;
use super::parts::WantedParts;
use super::password::Password;
use super::recognise;
use super::scan::WantedScans;

/// What is claimed about a document before it is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hint {
    /// The Content-Type, with its parameters.
    pub media_type: Option<String>,
    pub file_name: Option<String>,
    /// The address. Links are resolved against it, and its last segment serves as a file name.
    pub url: Option<String>,
    /// The name of the file in an archive, or of the attachment, that is wanted instead of a list.
    pub part: Option<String>,
    /// The pages, slides, sheets or chapters that are wanted. Readers need not look at others, and
    /// list them without their text.
    #[serde(default)]
    pub wanted: Option<WantedParts>,
    pub password: Option<Password>,
    /// Whether the source of that file is wanted, and not what can be read in it.
    #[serde(default)]
    pub raw: bool,
    /// Whether the formulas of a workbook are wanted beside their results.
    #[serde(default)]
    pub formulas: bool,
    /// The pages that are wanted as pictures if they have no text. `None` where no program
    /// recognises text in them.
    #[serde(default)]
    pub scans: Option<WantedScans>,
}

impl Hint {
    /// The file name, or the last segment of the address.
    pub(super) fn name(&self) -> Option<String> {
        let from_url = || {
            let url = url::Url::parse(self.url.as_deref()?).ok()?;
            url.path_segments()?
                .next_back()
                .filter(|segment| !segment.is_empty())
                .map(str::to_owned)
        };
        self.file_name.clone().or_else(from_url)
    }

    /// The charset of the Content-Type.
    pub(super) fn charset(&self) -> Option<&str> {
        recognise::declared_charset(self.media_type.as_deref()?)
    }

    /// Whether the declared type is wrong in a way that matters, given what the bytes are. One kind
    /// of text declared as another is common and harmless.
    pub fn is_false(&self, kind: DocumentKind) -> bool {
        let claimed = DocumentKind::claimed(self.media_type.as_deref(), self.name().as_deref());
        claimed.is_some_and(|claimed| {
            claimed != kind
                && (claimed.needs_worker() || kind.needs_worker())
                && ![DocumentKind::ARCHIVE, DocumentKind::ZIP].contains(&claimed)
                // Books and flat documents are XML, too.
                && !(claimed == DocumentKind::XML && kind.is_text())
                // Sites send tables in CSV and HTML as Excel files.
                && !(claimed == DocumentKind::XLS && kind.is_text())
        })
    }

    /// The format of the bytes.
    pub fn kind(&self, bytes: &[u8]) -> DocumentKind {
        DocumentKind::detect(self.media_type.as_deref(), self.name().as_deref(), bytes)
    }
}
