//! What the patent providers share.

/// The address of a patent, the same for all providers, so that their results can be fused. It is
/// Google's, because the offices' own viewers need scripts.
pub(crate) fn page(number: &str) -> String {
    let plain: String = number.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("https://patents.google.com/patent/{plain}/en")
}

/// A document's number as its office writes it. The EPO leaves out the zero after the year in the
/// numbers of applications in the United States: `2006142694` is `20060142694`.
pub(crate) fn office_number(country: &str, number: &str) -> String {
    let is_short = country == "US"
        && number.len() == 10
        && number.starts_with("20")
        && number.bytes().all(|byte| byte.is_ascii_digit());
    match number.split_at_checked(4) {
        Some((year, rest)) if is_short => format!("{year}0{rest}"),
        _ => number.to_owned(),
    }
}

/// What is the same for all numbers of a document. In the United States the digits alone identify
/// it, and not all sources know the kind.
pub(crate) fn identity(number: &str) -> String {
    let plain: String = number.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_uppercase();
    match plain.strip_prefix("US") {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => {
            let digits = rest.find(|c: char| !c.is_ascii_digit());
            format!("US{}", &rest[..digits.unwrap_or(rest.len())])
        }
        _ => plain,
    }
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
    fn numbers_are_those_of_the_office() {
        assert_eq!(office_number("US", "2006142694"), "20060142694");
        assert_eq!(office_number("US", "11900001"), "11900001");
        assert_eq!(office_number("JP", "2006142694"), "2006142694");
        assert_eq!(identity("US 11,900,001 B2"), identity("US11900001"));
        assert_eq!(identity("EP4100003B1"), "EP4100003B1");
        assert_ne!(identity("EP4100003A1"), identity("EP4100003B1"));
    }

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
