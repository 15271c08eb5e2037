//! LaTeX: headings, lists, tables, code and mathematics.
//!
//! [`source`] first takes out comments and expands the author's macros. Then one loop goes over the
//! text, with a stack of environments. Arguments are read by a loop of their own, to a limited
//! depth.

mod inline;
mod macros;
mod source;
mod table;
mod units;
mod verbatim;
mod words;

use inline::{Letters, argument, command_name, drop_arguments, inline, option};
use source::prepared;
use table::table_rows;
use verbatim::revealed;
use words::{dropped_arguments, heading, is_math, is_verbatim};

use super::included;
use crate::document::error::{DocumentError, Warning};
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::markdown::{Markdown, one_line};
use crate::document::text::with_decoded_text;
use crate::document::{Document, Input, present};

impl DocumentKind {
    /// LaTeX.
    pub const LATEX: DocumentKind = DocumentKind::named("latex");
}

pub(in crate::document) static LATEX: Format = Format {
    kind: DocumentKind::LATEX,
    label: Some("LaTeX"),
    media_types: &["application/x-latex", "application/x-tex", "text/x-tex"],
    extensions: &["tex", "latex", "ltx"],
    signature: Signature::None,
    needs_worker: true,
    is_text: true,
    read: read_latex,
};

fn read_latex(input: &Input<'_>) -> Result<Document, DocumentError> {
    Ok(with_decoded_text(input, |text| {
        let source = prepared(text);
        let (head, body) = match source.text.split_once("\\begin{document}") {
            Some((head, body)) => (head, body),
            None => ("", source.text.as_str()),
        };
        let body = body.split("\\end{document}").next().unwrap_or(body);
        let field =
            |name: &str| command_argument(head, name).or_else(|| command_argument(body, name));
        let (title, author, date) = (field("title"), field("author"), field("date"));
        let mut writer = LatexWriter::new(input.markdown());
        writer.title.clone_from(&title);
        writer.read(body);
        let mut document = Document::new(DocumentKind::LATEX, writer.finish());
        document.title = title;
        document.author = author;
        document.date = date.filter(|date| date != "today");
        if source.cut {
            document.warn(Warning::Incomplete);
        }
        document
    }))
}

/// The text of the argument of a command such as `\title`.
fn command_argument(source: &str, name: &str) -> Option<String> {
    let at = source.find(&format!("\\{name}"))?;
    let rest = &source[at + name.len() + 1..];
    let start = rest.find('{')?;
    if !rest[..start].trim_start().starts_with('[') && !rest[..start].trim().is_empty() {
        return None;
    }
    let mut letters = rest[start..].chars().peekable();
    // Authors are divided by commands of their own, or by the ends of lines.
    let argument = argument(&mut letters).replace("\\and", r"\\");
    let text = inline(&argument, 0);
    let lines = text.split('\n').map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    present(revealed(&lines.join(", ")))
}

struct LatexWriter {
    markdown: Markdown,
    title: Option<String>,
    /// The source of the current paragraph.
    paragraph: String,
    /// The open lists, and the next number of each.
    lists: Vec<Option<usize>>,
    quoted: usize,
}

impl LatexWriter {
    fn new(markdown: Markdown) -> LatexWriter {
        LatexWriter {
            markdown,
            title: None,
            paragraph: String::new(),
            lists: Vec::new(),
            quoted: 0,
        }
    }

    fn finish(mut self) -> Markdown {
        self.flush();
        self.markdown
    }

    fn read(&mut self, source: &str) {
        if let Some(title) = self.title.take() {
            self.markdown.heading(1, &title);
        }
        let mut letters = source.chars().peekable();
        while let Some(letter) = letters.next() {
            if self.markdown.is_full() {
                return;
            }
            match letter {
                '\\' => {
                    let name = command_name(&mut letters);
                    self.command(&name, &mut letters);
                }
                '\n' if blank_line_follows(&mut letters) => self.flush(),
                letter => self.paragraph.push(letter),
            }
        }
    }

