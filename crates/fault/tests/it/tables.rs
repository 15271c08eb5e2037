//! Walks of the catalogue: what must hold for every row.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use fault::catalogue::Wait;
use fault::template::{Piece, parse};
use fault::{
    Action, CODES, Case, Context, Dialect, Fault, FieldName, Format, GATED_CODES, Issue, Kind,
    Origin, Problem, ProviderId, Quoted, Retry, Say, State, Surface, composite,
};
use serde_json::Value;

use crate::sample::{bare, context, full, link, rendered};

const GAPS: &[&str] = &[
    "host",
    "source",
    "status",
    "phrase",
    "phase",
    "wait",
    "requested",
    "why",
    "elsewhere",
    "size",
    "limit",
    "elapsed",
    "milliseconds",
    "calls",
    "setting",
    "parameter",
    "problems",
    "flat_problems",
    "asked",
    "others",
    "not_before",
];
/// Gaps that always have a value, so that they may stand outside a group.
const ALWAYS: &[&str] = &["source", "problems", "flat_problems", "asked"];

#[test]
fn names_are_legal_and_shared_only_by_cases_that_a_client_treats_alike() {
    let mut seen: HashMap<String, Case> = HashMap::new();
    for case in Case::ALL {
        let name = case.row().name();
        assert!(
            name.bytes().all(|byte| byte.is_ascii_lowercase()
                || byte.is_ascii_digit()
                || matches!(byte, b'_' | b'/')),
            "{name}"
        );
        if let Some(other) = seen.insert(name.clone(), *case) {
            let treatment = |case: Case| {
                let row = case.row();
                (row.retry, row.action, row.severity, row.http_status)
            };
            assert_eq!(treatment(*case), treatment(other), "{name}");
        }
    }
}

#[test]
fn templates_use_known_gaps_and_optional_ones_only_in_groups() {
    for case in Case::ALL {
        let row = case.row();
        let wordings = [
            Some(row.sentence),
            row.provider_sentence,
            row.of_all_providers,
            row.flat,
            row.gated,
        ];
        let templates = wordings
            .iter()
            .flatten()
            .flat_map(|wording| [wording.happened(), wording.advice()]);
        for template in templates {
            for part in parse(template) {
                for piece in &part.pieces {
                    let Piece::Gap(gap) = piece else { continue };
                    assert!(GAPS.contains(gap), "{}: {{{gap}}} is no gap", row.name());
                    let waits = *gap == "wait" && row.retry != Wait::Never;
                    assert!(
                        part.optional || waits || ALWAYS.contains(gap),
                        "{}: {{{gap}}} may be missing",
                        row.name()
                    );
                }
            }
        }
    }
}

