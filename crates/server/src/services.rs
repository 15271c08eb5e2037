//! What all calls of a server share: settings, the engine and the stores.

use std::sync::Arc;

use engine::Engine;
use engine::layer::SharedStore;
use engine::research::{ResearchSessions, StoredResponses};
use engine::store::{FaultRecords, Store};

use crate::{
    allowance::Allowance, health::Health, metrics::Metrics, observe::Observability,
    pattern_library::PatternLibrary, reporting::Reporter, settings::Settings,
};

/// Built once per server, borrowed by every call.
#[derive(Debug)]
pub struct Services {
    pub settings: Settings,
    pub metrics: Arc<Metrics>,
    /// Told of everything that happens, for counters and traces.
    pub observability: Observability,
    pub health: Health,
    pub engine: Engine,
    pub store: Arc<dyn Store>,
    /// Records of faults, for `fingerpost errors`.
    pub faults: FaultRecords,
    /// Sends records of faults to Sentry; `None` when the operator has set no DSN.
    pub reporter: Option<Reporter>,
    pub research: ResearchSessions,
    /// Stored answers, whose later parts a caller can request.
    pub responses: StoredResponses,
    /// How many calls each user may make.
    pub(crate) allowance: Allowance,
    pub(crate) patterns: Arc<PatternLibrary>,
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
        let metrics = Arc::new(Metrics::default());
        let faults = FaultRecords::new(store.clone());
        Services {
            reporter: Reporter::new(&settings, faults.clone()),
            observability: Observability::new(&settings, Arc::clone(&metrics)),
            metrics,
            health: Health::default(),
            engine: Engine::new(parts),
            faults,
            research: ResearchSessions::new(store.clone(), limits.clone()),
            patterns: Arc::new(PatternLibrary::new(settings.patterns_dir.clone())),
            responses: StoredResponses::new(store.clone(), limits, masker),
            allowance: Allowance::new(&settings, store.clone()),
            store,
            settings,
        }
    }
}
