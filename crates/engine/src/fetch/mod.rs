//! Reading pages: a ladder of tiers, each a way to turn an address into text.

mod browser;
mod detection;
mod direct;
mod exa;
mod excerpt;
mod fetched;
mod freshness;
mod hidden_characters;
mod host_slots;
mod ladder;
mod outline;
mod politeness;
mod reader;
mod refresh;
mod response_reader;
mod robots;
mod robots_check;
mod scanned_pages;
mod selection;
mod third_party;
mod tier;

mod whole_page;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use fault::{Kind, Result};

use crate::call::Call;
use crate::layer::{self, Aged, Keyed, PageStack, Patience, SharedCache, SharedStore};
use crate::upstream::Upstream;
use crate::worker::DocumentWorkers;
pub use browser::BrowserUse;
pub use exa::ExaSettings;
pub(crate) use excerpt::cut;
pub(crate) use fetched::{MORE_TIME, NO_SOURCE, NOT_IN_TIME};
pub(crate) use hidden_characters::strip_hidden;
use ladder::Ladder;
use politeness::Politeness;
pub use reader::ReaderSettings;
use reading::document::scan::WantedScans;
use reading::document::{Password, WantedParts};
use reading::extract::Metadata;
use response_reader::ResponseReader;
use robots_check::RobotsCheck;
use tier::{TierInputs, TierRow};

pub(crate) use scanned_pages::{ScannedPages, wanted as wanted_scans};
pub use selection::{PagePart, PageRange, Selection};
pub(crate) use selection::{separate_part, strip_parts};
pub(crate) use whole_page::WholePage;

/// What to read, and how much of it.
#[derive(Debug, Clone)]
pub struct PageRequest {
    /// The address as the caller wrote it, or as a search found it.
    pub url: String,
    pub options: ReadOptions,
    pub chosen_by: ChosenBy,
}

impl PageRequest {
    /// For an address that the caller named.
    pub fn named(url: impl Into<String>, options: ReadOptions) -> PageRequest {
        PageRequest {
            url: url.into(),
            options,
            chosen_by: ChosenBy::Caller,
        }
    }
}

/// Who wants this address to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenBy {
    /// It may be any that the operator's rules allow.
    Caller,
    /// A provider found it. It counts as the link of a public page: it is not read on a private
    /// host, whether the operator opened that host or not.
    Search,
}

/// Which part of a text is wanted, and in which form.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The first character to return.
    pub start: usize,
    /// The most characters to return.
    pub max_chars: usize,
    /// Whether cutting is allowed; otherwise a longer text is a fault.
    pub may_cut: bool,
    pub mode: ReadMode,
    /// Which part of a document is wanted.
    pub selection: Selection,
}

impl ReadOptions {
    /// The text from beginning to end, however long it is.
    pub fn whole(mode: ReadMode) -> ReadOptions {
        ReadOptions {
            start: 0,
            max_chars: usize::MAX,
            may_cut: true,
            mode,
            selection: Selection::default(),
        }
    }
}

/// In which form a page is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadMode {
    /// The main text as Markdown.
    #[default]
    Full,
    /// Its outline and beginning.
    Preview,
    /// Its headings and parts, each with the character at which it begins.
    Outline,
    /// The source as the site sent it.
    Raw,
}

/// What a tier is asked: everything that changes what it answers.
#[derive(Debug, Clone)]
pub(crate) struct TierRequest {
    pub(crate) url: String,
    pub(crate) raw: bool,
    /// Whether the caller continues in a page whose beginning it already has.
    pub(crate) reads_on: bool,
    pub(crate) chosen_by: ChosenBy,
    /// The file of an archive or the attachment that is wanted.
    pub(crate) part: Option<String>,
    pub(crate) password: Option<Password>,
    /// Whether the formulas of a workbook are wanted.
    pub(crate) formulas: bool,
    /// The pages to recognise if they are pictures.
    pub(crate) scans: WantedScans,
    /// The parts of a document to read; `None` for all of them.
    pub(crate) wanted: Option<WantedParts>,
    /// Whether the answer is good for these parts and these pages only.
    pub(crate) only_these_parts: bool,
}

impl TierRequest {
    /// How the address was come by, when the caller did not name it.
    pub(crate) fn chain(&self) -> Option<net::RedirectChain> {
        (self.chosen_by == ChosenBy::Search).then(net::RedirectChain::from_search)
    }

