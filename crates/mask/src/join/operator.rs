//! Joints made of marks: `=`, `:`, `:=`, `==`, `<-`, and a type before them.

use super::below::lone_line_below;
use super::{Joined, Joint, skip_blanks};
use crate::extent;
use crate::markup;
use crate::neighbour;
use crate::text::{Text, is_alphanumeric, is_base64_any, is_blank, is_space, is_word};
use crate::value;

pub(super) fn assignment(text: Text<'_>, stem: usize, equals: usize) -> Option<Joined> {
    let after = text.run(equals, 3, |byte| matches!(byte, b'=' | b'>' | b'~'));
    let start = text.run_back(stem, 64, |byte| {
        is_word(byte) || matches!(byte, b'-' | b'.' | b'$' | b'[' | b']')
    });
    let parameter = after == equals + 1
        && (matches!(text.before(start), b'?' | b'&' | b'#')
            || text.bytes[..start].ends_with(b"&amp;"))
        && !is_space(text.at(after));
    let compared = after >= equals + 2 && text.at(equals + 1) == b'=';
    let joint = if parameter {
        Joint::Parameter
    } else if compared && !extent::is_mark(text, skip_blanks(text, after)) {
        // What is compared to a name need not be its value.
        Joint::Pair
    } else {
        Joint::Assign
    };
    let at = skip_blanks(text, after);
    // `== Password ==`: a heading.
    if after == equals + 2
        && text.at(after - 1) == b'='
        && let Some(below) = lone_line_below(text, at)
    {
        return Some(Joined {
            joint: Joint::Prose,
            at: below,
        });
    }
    if let Some(below) = lone_line_below(text, at) {
        let end = text.run(below, value::EXAMINED, |byte| !is_space(byte));
        let shown = text.slice(below..end).trim_end_matches('=');
        if value::is_key_like(shown, 16) && !shown.contains('=') {
            return Some(Joined { joint, at: below });
        }
    }
    // Any other value on the next line belongs to the name only when it is quoted.
    let below = text.run(at, 64, is_space);
    Some(Joined {
        joint,
        at: if below > at && extent::is_mark(text, below) && text.at(below) != b'&' {
            below
        } else {
            at
        },
    })
}

pub(super) fn colon(text: Text<'_>, colon: usize) -> Option<Joined> {
    if text.starts_with(colon, ":=") {
        return Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, colon + 2),
        });
    }
    if text.starts_with(colon, "://") {
        return None;
    }
    if text.starts_with(colon, "::") {
        return double_colon(text, colon);
    }
    let at = skip_blanks(text, colon + 1);
    let at = past_emphasis(text, at);
    // `{\b Password:} value`
    let at = if text.starts_with(at, "} ") {
        at + 2
    } else {
        at
    };
    // `Password: ____ value`
    let line = text.run(at, 40, |byte| byte == b'_');
    let at = if line >= at + 3 && is_blank(text.at(line)) {
        skip_blanks(text, line)
    } else {
        at
    };
    if text.starts_with(at, "</") {
        return markup::next_text(text, at);
    }
    if let Some(equals) = past_type(text, at) {
        return Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, equals),
        });
    }
    let below = text.run(at, 64, is_space);
    let fenced = text.starts_with(below, "```");
    if below > at && !fenced && (extent::is_mark(text, below) || is_block_mark(text, at)) {
        return Some(Joined {
            joint: Joint::Colon,
            at: below,
        });
    }
    let block = text.run(at, 2, |byte| matches!(byte, b'|' | b'>' | b'-' | b'+'));
    let below = text.run(block, 64, is_space);
    if block > at && matches!(text.at(at), b'|' | b'>') && below > block {
        return Some(Joined {
            joint: Joint::Colon,
            at: below,
        });
    }
    if below > at
        && text.bytes[at..below].contains(&b'\n')
        && let Some(joined) =
            neighbour::next(text, at).or_else(|| neighbour::below(text, colon, at))
    {
        return Some(joined);
    }
    if let Some(below) = lone_line_below(text, at) {
        return Some(Joined {
            joint: Joint::Prose,
            at: below,
        });
    }
    Some(Joined {
        joint: Joint::Colon,
        at,
    })
}

/// Operators that assign or compare, longest first.
const OPERATORS: &[&str] = &[
    "??=", "||=", "!==", "-->", "?=", "+=", ".=", "!=", "<-", "->", "~>",
];

/// Where the value after an operator at `index` starts. A caret or a tilde joins only what touches
/// it.
pub(super) fn past_operator(text: Text<'_>, index: usize) -> Option<usize> {
    if let Some(operator) = OPERATORS.iter().find(|it| text.starts_with(index, it)) {
        return Some(index + operator.len());
    }
    let touches = is_word(text.before(index)) && is_alphanumeric(text.at(index + 1));
    (matches!(text.at(index), b'~' | b'^') && touches).then_some(index + 1)
}

/// What an operator says: what is compared to a name need not be its value.
pub(super) fn operator_joint(text: Text<'_>, index: usize) -> Joint {
    match text.at(index) {
        b'!' | b'~' | b'^' => Joint::Pair,
        _ => Joint::Assign,
    }
}

/// `::=` of makefiles, `::` of jsonnet and LDIF. Paths in code have it too, so a bare value must
/// look generated.
fn double_colon(text: Text<'_>, colon: usize) -> Option<Joined> {
    let colons = text.run(colon, 3, |byte| byte == b':');
    if text.at(colons) == b'=' {
        return Some(Joined {
            joint: Joint::Assign,
            at: skip_blanks(text, colons + 1),
        });
    }
    let at = skip_blanks(text, colons);
    let end = text.run(at, value::EXAMINED, is_base64_any);
    let made = value::is_key_like(text.slice(at..end), 12) && text.at(end) != b'(';
    (at > colons && extent::is_mark(text, at) || made).then_some(Joined {
        joint: Joint::Pair,
        at,
    })
}

fn is_block_mark(text: Text<'_>, at: usize) -> bool {
    matches!(text.at(at), b'|' | b'>')
}

/// Skips Markdown emphasis, as in `**Password:** value`.
fn past_emphasis(text: Text<'_>, at: usize) -> usize {
    let stars = text.run(at, 2, |byte| byte == b'*');
    if stars == at + 2 && is_blank(text.at(stars)) {
        skip_blanks(text, stars)
    } else {
        at
    }
}

/// Skips a type and the equals sign, as in `token: str = "…"`.
fn past_type(text: Text<'_>, at: usize) -> Option<usize> {
    let end = text.run(at, 40, |byte| {
        is_alphanumeric(byte)
            || matches!(
                byte,
                b'&' | b'\'' | b'[' | b']' | b'<' | b'>' | b'.' | b'_' | b'?'
            )
    });
    let equals = skip_blanks(text, end);
    (end > at && equals > end && text.at(equals) == b'=' && text.at(equals + 1) != b'=')
        .then_some(equals + 1)
}
