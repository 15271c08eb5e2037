//! `fingerpost setup`: adds this server to the configuration of a client.
//!
//! The file belongs to the user. It is changed only after the difference was shown and agreed to,
//! whole or not at all, with a copy of the old one beside it; a file that cannot be read as what it
//! should be is left alone. Everything in it that is not our entry stays as it is.
//!
//! - `client`: the clients, their files and the form of an entry.
//! - `edit`, `json`, `toml`: the change itself; `hidden`: what of it is not shown.

mod client;
mod edit;
mod hidden;
mod json;
mod toml;

use std::{
    io::{BufRead, ErrorKind, IsTerminal, Read, Write},
    path::{Path, PathBuf},
};

use clap::{Arg, ArgAction, ArgMatches};
use fault::Secret;
use mask::Masker;
use serde_json::{Map, Value};
use similar::TextDiff;

use self::client::{CLIENTS, Client, Directories, Platform, Server};
use self::edit::{Change, edited};
use super::{Subcommand, arguments, error::CommandError, files, terminal};
use crate::clock::unix_millis;
use crate::settings::{Environment, Setting, TABLE};

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "setup",
    about: "Add this server to an MCP client, after showing the change",
    arguments: || {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        let client = Arg::new("client")
            .value_name("CLIENT")
            .value_parser(names)
            .help("The client; without one, all are listed with their files");
        let file = Arg::new("file").long("file").value_name("FILE");
        let url = Arg::new("url").long("url").value_name("URL");
        let name = Arg::new("name").long("name").value_name("NAME");
        let variable = Arg::new("env").long("env").value_name("NAME");
        vec![
            client,
            arguments::switch("yes").help("Write without asking"),
            arguments::switch("remove").help("Remove the entry instead"),
            arguments::switch("project").help("Change the file of the project in this directory instead of your own"),
            file.help("Change this file instead"),
            url.help("Let the client use a server over HTTP instead of starting one, for example http://127.0.0.1:8420/mcp"),
            name.default_value(USUAL_NAME).help("The name of the entry"),
            variable
                .action(ArgAction::Append)
                .help("Pass this environment variable on, with its present value: clients pass on only those in their file; repeat for more"),
        ]
    },
    run,
};

/// The name of the entry, unless the user chooses another.
const USUAL_NAME: &str = "fingerpost";

/// A longer file is no configuration.
const LARGEST: u64 = 32 << 20;

fn run(matches: &ArgMatches) -> Result<(), CommandError> {
    let own = directories();
    let Some(name) = arguments::text(matches, "client") else {
        return list(&own);
    };
    let client = CLIENTS.iter().find(|client| client.name == name);
    let client = client.ok_or_else(|| usage("there is no such client"))?;
    let path = file_of(client, matches, &own)?;
    let passes_keys = !arguments::texts(matches, "env").is_empty();
    if passes_keys && matches.get_flag("project") {
        return Err(usage(
            "--env would write its value into a file that the whole project shares: leave out --project, or name the variable in that file by hand",
        ));
    }
    let change = if matches.get_flag("remove") {
        Change::Remove
    } else {
        let server = server(matches)?;
        Change::Set(client.entry(&server).ok_or_else(|| {
            usage(&format!(
                "{} takes no server over HTTP in its file; leave out --url",
                client.title
            ))
        })?)
    };
    let entry = arguments::text(matches, "name").unwrap_or_default();
    if entry.trim().is_empty() {
        return Err(usage("--name is empty"));
    }
    let old = read(&path)?;
    let new = edited(client, old.as_deref().unwrap_or_default(), entry, &change)
        .map_err(|broken| CommandError::Failed(broken.sentence(&path, client.format)))?;
    if Some(new.as_str()) == old.as_deref() || old.is_none() && matches!(change, Change::Remove) {
        let state = match change {
            Change::Set(_) => "is set up already",
            Change::Remove => "has no such entry",
        };
        terminal::print_message(&format!("{} {state}: {}", client.title, path.display()));
        return Ok(());
    }
    let masker = masker(&change);
    show_difference(&path, old.as_deref().unwrap_or_default(), &new, &masker)?;
    if !matches.get_flag("yes") && !is_agreed()? {
        return Ok(());
    }
    write(&path, old.as_deref(), &new, passes_keys)?;
    if let Change::Set(_) = change {
        terminal::print_message(client.afterwards);
        if arguments::text(matches, "url").is_some() {
            terminal::print_message(
                "if that server asks for a token, add the header `Authorization: Bearer …` to the entry",
            );
        }
    }
    Ok(())
}

fn usage(problem: &str) -> CommandError {
    CommandError::Usage(format!("setup: {problem}"))
}

fn directories() -> Directories {
    let environment = Environment::of_process();
    let directory = |name: &str| environment.variable(name).map(PathBuf::from);
    Directories {
        platform: Platform::current(),
        home: directory("HOME").or_else(|| directory("USERPROFILE")),
        config: directory("XDG_CONFIG_HOME"),
        roaming: directory("APPDATA"),
        codex: directory("CODEX_HOME"),
        claude: directory("CLAUDE_CONFIG_DIR"),
    }
}

