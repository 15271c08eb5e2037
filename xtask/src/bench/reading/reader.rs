//! The two programs that read pages, each with the words that it understands.

use std::{path::PathBuf, process::Command};

use serde_json::json;

use crate::bench::session::{Ask, Session};

/// What is compared.
#[derive(Debug)]
pub(super) struct Programs {
    pub(super) ours: PathBuf,
    /// The Python that has `mcp-server-fetch`.
    pub(super) python: PathBuf,
}

/// One of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    Ours,
    Peer,
}

/// Both, in the order of the table's columns.
pub(super) const BOTH: [Who; 2] = [Who::Ours, Who::Peer];

/// A whole article, for both: the other's own choice would cut it.
const MOST_CHARACTERS: u32 = 30_000;

impl Programs {
    /// A new session. Loopback is opened to both; both ask for robots.txt, as they do unless told
    /// otherwise.
    pub(super) fn start(&self, who: Who) -> Result<Session, String> {
        match who {
            Who::Ours => Session::start(
                &self.ours,
                &["serve", "--ephemeral", "--allow-private", "127.0.0.0/8"],
            ),
            Who::Peer => Session::open(self.peer()),
        }
    }

    /// With a search path that leads nowhere it finds no Node and reads pages in Python: a Node for
    /// every page takes far longer. An empty one would not do, because Python then looks in the
    /// usual places.
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
