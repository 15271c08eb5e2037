//! Evidence: the facts that speak for a verdict, in one table.
//!
//! [`Evidence::row`] gives each fact the case it speaks for, how much it counts, and our sentence
//! for it. Traces of a vendor's machinery are rows of `markers.txt` instead, one line each with the
//! same three columns. To add a piece of evidence, add a variant and its row, and push it where the
//! page shows it.

use fault::Case;

use super::phrase_tables::{MARKERS, MarkerFact};

/// One fact that speaks for a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Evidence {
    // Words of the page.
    Title,
    Heading,
    FirstLine,
    Notice,
    LongParagraph,
    WordPair,
    Noscript,
    // Response headers that vendors send with a wall only.
    CloudflareChallengeHeader,
    AwsCaptchaHeader,
    AwsChallengeHeader,
    VercelChallengeHeader,
    DataDomeBlockHeader,
    SucuriBlockHeader,
    // Response headers that vendors send with ordinary pages as well.
    DataDomeHeader,
    KasadaHeader,
    ImpervaHeader,
    DataDomeCookie,
    AkamaiCookie,
    ImpervaCookie,
    AwsCookie,
    DdosGuardCookie,
    AnubisCookie,
    HumanCookie,
    DdosGuardServer,
    SucuriServer,
    AkamaiServer,
    DataDomeServer,
    F5Server,
    // Where the request was redirected to.
    RedirectToLogin,
    RedirectToConsent,
    RedirectToCaptcha,
    RedirectToChallenge,
    RedirectToError,
    // The shape of the page.
    CaptchaOnly,
    CaptchaMainly,
    SingleField,
    CaptchaBesideNotice,
    ConsentOnly,
    ErrorMarkup,
    PasswordField,
    NotFreeStub,
    NotFree,
    PaywallMarkup,
    SaysNothingElse,
    NoIndex,
    // Pages that settle the matter without points.
    NoText,
    NoTextUntilScripts,
    EmptyMountNode,
    AsksForScripts,
    OnlyLoading,
    FrontPageRedirect,
    /// A trace of a vendor's machinery in the HTML.
    Machinery(MarkerFact),
}

/// How much a piece of evidence counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// Words and machinery: `scoring` counts the places they were found in together.
    Counted,
    /// Points for the case, whatever else was found.
    Points(i32),
    /// As points, and no other condition has to hold.
    Decides(i32),
    /// One point where other evidence speaks for the case and the page is nearly empty.
    Supports,
    /// The verdict itself.
    Verdict,
}

/// What is known about one piece of evidence.
#[derive(Debug, Clone, Copy)]
pub(super) struct EvidenceRow {
    /// The case it speaks for; `None` where the phrase that was found decides.
    pub(super) case: Option<Case>,
    pub(super) weight: Weight,
    /// Our sentence for it, never words of the page.
    pub(super) fact: &'static str,
}

/// Points for a header that a vendor sends with a wall only: enough for any short page.
const HEADER_POINTS: Weight = Weight::Decides(6);
/// Points for a redirect to an address that is named after the case.
const REDIRECT_POINTS: Weight = Weight::Points(2);

