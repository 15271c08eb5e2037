//! Parses source text with bounds on size, work and nesting.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

use super::language::Language;

/// The largest source that is analysed, in bytes.
pub const MAX_BYTES: usize = 1024 * 1024;

/// The deepest tree that is analysed. Code that people write stays far below it.
pub const MAX_DEPTH: usize = 1_000;

/// Steps of the parser for each byte of source, counted in callbacks of about a hundred operations.
/// Counting steps rather than time makes the outcome the same on every machine.
const STEPS_PER_BYTE: usize = 4;
const LEAST_STEPS: usize = 10_000;

/// Why there is no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unparsed {
    /// It is larger than [`MAX_BYTES`].
    TooLarge { bytes: usize },
    /// The parser used up its steps.
    TooAmbiguous,
    /// The tree is deeper than [`MAX_DEPTH`].
    TooDeep,
}

pub(super) fn parse(text: &str, language: Language) -> Result<Tree, Unparsed> {
    if text.len() > MAX_BYTES {
        return Err(Unparsed::TooLarge { bytes: text.len() });
    }
    let mut parser = Parser::new();
    parser
        .set_language(&language.grammar())
        .expect("the grammars are of versions that the parser reads");
    let mut steps = LEAST_STEPS + text.len() * STEPS_PER_BYTE;
    let mut count = |_: &_| {
        steps = steps.saturating_sub(1);
        match steps {
            0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    let options = ParseOptions::new().progress_callback(&mut count);
    let mut read = |offset: usize, _| text.as_bytes().get(offset..).unwrap_or_default();
    let tree = parser
        .parse_with_options(&mut read, None, Some(options))
        .ok_or(Unparsed::TooAmbiguous)?;
    match is_too_deep(&tree) {
        true => Err(Unparsed::TooDeep),
        false => Ok(tree),
    }
}

fn is_too_deep(tree: &Tree) -> bool {
    let mut cursor = tree.walk();
    loop {
        if cursor.goto_first_child() {
            if cursor.depth() as usize > MAX_DEPTH {
                return true;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_sources_are_refused_or_parsed_in_bounded_work() {
        for language in Language::ALL {
            for part in [
                "(", "{", "[", "<", "`${", "f'{", "a.b(", "!", "if x {", "\"", "-",
            ] {
                let text = part.repeat(100 * 1024 / part.len());
                let _ = parse(&text, language);
            }
        }
    }

    #[test]
    fn nesting_is_limited() {
        let deep = format!("x = {}1{}", "(".repeat(5_000), ")".repeat(5_000));
        let refused = parse(&deep, Language::Python).err();
        assert_eq!(refused, Some(Unparsed::TooDeep));
        let large = "x = 1\n".repeat(200_000);
        assert!(
            matches!(parse(&large, Language::Python), Err(Unparsed::TooLarge { bytes }) if bytes == large.len())
        );
    }
}
