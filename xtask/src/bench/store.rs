//! `cargo xtask bench store`: the cost of a session's step with each store, and whether an
//! acknowledged step is ever lost.

use std::{fs, path::PathBuf, process::Command};

use super::{WRITE, table, usage};
use crate::{
    Outcome, install, only_switch, place, process,
    redis::{Keeps, Redis},
};

pub(crate) fn run(switches: &[String]) -> Outcome {
    let keeps = only_switch(switches, WRITE)?;
    install::system()?;
    for what in [["--example", "store"], ["--bin", "session-writer"]] {
        let build = ["build", "--release", "--locked", "--package", "engine"];
        process::run(
            Command::new(env!("CARGO"))
                .args(build)
                .args(what)
                .current_dir(place::root()),
        )?;
    }
    let folder = Folder::new()?;
    let file = measured(&folder.0.join("file").display().to_string())?;
    let server = Redis::start(&folder.0, Keeps::Nothing)?;
    let redis = measured(&server.url())?;
    let block = format!(
        "### SQLite\n\n{file}\n### Redis on the same machine\n\n{redis}\nMeasured on {}, one writer unless said.\n",
        usage::machine()
    );
    println!("{block}");
    if keeps {
        table::write("store", &block)
    } else {
        Ok(())
    }
}

fn measured(store: &str) -> Result<String, String> {
    let release = place::target().join("release");
    process::quietly(
        Command::new(release.join("examples/store"))
            .arg(store)
            .arg(release.join("session-writer")),
    )
}

/// An empty directory that is removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, String> {
        let path = place::workshop().join(format!("store-{}", std::process::id()));
        fs::create_dir_all(&path)
            .map_err(|error| format!("{} cannot be made ({})", path.display(), error.kind()))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
