//! The catalogue: every case of failure, in one table.
//!
//! [`Case`] lists the legal pairs of kind and reason, so a wrong pair cannot be written.
//! [`Case::row`] is one exhaustive `match`, so a case without a row does not compile. Sentences,
//! codes, the reference page, `fingerpost explain`, the JSON schema and the tests are all made from
//! it.
//!
//! A row defines how a fault looks on the wire, what each layer and tool does about it, and how it
//! is explained to agents and operators. Code elsewhere reads the row and does not match on
//! individual cases.
//!
//! Each kind has a row without a reason. It holds what the kind's reasons share and documents the
//! kind; its state is reserved because every fault that this version emits has a reason.
//!
//! To add a reason: a variant and its row here (usually the kind's row with three sentences of its
//! own), the place that emits it, and a provocation in the server's `every_active_case_is_emitted`
//! test.

use crate::codes::Codes;
use crate::kind::{Action, Kind, Severity, State};

/// When the same call may succeed, unless the source asks for another wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// The same call fails again.
    Never,
    /// After this many seconds; 0 means at once.
    Seconds(u64),
}

/// A sentence in two templates: what happened, and what to do about it.
///
/// The advice is appended unchanged, so it begins with its own space or comma. It is empty if there
/// is none.
#[derive(Debug, Clone, Copy)]
pub struct Wording(pub &'static str, pub &'static str);

impl Wording {
    /// The template for what happened.
    pub const fn happened(self) -> &'static str {
        self.0
    }

    /// The template for what to do.
    pub const fn advice(self) -> &'static str {
        self.1
    }
}

/// Whether the retry layer asks the same source again within one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// A second try would fail in the same way, or the time is already used up.
    No,
    /// It often passes within a second.
    Yes,
    /// Only with a status that usually passes soon.
    ByStatus,
}

/// What a failure says about the health of the provider that was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// Nothing: the provider was not asked, or the caller withdrew.
    Unknown,
    /// The provider works; the problem is this request or this answer.
    Healthy,
    /// The provider fails; several such failures in a row open its breaker.
    Failing,
    /// The provider wants fewer requests; its breaker opens at once if it named a wait.
    Limiting,
    /// The provider blocks this server; its breaker opens at once.
    Refusing,
}

/// Whether the ladder continues with the next tier after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Climb {
    /// The page has answered, and another tier would get the same answer.
    Stop,
    /// Another tier may get more.
    Next,
}

/// The next call that helps after a page could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowUp {
    /// No call can be made from the page's address alone.
    None,
    /// Search for the page's title: the same content may be elsewhere.
    SearchTitle,
    /// Read the page in parts.
    ReadInParts,
}

/// How the `agent` dialect begins its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentPrefix {
    /// `Input Error`: the call was wrong, or asked for something that does not exist.
    Input,
    /// `Configuration Error`: the operator has to act.
    Configuration,
    /// `Server Error`, unless the status says that the request was refused.
    Server,
}

/// The fixed properties of a case.
///
/// What layers, tools and dialects do about a failure is decided only here: `cargo xtask cases`
/// refuses code outside this table that matches on individual cases.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The category on the wire.
    pub kind: Kind,
    /// The refinement on the wire.
    pub reason: Option<&'static str>,
    /// Whether this version emits it.
    pub state: State,
    /// Whether and when the same call may succeed.
    pub retry: Wait,
    /// What the reader should do.
    pub action: Action,
    /// What the reader should do when a page, not a provider, caused it.
    pub page_action: Option<Action>,
    /// Whether a fault of this case is recorded.
    pub severity: Severity,
    /// Whether a report could help to improve Fingerpost.
    pub issue_link: bool,
    pub repeat: Repeat,
    /// What the failure says about the provider's health, for its breaker.
    pub health: Health,
    pub climb: Climb,
    /// Whether the caller withdrew the call: no further source is asked, and it is no source's
    /// failure.
    pub withdrawn: bool,
    /// Whether a limit of this server refused the call. It may do so again, however well the caller
    /// keeps to its wait, and that is no reason to give up.
    pub own_limit: bool,
    /// Whether any other failure takes precedence over this one when several attempts failed.
    pub speaks_last: bool,
    /// Whether a page of this case needs nothing more once a browser has run its scripts.
    pub settled_by_scripts: bool,
    /// Whether a page that was still loading when its time was up explains it: then it was late,
    /// not empty.
    pub may_be_unfinished: bool,
    /// Cases derived from a status that this case replaces when the page itself shows it, because
    /// it is more precise.
    pub refines: &'static [Case],
    /// The notice for a page that was read only in part for this reason.
    pub partial: &'static str,
    /// The next call that a tool for pages suggests.
    pub follow_up: FollowUp,
    /// The status of our own HTTP response when this fault is the whole answer.
    pub http_status: u16,
    pub agent_prefix: AgentPrefix,
    /// Whether other arguments or another setting could make the call succeed.
    pub correctable: bool,
    pub codes: Codes,
    /// Two or three words for a list of tiers; if empty, the reason is used.
    pub short: &'static str,
    /// How `detail` begins.
    pub detail: &'static str,
    /// The sentence: what failed, then what to do.
    pub sentence: Wording,
    /// The sentence when a provider's API caused it; `None` to use `sentence`.
    pub provider_sentence: Option<Wording>,
    /// The sentence when several providers were asked and each failed in this way; `None` to speak
    /// of the first.
    pub of_all_providers: Option<Wording>,
    /// The sentence of the `flat` dialect; `None` to use `sentence`.
    pub flat: Option<Wording>,
    /// The sentence of the `gated` dialect; `None` to use `sentence`.
    pub gated: Option<Wording>,
    /// What happened, for the reference.
    pub means: &'static str,
    /// What an agent should do, for the reference.
    pub agent: &'static str,
    /// What an operator should do, for the reference.
    pub operator: &'static str,
}

impl Row {
    /// `kind` or `kind/reason`.
    pub fn name(&self) -> String {
        self.reason.map_or_else(
            || self.kind.to_string(),
            |reason| format!("{}/{reason}", self.kind),
        )
    }

    /// The anchor of its heading on the reference page.
    pub fn anchor(&self) -> String {
        self.reason.map_or_else(
            || self.kind.to_string(),
            |reason| format!("{}-{reason}", self.kind),
        )
    }

    /// Its words in a list of tiers.
    pub fn outcome(&self) -> String {
        match (self.short, self.reason) {
            ("", Some(reason)) => reason.replace('_', " "),
            ("", None) => self.kind.as_str().replace('_', " "),
            (short, _) => short.to_owned(),
        }
    }
}

macro_rules! cases {
    ($($case:ident),+ $(,)?) => {
        /// The legal pairs of kind and reason.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)] // the rows document them
        pub enum Case { $($case),+ }

        impl Case {
            /// Every case, in the order of the reference page.
            pub const ALL: &'static [Case] = &[$(Case::$case),+];
        }
    };
}

