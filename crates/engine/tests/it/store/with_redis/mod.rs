//! Tests that start a real Redis, alone or beside the other stores. `cargo xtask test` installs it;
//! `cargo xtask check` skips these tests.

mod conformance;
mod gone;
mod pods;
mod redis_server;
mod sessions;

use std::sync::Arc;

use engine::research::StepError;
use engine::store::{RedisStore, SqliteStore, Store};
use fault::{Fault, Secret};

use self::redis_server::RedisServer;

/// A store, and the values that must live as long as it does.
struct Kept {
    name: &'static str,
    store: Arc<dyn Store>,
    /// The same records through a second connection, as another process would open it; `None` if
    /// the store is not shared.
    other: Option<Arc<dyn Store>>,
    _folder: Option<tempfile::TempDir>,
    _server: Option<RedisServer>,
}

/// The fault of a step that failed for another reason than its content.
fn fault_of(error: StepError) -> Fault {
    match error {
        StepError::Fault(fault) => fault,
        StepError::Invalid { problems, .. } => panic!("{problems:?}"),
    }
}

/// One store of each kind, all empty.
fn all() -> Vec<Kept> {
    let folder = tempfile::tempdir().unwrap();
    let (server, cluster) = (RedisServer::start(), RedisServer::start_cluster());
    let file = || Arc::new(SqliteStore::new(Some(folder.path()))) as Arc<dyn Store>;
    let redis = |server: &RedisServer| {
        Arc::new(RedisStore::new(&Secret::new(server.url())).unwrap()) as Arc<dyn Store>
    };
    let of = |name, server: RedisServer| {
        let (store, other) = (redis(&server), redis(&server));
        Kept {
            name,
            store,
            other: Some(other),
            _folder: None,
            _server: Some(server),
        }
    };
    let (file, other_file) = (file(), file());
    vec![
        Kept {
            name: "memory",
            store: Arc::new(SqliteStore::new(None)),
            other: None,
            _folder: None,
            _server: None,
        },
        Kept {
            name: "file",
            store: file,
            other: Some(other_file),
            _folder: Some(folder),
            _server: None,
        },
        of("redis", server),
        of("cluster", cluster),
    ]
}
