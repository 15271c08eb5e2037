//! What a call found on its way, for the session it belongs to.

use std::sync::{Mutex, PoisonError};

use engine::research::Source;

/// Filled by a tool while it works, read by the dispatcher when it is done.
#[derive(Debug, Default)]
pub struct SessionRecorder(Mutex<RecordedCall>);

#[derive(Debug, Default, Clone)]
pub(crate) struct RecordedCall {
    pub(crate) sources: Vec<Source>,
    /// Who answered or failed: a provider or a tier.
    pub(crate) provider: Option<String>,
}

impl SessionRecorder {
    /// Something that was found or read.
    pub fn source(&self, source: Source) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .sources
            .push(source);
    }

    /// Who answered.
    pub fn provider(&self, provider: &str) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .provider = Some(provider.to_owned());
    }

    pub(crate) fn found(&self) -> RecordedCall {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
