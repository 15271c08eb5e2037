//! The pieces of a number format: its sections, the condition that chooses one of them, and the
//! digits, letters and signs of a section.

use super::dates;

/// A piece of a format.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A letter of a date or a time, and how often it is repeated.
    Part(char, usize),
    /// Hours, minutes or seconds in total: `[h]` shows 36 where `h` shows 12.
    Elapsed(char),
    /// A condition of its section, such as `[>=100]`.
    Condition(char, bool, f64),
    /// `0`, `#` or `?`.
    Digit(char),
    Point,
    Comma,
    Percent,
    /// An exponent, a fraction or `General`: shown as the plain number.
    Plain,
    Literal(String),
}

/// The sections of a format, which semicolons separate.
pub(super) fn sections(letters: &[char]) -> Vec<&[char]> {
    let mut sections = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < letters.len() {
        match letters[at] {
            '\\' | '_' | '*' => at += 1,
            '"' => {
                at += letters[at + 1..]
                    .iter()
                    .take_while(|it| **it != '"')
                    .count()
                    + 1
            }
            '[' => at += letters[at..].iter().take_while(|it| **it != ']').count(),
            ';' => {
                sections.push(&letters[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    sections.push(letters.get(start..).unwrap_or_default());
    sections
}

/// The section for a value. `None` if it is for texts only.
pub(super) fn chosen<'f>(sections: &[&'f [char]], value: f64) -> Option<&'f [char]> {
    let condition = |section: &[char]| {
        tokens(section).into_iter().find_map(|token| match token {
            Token::Condition(sign, or_equal, bound) => Some((sign, or_equal, bound)),
            _ => None,
        })
    };
    let numeric = &sections[..sections.len().min(3)];
    if numeric.iter().any(|section| condition(section).is_some()) {
        let holds = |section: &&&[char]| match condition(section) {
            Some(('>', or_equal, bound)) => value > bound || (or_equal && value == bound),
            Some(('<', or_equal, bound)) => value < bound || (or_equal && value == bound),
            Some(('!', _, bound)) => value != bound,
            Some((_, _, bound)) => value == bound,
            None => true,
        };
        return numeric.iter().find(holds).copied();
    }
    let index = match numeric.len() {
        2 if value < 0.0 => 1,
        3 if value < 0.0 => 1,
        3 if value == 0.0 => 2,
        _ => 0,
    };
    numeric.get(index).copied()
}

pub(super) fn tokens(letters: &[char]) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let (token, size) = first_token(&letters[at..]);
        tokens.extend(token);
        at += size.max(1);
    }
    dates::mark_minutes(&mut tokens);
    tokens
}

/// The token at the start of these letters, if they show anything, and how many letters it takes.
fn first_token(letters: &[char]) -> (Option<Token>, usize) {
    let starts_with = |word: &str| {
        word.chars().enumerate().all(|(index, letter)| {
            letters
                .get(index)
                .is_some_and(|it| it.eq_ignore_ascii_case(&letter))
        })
    };
    match letters[0] {
        '"' => {
            let literal: String = letters[1..].iter().take_while(|it| **it != '"').collect();
            let size = literal.chars().count() + 2;
            (Some(Token::Literal(literal)), size)
        }
        '\\' => (letters.get(1).map(|it| Token::Literal(it.to_string())), 2),
        // A blank as wide as the next letter, and a letter that is repeated to fill the cell.
        '_' | '*' => (None, 2),
        '[' => bracket(letters),
        _ if starts_with("general") => (Some(Token::Plain), 7),
        _ if starts_with("am/pm") => (Some(Token::Part('a', 1)), 5),
        _ if starts_with("a/p") => (Some(Token::Part('a', 1)), 3),
        _ if starts_with("e+") || starts_with("e-") => (Some(Token::Plain), 2),
        digit @ ('0' | '#' | '?') => (Some(Token::Digit(digit)), 1),
        '.' => (Some(Token::Point), 1),
        ',' => (Some(Token::Comma), 1),
        '%' => (Some(Token::Percent), 1),
        '@' => (Some(Token::Plain), 1),
        letter if "ymdhsYMDHS".contains(letter) => {
            let part = letter.to_ascii_lowercase();
            let same = letters
                .iter()
                .take_while(|it| it.eq_ignore_ascii_case(&part));
            let count = same.count();
            (Some(Token::Part(part, count)), count)
        }
        other => (Some(Token::Literal(other.to_string())), 1),
    }
}

/// What stands in brackets: elapsed time, a condition, a currency. Colours show nothing.
fn bracket(letters: &[char]) -> (Option<Token>, usize) {
    let inside: String = letters[1..].iter().take_while(|it| **it != ']').collect();
    let size = inside.chars().count() + 2;
    let unit = inside
        .chars()
        .next()
        .map(|it| it.to_ascii_lowercase())
        .filter(|unit| matches!(unit, 'h' | 'm' | 's'))
        .filter(|unit| inside.chars().all(|it| it.eq_ignore_ascii_case(unit)));
    if let Some(unit) = unit {
        return (Some(Token::Elapsed(unit)), size);
    }
    if let Some(currency) = inside.strip_prefix('$') {
        let sign = currency.split('-').next().unwrap_or_default().to_owned();
        return (Some(Token::Literal(sign)), size);
    }
    (condition(&inside), size)
}

fn condition(inside: &str) -> Option<Token> {
    let sign = inside.chars().next().filter(|it| "<>=".contains(*it))?;
    let rest = &inside[1..];
    let (sign, or_equal, bound) = match (sign, rest.chars().next()) {
        ('<', Some('>')) => ('!', false, &rest[1..]),
        (_, Some('=')) => (sign, true, &rest[1..]),
        _ => (sign, false, rest),
    };
    Some(Token::Condition(sign, or_equal, bound.trim().parse().ok()?))
}
