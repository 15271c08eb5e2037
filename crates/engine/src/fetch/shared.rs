//! What may be told to a third party: addresses on the public internet, and nothing that a rule of
//! the operator's opened.

use fault::{Case, Fault, Host, Origin, Result, TierName};
use url::Url;

use super::Ask;
use crate::call::Call;

/// The address, if a third party may hear it. Judged as a fetch would be, name and addresses.
pub(super) async fn shareable(
    pages: &net::Client,
    call: &Call,
    ask: &Ask,
    tier: TierName,
) -> Result<Url> {
    let mut request = net::Request::get(&ask.url).cancelled_by(call.cancel.clone());
    request.deadline = call.deadline;
    let judged = pages
        .check_target(&request)
        .await
        .map_err(|fault| fault.tier(tier))?;
    let url = judged.target.url();
    if judged.is_public() {
        return Ok(url.clone());
    }
    Err(Fault::new(Case::PolicyPrivateAddress, Origin::Provider)
        .host(Host::of(url))
        .tier(tier))
}
