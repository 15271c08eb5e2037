//! Jupyter notebooks: text, code and what the code printed.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::error::DocumentError;
use super::format::{DocumentKind, Format, Signature};
use super::markdown::Markdown;
use super::{Document, Input, json, present};
use crate::extract;

impl DocumentKind {
    /// A Jupyter notebook.
    pub const NOTEBOOK: DocumentKind = DocumentKind::named("notebook");
}

pub(super) static NOTEBOOK: Format = Format {
    kind: DocumentKind::NOTEBOOK,
    label: Some("IPYNB"),
    media_types: &["application/x-ipynb+json"],
    extensions: &["ipynb"],
    signature: Signature::Within(is_notebook),
    needs_worker: true,
    is_text: true,
    read: read_notebook,
};

/// The version of the format stands at the end of most notebooks, after their cells.
fn is_notebook(start: &[u8], bytes: &[u8]) -> bool {
    let contains = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    start.trim_ascii_start().starts_with(b"{")
        && contains(b"\"nbformat\"")
        && (contains(b"\"cells\"") || contains(b"\"worksheets\""))
}

#[derive(Deserialize)]
struct Notebook {
    cells: Option<Vec<Cell>>,
    /// Where the cells are in notebooks before version 4.
    worksheets: Option<Vec<Worksheet>>,
    #[serde(default)]
    metadata: NotebookMetadata,
}

#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Vec<Cell>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NotebookMetadata {
    title: Option<String>,
    authors: Value,
    kernelspec: Option<Kernel>,
    language_info: Option<LanguageInfo>,
}

#[derive(Deserialize)]
struct Kernel {
    language: Option<String>,
}

#[derive(Deserialize)]
struct LanguageInfo {
    name: Option<String>,
}

#[derive(Deserialize)]
struct Cell {
    cell_type: String,
    #[serde(default)]
    source: Lines,
    /// The source of code before version 4.
    #[serde(default)]
    input: Lines,
    /// The level of a heading before version 4.
    level: Option<usize>,
    #[serde(default)]
    outputs: Vec<Output>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Output {
    text: Lines,
    data: Bundle,
    ename: Option<String>,
    evalue: Option<String>,
    /// Before version 4, the forms of a result stand beside the other fields.
    html: Lines,
    png: Option<IgnoredAny>,
}

/// The same result in several forms.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Bundle {
    #[serde(rename = "text/markdown")]
    markdown: Lines,
    #[serde(rename = "text/html")]
    html: Lines,
    #[serde(rename = "text/latex")]
    latex: Lines,
    #[serde(rename = "text/plain")]
    plain: Lines,
    #[serde(rename = "image/png")]
    png: Option<IgnoredAny>,
    #[serde(rename = "image/jpeg")]
    jpeg: Option<IgnoredAny>,
    #[serde(rename = "image/svg+xml")]
    svg: Option<IgnoredAny>,
}

/// Text as one string or as one string per line.
#[derive(Deserialize)]
#[serde(untagged)]
enum Lines {
    One(String),
    Many(Vec<String>),
    Other(IgnoredAny),
}

impl Default for Lines {
    fn default() -> Lines {
        Lines::Many(Vec::new())
    }
}

impl Lines {
    fn text(&self) -> String {
        match self {
            Lines::One(text) => text.clone(),
            Lines::Many(lines) => lines.concat(),
            Lines::Other(_) => String::new(),
        }
    }
}

fn read_notebook(input: &Input<'_>) -> Result<Document, DocumentError> {
    let Ok(notebook) = serde_json::from_slice::<Notebook>(input.bytes) else {
        // It is JSON at best.
        return json::read_json(input);
    };
    if notebook.cells.is_none() && notebook.worksheets.is_none() {
        // It only mentions them.
        return json::read_json(input);
    }
    let language = notebook.metadata.language();
    let mut markdown = input.markdown();
    let older = notebook.worksheets.iter().flatten();
    let older = older.flat_map(|sheet| &sheet.cells);
    for cell in notebook.cells.iter().flatten().chain(older) {
        input.budget.check_time()?;
        cell.write(&language, &mut markdown);
        if markdown.is_full() {
            break;
        }
    }
    let mut document = Document::new(DocumentKind::NOTEBOOK, markdown);
    let heading = document
        .markdown
        .lines()
        .find_map(|it| it.strip_prefix("# "));
    document.author = notebook.metadata.authors();
    document.title = notebook.metadata.title.or_else(|| present(heading?));
    Ok(document)
}

impl NotebookMetadata {
    /// The names of the authors, which stand in objects or alone.
    fn authors(&self) -> Option<String> {
        let authors = self.authors.as_array()?.iter();
        let name = |author: &Value| present(author.get("name").unwrap_or(author).as_str()?);
        present(authors.filter_map(name).collect::<Vec<_>>().join(", "))
    }

    fn language(&self) -> String {
        let info = self.language_info.as_ref().and_then(|it| it.name.clone());
        let kernel = || self.kernelspec.as_ref()?.language.clone();
        info.or_else(kernel).unwrap_or_else(|| "python".to_owned())
    }
}

impl Cell {
    fn write(&self, language: &str, markdown: &mut Markdown) {
        let source = self.source.text();
        match self.cell_type.as_str() {
            "code" => {
                let code = if source.is_empty() {
                    self.input.text()
                } else {
                    source
                };
                if !code.trim().is_empty() {
                    markdown.code(language, &code);
                }
                self.outputs
                    .iter()
                    .for_each(|output| output.write(markdown));
            }
            "heading" => markdown.heading(self.level.unwrap_or(1), &source),
            _ => markdown.block(&source),
        }
    }
}

impl Output {
    /// Writes the richest form that is text.
    fn write(&self, markdown: &mut Markdown) {
        let html = [&self.data.html, &self.html].map(Lines::text).concat();
        let rich = [&self.data.markdown, &self.data.latex]
            .map(Lines::text)
            .concat();
        let plain = [&self.text, &self.data.plain].map(Lines::text).concat();
        let pictures = [&self.data.png, &self.data.jpeg, &self.data.svg, &self.png];
        if !rich.trim().is_empty() {
            markdown.block(&rich);
        } else if html.contains("<table") {
            markdown.block(&extract::whole_markdown(&html, "about:blank").markdown);
        } else if pictures.iter().any(|picture| picture.is_some()) {
            markdown.block(&format!("![output: {}]", plain.trim()));
        } else if !plain.trim().is_empty() {
            markdown.code("", &plain);
        } else if !html.trim().is_empty() {
            markdown.block(&extract::whole_markdown(&html, "about:blank").markdown);
        }
        if let Some(name) = &self.ename {
            let value = self.evalue.as_deref().unwrap_or_default();
            markdown.code("", &format!("{name}: {value}"));
        }
    }
}
