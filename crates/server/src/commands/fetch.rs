//! `fingerpost fetch`: reads pages and prints them. `convert.rs` uses it for files too.
//!
//! Text goes to stdout, everything about it to stderr, so that a pipe gets the page and nothing
//! else. With `--json` there is one object a line, failures too. Exit code 0 only when everything
//! was read.

use std::io::Write;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches};
use engine::{
    Call, Engine, Page, PageRange, PageRequest, Password, ReadMode, ReadOptions, Roots, Selection,
};
use fault::{Context, Dialect, Fault, Say, Size, Surface, dialect::message, render};
use futures_util::{StreamExt, stream};
use mask::Masker;
use serde_json::{Value, json};

use super::{
    Subcommand, arguments,
    error::CommandError,
    terminal::{self, ProgressLine, escaped, print_message},
};
use crate::pages;
use crate::settings::Settings;

/// Addresses that are read at once.
const AT_ONCE: usize = 8;

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "fetch",
    about: "Read pages and documents and print them as Markdown",
    arguments: || {
        let urls = Arg::new("url")
            .value_name("URL")
            .required(true)
            .num_args(1..)
            .help("Addresses of pages or documents");
        let mut all = vec![urls, mode(), arguments::json()];
        all.extend(selection());
        all
    },
    run: |matches| {
        let urls = arguments::texts(matches, "url").into_iter();
        let sources = urls.map(PageSource::Url).collect();
        print_pages(
            &arguments::load_settings(matches)?,
            sources,
            &PrintOptions::new(matches),
        )
    },
};

/// `--mode`.
pub(super) fn mode() -> Arg {
    Arg::new("mode")
        .long("mode")
        .value_name("full|preview|outline|raw")
        .default_value("full")
        .value_parser(["full", "preview", "outline", "raw"])
        .help(
            "The main text, its outline and beginning, its outline alone, or the source as it came",
        )
}

/// `--pages`, `--sheet`, `--password` and `--formulas`.
pub(super) fn selection() -> [Arg; 4] {
    let parse = |text: &str| PageRange::parse(text).ok_or("a number or a range such as 3-7");
    [
        Arg::new("pages")
            .long("pages")
            .value_name("3-7")
            .value_parser(parse)
            .help("Only these pages, slides, sheets or chapters of a document"),
        Arg::new("sheet")
            .long("sheet")
            .value_name("NAME")
            .help("Only this sheet, attachment or file of an archive"),
        Arg::new("password")
            .long("password")
            .value_name("PASSWORD")
            .help("The password of an encrypted document"),
        Arg::new("formulas")
            .long("formulas")
            .action(ArgAction::SetTrue)
            .help("Show the formulas of a workbook, too"),
    ]
}

/// How pages are read and printed.
pub(super) struct PrintOptions {
    mode: ReadMode,
    selection: Selection,
    json: bool,
}

impl PrintOptions {
    pub(super) fn new(matches: &ArgMatches) -> PrintOptions {
        let mode = match arguments::text(matches, "mode") {
            Some("preview") => ReadMode::Preview,
            Some("outline") => ReadMode::Outline,
            Some("raw") => ReadMode::Raw,
            _ => ReadMode::Full,
        };
        let selection = Selection {
            pages: matches.get_one::<PageRange>("pages").copied(),
            name: arguments::text(matches, "sheet").map(str::to_owned),
            password: arguments::text(matches, "password").map(Password::new),
            formulas: matches.get_flag("formulas"),
        };
        PrintOptions {
            mode,
            selection,
            json: matches.get_flag("json"),
        }
    }
}

/// What to read: an address, or for `convert` also a file.
pub(super) enum PageSource {
    Url(String),
    File(String),
}

impl PageSource {
    fn name(&self) -> &str {
        match self {
            PageSource::Url(name) | PageSource::File(name) => name,
        }
    }
}

/// Reads every source and prints it.
pub(super) fn print_pages(
    settings: &Settings,
    sources: Vec<PageSource>,
    options: &PrintOptions,
) -> Result<(), CommandError> {
    let runtime = terminal::runtime()?;
    let engine = Engine::new(engine::Settings {
        roots: Roots::everything(),
        ..settings.engine()
    });
    let outcome = runtime.block_on(async {
        let progress = ProgressLine::new(sources.len());
        let reads = sources
            .iter()
            .map(|source| read_source(&engine, settings, source, options, &progress));
        let mut reads = stream::iter(reads).buffered(AT_ONCE);
        let (mut all_read, masker) = (true, settings.masker());
        let mut sources = sources.iter();
        while let (Some(read), Some(source)) = (reads.next().await, sources.next()) {
            progress.clear();
            all_read &= read.is_ok();
            write(source, read, options, &masker)?;
        }
        progress.finish();
        if all_read {
            Ok(())
        } else {
            Err(CommandError::Reported)
        }
    });
    // Its processes end with it; a runtime that is gone could not wait for them.
    let _entered = runtime.enter();
    drop(engine);
    outcome
}

