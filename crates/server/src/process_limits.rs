//! What the system allows this process: open files, and files with its memory after a crash.
//!
//! Shells and service managers usually allow 1024 open files, of which every connection and every
//! page takes one, and let a process have more if it asks. So a server asks for all it may have,
//! and its connections take only a part of them: the others are for pages, the store and workers.

/// Allows this process as many open files as it may have, and no core dump: that would hold keys
/// and the pages of users.
pub(crate) fn prepare() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let files = getrlimit(Resource::Nofile);
        let raised = setrlimit(
            Resource::Nofile,
            Rlimit {
                current: files.maximum,
                ..files
            },
        );
        if let Err(error) = raised {
            tracing::debug!(%error, "the number of open files could not be raised");
        }
        let core = getrlimit(Resource::Core);
        let none = Rlimit {
            current: Some(0),
            ..core
        };
        if let Err(error) = setrlimit(Resource::Core, none) {
            tracing::debug!(%error, "core dumps could not be turned off");
        }
    }
}

/// How many connections may be open, of at most this many: three quarters of the files that this
/// process may open.
pub(crate) fn connections(most: usize) -> usize {
    let files = open_files().unwrap_or(u64::MAX);
    usize::try_from(files / 4 * 3).unwrap_or(most).min(most)
}

/// `None` without a limit.
#[cfg(unix)]
fn open_files() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Nofile).current
}

#[cfg(not(unix))]
fn open_files() -> Option<u64> {
    None
}