cases! {
    RateLimited, Http429, QuotaExhausted, LocalLimit, RateNotice,
    AuthRequired, MissingCredentials, BadKey, Forbidden, LoginWall, Paywall,
    Blocked, Http403, BotChallenge, Captcha, ConsentWall, GeoBlock, LegalBlock, AccessDenied,
    Validation, InvalidArgument, InvalidUrl, PolicyPrivateAddress, PolicyScheme, PolicyDomain, PolicyRobots, UnsupportedType, TooLong, TooCostly,
    Network, Timeout, Cancelled, Dns, Nxdomain, ConnectionRefused, ConnectionReset, TlsHandshake, TlsCertificate, RedirectLoop, TruncatedBody,
    ContentEmpty, Empty, JsShell, ImageOnlyPdf, BrokenDocument,
    NotFound, Http404, Http410, Soft404, HomeRedirect, Parked, DefaultPage, StoredItem, UnknownId,
    BrowserUnavailable, NotInstalled, LaunchFailed,
    Config, UnknownProvider, DisabledProvider, MissingKey, BadSetting,
    UpstreamUnavailable, HttpStatus, ErrorPage, BadRequest, BadShape, Overloaded, Maintenance, Llm, Store, Internal,
    SessionNotFound, SessionUnknown, SessionExpired,
}

const fn codes(
    search: &'static str,
    fetch: &'static str,
    stored: &'static str,
    gated: &'static str,
) -> Codes {
    Codes {
        search,
        fetch,
        stored,
        gated,
    }
}

/// The values that most rows share. Each kind's row starts from it.
const COMMON: Row = Row {
    kind: Kind::Validation,
    reason: None,
    state: State::Reserved,
    retry: Wait::Never,
    action: Action::InformUser,
    page_action: None,
    severity: Severity::Expected,
    issue_link: false,
    repeat: Repeat::No,
    health: Health::Healthy,
    climb: Climb::Stop,
    withdrawn: false,
    own_limit: false,
    speaks_last: false,
    settled_by_scripts: false,
    may_be_unfinished: false,
    refines: &[],
    partial: "this is only a part of the page; the site withholds the rest",
    follow_up: FollowUp::None,
    http_status: 502,
    agent_prefix: AgentPrefix::Input,
    correctable: false,
    codes: codes("", "", "", ""),
    short: "",
    detail: "",
    sentence: Wording("", ""),
    provider_sentence: None,
    of_all_providers: None,
    flat: None,
    gated: None,
    means: "",
    agent: "",
    operator: "",
};

const RATE_LIMITED: Row = Row {
    kind: Kind::RateLimited,
    retry: Wait::Seconds(60),
    action: Action::RetryAfterDelay,
    health: Health::Limiting,
    agent_prefix: AgentPrefix::Server,
    http_status: 429,
    codes: codes(
        "PROVIDER_RATE_LIMITED",
        "CONTENT_FETCH_FAILED",
        "CONTENT_FETCH_FAILED",
        "CLIENT_ERROR",
    ),
    detail: "rate limited",
    sentence: Wording(
        "Rate limited ({source}).",
        " Wait {wait} and retry[, or {elsewhere}].",
    ),
    flat: Some(Wording(
        "API request failed: [{status} - ]Rate limit exceeded.",
        " Please try again later.[ Wait {requested}.]",
    )),
    gated: Some(Wording(
        "Invalid request: Rate limit exceeded",
        "; wait {wait}",
    )),
    means: "The source, or this server, accepts no more requests for now.",
    agent: "Wait `retryAfterSeconds`, then make the same call once. Where `alternatives` are listed, use one of them at once instead.",
    operator: "Look at how many calls share the key or the address; upgrade the plan or spread the calls out.",
    ..COMMON
};

const AUTH_REQUIRED: Row = Row {
    kind: Kind::AuthRequired,
    action: Action::CheckApiKey,
    page_action: Some(Action::InformUser),
    codes: codes(
        "PROVIDER_AUTH_FAILED",
        "CONTENT_FETCH_FAILED",
        "CONTENT_FETCH_FAILED",
        "AUTHENTICATION_ERROR",
    ),
    detail: "access not granted",
    sentence: Wording(
        "Authentication required by {source}.",
        " Do not retry; ask the user for access or use another source.",
    ),
    gated: Some(Wording(
        "Authentication required: Missing or invalid API key",
        "",
    )),
    means: "The source wants credentials that were not given or not accepted.",
    agent: "Do not retry. Tell the user what needs access, or read another source.",
    operator: "Check the key of the provider named; for a page there is nothing to do.",
    ..COMMON
};

const BLOCKED: Row = Row {
    kind: Kind::Blocked,
    health: Health::Refusing,
    climb: Climb::Next,
    follow_up: FollowUp::SearchTitle,
    codes: codes(
        "WEB_SEARCH_FAILED",
        "CONTENT_FETCH_FAILED",
        "CONTENT_FETCH_FAILED",
        "AUTHENTICATION_ERROR",
    ),
    detail: "access blocked",
    sentence: Wording(
        "Blocked: {source} uses bot detection.",
        " Try an alternative source — its content can't be read directly.",
    ),
    provider_sentence: Some(Wording(
        "{source} takes this server for a bot and refuses its searches[ (HTTP {status})].",
        " Do not retry[; {elsewhere}].",
    )),
    gated: Some(Wording(
        "Access refused: The site refuses automated readers",
        "",
    )),
    means: "The source refuses automated readers such as this server.",
    agent: "Do not retry this address. Search for the same facts elsewhere, or tell the user.",
    operator: "Nothing to repair: the site decided. A different network or the browser tier may be treated better.",
    ..COMMON
};

/// What to do about a provider's key.
const CHECK_KEY: &str =
    " Ask the user to check the key[ in {setting}][; {not_before}][; meanwhile {elsewhere}].";

/// A provider that refuses searches without a key to blame.
const REFUSED_SEARCHES: Wording = Wording(
    "{source} refuses the searches of this server[ (HTTP {status})].",
    " Do not retry[; {elsewhere}].",
);

const VALIDATION: Row = Row {
    kind: Kind::Validation,
    http_status: 400,
    codes: codes(
        "INVALID_INPUT",
        "CONTENT_FETCH_FAILED",
        "INVALID_INPUT",
        "CLIENT_ERROR",
    ),
    short: "refused",
    detail: "call refused",
    sentence: Wording(
        "The call cannot be made as it is.",
        " Correct the arguments before calling again.",
    ),
    flat: Some(Wording(
        "Input validation failed.",
        " Correct the arguments before calling again.",
    )),
    gated: Some(Wording(
        "Invalid request: The call cannot be made as it is",
        "",
    )),
    means: "The call itself is the problem; no request left this machine.",
    agent: "Do not repeat the call. Change what the message names; `nextCalls` holds a corrected call where one can be made.",
    operator: "Nothing, unless one of your own rules (allowed addresses) is too strict.",
    ..COMMON
};

const NETWORK: Row = Row {
    kind: Kind::Network,
    retry: Wait::Seconds(5),
    action: Action::RetryAfterDelay,
    health: Health::Failing,
    agent_prefix: AgentPrefix::Server,
    codes: codes(
        "NETWORK_ERROR",
        "CONTENT_FETCH_FAILED",
        "CONTENT_FETCH_FAILED",
        "NETWORK_ERROR",
    ),
    detail: "network failure",
    sentence: Wording(
        "Network failure reaching {source}.",
        " Wait {wait} and retry[, or {elsewhere}].",
    ),
    flat: Some(Wording(
        "Failed to make API request: Network error - Unable to connect to {source}",
        "",
    )),
    gated: Some(Wording("Network error: Connection failed", "")),
    means: "The source could not be reached or stopped answering.",
    agent: "Wait `retryAfterSeconds` and make the same call once; if it fails again, use another source.",
    operator: "Check this machine's connection, DNS and firewall when many hosts fail.",
    ..COMMON
};