fn file_of(
    client: &Client,
    matches: &ArgMatches,
    own: &Directories,
) -> Result<PathBuf, CommandError> {
    if let Some(file) = arguments::text(matches, "file") {
        return Ok(PathBuf::from(file));
    }
    if matches.get_flag("project") {
        let file = client.project_file.map(PathBuf::from);
        return file.ok_or_else(|| usage(&format!("{} has no file for projects", client.title)));
    }
    (client.user_file)(own)
        .ok_or_else(|| usage("there is no home directory; name the file with --file"))
}

/// How the client shall reach us. Settings given as flags become flags of the server it starts.
fn server(matches: &ArgMatches) -> Result<Server, CommandError> {
    let flags = arguments::flags(matches);
    if let Some(url) = arguments::text(matches, "url") {
        let parsed = url::Url::parse(url).ok();
        let is_web = |url: &url::Url| matches!(url.scheme(), "http" | "https") && url.has_host();
        return match parsed.filter(is_web) {
            Some(_) if !flags.is_empty() || is_set_up_here(matches) => Err(usage(
                "settings, --config and --env belong to the server at --url, not to the client",
            )),
            Some(url) => Ok(Server::Remote {
                url: url.to_string(),
            }),
            None => Err(usage(
                "--url is the address of a server, such as http://127.0.0.1:8420/mcp",
            )),
        };
    }
    crate::settings::of_flags(&flags).map_err(|mistakes| arguments::mistakes(&mistakes))?;
    let mut own = vec!["serve".to_owned()];
    if let Some(file) = arguments::text(matches, "config") {
        if !Path::new(file).is_file() {
            return Err(usage(&format!(
                "--config: there is no file {file}; `fingerpost config init {file}` writes one"
            )));
        }
        own.extend(["--config".to_owned(), absolute(file)]);
    }
    for row in TABLE.iter() {
        let values = flags.get(row.key).map(Vec::as_slice).unwrap_or_default();
        if row.secret && !values.is_empty() {
            return Err(usage(&format!(
                "--{} is a secret, and everybody can see a command line: put it into your settings file (fingerpost config init), or set the variable and pass it on with --env {}",
                row.key,
                row.shared_variables()
                    .into_iter()
                    .next()
                    .unwrap_or_else(|| row.variable())
            )));
        }
        // The client starts the server in a directory of its own.
        let values = values.iter().map(|value| match names_path(row, value) {
            true => absolute(value),
            false => value.clone(),
        });
        own.extend(values.map(|value| format!("--{}={value}", row.key)));
    }
    Ok(Server::Local {
        program: program()?,
        arguments: own,
        variables: variables(&arguments::texts(matches, "env"))?,
    })
}

/// Whether arguments are given that only a server started by the client could use.
fn is_set_up_here(matches: &ArgMatches) -> bool {
    arguments::text(matches, "config").is_some() || !arguments::texts(matches, "env").is_empty()
}

/// This program, by its path: applications that were not started from a shell have another `PATH`.
/// A link in `PATH` is preferred to the file it leads to, because an upgrade changes where it leads.
fn program() -> Result<String, CommandError> {
    let file = std::env::current_exe().map_err(|error| {
        CommandError::Failed(format!("could not find this program ({})", error.kind()))
    })?;
    let path = in_search_path(&file).unwrap_or(file);
    Ok(path.display().to_string())
}

/// The entry of `PATH` that leads to this file.
fn in_search_path(file: &Path) -> Option<PathBuf> {
    let called = std::env::args_os().next().map(PathBuf::from)?;
    let (name, file) = (called.file_name()?, file.canonicalize().ok()?);
    let directories = Environment::value_in_process("PATH")?;
    let mut entries = std::env::split_paths(&directories).map(|directory| directory.join(name));
    entries
        .find(|entry| entry.is_absolute() && entry.canonicalize().is_ok_and(|found| found == file))
}

/// Whether the value of a setting is a path. A program without a directory is looked for in `PATH`.
fn names_path(row: &Setting, value: &str) -> bool {
    match row.value_name {
        "DIRECTORY" | "FILE" => true,
        "PROGRAM" => value.contains(std::path::is_separator),
        _ => false,
    }
}

fn absolute(file: &str) -> String {
    let path = std::path::absolute(file);
    path.map_or_else(|_| file.to_owned(), |path| path.display().to_string())
}

fn variables(names: &[String]) -> Result<Vec<(String, String)>, CommandError> {
    let value = |name: &String| {
        let value = Environment::value_in_process(name);
        let value = value.ok_or_else(|| usage(&format!("--env {name}: the variable is not set here; set it first (export {name}=…), or put the key into fingerpost.toml (fingerpost config init) and leave out --env")));
        Ok((name.clone(), value?))
    };
    names.iter().map(value).collect()
}

