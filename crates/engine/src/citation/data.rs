//! The formats for programs: BibTeX, RIS, CSL-JSON.

use serde_json::{Map, Value, json};

use super::Reference;
use super::name::AuthorName;
use crate::research::PublicationKind;
use crate::search::Date;

/// BibTeX's names of months.
const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// The note for unnamed authors, in formats that have no field for them.
const OTHERS: &str = "There are more authors than are listed here.";

/// Year, month and day, as far as they are known.
pub(super) fn parts(date: Date) -> Vec<u32> {
    let year = date.year().unsigned_abs();
    let rest = date.month().into_iter().chain(date.day()).map(u32::from);
    std::iter::once(year).chain(rest).collect()
}

/// An `@article` entry for a paper in a journal, otherwise `@misc`, which every BibTeX style knows
/// and which needs no journal. The second pair of braces keeps the capitals
/// of titles.
pub(super) fn bibtex(reference: &Reference) -> String {
    let mut fields = Vec::new();
    let others = reference.authors.others.then(|| "others".to_owned());
    let authors: Vec<String> = reference
        .authors
        .names
        .iter()
        .map(bibtex_name)
        .chain(others)
        .collect();
    if !authors.is_empty() {
        fields.push(("author", format!("{{{}}}", authors.join(" and "))));
    }
    fields.extend(
        reference
            .title
            .as_deref()
            .map(|title| ("title", format!("{{{{{}}}}}", tex(title)))),
    );
    let date = reference.published.map(parts).unwrap_or_default();
    fields.extend(date.first().map(|year| ("year", format!("{{{year}}}"))));
    let month = date
        .get(1)
        .and_then(|month| MONTHS.get(usize::try_from(*month).ok()?.checked_sub(1)?));
    fields.extend(month.map(|month| ("month", (*month).to_owned())));
    fields.extend(date.get(2).map(|day| ("day", format!("{{{day}}}"))));
    let journal = reference
        .venue
        .as_deref()
        .filter(|_| reference.kind == Some(PublicationKind::Article));
    let published_by = match journal {
        Some(_) => "journal",
        None => "howpublished",
    };
    fields.extend(
        reference
            .venue
            .as_deref()
            .map(|venue| (published_by, format!("{{{{{}}}}}", tex(venue)))),
    );
    let patent = reference.number.as_deref();
    fields.extend(patent.map(|number| ("note", format!("{{Patent {}}}", tex(number)))));
    fields.extend(
        reference
            .doi
            .as_ref()
            .map(|doi| ("doi", format!("{{{doi}}}"))),
    );
    // Braces and backslashes of the address are percent-encoded already, and \url needs the rest
    // unescaped.
    fields.push(("url", format!("{{{}}}", reference.url)));
    fields.extend(
        reference
            .accessed
            .map(|date| ("urldate", format!("{{{date}}}"))),
    );
    let fields: String = fields
        .into_iter()
        .map(|(name, value)| format!("  {name} = {value},\n"))
        .collect();
    let entry = if journal.is_some() { "article" } else { "misc" };
    format!("@{entry}{{{},\n{fields}}}\n", reference.key)
}

/// A name for the author field. One that is not split is in braces, so that BibTeX does not split
/// it at "and" or a comma.
fn bibtex_name(name: &AuthorName) -> String {
    match name {
        AuthorName::Person { .. } => tex(&name.inverted()),
        AuthorName::Whole(name) => format!("{{{}}}", tex(name)),
    }
}

