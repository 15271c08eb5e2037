//! Two refusals of the same call as one fault.
//!
//! The decoder finds mistakes of shape, and a tool's own check those of meaning. An agent corrects
//! its call once if it is told of both.

use fault::{Case, Fault, Issue, Origin, Problem};

/// The refusal with the mistakes of another one that it does not have yet. `second` is about the
/// arguments as `first` corrected them. So the call that `first` suggests is not accepted, and those
/// of `second` correct both; without a correction in `first`, there is none.
pub(crate) fn joined(first: Fault, second: &Fault) -> Fault {
    let mut problems = first.seen_problems().to_vec();
    let is_known = |problem: &Problem| {
        let mut known = first.seen_problems().iter();
        known.any(|known| names(known, problem.field.as_str()))
    };
    let added: Vec<Problem> = problems_of(second)
        .into_iter()
        .filter(|problem| !is_known(problem))
        .collect();
    let case = match added.is_empty() {
        true => first.case(),
        false => Case::InvalidArgument,
    };
    problems.extend(added);
    let calls = match first.calls() {
        [] => Vec::new(),
        _ => second.calls().to_vec(),
    };
    first
        .told_as(case, Origin::Local)
        .problems(problems)
        .next_calls(calls)
        .recovery_hint(second.hint())
}

/// The mistakes that a refusal names. One with a case of its own is about the value of one
/// parameter.
fn problems_of(fault: &Fault) -> Vec<Problem> {
    match (fault.seen_problems(), fault.seen_parameter()) {
        ([], Some(field)) => {
            let why = fault.what_happened();
            vec![Problem::new(field, Issue::Refused { why })]
        }
        (problems, _) => problems.to_vec(),
    }
}

/// Whether the problem is about this parameter. A missing alternative names several: "url or urls".
fn names(problem: &Problem, field: &str) -> bool {
    let mut words = problem.field.as_str().split([' ', ',']);
    words.any(|word| word == field)
}

#[cfg(test)]
mod tests {
    use fault::{FieldName, NextCall, ToolName};
    use serde_json::{Map, Value};

    use super::*;

    fn call(value: i64) -> NextCall {
        let arguments = Map::from_iter([("count".to_owned(), Value::from(value))]);
        NextCall::new(ToolName::new("tool"), arguments)
    }

    fn mistake(field: &'static str) -> Problem {
        Problem::new(FieldName::new(field), Issue::Blank)
    }

    #[test]
    fn every_mistake_is_told_once() {
        let first = Fault::arguments(vec![mistake("query"), mistake("count")]);
        let second = Fault::arguments(vec![mistake("query"), mistake("sites")]);
        let both = joined(first, &second);
        let fields: Vec<&str> = both
            .seen_problems()
            .iter()
            .map(|problem| problem.field.as_str())
            .collect();
        assert_eq!(fields, ["query", "count", "sites"]);
    }

    #[test]
    fn a_call_that_corrects_only_one_of_two_mistakes_is_left_out() {
        let refusal =
            Fault::new(Case::UnknownProvider, Origin::Local).parameter(FieldName::new("provider"));
        let first = || Fault::arguments(vec![mistake("count")]);
        let both = joined(first().next_call(call(1)), &refusal);
        assert!(both.calls().is_empty());
        assert!(
            both.to_string()
                .contains("provider: There is no provider of that name"),
            "{both}"
        );
        let second = refusal.next_call(call(2));
        assert!(joined(first(), &second).calls().is_empty());
        assert_eq!(
            joined(first().next_call(call(1)), &second).calls(),
            [call(2)]
        );
    }
}