    fn command(&mut self, name: &str, letters: &mut Letters<'_>) {
        match name {
            "begin" => {
                let environment = argument(letters);
                self.begin(&environment, letters);
            }
            "end" => {
                let environment = argument(letters);
                self.end(&environment);
            }
            "item" => {
                self.flush();
                let label = option(letters);
                self.paragraph.push('\u{1}');
                if let Some(label) = label {
                    self.paragraph.push_str(&format!("\\textbf{{{label}}} "));
                }
            }
            // By its key, as it is cited.
            "bibitem" => {
                self.flush();
                option(letters);
                let key = argument(letters);
                self.paragraph.push_str(&format!("[{key}] "));
            }
            "title" | "author" => {
                option(letters);
                argument(letters);
            }
            "maketitle" | "tableofcontents" | "newpage" | "clearpage" | "par" => self.flush(),
            "caption" => {
                option(letters);
                self.flush();
                self.paragraph = argument(letters);
                self.flush();
            }
            name if heading(name).is_some() => {
                self.flush();
                option(letters);
                let text = inline(&argument(letters), 0).replace("**", "");
                let level = heading(name).unwrap_or(2);
                self.markdown.heading(level, &revealed(&text));
            }
            "input" | "include" | "subfile" if letters.peek() == Some(&'{') => {
                self.flush();
                let place = argument(letters);
                self.markdown.block(&included(&place));
            }
            name if dropped_arguments(name).is_some() => {
                drop_arguments(dropped_arguments(name).unwrap_or(0), letters);
            }
            // The rest belongs to the paragraph; its arguments follow as they are.
            name => {
                self.paragraph.push('\\');
                self.paragraph.push_str(name);
                let letter_follows = letters.peek().is_some_and(|it| it.is_alphabetic());
                if letter_follows && name.chars().all(char::is_alphabetic) {
                    self.paragraph.push(' ');
                }
            }
        }
    }

    fn begin(&mut self, name: &str, letters: &mut Letters<'_>) {
        match name {
            "itemize" | "description" => self.open_list(None, letters),
            "enumerate" => self.open_list(Some(1), letters),
            "quote" | "quotation" | "displayquote" => {
                self.flush();
                self.quoted += 1;
            }
            "abstract" => {
                self.flush();
                self.markdown.heading(2, "Abstract");
            }
            "tabular" | "tabular*" | "tabularx" | "longtable" | "array" => {
                self.flush();
                let rows = table_rows(&until_end(name, letters), name);
                self.markdown.table(&rows);
            }
            "thebibliography" => {
                self.flush();
                // The widest label, which is there for its width only.
                argument(letters);
            }
            name if is_verbatim(name) => {
                self.flush();
                let (language, code) = listing(name, &revealed(&until_end(name, letters)));
                self.markdown.code(&language, code.trim_end());
            }
            name if is_math(name) => {
                let formula = until_end(name, letters);
                self.flush();
                let formula = revealed(formula.trim());
                self.markdown.block(&format!("$$\n{formula}\n$$"));
            }
            _ => {
                self.flush();
                option(letters);
            }
        }
    }

    fn open_list(&mut self, number: Option<usize>, letters: &mut Letters<'_>) {
        self.flush();
        option(letters);
        self.lists.push(number);
    }

    fn end(&mut self, name: &str) {
        self.flush();
        match name {
            "itemize" | "description" | "enumerate" => {
                self.lists.pop();
            }
            "quote" | "quotation" | "displayquote" => self.quoted = self.quoted.saturating_sub(1),
            _ => {}
        }
    }

    /// Writes the current paragraph.
    fn flush(&mut self) {
        let source = std::mem::take(&mut self.paragraph);
        let is_item = source.contains('\u{1}');
        let text = inline(&source.replace('\u{1}', ""), 0);
        let text: Vec<String> = text.split('\n').map(one_line).collect();
        let text = revealed(&text.join(" "));
        if text.trim().is_empty() {
            return;
        }
        let level = self.lists.len().saturating_sub(1);
        match self.lists.last_mut() {
            Some(number) if is_item => {
                self.markdown.item(level, *number, &text);
                *number = number.map(|number| number.saturating_add(1));
            }
            _ if self.quoted > 0 => self.markdown.block(&format!("> {}", text.trim())),
            _ => self.markdown.block(text.trim()),
        }
    }
}

