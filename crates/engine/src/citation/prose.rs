//! The formats for people: APA 7 and MLA 9, as plain text with one line for each source.

use super::Reference;
use super::data::parts;
use super::name::{AuthorName, Authors};
use crate::search::Date;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const SHORT_MONTHS: [&str; 12] = [
    "Jan.", "Feb.", "Mar.", "Apr.", "May", "June", "July", "Aug.", "Sept.", "Oct.", "Nov.", "Dec.",
];

/// The most authors that APA lists; of more it lists the first nineteen and the last.
const APA_AUTHORS: usize = 20;

/// `Doe, J. (2024, May 3). Why goats climb. goats.example. https://…`; without an author the title
/// comes first.
pub(super) fn apa(reference: &Reference) -> String {
    let title = reference
        .title
        .clone()
        .unwrap_or_else(|| "[Untitled]".to_owned());
    let date = format!(
        "({}).",
        reference
            .published
            .map_or_else(|| "n.d.".to_owned(), apa_date)
    );
    let mut words = match apa_authors(&reference.authors) {
        Some(authors) => vec![ended(authors), date, ended(title)],
        None => vec![ended(title), date],
    };
    words.extend(patent_number(reference).map(ended));
    words.extend(container(reference).map(|name| ended(name.to_owned())));
    // APA gives the date of access for pages without a date, because they may change.
    let accessed = reference
        .accessed
        .filter(|_| reference.published.is_none() && reference.kind.is_none())
        .map(american);
    words.extend(accessed.map(|accessed| format!("Retrieved {accessed}, from")));
    words.push(reference.link());
    line(&words)
}

/// `Doe, Jane. “Why Goats Climb.” goats.example, 3 May 2024, https://…. Accessed 15 Nov. 2025.` An
/// unknown date is left out, as the handbook requires.
pub(super) fn mla(reference: &Reference) -> String {
    let mut words: Vec<String> = mla_authors(&reference.authors)
        .map(ended)
        .into_iter()
        .collect();
    words.push(reference.title.as_deref().map_or_else(
        || "Untitled.".to_owned(),
        |title| format!("“{}”", ended(inner_quotes(title))),
    ));
    let mut place: Vec<String> = container(reference)
        .map(str::to_owned)
        .into_iter()
        .collect();
    place.extend(patent_number(reference));
    place.extend(
        reference
            .published
            .map(|date| european(date, &SHORT_MONTHS)),
    );
    place.push(reference.link());
    words.push(place.join(", ") + ".");
    words.extend(
        reference
            .accessed
            .map(|date| format!("Accessed {}.", european(date, &SHORT_MONTHS))),
    );
    line(&words)
}

fn line(words: &[String]) -> String {
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ") + "\n"
}

/// The journal or site, unless it is the author.
fn container(reference: &Reference) -> Option<&str> {
    let is_author = |container: &&str| matches!(reference.authors.names.as_slice(), [AuthorName::Whole(name)] if name.eq_ignore_ascii_case(container));
    reference
        .container()
        .filter(|container| !is_author(container))
}

fn patent_number(reference: &Reference) -> Option<String> {
    let number = reference.number.as_ref();
    number.map(|number| format!("Patent {number}"))
}

fn apa_authors(authors: &Authors) -> Option<String> {
    let names: Vec<String> = authors.names.iter().map(AuthorName::initials).collect();
    match names.as_slice() {
        [] => None,
        _ if authors.others => Some(format!("{}, et al.", names.join(", "))),
        [only] => Some(only.clone()),
        [first @ .., last] if names.len() <= APA_AUTHORS => {
            Some(format!("{}, & {last}", first.join(", ")))
        }
        [first @ .., last] => Some(format!(
            "{}, . . . {last}",
            first[..APA_AUTHORS - 1].join(", ")
        )),
    }
}

fn mla_authors(authors: &Authors) -> Option<String> {
    match authors.names.as_slice() {
        [] => None,
        [only] if !authors.others => Some(only.inverted()),
        [first, second] if !authors.others => {
            Some(format!("{}, and {}", first.inverted(), second.natural()))
        }
        [first, ..] => Some(format!("{}, et al", first.inverted())),
    }
}

/// The text with a full stop at its end, unless it has an end mark.
fn ended(text: String) -> String {
    if text.ends_with(['.', '?', '!', '…']) {
        text
    } else {
        text + "."
    }
}

