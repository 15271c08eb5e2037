//! The lines of the doctor about this machine: what is installed, what can be written, what is set.

use std::{io::ErrorKind, path::Path};

use engine::store::{SqliteStore, Store};
use engine::worker::{DocumentWorkers, NotRead, OcrState};
use fault::Kind;
use reading::document::Hint;
use tokio::time::Instant;

use super::{PATIENCE, Row};
use crate::commands::{setup, terminal};
use crate::health::{self, BrowserState};
use crate::settings::{Environment, Settings, TABLE};

/// All of them, in the order in which they are shown.
pub(super) async fn rows(settings: &Settings) -> Vec<Row> {
    let mut rows = vec![settings_file(settings), clients()];
    rows.extend(files(settings));
    rows.extend([data(settings).await, documents(settings).await]);
    rows.extend([ocr(settings).await, browser(settings)]);
    rows.extend([reader(settings), agent(settings)]);
    rows
}

fn row(name: &str, state: &'static str, advice: impl Into<String>) -> Row {
    Row {
        name: name.to_owned(),
        state,
        advice: advice.into(),
    }
}

/// Which file is read, or where one would be.
fn settings_file(settings: &Settings) -> Row {
    let name = "settings file";
    if let Some(file) = settings.file.as_ref() {
        return row(name, "ok", file.display().to_string());
    }
    let own = Environment::of_process().config_file();
    let own = own.map(|path| format!(" `fingerpost config init` writes {}", path.display()));
    let own = own.unwrap_or_default();
    row(name, "none", format!("everything has its default.{own}"))
}

/// Which clients start or ask this server.
fn clients() -> Row {
    let name = "clients";
    match setup::clients_with_entry().as_slice() {
        [] => row(
            name,
            "none",
            "no client's own file names fingerpost; `fingerpost setup` lists the clients it can add it to",
        ),
        found => row(name, "ok", format!("set up in {}", found.join(", "))),
    }
}

/// The files that settings name: each must be there and readable for this user.
fn files(settings: &Settings) -> Vec<Row> {
    let named = TABLE.iter().filter(|row| row.value_name == "FILE");
    let set = named.filter_map(|row| {
        let values = settings.origins.get(row.key)?.values.as_ref()?;
        Some((row.key, values.last()?))
    });
    set.map(|(key, path)| {
        let name = format!("--{key}");
        match std::fs::File::open(path.trim()) {
            Ok(_) => row(&name, "ok", path.as_str()),
            Err(error) => row(
                &name,
                "fails",
                format!(
                    "{path} cannot be read ({}); name a file that this user may read",
                    error.kind()
                ),
            ),
        }
    })
    .collect()
}

/// What keeps the data directory from being used, as far as it shows without writing to it.
pub(in crate::commands) fn data_directory_trouble(settings: &Settings) -> Option<String> {
    let place = settings.storage_dir()?;
    let is_file = place.metadata().is_ok_and(|found| !found.is_dir());
    is_file.then(|| no_directory(place))
}

fn no_directory(place: &Path) -> String {
    format!(
        "{} is not a directory; name another with --data-dir",
        place.display()
    )
}

async fn data(settings: &Settings) -> Row {
    let name = "data directory";
    let Some(place) = settings.storage_dir() else {
        return row(
            name,
            "off",
            "nothing is kept (--ephemeral, or no home directory); choose a directory with --data-dir",
        );
    };
    let shown = place.display();
    match place.metadata() {
        Ok(found) if !found.is_dir() => row(name, "fails", no_directory(place)),
        Ok(_) if !can_write(place) => row(
            name,
            "fails",
            format!(
                "{shown} cannot be written to; change its permissions or choose another with --data-dir"
            ),
        ),
        Ok(_) => match unwritable(settings, place).await {
            Some(why) => row(
                name,
                "fails",
                format!(
                    "{shown} has a database that cannot be used ({why}); make room, change its permissions, or choose another directory with --data-dir"
                ),
            ),
            None => row(name, "ok", shown.to_string()),
        },
        Err(error) if error.kind() == ErrorKind::NotFound && can_make(place) => {
            row(name, "ok", format!("{shown} (made when first needed)"))
        }
        Err(_) => row(
            name,
            "fails",
            format!("{shown} cannot be made; choose another directory with --data-dir"),
        ),
    }
}

/// Why the database in this directory takes no changes. Where there is none yet, none is created.
async fn unwritable(settings: &Settings, place: &Path) -> Option<String> {
    let store = SqliteStore::new(Some(place));
    let fault = store.check_writing().await.err()?;
    Some(terminal::words_of_store(&fault, settings))
}

