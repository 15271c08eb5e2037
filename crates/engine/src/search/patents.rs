//! What the patent providers share.

/// The address of a patent, the same for all providers, so that their results can be fused. It is
/// Google's, because the offices' own viewers need scripts.
pub(crate) fn page(number: &str) -> String {
    let plain: String = number.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("https://patents.google.com/patent/{plain}/en")
}

/// A name without what offices write behind it: a country ("IBM [US]") or stray commas.
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
    fn names_lose_their_country_and_numbers_their_punctuation() {
        assert_eq!(name(" IBM\u{2002}[US] "), "IBM");
        assert_eq!(name("VOGT, JONAS,"), "VOGT, JONAS");
        assert_eq!(
            page("EP 4100003-B1"),
            "https://patents.google.com/patent/EP4100003B1/en"
        );
    }
}