    /// A request for its address.
    pub(crate) fn to(&self, call: &Call) -> net::Request {
        let mut request = net::Request::get(&self.url).cancelled_by(call.cancel.clone());
        request.deadline = call.deadline;
        match self.chain() {
            Some(chain) => request.at_end_of(chain),
            None => request,
        }
    }
}

/// The longest wait that a site may ask for and that is spent within the call. A longer one is told
/// to the agent, which has other things to do meanwhile.
const PATIENCE: Duration = Duration::from_secs(2);

impl Patience for TierRequest {
    fn patience(&self) -> Duration {
        PATIENCE
    }

    fn presses_limited_sources(&self) -> bool {
        false
    }
}

impl Keyed for TierRequest {
    /// The fragment is never sent to the site, so it does not make another page.
    fn key(&self) -> Option<String> {
        let address = self.url.split('#').next().unwrap_or(&self.url);
        let form = if self.raw { "raw" } else { "text" };
        let part = self.part.as_ref().map(|part| format!(" part {part}"));
        let password = self.password.as_ref();
        let opened = password.map(|it| format!(" opened {:x}", selection::password_mark(it)));
        let formulas = self.formulas.then(|| " formulas".to_owned());
        let (first, last) = (self.scans.first, self.scans.last);
        let only = self.only_these_parts.then(|| {
            let wanted = self.wanted.as_ref();
            let wanted = wanted.map(|it| (it.first, it.last, it.name.as_deref()));
            format!(" scans {first}-{last} parts {wanted:?}")
        });
        let marks = part.into_iter().chain(opened).chain(formulas).chain(only);
        let marks: String = marks.collect();
        Some(format!("{form} {address}{marks}"))
    }

    fn reads_on(&self) -> bool {
        self.reads_on
    }
}

/// A page as text.
#[derive(Debug, Clone)]
pub struct Page {
    /// The address that finally answered.
    pub url: String,
    /// The tier that read it.
    pub tier: &'static str,
    /// Title, author and the like.
    pub metadata: Metadata,
    /// The text from `start` on, at most `max_chars` of it.
    pub text: String,
    /// The first character returned.
    pub start: usize,
    /// Characters in the whole text, or in the parts of it that were asked for.
    pub total_chars: usize,
    /// The character before which the wanted text ends.
    pub end: usize,
    /// The pages, sheets or files of the document.
    pub parts: Vec<PagePart>,
    /// Where to read on, when the text was cut.
    pub cursor: Option<usize>,
    /// Whether the source itself was cut at a size limit.
    pub source_truncated: bool,
    /// What could not be read as intended.
    pub parse_warning: Option<String>,
    /// How old the page is, when it comes from the cache.
    pub age: Option<Duration>,
    /// Whether text in pictures was recognised by a program.
    pub has_ocr: bool,
    /// The first and the last page that are pictures and were not recognised in the time of the call.
    pub unread: Option<(u32, u32)>,
    /// The kind, the first and the last of the parts that a limit did not allow to be read.
    pub unreached: Option<(reading::document::Unit, u32, u32)>,
}

/// How pages are read.
///
/// Servers share cached pages only if all of this is the same, see `fingerprint`.
#[derive(Debug, Clone, Hash)]
pub struct PageSettings {
    /// The name that robots.txt files know this program by; `None` when they are not asked.
    pub robot: Option<String>,
    /// A third-party reader to try after our own; `None` unless the operator names one.
    pub reader: Option<ReaderSettings>,
    /// When the browser on this machine is used.
    pub browser: BrowserUse,
    /// Reads documents in worker processes.
    pub documents: DocumentWorkers,
    /// The paid tier; `None` unless the operator has a key for it.
    pub exa: Option<ExaSettings>,
}

impl PageSettings {
    /// The default settings. `worker` is the program that is started to read documents.
    pub fn new(worker: impl Into<std::path::PathBuf>) -> PageSettings {
        PageSettings {
            robot: Some("fingerpost".to_owned()),
            reader: None,
            browser: BrowserUse::WhenNeeded(net::browser::BrowserSettings::default()),
            documents: DocumentWorkers::new(worker),
            exa: None,
        }
    }
}

/// Every tier, in the order they are tried: cheap before costly, our own before third parties.
/// A new tier is a file beside this one and a row here.
static TIERS: &[TierRow] = &[
    browser::INSTEAD_OF_DIRECT,
    direct::ROW,
    reader::ROW,
    browser::WHEN_NEEDED,
    exa::CACHED,
    exa::CRAWLED,
];

