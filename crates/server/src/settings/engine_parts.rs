//! What the engine and the store are built from.

use std::{path::PathBuf, sync::Arc};

use engine::{
    BrowserUse, ExaSettings, PageSettings, ReaderSettings, Roots, SearchSettings,
    live::{self, LiveSettings},
    model::ModelSettings,
    research::Limits,
    search::ProviderSettings,
    store::{MaskedStore, Store},
    worker::{DocumentWorkers, OcrProgram, OcrUse},
};
use fault::SettingName;
use net::guard::Policy;
use url::Url;

use super::{BrowserChoice, Environment, OcrChoice, Settings};

/// How `net` names settings in its faults: the spelling that an operator would type.
const NETWORK_SETTINGS: net::SettingNames = net::SettingNames {
    allow_private: Some(SettingName::new("--allow-private")),
    extra_ca: Some(SettingName::new("ca")),
    outbound: Some(SettingName::new("proxy")),
    browser_program: Some(SettingName::new("CHROME_PATH")),
};

impl Settings {
    /// Everything the engine is built from.
    pub fn engine(&self) -> engine::Settings {
        engine::Settings {
            network: self.network(),
            pages: self.pages(),
            roots: Roots::only(self.allow_path.clone()),
            index: self
                .has_index()
                .then(|| engine::index::Index::new(self.storage_dir(), self.masker())),
            search: self.search(),
            live: self.live(),
            model: self.model(),
            store: None,
        }
    }

    /// How the network may be used.
    pub fn network(&self) -> net::ClientSettings {
        net::ClientSettings {
            policy: Policy::new(self.allow_private.clone())
                .with_domains(self.allow_domain.clone(), self.deny_domain.clone()),
            dns: self.dns,
            extra_ca: self.ca.clone(),
            outbound: net::Outbound {
                proxies: self.proxy.clone(),
                direct: self.no_proxy.clone(),
            },
            setting_names: NETWORK_SETTINGS,
            user_agent: self.user_agent.header().clone(),
            memory: net::MemoryBudget::new(self.max_memory << 20),
            ..net::ClientSettings::default()
        }
    }

    /// How pages are read.
    pub fn pages(&self) -> PageSettings {
        PageSettings {
            robot: self.robots.then(|| self.user_agent.product().to_owned()),
            browser: self.browser_use(),
            documents: DocumentWorkers::new(
                std::env::current_exe().unwrap_or_else(|_| PathBuf::from("fingerpost")),
            )
            .with_ocr(self.ocr_use()),
            reader: self.reader_url.clone().map(|base| ReaderSettings {
                base,
                key: self.reader_key.clone(),
            }),
            exa: self.exa(),
        }
    }

    /// The program for text in pictures, if it is wanted and on the search path.
    pub fn ocr_use(&self) -> OcrUse {
        if self.ocr == OcrChoice::Never {
            return OcrUse::Never;
        }
        let search_path = Environment::value_in_process("PATH").unwrap_or_default();
        let search_path = std::ffi::OsString::from(search_path);
        let Some(program) = OcrProgram::find(&search_path) else {
            return OcrUse::Missing;
        };
        OcrUse::With(OcrProgram {
            program,
            languages: self.ocr_languages.clone(),
            search_path,
            data: Environment::value_in_process("TESSDATA_PREFIX").map(Into::into),
        })
    }

    fn browser_use(&self) -> BrowserUse {
        let settings = net::browser::BrowserSettings {
            program: self.chrome_path.clone(),
            pages: self.browser_pages,
            idle: self.browser_idle,
            ..net::browser::BrowserSettings::default()
        };
        match self.browser {
            BrowserChoice::Auto => BrowserUse::WhenNeeded(settings),
            BrowserChoice::Never => BrowserUse::Never,
            BrowserChoice::Always => BrowserUse::Always(settings),
        }
    }

    /// The Exa tier uses the key of the Exa search provider.
    fn exa(&self) -> Option<ExaSettings> {
        let own = self.providers.get("exa")?;
        let spec = engine::search::providers()
            .into_iter()
            .map(|provider| provider.spec())
            .find(|spec| spec.id() == "exa");
        let base = own.url.clone().or_else(|| Url::parse(spec?.base?).ok())?;
        Some(ExaSettings {
            base,
            key: own.key.clone()?,
        })
    }

    /// The model of the research agent; `None` until both its address and its name are set.
    fn model(&self) -> Option<ModelSettings> {
        Some(ModelSettings {
            base: self.agent_url.clone()?,
            key: self.agent_key.clone(),
            name: self.agent_model.clone()?,
            timeout: self.agent_timeout,
        })
    }

    fn search(&self) -> SearchSettings {
        let mut providers: Vec<(String, ProviderSettings)> = self
            .providers
            .iter()
            .map(|(id, own)| ((*id).to_owned(), own.clone()))
            .collect();
        for id in &self.disabled_providers {
            match providers.iter_mut().find(|(known, _)| known == id) {
                Some((_, own)) => own.disabled = true,
                None => providers.push((
                    (*id).to_owned(),
                    ProviderSettings {
                        disabled: true,
                        ..ProviderSettings::default()
                    },
                )),
            }
        }
        SearchSettings {
            providers,
            contact: self.contact.clone(),
            lens_directory: self.lens_dir.clone(),
            ..SearchSettings::default()
        }
    }

    fn live(&self) -> LiveSettings {
        let defaults = LiveSettings::default();
        let origin = self.origins.get("xai-api-key").map(|it| it.place.as_str());
        let is_shared = origin == Some(live::KEY_VARIABLE.as_str());
        LiveSettings {
            base: self.xai_url.clone().unwrap_or(defaults.base),
            key: self.xai_key.clone(),
            key_name: match is_shared {
                true => live::KEY_VARIABLE,
                false => SettingName::new("FINGERPOST_XAI_API_KEY"),
            },
            model: self.xai_model.clone(),
            timeout: self.grok_timeout,
            retries: self.grok_max_retries,
        }
    }

    /// How much of sessions and stored answers is kept, and for how long.
    pub fn limits(&self) -> Limits {
        Limits {
            sessions: self.max_sessions,
            session_lives: self.session_lifetime,
            responses: self.max_stored,
            response_lives: self.stored_lifetime,
            ..Limits::default()
        }
    }

    /// The store for sessions, answers and records. It is opened when first used.
    pub fn store(&self) -> Arc<dyn Store> {
        let store = engine::store::open(self.store_url.as_ref(), self.storage_dir())
            .expect("the URL was checked when it was set");
        Arc::new(MaskedStore::new(store, self.masker()))
    }
}
