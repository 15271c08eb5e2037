//! A tier that invents pages; see xtask/src/extensions.rs.

use std::time::Duration;

use super::tier::TierRow;
use super::{TierRequest, WholePage};
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};
use reading::extract::Metadata;

pub(super) const ROW: TierRow = TierRow {
    names: &["throwaway"],
    build: |_| Some(Box::new(Throwaway)),
};

#[derive(Debug)]
struct Throwaway;

impl Upstream for Throwaway {
    type Ask = TierRequest;
    type Answer = WholePage;

    fn spec(&self) -> &'static Spec {
        const SPEC: Spec = Spec { id: "throwaway" };
        &SPEC
    }

    fn ask<'a>(&'a self, _: &'a Call, request: &'a TierRequest) -> Answering<'a, WholePage> {
        Box::pin(std::future::ready(Ok(WholePage {
            url: request.url.clone(),
            tier: "throwaway",
            metadata: Metadata::default(),
            text: "Read by the new tier.".to_owned(),
            source_truncated: false,
            parse_warning: None,
            partial: None,
            fresh_for: Duration::ZERO,
            is_private: false,
            parts: Vec::new(),
            wanted: None,
            scans: super::ScannedPages::default(),
        })))
    }
}
