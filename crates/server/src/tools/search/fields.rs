//! The parameter names of the fields of a search request, and the fault for invalid fields.

use engine::search::{Filter, SearchField, SearchFieldError, SearchFieldIssue, SearchRequestError};
use fault::{Case, Fault, FieldName, Issue, Origin, Problem, Say, SettingName};

use super::params;

/// The setting that names the operator's directory of lenses.
const LENS_DIRECTORY: SettingName = SettingName::new("lens-dir");

/// The name of a field's parameter.
const fn name(field: SearchField) -> &'static str {
    match field {
        SearchField::Query => params::QUERY.name,
        SearchField::Queries => params::QUERIES.name,
        SearchField::MaxResults => params::MAX_RESULTS.name,
        SearchField::TimeRange => params::TIME_RANGE.name,
        SearchField::FromDate => params::FROM_DATE.name,
        SearchField::ToDate => params::TO_DATE.name,
        SearchField::Sites => params::SITES.name,
        SearchField::Exclude => params::EXCLUDE.name,
        SearchField::Language => params::LANGUAGE.name,
        SearchField::Country => params::COUNTRY.name,
        SearchField::Lens => params::LENS.name,
        SearchField::Author => "author",
        SearchField::Assignee => "assignee",
        SearchField::Inventor => "inventor",
        SearchField::Category => "category",
        SearchField::Schema => "schema",
    }
}

/// The name of a filter in replies: its parameter, except for dates, which have two.
pub(super) const fn filter_name(filter: Filter) -> &'static str {
    match filter {
        Filter::TimeRange => name(SearchField::TimeRange),
        Filter::Dates => "dates",
        Filter::Sites => name(SearchField::Sites),
        Filter::Excluded => name(SearchField::Exclude),
        Filter::Language => name(SearchField::Language),
        Filter::Country => name(SearchField::Country),
        Filter::Safe => params::SAFE.name,
        Filter::OpenAccess => "open_access",
        Filter::Author => name(SearchField::Author),
        Filter::Assignee => name(SearchField::Assignee),
        Filter::Inventor => name(SearchField::Inventor),
    }
}

/// An example of a valid value.
const fn example(error: &SearchFieldError) -> &'static str {
    match (error.field, &error.issue) {
        (SearchField::Query | SearchField::Queries, SearchFieldIssue::TooMany(_)) => {
            "[\"rust async runtime\"]"
        }
        (SearchField::Exclude, SearchFieldIssue::AlsoWanted) => "[\"example.com\"]",
        (field, _) => match field {
            SearchField::Query | SearchField::Queries => "\"rust async runtime comparison\"",
            SearchField::Author | SearchField::Inventor => "\"Ada Lovelace\"",
            SearchField::Assignee => "\"Example Corporation\"",
            SearchField::Category => "\"company\"",
            SearchField::MaxResults => "10",
            SearchField::TimeRange => "\"week\"",
            SearchField::FromDate => "\"2024-01-31\"",
            SearchField::ToDate => "\"2024-12-31\"",
            SearchField::Sites | SearchField::Exclude => "[\"docs.rs\", \"github.com\"]",
            SearchField::Language => "\"en\"",
            SearchField::Country => "\"us\"",
            SearchField::Lens => "\"programming\"",
            SearchField::Schema => {
                "{\"type\": \"object\", \"properties\": {\"price\": {\"type\": \"number\"}}}"
            }
        },
    }
}

/// The fault for a request that cannot be planned.
pub(super) fn fault(error: SearchRequestError) -> Fault {
    match error {
        SearchRequestError::Fields(errors) => {
            Fault::arguments(errors.into_iter().map(problem).collect())
        }
        SearchRequestError::LensFile(text) => Fault::new(Case::BadSetting, Origin::Local)
            .setting(LENS_DIRECTORY)
            .tainted(text),
    }
}