#[test]
fn the_contract_s_kinds_reasons_and_fixed_pairs_hold() {
    // Per kind: its action, the reasons that share its `retryable`, and those that are never
    // retryable.
    let listed: &[(&str, &str, &[&str], &[&str])] = &[
        (
            "validation",
            "inform_user",
            &[
                "invalid_argument",
                "invalid_url",
                "policy_private_address",
                "policy_scheme",
                "policy_domain",
                "policy_robots",
                "unsupported_type",
                "too_large",
            ],
            &[],
        ),
        (
            "network",
            "retry_after_delay",
            &[
                "timeout",
                "dns",
                "connection_refused",
                "connection_reset",
                "tls_handshake",
                "truncated_body",
            ],
            &["cancelled", "nxdomain", "tls_certificate", "redirect_loop"],
        ),
        (
            "upstream_unavailable",
            "try_different_provider",
            &[
                "http_status",
                "error_page",
                "overloaded",
                "maintenance",
                "llm",
                "store",
            ],
            &["bad_request", "bad_shape", "internal"],
        ),
        (
            "rate_limited",
            "retry_after_delay",
            &["http_429", "local_limit", "rate_notice"],
            &["quota_exhausted"],
        ),
        (
            "auth_required",
            "check_api_key",
            &[
                "missing_credentials",
                "bad_key",
                "forbidden",
                "login_wall",
                "paywall",
            ],
            &[],
        ),
        (
            "blocked",
            "inform_user",
            &[
                "http_403",
                "bot_challenge",
                "captcha",
                "consent_wall",
                "geo_block",
                "legal_block",
                "access_denied",
            ],
            &[],
        ),
        (
            "not_found",
            "inform_user",
            &[
                "http_404",
                "http_410",
                "soft_404",
                "home_redirect",
                "parked",
                "default_page",
                "stored_item",
                "unknown_id",
            ],
            &[],
        ),
        (
            "content_empty",
            "report_bug",
            &["empty"],
            &["js_shell", "image_only_pdf", "broken_document"],
        ),
        (
            "browser_unavailable",
            "report_bug",
            &["not_installed", "launch_failed"],
            &[],
        ),
        (
            "config",
            "check_api_key",
            &[
                "unknown_provider",
                "disabled_provider",
                "missing_key",
                "bad_setting",
            ],
            &[],
        ),
        (
            "session_not_found",
            "inform_user",
            &["unknown", "expired"],
            &[],
        ),
    ];
    assert_eq!(listed.len(), Kind::ALL.len());
    let mut count = 0;
    for (kind, action, plain, differing) in listed {
        let kind: Kind = kind.parse().unwrap();
        let general = Case::ALL
            .iter()
            .find(|case| case.row().kind == kind && case.row().reason.is_none())
            .unwrap()
            .row();
        assert_eq!(general.action.as_str(), *action, "{kind}");
        let retryable = matches!(
            kind,
            Kind::RateLimited | Kind::Network | Kind::ContentEmpty | Kind::UpstreamUnavailable
        );
        assert_eq!(general.retry != Wait::Never, retryable, "{kind}");
        for (reason, wanted) in plain
            .iter()
            .map(|it| (it, retryable))
            .chain(differing.iter().map(|it| (it, false)))
        {
            let row = Case::ALL
                .iter()
                .map(|case| case.row())
                .find(|row| row.kind == kind && row.reason == Some(reason))
                .unwrap_or_else(|| panic!("{kind}/{reason} is missing"));
            assert_eq!(row.retry != Wait::Never, wanted, "{kind}/{reason}");
            count += 1;
        }
    }
    let names: HashSet<String> = Case::ALL.iter().map(|case| case.row().name()).collect();
    assert_eq!(
        count + Kind::ALL.len(),
        names.len(),
        "a reason that the contract does not list"
    );
}

#[test]
fn every_code_is_listed_and_active() {
    let active = |list: &[fault::CodeEntry], code: &str| {
        list.iter()
            .any(|entry| entry.code == code && entry.state == State::Active)
    };
    for case in Case::ALL {
        let codes = &case.row().codes;
        for surface in Surface::ALL {
            assert!(active(CODES, codes.on(surface)), "{}", codes.on(surface));
        }
        assert!(active(GATED_CODES, codes.gated), "{}", codes.gated);
    }
}

#[test]
fn every_active_code_is_emitted_by_some_case() {
    for entry in CODES
        .iter()
        .filter(|entry| entry.state == State::Active && entry.code != "WEB_SEARCH_INVALID_QUERY")
    {
        let emitted = Case::ALL.iter().any(|case| {
            Surface::ALL
                .iter()
                .any(|surface| case.row().codes.on(*surface) == entry.code)
        });
        assert!(emitted, "{}", entry.code);
    }
}

#[test]
fn every_dialect_gives_the_same_advice() {
    let link = link();
    for case in Case::ALL {
        for fault in [bare(*case), full(*case)] {
            let retryable = fault.advice().is_possible();
            let structured = |dialect| {
                fault::render(&fault, dialect, &context(&link))
                    .structured
                    .unwrap()
            };
            assert_eq!(structured(Dialect::Dual)["error"]["retryable"], retryable);
            assert_eq!(
                structured(Dialect::Section)["error"]["retryable"],
                retryable
            );
            assert_eq!(structured(Dialect::Gated)["retryable"], retryable);
            assert_eq!(structured(Dialect::Problem)["retryable"], retryable);
            let agent = structured(Dialect::Agent)["error"]
                .as_str()
                .unwrap()
                .to_owned();
            assert_eq!(agent.contains("may succeed"), retryable, "{agent}");
        }
    }
}