async fn read_source(
    engine: &Engine,
    settings: &Settings,
    source: &PageSource,
    options: &PrintOptions,
    progress: &ProgressLine,
) -> Result<Page, Fault> {
    let _shown = progress.start(source.name());
    let call = Call::within(settings.deadline);
    let options = ReadOptions {
        selection: options.selection.clone(),
        ..ReadOptions::whole(options.mode)
    };
    match source {
        PageSource::Url(url) => {
            let request = PageRequest::named(url, options);
            pages::read_page(engine, &call, &request).await
        }
        PageSource::File(path) => pages::read_file(engine, &call, Path::new(path), &options).await,
    }
}

fn write(
    source: &PageSource,
    read: Result<Page, Fault>,
    options: &PrintOptions,
    masker: &Masker,
) -> Result<(), CommandError> {
    let mut output = std::io::stdout().lock();
    let written = match (read, options.json) {
        (Ok(page), true) => {
            let line = page_json(source, &page, masker).to_string();
            writeln!(output, "{}", escaped(&line))
        }
        (Err(fault), true) => {
            let line = masked_json(failure_json(source, &fault), masker).to_string();
            writeln!(output, "{}", escaped(&line))
        }
        (Ok(page), false) => {
            for line in about(&page) {
                print_message(&line);
            }
            let text = masker.mask_configured(page.text.trim_end());
            writeln!(output, "{}", escaped(&text))
        }
        (Err(fault), false) => {
            print_message(&format!("{}: {}", source.name(), sentence(&fault)));
            Ok(())
        }
    };
    written
        .and_then(|()| output.flush())
        .map_err(|error| CommandError::output(&error))
}

fn masked_json(mut value: Value, masker: &Masker) -> Value {
    masker.mask_json(&mut value);
    value
}

/// What a person wants to know beside the text.
fn about(page: &Page) -> Vec<String> {
    let facts = [
        ("title", &page.metadata.title),
        ("author", &page.metadata.author),
        ("published", &page.metadata.published),
    ];
    let mut lines = vec![format!(
        "{} ({}, {})",
        page.url,
        page.tier,
        Size::Characters(page.total_chars as u64)
    )];
    lines.extend(
        facts
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name}: {}", value.as_ref()?))),
    );
    lines.extend(
        page.parse_warning
            .iter()
            .map(|warning| format!("warning: {warning}")),
    );
    if let Some((first, last)) = page.unread {
        lines.push(format!(
            "warning: pages {first} to {last} are images, and there was no time to recognise them; --pages {first}-{last} reads on"
        ));
    }
    if let Some((unit, first, last)) = page.unreached {
        let unit = unit.word();
        lines.push(format!(
            "warning: {unit}s {first} to {last} were not read; --pages {first}-{last} reads on"
        ));
    } else if page.source_truncated {
        lines.push(
            "warning: the source is longer than can be read, so the end is missing".to_owned(),
        );
    }
    lines
}

/// The text is masked as in the tools: only configured secrets, because a part number may look like
/// a secret, too.
fn page_json(source: &PageSource, page: &Page, masker: &Masker) -> Value {
    let about = &page.metadata;
    let unreached = page.unreached.map(|(_, first, last)| (first, last));
    let unread = page.unread.or(unreached);
    let mut value = json!({
        "source": source.name(), "url": page.url, "tier": page.tier, "title": about.title, "author": about.author,
        "published": about.published, "language": about.language, "site": about.site, "canonical": about.canonical,
        "description": about.description, "parse_warning": page.parse_warning, "truncated": page.source_truncated || page.unread.is_some(),
        "parts": parts_json(page), "ocr": page.has_ocr.then_some(true),
        "unread_pages": unread.map(|(first, last)| format!("{first}-{last}")),
    });
    masker.mask_json(&mut value);
    value["text"] = json!(masker.mask_configured(&page.text));
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    value
}

/// The pages, sheets or files of a document; `None` if it has none.
fn parts_json(page: &Page) -> Option<Value> {
    let part = |part: &engine::PagePart| {
        let mut value = json!({"unit": part.unit.word(), "number": part.number, "name": part.shown_name(), "start": part.start});
        if part.is_hidden {
            value["hidden"] = json!(true);
        }
        value
    };
    (!page.parts.is_empty()).then(|| page.parts.iter().map(part).collect())
}

/// The machine form that agents get, with the source beside it.
fn failure_json(source: &PageSource, fault: &Fault) -> Value {
    let mut rendered = render(fault, Dialect::Dual, &Context::new(Surface::Fetch))
        .structured
        .unwrap_or_default();
    let mut error = rendered["error"].take();
    error["message"] = json!(sentence(fault));
    json!({ "source": source.name(), "error": error })
}

fn sentence(fault: &Fault) -> Say {
    message(fault, &Context::new(Surface::Fetch))
}
