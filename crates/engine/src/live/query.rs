//! What a caller wants to know.

use std::time::Duration;

use crate::layer::{Keyed, Patience};
use crate::search::Date;

/// A live search. Everything in it is valid.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveQuery {
    pub text: String,
    pub kind: LiveKind,
    pub mode: AnalysisMode,
    /// The most results.
    pub count: usize,
    pub from: Option<Date>,
    pub to: Option<Date>,
    /// Only posts of these accounts on X, without the `@`. Only where posts are searched, as the
    /// next; the two after that only where pages are.
    pub handles: Vec<String>,
    /// No posts of these; xAI takes only one of the two lists, so `handles` goes before.
    pub excluded_handles: Vec<String>,
    /// Only pages of these sites.
    pub domains: Vec<String>,
    /// No pages of these; `domains` goes before.
    pub excluded_domains: Vec<String>,
}

/// What is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveKind {
    Web,
    News,
    /// Posts on X.
    Posts,
    /// The web, the news and posts on X.
    General,
}

impl LiveKind {
    pub const ALL: [LiveKind; 4] = [
        LiveKind::Web,
        LiveKind::News,
        LiveKind::General,
        LiveKind::Posts,
    ];

    /// The word that callers use.
    pub const fn as_str(self) -> &'static str {
        match self {
            LiveKind::Web => "web",
            LiveKind::News => "news",
            LiveKind::Posts => "twitter",
            LiveKind::General => "general",
        }
    }

    /// Whether pages are searched.
    pub const fn has_web(self) -> bool {
        !matches!(self, LiveKind::Posts)
    }

    /// Whether posts on X are searched.
    pub const fn has_posts(self) -> bool {
        matches!(self, LiveKind::Posts | LiveKind::General)
    }
}

/// How much the model makes of what it finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnalysisMode {
    /// A list of results with a short summary.
    Basic,
    /// An analysis with findings, a timeline, quotes and points of view.
    Comprehensive,
}

impl AnalysisMode {
    pub const ALL: [AnalysisMode; 2] = [AnalysisMode::Basic, AnalysisMode::Comprehensive];

    pub const fn as_str(self) -> &'static str {
        match self {
            AnalysisMode::Basic => "basic",
            AnalysisMode::Comprehensive => "comprehensive",
        }
    }

    /// How long an answer may be shown again. An analysis is expensive and changes slowly; a list
    /// of results is asked for because it is new.
    pub(super) const fn fresh_for(self) -> Duration {
        match self {
            AnalysisMode::Basic => Duration::from_secs(60),
            AnalysisMode::Comprehensive => Duration::from_secs(1_800),
        }
    }
}

impl Keyed for LiveQuery {
    fn key(&self) -> Option<String> {
        Some(format!("{self:?}"))
    }
}

/// Nobody else could answer, so a wait within the deadline is waited for.
impl Patience for LiveQuery {}
