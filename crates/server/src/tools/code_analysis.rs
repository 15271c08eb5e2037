//! What `analyze_code` and `review_code` share.

use fault::{Case, Fault, FieldName, Issue, Limit, Origin, Problem, Quoted, Say, Size, Tainted};
use patterns::analysis::{
    Analysis, Config, ConfigMistake, Finding, MAX_PAYLOAD, Refusal, Unparsed, analyse,
};
use serde_json::{Map, Value};

use crate::params::{Param, Shape};
use crate::shown_name::shown_name;

/// A name whose end tells the language.
pub(super) const fn file_name(name: &'static str) -> Param {
    Param {
        name,
        about: "Its file name; the end tells the language: Rust, TypeScript, JavaScript, Python, Go",
        shape: Shape::Text { max_chars: 500 },
        required: true,
        example: "\"src/server.ts\"",
    }
}

pub(super) const fn source(name: &'static str) -> Param {
    Param {
        name,
        about: "The source text, at most 100 KB",
        shape: Shape::Source {
            max_bytes: MAX_PAYLOAD as u64,
        },
        required: true,
        example: "\"fetch(url);\"",
    }
}

/// Analyses a source in a thread of its own, because it is work for the processor. That thread ends
/// by itself, also when nobody waits for it any more: parsing and rules count their work.
pub(super) async fn analysis(
    file: &str,
    file_param: &'static str,
    text: &str,
    config: Config,
) -> Result<Analysis, Fault> {
    if text.len() > MAX_PAYLOAD {
        return Err(too_large(text.len()));
    }
    let (file, text) = (shown_name(file.as_bytes()), text.to_owned());
    let work = tokio::task::spawn_blocking(move || analyse(&file, &text, &config));
    let analysed = work.await.map_err(|_| {
        Fault::new(Case::Internal, Origin::Local).tainted(Tainted::new("the analyser panicked"))
    })?;
    analysed.map_err(|refusal| refused(refusal, file_param))
}

fn too_large(bytes: usize) -> Fault {
    Fault::new(Case::TooLong, Origin::Local)
        .size(Size::Bytes(bytes as u64))
        .limit(Limit::Bytes(MAX_PAYLOAD as u64))
        .advising(Say::new("Send a smaller part of the source."))
}

/// Nothing is wrong with the shape of such a call: there is no analysis for what it asks about.
fn refused(refusal: Refusal, file_param: &'static str) -> Fault {
    let unsupported = |what: Say, advice: &'static str| {
        Fault::new(Case::UnsupportedType, Origin::Local)
            .saying(what)
            .advising(Say::new(advice))
    };
    match refusal {
        Refusal::UnsupportedLanguage => unsupported(
            Say::new(file_param).with(
                " must end in .rs, .ts, .tsx, .mts, .cts, .js, .jsx, .mjs, .cjs, .py or .go: other languages have no rules.",
            ),
            "Send a file in one of these languages.",
        ),
        Refusal::Unparsed(Unparsed::TooLarge { bytes }) => too_large(bytes),
        Refusal::Unparsed(Unparsed::TooDeep) => unsupported(
            Say::new("The source is nested too deeply to be analysed."),
            "Send a part of it.",
        ),
        Refusal::Unparsed(Unparsed::TooAmbiguous) => unsupported(
            Say::new("The source takes more work to parse than a source of its size may take."),
            "Send a part of it.",
        ),
        Refusal::TooMuchWork => unsupported(
            Say::new("The source takes more work to analyse than a source of its size may take."),
            "Send a part of it.",
        ),
    }
}

/// The levels in `{"rules": {"rule-id": "off"}}`. A mistake in them names the tool that lists the
/// rules if it can be called.
pub(super) fn config(
    given: Option<&Map<String, Value>>,
    can_list_rules: bool,
) -> Result<Config, Fault> {
    let mut config = Config::default();
    let Some(given) = given else {
        return Ok(config);
    };
    let mistake = |words: Say| {
        let problem = Problem::new(FieldName::new("config"), Issue::Says(words));
        Fault::arguments(vec![problem.example(CONFIG_EXAMPLE)])
    };
    let rules = match given.get("rules") {
        None if given.is_empty() => return Ok(config),
        Some(Value::Object(rules)) if given.len() == 1 => rules,
        _ => {
            return Err(mistake(Say::new(
                "must be an object with one field, rules, which is an object of levels by rule",
            )));
        }
    };
    for (rule, level) in rules {
        config
            .set(rule, level.as_str().unwrap_or_default())
            .map_err(|error| match error {
                ConfigMistake::UnknownLevel => {
                    mistake(Say::new("has a level that is not off, warn or error"))
                }
                ConfigMistake::UnknownRule {
                    nearest: Some(near),
                } => mistake(
                    Say::new("names a rule that does not exist; the nearest is ").with(near),
                ),
                ConfigMistake::UnknownRule { nearest: None } if can_list_rules => mistake(
                    Say::new("names a rule that does not exist; list_analysis_rules has them all"),
                ),
                ConfigMistake::UnknownRule { nearest: None } => {
                    mistake(Say::new("names a rule that does not exist"))
                }
            })?;
    }
    Ok(config)
}

pub(super) const CONFIG_EXAMPLE: &str = "{\"rules\": {\"cause-dropped\": \"off\"}}";

/// The file name as data.
pub(super) fn echoed(file: &str) -> Quoted {
    Quoted::from_input(file)
}

/// One finding as a line of Markdown.
pub(super) fn line(finding: &Finding) -> String {
    format!(
        "- {}:{} **{}** ({}, {} confidence): {}. {} Pattern `{}`, fix: {}.",
        finding.start.line,
        finding.start.column,
        finding.rule.id,
        finding.severity.as_str(),
        finding.rule.confidence.as_str(),
        finding.rule.title,
        finding.rule.advice,
        finding.rule.pattern,
        finding.fix_label().as_str()
    )
}

/// More diagnostics than this say nothing new.
pub(super) const MOST_DIAGNOSTICS: usize = 20;

/// Diagnostics as lines of Markdown, after a blank line.
pub(super) fn notes(analysis: &Analysis) -> String {
    let mut text = String::new();
    if analysis.suppressed > 0 {
        text.push_str(&format!(
            "\n\n{} suppressed by comments.",
            analysis.suppressed
        ));
    }
    for diagnostic in analysis.diagnostics.iter().take(MOST_DIAGNOSTICS) {
        let (line, message) = (diagnostic.at.line, diagnostic.kind.message());
        text.push_str(&format!("\n\nLine {line}: {message}"));
    }
    text
}
