//! What the response's headers say about a wall. Vendors set them for their own clients, so they
//! are the firmest evidence.

use fault::Case;

/// A reason with the fact that speaks for it, and whether it settles the matter.
pub(super) struct Sign {
    pub(super) case: Case,
    pub(super) what: &'static str,
    pub(super) decides: bool,
}

/// Signs in the headers of an answer.
pub(super) fn signs(header: &dyn Fn(&str) -> Option<String>) -> Vec<Sign> {
    let mut signs = Vec::new();
    let mut add = |case, what, decides| {
        signs.push(Sign {
            case,
            what,
            decides,
        })
    };
    let value = |name: &str| header(name).unwrap_or_default().to_ascii_lowercase();
    if value("cf-mitigated").contains("challenge") {
        add(
            Case::BotChallenge,
            "the header cf-mitigated announces a challenge",
            true,
        );
    }
    match value("x-amzn-waf-action").as_str() {
        "captcha" => add(
            Case::Captcha,
            "the header x-amzn-waf-action announces a captcha",
            true,
        ),
        "challenge" => add(
            Case::BotChallenge,
            "the header x-amzn-waf-action announces a challenge",
            true,
        ),
        _ => {}
    }
    if value("x-vercel-mitigated").contains("challenge") {
        add(
            Case::BotChallenge,
            "the header x-vercel-mitigated announces a challenge",
            true,
        );
    }
    if !value("x-dd-b").is_empty() {
        add(
            Case::Captcha,
            "the header x-dd-b announces a DataDome block",
            true,
        );
    }
    if value("x-datadome").contains("protected") || !value("x-datadome-cid").is_empty() {
        add(Case::Captcha, "DataDome header", false);
    }
    if !value("x-kpsdk-ct").is_empty() {
        add(Case::BotChallenge, "Kasada header", false);
    }
    if !value("x-sucuri-block").is_empty() {
        add(
            Case::AccessDenied,
            "the header x-sucuri-block announces a block",
            true,
        );
    }
    cookies(&value("set-cookie"), &mut add);
    servers(&value("server"), &value("x-iinfo"), &mut add);
    signs
}

fn cookies(cookies: &str, add: &mut impl FnMut(Case, &'static str, bool)) {
    for (name, case, what) in [
        ("datadome=", Case::Captcha, "DataDome cookie"),
        ("_abck=", Case::BotChallenge, "Akamai cookie"),
        ("incap_ses_", Case::BotChallenge, "Imperva cookie"),
        ("aws-waf-token=", Case::BotChallenge, "AWS WAF cookie"),
        ("__ddg1_=", Case::BotChallenge, "DDoS-Guard cookie"),
        ("techaro.lol-anubis", Case::BotChallenge, "Anubis cookie"),
        ("_pxhd=", Case::Captcha, "HUMAN cookie"),
    ] {
        if cookies.contains(name) {
            add(case, what, false);
        }
    }
}

fn servers(server: &str, imperva: &str, add: &mut impl FnMut(Case, &'static str, bool)) {
    for (name, case, what) in [
        ("ddos-guard", Case::BotChallenge, "DDoS-Guard server"),
        ("sucuri", Case::AccessDenied, "Sucuri server"),
        ("akamaighost", Case::AccessDenied, "Akamai server"),
        ("datadome", Case::Captcha, "DataDome server"),
        ("bigip", Case::AccessDenied, "F5 server"),
    ] {
        if server.contains(name) {
            add(case, what, false);
        }
    }
    if !imperva.is_empty() {
        add(Case::BotChallenge, "Imperva header", false);
    }
}
