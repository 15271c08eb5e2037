//! What to change in a research session that keeps meeting a kind of fault.
//!
//! Advice names only what this server has: a provider that can be asked, a tool that takes the
//! parameter, a setting that would help. Where it can be followed, it is the sentence that clients
//! know from web-researcher-mcp.

use engine::Engine;
use engine::research::RepeatedFault;
use engine::search::{Capability, LOCAL_INDEX};
use fault::Kind;

use crate::settings::{BrowserChoice, Settings};

const WEB_SEARCH: &str = "web_search";
const ACADEMIC_SEARCH: &str = "academic_search";

/// What advice may point to.
#[derive(Debug, Clone)]
pub(crate) struct SessionAdvisor {
    /// The providers that can search the web now.
    web: Vec<&'static str>,
    /// Whether whoever is advised can search the web themselves.
    has_web_search: bool,
    /// The providers that can search for papers now; none if whoever is advised cannot.
    papers: Vec<&'static str>,
    may_use_browser: bool,
}

impl SessionAdvisor {
    /// `can_name` says whether whoever is advised may call the tool of a name.
    pub(crate) async fn new(
        settings: &Settings,
        engine: &Engine,
        can_name: impl Fn(&str) -> bool,
    ) -> SessionAdvisor {
        let has_indexed = match engine.index() {
            Some(index) => index.count().await.is_ok_and(|count| count > 0),
            None => false,
        };
        let usable = |capability| -> Vec<&'static str> {
            let ids = engine.searching().usable(capability).into_iter();
            ids.filter(|id| has_indexed || *id != LOCAL_INDEX)
                .map(|id| id.as_str())
                .collect()
        };
        SessionAdvisor {
            web: usable(Capability::Web),
            has_web_search: can_name(WEB_SEARCH),
            papers: match can_name(ACADEMIC_SEARCH) {
                true => usable(Capability::Academic),
                false => Vec::new(),
            },
            may_use_browser: settings.browser != BrowserChoice::Never,
        }
    }

    pub(crate) fn advise(&self, fault: &RepeatedFault<'_>) -> String {
        let others = self.others(fault);
        if is_of_search(fault) {
            self.about_providers(fault, &others)
        } else {
            self.about_pages(fault, &others)
        }
    }

    /// The providers that did not fail, in this way or the last time that they were asked.
    fn others(&self, fault: &RepeatedFault<'_>) -> Vec<&'static str> {
        let web = self.web.iter().copied();
        web.filter(|id| is_other(fault, id)).collect()
    }

    fn about_providers(&self, fault: &RepeatedFault<'_>, others: &[&str]) -> String {
        let failing: Vec<&str> = fault.providers.iter().copied().collect();
        let failing = failing.join(", ");
        let others_listed = others.join(", ");
        match (fault.kind, others.is_empty()) {
            (Kind::AuthRequired, true) => {
                format!("Tell the user that the key of {failing} is refused.")
            }
            (Kind::AuthRequired, false) => format!(
                "Tell the user that the key of {failing} is refused, and search with {others_listed} meanwhile."
            ),
            (Kind::Blocked, true) => {
                format!(
                    "Tell the user that {failing} blocks this server; no other provider answers now."
                )
            }
            (Kind::Blocked, false) => {
                format!("Switch to a different provider ({others_listed}).")
            }
            (Kind::RateLimited, true) => "Space requests further apart.".to_owned(),
            (Kind::RateLimited, false) => {
                "Switch to a different provider or space requests further apart.".to_owned()
            }
            (Kind::UpstreamUnavailable, true) => {
                "The provider is unavailable — retry later.".to_owned()
            }
            (Kind::UpstreamUnavailable, false) => {
                "The provider is unavailable — switch providers or retry later.".to_owned()
            }
            _ => self.about_pages(fault, others),
        }
    }

    fn about_pages(&self, fault: &RepeatedFault<'_>, others: &[&str]) -> String {
        let sentence = match fault.kind {
            Kind::AuthRequired => self.about_walls(fault),
            Kind::Blocked if others.is_empty() || !self.has_web_search => {
                "Try alternative sources."
            }
            Kind::Blocked => "Try alternative sources or use web_search for cached versions.",
            Kind::RateLimited => "Space requests further apart, or use other sources.",
            Kind::BrowserUnavailable if self.may_use_browser => {
                "Set CHROME_PATH for JavaScript-heavy sites."
            }
            Kind::BrowserUnavailable => {
                "This server uses no browser — choose sources that need no JavaScript."
            }
            Kind::Network => "Transient network errors — retry, or try a different source.",
            Kind::ContentEmpty => {
                "The page yielded no usable text — try a different source or the original PDF."
            }
            Kind::UpstreamUnavailable => {
                "The site is unavailable — try a different source or retry later."
            }
            Kind::NotFound if others.is_empty() => {
                "Several links are dead — look for the same content at other addresses."
            }
            Kind::NotFound => {
                "Several links are dead — search for the titles instead of opening old addresses."
            }
            Kind::Validation => {
                "Calls are refused before they are made — read the first line of each fault and correct the arguments."
            }
            Kind::Config if others.is_empty() => {
                "No provider answers these searches on this server — tell the user."
            }
            Kind::Config => {
                return format!(
                    "A provider is not set up on this server — leave the provider out, or use one of these: {}.",
                    others.join(", ")
                );
            }
            Kind::SessionNotFound => {
                "Several session ids are unknown — list the sessions and use an id from the list."
            }
        };
        sentence.to_owned()
    }

    /// Pages behind a login or a paywall. Only `academic_search` takes `open_access`.
    fn about_walls(&self, fault: &RepeatedFault<'_>) -> &'static str {
        if !self.papers.iter().any(|id| is_other(fault, id)) {
            "Look for open copies: preprint servers (arxiv, biorxiv) or the authors' own pages."
        } else if fault.tools.contains(ACADEMIC_SEARCH) {
            "Consider open_access=true or target preprint servers (arxiv, biorxiv)."
        } else {
            "Consider academic_search with open_access=true or target preprint servers (arxiv, biorxiv)."
        }
    }
}

fn is_other(fault: &RepeatedFault<'_>, id: &str) -> bool {
    !fault.providers.contains(id) && !fault.failing.contains(id)
}

/// Whether search providers failed, and no pages.
fn is_of_search(fault: &RepeatedFault<'_>) -> bool {
    let providers = engine::search::providers();
    let is_provider = |id: &&str| {
        let mut providers = providers.iter();
        providers.any(|provider| provider.spec().id() == *id)
    };
    !fault.providers.is_empty() && fault.providers.iter().all(is_provider)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn fault<'o>(kind: Kind, tool: &'o str, provider: Option<&'o str>) -> RepeatedFault<'o> {
        RepeatedFault {
            kind,
            count: 3,
            tools: BTreeSet::from([tool]),
            providers: provider.into_iter().collect(),
            failing: provider.into_iter().collect(),
        }
    }

    fn advisor(web: &[&'static str], has_papers: bool, may_use_browser: bool) -> SessionAdvisor {
        SessionAdvisor {
            web: web.to_vec(),
            has_web_search: true,
            papers: has_papers.then_some("openalex").into_iter().collect(),
            may_use_browser,
        }
    }

    #[test]
    fn the_sentences_of_web_researcher_mcp_are_used_where_they_can_be_followed() {
        let all = advisor(&["brave", "tavily"], true, true);
        for (kind, tool, provider, sentence) in [
            (
                Kind::AuthRequired,
                "academic_search",
                None,
                "Consider open_access=true or target preprint servers (arxiv, biorxiv).",
            ),
            (
                Kind::Blocked,
                "scrape_page",
                Some("html"),
                "Try alternative sources or use web_search for cached versions.",
            ),
            (
                Kind::RateLimited,
                "web_search",
                Some("brave"),
                "Switch to a different provider or space requests further apart.",
            ),
            (
                Kind::BrowserUnavailable,
                "scrape_page",
                Some("browser"),
                "Set CHROME_PATH for JavaScript-heavy sites.",
            ),
            (
                Kind::UpstreamUnavailable,
                "web_search",
                Some("brave"),
                "The provider is unavailable — switch providers or retry later.",
            ),
        ] {
            assert_eq!(all.advise(&fault(kind, tool, provider)), sentence);
        }
    }

    #[test]
    fn advice_names_only_what_this_server_has() {
        let poor = advisor(&["brave"], false, false);
        for kind in Kind::ALL.iter().copied() {
            for (tool, provider) in [("web_search", Some("brave")), ("scrape_page", Some("html"))] {
                let advice = poor.advise(&fault(kind, tool, provider));
                for absent in ["open_access", "CHROME_PATH", "witch"] {
                    assert!(!advice.contains(absent), "{kind}: {advice}");
                }
            }
        }
        let reader = SessionAdvisor {
            has_web_search: false,
            ..poor
        };
        let advice = reader.advise(&fault(Kind::Blocked, "scrape_page", Some("html")));
        assert_eq!(advice, "Try alternative sources.");
        let two = advisor(&["brave", "tavily"], true, true);
        let mut both = fault(Kind::Blocked, "web_search", Some("brave"));
        both.failing.insert("tavily");
        let advice = two.advise(&both);
        assert!(!advice.contains("tavily"), "it failed too: {advice}");
        let advice = two.advise(&fault(Kind::AuthRequired, "web_search", Some("brave")));
        assert!(
            advice.contains("key of brave") && advice.contains("with tavily"),
            "{advice}"
        );
        let advice = two.advise(&fault(Kind::AuthRequired, "scrape_page", Some("html")));
        assert!(
            advice.contains("academic_search with open_access"),
            "{advice}"
        );
    }
}