fn problem(error: SearchFieldError) -> Problem {
    let (field, example) = (FieldName::new(name(error.field)), example(&error));
    Problem::new(field, issue(error)).example(example)
}

fn issue(error: SearchFieldError) -> Issue {
    let says = |words: &'static str| Issue::Says(Say::new(words));
    match error.issue {
        SearchFieldIssue::Required => Issue::Required,
        SearchFieldIssue::Blank => Issue::Blank,
        SearchFieldIssue::NotText => {
            says("must be plain text, without control characters or invalid bytes")
        }
        SearchFieldIssue::TooLong(max) => Issue::TooLong { max: max as u64 },
        SearchFieldIssue::TooMany(max) => Issue::TooMany { max: max as u64 },
        SearchFieldIssue::OutOfRange(min, max) => Issue::OutOfRange { min, max },
        SearchFieldIssue::NotADate => Issue::NotADate,
        SearchFieldIssue::NotBefore(other) => Issue::NotBefore {
            other: FieldName::new(name(other)),
        },
        SearchFieldIssue::Excludes(other) => Issue::Excludes {
            other: FieldName::new(name(other)),
        },
        SearchFieldIssue::NotTwoLetters => says(match error.field {
            SearchField::Country => "must be a country code of two letters",
            _ => "must be a language code of two letters",
        }),
        SearchFieldIssue::NotAHost => says("must be host names without a path"),
        SearchFieldIssue::AlsoWanted => {
            says("names a host that sites also names; remove it from one of them")
        }
        SearchFieldIssue::UnknownLens { known, nearest } => Issue::NotAmong {
            allowed: known,
            nearest,
        },
        SearchFieldIssue::Inside { path, must } => Issue::Inside { path, must },
    }
}

#[cfg(test)]
mod tests {
    use engine::search::{Capability, Search, SearchRequest, SearchSettings};

    use super::*;

    fn sentence(edit: impl FnOnce(&mut SearchRequest)) -> String {
        let settings = SearchSettings::default();
        let search = Search::new(net::ClientSettings::default(), settings);
        let mut request = SearchRequest::new("rust", Capability::Web);
        edit(&mut request);
        let fault = fault(search.plan(&request).expect_err("a mistake"));
        assert_eq!(fault.case(), Case::InvalidArgument);
        fault.to_string()
    }

    #[test]
    fn a_mistake_is_reported_with_the_name_of_its_parameter() {
        type Edit = fn(&mut SearchRequest);
        let cases: [(&str, Edit); 9] = [
            ("query must not be blank", |request| {
                request.queries = vec![" \u{200b}\n".to_owned()]
            }),
            ("query must be 500 characters or less", |request| {
                request.queries = vec!["x".repeat(10_000)]
            }),
            ("query must be plain text", |request| {
                request.queries = vec!["a\u{0}\u{1}b".to_owned()]
            }),
            ("queries must have 10 items or fewer", |request| {
                request.queries = vec!["a".to_owned(); 11]
            }),
            ("max_results must be between 1 and 50", |request| {
                request.max_results = 0
            }),
            ("from_date must be before to_date", |request| {
                request.from_date = Some("2024-05-02".to_owned());
                request.to_date = Some("2024-05-01".to_owned());
            }),
            ("exclude names a host that sites also names", |request| {
                request.sites = vec!["a.example".to_owned()];
                request.exclude = vec!["A.example".to_owned()];
            }),
            ("language must be a language code", |request| {
                request.language = Some("english".to_owned())
            }),
            ("lens must be one of academic, climate", |request| {
                request.lens = Some("nope".to_owned())
            }),
        ];
        for (expected, edit) in cases {
            let sentence = sentence(edit);
            assert!(sentence.contains(expected), "{expected}: {sentence}");
        }
    }

    #[test]
    fn a_typo_in_a_lens_suggests_the_nearest() {
        let sentence = sentence(|request| request.lens = Some("programing".to_owned()));
        assert!(sentence.contains("did you mean programming?"), "{sentence}");
    }
}