impl Evidence {
    /// Our sentence for it, never words of the page.
    pub fn fact(self) -> &'static str {
        self.row().fact
    }

    /// The table of all evidence.
    #[rustfmt::skip]
    pub(super) fn row(self) -> EvidenceRow {
        use Weight::{Counted, Points, Supports, Verdict};
        let (case, weight, fact) = match self {
            Evidence::Title => (None, Counted, "the title says so"),
            Evidence::Heading => (None, Counted, "a heading says so"),
            Evidence::FirstLine => (None, Counted, "the first line says so"),
            Evidence::Notice => (None, Counted, "a notice in its text says so"),
            Evidence::LongParagraph => (None, Counted, "a sentence in its text says so"),
            Evidence::WordPair => (None, Counted, "its words together say so"),
            Evidence::Noscript => (None, Counted, "its text for readers without scripts says so"),

            Evidence::CloudflareChallengeHeader => (Some(Case::BotChallenge), HEADER_POINTS, "the header cf-mitigated announces a challenge"),
            Evidence::AwsCaptchaHeader => (Some(Case::Captcha), HEADER_POINTS, "the header x-amzn-waf-action announces a captcha"),
            Evidence::AwsChallengeHeader => (Some(Case::BotChallenge), HEADER_POINTS, "the header x-amzn-waf-action announces a challenge"),
            Evidence::VercelChallengeHeader => (Some(Case::BotChallenge), HEADER_POINTS, "the header x-vercel-mitigated announces a challenge"),
            Evidence::DataDomeBlockHeader => (Some(Case::Captcha), HEADER_POINTS, "the header x-dd-b announces a DataDome block"),
            Evidence::SucuriBlockHeader => (Some(Case::AccessDenied), HEADER_POINTS, "the header x-sucuri-block announces a block"),

            Evidence::DataDomeHeader => (Some(Case::Captcha), Supports, "DataDome header"),
            Evidence::KasadaHeader => (Some(Case::BotChallenge), Supports, "Kasada header"),
            Evidence::ImpervaHeader => (Some(Case::BotChallenge), Supports, "Imperva header"),
            Evidence::DataDomeCookie => (Some(Case::Captcha), Supports, "DataDome cookie"),
            Evidence::AkamaiCookie => (Some(Case::BotChallenge), Supports, "Akamai cookie"),
            Evidence::ImpervaCookie => (Some(Case::BotChallenge), Supports, "Imperva cookie"),
            Evidence::AwsCookie => (Some(Case::BotChallenge), Supports, "AWS WAF cookie"),
            Evidence::DdosGuardCookie => (Some(Case::BotChallenge), Supports, "DDoS-Guard cookie"),
            Evidence::AnubisCookie => (Some(Case::BotChallenge), Supports, "Anubis cookie"),
            Evidence::HumanCookie => (Some(Case::Captcha), Supports, "HUMAN cookie"),
            Evidence::DdosGuardServer => (Some(Case::BotChallenge), Supports, "DDoS-Guard server"),
            Evidence::SucuriServer => (Some(Case::AccessDenied), Supports, "Sucuri server"),
            Evidence::AkamaiServer => (Some(Case::AccessDenied), Supports, "Akamai server"),
            Evidence::DataDomeServer => (Some(Case::Captcha), Supports, "DataDome server"),
            Evidence::F5Server => (Some(Case::AccessDenied), Supports, "F5 server"),

            Evidence::RedirectToLogin => (Some(Case::LoginWall), REDIRECT_POINTS, "redirected to a login address"),
            Evidence::RedirectToConsent => (Some(Case::ConsentWall), REDIRECT_POINTS, "redirected to a consent address"),
            Evidence::RedirectToCaptcha => (Some(Case::Captcha), REDIRECT_POINTS, "redirected to a challenge address"),
            Evidence::RedirectToChallenge => (Some(Case::BotChallenge), REDIRECT_POINTS, "redirected to a challenge address"),
            Evidence::RedirectToError => (Some(Case::Soft404), REDIRECT_POINTS, "redirected to an error address"),

            Evidence::CaptchaOnly => (Some(Case::Captcha), Points(4), "a captcha is the only thing to answer on the page"),
            Evidence::CaptchaMainly => (Some(Case::Captcha), Points(2), "a captcha is the main thing on the page"),
            Evidence::SingleField => (Some(Case::Captcha), Points(1), "a single field is the main thing on the page"),
            Evidence::CaptchaBesideNotice => (Some(Case::BotChallenge), Points(2), "a captcha widget stands beside it"),
            Evidence::ConsentOnly => (Some(Case::ConsentWall), Points(3), "a consent dialog is the only text on the page"),
            Evidence::ErrorMarkup => (Some(Case::Soft404), Points(3), "the site's own markup names an error page"),
            Evidence::PasswordField => (Some(Case::LoginWall), Points(2), "a password field is the main thing on the page"),
            Evidence::NotFreeStub => (Some(Case::Paywall), Points(3), "the page declares itself as not free"),
            Evidence::NotFree => (Some(Case::Paywall), Points(1), "the page declares itself as not free"),
            Evidence::PaywallMarkup => (Some(Case::Paywall), Points(2), "its markup names a paywall"),
            Evidence::SaysNothingElse => (None, Points(1), "the page says nothing else"),
            Evidence::NoIndex => (None, Points(1), "the page asks not to be indexed"),

            Evidence::NoText => (Some(Case::Empty), Verdict, "the page has no text"),
            Evidence::NoTextUntilScripts => (Some(Case::JsShell), Verdict, "the page has no text until its scripts run"),
            Evidence::EmptyMountNode => (Some(Case::JsShell), Verdict, "the node that scripts fill is empty"),
            Evidence::AsksForScripts => (Some(Case::JsShell), Verdict, "the page asks to enable JavaScript and has no other text"),
            Evidence::OnlyLoading => (Some(Case::JsShell), Verdict, "the page only says that it is loading"),
            Evidence::FrontPageRedirect => (Some(Case::HomeRedirect), Verdict, "a deep address was redirected to the front page"),

            Evidence::Machinery(fact) => (None, Counted, MARKERS.fact(fact)),
        };
        EvidenceRow { case, weight, fact }
    }
}
