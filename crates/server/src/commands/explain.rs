//! `fingerpost explain`: what a kind, a reason or a code means, from the catalogue itself.

use std::io::Write;

use clap::Arg;
use fault::{CODES, Case, CodeEntry, GATED_CODES, Kind, reference};

use super::{Subcommand, arguments, error::CommandError};

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "explain",
    about: "Tell what a failure means and what to do about it",
    arguments: || {
        vec![
            Arg::new("term")
                .value_name("KIND|REASON|CODE")
                .help("Without one, all of them are listed"),
        ]
    },
    run: |matches| {
        let output = std::io::stdout().lock();
        match arguments::text(matches, "term") {
            Some(term) => explain(term, output),
            None => list(output),
        }
    },
};

fn explain(word: &str, mut output: impl Write) -> Result<(), CommandError> {
    let word = catalogue_name(word);
    let Some(text) = reference::explain(&word) else {
        return Err(CommandError::Failed(unknown(&word)));
    };
    output
        .write_all(plain(&text).as_bytes())
        .map_err(|error| CommandError::output(&error))
}

/// The catalogue's name for what was typed: in any case, and for a status (`HTTP 429`, `429`) the
/// reason that it leads to.
fn catalogue_name(word: &str) -> String {
    let word = word.trim().trim_matches('`').to_lowercase();
    let digits = word
        .trim_start_matches("http")
        .trim_start_matches([' ', '_', '-', '/']);
    match digits.parse::<u16>() {
        Ok(status @ 400..=599) => case_of_status(status)
            .row()
            .reason
            .unwrap_or_default()
            .to_owned(),
        _ => word,
    }
}

fn case_of_status(status: u16) -> Case {
    match status {
        401 => Case::MissingCredentials,
        402 => Case::Paywall,
        403 => Case::Http403,
        404 => Case::Http404,
        410 => Case::Http410,
        429 => Case::Http429,
        451 => Case::LegalBlock,
        529 => Case::Overloaded,
        500.. => Case::HttpStatus,
        _ => Case::BadRequest,
    }
}

/// Removes the Markdown of the reference.
fn plain(text: &str) -> String {
    text.replace("**", "").replace('`', "")
}

fn unknown(word: &str) -> String {
    match fault::nearest(word, reference::explainable()) {
        Some(near) => format!("there is no such kind, reason or code; did you mean {near}?"),
        None => {
            "there is no such kind, reason or code; `fingerpost explain` lists them all".to_owned()
        }
    }
}

/// Lists every kind, reason and code with its meaning.
fn list(mut output: impl Write) -> Result<(), CommandError> {
    output
        .write_all(listing().as_bytes())
        .map_err(|error| CommandError::output(&error))
}

fn listing() -> String {
    let mut lines =
        vec!["Kinds and their reasons (fingerpost explain NAME tells what to do):".to_owned()];
    for kind in Kind::ALL {
        lines.push(format!("\n{kind}"));
        let rows = Case::ALL
            .iter()
            .map(|case| case.row())
            .filter(|row| row.kind == *kind);
        lines.extend(rows.filter_map(|row| Some(format!("  {:<24} {}", row.reason?, row.means))));
    }
    lines.push("\nCodes of the code dialect:".to_owned());
    lines.extend(CODES.iter().map(code_line));
    lines.push("\nCodes of the gated dialect:".to_owned());
    lines.extend(GATED_CODES.iter().map(code_line));
    lines.join("\n") + "\n"
}

fn code_line(entry: &CodeEntry) -> String {
    format!("  {:<26} {} ({})", entry.code, entry.means, entry.state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_explainable_name_is_listed() {
        let listing = listing();
        for word in reference::explainable() {
            assert!(listing.contains(word), "{word}");
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest_one() {
        assert!(
            matches!(explain("timeuot", Vec::new()), Err(CommandError::Failed(words)) if words.contains("did you mean timeout"))
        );
        assert!(
            matches!(explain("zzzzzzzz", Vec::new()), Err(CommandError::Failed(words)) if words.contains("lists them all"))
        );
    }

    #[test]
    fn statuses_and_any_case_are_explained_without_markup() {
        let told = |word: &str| {
            let mut output = Vec::new();
            explain(word, &mut output).expect("known");
            String::from_utf8(output).expect("text")
        };
        for word in ["429", "HTTP 429", "http_429", "Http_429"] {
            assert!(told(word).starts_with("rate_limited/http_429"), "{word}");
        }
        assert!(
            told("503").contains("upstream_unavailable/http_status")
                && told("418").contains("bad_request")
        );
        assert!(
            told("Timeout").contains("network/timeout")
                && told("web_search_timeout").contains("WEB_SEARCH_TIMEOUT")
        );
        assert!(!told("rate_limited").contains("**") && !told("rate_limited").contains('`'));
    }
}