/// The name of a tier as [`TIERS`] has it; `None` for a name that is not there.
fn tier_name(name: &str) -> Option<&'static str> {
    let mut names = TIERS.iter().flat_map(|row| row.names).copied();
    names.find(|known| *known == name)
}

/// Stands for everything that decides which pages may be read and what they look like. It hashes
/// whole settings, so that a field that is added later is covered too.
fn fingerprint(network: &net::ClientSettings, settings: &PageSettings) -> u64 {
    let mut hasher = DefaultHasher::new();
    (network, settings).hash(&mut hasher);
    hasher.finish()
}

/// The ladder with its layers.
#[derive(Debug)]
pub struct Pages {
    client: Arc<net::Client>,
    stack: PageStack<Politeness>,
}

impl Pages {
    /// How much the cache of pages holds.
    pub fn cache_size(&self) -> crate::layer::CacheSize {
        self.stack.inner().size()
    }

    /// Builds the tiers that the settings use, and the layers around them.
    pub fn new(
        network: net::ClientSettings,
        settings: PageSettings,
        store: Option<SharedStore>,
    ) -> Pages {
        let fingerprint = fingerprint(&network, &settings);
        let shared_cache = store.map(|store| SharedCache::new(store, "page", &fingerprint));
        let client = Arc::new(net::Client::new(network.clone()));
        let robot = settings.robot.clone();
        let robots = robot.map(|robot| Arc::new(RobotsCheck::new(Arc::clone(&client), robot)));
        let inputs = TierInputs {
            network: &network,
            settings: &settings,
            client: &client,
            response_reader: &ResponseReader::new(
                settings.documents.clone(),
                network.memory.clone(),
            ),
            robots: robots.as_ref(),
        };
        let tiers = TIERS
            .iter()
            .filter_map(|row| (row.build)(&inputs))
            .collect();
        let politeness = Politeness::new(Arc::clone(&client), robots, Ladder::new(tiers));
        Pages {
            client,
            stack: layer::page_stack(politeness, shared_cache),
        }
    }

    /// Refuses an address that the policy does not admit as it is written. Nothing is sent.
    pub(crate) fn check_address(&self, url: &str) -> Result<()> {
        politeness::admitted(&self.client, url).map(drop)
    }

    /// Reads a page, or takes it from the cache. The selection that comes with it is what remains
    /// to be cut from it: a file that is not in the text was asked for by its name already.
    pub(crate) async fn read_page(
        &self,
        call: &Call,
        request: &PageRequest,
    ) -> Result<(Aged<Arc<WholePage>>, Selection)> {
        let selection = &request.options.selection;
        let is_raw = request.options.mode == ReadMode::Raw;
        let mut request = TierRequest {
            url: request.url.clone(),
            // A file inside has a source of its own, and is found in the list of all of them.
            raw: is_raw && selection.name.is_none(),
            reads_on: request.options.start > 0,
            chosen_by: request.chosen_by,
            part: None,
            password: selection.password.clone(),
            formulas: selection.formulas,
            scans: wanted_scans(selection, &request.url),
            wanted: selection.wanted_parts(),
            only_these_parts: false,
        };
        self.check_search_result(call, &request).await?;
        let whole = self.ask(call, &request).await?;
        request.part = separate_part(&whole.answer.parts, selection);
        if request.part.is_none() && request.raw == is_raw {
            return Ok((whole, selection.clone()));
        }
        request.raw = is_raw;
        if request.part.is_none() {
            return Ok((self.ask(call, &request).await?, selection.clone()));
        }
        let inside = selection.inside_file();
        request.wanted = inside.wanted_parts();
        let file = self.ask(call, &request).await?;
        Ok((file, inside))
    }

    /// Asks again if the page in the cache was read for a caller who wanted other parts of it.
    async fn ask(&self, call: &Call, request: &TierRequest) -> Result<Aged<Arc<WholePage>>> {
        let whole = self.stack.ask(call, request).await?;
        let lacks_parts = whole.answer.lacks(request.wanted.as_ref());
        if !lacks_parts && !whole.answer.scans.lack(request.scans) {
            return Ok(whole);
        }
        let again = TierRequest {
            only_these_parts: true,
            ..request.clone()
        };
        self.stack.ask(call, &again).await
    }

