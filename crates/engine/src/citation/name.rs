//! Authors, from the one text in which a page names them.
//!
//! A name is split into family and given name only where that is safe: the page itself wrote "Doe,
//! Jane", or the words look like the name of a person and not like that of an organisation or of
//! the site. Every other name is kept as written.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AuthorName {
    Person {
        family: String,
        given: String,
    },
    /// An organisation, a handle, or a name whose parts are not known.
    Whole(String),
}

/// The most authors; further ones are dropped.
const MAX_AUTHORS: usize = 100;

/// How a list ends that does not name all authors.
const OTHERS: &[&str] = &[" and others", " et al.", " et al"];

/// Words that start a family name.
const PARTICLES: &[&str] = &[
    "al", "bin", "da", "de", "del", "della", "den", "der", "di", "dos", "du", "ibn", "la", "le",
    "ten", "ter", "van", "von", "zu",
];

/// A name with one of these words is that of an organisation.
const ORGANISATIONS: &[&str] = &[
    "academy",
    "administration",
    "agency",
    "alliance",
    "association",
    "authority",
    "bank",
    "board",
    "bureau",
    "center",
    "centre",
    "club",
    "college",
    "commission",
    "committee",
    "community",
    "company",
    "consortium",
    "contributors",
    "corporation",
    "council",
    "daily",
    "department",
    "desk",
    "editor",
    "editorial",
    "editors",
    "foundation",
    "government",
    "group",
    "guardian",
    "gmbh",
    "inc",
    "initiative",
    "institute",
    "international",
    "journal",
    "lab",
    "laboratory",
    "labs",
    "library",
    "limited",
    "llc",
    "ltd",
    "magazine",
    "media",
    "ministry",
    "museum",
    "national",
    "network",
    "news",
    "newsroom",
    "office",
    "organisation",
    "organization",
    "post",
    "press",
    "project",
    "research",
    "school",
    "service",
    "services",
    "society",
    "staff",
    "studio",
    "systems",
    "team",
    "technologies",
    "the",
    "times",
    "trust",
    "uk",
    "un",
    "union",
    "university",
    "us",
    "usa",
    "writer",
    "writers",
];

impl AuthorName {
    /// Family name first.
    pub(super) fn inverted(&self) -> String {
        match self {
            AuthorName::Person { family, given } => format!("{family}, {given}"),
            AuthorName::Whole(name) => name.clone(),
        }
    }

    /// Given name first.
    pub(super) fn natural(&self) -> String {
        match self {
            AuthorName::Person { family, given } => format!("{given} {family}"),
            AuthorName::Whole(name) => name.clone(),
        }
    }

    /// Family name first, given names as initials: `Doe, J.-P. A.`
    pub(super) fn initials(&self) -> String {
        match self {
            AuthorName::Person { family, given } => {
                let initials: Vec<String> = given
                    .split(' ')
                    .map(|word| {
                        word.split('-')
                            .filter_map(initial)
                            .collect::<Vec<_>>()
                            .join("-")
                    })
                    .collect();
                let initials: Vec<&str> = initials
                    .iter()
                    .map(String::as_str)
                    .filter(|word| !word.is_empty())
                    .collect();
                format!("{family}, {}", initials.join(" "))
            }
            AuthorName::Whole(name) => name.clone(),
        }
    }

    /// The family name, or the whole name of an organisation.
    pub(super) fn short(&self) -> &str {
        match self {
            AuthorName::Person { family: name, .. } | AuthorName::Whole(name) => name,
        }
    }
}

fn initial(part: &str) -> Option<String> {
    part.chars()
        .find(|c| c.is_alphabetic())
        .map(|letter| format!("{}.", letter.to_uppercase()))
}

/// The authors of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Authors {
    pub(super) names: Vec<AuthorName>,
    /// Whether there are more authors, who are not named.
    pub(super) others: bool,
}

/// The authors that a line names, for a page on `host`.
pub(super) fn parse_authors(line: &str, host: &str) -> Authors {
    let line = line
        .strip_prefix("By ")
        .or_else(|| line.strip_prefix("by "))
        .unwrap_or(line);
    let shorter = OTHERS
        .iter()
        .find_map(|others| line.strip_suffix(others))
        .map(|line| line.trim_end_matches([',', ';', ' ']));
    let others = shorter.is_some_and(|line| !line.is_empty());
    Authors {
        names: parse_names(shorter.filter(|_| others).unwrap_or(line), host),
        others,
    }
}