/// Every fault as it is, and with another retry than its row's, asked for by a source, decided by
/// the call, or repeated.
fn with_every_retry(case: Case) -> Vec<Fault> {
    let wait = |seconds| Retry::After(Duration::from_secs(seconds));
    let limited = |name| {
        Fault::new(Case::Http429, Origin::Provider)
            .provider(ProviderId::new(name))
            .requested_wait(Duration::from_secs(40))
    };
    let member = |origin| Fault::new(case, origin).problems(bare(case).seen_problems().to_vec());
    let own = member(Origin::Provider).provider(ProviderId::new("brave"));
    vec![
        bare(case),
        full(case),
        bare(case).retry(Retry::Never),
        bare(case).retry(Retry::Now),
        bare(case).retry(wait(20)),
        bare(case).retry(wait(7_200)),
        bare(case).repeats(3u32),
        composite(vec![("brave", own.clone()), ("tavily", limited("tavily"))]).unwrap(),
        composite(vec![("brave", own.clone()), ("exa", own)]).unwrap(),
        composite(vec![
            ("html", member(Origin::Page)),
            ("browser", bare(Case::Timeout)),
        ])
        .unwrap(),
    ]
}

#[test]
fn sentence_and_json_never_disagree_about_a_retry() {
    let link = link();
    for case in Case::ALL {
        for fault in with_every_retry(*case) {
            let retryable = fault.advice().is_possible();
            for dialect in Dialect::ALL {
                for format in Format::ALL {
                    let context = Context {
                        format: *format,
                        ..context(&link)
                    };
                    let text = rendered(&fault, *dialect, &context).to_lowercase();
                    let says_no = ["do not retry", "do not make this call again"]
                        .iter()
                        .any(|words| text.contains(words));
                    let says_yes = [
                        "wait ",
                        "may succeed",
                        "free again",
                        "answer again",
                        "retry once",
                        "try again",
                        "retryafterseconds",
                        "read again",
                    ]
                    .iter()
                    .any(|words| text.contains(words));
                    let contradicts_itself = says_no && text.contains("trying again");
                    assert!(!contradicts_itself, "{dialect}: {text}");
                    assert!(
                        !(retryable && says_no || !retryable && says_yes),
                        "{dialect} of {}, retryable {retryable}: {text}",
                        case.row().name()
                    );
                }
            }
        }
    }
}

#[test]
fn the_sentence_says_whose_wait_it_is() {
    let limited = |name, seconds| {
        Fault::new(Case::Http429, Origin::Provider)
            .provider(ProviderId::new(name))
            .requested_wait(Duration::from_secs(seconds))
    };
    let both = composite(vec![
        ("brave", limited("brave", 90)),
        ("tavily", limited("tavily", 20)),
    ])
    .unwrap();
    assert_eq!(
        both.sentence().to_string(),
        "Rate limited (brave). No provider answered; tavily is free again in 20 seconds (brave in 90 seconds)."
    );
    let key = Fault::new(Case::BadKey, Origin::Provider).provider(ProviderId::new("brave"));
    let one = composite(vec![("brave", key), ("tavily", limited("tavily", 6))])
        .unwrap()
        .alternatives(fault::Alternatives::Known(Vec::new()));
    assert_eq!(
        one.sentence().to_string(),
        "brave rejected the API key. Ask the user to check the key. No provider answered; tavily is free again in 6 seconds."
    );
    assert_eq!(
        (one.action(), one.advice().seconds()),
        (Action::CheckApiKey, Some(6))
    );
}

