//! ZIP, TAR and GZIP archives: a list of the files inside, or one of them by its name.
//!
//! A file inside is read like any other document, from the same budget, so that archives in
//! archives cannot use a limit twice. Of several files of one name the last is read, because it is
//! the one that stays when the archive is unpacked.

use std::collections::HashSet;
use std::io::Cursor;

use flate2::read::MultiGzDecoder;

use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::markdown::one_line;
use super::parts::{Part, Unit};
use super::zip::{self, ZipArchive};
use super::{Document, FORMATS, Hint, Input, read_nested, recognise};
use crate::extract::charset;

impl DocumentKind {
    /// A ZIP archive that is no document.
    pub const ZIP: DocumentKind = DocumentKind::named("zip");
    /// A TAR archive.
    pub const TAR: DocumentKind = DocumentKind::named("tar");
    /// One compressed file, often a TAR archive.
    pub const GZIP: DocumentKind = DocumentKind::named("gzip");
}

/// After all documents that are ZIP archives in the list of formats.
pub(super) static ZIP: Format = Format {
    kind: DocumentKind::ZIP,
    label: Some("ZIP"),
    media_types: &["application/zip", "application/x-zip-compressed"],
    extensions: &["zip", "jar", "whl", "apk"],
    signature: Signature::Zip(|_| true),
    needs_worker: true,
    is_text: false,
    read: read_zip,
};

pub(super) static TAR: Format = Format {
    kind: DocumentKind::TAR,
    label: Some("TAR"),
    media_types: &["application/x-tar", "application/x-gtar"],
    extensions: &["tar"],
    signature: Signature::Within(|start, _| is_tar(start)),
    needs_worker: true,
    is_text: false,
    read: read_tar,
};

pub(super) static GZIP: Format = Format {
    kind: DocumentKind::GZIP,
    label: Some("GZIP"),
    media_types: &[
        "application/gzip",
        "application/x-gzip",
        "application/x-compressed-tar",
    ],
    extensions: &["gz", "tgz"],
    signature: Signature::StartsWith(&[b"\x1F\x8B\x08"]),
    needs_worker: true,
    is_text: false,
    read: read_gzip,
};

/// The most files of an archive. A document that is a package has far fewer parts, because they are
/// looked up one by one; here a file is found in one walk over the names.
const MOST_FILES: usize = 100_000;

/// The most places of a name that are tried as the end of a file's own name.
const MOST_BORDERS: usize = 32;

fn is_tar(start: &[u8]) -> bool {
    start.get(257..262) == Some(b"ustar")
}

fn read_zip(input: &Input<'_>) -> Result<Document, DocumentError> {
    let archive =
        ZipArchive::open(input.bytes, MOST_FILES)?.with_password(input.hint.password.as_ref());
    let files = archive.listed();
    if let Some(wanted) = &input.hint.part {
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        let wanted = WantedFile::find(&names, wanted)?;
        let last = LastOfName::find(&names, wanted.index);
        let content = archive.read_listed(last.index, input.budget)?;
        let document = read_file(&content, names[last.index], wanted.inside, input)?;
        return Ok(last.noted(document));
    }
    let files = files.into_iter().filter(|(name, _)| !is_clutter(name));
    Ok(listing(DocumentKind::ZIP, files.collect(), input))
}

/// Whether the entry is a folder, or a file that a Mac adds to every archive.
fn is_clutter(name: &str) -> bool {
    name.ends_with('/') || name.starts_with("__MACOSX/") || name.ends_with(".DS_Store")
}

fn read_tar(input: &Input<'_>) -> Result<Document, DocumentError> {
    read_tar_bytes(input.bytes, input)
}

fn read_tar_bytes(bytes: &[u8], input: &Input<'_>) -> Result<Document, DocumentError> {
    let files = tar_files(bytes, input)?;
    if let Some(wanted) = &input.hint.part {
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let wanted = WantedFile::find(&names, wanted)?;
        let last = LastOfName::find(&names, wanted.index);
        let file = &files[last.index];
        let end = file.start.saturating_add(file.size).min(bytes.len());
        let content = bytes.get(file.start..end).ok_or(DocumentError::Broken)?;
        let document = read_file(content, &file.name, wanted.inside, input)?;
        return Ok(last.noted(document));
    }
    let files = files
        .iter()
        .map(|file| (file.name.clone(), file.size as u64));
    Ok(listing(DocumentKind::TAR, files.collect(), input))
}

struct TarFile {
    name: String,
    start: usize,
    size: usize,
}

