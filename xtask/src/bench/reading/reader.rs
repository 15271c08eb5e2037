//! The two programs that read pages, each with its own tool and arguments.

use std::{path::PathBuf, process::Command};

use serde_json::json;

use crate::bench::session::{Ask, Session};

#[derive(Debug)]
pub(super) struct ReaderPrograms {
    pub(super) ours: PathBuf,
    /// The Python interpreter that has `mcp-server-fetch`.
    pub(super) python: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    Ours,
    Peer,
}

/// Both, in the order of the table's columns.
pub(super) const BOTH: [Who; 2] = [Who::Ours, Who::Peer];

/// Enough for a whole article; the other program's default would truncate it.
const MOST_CHARACTERS: u32 = 30_000;

impl ReaderPrograms {
    /// Starts a session. Both programs may reach loopback, and both request robots.txt, as they do
    /// by default.
    pub(super) fn start(&self, who: Who) -> Result<Session, String> {
        match who {
            Who::Ours => Session::start(
                &self.ours,
                &["serve", "--ephemeral", "--allow-private", "127.0.0.0/8"],
            ),
            Who::Peer => Session::open(self.peer()),
        }
    }

    /// Runs it with a search path without programs, so that it finds no Node and reads pages in
    /// Python: starting Node for every page takes far longer. An empty path would not work, because
    /// Python then searches the default places.
    fn peer(&self) -> Command {
        let mut command = Command::new(&self.python);
        command
            .args(["-m", "mcp_server_fetch", "--allow-private-ips"])
            .env_clear()
            .env("PATH", "/nonexistent");
        command
    }
}

impl Who {
    /// The call that reads a page.
    pub(super) fn ask(self, url: String) -> Ask {
        match self {
            Who::Ours => Ask {
                tool: "scrape_page",
                arguments: json!({"url": url, "max_chars": MOST_CHARACTERS}),
                fails: false,
            },
            Who::Peer => Ask {
                tool: "fetch",
                arguments: json!({"url": url, "max_length": MOST_CHARACTERS}),
                fails: false,
            },
        }
    }
}