/// The authors in a list of names, which are all of them.
pub(super) fn parse_list<'n>(names: impl Iterator<Item = &'n str>, host: &str) -> Authors {
    let mut names = names
        .map(str::trim)
        .filter(|name| name.chars().any(char::is_alphanumeric));
    Authors {
        names: names
            .by_ref()
            .take(MAX_AUTHORS)
            .map(|name| parse_name(name, host))
            .collect(),
        others: names.next().is_some(),
    }
}

fn parse_names(line: &str, host: &str) -> Vec<AuthorName> {
    let names = split_names(line)
        .into_iter()
        .map(str::trim)
        .filter(|name| name.chars().any(char::is_alphanumeric));
    names
        .take(MAX_AUTHORS)
        .map(|name| parse_name(name, host))
        .collect()
}

/// The names in a line. Semicolons always separate names; commas do if each part looks like a whole
/// name.
fn split_names(line: &str) -> Vec<&str> {
    if line.contains(';') {
        return line.split(';').collect();
    }
    let joined: Vec<&str> = line
        .split(" and ")
        .flat_map(|part| part.split(" & "))
        .collect();
    let by_commas: Vec<&str> = joined
        .iter()
        .flat_map(|part| part.split(','))
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    if by_commas.len() > 1 && by_commas.iter().all(|part| person(part).is_some()) {
        return by_commas;
    }
    // "Johnson and Johnson" may be one name. "Jane Doe and John Roe" and "Doe, Jane and Roe, John"
    // are two.
    let are_names = joined
        .iter()
        .all(|part| person(part).is_some() || inverted_person(part).is_some());
    if are_names { joined } else { vec![line] }
}

fn parse_name(name: &str, host: &str) -> AuthorName {
    if let Some(person) = inverted_person(name) {
        return person;
    }
    let letters: String = name
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    let is_site = host.replace(['.', '-'], "").contains(&letters);
    person(name)
        .filter(|_| !is_site)
        .unwrap_or_else(|| AuthorName::Whole(name.to_owned()))
}

/// A name that the page inverted: "Doe, Jane".
fn inverted_person(name: &str) -> Option<AuthorName> {
    let (family, given) = name.split_once(',')?;
    let (family, given) = (family.trim(), given.trim());
    let is_name = |part: &str, most: usize| {
        (1..=most).contains(&part.split(' ').count())
            && part
                .split(' ')
                .all(|word| is_capitalised(word) || is_particle(word))
    };
    let fits =
        is_name(family, 3) && is_name(given, 3) && !is_organisation(name) && !is_suffix(given);
    fits.then(|| AuthorName::Person {
        family: family.to_owned(),
        given: given.to_owned(),
    })
}

/// A name that looks like a person's: two to five capitalised words or particles, such as "Jane van
/// Doe", and no word of an organisation.
fn person(name: &str) -> Option<AuthorName> {
    let words: Vec<&str> = name.split(' ').collect();
    let (first, last) = (words.first()?, words.last()?);
    let fits = (2..=5).contains(&words.len())
        && is_capitalised(first)
        && is_capitalised(last)
        && !is_suffix(last);
    if !fits
        || is_organisation(name)
        || !words
            .iter()
            .all(|word| is_capitalised(word) || is_particle(word))
    {
        return None;
    }
    if let Some(given) = bare_initials(last).filter(|_| {
        words[..words.len() - 1]
            .iter()
            .all(|word| word.chars().count() > 2)
    }) {
        return Some(AuthorName::Person {
            family: words[..words.len() - 1].join(" "),
            given,
        });
    }
    let begins = words
        .iter()
        .position(|word| is_particle(word))
        .unwrap_or(words.len() - 1);
    Some(AuthorName::Person {
        family: words[begins..].join(" "),
        given: words[..begins].join(" "),
    })
}