/// The files of an archive, as many of them as can be read.
fn tar_files(bytes: &[u8], input: &Input<'_>) -> Result<Vec<TarFile>, DocumentError> {
    let mut archive = tar::Archive::new(Cursor::new(bytes));
    let entries = archive.entries().map_err(|_| DocumentError::Broken)?;
    let mut files = Vec::new();
    for entry in entries.map_while(Result::ok) {
        input.budget.check_time()?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        if files.len() == MOST_FILES {
            return Err(DocumentError::TooManyEntries);
        }
        files.push(TarFile {
            name: String::from_utf8_lossy(&entry.path_bytes()).into_owned(),
            start: usize::try_from(entry.raw_file_position()).unwrap_or(usize::MAX),
            size: usize::try_from(entry.size()).unwrap_or(usize::MAX),
        });
    }
    if files.is_empty() {
        return Err(DocumentError::Broken);
    }
    Ok(files)
}

fn read_gzip(input: &Input<'_>) -> Result<Document, DocumentError> {
    let (content, is_whole) = zip::unpack(MultiGzDecoder::new(input.bytes), input.budget)?;
    if content.is_empty() && !is_whole {
        return Err(DocumentError::Broken);
    }
    let mut document = read_unpacked(&content, input)?;
    if !is_whole {
        document.warn(Warning::Incomplete);
    }
    Ok(document)
}

/// Reads what was in a compressed file: an archive or a document.
fn read_unpacked(content: &[u8], input: &Input<'_>) -> Result<Document, DocumentError> {
    if is_tar(content) {
        return read_tar_bytes(content, input);
    }
    let name = input.hint.name().unwrap_or_default();
    let inner = name.strip_suffix(".gz").unwrap_or_default();
    let hint = Hint {
        file_name: Some(inner.to_owned()),
        part: input.hint.part.clone(),
        wanted: input.hint.wanted.clone(),
        password: input.hint.password.clone(),
        formulas: input.hint.formulas,
        scans: input.hint.scans,
        ..Hint::default()
    };
    read_inside(content, &hint, input)
}

/// Reads a file that is inside another one. What holds no text is that file, and not the one around
/// it, which promised to be a document and would be called damaged.
fn read_inside(bytes: &[u8], hint: &Hint, outer: &Input<'_>) -> Result<Document, DocumentError> {
    read_nested(bytes, hint, outer).map_err(|error| match error {
        DocumentError::Unsupported => DocumentError::UnsupportedInside,
        error => error,
    })
}

/// A name as it is shown: on one line and without control characters.
fn shown(name: &str) -> String {
    one_line(&name.replace(char::is_control, " "))
}

/// The place of the name that is meant: the same, the same as it is shown, the same but for case,
/// or the only one that ends with it.
pub(super) fn matching(names: &[&str], wanted: &str) -> Option<usize> {
    if let Some(place) = names.iter().position(|name| *name == wanted) {
        return Some(place);
    }
    let names: Vec<String> = names.iter().map(|name| shown(name)).collect();
    let wanted = shown(wanted);
    let wanted = wanted.trim_start_matches("./");
    let place = |matches: &dyn Fn(&str) -> bool| names.iter().position(|name| matches(name));
    let tail = format!("/{wanted}");
    let ends: Vec<usize> = (0..names.len())
        .filter(|index| names[*index].ends_with(&tail))
        .collect();
    place(&|name| name == wanted)
        .or_else(|| place(&|name| name.eq_ignore_ascii_case(wanted)))
        .or_else(|| ends.first().copied().filter(|_| ends.len() == 1))
}

/// Which file of an archive or a message is wanted.
pub(super) struct WantedFile<'w> {
    pub(super) index: usize,
    /// The file that is wanted of it, if it is an archive or a message itself.
    pub(super) inside: Option<&'w str>,
}

impl<'w> WantedFile<'w> {
    /// The file that is named, or the file in a file, as in `inner.zip!/a.docx` or
    /// `mail.eml/a.docx`.
    pub(super) fn find(names: &[&str], wanted: &'w str) -> Result<WantedFile<'w>, DocumentError> {
        if let Some(index) = matching(names, wanted) {
            return Ok(WantedFile {
                index,
                inside: None,
            });
        }
        let borders = ["!/", "/"].into_iter();
        let mut places = borders.flat_map(|border| {
            let places = wanted.match_indices(border).take(MOST_BORDERS);
            places.map(|(at, border)| (at, at + border.len()))
        });
        let found = places.find_map(|(end, start)| {
            Some(WantedFile {
                index: matching(names, &wanted[..end])?,
                inside: Some(&wanted[start..]),
            })
        });
        found.ok_or(DocumentError::NoSuchPart)
    }
}

/// The last file of an archive that has the name of the wanted one.
struct LastOfName {
    index: usize,
    has_others: bool,
}

impl LastOfName {
    fn find(names: &[&str], index: usize) -> LastOfName {
        let same = |name: &&str| *name == names[index];
        LastOfName {
            index: names.iter().rposition(same).unwrap_or(index),
            has_others: names.iter().filter(|name| same(name)).count() > 1,
        }
    }