/// Replaces quotation marks by single ones, for use inside a quotation.
fn inner_quotes(title: &str) -> String {
    let single = |c| match c {
        '“' => '‘',
        '”' => '’',
        '"' => '\'',
        other => other,
    };
    title.chars().map(single).collect()
}

/// `2024, May 3`, as precise as the date.
fn apa_date(date: Date) -> String {
    match parts(date).as_slice() {
        [year, month, day] => format!("{year}, {} {day}", month_name(*month, &MONTHS)),
        [year, month] => format!("{year}, {}", month_name(*month, &MONTHS)),
        _ => date.year().to_string(),
    }
}

fn american(date: Date) -> String {
    match parts(date).as_slice() {
        [year, month, day] => format!("{} {day}, {year}", month_name(*month, &MONTHS)),
        _ => date.year().to_string(),
    }
}

fn european(date: Date, months: &[&'static str; 12]) -> String {
    match parts(date).as_slice() {
        [year, month, day] => format!("{day} {} {year}", month_name(*month, months)),
        [year, month] => format!("{} {year}", month_name(*month, months)),
        _ => date.year().to_string(),
    }
}

fn month_name(month: u32, months: &[&'static str; 12]) -> &'static str {
    usize::try_from(month)
        .ok()
        .and_then(|month| months.get(month.checked_sub(1)?))
        .copied()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::tests::source;
    use super::super::{Style, bibliography};

    fn both(
        title: Option<&str>,
        author: Option<&str>,
        published: Option<&str>,
    ) -> (String, String) {
        let sources = [source(
            "https://www.goats.example/climb",
            title,
            author,
            published,
        )];
        (
            bibliography(Style::Apa, &sources),
            bibliography(Style::Mla, &sources),
        )
    }

    #[test]
    fn a_page_with_author_title_and_date_is_cited_in_full() {
        let (apa, mla) = both(
            Some("Why goats \"climb\""),
            Some("Jane Doe"),
            Some("2024-05-03"),
        );
        assert_eq!(
            apa,
            "Doe, J. (2024, May 3). Why goats \"climb\". goats.example. https://www.goats.example/climb\n"
        );
        let accessed = "Accessed 15 Nov. 2025.";
        assert_eq!(
            mla,
            format!(
                "Doe, Jane. “Why goats 'climb'.” goats.example, 3 May 2024, https://www.goats.example/climb. {accessed}\n"
            )
        );
    }

    #[test]
    fn missing_facts_are_left_out_or_called_unknown() {
        let (apa, mla) = both(Some("Why do goats climb?"), None, None);
        let url = "https://www.goats.example/climb";
        assert_eq!(
            apa,
            format!(
                "Why do goats climb? (n.d.). goats.example. Retrieved November 15, 2025, from {url}\n"
            )
        );
        assert_eq!(
            mla,
            format!("“Why do goats climb?” goats.example, {url}. Accessed 15 Nov. 2025.\n")
        );
        let (apa, mla) = both(None, None, Some("2024-09"));
        assert_eq!(
            apa,
            format!("[Untitled]. (2024, September). goats.example. {url}\n")
        );
        assert_eq!(
            mla,
            format!("Untitled. goats.example, Sept. 2024, {url}. Accessed 15 Nov. 2025.\n")
        );
    }

    #[test]
    fn long_lists_of_authors_are_shortened() {
        let (apa, mla) = both(Some("T"), Some("Jane Doe; John Roe"), Some("2024"));
        assert!(apa.starts_with("Doe, J., & Roe, J. (2024). T."), "{apa}");
        assert!(mla.starts_with("Doe, Jane, and John Roe. “T.”"), "{mla}");
        let (apa, mla) = both(
            Some("T"),
            Some("Jane Doe, John Roe and others"),
            Some("2024"),
        );
        assert!(
            apa.starts_with("Doe, J., Roe, J., et al. (2024). T."),
            "{apa}"
        );
        assert!(mla.starts_with("Doe, Jane, et al. “T.”"), "{mla}");
        let many: Vec<String> = ('A'..='Y').map(|letter| format!("Ann {letter}x")).collect();
        let (apa, mla) = both(Some("T"), Some(&many.join("; ")), Some("2024"));
        assert!(
            apa.contains("Sx, A., . . . Yx, A. (2024)") && !apa.contains("Tx"),
            "{apa}"
        );
        assert!(mla.starts_with("Ax, Ann, et al. “T.”"), "{mla}");
    }
}
