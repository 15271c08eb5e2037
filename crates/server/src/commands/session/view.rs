//! A research session for a person at a terminal: one line in a list, or its newest steps, gaps and
//! sources.

use engine::research::{
    Session, Source, Step, StepStatus,
    export::{Export, minute},
};

/// The longest goal, step or title on a line, in characters.
const LONGEST: usize = 100;
/// How many steps and sources the short form shows.
const SHOWN: usize = 20;

/// One line about a session.
pub(super) fn summary(session: &Session) -> String {
    let digest = &session.digest;
    let steps = format!(
        "{} {}",
        digest.steps,
        if digest.steps == 1 { "step" } else { "steps" }
    );
    format!(
        "{}  {}  {steps:>11}  {:<4}  {}",
        session.id,
        minute(session.last_used),
        state(session),
        line(&digest.goal)
    )
}

fn state(session: &Session) -> &'static str {
    if session.digest.completed.is_some() {
        "done"
    } else {
        "open"
    }
}

/// A session in short.
pub(super) fn overview(export: &Export) -> String {
    let (session, digest) = (&export.session, &export.session.digest);
    let mut text = format!(
        "{}  {}\n{}\n",
        session.id,
        state(session),
        line_within(&digest.goal, 1_000)
    );
    text += &format!(
        "started {}, last used {}\n",
        minute(digest.created),
        minute(session.last_used)
    );
    if let Some(confidence) = digest.confidence {
        text += &format!("confidence {:.0} %\n", confidence * 100.0);
    }
    if let Some(summary) = &digest.summary {
        text += &format!("\nsummary\n{}", indented(summary));
    }
    text += &section("steps", &export.steps, one_step);
    text += &section(
        "open gaps",
        &digest.open_gaps().collect::<Vec<_>>(),
        |gap| format!("{}: {}", gap.id, line(&gap.text)),
    );
    text += &section("sources", &export.sources, one_source);
    text += &section(
        "errors that repeat",
        &export.tally.error_patterns,
        |pattern| {
            format!(
                "{} ({} times): {}",
                pattern.kind, pattern.count, pattern.suggestion
            )
        },
    );
    text + &format!("\nall of it: fingerpost session export {}\n", session.id)
}

/// The newest items under a title; empty when there are none.
fn section<T>(title: &str, items: &[T], write: impl Fn(&T) -> String) -> String {
    if items.is_empty() {
        return String::new();
    }
    let newest = &items[items.len().saturating_sub(SHOWN)..];
    let count = if newest.len() < items.len() {
        format!("the last {} of {}", newest.len(), items.len())
    } else {
        items.len().to_string()
    };
    let lines: String = newest
        .iter()
        .map(|item| format!("  {}\n", write(item)))
        .collect();
    format!("\n{title} ({count})\n{lines}")
}

fn one_step(step: &Step) -> String {
    let revises = step
        .revises
        .map(|number| format!(" (revises {number})"))
        .unwrap_or_default();
    let branch = step
        .branch
        .as_ref()
        .map(|name| format!(" [{}]", line(name)))
        .unwrap_or_default();
    let failed = match step.status {
        StepStatus::Done => "",
        StepStatus::Failed => " (search failed)",
        StepStatus::Unanswered => " (search not answered)",
    };
    format!(
        "{:>3}. {}{revises}{branch}{failed}",
        step.number,
        line(&step.text)
    )
}

fn one_source(source: &Source) -> String {
    let title = source
        .title
        .as_deref()
        .map(|title| format!("  {}", line(title)))
        .unwrap_or_default();
    format!(
        "{}{title}  ({}, {}, {})",
        line_within(&source.url, 1_000),
        source.state.as_str(),
        line(&source.via),
        minute(source.at)
    )
}

fn line(text: &str) -> String {
    line_within(text, LONGEST)
}

/// Text on one line, without control characters, which a terminal would obey.
fn line_within(text: &str, longest: usize) -> String {
    let plain: String = text
        .chars()
        .take(longest * 4)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= longest {
        words
    } else {
        words.chars().take(longest - 1).chain(['…']).collect()
    }
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|line| format!("  {}\n", line_within(line, 10_000)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_and_short() {
        assert_eq!(line("a\u{1b}[2J\r\nb"), "a [2J b");
        assert_eq!(line_within("abcdef", 4), "abc…");
    }

    #[test]
    fn a_long_section_shows_its_end() {
        let numbers: Vec<usize> = (1..=25).collect();
        let text = section("numbers", &numbers, usize::to_string);
        assert!(
            text.starts_with("\nnumbers (the last 20 of 25)\n  6\n") && text.ends_with("  25\n"),
            "{text}"
        );
        assert_eq!(section("none", &[0usize; 0], usize::to_string), "");
    }
}