#[test]
fn a_sentence_of_its_own_still_names_the_other_providers() {
    let exa = || fault::Alternatives::Known(vec![ProviderId::new("exa")]);
    let own = |case, advice| {
        Fault::new(case, Origin::Provider)
            .provider(ProviderId::new("brave"))
            .advising(Say::new(advice))
            .alternatives(exa())
    };
    let setting = own(Case::BadSetting, "Do not retry before that is done.");
    let late = own(Case::Timeout, "Make the same call with a larger timeout.");
    let hours = late.clone().retry(Retry::After(Duration::from_secs(7_300)));
    let unoffered = Fault::new(Case::DisabledProvider, Origin::Local)
        .saying(Say::new("The provider has no news search."))
        .alternatives(exa());
    for (fault, ending) in [
        (
            setting.clone(),
            "done. Meanwhile try a different provider: exa.",
        ),
        (late, "timeout. Or try a different provider: exa."),
        (
            hours,
            "Meanwhile try a different provider: exa; this one may answer again in 3 hours.",
        ),
        (unoffered, "no news search. Try a different provider: exa."),
    ] {
        for dialect in [Dialect::Dual, Dialect::Code, Dialect::Flat, Dialect::Agent] {
            let text = rendered(&fault, dialect, &context(&link()));
            assert!(text.contains(ending), "{dialect}: {text}");
        }
    }
    let alone = setting.alternatives(fault::Alternatives::Known(Vec::new()));
    assert!(!alone.to_string().contains("different provider"), "{alone}");
}

/// What names the mistake in a call says what to change instead.
const NAMES_THE_MISTAKE: &[Case] = &[
    Case::InvalidArgument,
    Case::TooLong,
    Case::StoredItem,
    Case::UnknownId,
    Case::SessionUnknown,
    Case::SessionExpired,
    Case::UnknownProvider,
    Case::DisabledProvider,
    Case::Cancelled,
];

#[test]
fn a_sentence_says_not_to_retry_exactly_when_that_is_so() {
    let active = Case::ALL
        .iter()
        .filter(|case| case.row().state == State::Active && !NAMES_THE_MISTAKE.contains(case));
    for case in active {
        for origin in [bare(*case).origin(), Origin::Page, Origin::Provider] {
            let sentence = Fault::new(*case, origin).sentence().to_string();
            let is_final = case.row().retry == Wait::Never;
            assert_eq!(
                sentence.to_lowercase().contains("do not retry"),
                is_final,
                "{} of {origin}: {sentence}",
                case.row().name()
            );
            if is_final && case.row().kind != Kind::Config {
                let flat = structured(&Fault::new(*case, origin), Dialect::Flat, Surface::Search);
                let error = flat["error"].as_str().unwrap();
                assert!(error.to_lowercase().contains("do not retry"), "{error}");
            }
        }
    }
}

#[test]
fn an_answer_that_came_all_the_same_is_not_said_to_need_a_correction_first() {
    let key = Fault::new(Case::BadKey, Origin::Provider)
        .provider(ProviderId::new("brave"))
        .setting(fault::SettingName::new("BRAVE_KEY"))
        .alternatives(fault::Alternatives::Known(Vec::new()));
    assert_eq!(
        key.what_to_correct().as_str(),
        "brave rejected the API key. Ask the user to check the key in BRAVE_KEY."
    );
    assert_eq!(
        key.sentence().as_str(),
        "brave rejected the API key. Ask the user to check the key in BRAVE_KEY; do not retry before that is done."
    );
}

#[test]
fn several_providers_that_are_all_late_are_counted() {
    let late = |name: &'static str| {
        let fault = Fault::new(Case::Timeout, Origin::Provider).provider(ProviderId::new(name));
        (name, fault)
    };
    let others = fault::Alternatives::Known(vec![ProviderId::new("exa")]);
    let fault = composite(vec![late("brave"), late("tavily"), late("serper")])
        .unwrap()
        .alternatives(others);
    assert_eq!(
        fault.sentence().as_str(),
        "None of the 3 providers asked answered in time. Wait 5 seconds and retry once. Not asked yet: exa."
    );
    assert_eq!(
        fault
            .advising(Say::new("Make the same call with a larger timeout."))
            .sentence()
            .as_str(),
        "None of the 3 providers asked answered in time. Make the same call with a larger timeout. Or try a different provider: exa."
    );
}

