//! The one table of characters that a reader cannot see.
//!
//! Pages and callers use them to hide words, to break up names that a filter looks for, and to show
//! text in another order than it is read in. Control characters are not listed here because
//! `char::is_control` covers them.

/// Whether a character is invisible: soft hyphens, zero-width spaces and joiners, direction marks
/// and overrides, byte-order marks, annotation marks and tags.
///
/// Text for a reader keeps the joiners, so most callers ask `is_invisible(c) && !is_joiner(c)`.
pub fn is_invisible(c: char) -> bool {
    is_joiner(c)
        || is_direction_mark(c)
        || is_direction_override(c)
        || matches!(c,
            '\u{AD}' | '\u{180E}' | '\u{200B}'
            | '\u{2060}'..='\u{2065}' | '\u{206A}'..='\u{206F}'
            | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}')
        || is_tag(c)
}

/// Whether a character is a tag: an invisible copy of an ASCII character.
pub fn is_tag(c: char) -> bool {
    matches!(c, '\u{E0000}'..='\u{E007F}')
}

/// Whether a character shapes its neighbours: Persian and Indic words are spelled with joiners, and
/// emoji are composed with them.
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200C}'..='\u{200D}')
}

/// Whether a character says in which direction its neighbours are written: right-to-left prose
/// needs them beside digits and brackets.
pub fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{200E}'..='\u{200F}' | '\u{61C}')
}

/// Whether a character overrides, embeds or isolates a writing direction, so that what follows is
/// shown in another order than it is read in. The plain direction marks do not: they belong to
/// right-to-left prose.
pub fn is_direction_override(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character has no place in one line of plain text: controls, line and paragraph
/// separators, and everything invisible.
pub fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{2029}') || is_invisible(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joiners_and_overrides_are_invisible_and_letters_are_not() {
        for c in [
            '\u{AD}', '\u{200B}', '\u{200D}', '\u{202E}', '\u{2069}', '\u{FEFF}',
        ] {
            assert!(is_invisible(c), "{c:?}");
        }
        for c in ['a', ' ', '\n', 'é', '\u{A0}', '\u{2028}', '日', '👩'] {
            assert!(!is_invisible(c), "{c:?}");
        }
        assert!(is_joiner('\u{200D}') && !is_direction_override('\u{200F}'));
        assert!(is_unprintable('\n') && is_unprintable('\u{2028}') && !is_unprintable(' '));
    }
}
