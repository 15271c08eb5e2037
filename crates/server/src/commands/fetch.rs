//! `fingerpost fetch` and `fingerpost convert`: the reading tools for people, with what is under
//! way shown on a terminal.
//!
//! Text goes to stdout, everything about it to stderr, so that a pipe gets the page and nothing
//! else. With `--json` there is one object a line, failures too. Exit code 0 only when everything
//! was read.

use std::io::Write;
use std::path::Path;

use engine::{Call, Engine, Mode, Page, PageRequest, Part, Roots};
use fault::{Context, Dialect, Fault, Surface, render};
use futures_util::{StreamExt, stream};
use mask::Masker;
use serde_json::{Value, json};

use crate::commands::terminal::{self, Progress};
use crate::commands::{self, Stop};
use crate::settings::Settings;

/// Addresses that are read at once.
const AT_ONCE: usize = 8;

/// How the pages are wanted.
pub(crate) struct Wanted {
    pub(crate) mode: Mode,
    pub(crate) json: bool,
}

/// What a person names: an address, or for `convert` a file.
enum Source {
    Url(String),
    File(String),
}

impl Source {
    fn name(&self) -> &str {
        match self {
            Source::Url(name) | Source::File(name) => name,
        }
    }
}

/// Reads every address.
pub(crate) fn fetch(settings: &Settings, urls: Vec<String>, wanted: &Wanted) -> Result<(), Stop> {
    run(
        settings,
        urls.into_iter().map(Source::Url).collect(),
        wanted,
    )
}

/// Converts every file or address. What is typed here is typed by the user whose files they are, so
/// all of them may be read.
pub(crate) fn convert(
    settings: &Settings,
    names: Vec<String>,
    wanted: &Wanted,
) -> Result<(), Stop> {
    let is_url = |name: &str| name.starts_with("http://") || name.starts_with("https://");
    run(
        settings,
        names
            .into_iter()
            .map(|name| {
                if is_url(&name) {
                    Source::Url(name)
                } else {
                    Source::File(name)
                }
            })
            .collect(),
        wanted,
    )
}

fn run(settings: &Settings, sources: Vec<Source>, wanted: &Wanted) -> Result<(), Stop> {
    let runtime = terminal::runtime()?;
    let engine = Engine::new(engine::Settings {
        roots: Roots::everything(),
        ..settings.engine()
    });
    let outcome = runtime.block_on(async {
        let progress = Progress::over(sources.len());
        let reads = sources
            .iter()
            .map(|source| read(&engine, settings, source, wanted, &progress));
        let mut reads = stream::iter(reads).buffered(AT_ONCE);
        let (mut all_read, masker) = (true, settings.masker());
        let mut sources = sources.iter();
        while let (Some(read), Some(source)) = (reads.next().await, sources.next()) {
            progress.clear();
            all_read &= read.is_ok();
            write(source, read, wanted, &masker)?;
        }
        progress.end();
        if all_read { Ok(()) } else { Err(Stop::Told) }
    });
    // Its processes end with it; a runtime that is gone could not wait for them.
    let _entered = runtime.enter();
    drop(engine);
    outcome
}

async fn read(
    engine: &Engine,
    settings: &Settings,
    source: &Source,
    wanted: &Wanted,
    progress: &Progress,
) -> Result<Page, Fault> {
    let _shown = progress.begin(source.name());
    let call = Call::within(settings.deadline);
    let part = Part {
        start: 0,
        max_chars: usize::MAX,
        allow_truncate: true,
        mode: wanted.mode,
    };
    match source {
        Source::Url(url) => {
            engine
                .read_page(
                    &call,
                    &PageRequest {
                        url: url.clone(),
                        part,
                    },
                )
                .await
        }
        Source::File(path) => engine.read_file(&call, Path::new(path), &part).await,
    }
}

fn write(
    source: &Source,
    read: Result<Page, Fault>,
    wanted: &Wanted,
    masker: &Masker,
) -> Result<(), Stop> {
    let mut output = std::io::stdout().lock();
    let written = match (read, wanted.json) {
        (Ok(page), true) => writeln!(output, "{}", masked_json(page_json(source, &page), masker)),
        (Err(fault), true) => writeln!(
            output,
            "{}",
            masked_json(failure_json(source, &fault), masker)
        ),
        (Ok(page), false) => {
            for line in about(&page) {
                commands::tell(&line);
            }
            writeln!(output, "{}", masker.mask_configured(page.text.trim_end()))
        }
        (Err(fault), false) => {
            commands::tell(&format!("{}: {}", source.name(), sentence(&fault)));
            Ok(())
        }
    };
    written
        .and_then(|()| output.flush())
        .map_err(|error| Stop::output(&error))
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
        "{} ({}, {} characters)",
        page.url, page.tier, page.total_chars
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
    if page.source_truncated {
        lines.push("warning: the source is longer than is read, so the end is missing".to_owned());
    }
    lines
}

fn page_json(source: &Source, page: &Page) -> Value {
    let about = &page.metadata;
    let mut value = json!({
        "source": source.name(), "url": page.url, "tier": page.tier, "title": about.title, "author": about.author,
        "published": about.published, "language": about.language, "site": about.site, "canonical": about.canonical,
        "description": about.description, "parse_warning": page.parse_warning, "truncated": page.source_truncated, "text": page.text,
    });
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    value
}

/// The machine form that agents get, with the source beside it.
fn failure_json(source: &Source, fault: &Fault) -> Value {
    let told = render(fault, Dialect::Dual, &Context::new(Surface::Fetch))
        .structured
        .unwrap_or_default();
    let mut error = told["error"].clone();
    error["message"] = json!(sentence(fault));
    json!({ "source": source.name(), "error": error })
}

fn sentence(fault: &Fault) -> String {
    let told = render(fault, Dialect::Dual, &Context::new(Surface::Fetch));
    told.blocks
        .first()
        .map(|block| {
            block
                .text
                .split("\n\n")
                .next()
                .unwrap_or_default()
                .to_owned()
        })
        .unwrap_or_default()
}