#[test]
fn gated_names_the_source() {
    let link = link();
    for case in Case::ALL {
        let row = case.row();
        let fault = bare(*case).provider(ProviderId::titled("brave", "Brave Search"));
        if row.gated.is_none() || matches!(row.kind, Kind::Validation | Kind::Config) {
            continue;
        }
        let reply = fault::render(&fault, Dialect::Gated, &context(&link));
        let message = reply.structured.unwrap()["message"].to_string();
        assert!(
            message.contains("Brave Search"),
            "{}: {message}",
            row.name()
        );
        assert!(reply.blocks[0].text.contains("Brave Search"));
    }
}

#[test]
fn problem_details_have_the_same_facts_as_the_machine_form() {
    let fault = full(Case::Http429).provider(ProviderId::new("brave"));
    let problem = structured(&fault, Dialect::Problem, Surface::Search);
    let machine = structured(&fault, Dialect::Dual, Surface::Search);
    for name in [
        "kind",
        "reason",
        "retryable",
        "retryAfterSeconds",
        "suggestedAction",
        "provider",
        "alternatives",
        "unknownArguments",
        "recoveryHint",
        "nextCalls",
        "eventId",
    ] {
        assert!(!machine["error"][name].is_null(), "{name}");
        assert_eq!(problem[name], machine["error"][name], "{name}");
    }
}

#[test]
fn a_success_that_was_none_is_not_told_by_a_status() {
    for case in Case::ALL {
        let outcome = case.row().outcome();
        assert!(!outcome.starts_with("http"), "{outcome}");
    }
}

#[test]
fn what_one_source_needs_does_not_hide_when_another_may_answer() {
    let off = Fault::new(Case::BadSetting, Origin::Provider)
        .provider(ProviderId::new("searxng"))
        .saying(Say::new("Its JSON output is turned off."))
        .advising(Say::new("Do not retry before that is done."));
    let limited = Fault::new(Case::BadShape, Origin::Provider);
    let busy = Fault::new(Case::HttpStatus, Origin::Provider)
        .provider(ProviderId::new("brave"))
        .retry(Retry::Never);
    let soon = Fault::new(Case::Timeout, Origin::Provider).provider(ProviderId::new("exa"));
    let fault = composite(vec![
        ("searxng", off),
        ("x", limited.retry(Retry::Never)),
        ("brave", busy),
        ("exa", soon),
    ])
    .unwrap();
    assert!(fault.advice().is_possible());
    assert!(!fault.to_string().contains("Do not retry"), "{fault}");
}

#[test]
fn no_tail_follows_advice_of_its_own() {
    let advised = |case| {
        Fault::new(case, Origin::Provider).advising(Say::new("Do not retry before that is done."))
    };
    for case in [Case::BadSetting, Case::Forbidden, Case::BadKey] {
        for dialect in [Dialect::Section, Dialect::Agent] {
            let text = rendered(&advised(case), dialect, &context(&link()));
            assert!(!text.contains("trying again"), "{dialect}: {text}");
        }
    }
    let late = advised(Case::Timeout)
        .advising(Say::new("Make the same call with a larger timeout."))
        .retry(Retry::Now);
    for dialect in [Dialect::Section, Dialect::Agent] {
        let text = rendered(&late, dialect, &context(&link()));
        assert!(!text.contains("may succeed"), "{dialect}: {text}");
    }
}

