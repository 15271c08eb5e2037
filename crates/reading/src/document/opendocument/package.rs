//! The parts of an OpenDocument file, opened with the password where they are encrypted.

use super::super::Input;
use super::super::encryption::Encrypted;
use super::super::encryption::opendocument::Manifest;
use super::super::error::DocumentError;
use super::super::xml::XmlTree;
use super::super::zip::ZipArchive;

pub(super) struct OpenPackage<'a> {
    archive: ZipArchive<'a>,
    manifest: Manifest,
    input: &'a Input<'a>,
}

impl<'a> OpenPackage<'a> {
    pub(super) fn open(input: &'a Input<'a>) -> Result<OpenPackage<'a>, DocumentError> {
        let archive = ZipArchive::open(input.bytes, input.budget.limits.entries)?;
        // The whole file as one encrypted part, as LibreOffice writes it since 2024.
        if archive.contains("encrypted-package") {
            return Err(Encrypted::OpenDocument.not_supported());
        }
        let manifest = archive.read_entry("META-INF/manifest.xml", input.budget)?;
        Ok(OpenPackage {
            manifest: Manifest::read(manifest, input),
            archive,
            input,
        })
    }

    /// The bytes of a part. `None` if there is no such part.
    pub(super) fn part(&self, name: &str) -> Result<Option<Vec<u8>>, DocumentError> {
        let bytes = self.archive.read_entry(name, self.input.budget)?;
        bytes
            .map(|bytes| self.manifest.open(name, bytes, self.input))
            .transpose()
    }

    /// The tree of a part that the document can do without: `None` also if it is damaged.
    pub(super) fn intact_tree(&self, name: &str) -> Result<Option<XmlTree>, DocumentError> {
        let bytes = match self.part(name) {
            Err(DocumentError::Broken) => None,
            bytes => bytes?,
        };
        Ok(bytes.and_then(|bytes| XmlTree::parse(&bytes, self.input.nodes()).ok()))
    }
}
