//! The values of variables, left out of what is shown of a client's file.

/// The text with every value of an environment variable, however short, as `***`. A variable is a
/// name in capitals before a colon or an equals sign, in JSON and in TOML.
pub(super) fn without_values(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_of_name) {
        let (before, from_name) = rest.split_at(start);
        let end = from_name.find(|c| !is_of_name(c));
        let (name, after) = from_name.split_at(end.unwrap_or(from_name.len()));
        shown.push_str(before);
        shown.push_str(name);
        rest = after;
        if is_variable(name)
            && let Some((until_value, behind)) = around_value(after)
        {
            shown.push_str(until_value);
            shown.push_str("***");
            rest = behind;
        }
    }
    shown.push_str(rest);
    shown
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_variable(name: &str) -> bool {
    let has_letter = name.contains(|c: char| c.is_ascii_uppercase());
    has_letter && !name.contains(|c: char| c.is_ascii_lowercase())
}

/// What follows a name, up to the quotation mark that begins its value, and from the one that ends
/// it; `None` if no such value follows.
fn around_value(after: &str) -> Option<(&str, &str)> {
    let unquoted = after
        .trim_start_matches(['"', '\''])
        .trim_start_matches(' ');
    let separated = unquoted.strip_prefix([':', '='])?.trim_start_matches(' ');
    let quote = separated
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\''))?;
    let value = &separated[1..];
    let mut is_escaped = false;
    let end = value.find(|c| {
        let ends = c == quote && !is_escaped || c == '\n';
        is_escaped = c == '\\' && !is_escaped;
        ends
    })?;
    let until_value = &after[..after.len() - value.len()];
    Some((until_value, &value[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_variables_are_hidden_in_json_and_in_toml() {
        for (text, shown) in [
            (
                r#"+ "env": {"KEY": "abc", "B": "1"}"#,
                r#"+ "env": {"KEY": "***", "B": "***"}"#,
            ),
            (
                r#"-env = { KEY = "a\"b", LOG='x' }"#,
                r#"-env = { KEY = "***", LOG='***' }"#,
            ),
            (
                r#"+ "args": ["serve", "--log=A"]"#,
                r#"+ "args": ["serve", "--log=A"]"#,
            ),
            ("KEY =\nKEY = \"a\n", "KEY =\nKEY = \"***\n"),
        ] {
            assert_eq!(without_values(text), shown);
        }
    }
}
