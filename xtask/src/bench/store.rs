//! `cargo xtask bench store`: the cost of a session's step with each store, and whether an
//! acknowledged step is ever lost.

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use super::{WRITE, table, usage};
use crate::{Outcome, install, only_switch, place, process};

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
    let server = Redis::start(&folder.0)?;
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

/// A Redis server of our own, without persistence.
struct Redis {
    child: Child,
    port: u16,
}

impl Redis {
    fn start(folder: &Path) -> Result<Redis, String> {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = free
            .map_err(|error| format!("there is no free port ({})", error.kind()))?
            .port();
        let mut command = Command::new("redis-server");
        command
            .args([
                "--port",
                &port.to_string(),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
            ])
            .arg(folder);
        let child = command
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| format!("redis-server cannot be started ({})", error.kind()))?;
        // The server answers within milliseconds; a second is plenty.
        thread::sleep(Duration::from_secs(1));
        Ok(Redis { child, port })
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
