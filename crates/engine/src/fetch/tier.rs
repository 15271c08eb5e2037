//! What a tier is: a row of [`TIERS`](super::TIERS), and the upstream that the row builds.

use std::sync::Arc;

use super::response_reader::ResponseReader;
use super::robots_check::RobotsCheck;
use super::{PageSettings, TierRequest, WholePage};
use crate::upstream::Upstream;

pub(super) type BoxedTier = Box<dyn Upstream<Ask = TierRequest, Answer = WholePage>>;

#[derive(Debug)]
pub(super) struct TierRow {
    /// The names under which pages and faults report this tier.
    pub(super) names: &'static [&'static str],
    /// Builds the tier; `None` when the settings do not use it.
    pub(super) build: fn(&TierInputs<'_>) -> Option<BoxedTier>,
}

/// What a tier can be built from.
pub(super) struct TierInputs<'s> {
    pub(super) network: &'s net::ClientSettings,
    pub(super) settings: &'s PageSettings,
    /// Reaches the addresses that callers name.
    pub(super) client: &'s Arc<net::Client>,
    pub(super) response_reader: &'s ResponseReader,
    /// `None` when robots.txt files are not asked.
    pub(super) robots: Option<&'s Arc<RobotsCheck>>,
}
