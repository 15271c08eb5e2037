//! Which addresses may be named to a third party: those on the public internet, and none that only
//! a rule of the operator opened.

use fault::{Case, Fault, Host, Origin, Result, TierName};
use url::Url;

use super::TierRequest;
use crate::call::Call;

/// The request's address, if a third party may learn it. Name and resolved addresses are checked
/// as for a fetch.
pub(super) async fn public_url(
    pages: &net::Client,
    call: &Call,
    request: &TierRequest,
    tier: TierName,
) -> Result<Url> {
    let judged = pages
        .check_target(&request.to(call))
        .await
        .map_err(|fault| fault.tier(tier))?;
    let url = judged.target.url();
    if judged.is_public() {
        return Ok(url.clone());
    }
    Err(Fault::new(Case::PolicyPrivateAddress, Origin::Provider)
        .host(Host::from_url(url))
        .tier(tier))
}
