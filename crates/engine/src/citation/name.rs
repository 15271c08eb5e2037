//! Who wrote it, out of the one text in which a page says so.
//!
//! A name is turned around only where that is safe: the page itself wrote "Doe, Jane", or the words
//! look like a person's and like neither an organisation's nor the site's own. Everything else
//! stays as it is written.

/// An author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Name {
    Person {
        family: String,
        given: String,
    },
    /// An organisation, a handle, or a name whose parts are not known.
    Whole(String),
}

/// More authors than this are not a list of authors.
const MOST: usize = 100;

/// How a list ends that does not name everybody.
const OTHERS: &[&str] = &[" and others", " et al.", " et al"];

/// Words that begin a family name.
const PARTICLES: &[&str] = &[
    "al", "bin", "da", "de", "del", "della", "den", "der", "di", "dos", "du", "ibn", "la", "le",
    "ten", "ter", "van", "von", "zu",
];

/// A name with one of these words is not a person's.
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

impl Name {
    /// Family name first.
    pub(super) fn inverted(&self) -> String {
        match self {
            Name::Person { family, given } => format!("{family}, {given}"),
            Name::Whole(name) => name.clone(),
        }
    }

    /// As it is spoken.
    pub(super) fn natural(&self) -> String {
        match self {
            Name::Person { family, given } => format!("{given} {family}"),
            Name::Whole(name) => name.clone(),
        }
    }

    /// Family name first, the others as initials: `Doe, J.-P. A.`
    pub(super) fn initials(&self) -> String {
        match self {
            Name::Person { family, given } => {
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
            Name::Whole(name) => name.clone(),
        }
    }

    /// The part that a key is made of.
    pub(super) fn short(&self) -> &str {
        match self {
            Name::Person { family: name, .. } | Name::Whole(name) => name,
        }
    }
}

fn initial(part: &str) -> Option<String> {
    part.chars()
        .find(|c| c.is_alphabetic())
        .map(|letter| format!("{}.", letter.to_uppercase()))
}

/// Who wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Authors {
    pub(super) names: Vec<Name>,
    /// Whether there are more, whose names were not told.
    pub(super) others: bool,
}

/// The authors that a line of text names, for a page on `host`.
pub(super) fn read(line: &str, host: &str) -> Authors {
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
        names: listed(shorter.filter(|_| others).unwrap_or(line), host),
        others,
    }
}

fn listed(line: &str, host: &str) -> Vec<Name> {
    let names = split(line)
        .into_iter()
        .map(str::trim)
        .filter(|name| name.chars().any(char::is_alphanumeric));
    names.take(MOST).map(|name| one(name, host)).collect()
}

/// Semicolons part names surely, commas only where what they part is longer than a word.
fn split(line: &str) -> Vec<&str> {
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
    // "Johnson and Johnson" may be one name; "Jane Doe and John Roe" are two, and so are "Doe, Jane
    // and Roe, John".
    let apart = joined
        .iter()
        .all(|part| person(part).is_some() || turned(part).is_some());
    if apart { joined } else { vec![line] }
}

fn one(name: &str, host: &str) -> Name {
    if let Some(person) = turned(name) {
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
        .unwrap_or_else(|| Name::Whole(name.to_owned()))
}

/// "Doe, Jane", as the page itself turned it.
fn turned(name: &str) -> Option<Name> {
    let (family, given) = name.split_once(',')?;
    let (family, given) = (family.trim(), given.trim());
    let is_name = |part: &str, most: usize| {
        (1..=most).contains(&part.split(' ').count())
            && part
                .split(' ')
                .all(|word| is_capital(word) || is_particle(word))
    };
    let fits =
        is_name(family, 3) && is_name(given, 3) && !is_organisation(name) && !is_suffix(given);
    fits.then(|| Name::Person {
        family: family.to_owned(),
        given: given.to_owned(),
    })
}

/// "Jane van Doe": two to five words, capitals in front, none of an organisation.
fn person(name: &str) -> Option<Name> {
    let words: Vec<&str> = name.split(' ').collect();
    let (first, last) = (words.first()?, words.last()?);
    let fits =
        (2..=5).contains(&words.len()) && is_capital(first) && is_capital(last) && !is_suffix(last);
    if !fits
        || is_organisation(name)
        || !words
            .iter()
            .all(|word| is_capital(word) || is_particle(word))
    {
        return None;
    }
    if let Some(given) = bare_initials(last).filter(|_| {
        words[..words.len() - 1]
            .iter()
            .all(|word| word.chars().count() > 2)
    }) {
        return Some(Name::Person {
            family: words[..words.len() - 1].join(" "),
            given,
        });
    }
    let begins = words
        .iter()
        .position(|word| is_particle(word))
        .unwrap_or(words.len() - 1);
    Some(Name::Person {
        family: words[begins..].join(" "),
        given: words[..begins].join(" "),
    })
}

/// `JA` in "Doe JA", as medicine writes names.
fn bare_initials(word: &str) -> Option<String> {
    let is_bare = word.chars().count() <= 2 && word.chars().all(char::is_uppercase);
    is_bare.then(|| {
        word.chars()
            .map(|letter| format!("{letter}."))
            .collect::<Vec<_>>()
            .join(" ")
    })
}

/// `Jane`, `J.`, `O'Neill`, `Jean-Paul`: no acronym, no digit.
fn is_capital(word: &str) -> bool {
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
        read(line, "site.example")
            .names
            .iter()
            .map(Name::inverted)
            .collect()
    }

    #[test]
    fn people_are_turned_around() {
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
    fn what_may_be_no_person_stays_as_written() {
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
            read("Red Hat", "redhat.com").names,
            [Name::Whole("Red Hat".to_owned())]
        );
        assert!(inverted(" ,;. ").is_empty());
    }

    #[test]
    fn others_are_not_an_author() {
        for line in [
            "Jane Doe, John Roe and others",
            "Jane Doe, John Roe, et al.",
            "Jane Doe; John Roe et al",
        ] {
            let authors = read(line, "");
            assert_eq!((authors.names.len(), authors.others), (2, true), "{line}");
        }
        assert!(!read("Jane Doe", "").others);
    }

    #[test]
    fn initials_keep_their_hyphens() {
        assert_eq!(
            read("Jean-Paul A. Sartre", "").names[0].initials(),
            "Sartre, J.-P. A."
        );
        assert_eq!(
            read("Jean-Paul A. Sartre", "").names[0].natural(),
            "Jean-Paul A. Sartre"
        );
    }
}
