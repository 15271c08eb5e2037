//! xAI: `POST /v1/responses` with its own search tools, and `GET /v1/api-key`.
//!
//! A request is `{"model","store","input":[{"role","content"}],"tools":[…]}` with the key as a
//! bearer token. Tools: `{"type":"web_search","filters":{"allowed_domains" or "excluded_domains"}}`
//! (at most 5 of either), and `{"type":"x_search","allowed_x_handles" or "excluded_x_handles",
//! "from_date","to_date"}` (at most 20 of either; days are inclusive). The reply is
//! `{"status","output":[…],"citations","usage":{"num_server_side_tools_used"}}`. Its output has
//! `web_search_call` items, `x_search_call` or `custom_tool_call` for searches of X, and a `message`
//! whose content is `{"type":"output_text","text","annotations":[{"type":"url_citation","url",
//! "start_index","end_index","title"}]}`. A citation stands in the text as `[[1]](url)`.
//!
//! Errors are `{"code","error"}`, where `error` is a sentence and `code` a word of newer servers
//! (`invalid-argument`) or the description of a gRPC status of older ones; some have no code. A
//! wrong key is 400 `invalid-argument`, like any other refused request, so the key is then checked
//! by itself. No key: 401 `unauthenticated:no-credentials`. A token that is no longer good: 403
//! `unauthenticated:bad-credentials`. An unknown or retired model: 404 `not-found`. No credits: 402, 403 or
//! 429 `personal-team-blocked:spending-limit`, or 403 `permission-denied`, which is also what a key without access
//! gets. Live Search, which this replaces, answers 410 without a code.
//!
//! `GET /v1/api-key` answers
//! `{"name","team_id","acls","api_key_blocked","api_key_disabled","team_blocked"}` and costs nothing.
//!
//! Seen 2026-11-16: replies to both tools recorded in vercel/ai (packages/xai, 2025-10-29 and
//! 2025-11-03; there without offsets), one of 2026 with an empty `output`; offsets, marks, the
//! `custom_tool_call` of X and the limits of the filters in public notes on live requests of
//! 2026-08-21; annotations with offsets 0 to 0 in public reports of 2026; the 410 in vercel/ai#15713
//! (2026-05-29) and langgenius/dify-official-plugins#2493 (2026-01-27); the 404 in xAI's
//! documentation of regions; the 400, 401, 402 and 403 in tests and notes of public clients from
//! 2026-07 to 2026-10; that most retired models are redirected, in xAI's notice of 2026-05-15
//! (llm-exe/llm-exe#512). Not seen: a 429 with its headers, and a reply with the status `failed`.
//! Tested against the lab.

use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Result, Retry, Say, SettingName};
use http::header;
use serde::Deserialize;
use tokio::time::Instant;

use super::answer::LiveAnswer;
use super::query::LiveQuery;
use super::reply::{self, NoAnswer};
use super::request;
use crate::call::Call;
use crate::search::api::Api;
use crate::search::provider::{ErrorMeaning, KeyRequirement, ProviderSpec, ProviderTier, provider};
use crate::upstream::{Answering, Spec, Upstream};

/// The variable that a missing key is told under: the one that xAI's own documentation has.
pub const KEY_VARIABLE: SettingName = SettingName::new("XAI_API_KEY");
pub const MODEL_VARIABLE: SettingName = SettingName::new("FINGERPOST_XAI_MODEL");
pub const URL_VARIABLE: SettingName = SettingName::new("FINGERPOST_XAI_URL");

/// No credits are left, or the limit that the team has set itself is reached.
const NO_CREDITS: &str = "personal-team-blocked:spending-limit";

pub(super) static XAI: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Commercial,
    key: KeyRequirement::Needed,
    about: "xAI's models, which search the web and X.",
    docs: "https://docs.x.ai/docs/guides/tools/search-tools",
    codes_at: &["/code", "/error/code"],
    errors: &[
        ErrorMeaning::code(403, NO_CREDITS, Case::QuotaExhausted),
        ErrorMeaning::code(429, NO_CREDITS, Case::QuotaExhausted),
        ErrorMeaning::code(403, "unauthenticated:bad-credentials", Case::BadKey),
        ErrorMeaning::status(402, Case::QuotaExhausted),
        ErrorMeaning::status(404, Case::BadSetting),
        ErrorMeaning::status(410, Case::BadSetting),
    ],
    ..provider!("xai", "xAI API")
};

/// What a check of the key has told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyCheck {
    /// xAI takes the key.
    Accepted,
    /// The server has no such check, as is usual for those that pass requests on to xAI.
    NotOffered,
}

/// xAI as an upstream, the innermost of its layers.
#[derive(Debug, Clone)]
pub(super) struct Xai {
    api: Api,
    model: String,
}

/// The state of a key. The acls and the names are not needed.
#[derive(Deserialize)]
struct KeyState {
    #[serde(default)]
    api_key_blocked: bool,
    #[serde(default)]
    api_key_disabled: bool,
    #[serde(default)]
    team_blocked: bool,
}

impl Xai {
    pub(super) fn new(api: Api, model: String) -> Xai {
        Xai { api, model }
    }