/// The initials of `JA` in "Doe JA", as medical papers write names.
fn bare_initials(word: &str) -> Option<String> {
    let is_bare = word.chars().count() <= 2 && word.chars().all(char::is_uppercase);
    is_bare.then(|| {
        word.chars()
            .map(|letter| format!("{letter}."))
            .collect::<Vec<_>>()
            .join(" ")
    })
}

/// Whether a word is capitalised like a name (`Jane`, `J.`, `O'Neill`, `Jean-Paul`) and neither an
/// acronym nor a number.
fn is_capitalised(word: &str) -> bool {
    let plain = word
        .chars()
        .all(|c| c.is_alphabetic() || matches!(c, '.' | '\'' | '’' | '-'));
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let is_acronym = letters > 2
        && word
            .chars()
            .filter(|c| c.is_alphabetic())
            .all(char::is_uppercase);
    plain && !is_acronym && word.chars().next().is_some_and(char::is_uppercase)
}

fn is_particle(word: &str) -> bool {
    PARTICLES.contains(&word)
}

fn is_suffix(word: &str) -> bool {
    matches!(
        word.trim_end_matches('.').to_ascii_lowercase().as_str(),
        "jr" | "sr" | "ii" | "iii" | "iv" | "phd" | "md" | "inc" | "ltd" | "llc"
    )
}

fn is_organisation(name: &str) -> bool {
    let words = name
        .split(|c: char| !c.is_alphabetic())
        .map(str::to_lowercase);
    words
        .into_iter()
        .any(|word| ORGANISATIONS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inverted(line: &str) -> Vec<String> {
        parse_authors(line, "site.example")
            .names
            .iter()
            .map(AuthorName::inverted)
            .collect()
    }

    #[test]
    fn names_of_people_are_split() {
        assert_eq!(inverted("Jane Doe"), ["Doe, Jane"]);
        assert_eq!(
            inverted("By Ludwig van Beethoven"),
            ["van Beethoven, Ludwig"]
        );
        assert_eq!(inverted("Doe, Jane"), ["Doe, Jane"]);
        assert_eq!(
            inverted("Jane Doe, John Roe, and Ann O'Neill"),
            ["Doe, Jane", "Roe, John", "O'Neill, Ann"]
        );
        assert_eq!(inverted("Doe, Jane; Roe, John"), ["Doe, Jane", "Roe, John"]);
        assert_eq!(
            inverted("van der Berg JA, Doe J"),
            ["van der Berg JA, Doe J"],
            "too unsure"
        );
        assert_eq!(inverted("Smith JA, Doe J"), ["Smith, J. A.", "Doe, J."]);
        assert_eq!(inverted("Jane Doe & John Roe"), ["Doe, Jane", "Roe, John"]);
    }

    #[test]
    fn names_that_may_be_no_person_are_kept_as_written() {
        let names = [
            "World Health Organization",
            "The New York Times",
            "NASA",
            "jdoe42",
            "Wikipedia contributors",
            "Johnson and Johnson",
            "山田太郎",
            "Martin Luther King Jr.",
            "Procter & Gamble",
            "Acme, Inc.",
            "Department of Energy, Office of Science",
            "IBM Cloud Team",
        ];
        for name in names {
            assert_eq!(inverted(name), [name], "{name}");
        }
        assert_eq!(
            parse_authors("Red Hat", "redhat.com").names,
            [AuthorName::Whole("Red Hat".to_owned())]
        );
        assert!(inverted(" ,;. ").is_empty());
    }

    #[test]
    fn and_others_is_not_an_author() {
        for line in [
            "Jane Doe, John Roe and others",
            "Jane Doe, John Roe, et al.",
            "Jane Doe; John Roe et al",
        ] {
            let authors = parse_authors(line, "");
            assert_eq!((authors.names.len(), authors.others), (2, true), "{line}");
        }
        assert!(!parse_authors("Jane Doe", "").others);
    }

    #[test]
    fn initials_keep_their_hyphens() {
        assert_eq!(
            parse_authors("Jean-Paul A. Sartre", "").names[0].initials(),
            "Sartre, J.-P. A."
        );
        assert_eq!(
            parse_authors("Jean-Paul A. Sartre", "").names[0].natural(),
            "Jean-Paul A. Sartre"
        );
    }
}
