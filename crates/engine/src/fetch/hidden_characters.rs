//! Removes the characters from page text that control a terminal, that show text in another order
//! than it is written in, or that spell words nobody sees.

use fault::characters::{is_direction_override, is_tag};

/// Removes control characters except newline and tab, the marks that override, embed or isolate a
/// direction, and tags. Every kind of line end becomes a newline. The plain direction marks stay: they are
/// part of right-to-left prose and do not reorder text by themselves.
pub(crate) fn strip_hidden(text: String) -> String {
    if !text.contains(is_hidden) {
        return text;
    }
    text.replace("\r\n", "\n")
        .replace('\r', "\n")
        .replace(is_hidden, "")
}

fn is_hidden(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t')) || is_direction_override(c) || is_tag(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_controls_direction_overrides_and_tags_are_stripped_from_page_text() {
        let hostile = "a\u{1b}[31mred\u{9b}0m\u{0}\u{7}\u{202e}txt.exe\u{202c}\u{2066}x\u{2069}\u{7f}\u{e0049}\u{e0067}";
        assert_eq!(strip_hidden(hostile.to_owned()), "a[31mred0mtxt.exex");
    }

    #[test]
    fn line_ends_tabs_and_other_scripts_are_kept() {
        let page = "one\n\ttwo שלום\u{200f}! 日本 👩\u{200d}💻";
        assert_eq!(strip_hidden(page.to_owned()), page);
        assert_eq!(
            strip_hidden("one\r\ntwo\rthree".to_owned()),
            "one\ntwo\nthree"
        );
    }
}
