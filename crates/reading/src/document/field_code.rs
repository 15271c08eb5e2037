//! What a field of Word shows without a result, and where it leads. Fields have the same codes in
//! DOCX, DOC and RTF.

use super::field_equation::equation_text;
use super::symbol_fonts::symbol_field;

/// What a field shows that never has a result. `None` for any other field.
pub(super) fn field_text(code: &str) -> Option<String> {
    let (name, rest) = argument(code.trim());
    let shown = match name.to_ascii_uppercase().as_str() {
        "SYMBOL" => return symbol_field(code),
        "EQ" => equation_text(rest),
        // The name of a macro or a place, and the text to click on.
        "MACROBUTTON" | "GOTOBUTTON" => argument(rest).1.trim().to_owned(),
        _ => return None,
    };
    (!shown.is_empty()).then_some(shown)
}

/// The target of a HYPERLINK field: an address, or the path of another file. `None` for any other
/// field and for a place in the same document.
pub(super) fn field_link(code: &str) -> Option<String> {
    let mut rest = code.trim().strip_prefix("HYPERLINK")?.trim_start();
    while !rest.is_empty() {
        let (word, after) = argument(rest);
        rest = match word.to_ascii_lowercase().as_str() {
            // A place, a window and a hint, each with its name behind it.
            "\\l" | "\\t" | "\\o" => argument(after).1,
            switch if switch.starts_with('\\') && switch.len() == 2 => after,
            _ => {
                // A path has its separators doubled.
                let target = word.trim().replace("\\\\", "\\");
                return (!target.is_empty()).then_some(target);
            }
        };
    }
    None
}

/// The first word of a code, which may be in quotation marks, and what follows it.
fn argument(code: &str) -> (&str, &str) {
    let (word, rest) = match code.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
        None => {
            let end = code.find([' ', '\t', '"']).unwrap_or(code.len());
            code.split_at(end)
        }
    };
    (word, rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_without_a_result_show_what_their_code_says() {
        for (code, text) in [
            (
                " MACROBUTTON NoMacro [Click here and type a name] ",
                Some("[Click here and type a name]"),
            ),
            ("GOTOBUTTON place Next page", Some("Next page")),
            ("EQ \\f(1,2)", Some("1/2")),
            ("SYMBOL 183 \\f \"Symbol\"", Some("•")),
            ("MACROBUTTON NoMacro", None),
            ("PAGE", None),
            ("", None),
        ] {
            assert_eq!(field_text(code).as_deref(), text, "{code}");
        }
    }

    #[test]
    fn a_field_leads_to_an_address_or_a_file() {
        for (code, target) in [
            (
                " HYPERLINK \"https://a.example/\" ",
                Some("https://a.example/"),
            ),
            ("HYPERLINK https://a.example/b", Some("https://a.example/b")),
            (
                "HYPERLINK \"a.example/\" \\t \"_blank\"",
                Some("a.example/"),
            ),
            (
                "HYPERLINK \\t \"_blank\" \"a.example/\"",
                Some("a.example/"),
            ),
            ("HYPERLINK \\n \"a.example/\"", Some("a.example/")),
            ("HYPERLINK \"..\\\\b\\\\c d.doc\"", Some("..\\b\\c d.doc")),
            (
                "HYPERLINK \"https://a.example/\" \\l \"part\"",
                Some("https://a.example/"),
            ),
            ("HYPERLINK \\l \"part\"", None),
            ("HYPERLINK \"\"", None),
            ("HYPERLINK", None),
            ("HYPERLINK \\l", None),
            ("PAGEREF a", None),
        ] {
            assert_eq!(field_link(code).as_deref(), target, "{code}");
        }
    }
}
