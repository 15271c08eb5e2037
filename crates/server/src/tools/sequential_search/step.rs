//! The step that the arguments describe.

use engine::research::{NewStep, StepField};

use crate::params::Args;

pub(super) const fn parameter(field: StepField) -> &'static str {
    match field {
        StepField::Number => "stepNumber",
        StepField::Text => "searchStep",
        StepField::Query => "query",
        StepField::Reasoning => "reasoning",
        StepField::Revises => "revisesStep",
        StepField::BranchFrom => "branchFromStep",
        StepField::Branch => "branch",
        StepField::Opens => "knowledgeGaps",
        StepField::Closes => "closedGaps",
        StepField::Rejects => "rejectedApproaches",
        StepField::Summary => "summary",
    }
}

pub(super) fn new_step(args: &Args) -> NewStep {
    let text = |field: StepField| args.text(parameter(field)).map(str::to_owned);
    let texts = |field: StepField| {
        let texts = args.texts(parameter(field));
        texts.into_iter().map(str::to_owned).collect()
    };
    let number = |field: StepField| args.integer(parameter(field));
    let query = text(StepField::Query);
    NewStep {
        number: number(StepField::Number),
        text: text(StepField::Text)
            .or_else(|| query.clone())
            .unwrap_or_default(),
        query,
        reasoning: text(StepField::Reasoning),
        confidence: args.number("confidence"),
        revises: number(StepField::Revises),
        branch_from: number(StepField::BranchFrom),
        branch: args.text("branch").map(str::to_owned),
        opens: texts(StepField::Opens),
        closes: texts(StepField::Closes),
        rejects: texts(StepField::Rejects),
        summary: text(StepField::Summary),
        completes: args.flag("complete"),
    }
}

/// Whether a call only ends its session, perhaps with a summary: there is no step to keep.
pub(super) fn is_only_end(new: &NewStep) -> bool {
    *new == NewStep {
        confidence: new.confidence,
        summary: new.summary.clone(),
        completes: true,
        ..NewStep::default()
    }
}

/// The longest description that is taken from another text of the step, in characters.
const MOST_DESCRIPTION: usize = 100;

/// The step with words about what it does: its own, or the beginning of what else it says.
pub(super) fn described(mut new: NewStep) -> NewStep {
    if new.text.trim().is_empty() {
        let notes = [&new.opens, &new.closes, &new.rejects];
        let texts = new.summary.iter().chain(&new.reasoning);
        let mut texts = texts.chain(notes.into_iter().flatten());
        let text = texts.find(|text| !text.trim().is_empty());
        let text = text.map(|text| beginning(text)).unwrap_or_default();
        new.text = text;
    }
    new
}

/// The first words of a text.
fn beginning(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MOST_DESCRIPTION {
        return line;
    }
    let cut: String = line.chars().take(MOST_DESCRIPTION).collect();
    let whole_words = cut
        .rsplit_once(' ')
        .map_or(cut.as_str(), |(words, _)| words);
    format!("{whole_words} …")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::sequential_search::TOOL;

    #[test]
    fn every_field_of_a_step_is_a_parameter() {
        let fields = [
            StepField::Number,
            StepField::Text,
            StepField::Query,
            StepField::Reasoning,
            StepField::Revises,
            StepField::BranchFrom,
            StepField::Branch,
            StepField::Opens,
            StepField::Closes,
            StepField::Rejects,
            StepField::Summary,
        ];
        for field in fields {
            assert!(TOOL.param_names.contains(&parameter(field)), "{field:?}");
        }
    }
}