/// Escapes text for TeX. Braces become commands, because BibTeX counts even escaped braces.
fn tex(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\textbackslash{}"),
            '{' => escaped.push_str("\\textbraceleft{}"),
            '}' => escaped.push_str("\\textbraceright{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '"' => escaped.push_str("\\textquotedbl{}"),
            '%' | '&' | '$' | '#' | '_' => escaped.extend(['\\', c]),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A RIS record. Lines end with CRLF, as the format requires.
pub(super) fn ris(reference: &Reference) -> String {
    let kind = match reference.kind {
        None => "ELEC",
        Some(PublicationKind::Article) => "JOUR",
        Some(PublicationKind::Preprint) => "UNPB",
        Some(PublicationKind::Patent) => "PAT",
    };
    let mut lines = vec![("TY", kind.to_owned()), ("ID", reference.key.clone())];
    lines.extend(
        reference
            .authors
            .names
            .iter()
            .map(|author| ("AU", author.inverted())),
    );
    lines.extend(reference.title.clone().map(|title| ("TI", title)));
    lines.extend(reference.container().map(|name| ("T2", name.to_owned())));
    lines.extend(reference.number.clone().map(|number| ("M1", number)));
    lines.extend(
        reference
            .published
            .map(|date| ("PY", format!("{:04}", date.year()))),
    );
    lines.extend(reference.published.map(|date| ("DA", ris_date(date))));
    lines.extend(reference.doi.clone().map(|doi| ("DO", doi)));
    lines.push(("UR", reference.url.clone()));
    lines.extend(reference.accessed.map(|date| ("Y2", ris_date(date))));
    lines.extend(reference.authors.others.then(|| ("N1", OTHERS.to_owned())));
    lines.push(("ER", String::new()));
    lines
        .into_iter()
        .map(|(tag, value)| format!("{tag}  - {value}\r\n"))
        .collect()
}

/// `YYYY/MM/DD/`; unknown parts are empty.
fn ris_date(date: Date) -> String {
    let parts: Vec<String> = date.to_string().split('-').map(str::to_owned).collect();
    let part = |index: usize| parts.get(index).map(String::as_str).unwrap_or_default();
    format!("{}/{}/{}/", part(0), part(1), part(2))
}

/// An array of items, which may be empty.
pub(super) fn csl_json(references: &[Reference]) -> String {
    let items: Vec<Value> = references.iter().map(csl_item).collect();
    format!("{:#}\n", Value::Array(items))
}

fn csl_item(reference: &Reference) -> Value {
    let mut item = Map::new();
    item.insert("id".to_owned(), json!(reference.key));
    let kind = match reference.kind {
        None => "webpage",
        Some(PublicationKind::Article) => "article-journal",
        Some(PublicationKind::Preprint) => "article",
        Some(PublicationKind::Patent) => "patent",
    };
    item.insert("type".to_owned(), json!(kind));
    item.extend(
        reference
            .title
            .as_ref()
            .map(|title| ("title".to_owned(), json!(title))),
    );
    let authors: Vec<Value> = reference.authors.names.iter().map(csl_name).collect();
    if !authors.is_empty() {
        item.insert("author".to_owned(), json!(authors));
    }
    item.extend(
        reference
            .container()
            .map(|name| ("container-title".to_owned(), json!(name))),
    );
    item.extend(
        reference
            .number
            .as_ref()
            .map(|number| ("number".to_owned(), json!(number))),
    );
    item.extend(
        reference
            .doi
            .as_ref()
            .map(|doi| ("DOI".to_owned(), json!(doi))),
    );
    item.extend(
        reference
            .published
            .map(|date| ("issued".to_owned(), csl_date(date))),
    );
    item.extend(
        reference
            .accessed
            .map(|date| ("accessed".to_owned(), csl_date(date))),
    );
    item.extend(
        reference
            .authors
            .others
            .then(|| ("note".to_owned(), json!(OTHERS))),
    );
    item.insert("URL".to_owned(), json!(reference.url));
    Value::Object(item)
}

fn csl_name(name: &AuthorName) -> Value {
    match name {
        AuthorName::Person { family, given } => json!({ "family": family, "given": given }),
        AuthorName::Whole(name) => json!({ "literal": name }),
    }
}

fn csl_date(date: Date) -> Value {
    json!({ "date-parts": [parts(date)] })
}

#[cfg(test)]
mod tests {
    use super::super::tests::source;
    use super::super::{Style, bibliography};
    use super::*;

    #[test]
    fn bibtex_escapes_special_characters() {
        let sources = [source(
            "https://a.example/{x}?a=1&b=100%25",
            Some("100% of {goats} & \\end_"),
            Some("AT&T Labs and Friends"),
            Some("2024-05"),
        )];
        let expected = "@misc{attlabsandfriends2024goats,\n  author = {{AT\\&T Labs and Friends}},\n  \
            title = {{100\\% of \\textbraceleft{}goats\\textbraceright{} \\& \\textbackslash{}end\\_}},\n  \
            year = {2024},\n  month = may,\n  url = {https://a.example/%7Bx%7D?a=1&b=100%25},\n  urldate = {2025-11-15},\n}\n";
        assert_eq!(bibliography(Style::Bibtex, &sources), expected);
    }

    #[test]
    fn a_ris_record_has_every_field_on_a_line_of_its_own() {
        let sources = [source(
            "https://www.a.example/",
            Some("One\r\nER  - \r\nTY  - JOUR"),
            Some("Jane Doe; ACME"),
            Some("2024-05-03"),
        )];
        let expected = "TY  - ELEC\r\nID  - doe2024one\r\nAU  - Doe, Jane\r\nAU  - ACME\r\nTI  - One ER - TY - JOUR\r\nT2  - a.example\r\n\
            PY  - 2024\r\nDA  - 2024/05/03/\r\nUR  - https://www.a.example/\r\nY2  - 2025/11/15/\r\nER  - \r\n";
        assert_eq!(bibliography(Style::Ris, &sources), expected);
    }

    #[test]
    fn unnamed_authors_are_mentioned() {
        let sources = [source(
            "https://a.example/",
            None,
            Some("Jane Doe, John Roe and others"),
            None,
        )];
        assert!(
            bibliography(Style::Bibtex, &sources)
                .contains("author = {Doe, Jane and Roe, John and others},")
        );
        for style in [Style::Ris, Style::CslJson] {
            assert!(bibliography(style, &sources).contains(OTHERS));
        }
    }

    #[test]
    fn a_doi_has_its_own_field_and_its_resolver_is_not_the_site() {
        let sources = [source(
            "https://doi.org/10.5555/lab.2021_052",
            Some("Soil"),
            Some("Jane Doe"),
            Some("2021"),
        )];
        assert!(
            bibliography(Style::Bibtex, &sources).contains("  doi = {10.5555/lab.2021_052},\n")
        );
        assert!(
            bibliography(Style::Ris, &sources)
                .contains("PY  - 2021\r\nDA  - 2021///\r\nDO  - 10.5555/lab.2021_052\r\n")
        );
        assert!(
            bibliography(Style::CslJson, &sources).contains("\"DOI\": \"10.5555/lab.2021_052\"")
        );
        assert_eq!(
            bibliography(Style::Apa, &sources),
            "Doe, J. (2021). Soil. https://doi.org/10.5555/lab.2021_052\n"
        );
    }

    #[test]
    fn a_paper_is_cited_with_its_journal_its_doi_and_all_authors() {
        let names = ["Ada Lovelace", "Bo Ek", "Cy Young", "Di Poe", "Ed Fox"];
        let paper = crate::research::Publication {
            kind: PublicationKind::Article,
            authors: names.map(str::to_owned).to_vec(),
            venue: Some("Journal of Goats & Trees".to_owned()),
            doi: Some("10.5555/lab.7".to_owned()),
            number: None,
        };
        let mut sources = [crate::research::Source {
            publication: Some(paper),
            ..source(
                "https://goats.example/7",
                Some("Climbing"),
                Some("Ada Lovelace, Bo Ek and others"),
                Some("2021"),
            )
        }];
        let bibtex = bibliography(Style::Bibtex, &sources);
        assert!(
            bibtex.starts_with("@article{lovelace2021climbing,\n  author = {Lovelace, Ada and Ek, Bo and Young, Cy and Poe, Di and Fox, Ed},\n")
                && bibtex.contains("  journal = {{Journal of Goats \\& Trees}},\n  doi = {10.5555/lab.7},\n"),
            "{bibtex}"
        );
        let ris = bibliography(Style::Ris, &sources);
        assert!(
            ris.starts_with("TY  - JOUR\r\n") && ris.contains("T2  - Journal of Goats & Trees\r\n"),
            "{ris}"
        );
        assert_eq!(ris.matches("AU  - ").count(), 5, "{ris}");
        let csl = bibliography(Style::CslJson, &sources);
        assert!(csl.contains("\"type\": \"article-journal\""), "{csl}");
        assert_eq!(
            bibliography(Style::Apa, &sources),
            "Lovelace, A., Ek, B., Young, C., Poe, D., & Fox, E. (2021). Climbing. Journal of Goats & Trees. https://doi.org/10.5555/lab.7\n"
        );
        if let Some(paper) = &mut sources[0].publication {
            paper.kind = PublicationKind::Preprint;
        }
        let preprint = bibliography(Style::Bibtex, &sources);
        assert!(
            preprint.starts_with("@misc{") && preprint.contains("howpublished"),
            "{preprint}"
        );
    }

    #[test]
    fn csl_json_leaves_out_unknown_fields() {
        assert_eq!(bibliography(Style::CslJson, &[]), "[]\n");
        let sources = [source(
            "https://a.example/",
            None,
            Some("Jane Doe"),
            Some("2024"),
        )];
        let read: Value =
            serde_json::from_str(&bibliography(Style::CslJson, &sources)).unwrap_or_default();
        let expected = json!([{
            "id": "doe2024", "type": "webpage", "author": [{ "family": "Doe", "given": "Jane" }], "container-title": "a.example",
            "issued": { "date-parts": [[2024]] }, "accessed": { "date-parts": [[2025, 11, 15]] }, "URL": "https://a.example/"
        }]);
        assert_eq!(read, expected);
    }
}
