//! LaTeX: headings, lists, tables, code and mathematics. Macros of the author are not expanded.
//!
//! One loop over the source, with a stack of environments. Arguments are read by a loop of their
//! own, to a limited depth.

use std::iter::Peekable;
use std::str::Chars;

use super::latex_words::{
    accent, composed, dropped_arguments, heading, is_math, is_verbatim, symbol,
};
use crate::document::error::DocumentError;
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

/// Arguments in arguments are read to this depth; deeper ones are dropped.
const MAX_DEPTH: usize = 30;

fn read_latex(input: &Input<'_>) -> Result<Document, DocumentError> {
    Ok(with_decoded_text(input, |text| {
        let source = without_comments(text);
        let (head, body) = match source.split_once("\\begin{document}") {
            Some((head, body)) => (head, body),
            None => ("", source.as_str()),
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
        document
    }))
}

/// The source without what follows a `%` on a line.
fn without_comments(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    for line in source.lines() {
        let mut escaped = false;
        let comment = line.char_indices().find(|(_, letter)| {
            let starts = *letter == '%' && !escaped;
            escaped = *letter == '\\' && !escaped;
            starts
        });
        match comment {
            // The line goes on in the next one.
            Some((at, _)) => text.push_str(line[..at].trim_end()),
            None => text.push_str(line),
        }
        if comment.is_none_or(|(at, _)| at == 0) || line.trim().is_empty() {
            text.push('\n');
        } else {
            text.push(' ');
        }
    }
    text
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
    let argument = argument(&mut letters);
    present(
        inline(&argument, 0)
            .replace('\n', ", ")
            .replace("\\and", ", "),
    )
}

type Letters<'s> = Peekable<Chars<'s>>;

/// Reads the rest of a command's name, after the backslash.
fn command_name(letters: &mut Letters<'_>) -> String {
    let mut name = String::new();
    while let Some(letter) = letters.next_if(|it| it.is_ascii_alphabetic() || *it == '@') {
        name.push(letter);
    }
    if name.is_empty() {
        name.extend(letters.next());
    } else {
        name.extend(letters.next_if_eq(&'*'));
        while letters.next_if(|it| *it == ' ' || *it == '\n').is_some() {}
    }
    name
}

/// Reads an argument in braces without them, or one letter.
fn argument(letters: &mut Letters<'_>) -> String {
    while letters.next_if(|it| it.is_whitespace()).is_some() {}
    match letters.peek() {
        Some('{') => bracketed(letters, '{', '}'),
        Some('\\') => {
            letters.next();
            format!("\\{}", command_name(letters))
        }
        _ => letters.next().map(String::from).unwrap_or_default(),
    }
}

/// Reads an argument in square brackets, if there is one.
fn option(letters: &mut Letters<'_>) -> Option<String> {
    (letters.peek() == Some(&'[')).then(|| bracketed(letters, '[', ']'))
}

fn bracketed(letters: &mut Letters<'_>, open: char, close: char) -> String {
    let mut text = String::new();
    let mut depth = 0_usize;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                text.push(letter);
                text.extend(letters.next());
                continue;
            }
            letter if letter == open => {
                depth += 1;
                if depth == 1 {
                    continue;
                }
            }
            letter if letter == close => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            _ => {}
        }
        text.push(letter);
    }
    text
}

/// Text with commands inside a paragraph, as Markdown.
fn inline(source: &str, depth: usize) -> String {
    let mut text = String::new();
    if depth > MAX_DEPTH {
        return text;
    }
    let mut letters = source.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                let name = command_name(&mut letters);
                inline_command(&name, &mut letters, depth, &mut text);
            }
            '$' => mathematics(&mut letters, &mut text),
            '{' | '}' => {}
            '~' => text.push('\u{A0}'),
            '`' if letters.next_if_eq(&'`').is_some() => text.push('“'),
            '`' => text.push('‘'),
            '\'' if letters.next_if_eq(&'\'').is_some() => text.push('”'),
            '-' if letters.next_if_eq(&'-').is_some() => {
                let is_long = letters.next_if_eq(&'-').is_some();
                text.push(if is_long { '—' } else { '–' });
            }
            letter => text.push(letter),
        }
    }
    text
}

/// Copies a formula up to its closing dollar.
fn mathematics(letters: &mut Letters<'_>, text: &mut String) {
    let mark = if letters.next_if_eq(&'$').is_some() {
        "$$"
    } else {
        "$"
    };
    text.push_str(mark);
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                text.push(letter);
                text.extend(letters.next());
            }
            '$' => {
                letters.next_if(|it| *it == '$' && mark.len() == 2);
                break;
            }
            letter => text.push(letter),
        }
    }
    text.push_str(mark);
}

