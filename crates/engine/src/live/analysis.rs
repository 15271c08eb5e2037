//! The comprehensive part of an answer. The names of the fields are those that clients of the live
//! toolset know.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::citation::Citations;
use super::texts::{Texts, date};

/// What the model makes of what it found. A value that it did not give is absent or empty.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Analysis {
    pub comprehensive_analysis: String,
    pub key_findings: Vec<Finding>,
    pub timeline: Vec<TimelineEvent>,
    pub direct_quotes: Vec<Quote>,
    pub related_context: String,
    pub multiple_perspectives: Vec<Perspective>,
    pub implications: Implications,
    pub verification_status: Verification,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Finding {
    pub category: Option<String>,
    pub title: Option<String>,
    pub content: Option<String>,
    #[serde(flatten)]
    pub sources: Sources,
    pub confidence: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TimelineEvent {
    pub date: Option<String>,
    pub event: Option<String>,
    pub source: Option<String>,
    pub significance: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Quote {
    pub quote: Option<String>,
    pub speaker: Option<String>,
    pub context: Option<String>,
    /// Only an address that xAI cites.
    pub source_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncited_source_url: Option<String>,
    pub significance: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Perspective {
    pub viewpoint: Option<String>,
    pub content: Option<String>,
    #[serde(flatten)]
    pub sources: Sources,
    pub reasoning: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Implications {
    pub short_term: Option<String>,
    pub long_term: Option<String>,
    pub stakeholders_affected: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Verification {
    pub confirmed_facts: Vec<String>,
    pub unconfirmed_claims: Vec<String>,
    pub contradictory_information: Vec<String>,
}

/// The addresses that a statement is based on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Sources {
    /// Those that xAI cites.
    pub sources: Vec<String>,
    /// Those that only the model names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncited_sources: Vec<String>,
}

/// The most addresses of one statement.
const MAX_SOURCES: usize = 20;

impl Analysis {
    /// The analysis in the object that the model wrote; `None` when it holds none.
    pub(super) fn read(object: &Value, citations: &Citations, texts: &Texts) -> Option<Analysis> {
        let implications = &object["implications"];
        let verified = &object["verification_status"];
        Some(Analysis {
            comprehensive_analysis: texts.long(&object["comprehensive_analysis"])?,
            key_findings: texts.each(&object["key_findings"], |it| Finding {
                category: texts.name(&it["category"]),
                title: texts.name(&it["title"]),
                content: texts.field(&it["content"]),
                sources: Sources::read(&it["sources"], citations, texts),
                confidence: texts.name(&it["confidence"]),
            }),
            timeline: texts.each(&object["timeline"], |it| TimelineEvent {
                date: date(&it["date"]).map(|date| date.to_string()),
                event: texts.field(&it["event"]),
                source: texts.name(&it["source"]),
                significance: texts.field(&it["significance"]),
            }),
            direct_quotes: texts.each(&object["direct_quotes"], |it| {
                Quote::read(it, citations, texts)
            }),
            related_context: texts.long(&object["related_context"]).unwrap_or_default(),
            multiple_perspectives: texts.each(&object["multiple_perspectives"], |it| Perspective {
                viewpoint: texts.name(&it["viewpoint"]),
                content: texts.field(&it["content"]),
                sources: Sources::read(&it["sources"], citations, texts),
                reasoning: texts.field(&it["reasoning"]),
            }),
            implications: Implications {
                short_term: texts.field(&implications["short_term"]),
                long_term: texts.field(&implications["long_term"]),
                stakeholders_affected: texts.fields(&implications["stakeholders_affected"]),
            },
            verification_status: Verification {
                confirmed_facts: texts.fields(&verified["confirmed_facts"]),
                unconfirmed_claims: texts.fields(&verified["unconfirmed_claims"]),
                contradictory_information: texts.fields(&verified["contradictory_information"]),
            },
        })
    }

    /// How many addresses in it are not cited.
    pub(super) fn uncited(&self) -> usize {
        let findings = self.key_findings.iter().map(|it| &it.sources);
        let views = self.multiple_perspectives.iter().map(|it| &it.sources);
        let lists = findings.chain(views).map(|it| it.uncited_sources.len());
        let quotes = self.direct_quotes.iter();
        lists.sum::<usize>() + quotes.filter(|it| it.uncited_source_url.is_some()).count()
    }
}

impl Quote {
    fn read(quote: &Value, citations: &Citations, texts: &Texts) -> Quote {
        let url = texts.address(&quote["source_url"]);
        let is_cited = url
            .as_deref()
            .is_some_and(|url| citations.find(url).is_some());
        let (source_url, uncited_source_url) = match is_cited {
            true => (url, None),
            false => (None, url),
        };
        Quote {
            quote: texts.field(&quote["quote"]),
            speaker: texts.name(&quote["speaker"]),
            context: texts.field(&quote["context"]),
            source_url,
            uncited_source_url,
            significance: texts.field(&quote["significance"]),
        }
    }
}

impl Sources {
    fn read(list: &Value, citations: &Citations, texts: &Texts) -> Sources {
        let urls = list.as_array().into_iter().flatten().take(MAX_SOURCES);
        let urls = urls.filter_map(|url| texts.address(url));
        let (sources, uncited_sources) = urls.partition(|url| citations.find(url).is_some());
        Sources {
            sources,
            uncited_sources,
        }
    }
}
