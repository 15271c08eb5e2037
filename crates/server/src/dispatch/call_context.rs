//! What a call comes with, besides its tool and arguments.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use engine::{ChosenBy, model::Model, store::Tenant};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{observe::CallSource, progress::Progress, scope::Scopes};

/// What the transport knows about a call.
#[derive(Debug)]
pub struct CallContext {
    pub cancel: CancellationToken,
    pub progress: Progress,
    /// Equal for all calls of one caller. Distinguishes the callers of a shared server.
    pub caller: u64,
    /// Decides which sessions and stored answers are visible.
    pub tenant: Tenant,
    /// Which tools may be suggested to the caller.
    pub scopes: Scopes,
    /// Whose calls are counted together, for limits and for shares of the slots; `None` on a server
    /// with a single client. Unlike `caller`, it is not made from what a client may choose freely.
    pub counted_for: Option<String>,
    /// The address it came from, without the part that tells one machine from its neighbours; for the
    /// operator. `None` over pipes.
    pub address: Option<String>,
    /// Where the call came from, for its trace.
    pub source: CallSource,
    /// The client's own model, if it offers one.
    pub model: Option<Arc<dyn Model>>,
    /// For a call that another call makes: when it ends at the latest. It uses the slot of the other.
    pub(crate) inside_until: Option<Instant>,
    /// Who named the addresses in the arguments.
    pub(crate) chosen_by: ChosenBy,
}

impl CallContext {
    /// Who shares the slots with others, as a number.
    pub(super) fn sharer(&self) -> Option<u64> {
        let who = self.counted_for.as_ref()?;
        let mut hasher = DefaultHasher::new();
        who.hash(&mut hasher);
        Some(hasher.finish())
    }
}

impl Default for CallContext {
    fn default() -> CallContext {
        CallContext {
            cancel: CancellationToken::new(),
            progress: Progress::silent(),
            caller: 0,
            tenant: Tenant::local(),
            scopes: Scopes::all(),
            counted_for: None,
            address: None,
            source: CallSource::default(),
            model: None,
            inside_until: None,
            chosen_by: ChosenBy::Caller,
        }
    }
}
