//! `fingerpost index`: puts directories, files, pages and sitemaps into the local index.

use std::path::{Path, PathBuf};

use clap::Arg;
use engine::{Call, Engine, PageRequest, ReadMode, ReadOptions, Roots};
use fault::Fault;
use futures_util::{StreamExt, stream};

use super::{
    Subcommand, arguments,
    error::CommandError,
    terminal::{self, ProgressLine, print_message},
};
use crate::pages;
use crate::settings::Settings;

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "index",
    about: "Put directories, files, pages or sitemaps into the local index",
    arguments: || {
        vec![
            Arg::new("source")
                .value_name("DIR|FILE|URL")
                .required(true)
                .num_args(1..)
                .help("What to index"),
        ]
    },
    run: |matches| {
        run(
            &arguments::load_settings(matches)?,
            arguments::texts(matches, "source"),
        )
    },
};

/// Sources read at once.
const AT_ONCE: usize = 4;
/// More files or pages than this are cut off, and that is said.
const MOST: usize = 10_000;
/// Sitemaps may name sitemaps; this deep and no further.
const DEEPEST: usize = 2;

enum Source {
    File(PathBuf),
    Url(String),
}

/// Indexes everything that was named.
fn run(settings: &Settings, names: Vec<String>) -> Result<(), CommandError> {
    if !settings.has_index() || settings.storage_dir().is_none() {
        return Err(CommandError::Usage(
            "nothing would be kept: index needs a data directory (--data-dir), and does not work with --ephemeral, --index=false or --subject-header"
                .to_owned(),
        ));
    }
    let runtime = terminal::runtime()?;
    let engine = Engine::new(engine::Settings {
        roots: Roots::everything(),
        ..settings.engine()
    });
    let outcome = runtime.block_on(async {
        let sources = gather(&engine, settings, names).await?;
        let (read, failed) = read_all(&engine, settings, sources).await;
        let Some(index) = engine.index() else {
            return Err(CommandError::Failed("the index is off".to_owned()));
        };
        // Counting writes what waits first.
        let held = index.count().await;
        let trouble = |fault: &Fault| terminal::words_of_store(fault, settings);
        let held = held.map_err(|fault| {
            CommandError::Failed(format!("nothing was indexed: {}", trouble(&fault)))
        })?;
        if let Some((lost, fault)) = index.lost_pages() {
            return Err(CommandError::Failed(format!(
                "{lost} could not be written to the index, which holds {held}: {}",
                trouble(&fault)
            )));
        }
        print_message(&format!(
            "{read} indexed, {failed} failed; the index holds {held}"
        ));
        if read == 0 && failed > 0 {
            Err(CommandError::Reported)
        } else {
            Ok(())
        }
    });
    let _entered = runtime.enter();
    drop(engine);
    outcome
}

async fn gather(
    engine: &Engine,
    settings: &Settings,
    names: Vec<String>,
) -> Result<Vec<Source>, CommandError> {
    let mut sources = Vec::new();
    for name in names {
        if name.starts_with("http://") || name.starts_with("https://") {
            sources.extend(pages(engine, settings, name).await);
            continue;
        }
        let path = Path::new(&name);
        match path.metadata() {
            Ok(found) if found.is_dir() => files(path, &mut sources),
            Ok(_) => sources.push(Source::File(path.to_owned())),
            Err(_) => {
                return Err(CommandError::Usage(format!(
                    "{name}: there is no such file or directory"
                )));
            }
        }
    }
    if sources.len() > MOST {
        print_message(&format!(
            "only the first {MOST} of {} are indexed",
            sources.len()
        ));
        sources.truncate(MOST);
    }
    Ok(sources)
}

/// The files below a directory, hidden ones left out. Links are not followed, so no walk is
/// endless.
fn files(directory: &Path, sources: &mut Vec<Source>) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    for path in paths {
        let hidden = path
            .file_name()
            .is_none_or(|name| name.to_string_lossy().starts_with('.'));
        let Ok(found) = path.symlink_metadata() else {
            continue;
        };
        if hidden || sources.len() > MOST {
            continue;
        }
        if found.is_dir() {
            files(&path, sources);
        } else if found.is_file() {
            sources.push(Source::File(path));
        }
    }
}

/// The address itself, or the pages it lists if it is a sitemap.
async fn pages(engine: &Engine, settings: &Settings, address: String) -> Vec<Source> {
    let (mut waiting, mut found) = (vec![(address, 0)], Vec::new());
    while let Some((address, depth)) = waiting.pop() {
        let is_map = address
            .split(['?', '#'])
            .next()
            .is_some_and(|path| path.ends_with(".xml"));
        let listed = if is_map && found.len() < MOST {
            listed(engine, settings, &address).await
        } else {
            Vec::new()
        };
        for address in &listed {
            if depth < DEEPEST && address.ends_with(".xml") {
                waiting.push((address.clone(), depth + 1));
            } else {
                found.push(Source::Url(address.clone()));
            }
        }
        if listed.is_empty() {
            found.push(Source::Url(address));
        }
    }
    found
}

/// The addresses in a sitemap's `loc` elements.
async fn listed(engine: &Engine, settings: &Settings, address: &str) -> Vec<String> {
    let request = PageRequest::named(address, ReadOptions::whole(ReadMode::Raw));
    let Ok(page) = engine
        .read_page(&Call::within(settings.deadline), &request)
        .await
    else {
        return Vec::new();
    };
    let locations = page
        .text
        .split("<loc>")
        .skip(1)
        .filter_map(|rest| rest.split_once("</loc>"));
    locations
        .map(|(address, _)| address.trim().replace("&amp;", "&"))
        .filter(|address| !address.is_empty())
        .take(MOST)
        .collect()
}

async fn read_all(engine: &Engine, settings: &Settings, sources: Vec<Source>) -> (usize, usize) {
    let progress = ProgressLine::new(sources.len());
    let reads = sources.into_iter().map(|source| {
        let progress = &progress;
        async move {
            let name = match &source {
                Source::File(path) => path.display().to_string(),
                Source::Url(url) => url.clone(),
            };
            let _shown = progress.start(&name);
            (name, index_source(engine, settings, &source).await)
        }
    });
    let mut reads = stream::iter(reads).buffer_unordered(AT_ONCE);
    let (mut read, mut failed) = (0, 0);
    while let Some((name, outcome)) = reads.next().await {
        match outcome {
            Ok(()) => read += 1,
            Err(fault) => {
                failed += 1;
                progress.clear();
                print_message(&format!("{name}: {}", fault.sentence()));
            }
        }
    }
    progress.finish();
    (read, failed)
}

/// Reading is indexing: the engine remembers whatever it reads.
async fn index_source(engine: &Engine, settings: &Settings, source: &Source) -> Result<(), Fault> {
    let call = Call::within(settings.deadline);
    let options = ReadOptions {
        max_chars: 1,
        ..ReadOptions::whole(ReadMode::Full)
    };
    match source {
        Source::File(path) => pages::read_file(engine, &call, path, &options).await?,
        Source::Url(url) => {
            let request = PageRequest::named(url, options);
            pages::read_page(engine, &call, &request).await?
        }
    };
    Ok(())
}