const CONTENT_EMPTY: Row = Row {
    kind: Kind::ContentEmpty,
    retry: Wait::Seconds(10),
    action: Action::ReportBug,
    issue_link: true,
    climb: Climb::Next,
    agent_prefix: AgentPrefix::Server,
    codes: codes(
        "WEB_SEARCH_FAILED",
        "CONTENT_FETCH_FAILED",
        "CONTENT_FETCH_FAILED",
        "SERVER_ERROR",
    ),
    detail: "no usable text",
    sentence: Wording(
        "No usable text found at {source}.",
        " Wait {wait} and retry once, or try another source for the same facts.",
    ),
    gated: Some(Wording(
        "Internal server error: The page has no readable text",
        "",
    )),
    means: "The source answered, but nothing readable was in the answer.",
    agent: "Retry once after `retryAfterSeconds`, or use another source. If a person can see text on the page, suggest that the user report it.",
    operator: "Open the address in a browser; if it shows text, report the address.",
    ..COMMON
};

const NOT_FOUND: Row = Row {
    kind: Kind::NotFound,
    follow_up: FollowUp::SearchTitle,
    http_status: 404,
    codes: codes(
        "WEB_SEARCH_FAILED",
        "CONTENT_FETCH_FAILED",
        "NOT_FOUND",
        "NOT_FOUND",
    ),
    detail: "not found",
    sentence: Wording(
        "Not found at {source}.",
        " Do not retry this address; search for the title instead.",
    ),
    gated: Some(Wording("Resource not found: {source}", "")),
    means: "What was asked for does not exist there.",
    agent: "Drop the address or id. Search for the title, or use one of the ids the message lists.",
    operator: "Nothing.",
    ..COMMON
};

const BROWSER_UNAVAILABLE: Row = Row {
    kind: Kind::BrowserUnavailable,
    action: Action::ReportBug,
    issue_link: true,
    climb: Climb::Next,
    http_status: 503,
    agent_prefix: AgentPrefix::Server,
    codes: codes(
        "WEB_SEARCH_FAILED",
        "CONTENT_FETCH_FAILED",
        "CONTENT_FETCH_FAILED",
        "SERVER_ERROR",
    ),
    detail: "browser needed",
    sentence: Wording(
        "The page needs a browser and none is usable here.",
        " Do not retry; use another source[, or ask the operator to set {setting}].",
    ),
    gated: Some(Wording("Internal server error: No browser is usable", "")),
    means: "The page builds its text with scripts, and there is no browser to run them.",
    agent: "Use another source for the same facts.",
    operator: "Install Chromium or set CHROME_PATH, then restart.",
    ..COMMON
};

const CONFIG: Row = Row {
    kind: Kind::Config,
    action: Action::CheckApiKey,
    correctable: true,
    http_status: 500,
    agent_prefix: AgentPrefix::Configuration,
    codes: codes(
        "INVALID_INPUT",
        "INVALID_INPUT",
        "INVALID_INPUT",
        "CLIENT_ERROR",
    ),
    detail: "configuration",
    sentence: Wording(
        "The configuration does not allow this call.",
        " Ask the operator to correct it[; {not_before}].",
    ),
    gated: Some(Wording(
        "Invalid request: The configuration does not allow this call",
        "",
    )),
    means: "A setting is missing or wrong.",
    agent: "Tell the user which setting the message names. Use one of `alternatives` meanwhile.",
    operator: "Set what the message names, then restart.",
    ..COMMON
};

const UPSTREAM_UNAVAILABLE: Row = Row {
    kind: Kind::UpstreamUnavailable,
    retry: Wait::Seconds(15),
    action: Action::TryDifferentProvider,
    issue_link: true,
    health: Health::Failing,
    agent_prefix: AgentPrefix::Server,
    codes: codes(
        "PROVIDER_UNAVAILABLE",
        "CONTENT_FETCH_FAILED",
        "CONTENT_FETCH_FAILED",
        "SERVER_ERROR",
    ),
    detail: "source failed",
    sentence: Wording(
        "{source} failed.",
        " Wait {wait} and retry[, or {elsewhere}].",
    ),
    flat: Some(Wording(
        "API request failed[: {status}][ - {phrase}].",
        "[ Wait {wait} before you ask {source} again.]",
    )),
    gated: Some(Wording(
        "Internal server error: {source} failed[ (HTTP {status})]",
        "[; wait {wait}]",
    )),
    means: "The source is reachable and cannot serve the request.",
    agent: "Use one of `alternatives`; without any, wait `retryAfterSeconds` and make the same call once.",
    operator: "Look at the source's status page; look up the record by its event id.",
    ..COMMON
};

const SESSION_NOT_FOUND: Row = Row {
    kind: Kind::SessionNotFound,
    http_status: 404,
    correctable: true,
    codes: codes("NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"),
    detail: "session not found",
    sentence: Wording(
        "No such research session here.",
        " Start a new one, or list sessions and use an id from the list.",
    ),
    gated: Some(Wording("Resource not found: Research session", "")),
    means: "The session id is not known on this server.",
    agent: "Make the call in `nextCalls`; `recoveryHint` says whether the old session can be taken up again.",
    operator: "Several servers share sessions only through a common store.",
    ..COMMON
};

/// A network failure that does not pass by itself.
const NETWORK_FINAL: Row = Row {
    retry: Wait::Never,
    action: Action::InformUser,
    ..NETWORK
};

/// Cases derived from a status that a bot challenge on the page replaces.
const CHALLENGED: &[Case] = &[
    Case::Http403,
    Case::BadRequest,
    Case::HttpStatus,
    Case::Overloaded,
    Case::Http429,
];

