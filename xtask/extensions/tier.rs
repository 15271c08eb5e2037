//! A tier that invents pages; see xtask/src/extensions.rs.

use super::tier::TierRow;
use super::{TierRequest, WholePage};
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};

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
        let text = "Read by the new tier.".to_owned();
        let page = WholePage::new(request.url.clone(), "throwaway", text);
        Box::pin(std::future::ready(Ok(page)))
    }
}
