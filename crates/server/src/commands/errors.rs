//! `fingerpost errors`: the stored records of failed calls, for the operator.
//!
//! Records contain the words of upstreams, masked; an agent never sees them. A failure without a
//! record is in the log under its request id.

use std::io::Write;

use clap::{Arg, ArgMatches};
use engine::store::FaultRecords;
use serde_json::Value;

use super::{Subcommand, arguments, error::CommandError, terminal};
use crate::settings::Settings;

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "errors",
    about: "Show the masked records of failed calls",
    arguments: || {
        let action = Arg::new("action")
            .value_name("list|show|tail|ID")
            .default_value("list")
            .help("list the newest, show one, or print new ones as they come");
        let id = Arg::new("id")
            .value_name("ID")
            .required_if_eq("action", "show")
            .help("An event id, or the request id of a recorded call");
        vec![
            action,
            id,
            arguments::switch("json").help("List as JSON lines"),
        ]
    },
    run,
};

fn run(matches: &ArgMatches) -> Result<(), CommandError> {
    let (settings, output) = (arguments::load_settings(matches)?, std::io::stdout().lock());
    let json = matches.get_flag("json");
    match (
        arguments::text(matches, "action"),
        arguments::text(matches, "id"),
    ) {
        (Some("list") | None, None) => list(&settings, json, output),
        (Some("tail"), None) => tail(&settings, json, output),
        (Some("show" | "list") | None, Some(id)) | (Some(id), None) => show(&settings, id, output),
        (Some(_), Some(_)) => Err(CommandError::Usage(
            "errors: list, tail, show ID, or just an ID".to_owned(),
        )),
    }
}

/// Records that `list` prints and `tail` looks at.
const LISTED: usize = 50;

/// Lists the newest records, one a line, or as JSON lines.
fn list(settings: &Settings, json: bool, mut output: impl Write) -> Result<(), CommandError> {
    let faults = faults(settings)?;
    let records = terminal::runtime()?
        .block_on(newest(&faults))
        .map_err(|_| unreadable(settings))?;
    if records.is_empty() && !json {
        let place = place(settings);
        return write(
            &mut output,
            &format!("no records in {place}: no call has failed\n"),
        );
    }
    for record in records {
        let line = if json {
            record.to_string()
        } else {
            summary(&record)
        };
        write(&mut output, &(line + "\n"))?;
    }
    Ok(())
}

/// The newest failed calls, with events and without, newest first.
async fn newest(faults: &FaultRecords) -> fault::Result<Vec<Value>> {
    let mut records = faults.newest(LISTED).await?;
    records.extend(faults.newest_failed_calls(LISTED).await?);
    let time = |record: &Value| record["timestamp"].as_str().map(str::to_owned);
    records.sort_by_key(|record| std::cmp::Reverse(time(record)));
    records.truncate(LISTED);
    Ok(records)
}

/// The time between two looks for new records.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(500);

/// Prints the newest records and then every new one, until the output is closed or the command is
/// interrupted.
fn tail(settings: &Settings, json: bool, mut output: impl Write) -> Result<(), CommandError> {
    let (runtime, faults) = (terminal::runtime()?, faults(settings)?);
    let mut seen: std::collections::VecDeque<String> = std::collections::VecDeque::new();
    loop {
        let mut newest = runtime
            .block_on(newest(&faults))
            .map_err(|_| unreadable(settings))?;
        newest.reverse();
        for record in newest {
            let id = record["eventId"].as_str().or(record["requestId"].as_str());
            let id = id.unwrap_or_default().to_owned();
            if seen.contains(&id) {
                continue;
            }
            let line = if json {
                record.to_string()
            } else {
                summary(&record)
            };
            write(&mut output, &(line + "\n"))?;
            seen.push_back(id);
        }
        // Older ids are not among the newest records any more.
        while seen.len() > 4 * LISTED {
            seen.pop_front();
        }
        std::thread::sleep(PAUSE);
    }
}

/// Shows the record of an event id or a request id.
fn show(settings: &Settings, id: &str, mut output: impl Write) -> Result<(), CommandError> {
    let found = terminal::runtime()?
        .block_on(faults(settings)?.find(id.trim()))
        .map_err(|_| unreadable(settings))?;
    let record = found.ok_or_else(|| {
        CommandError::Failed("there is no record with that id here; `fingerpost errors list` shows the newest, and the log has every call".to_owned())
    })?;
    let text = serde_json::to_string_pretty(&record).unwrap_or_default();
    write(&mut output, &(text + "\n"))
}

fn faults(settings: &Settings) -> Result<FaultRecords, CommandError> {
    let missing = settings.storage_dir().filter(|folder| !folder.exists());
    if let (Some(folder), None) = (missing, &settings.store_url) {
        return Err(CommandError::Failed(format!(
            "there is no directory {}: no server has kept records there; name the server's with --data-dir",
            folder.display()
        )));
    }
    let store = settings.store();
    if store.is_shared() {
        return Ok(FaultRecords::new(store));
    }
    Err(CommandError::Usage("nothing is kept: name the server's data directory, for example --data-dir /var/lib/fingerpost".to_owned()))
}

fn unreadable(settings: &Settings) -> CommandError {
    let place = place(settings);
    let way_out = if settings.store_url.is_some() {
        "that the server runs"
    } else {
        "that this user may read that folder"
    };
    CommandError::Failed(format!(
        "the records in {place} could not be read; check {way_out}"
    ))
}

fn place(settings: &Settings) -> String {
    match settings.storage_dir() {
        Some(folder) if settings.store_url.is_none() => folder.display().to_string(),
        _ => "the store's server".to_owned(),
    }
}

fn summary(record: &Value) -> String {
    let field = |name: &str| record[name].as_str().unwrap_or("-").to_owned();
    let status = record["status"]
        .as_u64()
        .map(|status| format!(" HTTP {status}"))
        .unwrap_or_default();
    let name = format!("{}/{}", field("kind"), field("reason"));
    let line = format!(
        "{} {} {} {name}{status} {} {} {}",
        field("timestamp"),
        field("eventId"),
        field("tool"),
        field("host"),
        field("requestId"),
        field("user"),
    );
    // One record is one line, whatever is in it.
    line.replace(['\n', '\t'], " ")
}

/// Writes what upstreams wrote, too.
fn write(output: &mut impl Write, text: &str) -> Result<(), CommandError> {
    output
        .write_all(terminal::escaped(text).as_bytes())
        .map_err(|error| CommandError::output(&error))
}