#[test]
fn the_waits_of_several_providers_are_told_the_first_one_first() {
    let limited = |name: &'static str, seconds| {
        let fault = Fault::new(Case::Http429, Origin::Provider)
            .provider(ProviderId::new(name))
            .requested_wait(Duration::from_secs(seconds));
        (name, fault)
    };
    let exa = ProviderId::new("exa");
    let sentence = |faults| {
        composite(faults)
            .unwrap()
            .alternatives(fault::Alternatives::Known(vec![exa]))
            .sentence()
            .to_string()
    };
    assert_eq!(
        sentence(vec![
            limited("brave", 90),
            limited("tavily", 20),
            limited("serper", 40),
        ]),
        "Rate limited (brave). No provider answered; tavily is free again in 20 seconds (serper in 40 seconds, brave in 90 seconds). Not asked yet: exa."
    );
    assert_eq!(
        sentence(vec![limited("brave", 9_000), limited("tavily", 8_000)]),
        "Rate limited (brave). No provider answered; tavily and brave are free again in 3 hours. Use another source: exa."
    );
    assert_eq!(
        sentence(vec![limited("brave", 90)]),
        "Rate limited (brave). Wait 90 seconds and retry, or try a different provider: exa."
    );
}

fn structured(fault: &Fault, dialect: Dialect, surface: Surface) -> Value {
    let link = link();
    let context = Context {
        surface,
        ..context(&link)
    };
    fault::render(fault, dialect, &context).structured.unwrap()
}

#[test]
fn what_the_call_may_still_do_decides_the_action() {
    let provider = |case| Fault::new(case, Origin::Provider);
    let elsewhere = || fault::Alternatives::Known(vec![ProviderId::new("exa")]);
    let hours = Duration::from_secs(9_000);
    let limited = provider(Case::Http429).requested_wait(hours);
    assert_eq!(
        limited.clone().alternatives(elsewhere()).action(),
        Action::TryDifferentProvider,
        "nobody waits for hours while another provider is free"
    );
    assert_eq!(
        limited
            .alternatives(fault::Alternatives::Known(vec![]))
            .action(),
        Action::InformUser
    );
    let blocked = Fault::new(Case::Http403, Origin::Page);
    assert_eq!(blocked.action(), Action::InformUser);
    assert_eq!(
        blocked.retry(Retry::After(Duration::from_secs(5))).action(),
        Action::RetryAfterDelay,
        "another way of reading the page may work"
    );
}

#[test]
fn a_provider_s_refusal_is_the_caller_s_error_in_sentry_s_format_and_not_found_in_gated() {
    let link = link();
    let header = |fault: &Fault| {
        let text = rendered(fault, Dialect::Section, &context(&link));
        text.lines().next().unwrap_or_default().to_owned()
    };
    let refused = Fault::new(Case::BadRequest, Origin::Provider).status(404u16);
    assert_eq!(header(&refused), "**Input Error**");
    assert_eq!(
        header(&Fault::new(Case::Http403, Origin::Page).status(403u16)),
        "**Error**"
    );
    assert_eq!(
        header(&Fault::new(Case::HttpStatus, Origin::Provider).status(502u16)),
        "**Error**"
    );
    let code = |fault: &Fault| structured(fault, Dialect::Gated, Surface::Search)["code"].clone();
    assert_eq!(code(&refused), "NOT_FOUND");
    assert_eq!(
        code(&Fault::new(Case::BadRequest, Origin::Provider).status(400u16)),
        "CLIENT_ERROR"
    );
    assert_eq!(
        code(&Fault::new(Case::BadRequest, Origin::Page).status(404u16)),
        "CLIENT_ERROR"
    );
}

#[test]
fn only_a_search_without_a_query_has_the_code_for_it() {
    let code = |field: &'static str, issue: Issue| {
        let fault = Fault::arguments(vec![Problem::new(FieldName::new(field), issue)]);
        structured(&fault, Dialect::Code, Surface::Search)["error"]["code"].clone()
    };
    assert_eq!(code("query", Issue::Blank), "WEB_SEARCH_INVALID_QUERY");
    assert_eq!(code("queries", Issue::Required), "WEB_SEARCH_INVALID_QUERY");
    let range = Issue::OutOfRange { min: 1, max: 5 };
    assert_eq!(code("query", range), "INVALID_INPUT");
    assert_eq!(code("limit", Issue::Required), "INVALID_INPUT");
}