fn inline_command(name: &str, letters: &mut Letters<'_>, depth: usize, text: &mut String) {
    let wrapped = |mark: &str, inside: String| match inside.trim() {
        "" => String::new(),
        inside => format!("{mark}{inside}{mark}"),
    };
    let mut inner = || inline(&argument(letters), depth + 1);
    match name {
        "textbf" => text.push_str(&wrapped("**", inner())),
        "textit" | "emph" | "textsl" => text.push_str(&wrapped("*", inner())),
        "texttt" | "code" | "lstinline" => text.push_str(&wrapped("`", inner())),
        "footnote" => text.push_str(&format!(" ({})", inner().trim())),
        "url" | "nolinkurl" => text.push_str(&format!("<{}>", argument(letters).trim())),
        "href" => {
            let target = argument(letters);
            let shown = inline(&argument(letters), depth + 1);
            text.push_str(&format!("[{shown}]({})", target.trim()));
        }
        "verb" => {
            let mark = letters.next();
            let code: String = letters
                .by_ref()
                .take_while(|it| Some(*it) != mark)
                .collect();
            text.push_str(&format!("`{code}`"));
        }
        "cite" | "citep" | "citet" | "parencite" | "textcite" | "autocite" => {
            while option(letters).is_some() {}
            text.push_str(&format!("[{}]", argument(letters)));
        }
        "ref" | "eqref" | "autoref" | "cref" | "Cref" | "pageref" => {
            text.push_str(&format!("({})", argument(letters)));
        }
        "includegraphics" => {
            option(letters);
            text.push_str(&format!("![{}]", argument(letters)));
        }
        "(" | "[" => {
            let (mark, end) = if name == "(" { ("$", ')') } else { ("$$", ']') };
            text.push_str(mark);
            while let Some(letter) = letters.next() {
                if letter == '\\' && letters.next_if_eq(&end).is_some() {
                    break;
                }
                text.push(letter);
            }
            text.push_str(mark);
        }
        name => other_command(name, letters, depth, text),
    }
}

fn other_command(name: &str, letters: &mut Letters<'_>, depth: usize, text: &mut String) {
    let letter_follows = |letters: &mut Letters<'_>| {
        letters
            .peek()
            .is_some_and(|it| it.is_alphabetic() || *it == '{' || *it == '\\')
    };
    if let Some(mark) = accent(name).filter(|_| letter_follows(letters)) {
        let base = inline(&argument(letters), depth + 1);
        let mut base = base.chars();
        if let Some(first) = base.next() {
            text.push_str(&composed(first, mark));
        }
        text.extend(base);
    } else if let Some(symbol) = symbol(name) {
        text.push_str(symbol);
    } else if let Some(count) = dropped_arguments(name) {
        drop_arguments(count, letters);
    } else {
        // What is not known is dropped, and its arguments in braces are text.
        option(letters);
    }
}

fn drop_arguments(count: usize, letters: &mut Letters<'_>) {
    while option(letters).is_some() {}
    for _ in 0..count {
        while letters.next_if(|it| it.is_whitespace()).is_some() {}
        if matches!(letters.peek(), Some('{' | '\\')) {
            argument(letters);
        }
        while option(letters).is_some() {}
    }
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
                self.markdown.heading(heading(name).unwrap_or(2), &text);
            }
            name if dropped_arguments(name).is_some() => {
                drop_arguments(dropped_arguments(name).unwrap_or(0), letters);
            }
            // The rest belongs to the paragraph; its arguments follow as they are.
            name => {
                self.paragraph.push('\\');
                self.paragraph.push_str(name);
                if name.chars().all(char::is_alphabetic) {
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
            name if is_verbatim(name) => {
                self.flush();
                let code = until_end(name, letters);
                let code = code.split_once('\n').map_or(&*code, |(_, code)| code);
                self.markdown.code("", code.trim_end());
            }
            name if is_math(name) => {
                let formula = until_end(name, letters);
                self.flush();
                self.markdown.block(&format!("$$\n{}\n$$", formula.trim()));
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
        let text = text.join(" ");
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

/// The source up to the end of an environment, which is read past.
fn until_end(name: &str, letters: &mut Letters<'_>) -> String {
    let end = format!("\\end{{{name}}}");
    let mut text = String::new();
    for letter in letters.by_ref() {
        text.push(letter);
        if letter == '}' && text.ends_with(&end) {
            text.truncate(text.len() - end.len());
            break;
        }
    }
    text
}

fn table_rows(source: &str, name: &str) -> Vec<Vec<String>> {
    let mut letters = source.chars().peekable();
    option(&mut letters);
    // The columns, and before them the width where there is one.
    if matches!(name, "tabular*" | "tabularx") {
        argument(&mut letters);
    }
    argument(&mut letters);
    let body: String = letters.collect();
    let body = [
        "\\hline",
        "\\toprule",
        "\\midrule",
        "\\bottomrule",
        "\\endhead",
        "\\endfoot",
    ]
    .iter()
    .fold(body, |body, line| body.replace(line, ""));
    let cell = |source: &str| one_line(&inline(&source.replace('\u{2}', "\\&"), 0));
    body.replace("\\&", "\u{2}")
        .split("\\\\")
        .map(|row| row.split('&').map(cell).collect::<Vec<String>>())
        .filter(|row| row.iter().any(|cell| !cell.is_empty()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(source: &str) -> String {
        let mut writer = LatexWriter::new(Markdown::new(100_000));
        writer.read(&without_comments(source));
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
            "## One *thing*\n\nWords and **bold** 5% of “it”—see [knuth].\n\n1. first\n2. second $x_1$\n  - inner\n\n\
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
        ] {
            markdown(&piece.repeat(50_000));
        }
    }
}