    /// The document, with a note if there are others of its name.
    fn noted(&self, mut document: Document) -> Document {
        if self.has_others {
            document.warn(Warning::SameName);
        }
        document
    }
}

/// Reads one file of an archive or a message, or the file inside it that is wanted.
pub(super) fn read_file(
    content: &[u8],
    name: &str,
    inside: Option<&str>,
    input: &Input<'_>,
) -> Result<Document, DocumentError> {
    let name = shown(name);
    let file_name = name.rsplit('/').next().unwrap_or(&name);
    let hint = Hint {
        file_name: Some(file_name.to_owned()),
        part: inside.map(str::to_owned),
        wanted: input.hint.wanted.clone(),
        raw: input.hint.raw,
        password: input.hint.password.clone(),
        formulas: input.hint.formulas,
        scans: input.hint.scans,
        ..Hint::default()
    };
    let mut document = match input.hint.raw && inside.is_none() {
        true => source(content, &hint, input)?,
        false => read_inside(content, &hint, input)?,
    };
    document.title = document.title.or_else(|| Some(file_name.to_owned()));
    Ok(document)
}

/// The text of a file as it is.
fn source(content: &[u8], hint: &Hint, input: &Input<'_>) -> Result<Document, DocumentError> {
    let kind = hint.kind(content);
    if !kind.is_text() {
        return Err(DocumentError::NoSource);
    }
    let mut text = charset::decode(content, None).text;
    let end = text.floor_char_boundary(input.budget.limits.text);
    let mut document = Document::new(kind, input.markdown());
    if end < text.len() {
        text.truncate(end);
        document.warn(Warning::Truncated);
    }
    document.markdown = text;
    Ok(document)
}

/// Whether the name is that of an archive or a message.
fn holds_files(name: &str) -> bool {
    let claimed = recognise::claimed(FORMATS, None, Some(name));
    claimed.is_some_and(|it| it.has_files() && it.kind != DocumentKind::PDF)
}

fn listing(kind: DocumentKind, files: Vec<(String, u64)>, input: &Input<'_>) -> Document {
    let mut names = HashSet::new();
    let has_same_names = !files.iter().all(|(name, _)| names.insert(name));
    let files: Vec<(String, u64)> = files
        .into_iter()
        .map(|(name, size)| (shown(&name), size))
        .collect();
    let mut markdown = input.markdown();
    let plural = if files.len() == 1 { "" } else { "s" };
    markdown.block(&format!("An archive of {} file{plural}:", files.len()));
    let mut rows = vec![vec!["file".to_owned(), "bytes".to_owned()]];
    rows.extend(
        files
            .iter()
            .map(|(name, size)| vec![name.clone(), size.to_string()]),
    );
    markdown.table(&rows);
    if let Some((name, _)) = files.iter().find(|(name, _)| holds_files(name)) {
        markdown.block(&format!(
            "A file inside one of them is asked for by both names: `{name}/NAME`."
        ));
    }
    let mut document = Document::new(kind, markdown);
    if has_same_names {
        document.warn(Warning::SameNames);
    }
    document.pages = Some(u32::try_from(files.len()).unwrap_or(u32::MAX));
    document.parts = files
        .into_iter()
        .zip(1..)
        .map(|((name, _), number)| Part {
            unit: Unit::File,
            number,
            name: Some(name),
            start: None,
            is_hidden: false,
            bookmarks: Vec::new(),
        })
        .collect();
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_by_its_path_its_case_or_its_unambiguous_end() {
        let names = ["a/One.txt", "b/one.txt", "c/two.txt"];
        for (wanted, found) in [
            ("a/One.txt", Some("a/One.txt")),
            ("A/ONE.TXT", Some("a/One.txt")),
            ("two.txt", Some("c/two.txt")),
            ("./c/two.txt", Some("c/two.txt")),
            ("one.txt", Some("b/one.txt")),
            ("wo.txt", None),
            ("three", None),
        ] {
            let place = matching(&names, wanted);
            assert_eq!(place.map(|place| names[place]), found, "{wanted}");
        }
    }

    #[test]
    fn a_name_is_shown_and_found_on_one_line() {
        let names = ["a.txt", "b\n\n# c\u{1B}[0m.txt", "d  e.txt"];
        assert_eq!(shown(names[1]), "b # c [0m.txt");
        for (place, name) in names.iter().enumerate() {
            assert_eq!(matching(&names, name), Some(place));
            assert_eq!(matching(&names, &shown(name)), Some(place));
        }
    }
}
