//! What the patent offices and their readers have in common.

/// Where a patent can be read, whoever found it: one address for one number, so that several
/// providers' results are seen to be the same. The offices' own viewers are programs that show
/// nothing to a reader without scripts.
pub(crate) fn page(number: &str) -> String {
    let plain: String = number.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("https://patents.google.com/patent/{plain}/en")
}

/// A name as offices write it, without the country behind it ("IBM [US]") and stray commas.
pub(crate) fn name(written: &str) -> String {
    let name = written.trim();
    let name = name
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['))
        .map_or(name, |(name, _)| name);
    name.trim()
        .trim_end_matches([',', ';'])
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_tidied() {
        assert_eq!(name(" IBM\u{2002}[US] "), "IBM");
        assert_eq!(name("VOGT, JONAS,"), "VOGT, JONAS");
        assert_eq!(
            page("EP 4100003-B1"),
            "https://patents.google.com/patent/EP4100003B1/en"
        );
    }
}
