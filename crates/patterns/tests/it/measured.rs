//! What was measured of the rules, and what the page about it says.

use std::{fs, path::Path};

use patterns::analysis::rules::{Rule, all};
use patterns::analysis::{Confidence, Config, analyse};

const RIGHT_TOO_SELDOM: &str =
    "def load():\n    try:\n        refresh()\n    except Exception:\n        pass\n";

#[test]
fn a_rule_that_is_right_too_seldom_reports_only_where_a_level_is_set() {
    let finds = |config: &Config| {
        let analysis = analyse("a.py", RIGHT_TOO_SELDOM, config).expect("it is small");
        let mut findings = analysis.findings.iter();
        findings.any(|it| it.rule.id == "swallowed-error")
    };
    let mut config = Config::default();
    assert!(!finds(&config));
    config.set("swallowed-error", "warn").expect("a rule");
    assert!(finds(&config));
}

#[test]
fn a_suppression_of_a_rule_that_is_off_is_not_called_unused() {
    let text = RIGHT_TOO_SELDOM.replace(
        "except Exception:",
        "except Exception:  # fingerpost-ignore swallowed-error: it is only a cache",
    );
    let analysis = analyse("a.py", &text, &Config::default()).expect("it is small");
    assert!(
        analysis.diagnostics.is_empty(),
        "{:?}",
        analysis.diagnostics
    );
}

#[test]
fn enough_rules_are_on_and_what_is_hardly_known_has_low_confidence() {
    assert!(all().filter(|rule| rule.is_on()).count() >= 40);
    for rule in all().filter(|rule| rule.measured().is_too_rare()) {
        assert_eq!(rule.confidence, Confidence::Low, "{}", rule.id);
    }
}

#[test]
fn the_page_about_accuracy_has_every_rule_with_its_figures() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lint-accuracy.md");
    let page = fs::read_to_string(page).expect("the page");
    let begin = page
        .find("| rule | right | sets | state |")
        .expect("the table");
    let rows = page[begin..].lines().skip(2);
    let mut written: Vec<&str> = rows.take_while(|line| line.starts_with('|')).collect();
    let mut expected: Vec<String> = all().map(row).collect();
    written.sort_unstable();
    expected.sort_unstable();
    assert_eq!(written, expected);
}

fn row(rule: &Rule) -> String {
    let measured = rule.measured();
    let state = match (rule.is_on(), measured.is_too_rare()) {
        (false, _) => "off until a level is set",
        (true, true) => "on; too rare to judge",
        (true, false) => "on",
    };
    let right = match measured.read {
        0 => "not found".to_owned(),
        read => format!("{} of {read}", measured.right),
    };
    format!("| `{}` | {right} | {} | {state} |", rule.id, measured.sets)
}
