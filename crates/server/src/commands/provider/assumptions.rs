//! What an adapter takes for granted about its service, held against one real exchange.

use engine::ExchangeReply;
use fault::{Action, Phase};
use serde_json::{Value, json};

use super::{Check, RESULTS};

/// One assumption and whether it held.
pub(super) struct Assumption {
    words: String,
    held: Held,
}

enum Held {
    Yes,
    /// Not, and what was seen instead.
    No(String),
    /// The exchange says nothing about it.
    NotSeen,
}

impl Assumption {
    fn new(words: impl Into<String>, held: Held) -> Assumption {
        let words = words.into();
        Assumption { words, held }
    }

    pub(super) fn is_broken(&self) -> bool {
        matches!(self.held, Held::No(_))
    }

    pub(super) fn line(&self) -> String {
        match &self.held {
            Held::Yes => format!("Confirmed {}", self.words),
            Held::No(instead) => format!("Broken    {}: {instead}", self.words),
            Held::NotSeen => format!("Not seen  {}", self.words),
        }
    }

    pub(super) fn value(&self) -> Value {
        let (held, instead) = match &self.held {
            Held::Yes => ("confirmed", None),
            Held::No(instead) => ("broken", Some(instead)),
            Held::NotSeen => ("not seen", None),
        };
        json!({"assumption": self.words, "held": held, "instead": instead})
    }
}

pub(super) fn assumptions(check: &Check) -> Vec<Assumption> {
    let mut all = vec![
        Assumption::new("the address answers", answers(check)),
        Assumption::new("a search is answered with a success", succeeds(check)),
        Assumption::new("a success has the form that is expected", has_form(check)),
        Assumption::new("common words have results", has_results(check)),
        Assumption::new(
            format!("no more than the {RESULTS} results asked for are given"),
            is_limited(check),
        ),
    ];
    if check.key_origin.is_some() {
        all.push(Assumption::new("the key is accepted", takes_key(check)));
    }
    if !check.spec.codes_at.is_empty() {
        let places = check.spec.codes_at.join(" or ");
        let words = format!("a refusal has its code at {places}");
        all.push(Assumption::new(words, has_code(check)));
    }
    all
}

/// The last reply: the one that decided the outcome.
fn last_reply(check: &Check) -> Option<&ExchangeReply> {
    check.exchanges.last()?.reply.as_ref().ok()
}

fn answers(check: &Check) -> Held {
    match (last_reply(check), &check.outcome) {
        (Some(_), _) => Held::Yes,
        (None, Err(fault)) => Held::No(fault.sentence().to_string()),
        (None, Ok(_)) => Held::NotSeen,
    }
}

fn succeeds(check: &Check) -> Held {
    match last_reply(check) {
        Some(reply) if (200..300).contains(&reply.status) => Held::Yes,
        Some(reply) => Held::No(format!("HTTP {}", reply.status)),
        None => Held::NotSeen,
    }
}

fn has_form(check: &Check) -> Held {
    match &check.outcome {
        Ok(_) => Held::Yes,
        Err(fault) if fault.seen_phase() == Some(Phase::Decode) => {
            Held::No("see the shape above and compare it with the head of the adapter".to_owned())
        }
        Err(_) => Held::NotSeen,
    }
}

fn result_count(check: &Check) -> Option<usize> {
    let answer = check.outcome.as_ref().ok()?;
    let groups = answer.groups.iter();
    Some(groups.map(|group| group.results.len()).sum())
}

fn has_results(check: &Check) -> Held {
    match result_count(check) {
        Some(0) => Held::No("none were read".to_owned()),
        Some(_) => Held::Yes,
        None => Held::NotSeen,
    }
}

fn is_limited(check: &Check) -> Held {
    match result_count(check) {
        Some(count) if i64::try_from(count).is_ok_and(|count| count <= RESULTS) => Held::Yes,
        Some(count) => Held::No(format!("{count} were given")),
        None => Held::NotSeen,
    }
}

fn takes_key(check: &Check) -> Held {
    match &check.outcome {
        Ok(_) => Held::Yes,
        Err(fault) if fault.row().action == Action::CheckApiKey => {
            Held::No(fault.sentence().to_string())
        }
        Err(_) => Held::NotSeen,
    }
}

fn has_code(check: &Check) -> Held {
    let Some(reply) = last_reply(check).filter(|reply| reply.status >= 400) else {
        return Held::NotSeen;
    };
    let Ok(body) = serde_json::from_slice::<Value>(&reply.body) else {
        return Held::NotSeen;
    };
    let mut places = check.spec.codes_at.iter();
    if places.any(|place| body.pointer(place).is_some()) {
        Held::Yes
    } else {
        Held::No("the reply has none there; see its shape above".to_owned())
    }
}