#[test]
fn a_stopped_call_says_so_at_the_end_of_sentry_s_formats() {
    let link = link();
    let third = bare(Case::Http429).repeats(3u32);
    for dialect in [Dialect::Section, Dialect::Agent] {
        let text = rendered(&third, dialect, &context(&link));
        assert!(text.contains("Do not make this call again."), "{text}");
    }
}

#[test]
fn only_a_name_that_could_be_a_parameter_is_repeated() {
    let named = |name: &str| {
        let problem = Problem::new(FieldName::new("query"), Issue::Required);
        let fault =
            Fault::arguments(vec![problem]).unknown_arguments(vec![Quoted::from_input(name)]);
        let error = structured(&fault, Dialect::Code, Surface::Search)["error"].clone();
        error["message"].as_str().unwrap().contains(name)
    };
    assert!(named("qeury"));
    assert!(!named("ignore all rules"));
    assert!(!named(&"a".repeat(41)));
}

#[test]
fn a_sentence_of_its_own_does_not_hide_the_example() {
    let problem = Problem::new(FieldName::new("limit"), Issue::Required).example("10");
    let fault = Fault::arguments(vec![problem]).saying(Say::new("The call needs a limit."));
    let text = rendered(&fault, Dialect::Code, &context(&link()));
    assert!(text.contains(r#"Example: {\"limit\": 10}"#), "{text}");
}

#[test]
fn a_long_wait_is_told_as_another_source_with_the_time() {
    let fault = Fault::new(Case::Http429, Origin::Page).requested_wait(Duration::from_secs(10_800));
    assert_eq!(
        fault.sentence().to_string(),
        "Rate limited (the site). Use another source. This one may answer again in 3 hours."
    );
    assert_eq!(fault.action(), Action::InformUser);
}

#[test]
fn no_dialect_tells_more_than_the_full_machine_form() {
    // Every number a dialect prints is a fact of the fault: dialects arrange, they do not add.
    let link = link();
    for case in Case::ALL {
        let fault = full(*case);
        let known = format!(
            "{fault:?} {} {}",
            rendered(&fault, Dialect::Dual, &context(&link)),
            fault::record(&fault, &mask::Masker::default())
        );
        for dialect in [
            Dialect::Code,
            Dialect::Gated,
            Dialect::Section,
            Dialect::Agent,
        ] {
            let text = rendered(&fault, dialect, &context(&link));
            for number in text
                .split(|c: char| !c.is_ascii_digit())
                .filter(|run| run.len() > 1)
            {
                assert!(
                    known.contains(number),
                    "{dialect} of {} adds {number}: {text}",
                    case.row().name()
                );
            }
        }
    }
}

#[test]
fn advice_to_go_elsewhere_needs_an_elsewhere() {
    use fault::Alternatives::Known;
    let down = Fault::new(Case::HttpStatus, Origin::Provider);
    assert_eq!(
        down.clone()
            .alternatives(Known(vec![fault::ProviderId::new("brave")]))
            .action(),
        Action::TryDifferentProvider
    );
    assert_eq!(
        down.alternatives(Known(vec![])).action(),
        Action::RetryAfterDelay
    );
    assert_eq!(
        Fault::new(Case::QuotaExhausted, Origin::Provider)
            .alternatives(Known(vec![]))
            .action(),
        Action::InformUser
    );
    assert_eq!(
        Fault::new(Case::HttpStatus, Origin::Page).action(),
        Action::RetryAfterDelay
    );
}

#[test]
fn a_page_s_login_is_the_user_s_and_a_provider_s_key_is_the_operator_s() {
    assert_eq!(
        Fault::new(Case::MissingCredentials, Origin::Page).action(),
        Action::InformUser
    );
    assert_eq!(
        Fault::new(Case::BadKey, Origin::Provider).action(),
        Action::CheckApiKey
    );
}

#[test]
fn the_issue_link_stands_only_where_a_report_helps() {
    for case in Case::ALL {
        let row = case.row();
        let may = matches!(
            row.kind,
            Kind::ContentEmpty | Kind::BrowserUnavailable | Kind::UpstreamUnavailable
        );
        assert!(may || !row.issue_link, "{}", row.name());
    }
}

#[test]
fn the_text_before_the_json_is_short() {
    let link = link();
    for case in Case::ALL {
        let text = rendered(&full(*case), Dialect::Dual, &context(&link));
        let line = text.lines().next().unwrap();
        assert!(
            line.split_whitespace().count() <= 80,
            "{} words: {line}",
            line.split_whitespace().count()
        );
    }
}

#[test]
fn the_third_identical_failure_says_stop() {
    let link = link();
    for case in [Case::Http403, Case::Http429] {
        let third = bare(case).repeats(3u32);
        for dialect in Dialect::ALL {
            let text = rendered(&third, *dialect, &context(&link));
            assert!(text.contains("stop repeating it"), "{dialect}: {text}");
            assert!(!text.contains("\"retryable\":true"), "{dialect}: {text}");
        }
        assert_eq!(third.action(), Action::InformUser);
    }
}

/// How the clients of grok-search-mcp sort errors: by words in the message.
fn friendly(error: &str) -> &'static str {
    let error = error.to_lowercase();
    let has = |word: &str| error.contains(word);
    match () {
        () if has("api key") || has("api service is not healthy") => "key",
        () if has("rate limit") => "rate",
        () if has("timeout") => "timeout",
        () if has("validation") || has("format") || has("must be") || has("too long") => "input",
        () if has("network") || has("connect") => "network",
        () => "other",
    }
}

#[test]
fn a_client_of_grok_search_mcp_sorts_our_faults_rightly() {
    let link = link();
    for case in Case::ALL.iter().filter(|case| case.row().reason.is_some()) {
        let row = case.row();
        let wanted = match (row.kind, *case) {
            (_, Case::Timeout) => "timeout",
            (_, Case::BadKey | Case::Forbidden | Case::MissingKey) => "key",
            (_, Case::Http429 | Case::LocalLimit | Case::RateNotice | Case::QuotaExhausted) => {
                "rate"
            }
            (
                _,
                Case::InvalidArgument
                | Case::InvalidUrl
                | Case::PolicyScheme
                | Case::PolicyPrivateAddress,
            ) => "input",
            (Kind::Network, Case::Cancelled) => continue,
            (Kind::Network, _) => "network",
            _ => continue,
        };
        let value: Value = fault::render(&bare(*case), Dialect::Flat, &context(&link))
            .structured
            .unwrap();
        let error = value["error"].as_str().unwrap();
        assert_eq!(friendly(error), wanted, "{}: {error}", row.name());
    }
}

#[test]
fn a_third_failure_loses_its_advice_to_wait_in_every_dialect() {
    let link = link();
    for case in Case::ALL
        .iter()
        .filter(|case| bare(**case).advice().is_possible())
    {
        for dialect in Dialect::ALL {
            let third = bare(*case).repeats(3u32);
            let text = rendered(&third, *dialect, &context(&link)).to_lowercase();
            assert!(
                !text.contains("wait "),
                "{dialect} of {}: {text}",
                case.row().name()
            );
        }
    }
}

#[test]
fn bytes_are_never_shown_as_characters() {
    let detail = |fault: &Fault| {
        let reply = fault::render(fault, Dialect::Dual, &fault::Context::new(Surface::Fetch));
        reply.structured.unwrap()["error"]["detail"].to_string()
    };
    let costly = Fault::new(Case::TooCostly, Origin::Page)
        .size(fault::Size::Bytes(900))
        .limit(fault::Limit::Bytes(500));
    assert_eq!(
        detail(&costly),
        "\"call refused: 900 bytes, limit 500 bytes\""
    );
    let long = Fault::new(Case::TooLong, Origin::Local)
        .size(fault::Size::Characters(900))
        .limit(fault::Limit::Characters(500));
    assert_eq!(
        detail(&long),
        "\"call refused: 900 characters, limit 500 characters\""
    );
}
