//! `fingerpost extract`: HTML from stdin to Markdown on stdout, one page or a corpus of them.
//!
//! Everything runs on one thread with room for deep pages; `--jsonl` keeps it for the whole corpus,
//! so that a page costs what reading it costs and nothing else.

use std::io::{BufRead, Read, Write};

use clap::{Arg, ArgMatches};
use reading::extract::{self, charset};
use serde_json::Value;

use super::{
    Subcommand, arguments,
    error::CommandError,
    stdin::{self, MAX_INPUT},
    terminal::{self, print_message},
};

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "extract",
    about: "Read HTML from stdin and write its main text as Markdown",
    arguments: || {
        let url = Arg::new("url")
            .long("url")
            .value_name("URL")
            .help("The address of the page, to make its links absolute");
        let text = arguments::switch("text").help("Write plain text instead");
        let jsonl = arguments::switch("jsonl").conflicts_with_all(["url", "text"]);
        vec![url, text, jsonl.help("Read {\"id\",\"url\",\"html\"} lines, write {\"id\",\"title\",\"markdown\",\"text\"} lines")]
    },
    run,
};

fn run(matches: &ArgMatches) -> Result<(), CommandError> {
    // Not locked: the work runs on a thread of its own.
    let input = std::io::BufReader::with_capacity(1 << 20, std::io::stdin());
    let output = std::io::stdout();
    if matches.get_flag("jsonl") {
        return lines(input, output, std::io::stderr());
    }
    let url = arguments::text(matches, "url").unwrap_or_default();
    whole(input, output, url, matches.get_flag("text"))
}

/// Reads one page and writes its Markdown, or its plain text.
fn whole(
    input: impl Read + Send,
    output: impl Write + Send,
    url: &str,
    as_text: bool,
) -> Result<(), CommandError> {
    extract::with_room(|| convert(input, output, url, as_text)).unwrap_or_else(|| Err(gave_up()))
}

fn convert(
    input: impl Read,
    mut output: impl Write,
    url: &str,
    as_text: bool,
) -> Result<(), CommandError> {
    let Some(bytes) = stdin::read_all(input, MAX_INPUT)? else {
        return Err(CommandError::Failed(format!(
            "the page is larger than {} MiB",
            MAX_INPUT / (1024 * 1024)
        )));
    };
    let article = extract::read_page(&charset::decode(&bytes, None).text, url);
    if let Some(warning) = article.warning() {
        print_message(warning);
    }
    let text = if as_text {
        article.text()
    } else {
        article.markdown()
    };
    let written = if text.is_empty() {
        Ok(())
    } else {
        writeln!(output, "{}", terminal::escaped(&text))
    };
    written
        .and_then(|()| output.flush())
        .map_err(|error| CommandError::output(&error))
}

/// Reads `{"id","url","html"}` lines and writes `{"id","title","markdown","text"}` lines.
fn lines(
    input: impl BufRead + Send,
    output: impl Write + Send,
    errors: impl Write + Send,
) -> Result<(), CommandError> {
    extract::with_room(|| stdin::convert_lines(input, output, errors, read_line))
        .unwrap_or_else(|| Err(gave_up()))
}

/// One line. Only what is needed is decoded: pages are large.
#[derive(serde::Deserialize)]
struct Record<'l> {
    #[serde(default)]
    id: Value,
    #[serde(default, borrow)]
    url: Option<std::borrow::Cow<'l, str>>,
    #[serde(borrow)]
    html: std::borrow::Cow<'l, str>,
}

fn read_line(line: &[u8]) -> Result<Value, &'static str> {
    let record: Record<'_> =
        serde_json::from_slice(line).map_err(|_| "not a JSON object with an \"html\" string")?;
    let article = extract::read_page(&record.html, record.url.as_deref().unwrap_or_default());
    Ok(serde_json::json!({
        "id": record.id,
        "title": article.metadata().title,
        "markdown": article.markdown(),
        "text": article.text(),
    }))
}

fn gave_up() -> CommandError {
    CommandError::Failed(
        "the page could not be read; its markup is beyond what the reader can follow".to_owned(),
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const PAGE: &str = "<html><title>T</title><body><article><h1>Head</h1><p>One paragraph of some length, with a <a href='/x'>link</a>, so that it is read as one.</p></article></body></html>";

    #[test]
    fn a_page_becomes_markdown_or_text() {
        let read = |as_text| {
            let mut output = Vec::new();
            whole(PAGE.as_bytes(), &mut output, "https://a.example/", as_text).unwrap();
            String::from_utf8(output).unwrap()
        };
        assert!(read(false).contains("[link](https://a.example/x)"));
        assert!(read(true).contains("with a link, so"));
    }

    #[test]
    fn a_corpus_is_read_line_by_line() {
        let good = serde_json::json!({ "id": 7, "url": "https://a.example/", "html": PAGE });
        let input = format!("{good}\nbroken\n\n{{\"id\":1}}\n");
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        let outcome = lines(input.as_bytes(), &mut output, &mut errors);
        assert!(matches!(outcome, Err(CommandError::Reported)));
        let record: Value = serde_json::from_slice(&output).unwrap();
        assert_eq!(
            (record["id"].as_u64(), record["title"].as_str()),
            (Some(7), Some("T"))
        );
        assert!(record["text"].as_str().unwrap().contains("One paragraph"));
        assert!(String::from_utf8(errors).unwrap().contains("line 2"));
    }
}
