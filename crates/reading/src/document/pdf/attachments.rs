//! The files that are attached to a PDF: a list of them, or one by its name.

use std::collections::VecDeque;

use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, Name, Object, Stream, String as PdfString};

use super::super::archive::{WantedFile, read_file};
use super::super::error::DocumentError;
use super::super::markdown::{Markdown, one_line};
use super::super::parts::{Part, Unit};
use super::super::{Document, Input, present};
use super::text_string;

const MAX_FILES: usize = 1_000;
/// The most nodes of the tree of names that are looked at. One that many others name is looked at
/// each time.
const MAX_NODES: usize = 4_000;
/// The most annotations of a page that are looked at, and the most pages.
const MAX_ANNOTATIONS: usize = 1_000;
const MAX_PAGES: usize = 10_000;

/// A file inside the PDF.
struct Attachment<'a> {
    name: String,
    content: Stream<'a>,
}

/// The files that are attached to a PDF and to its pages.
pub(super) struct Attachments<'a> {
    files: Vec<Attachment<'a>>,
}

impl<'a> Attachments<'a> {
    pub(super) fn of(pdf: &'a Pdf) -> Attachments<'a> {
        let mut attachments = Attachments { files: Vec::new() };
        let catalogue = pdf.xref().get::<Dict<'a>>(pdf.xref().root_id());
        let names = catalogue.and_then(|dict| dict.get::<Dict<'a>>("Names"));
        if let Some(tree) = names.and_then(|names| names.get::<Dict<'a>>("EmbeddedFiles")) {
            attachments.add_tree(tree);
        }
        for page in pdf.pages().iter().take(MAX_PAGES) {
            let list = page.raw().get::<Array<'a>>("Annots");
            let list = list.iter().flat_map(|list| list.iter::<Dict<'a>>());
            for annotation in list.take(MAX_ANNOTATIONS) {
                let kind = annotation.get::<Name<'_>>("Subtype");
                if kind.is_some_and(|name| name.as_str() == "FileAttachment")
                    && let Some(file) = annotation.get::<Dict<'a>>("FS")
                {
                    attachments.add(&file, None);
                }
            }
        }
        attachments
    }

    fn add_tree(&mut self, root: Dict<'a>) {
        let mut waiting = VecDeque::from([root]);
        let mut seen = 0;
        while let Some(node) = waiting.pop_front()
            && seen < MAX_NODES
            && self.files.len() < MAX_FILES
        {
            seen += 1;
            let list = node.get::<Array<'a>>("Names");
            let mut entries = list.iter().flat_map(|list| list.iter::<Object<'a>>());
            while let (Some(key), Some(file)) = (entries.next(), entries.next()) {
                if let (Object::String(key), Object::Dict(file)) = (key, file) {
                    self.add(&file, Some(text_string(&key)));
                }
            }
            let branches = node.get::<Array<'a>>("Kids");
            let branches = branches.iter().flat_map(|list| list.iter::<Dict<'a>>());
            waiting.extend(branches.take(MAX_NODES.saturating_sub(seen + waiting.len())));
        }
    }

    /// Adds a file that a dictionary describes. It has the name of its description, or else that in the tree.
    fn add(&mut self, file: &Dict<'a>, key: Option<String>) {
        let embedded = file.get::<Dict<'a>>("EF").unwrap_or_default();
        let mut contents = ["UF", "F"].iter().filter_map(|it| embedded.get(it));
        let Some(content) = contents.next() else {
            return;
        };
        let content: Stream<'a> = content;
        let is_known = |known: &Attachment<'_>| known.content.obj_id() == content.obj_id();
        if self.files.len() >= MAX_FILES || self.files.iter().any(is_known) {
            return;
        }
        let named = |entry: &&str| file.get::<PdfString<'_>>(entry).map(|it| text_string(&it));
        let mut names = ["UF", "F"].iter().filter_map(named).chain(key);
        let name = names.find_map(|name| present(name.rsplit(['/', '\\']).next()?));
        let number = self.files.len() + 1;
        let name = name.unwrap_or_else(|| format!("attachment-{number}.bin"));
        let is_taken = self.files.iter().any(|file| file.name == name);
        self.files.push(Attachment {
            name: if is_taken {
                format!("{number}-{name}")
            } else {
                name
            },
            content,
        });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = Part> {
        self.files.iter().zip(1..).map(|(file, number)| Part {
            unit: Unit::Attachment,
            number,
            name: Some(file.name.clone()),
            start: None,
            is_hidden: false,
            bookmarks: Vec::new(),
        })
    }

    pub(super) fn write(&self, markdown: &mut Markdown) {
        if !self.is_empty() {
            let names: Vec<String> = self.files.iter().map(|it| one_line(&it.name)).collect();
            markdown.block(&format!("Attached files: {}", names.join(", ")));
        }
    }

    /// Reads the file of this name like any other document.
    pub(super) fn read(&self, wanted: &str, input: &Input<'_>) -> Result<Document, DocumentError> {
        let names: Vec<&str> = self.files.iter().map(|it| it.name.as_str()).collect();
        let wanted = WantedFile::find(&names, wanted)?;
        let file = &self.files[wanted.index];
        let content = file.content.decoded_data();
        let content = content.map_err(|_| DocumentError::Broken)?;
        input.budget.count_unpacked(content.len() as u64)?;
        read_file(&content, &file.name, wanted.inside, input)
    }
}
