//! Encrypted documents: which kinds a password opens here, and what to say of the others.

mod cipher;
pub(super) mod office;
pub(super) mod old_office;
pub(super) mod opendocument;
pub(super) mod pdf;
pub(super) mod xor;
pub(super) mod zip;

use serde::{Deserialize, Serialize};

use super::error::DocumentError;
use super::password::Password;

/// The password of workbooks that are only protected against changes.
const PASSWORD_OF_READ_ONLY: &str = "VelvetSweatshop";

/// A kind of encrypted file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Encrypted {
    Pdf,
    /// A DOCX, XLSX or PPTX file.
    Office,
    /// A DOC, XLS or PPT file.
    OldOffice,
    OpenDocument,
    /// A file in a ZIP archive.
    Zip,
    /// An EPUB or Kindle book of a shop.
    Book,
    /// A message for the owner of a key.
    Message,
    /// An Office file that a rights management server opens for some people.
    RestrictedOffice,
}

/// What was tried to open an encrypted file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Attempt {
    /// None: no password was given, and one would open it.
    WithoutPassword,
    /// A password that is not the right one.
    WrongPassword,
    /// None: it is encrypted in a way that is not opened here.
    NotSupported,
}

impl Encrypted {
    /// The error for a file that the given password, or none, does not open.
    pub(super) fn closed_to(self, password: Option<&Password>) -> DocumentError {
        DocumentError::Encrypted(
            self,
            match password {
                None => Attempt::WithoutPassword,
                Some(_) => Attempt::WrongPassword,
            },
        )
    }

    /// The error for a file that no password opens here.
    pub(super) fn not_supported(self) -> DocumentError {
        DocumentError::Encrypted(self, Attempt::NotSupported)
    }

    /// What happened and what to do.
    pub(super) fn sentences(self, attempt: Attempt) -> (&'static str, &'static str) {
        match attempt {
            Attempt::WithoutPassword => (
                self.closed(),
                "Read it again with password, or look for a copy that is not encrypted.",
            ),
            Attempt::WrongPassword => (
                self.wrongly_tried(),
                "Ask the user for the right password, or look for a copy that is not encrypted.",
            ),
            Attempt::NotSupported => self.refusal(),
        }
    }

    fn closed(self) -> &'static str {
        match self {
            Encrypted::Pdf => "The PDF is encrypted and opens with a password.",
            Encrypted::Office => {
                "The Office file (DOCX, XLSX or PPTX) is encrypted and opens with a password."
            }
            Encrypted::OpenDocument => {
                "The OpenDocument file is encrypted and opens with a password."
            }
            Encrypted::Zip => "The file in the ZIP archive is encrypted and opens with a password.",
            Encrypted::OldOffice => {
                "The Office file from before 2007 (DOC, XLS or PPT) is encrypted and opens with a password."
            }
            Encrypted::Book | Encrypted::Message | Encrypted::RestrictedOffice => self.refusal().0,
        }
    }

    fn wrongly_tried(self) -> &'static str {
        match self {
            Encrypted::Pdf => "The password does not open the encrypted PDF.",
            Encrypted::Office => {
                "The password does not open the encrypted Office file (DOCX, XLSX or PPTX)."
            }
            Encrypted::OpenDocument => {
                "The password does not open the encrypted OpenDocument file."
            }
            Encrypted::Zip => "The password does not open the encrypted file in the ZIP archive.",
            Encrypted::OldOffice => {
                "The password does not open the encrypted Office file from before 2007 (DOC, XLS or PPT)."
            }
            Encrypted::Book | Encrypted::Message | Encrypted::RestrictedOffice => self.refusal().0,
        }
    }

    fn refusal(self) -> (&'static str, &'static str) {
        match self {
            Encrypted::Pdf => (
                "The PDF is encrypted in a way that cannot be opened here, with or without a password.",
                "Save it without encryption from the program that opens it, or look for another copy.",
            ),
            Encrypted::Office => (
                "The Office file is encrypted in a way that cannot be opened here, with or without a password.",
                "Save it without a password from the program that opens it, or look for another copy.",
            ),
            Encrypted::OldOffice => (
                "The Office file from before 2007 (DOC, XLS or PPT) is encrypted in a way that cannot be opened here, with or without a password.",
                "Save it without a password, or as DOCX, XLSX or PPTX, from Office or LibreOffice (`msoffcrypto-tool` removes a known password), or look for another copy.",
            ),
            Encrypted::OpenDocument => (
                "The OpenDocument file is encrypted in a way that cannot be opened here, with or without a password.",
                "Save it without a password from LibreOffice, or look for another copy.",
            ),
            Encrypted::Zip => (
                "The file in the ZIP archive is encrypted in a way that cannot be opened here, with or without a password.",
                "Unpack the archive with the program that made it and read the file itself.",
            ),
            Encrypted::Book => (
                "The book is protected by a shop's copy protection (DRM), which cannot be opened here.",
                "No password helps; look for a copy without protection.",
            ),
            Encrypted::Message => (
                "The message is encrypted (S/MIME) for the owner of a key and cannot be opened here.",
                "No password helps; open it in the mail program that has the key and save the text.",
            ),
            Encrypted::RestrictedOffice => (
                "The Office file is encrypted by rights management (IRM or a sensitivity label) and cannot be opened here.",
                "No password helps; save it without the protection from an Office that may open it, or look for another copy.",
            ),
        }
    }
}