fn blank_line_follows(letters: &mut Letters<'_>) -> bool {
    while letters.next_if(|it| *it == ' ' || *it == '\t').is_some() {}
    letters.next_if_eq(&'\n').is_some()
}

/// The source up to the end of an environment, which is read past. The same environment may be
/// inside of it.
fn until_end(name: &str, letters: &mut Letters<'_>) -> String {
    let (begin, end) = (format!("\\begin{{{name}}}"), format!("\\end{{{name}}}"));
    let mut text = String::new();
    let mut depth = 1_usize;
    for letter in letters.by_ref() {
        text.push(letter);
        if letter == '}' && text.ends_with(&begin) {
            depth += 1;
        } else if letter == '}' && text.ends_with(&end) {
            depth -= 1;
            if depth == 0 {
                text.truncate(text.len() - end.len());
                break;
            }
        }
    }
    text
}

/// The language of a listing, where it is named, and its lines.
fn listing(environment: &str, source: &str) -> (String, String) {
    let mut letters = source.chars().peekable();
    let options = match environment.trim_end_matches('*') {
        "verbatim" | "alltt" => None,
        _ => option(&mut letters),
    };
    let named = options.as_deref().and_then(|options| {
        let settings = options.split(',').filter_map(|it| it.split_once('='));
        let mut languages = settings.filter(|(name, _)| name.trim() == "language");
        languages
            .next()
            .map(|(_, language)| language.trim().to_owned())
    });
    let language = match environment {
        "minted" => argument(&mut letters),
        _ => named.unwrap_or_default(),
    };
    let code: String = letters.collect();
    let code = match code.split_once('\n') {
        Some((first, code)) if first.trim().is_empty() => code.to_owned(),
        _ => code,
    };
    (language.to_lowercase(), code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(source: &str) -> String {
        let mut writer = LatexWriter::new(Markdown::new(100_000));
        writer.read(&prepared(source).text);
        writer.finish().finish().0
    }

    #[test]
    fn structure_becomes_markdown() {
        let source = "\\section{One \\emph{thing}}\\label{s}\nWords % hidden\nand \\textbf{bold} 5\\% of ``it''---see \\cite[p.~1]{knuth}.\n\n\
            \\begin{enumerate}\n\\item first\n\\item second $x_1$\n\\begin{itemize}\\item inner\\end{itemize}\n\\end{enumerate}\n\
            \\begin{tabular}{l|r}\n\\hline\na \\& b & 2 \\\\\n\\hline\n3 & \\textit{4}\n\\end{tabular}\n\
            \\begin{equation}\nE = mc^2\n\\end{equation}\nNa\\\"{\\i}ve caf\\'e \\href{https://a.example/}{link}.";
        assert_eq!(
            markdown(source),
            "## One *thing*\n\nWords and **bold** 5% of “it”—see [knuth].\n\n1. first\n2. second $x_1$\n   - inner\n\n\
             | a & b | 2 |\n| --- | --- |\n| 3 | *4* |\n\n$$\nE = mc^2\n$$\n\nNaïve café [link](https://a.example/)."
        );
    }

    #[test]
    fn open_ends_and_deep_arguments_end() {
        for source in [
            "\\begin{tabular}",
            "\\begin{verbatim} x",
            "\\textbf{",
            "$x",
            "\\verb|x",
            "\\",
            "\\'",
            "}}}}",
            "\\end{itemize}\\item x",
        ] {
            markdown(source);
        }
        markdown(&"\\textbf{".repeat(20_000));
        markdown(&"\\begin{itemize}".repeat(5_000));
        for piece in [
            "\\textbf{\\emph{",
            "{",
            "\\footnote{a ",
            "\\'{",
            "\\href{",
            "\\item[",
            "\\[",
            "$",
            "\\verb",
            "\\begin{tabular}{l}",
            "\\section{",
            "\\caption{",
            "\\cite[",
            "\\item \\[a",
            "%\n",
            "\\iffalse ",
            "\\iffalse \\else ",
            "\\begin{comment}",
            "\\newcommand{\\x}[1]{",
            "\\def\\x#1",
            "\\SI{",
            "\\begin{tabular}{l}\\multicolumn{9999}{l}{a}\\\\",
        ] {
            markdown(&piece.repeat(50_000));
        }
    }
}
