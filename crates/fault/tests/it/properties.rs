//! What must hold for any fault and any outside text.

use fault::{Case, Context, Dialect, Echo, Fault, Format, Quoted, RecoveryHint, Tainted, ToolName};
use mask::Masker;
use proptest::prelude::*;
use serde_json::Value;

use crate::sample::{context, full, link, rendered};

fn any_case() -> impl Strategy<Value = Case> {
    (0..Case::ALL.len()).prop_map(|index| Case::ALL[index])
}

/// Words no sentence of ours contains.
fn outside_words() -> impl Strategy<Value = String> {
    "[Ø-öø-ÿ]{4,12}( [Ø-öø-ÿ]{4,12}){0,4}"
}

/// A configured key as providers make them.
fn secret() -> impl Strategy<Value = String> {
    "[A-Za-z0-9]{4}[A-Za-z0-9+/=_.~-]{8,40}"
}

fn masked(masker: &Masker, fault: &Fault, dialect: Dialect, cx: &Context<'_>) -> String {
    let reply = fault::render(fault, dialect, cx);
    let mut text: String = reply
        .blocks
        .iter()
        .map(|block| format!("{}\n", masker.mask(&block.text)))
        .collect();
    if let Some(mut value) = reply.structured {
        masker.mask_json(&mut value);
        text.push_str(&value.to_string());
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_upstream_byte_reaches_any_dialect(case in any_case(), words in outside_words()) {
        let link = link();
        let fault = full(case).tainted(Tainted::new(words.clone()));
        for dialect in Dialect::ALL {
            for format in Format::ALL {
                let shown = rendered(&fault, *dialect, &Context { format: *format, ..context(&link) });
                for word in words.split(' ') {
                    prop_assert!(!shown.contains(word));
                }
            }
        }
        let debug = format!("{fault:?}");
        prop_assert!(words.split(' ').all(|word| !debug.contains(word)));
    }

    #[test]
    fn no_configured_secret_survives_in_any_dialect(case in any_case(), secret in secret()) {
        // The caller's own input is the one way a secret can come into a fault: an echoed query, an
        // argument of the next call.
        let link = link();
        let masker = Masker::new([secret.as_str()]);
        let arguments = serde_json::from_value(serde_json::json!({"url": format!("https://a.example/?q={secret}"), "note": secret})).unwrap();
        let fault = full(case)
            .next_call(fault::NextCall::new(ToolName::new("scrape_page"), arguments))
            .unknown_arguments(vec![Quoted::from_input(&secret)]);
        let echo = Echo { query: Some(Quoted::from_input(&format!("find {secret} now"))), from_date: Some(Quoted::from_input(&secret)), ..Echo::default() };
        for dialect in Dialect::ALL {
            let shown = masked(&masker, &fault, *dialect, &Context { echo: echo.clone(), ..context(&link) });
            prop_assert!(!shown.contains(&secret), "{shown}");
        }
        prop_assert!(!fault::record(&fault, &masker).to_string().contains(&secret));
    }

    #[test]
    fn text_of_the_input_never_changes_the_case(case in any_case(), query in "(HTTP 429|401|quota|timeout|rate limit|.{0,40})") {
        let link = link();
        let echo = Echo { query: Some(Quoted::from_input(&query)), ..Echo::default() };
        let plain = fault::render(&full(case), Dialect::Dual, &context(&link));
        let echoed = fault::render(&full(case), Dialect::Dual, &Context { echo, ..context(&link) });
        prop_assert_eq!(plain, echoed);
    }

    #[test]
    fn an_echo_is_short_and_visible(input in any::<String>()) {
        let value: Value = serde_json::to_value(Quoted::from_input(&input)).unwrap();
        let echo = value.as_str().unwrap();
        prop_assert!(echo.chars().count() <= 200);
        prop_assert!(!echo.chars().any(char::is_control));
    }

    #[test]
    fn dual_replies_parse(case in any_case(), step in any::<u32>()) {
        let link = link();
        let fault = full(case).recovery_hint(RecoveryHint { last_known_step: step, can_resume: true });
        let reply = fault::render(&fault, Dialect::Dual, &context(&link));
        let (_, object) = reply.blocks[0].text.split_once("\n\n").unwrap();
        let parsed: Value = serde_json::from_str(object).unwrap();
        prop_assert_eq!(&parsed["error"]["recoveryHint"]["lastKnownStep"], &Value::from(step));
        prop_assert_eq!(Some(parsed), reply.structured);
    }

    #[test]
    fn templates_of_any_shape_fill(template in "[\\[\\]{}a-z ]{0,60}", value in ".{0,20}") {
        let filled = fault::template::fill_any(&template, |_| Some(value.clone()));
        let dropped = fault::template::fill_any(&template, |_| None);
        prop_assert!(dropped.len() <= template.len());
        let gaps = template.matches('{').count();
        prop_assert!(filled.len() <= template.len() + value.len() * gaps);
    }
}