    async fn search(&self, call: &Call, query: &LiveQuery) -> Result<LiveAnswer> {
        let sent = self
            .api
            .post_json("/v1/responses", &request::body(query, &self.model))
            .header(header::ACCEPT, "application/json")
            .bearer()
            .send(call);
        let response = match sent.await {
            Ok(response) => response,
            Err(fault) => return Err(self.explained(call, fault).await),
        };
        let read = reply::read(&response.body)
            .and_then(|reply| LiveAnswer::read(query, reply).ok_or(NoAnswer::BadShape));
        read.map_err(|why| match why {
            NoAnswer::Failed => self.failed(response.status),
            NoAnswer::BadShape => self.api.bad_shape(&response.body),
        })
    }

    /// The fault for a reply in which xAI says that it failed. It may pass, like a status of 500;
    /// the status of the reply explains nothing.
    fn failed(&self, status: u16) -> Fault {
        let fault = self.api.fault(Case::HttpStatus).status(status);
        let fault = fault.retry(Retry::After(AFTER_FAILURE));
        fault.saying(SEARCH_FAILED).advising(TRY_AGAIN)
    }

    /// Whether xAI takes the key.
    pub(super) async fn check_key(&self, call: &Call) -> Result<KeyCheck> {
        let asked = self.api.get("/v1/api-key").bearer();
        let state: Result<KeyState> = asked.json(&briefly(call)).await;
        let state = match state {
            Ok(state) => state,
            Err(fault) if is_refusal(&fault) => return Err(self.bad_key(&fault)),
            Err(fault) if is_not_offered(&fault) => return Ok(KeyCheck::NotOffered),
            Err(fault) => return Err(fault),
        };
        if state.api_key_blocked || state.api_key_disabled {
            Err(self
                .api
                .fault(Case::BadKey)
                .detail(Say::new("xAI says that the key is blocked or disabled")))
        } else if state.team_blocked {
            Err(self.api.fault(Case::Forbidden).advising(ALLOW_SEARCH))
        } else {
            Ok(KeyCheck::Accepted)
        }
    }

    /// The fault with what to change, where xAI's status says it.
    async fn explained(&self, call: &Call, fault: Fault) -> Fault {
        match fault.seen_status() {
            Some(400) if self.is_key_refused(call).await => self.bad_key(&fault),
            // A used-up quota and a wrong key are told with this status too, and have rows of their own.
            Some(403) if fault.row().http_status == 403 => fault.advising(ALLOW_SEARCH),
            Some(404) => fault
                .setting(MODEL_VARIABLE)
                .saying(NO_SUCH_MODEL)
                .advising(set_model()),
            Some(410) => fault
                .setting(URL_VARIABLE)
                .saying(RETIRED_API)
                .advising(set_address()),
            _ => fault,
        }
    }

    async fn is_key_refused(&self, call: &Call) -> bool {
        let asked = self.api.get("/v1/api-key").bearer();
        let reply = asked.send(&briefly(call)).await;
        reply.is_err_and(|it| is_refusal(&it))
    }

    fn bad_key(&self, refusal: &Fault) -> Fault {
        self.api.fault(Case::BadKey).status(refusal.seen_status())
    }
}

/// The longest time that a check of the key may take.
const CHECK_LIMIT: Duration = Duration::from_secs(5);

/// The same call with the time for a check of the key.
fn briefly(call: &Call) -> Call {
    Call {
        deadline: call.deadline.min(Instant::now() + CHECK_LIMIT),
        ..call.clone()
    }
}

/// Whether a key was refused: the check of a key has nothing else that could be wrong.
fn is_refusal(fault: &Fault) -> bool {
    matches!(fault.seen_status(), Some(400 | 401 | 403))
}

/// Whether a server does not have the check of a key.
fn is_not_offered(fault: &Fault) -> bool {
    matches!(fault.seen_status(), Some(404 | 405 | 501))
}

/// How long to wait after a search that failed at xAI.
const AFTER_FAILURE: Duration = Duration::from_secs(15);
const SEARCH_FAILED: Say =
    Say::new("API request failed: xAI took the request and then reported that its search failed.");
const TRY_AGAIN: Say = Say::new("Wait 15 seconds before you ask xAI again.");

const ALLOW_SEARCH: Say = Say::new(
    "Ask the user to allow the API key the model and the endpoint /v1/responses, and to check the team's credits, in xAI's console.",
);
const NO_SUCH_MODEL: Say = Say::new(
    "xAI has no such model for this API key (HTTP 404): it was retired, renamed or is not open to the team.",
);
const RETIRED_API: Say = Say::new("xAI has retired the interface that was asked (HTTP 410).");

fn set_model() -> Say {
    Say::new("Ask the user to name a current model in ")
        .with(MODEL_VARIABLE.as_str())
        .with(", and to check the address in ")
        .with(URL_VARIABLE.as_str())
        .with(" if it is set.")
}

fn set_address() -> Say {
    Say::new("Ask the user to remove ")
        .with(URL_VARIABLE.as_str())
        .with(" if it leads to an older server, or else to update Fingerpost.")
}

impl Upstream for Xai {
    type Ask = LiveQuery;
    type Answer = Arc<LiveAnswer>;

    fn spec(&self) -> &'static Spec {
        &XAI.upstream
    }

    fn ask<'a>(&'a self, call: &'a Call, query: &'a LiveQuery) -> Answering<'a, Arc<LiveAnswer>> {
        Box::pin(async move { self.search(call, query).await.map(Arc::new) })
    }
}
