//! The tokens of `--tokens`, read again when their file changes.
//!
//! Hashes are compared in constant time, and all of them whatever is found, so that the time of a
//! refusal tells nothing about a token.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use mask::LaterSecrets;
use net::FileStamp;
use subtle::{Choice, ConstantTimeEq};

use crate::token_file::{self, TokenEntry, TokenFileError, TokenHash, token_hash};

/// How often the file is looked at.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct StaticTokens {
    path: PathBuf,
    state: Mutex<State>,
    /// Told of every token that the file has as it is, so that no text shows it.
    secrets: LaterSecrets,
}

#[derive(Debug)]
struct State {
    entries: Vec<TokenEntry>,
    stamp: FileStamp,
    /// The file that could not be used. It is tried again, and complained of once.
    unusable: Option<FileStamp>,
    looked: Instant,
}

impl StaticTokens {
    pub(super) fn open(
        path: PathBuf,
        secrets: LaterSecrets,
    ) -> Result<StaticTokens, TokenFileError> {
        let stamp = FileStamp::of(&path);
        let state = State {
            entries: read(&path, &secrets)?,
            stamp,
            unusable: None,
            looked: Instant::now(),
        };
        Ok(StaticTokens {
            path,
            state: Mutex::new(state),
            secrets,
        })
    }

    pub(super) fn count(&self) -> usize {
        self.state().entries.len()
    }

    /// The entry of a token.
    pub(super) fn find(&self, token: &str) -> Option<TokenEntry> {
        self.find_hash(&token_hash(token))
    }

    /// The entry of a token of which only the hash is known.
    pub(super) fn find_hash(&self, hash: &TokenHash) -> Option<TokenEntry> {
        let mut state = self.state();
        self.refresh(&mut state);
        let mut found = None;
        for entry in &state.entries {
            let is_equal: Choice = entry.hash.ct_eq(hash);
            if is_equal.into() {
                found = Some(entry);
            }
        }
        found.cloned()
    }

    /// Reads the file again if it has changed. One that cannot be read, or has a mistake, leaves the
    /// tokens as they were: a server must not lock out everyone while a file is being written. It is
    /// read until that works, so that a failure that passes does not keep a removed token alive.
    fn refresh(&self, state: &mut State) {
        if state.looked.elapsed() < LOOK_AGAIN {
            return;
        }
        state.looked = Instant::now();
        let stamp = FileStamp::of(&self.path);
        if stamp == state.stamp {
            return;
        }
        match read(&self.path, &self.secrets) {
            Ok(entries) => {
                tracing::info!(tokens = entries.len(), "read the file of tokens again");
                state.entries = entries;
                (state.stamp, state.unusable) = (stamp, None);
            }
            Err(TokenFileError::Empty) => {
                tracing::warn!("the file of tokens has no token any more: nobody is let in");
                state.entries = Vec::new();
                (state.stamp, state.unusable) = (stamp, None);
            }
            Err(_) if state.unusable == Some(stamp) => {}
            Err(error) => {
                state.unusable = Some(stamp);
                tracing::error!(%error, "the file of tokens cannot be used; the tokens stay as they were");
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the file, and has its tokens masked before any of them is accepted.
fn read(path: &Path, secrets: &LaterSecrets) -> Result<Vec<TokenEntry>, TokenFileError> {
    let entries = token_file::read(path)?;
    secrets.add(entries.iter().filter_map(TokenEntry::plain));
    Ok(entries)
}
