//! What all calls of a server share: settings, the engine and the stores.

use std::sync::Arc;

use engine::Engine;
use engine::layer::SharedStore;
use engine::research::{ResearchSessions, StoredResponses};
use engine::store::{FaultRecords, Store};

use crate::{health::Health, metrics::Metrics, settings::Settings};

/// Built once per server, borrowed by every call.
#[derive(Debug)]
pub struct Services {
    pub settings: Settings,
    pub metrics: Metrics,
    pub health: Health,
    pub engine: Engine,
    pub store: Arc<dyn Store>,
    /// Records of faults, for `fingerpost errors`.
    pub faults: FaultRecords,
    pub research: ResearchSessions,
    /// Stored answers, whose later parts a caller can request.
    pub responses: StoredResponses,
}

impl Services {
    /// Opens no files and no connections: each is opened on first use.
    pub(crate) fn new(settings: Settings) -> Services {
        let (store, limits) = (settings.store(), settings.limits());
        let mut parts = settings.engine();
        let masker = settings.masker();
        parts.store = store.is_shared().then(|| SharedStore {
            store: store.clone(),
            masker: masker.clone(),
            secret: settings.cache_secret(),
        });
        Services {
            metrics: Metrics::default(),
            health: Health::default(),
            engine: Engine::new(parts),
            faults: FaultRecords::new(store.clone()),
            research: ResearchSessions::new(store.clone(), limits.clone()),
            responses: StoredResponses::new(store.clone(), limits, masker),
            store,
            settings,
        }
    }
}