    /// Refuses a search result that is not on the public internet, before the cache is asked: a
    /// page there may be one that a caller named. The tiers check again what they connect to.
    async fn check_search_result(&self, call: &Call, request: &TierRequest) -> Result<()> {
        if request.chosen_by == ChosenBy::Caller {
            return Ok(());
        }
        match self.client.check_target(&request.to(call)).await {
            Err(refusal) if refusal.kind() == Kind::Validation => Err(refusal),
            // What else is wrong with the address is found again behind the layers.
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use fault::Secret;
    use url::Url;

    use super::*;

    fn settings() -> PageSettings {
        PageSettings::new("worker")
    }

    /// Settings that each differ from [`settings`] in one value. The destructuring fails to compile
    /// when a field is added, so that it gets a case here.
    fn changed_settings() -> Vec<(&'static str, PageSettings)> {
        let PageSettings {
            robot: _,
            reader: _,
            browser: _,
            documents: _,
            exa: _,
        } = settings();
        let limits = reading::document::Limits {
            pages: 1,
            ..reading::document::Limits::default()
        };
        let browser = net::browser::BrowserSettings {
            max_traffic: 1,
            ..net::browser::BrowserSettings::default()
        };
        let with = |change: &dyn Fn(&mut PageSettings)| {
            let mut settings = settings();
            change(&mut settings);
            settings
        };
        vec![
            ("robot", with(&|it| it.robot = None)),
            ("reader", with(&|it| it.reader = Some(reader("key")))),
            ("reader key", with(&|it| it.reader = Some(reader("other")))),
            ("browser", with(&|it| it.browser = BrowserUse::Never)),
            (
                "browser limits",
                with(&|it| it.browser = BrowserUse::WhenNeeded(browser.clone())),
            ),
            (
                "worker",
                with(&|it| it.documents = DocumentWorkers::new("another-worker")),
            ),
            (
                "OCR",
                with(&|it| {
                    it.documents =
                        DocumentWorkers::new("worker").with_ocr(crate::worker::OcrUse::Never)
                }),
            ),
            (
                "worker limits",
                with(&|it| it.documents = DocumentWorkers::new("worker").with_limits(limits)),
            ),
            ("exa", with(&|it| it.exa = Some(exa("key")))),
            ("exa key", with(&|it| it.exa = Some(exa("other")))),
        ]
    }

    fn reader(key: &str) -> ReaderSettings {
        ReaderSettings {
            base: Url::parse("https://reader.example/").expect("a URL"),
            key: Some(Secret::new(key.to_owned())),
        }
    }

    fn exa(key: &str) -> ExaSettings {
        ExaSettings {
            base: Url::parse("https://exa.example/").expect("a URL"),
            key: Secret::new(key.to_owned()),
        }
    }

    #[test]
    fn settings_that_differ_in_any_field_have_different_fingerprints() {
        let network = net::ClientSettings::default();
        let open = net::ClientSettings {
            policy: net::guard::Policy::new(vec!["127.0.0.1".parse().expect("a rule")]),
            ..net::ClientSettings::default()
        };
        let mut seen = vec![
            ("unchanged", fingerprint(&network, &settings())),
            ("network", fingerprint(&open, &settings())),
        ];
        assert_eq!(seen[0].1, fingerprint(&network, &settings()));
        for (name, changed) in changed_settings() {
            let fingerprint = fingerprint(&network, &changed);
            for (other, known) in &seen {
                assert_ne!(fingerprint, *known, "{name} and {other}");
            }
            seen.push((name, fingerprint));
        }
    }

    #[test]
    fn pages_opened_with_different_passwords_have_different_keys() {
        let key = |password: Option<&str>| {
            let request = TierRequest {
                url: "https://a.example/x.pdf#page=2".to_owned(),
                raw: false,
                reads_on: false,
                chosen_by: ChosenBy::Caller,
                part: None,
                password: password.map(Password::new),
                formulas: false,
                scans: WantedScans::ALL,
                wanted: None,
                only_these_parts: false,
            };
            request.key().expect("a page has a key")
        };
        let keys = [key(None), key(Some("horse")), key(Some("battery"))];
        assert_eq!(keys[0], "text https://a.example/x.pdf");
        assert!(keys[1] != keys[2] && keys[1] == key(Some("horse")));
        assert!(!keys.concat().contains("horse"));
    }

    #[test]
    fn every_tier_of_the_table_is_known_by_its_names() {
        for name in TIERS.iter().flat_map(|row| row.names) {
            assert_eq!(tier_name(name), Some(*name));
        }
        assert_eq!(tier_name("file"), None);
    }
}