impl Case {
    pub const fn row(self) -> &'static Row {
        match self {
            Case::RateLimited => &RATE_LIMITED,
            Case::Http429 => &Row {
                reason: Some("http_429"),
                state: State::Active,
                short: "rate limited",
                repeat: Repeat::Yes,
                means: "The source answered HTTP 429. The wait is its Retry-After, or 60 seconds without one.",
                ..RATE_LIMITED
            },
            Case::QuotaExhausted => &Row {
                reason: Some("quota_exhausted"),
                state: State::Active,
                health: Health::Refusing,
                retry: Wait::Never,
                action: Action::TryDifferentProvider,
                sentence: Wording(
                    "The quota or credits of {source} are used up.",
                    " Do not retry[; {elsewhere}].",
                ),
                flat: Some(Wording(
                    "API request failed: [{status} - ]Rate limit exceeded: the quota or credits are used up.",
                    "",
                )),
                gated: Some(Wording("Invalid request: Quota used up", "")),
                means: "The provider says that the plan's quota or credits are used up.",
                agent: "Use one of `alternatives`; tell the user that the plan is used up.",
                operator: "Buy credits or wait for the next billing period.",
                ..RATE_LIMITED
            },
            Case::LocalLimit => &Row {
                reason: Some("local_limit"),
                state: State::Active,
                health: Health::Unknown,
                own_limit: true,
                speaks_last: true,
                retry: Wait::Seconds(2),
                codes: const {
                    codes(
                        "WEB_SEARCH_FAILED",
                        "CONTENT_FETCH_FAILED",
                        "CONTENT_FETCH_FAILED",
                        "CLIENT_ERROR",
                    )
                },
                sentence: Wording(
                    "This server is at its limit[ of {calls} at once][: {why}].",
                    " Wait {wait} and retry.",
                ),
                provider_sentence: Some(Wording(
                    "This server has asked {source} as often as it may for now[ ({why})].",
                    " Wait {wait} and retry[, or {elsewhere}].",
                )),
                flat: Some(Wording(
                    "API request failed: Rate limit exceeded. This server is at its limit[ of {calls} at once]",
                    "; wait {wait}.",
                )),
                gated: Some(Wording(
                    "Invalid request: The server is at its limit",
                    "; wait {wait}",
                )),
                means: "This server works on as many calls as it is set to, or has asked a provider as often as that allows.",
                agent: "Wait `retryAfterSeconds` and make the same call: by then the first of the running calls has ended. Send fewer calls at once.",
                operator: "Raise `max-concurrent` if the machine has room; calls wait for a quarter of `deadline` before this is reported.",
                ..RATE_LIMITED
            },
            Case::RateNotice => &Row {
                reason: Some("rate_notice"),
                state: State::Active,
                refines: &[Case::Http403],
                sentence: Wording(
                    "{source} answered with a notice to slow down instead of the page.",
                    " Wait {wait} and retry.",
                ),
                provider_sentence: Some(RATE_LIMITED.sentence),
                means: "The page came with HTTP 200, but says that there were too many requests.",
                ..RATE_LIMITED
            },

            Case::AuthRequired => &AUTH_REQUIRED,
            Case::MissingCredentials => &Row {
                reason: Some("missing_credentials"),
                state: State::Active,
                sentence: Wording(
                    "{source} asks for a login[ (HTTP {status})].",
                    " Do not retry; ask the user for access or use another source.",
                ),
                provider_sentence: Some(Wording(
                    "{source} says that no API key came with the request[ (HTTP {status})].",
                    CHECK_KEY,
                )),
                gated: Some(Wording(
                    "Authentication required: The source asks for a login",
                    "",
                )),
                means: "A page answered HTTP 401: it wants credentials, and we have none for it. Or a provider says that it received no key.",
                operator: "This server has no setting for logins to pages. A provider's key may be lost on the way, in a proxy.",
                ..AUTH_REQUIRED
            },
            Case::BadKey => &Row {
                reason: Some("bad_key"),
                state: State::Active,
                correctable: true,
                severity: Severity::Expected,
                sentence: Wording(
                    "{source} rejected the API key[ (HTTP {status})].",
                    CHECK_KEY,
                ),
                flat: Some(Wording(
                    "API key rejected by {source}[ (HTTP {status})].",
                    " Check the key[ in {setting}][; {not_before}].",
                )),
                means: "The provider does not accept the configured key.",
                agent: "Tell the user that the key of this provider is wrong. Use one of `alternatives` meanwhile.",
                operator: "Replace the key; keys pasted with a quote or a space are the usual cause.",
                ..AUTH_REQUIRED
            },
            Case::Forbidden => &Row {
                reason: Some("forbidden"),
                state: State::Active,
                correctable: true,
                http_status: 403,
                sentence: Wording(
                    "{source} refuses this request[ (HTTP {status})].",
                    " Ask the user to check the API key and its permissions[; {not_before}][; meanwhile {elsewhere}].",
                ),
                flat: Some(Wording(
                    "API key of {source} is missing or lacks the permission[ (HTTP {status})].",
                    " Check the key[ in {setting}][; {not_before}].",
                )),
                gated: Some(Wording(
                    "Authentication required: The API key is missing or lacks the permission",
                    "",
                )),
                means: "The provider refuses this use of its API: the key lacks the permission, or none arrived.",
                agent: "Tell the user that the key may lack a permission. Use one of `alternatives` meanwhile.",
                operator: "Enable the API or the permission in the provider's console.",
                ..AUTH_REQUIRED
            },
            Case::LoginWall => &Row {
                reason: Some("login_wall"),
                state: State::Active,
                refines: &[Case::Http403],
                partial: "this is the open beginning; the rest needs a login",
                follow_up: FollowUp::SearchTitle,
                sentence: Wording(
                    "{source} shows a login form instead of the content.",
                    " Do not retry; ask the user for access or use another source.",
                ),
                gated: Some(Wording(
                    "Authentication required: The page is behind a login",
                    "",
                )),
                means: "The page came with HTTP 200, but it is a login form.",
                ..AUTH_REQUIRED
            },
            Case::Paywall => &Row {
                reason: Some("paywall"),
                state: State::Active,
                refines: &[Case::Http403],
                partial: "this is the free beginning; the rest must be paid for",
                follow_up: FollowUp::SearchTitle,
                sentence: Wording(
                    "{source} wants payment for this page[ (HTTP {status})].",
                    " Do not retry; look for a free version or ask the user.",
                ),
                gated: Some(Wording(
                    "Authentication required: The page is behind a paywall",
                    "",
                )),
                means: "The page must be paid for (HTTP 402), or only its beginning is free.",
                agent: "Search for a free version, a preprint or an abstract; otherwise tell the user.",
                ..AUTH_REQUIRED
            },

            Case::Blocked => &BLOCKED,
            Case::Http403 => &Row {
                reason: Some("http_403"),
                state: State::Active,
                short: "refused",
                sentence: Wording(
                    "Blocked: {source} refuses automated readers[ (HTTP {status})].",
                    " Do not retry; use another source.",
                ),
                provider_sentence: Some(REFUSED_SEARCHES),
                means: "The site answered HTTP 403.",
                ..BLOCKED
            },
            Case::BotChallenge => &Row {
                reason: Some("bot_challenge"),
                state: State::Active,
                refines: CHALLENGED,
                sentence: Wording(
                    "Blocked: {source} uses bot detection.",
                    " Do not retry; try an alternative source — its content can't be read directly.",
                ),
                means: "The answer is a test of whether the reader is a browser.",
                ..BLOCKED
            },
            Case::Captcha => &Row {
                reason: Some("captcha"),
                state: State::Active,
                refines: CHALLENGED,
                sentence: Wording(
                    "Blocked: {source} asks for a captcha.",
                    " Do not retry; use another source or ask the user to open it.",
                ),
                gated: Some(Wording("Access refused: The site asks for a captcha", "")),
                means: "The answer is a captcha that only a person can solve.",
                ..BLOCKED
            },
            Case::ConsentWall => &Row {
                reason: Some("consent_wall"),
                state: State::Active,
                refines: &[Case::Http403],
                sentence: Wording(
                    "Blocked: {source} shows a consent dialog instead of the content.",
                    " Do not retry; use another source.",
                ),
                gated: Some(Wording(
                    "Access refused: The site shows a consent dialog instead of the content",
                    "",
                )),
                means: "The answer is a consent dialog without the content behind it.",
                ..BLOCKED
            },
            Case::GeoBlock => &Row {
                reason: Some("geo_block"),
                state: State::Active,
                refines: &[Case::Http403],
                sentence: Wording(
                    "Blocked: {source} does not serve this region.",
                    " Do not retry; use another source.",
                ),
                gated: Some(Wording(
                    "Access refused: The site does not serve this region",
                    "",
                )),
                means: "The site refuses readers from this server's region.",
                operator: "A server in another region may be served.",
                ..BLOCKED
            },
            Case::LegalBlock => &Row {
                reason: Some("legal_block"),
                state: State::Active,
                health: Health::Healthy,
                climb: Climb::Stop,
                refines: &[Case::Http403],
                sentence: Wording(
                    "Blocked: {source} withholds this page for legal reasons[ (HTTP {status})].",
                    " Do not retry; tell the user.",
                ),
                gated: Some(Wording(
                    "Access refused: The page is withheld for legal reasons",
                    "",
                )),
                means: "The page is withheld for legal reasons (HTTP 451).",
                ..BLOCKED
            },
            Case::AccessDenied => &Row {
                reason: Some("access_denied"),
                state: State::Active,
                // A refused caller says nothing about the source's health.
                health: Health::Healthy,
                refines: &[Case::Http403, Case::BadRequest],
                sentence: Wording(
                    "Blocked: {source} denies access.",
                    " Do not retry; use another source.",
                ),
                gated: Some(Wording("Access refused: The site denies access", "")),
                provider_sentence: Some(REFUSED_SEARCHES),
                means: "The page came with HTTP 200, but says that access is denied; or a provider that takes no key answered HTTP 401 or 403.",
                ..BLOCKED
            },

            Case::Validation => &VALIDATION,
            Case::InvalidArgument => &Row {
                reason: Some("invalid_argument"),
                state: State::Active,
                correctable: true,
                codes: const {
                    codes(
                        "INVALID_INPUT",
                        "INVALID_INPUT",
                        "INVALID_INPUT",
                        "CLIENT_ERROR",
                    )
                },
                sentence: Wording("{problems}", ""),
                flat: Some(Wording("{flat_problems}", "")),
                gated: Some(Wording("Invalid request: {problems}", "")),
                means: "One or more arguments are missing, unknown, of the wrong type or out of range. All of them are named.",
                ..VALIDATION
            },
            Case::InvalidUrl => &Row {
                reason: Some("invalid_url"),
                state: State::Active,
                correctable: true,
                codes: const {
                    codes(
                        "INVALID_INPUT",
                        "CONTENT_FETCH_INVALID_URL",
                        "INVALID_INPUT",
                        "CLIENT_ERROR",
                    )
                },
                sentence: Wording(
                    "The URL[ of {host}] cannot be used[: {why}].",
                    " Do not retry it; give an absolute address such as https://example.com/article, without a user name or password.",
                ),
                flat: Some(Wording(
                    "The URL format[ of {host}] is invalid[: {why}].",
                    " Do not retry it; give an absolute address such as https://example.com/article.",
                )),
                gated: Some(Wording(
                    "Invalid request: The URL[ of {host}] cannot be used[ ({why})]",
                    "; give one such as https://example.com/article",
                )),
                means: "The address does not parse, has no host, carries credentials, is longer than 8 KB, or names a port that browsers refuse.",
                agent: "Correct the address. Credentials never belong in it.",
                ..VALIDATION
            },
            Case::PolicyPrivateAddress => &Row {
                reason: Some("policy_private_address"),
                state: State::Active,
                sentence: Wording(
                    "Refused: {source} is not on the public internet[: {why}].",
                    " Do not retry; use a public address[, or ask the operator to allow it with {setting}].",
                ),
                flat: Some(Wording(
                    "Input validation failed: {source} is a private or special address.",
                    " Do not retry; use a public address.",
                )),
                gated: Some(Wording(
                    "Invalid request: The address is private or special",
                    "",
                )),
                means: "The name or address is not on the public internet: local, link-local, documentation, metadata or another special range. No packet was sent.",
                agent: "Do not retry and do not look for another spelling. Tell the user that this server reads public addresses only.",
                operator: "To open one private address: `--allow-private HOST[:PORT]` or `CIDR[:PORT]`.",
                ..VALIDATION
            },
            Case::PolicyScheme => &Row {
                reason: Some("policy_scheme"),
                state: State::Active,
                correctable: true,
                codes: const {
                    codes(
                        "INVALID_INPUT",
                        "CONTENT_FETCH_INVALID_URL",
                        "INVALID_INPUT",
                        "CLIENT_ERROR",
                    )
                },
                sentence: Wording(
                    "Only http and https addresses can be read.",
                    " Do not retry this one; give one such as https://example.com/article.",
                ),
                flat: Some(Wording(
                    "The URL format is invalid: only http and https addresses can be read.",
                    "",
                )),
                gated: Some(Wording(
                    "Invalid request: Only http and https addresses can be read",
                    "",
                )),
                means: "The address has another scheme: file, ftp, data, javascript, …",
                ..VALIDATION
            },
            Case::PolicyDomain => &Row {
                reason: Some("policy_domain"),
                state: State::Active,
                sentence: Wording(
                    "Refused: the operator does not allow {source}.",
                    " Do not retry; use another source.",
                ),
                flat: Some(Wording(
                    "Input validation failed: the operator does not allow {source}.",
                    " Do not retry; use another source.",
                )),
                gated: Some(Wording(
                    "Invalid request: The operator does not allow this host",
                    "",
                )),
                means: "The operator, or the operator's outbound proxy, limits which hosts may be read.",
                operator: "The lists are `--allow-domain` and `--deny-domain`; widen them if the host should be read. If the message names the outbound proxy, allow the host there or name it with `--no-proxy`.",
                ..VALIDATION
            },
            Case::PolicyRobots => &Row {
                reason: Some("policy_robots"),
                state: State::Active,
                sentence: Wording(
                    "Refused: robots.txt of {source} does not allow reading this page.",
                    " Do not retry; use another source.",
                ),
                flat: Some(Wording(
                    "Input validation failed: robots.txt of {source} does not allow reading this page.",
                    " Do not retry; use another source.",
                )),
                gated: Some(Wording(
                    "Invalid request: robots.txt does not allow reading this page",
                    "",
                )),
                means: "The site asks robots not to read this page, and this server obeys.",
                operator: "To read such pages anyway, set `robots` to `false`.",
                ..VALIDATION
            },
            Case::UnsupportedType => &Row {
                reason: Some("unsupported_type"),
                state: State::Active,
                http_status: 415,
                short: "unsupported type",
                sentence: Wording(
                    "{source} answered with a type of content that cannot be read as text.",
                    " Do not retry; look for an HTML or text version.",
                ),
                flat: Some(Wording(
                    "The response format of {source} cannot be read as text.",
                    "",
                )),
                gated: Some(Wording(
                    "Invalid request: The content type cannot be read as text",
                    "",
                )),
                means: "Image, audio, video, archive, executable or another type without text.",
                agent: "Look for an HTML, PDF or text version of the same content.",
                operator: "Nothing.",
                ..VALIDATION
            },
            Case::TooLong => &Row {
                reason: Some("too_large"),
                state: State::Active,
                correctable: true,
                follow_up: FollowUp::ReadInParts,
                http_status: 413,
                short: "too large",
                sentence: Wording(
                    "The content[ of {size}] is longer than the limit[ of {limit}][, and {parameter} is false].",
                    "[ Drop {parameter} and read on with the cursor.]",
                ),
                flat: Some(Wording(
                    "Response too long[ (limit {limit})].",
                    "[ Drop {parameter} and read on with the cursor.]",
                )),
                gated: Some(Wording(
                    "Invalid request: The content[ of {size}] is longer than the limit[ of {limit}]",
                    "[; drop {parameter}]",
                )),
                means: "The call forbids cutting and the content is longer than the limit.",
                agent: "Repeat the call without `allow_truncate`; `nextCalls` has one with a larger `max_chars` where that is allowed.",
                operator: "Nothing.",
                ..VALIDATION
            },
            Case::TooCostly => &Row {
                reason: Some("too_large"),
                state: State::Active,
                http_status: 413,
                short: "too large",
                sentence: Wording(
                    "The content is too large for this server to read.",
                    " Do not retry; look for a smaller version or an HTML version.",
                ),
                flat: Some(Wording(
                    "Response too long to be read here.",
                    " Do not retry; look for a smaller version or an HTML version.",
                )),
                gated: Some(Wording(
                    "Invalid request: The content is too large for this server to read",
                    "; look for a smaller version",
                )),
                means: "The document is too large, unpacks to too much, or takes too much time or memory to read.",
                agent: "Do not repeat the call, in parts or otherwise. Look for a smaller version or an HTML version of the same content.",
                operator: "Nothing.",
                ..VALIDATION
            },

            Case::Network => &NETWORK,
            Case::Timeout => &Row {
                reason: Some("timeout"),
                state: State::Active,
                http_status: 504,
                codes: const {
                    codes(
                        "WEB_SEARCH_TIMEOUT",
                        "CONTENT_FETCH_TIMEOUT",
                        "CONTENT_FETCH_TIMEOUT",
                        "NETWORK_ERROR",
                    )
                },
                short: "timed out",
                sentence: Wording(
                    "{source} did not answer in time[ ({elapsed}, phase {phase})].",
                    " Wait {wait} and retry once[, or {elsewhere}].",
                ),
                of_all_providers: Some(Wording(
                    "None of the {asked} providers asked answered in time.",
                    " Wait {wait} and retry once.[ Not asked yet: {others}.]",
                )),
                flat: Some(Wording("Request timeout[ after {milliseconds}ms]", "")),
                gated: Some(Wording("Network error: Request timeout", "")),
                means: "The deadline passed while looking up the name, connecting, waiting for the answer or reading it.",
                operator: "Raise `deadline` if the source is slow but worth waiting for.",
                ..NETWORK
            },
            Case::Cancelled => &Row {
                reason: Some("cancelled"),
                state: State::Active,
                health: Health::Unknown,
                withdrawn: true,
                codes: const {
                    codes(
                        "WEB_SEARCH_TIMEOUT",
                        "CONTENT_FETCH_TIMEOUT",
                        "CONTENT_FETCH_TIMEOUT",
                        "NETWORK_ERROR",
                    )
                },
                sentence: Wording(
                    "The call was cancelled by the caller. Nothing is wrong with the source.",
                    "",
                ),
                flat: Some(Wording("The request was cancelled by the caller.", "")),
                gated: Some(Wording("Network error: Request cancelled", "")),
                means: "The caller withdrew the call; work stopped at once and no further source was tried.",
                agent: "Make the call again only if its answer is still wanted.",
                operator: "Nothing.",
                ..NETWORK_FINAL
            },
            Case::Dns => &Row {
                reason: Some("dns"),
                state: State::Active,
                short: "name lookup failed",
                sentence: Wording(
                    "The name of {source} could not be looked up.",
                    " Wait {wait} and retry once[, or {elsewhere}].",
                ),
                gated: Some(Wording("Network error: Name lookup failed", "")),
                means: "The name server failed or did not answer; whether the name exists is unknown.",
                operator: "Check this machine's resolver, or set `dns`.",
                ..NETWORK
            },
            Case::Nxdomain => &Row {
                reason: Some("nxdomain"),
                state: State::Active,
                short: "no such name",
                sentence: Wording(
                    "The host {source} does not exist.",
                    " Do not retry; check the spelling or search for the site.",
                ),
                provider_sentence: Some(Wording(
                    "The address of {source} could not be resolved; this machine may have no network or no DNS.",
                    " Do not retry; ask the user to check the connection[, or {elsewhere}].",
                )),
                gated: Some(Wording("Network error: The host does not exist", "")),
                means: "The name server says that there is no such name, or that it has no address.",
                agent: "Check the spelling of the host, or search for the site's present address.",
                operator: "Nothing.",
                ..NETWORK_FINAL
            },
            Case::ConnectionRefused => &Row {
                reason: Some("connection_refused"),
                state: State::Active,
                repeat: Repeat::Yes,
                sentence: Wording(
                    "{source} refused the connection.",
                    " Wait {wait} and retry once[, or {elsewhere}].",
                ),
                gated: Some(Wording("Network error: Connection refused", "")),
                means: "Nothing listens at that address and port, or it cannot be reached from here.",
                ..NETWORK
            },
            Case::ConnectionReset => &Row {
                reason: Some("connection_reset"),
                state: State::Active,
                repeat: Repeat::Yes,
                retry: Wait::Seconds(2),
                sentence: Wording(
                    "{source} dropped the connection.",
                    " Wait {wait} and retry once[, or {elsewhere}].",
                ),
                gated: Some(Wording("Network error: Connection reset", "")),
                means: "The connection ended before an answer came.",
                ..NETWORK
            },
            Case::TlsHandshake => &Row {
                reason: Some("tls_handshake"),
                state: State::Active,
                short: "TLS handshake failed",
                sentence: Wording(
                    "No secure connection to {source} could be made.",
                    " Wait {wait} and retry once[, or {elsewhere}].",
                ),
                gated: Some(Wording("Network error: TLS handshake failed", "")),
                means: "The two sides could not agree on a secure connection, or the port does not speak TLS.",
                ..NETWORK
            },
            Case::TlsCertificate => &Row {
                reason: Some("tls_certificate"),
                state: State::Active,
                short: "bad certificate",
                sentence: Wording(
                    "The certificate of {source} cannot be trusted.",
                    " Do not retry; use another source.",
                ),
                flat: Some(Wording(
                    "Failed to make API request: Network error - The certificate of {source} cannot be trusted",
                    "",
                )),
                gated: Some(Wording(
                    "Network error: The certificate cannot be trusted",
                    "",
                )),
                means: "The certificate is expired, self-signed, for another host or from an unknown authority.",
                agent: "Use another source. Reading over plain http instead is not safer.",
                operator: "To trust a certificate authority of your own, set `ca`.",
                ..NETWORK_FINAL
            },
            Case::RedirectLoop => &Row {
                reason: Some("redirect_loop"),
                state: State::Active,
                short: "redirect loop",
                sentence: Wording(
                    "{source} redirects in a loop or too often[ (stopped after {size})].",
                    " Do not retry this address; search for the title instead.",
                ),
                flat: Some(Wording(
                    "Failed to make API request: Network error - {source} redirects without end",
                    "",
                )),
                gated: Some(Wording("Network error: Redirects without end", "")),
                means: "More redirects than allowed, or one that leads back to itself.",
                agent: "Drop the address; sites that set cookies by redirect cannot be read without a browser.",
                operator: "Nothing.",
                ..NETWORK_FINAL
            },
            Case::TruncatedBody => &Row {
                reason: Some("truncated_body"),
                state: State::Active,
                retry: Wait::Seconds(2),
                short: "cut off",
                sentence: Wording(
                    "{source} dropped the connection in the middle of its answer.",
                    " Wait {wait} and retry once[, or {elsewhere}].",
                ),
                gated: Some(Wording("Network error: The answer was cut off", "")),
                means: "The connection ended before the announced end of the answer.",
                ..NETWORK
            },

            Case::ContentEmpty => &CONTENT_EMPTY,
            Case::Empty => &Row {
                reason: Some("empty"),
                may_be_unfinished: true,
                follow_up: FollowUp::SearchTitle,
                state: State::Active,
                means: "The page was read, but it has no usable text.",
                agent: "Where `retryable` is false, the page itself has no text: make the search in `nextCalls`, or use another source. Otherwise retry once after `retryAfterSeconds`; if a person can see text on the page, suggest that the user report it.",
                ..CONTENT_EMPTY
            },
            Case::JsShell => &Row {
                reason: Some("js_shell"),
                state: State::Active,
                agent_prefix: AgentPrefix::Input,
                retry: Wait::Never,
                action: Action::InformUser,
                issue_link: false,
                settled_by_scripts: true,
                partial: "parts of this page appear only when its scripts run, and are missing here",
                short: "needs scripts",
                sentence: Wording(
                    "The page at {source} is empty until its scripts run.",
                    " Do not retry; use another source[, or ask the operator to set {setting}].",
                ),
                means: "The page is a frame that scripts fill, and no browser ran them, or they left it empty.",
                operator: "Install Chromium or set CHROME_PATH.",
                ..CONTENT_EMPTY
            },
            Case::ImageOnlyPdf => &Row {
                reason: Some("image_only_pdf"),
                state: State::Active,
                agent_prefix: AgentPrefix::Input,
                action: Action::InformUser,
                issue_link: false,
                climb: Climb::Stop,
                retry: Wait::Never,
                short: "scanned images",
                sentence: Wording(
                    "The PDF at {source} holds images of text, not text.",
                    " Do not retry; look for an HTML or text version.",
                ),
                means: "A scan without a text layer, and no text of it could be recognised: no OCR program is installed, it is turned off, it failed, or it found nothing.",
                operator: "Install tesseract (`apt install tesseract-ocr`) and the data of your languages (`--ocr-languages`); `fingerpost doctor` says what is missing.",
                ..CONTENT_EMPTY
            },
            Case::BrokenDocument => &Row {
                reason: Some("broken_document"),
                state: State::Active,
                agent_prefix: AgentPrefix::Input,
                action: Action::InformUser,
                issue_link: false,
                climb: Climb::Stop,
                retry: Wait::Never,
                short: "broken document",
                sentence: Wording(
                    "The document at {source} is damaged and cannot be read.",
                    " Do not retry; look for another copy.",
                ),
                means: "The file does not follow its format, or is encrypted.",
                ..CONTENT_EMPTY
            },

            Case::NotFound => &NOT_FOUND,
            Case::Http404 => &Row {
                reason: Some("http_404"),
                state: State::Active,
                short: "not found",
                sentence: Wording(
                    "Not found: {source} has no such page[ (HTTP {status})].",
                    " Do not retry this address; search for the title instead.",
                ),
                means: "The site answered HTTP 404.",
                ..NOT_FOUND
            },
            Case::Http410 => &Row {
                reason: Some("http_410"),
                state: State::Active,
                short: "gone",
                sentence: Wording(
                    "Gone: {source} removed this page for good[ (HTTP {status})].",
                    " Do not retry this address; search for an archived copy.",
                ),
                means: "The site answered HTTP 410: removed for good.",
                ..NOT_FOUND
            },
            Case::Soft404 => &Row {
                reason: Some("soft_404"),
                state: State::Active,
                sentence: Wording(
                    "Not found: {source} answered with its error page for missing pages.",
                    " Do not retry this address; search for the title instead.",
                ),
                means: "The page came with HTTP 200, but says that it does not exist.",
                ..NOT_FOUND
            },
            Case::HomeRedirect => &Row {
                reason: Some("home_redirect"),
                state: State::Active,
                sentence: Wording(
                    "Not found: {source} sent us to its home page instead.",
                    " Do not retry this address; search for the title instead.",
                ),
                means: "A deep address was redirected to the front page.",
                ..NOT_FOUND
            },
            Case::Parked => &Row {
                reason: Some("parked"),
                state: State::Active,
                sentence: Wording(
                    "The domain {source} is parked or for sale; the site is gone.",
                    " Do not retry; search for the title instead.",
                ),
                means: "The domain shows a seller's page.",
                ..NOT_FOUND
            },
            Case::DefaultPage => &Row {
                reason: Some("default_page"),
                state: State::Active,
                sentence: Wording(
                    "{source} shows its web server's default page; the site is gone or not set up.",
                    " Do not retry; search for the title instead.",
                ),
                means: "A web server without its site.",
                ..NOT_FOUND
            },
            Case::StoredItem => &Row {
                reason: Some("stored_item"),
                state: State::Active,
                correctable: true,
                codes: const { codes("NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND") },
                sentence: Wording("No such stored item.", " Use one of the selectors listed."),
                gated: Some(Wording("Resource not found: Stored item", "")),
                means: "The stored response exists, but not the item that was selected in it.",
                ..NOT_FOUND
            },
            Case::UnknownId => &Row {
                reason: Some("unknown_id"),
                state: State::Active,
                correctable: true,
                codes: const { codes("NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND") },
                sentence: Wording(
                    "No such id here.",
                    " It may have expired; repeat the call that returned it.",
                ),
                gated: Some(Wording("Resource not found: Stored response", "")),
                means: "The id was never given out, or its content has expired.",
                ..NOT_FOUND
            },

            Case::BrowserUnavailable => &BROWSER_UNAVAILABLE,
            Case::NotInstalled => &Row {
                reason: Some("not_installed"),
                state: State::Active,
                action: Action::InformUser,
                issue_link: false,
                short: "not installed",
                means: "No Chromium was found on PATH or at CHROME_PATH.",
                ..BROWSER_UNAVAILABLE
            },
            Case::LaunchFailed => &Row {
                reason: Some("launch_failed"),
                state: State::Active,
                action: Action::InformUser,
                issue_link: false,
                short: "chrome launch failed",
                sentence: Wording(
                    "The page needs a browser, but the browser did not start.",
                    " Do not retry; use another source, or ask the operator to look at the log.",
                ),
                means: "Chromium is installed but did not start.",
                operator: "Start it by hand as this user; missing libraries and sandbox rights are the usual causes.",
                ..BROWSER_UNAVAILABLE
            },

            Case::Config => &CONFIG,
            Case::UnknownProvider => &Row {
                reason: Some("unknown_provider"),
                state: State::Active,
                action: Action::TryDifferentProvider,
                sentence: Wording(
                    "There is no provider of that name[ ({why})]",
                    "[; {elsewhere}].",
                ),
                gated: Some(Wording(
                    "Invalid request: There is no provider of that name",
                    "",
                )),
                means: "The call names a provider that does not exist.",
                operator: "Nothing.",
                ..CONFIG
            },
            Case::DisabledProvider => &Row {
                reason: Some("disabled_provider"),
                state: State::Active,
                action: Action::TryDifferentProvider,
                sentence: Wording("{source} is not enabled here", "[; {elsewhere}]."),
                gated: Some(Wording("Invalid request: {source} is not enabled here", "")),
                means: "The provider exists, but the operator has not enabled it.",
                ..CONFIG
            },
            Case::MissingKey => &Row {
                reason: Some("missing_key"),
                state: State::Active,
                codes: const {
                    codes(
                        "PROVIDER_AUTH_FAILED",
                        "INVALID_INPUT",
                        "INVALID_INPUT",
                        "AUTHENTICATION_ERROR",
                    )
                },
                sentence: Wording(
                    "{source} needs an API key[ in {setting}].",
                    " Ask the user to set it in the client's env map[; {not_before}][; meanwhile {elsewhere}].",
                ),
                flat: Some(Wording(
                    "API service is not healthy[ - missing {setting}]",
                    "",
                )),
                gated: Some(Wording(
                    "Authentication required: Missing or invalid API key",
                    "",
                )),
                means: "The provider needs a key and none is set. Clients pass only the variables named in their own `env` map.",
                ..CONFIG
            },
            Case::BadSetting => &Row {
                reason: Some("bad_setting"),
                state: State::Active,
                action: Action::InformUser,
                // The call's own input is right.
                codes: const {
                    codes(
                        "WEB_SEARCH_FAILED",
                        "CONTENT_FETCH_FAILED",
                        "CONTENT_FETCH_FAILED",
                        "CLIENT_ERROR",
                    )
                },
                sentence: Wording(
                    "The setting[ {setting}] does not work as it is set.",
                    " Ask the operator to correct it[; {not_before}][; meanwhile {elsewhere}].",
                ),
                gated: Some(Wording(
                    "Invalid request: The setting[ {setting}] does not work as it is set",
                    "",
                )),
                means: "A setting does not work: it does not parse, or what it names (a file, a proxy) cannot be used or reached.",
                agent: "Tell the user which setting the message names.",
                ..CONFIG
            },

            Case::UpstreamUnavailable => &UPSTREAM_UNAVAILABLE,
            Case::HttpStatus => &Row {
                reason: Some("http_status"),
                state: State::Active,
                short: "failed",
                repeat: Repeat::ByStatus,
                severity: Severity::Reportable,
                sentence: Wording(
                    "{source} failed[ (HTTP {status})].",
                    " Wait {wait} and retry once[, or {elsewhere}].",
                ),
                means: "The source answered with a server error (HTTP 5xx).",
                ..UPSTREAM_UNAVAILABLE
            },
            Case::ErrorPage => &Row {
                reason: Some("error_page"),
                state: State::Active,
                issue_link: false,
                follow_up: FollowUp::SearchTitle,
                sentence: Wording(
                    "{source} answered with an error page instead of the content.",
                    " Wait {wait} and retry once, or use another source.",
                ),
                means: "The page came with HTTP 200, but says that the site failed.",
                operator: "Nothing.",
                ..UPSTREAM_UNAVAILABLE
            },
            Case::BadRequest => &Row {
                reason: Some("bad_request"),
                state: State::Active,
                correctable: true,
                health: Health::Healthy,
                retry: Wait::Never,
                issue_link: false,
                codes: const {
                    codes(
                        "WEB_SEARCH_FAILED",
                        "CONTENT_FETCH_FAILED",
                        "CONTENT_FETCH_FAILED",
                        "CLIENT_ERROR",
                    )
                },
                action: Action::BroadenQuery,
                page_action: Some(Action::InformUser),
                sentence: Wording(
                    "{source} does not accept the request[ (HTTP {status})].",
                    " Do not retry this address; use another source.",
                ),
                provider_sentence: Some(Wording(
                    "{source} does not accept this search[ (HTTP {status})].",
                    " Do not retry it unchanged: use fewer words and filters[, or {elsewhere}].",
                )),
                gated: Some(Wording("Invalid request[: {phrase}]", "")),
                means: "The source answered with a client error (HTTP 4xx) that has no meaning of its own here.",
                agent: "Change the call or use another source; the same call fails again.",
                ..UPSTREAM_UNAVAILABLE
            },
            Case::BadShape => &Row {
                reason: Some("bad_shape"),
                state: State::Active,
                action: Action::ReportBug,
                page_action: Some(Action::InformUser),
                health: Health::Healthy,
                retry: Wait::Never,
                codes: const {
                    codes(
                        "WEB_SEARCH_FAILED",
                        "CONTENT_FETCH_FAILED",
                        "CONTENT_FETCH_FAILED",
                        "SERVER_ERROR",
                    )
                },
                short: "unreadable answer",
                sentence: Wording(
                    "{source} answered in a form that cannot be read[: {why}].",
                    " Do not retry; use another source.",
                ),
                provider_sentence: Some(Wording(
                    "{source} answered in a form that cannot be read.",
                    " Do not retry[; {elsewhere}].",
                )),
                flat: Some(Wording(
                    "Failed to parse search results: Unexpected response format",
                    "",
                )),
                gated: Some(Wording(
                    "Internal server error: Unexpected response format",
                    "",
                )),
                means: "The answer breaks HTTP or the provider's documented format.",
                agent: "Use another source; the same call is answered the same way.",
                ..UPSTREAM_UNAVAILABLE
            },
            Case::Overloaded => &Row {
                reason: Some("overloaded"),
                state: State::Active,
                repeat: Repeat::ByStatus,
                retry: Wait::Seconds(30),
                severity: Severity::Reportable,
                issue_link: false,
                sentence: Wording(
                    "{source} is overloaded[ (HTTP {status})].",
                    " Wait {wait} and retry once[, or {elsewhere}].",
                ),
                means: "The source says that it has too much to do (HTTP 529).",
                ..UPSTREAM_UNAVAILABLE
            },
            Case::Maintenance => &Row {
                reason: Some("maintenance"),
                state: State::Active,
                repeat: Repeat::ByStatus,
                refines: &[Case::HttpStatus, Case::Overloaded],
                retry: Wait::Seconds(600),
                issue_link: false,
                sentence: Wording(
                    "{source} answered with a notice that it is out of service.",
                    " Wait {wait} and retry once[, or {elsewhere}].",
                ),
                means: "The source says that it is being worked on, or closed for now.",
                ..UPSTREAM_UNAVAILABLE
            },
            Case::Llm => &Row {
                reason: Some("llm"),
                state: State::Active,
                health: Health::Healthy,
                severity: Severity::Reportable,
                sentence: Wording(
                    "The language model behind this tool failed[ (HTTP {status})].",
                    " Wait {wait} and retry once, or use the plain search tools.",
                ),
                means: "The embedded agent's model did not answer, or what it sent cannot be read.",
                ..UPSTREAM_UNAVAILABLE
            },
            Case::Store => &Row {
                reason: Some("store"),
                state: State::Active,
                health: Health::Healthy,
                severity: Severity::Reportable,
                sentence: Wording(
                    "The server's own store failed.",
                    " Wait {wait} and retry once; searching and reading still work.",
                ),
                flat: None, // No API was asked.
                gated: Some(Wording(
                    "Internal server error: Database connection failed",
                    "",
                )),
                means: "The data directory or database cannot be read or written.",
                operator: "Check the disk space, and the permissions and path of the data directory.",
                ..UPSTREAM_UNAVAILABLE
            },
            Case::Internal => &Row {
                reason: Some("internal"),
                state: State::Active,
                action: Action::ReportBug,
                health: Health::Unknown,
                http_status: 500,
                retry: Wait::Never,
                severity: Severity::Reportable,
                codes: const {
                    codes(
                        "WEB_SEARCH_FAILED",
                        "CONTENT_FETCH_FAILED",
                        "CONTENT_FETCH_FAILED",
                        "UNKNOWN_ERROR",
                    )
                },
                sentence: Wording(
                    "This server failed while working on the call.",
                    " Do not retry this call; other calls still work.",
                ),
                flat: Some(Wording("The search failed inside this server.", "")),
                gated: Some(Wording("Unknown error occurred", "")),
                means: "A bug in this server, which keeps running.",
                agent: "Do not repeat the call. Tell the user the event id, if there is one.",
                operator: "`fingerpost errors show EVENT_ID` shows the record; report it.",
                ..UPSTREAM_UNAVAILABLE
            },

            Case::SessionNotFound => &SESSION_NOT_FOUND,
            Case::SessionUnknown => &Row {
                reason: Some("unknown"),
                state: State::Active,
                ..SESSION_NOT_FOUND
            },
            Case::SessionExpired => &Row {
                reason: Some("expired"),
                state: State::Active,
                sentence: Wording(
                    "The research session has expired.",
                    " Start a new one, or list sessions and use an id from the list.",
                ),
                means: "The session existed, but it has expired.",
                operator: "Set `session-days` to keep sessions for longer.",
                ..SESSION_NOT_FOUND
            },
        }
    }
}