/// The text of the file; `None` if there is none.
fn read(path: &Path) -> Result<Option<String>, CommandError> {
    let path = &files::resolved(path)?;
    // To open a pipe would wait for whoever writes to it.
    match path.metadata() {
        Ok(found) if !found.is_file() => {
            return Err(CommandError::Failed(format!(
                "{} is not a file; nothing was written",
                path.display()
            )));
        }
        _ => {}
    }
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(path, error.kind())),
    };
    let mut text = String::new();
    file.take(LARGEST + 1)
        .read_to_string(&mut text)
        .map_err(|error| unreadable(path, error.kind()))?;
    if text.len() as u64 > LARGEST {
        return Err(unreadable(path, ErrorKind::FileTooLarge));
    }
    Ok(Some(text))
}

fn unreadable(path: &Path, kind: ErrorKind) -> CommandError {
    let reason = match kind {
        ErrorKind::InvalidData => "it is not UTF-8".to_owned(),
        kind => kind.to_string(),
    };
    CommandError::Failed(format!(
        "could not read {} ({reason}); nothing was written",
        path.display()
    ))
}

/// Knows the secrets of the environment, and the variables that are passed on.
fn masker(change: &Change) -> Masker {
    let secrets = Environment::of_process().secrets;
    let passed_on = match change {
        Change::Set(entry) => entry
            .iter()
            .filter_map(|(_, value)| value.as_object())
            .collect(),
        Change::Remove => Vec::new(),
    };
    let passed_on = passed_on.into_iter().flat_map(Map::values);
    // Shorter ones would be masked wherever they occur; `without_values` hides them in their places.
    let passed_on = passed_on
        .filter_map(Value::as_str)
        .filter(|value| value.len() >= 8);
    Masker::new(secrets.iter().map(Secret::expose).chain(passed_on))
}

/// Prints the difference, masked: the file may hold keys of other servers.
fn show_difference(path: &Path, old: &str, new: &str, masker: &Masker) -> Result<(), CommandError> {
    let difference = TextDiff::from_lines(old, new);
    let shown = path.display().to_string();
    let difference = difference
        .unified_diff()
        .context_radius(3)
        .header(&shown, &shown)
        .to_string();
    let text = terminal::escaped(&masker.mask(&hidden::without_values(&difference)));
    let mut output = std::io::stdout().lock();
    output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
        .map_err(|error| CommandError::output(&error))
}

/// Asks on a terminal. Elsewhere nobody can agree, so nothing is written.
fn is_agreed() -> Result<bool, CommandError> {
    let input = std::io::stdin();
    if !input.is_terminal() {
        terminal::print_message("nothing was written; --yes writes it");
        return Ok(false);
    }
    let _ = write!(std::io::stderr(), "Write this? [y/N] ");
    let mut answer = String::new();
    input
        .lock()
        .read_line(&mut answer)
        .map_err(|error| CommandError::input(&error))?;
    let is_yes = matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes");
    if !is_yes {
        terminal::print_message("nothing was written");
    }
    Ok(is_yes)
}

/// Writes the file, unless the client has changed it since it was read.
fn write(path: &Path, old: Option<&str>, new: &str, has_keys: bool) -> Result<(), CommandError> {
    if read(path)?.as_deref() != old {
        return Err(CommandError::Failed(format!(
            "{} was changed by another program meanwhile; nothing was written. Run this again",
            path.display()
        )));
    }
    let mut copy = path.as_os_str().to_owned();
    copy.push(format!(".backup-{}", unix_millis()));
    let copy = PathBuf::from(copy);
    if let Some(old) = old {
        files::write_atomically(&copy, old.as_bytes())?;
    }
    let written = match has_keys {
        true => files::write_keys(path, new.as_bytes()),
        false => files::write_atomically(path, new.as_bytes()),
    };
    match (&written, old) {
        (Ok(()), Some(_)) => {
            terminal::print_message(&format!("the old file is {}", copy.display()));
        }
        // The file is still there, so its copy is of no use.
        (Err(_), Some(_)) => {
            let _ = std::fs::remove_file(&copy);
        }
        (_, None) => {}
    }
    written?;
    terminal::print_message(&format!("wrote {}", path.display()));
    Ok(())
}

/// The clients whose own files have an entry of our usual name.
pub(super) fn clients_with_entry() -> Vec<&'static str> {
    let own = directories();
    let has_entry = |client: &&Client| {
        let path = (client.user_file)(&own);
        let text = path.and_then(|path| read(&path).ok().flatten());
        text.is_some_and(|text| {
            // Removing an entry that is not there changes nothing.
            let without = edited(client, &text, USUAL_NAME, &Change::Remove);
            without.is_ok_and(|without| without != text)
        })
    };
    let found = CLIENTS.iter().filter(has_entry);
    found.map(|client| client.title).collect()
}

/// Lists the clients and their files.
fn list(own: &Directories) -> Result<(), CommandError> {
    let line = |client: &Client| {
        let path = (client.user_file)(own);
        let state = path.as_ref().map_or("no home directory", |path| {
            if path.is_file() { "found" } else { "not there" }
        });
        let path = path.map(|path| path.display().to_string());
        let path = path.unwrap_or_default();
        format!(
            "{:<15} {:<15} {state:<9}  {path}\n",
            client.name, client.title
        )
    };
    let text: String = CLIENTS.iter().map(line).collect();
    let mut output = std::io::stdout().lock();
    output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
        .map_err(|error| CommandError::output(&error))
}
