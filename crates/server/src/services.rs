//! What all calls of a server share: settings, the engine and the stores.

use std::sync::Arc;

use engine::Engine;
use engine::research::{Research, Responses};
use engine::store::{Faults, Store};

use crate::{settings::Settings, vitals::Vitals};

/// Built once per server, borrowed by every call.
#[derive(Debug)]
pub struct Services {
    pub settings: Settings,
    pub vitals: Vitals,
    pub engine: Engine,
    pub store: Arc<dyn Store>,
    /// Records of faults, for `fingerpost errors`.
    pub faults: Faults,
    pub research: Research,
    /// Stored answers, whose later parts a caller can ask for.
    pub responses: Responses,
}

impl Services {
    /// Opens and writes nothing: files and connections are opened when first needed.
    pub(crate) fn new(settings: Settings) -> Services {
        let (store, limits) = (settings.store(), settings.limits());
        let mut parts = settings.engine();
        parts.store = store.is_shared().then(|| store.clone());
        Services {
            vitals: Vitals::default(),
            engine: Engine::new(parts),
            faults: Faults::new(store.clone()),
            research: Research::new(store.clone(), limits.clone()),
            responses: Responses::new(store.clone(), limits),
            store,
            settings,
        }
    }
}