/// Whether the nearest directory above that exists can be written to.
fn can_make(directory: &Path) -> bool {
    let mut above = directory.ancestors().skip(1);
    above
        .find(|above| above.as_os_str().is_empty() || above.exists())
        .is_some_and(|above| match above.as_os_str().is_empty() {
            true => can_write(Path::new(".")),
            false => above.is_dir() && can_write(above),
        })
}

/// Tries it: permissions alone do not tell, on a disk that is full or mounted to be read only.
fn can_write(directory: &Path) -> bool {
    tempfile::Builder::new()
        .prefix(".doctor-")
        .tempfile_in(directory)
        .is_ok()
}

/// Starts a document worker with a document that is broken. That it says so is all that is asked.
async fn documents(settings: &Settings) -> Row {
    let name = "documents";
    let workers: DocumentWorkers = settings.pages().documents;
    let read = workers.read_document(*b"%PDF-1.7\n", Hint::default(), Instant::now() + PATIENCE);
    match read.await {
        Ok(_) => row(name, "ok", NEEDS_NOTHING),
        Err(NotRead::Fault(fault)) if fault.kind() == Kind::ContentEmpty => {
            row(name, "ok", NEEDS_NOTHING)
        }
        Err(NotRead::Fault(fault)) => row(name, "fails", fault.sentence().to_string()),
        Err(NotRead::TookTooLong) => row(
            name,
            "fails",
            "the process that reads documents does not answer; PDF and office files cannot be read",
        ),
    }
}

const NEEDS_NOTHING: &str =
    "PDF, office files and the like are read by this program itself; nothing else is needed";

/// Asks the program for its languages.
async fn ocr(settings: &Settings) -> Row {
    let name = "OCR";
    match settings.pages().documents.ocr_state().await {
        OcrState::Off => row(name, "off", "--ocr never"),
        OcrState::Missing => row(
            name,
            "missing",
            "optional: install tesseract (`apt install tesseract-ocr`); until then scanned documents and text in pictures cannot be read",
        ),
        OcrState::Fails => row(
            name,
            "fails",
            "the tesseract on PATH does not start or does not answer; `tesseract --list-langs` shows why",
        ),
        OcrState::NoLanguage(missing) => row(
            name,
            "fails",
            format!(
                "tesseract has no data for {}; install it (`apt install {}`) or change --ocr-languages",
                missing.join(" and "),
                missing
                    .iter()
                    .map(|it| debian_package(it))
                    .collect::<Vec<_>>()
                    .join(" ")
            ),
        ),
        OcrState::Works => row(
            name,
            "ok",
            format!(
                "scanned documents and text in pictures are read with tesseract ({})",
                settings.ocr_languages.join(", ")
            ),
        ),
    }
}

/// The package with the data of a language: `tesseract-ocr-chi-sim` for `chi_sim`.
fn debian_package(language: &str) -> String {
    let name = language.trim_start_matches("script/").to_lowercase();
    let kind = if language.starts_with("script/") {
        "script-"
    } else {
        ""
    };
    format!("tesseract-ocr-{kind}{}", name.replace('_', "-"))
}

fn browser(settings: &Settings) -> Row {
    let name = "browser";
    match health::browser(settings) {
        BrowserState::Off => row(name, "off", "--browser never"),
        BrowserState::Found => row(name, "ok", "pages that need scripts can be read"),
        BrowserState::Missing => row(
            name,
            "missing",
            "install chromium, or set CHROME_PATH; until then pages that need scripts fail",
        ),
    }
}

fn reader(settings: &Settings) -> Row {
    let name = "reader";
    match &settings.reader_url {
        Some(url) => row(
            name,
            "set up",
            format!(
                "pages that cannot be read directly go to {}",
                url.host_str().unwrap_or_default()
            ),
        ),
        None => row(
            name,
            "off",
            "optional: --reader-url names a service for pages that cannot be read directly",
        ),
    }
}

fn agent(settings: &Settings) -> Row {
    let name = "research agent";
    match (&settings.agent_url, &settings.agent_model) {
        (Some(url), Some(model)) => row(
            name,
            "set up",
            format!("{model} at {}", url.host_str().unwrap_or_default()),
        ),
        (Some(_), None) => row(name, "not set up", "set FINGERPOST_AGENT_MODEL too"),
        (None, Some(_)) => row(name, "not set up", "set FINGERPOST_AGENT_URL too"),
        (None, None) => row(
            name,
            "not set up",
            "set FINGERPOST_AGENT_URL and FINGERPOST_AGENT_MODEL to use the toolset agent with a model of your own",
        ),
    }
}
