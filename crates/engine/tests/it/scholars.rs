//! The details of papers and patents, and the providers that need more than one request for a
//! query.

use std::time::Duration;

use engine::Call;
use engine::search::{
    Api, Capability, Date, Details, Hits, Paper, Patent, Provider, ProviderSettings, SearchQuery,
    providers,
};
use fault::{Case, Fault, Secret};
use lab::{FaultMode, Lab, OrderedFault, RunningLab, WaitForm};

struct ProviderOnLab {
    provider: Box<dyn Provider>,
    api: Api,
    lab: RunningLab,
}

impl ProviderOnLab {
    async fn start(id: &str) -> ProviderOnLab {
        let lab = Lab::start(([127, 0, 0, 1], 0).into()).await.unwrap();
        let provider = providers()
            .into_iter()
            .find(|provider| provider.spec().id() == id)
            .unwrap();
        let settings = ProviderSettings {
            url: Some(lab.url_of(id).parse().unwrap()),
            key: Some(Secret::new(lab::KEY.to_owned())),
            extras: vec![("epo-secret".to_owned(), Secret::new(lab::SECRET.to_owned()))],
            ..ProviderSettings::default()
        };
        let api = Api::new(
            provider.spec(),
            &settings,
            net::Client::trusted(net::ClientSettings::default()),
        )
        .unwrap();
        ProviderOnLab { provider, api, lab }
    }

    async fn ask(&self, query: &SearchQuery) -> fault::Result<Hits> {
        self.provider
            .ask(&self.api, &Call::within(Duration::from_secs(10)), query)
            .await
    }

    async fn fault(&self, order: OrderedFault) -> Fault {
        self.lab.clear();
        self.lab.fault(order);
        self.ask(&self.plain_query()).await.unwrap_err()
    }

    fn plain_query(&self) -> SearchQuery {
        SearchQuery::new("sodium battery", self.provider.spec().offers[0].capability)
    }

    /// The paths of the requests so far.
    fn paths(&self) -> Vec<String> {
        self.lab
            .seen(self.provider.spec().id())
            .into_iter()
            .map(|request| request.path)
            .collect()
    }
}

fn ids(capability: Capability) -> Vec<&'static str> {
    providers()
        .iter()
        .map(|provider| provider.spec())
        .filter(|spec| spec.offer(capability).is_some())
        .map(|spec| spec.id())
        .collect()
}

fn papers(hits: &Hits) -> impl Iterator<Item = &Paper> {
    hits.hits.iter().map(|hit| match &hit.details {
        Details::Paper(paper) => &**paper,
        other => panic!("{other:?}"),
    })
}

fn patents(hits: &Hits) -> impl Iterator<Item = &Patent> {
    hits.hits.iter().map(|hit| match &hit.details {
        Details::Patent(patent) => &**patent,
        other => panic!("{other:?}"),
    })
}

#[tokio::test]
async fn papers_have_all_their_details() {
    for id in ids(Capability::Academic) {
        let provider = ProviderOnLab::start(id).await;
        let hits = provider
            .ask(&provider.plain_query())
            .await
            .unwrap_or_else(|fault| panic!("{id}: {fault:?}"));
        let at =
            papers(&hits).position(|paper| paper.doi.as_deref() == Some("10.5555/lab.2026.001"));
        let (hit, paper) = at
            .map(|at| (&hits.hits[at], papers(&hits).nth(at).unwrap()))
            .unwrap_or_else(|| panic!("{id}: {hits:?}"));
        assert_eq!(
            hit.title, "Hard carbon anodes for sodium-ion batteries at low temperature",
            "{id}"
        );
        assert_eq!(
            paper.authors,
            ["Maren Holt", "Tomas Iversen", "Aiko Nakada"],
            "{id}"
        );
        assert_eq!(hit.published, Date::from_ymd(2026, 1, 15), "{id}");
        assert!(
            hit.snippet.starts_with(
                "We study hard carbon anodes in sodium-ion batteries between minus forty"
            ),
            "{id}: {}",
            hit.snippet
        );
        assert_eq!(
            paper.venue.as_deref(),
            Some("Journal of Energy Cells"),
            "{id}"
        );
        assert!(paper.pdf.is_some(), "{id}");
        let counts = !matches!(id, "arxiv" | "pubmed");
        assert_eq!(paper.citations, counts.then_some(34), "{id}");
        assert!(
            hits.total
                .is_some_and(|total| total >= hits.hits.len() as u64),
            "{id}: {:?}",
            hits.total
        );
    }
}

#[tokio::test]
async fn patents_have_all_their_details() {
    for id in ids(Capability::Patents) {
        let provider = ProviderOnLab::start(id).await;
        let hits = provider
            .ask(&provider.plain_query())
            .await
            .unwrap_or_else(|fault| panic!("{id}: {fault:?}"));
        let at = patents(&hits).position(|patent| patent.number.starts_with("US11900001"));
        let (hit, patent) = at
            .map(|at| (&hits.hits[at], patents(&hits).nth(at).unwrap()))
            .unwrap_or_else(|| panic!("{id}: {hits:?}"));
        assert_eq!(
            hit.title, "Electrolyte for sodium-ion battery with weakly solvating ether",
            "{id}"
        );
        assert!(
            patent.assignees[0].eq_ignore_ascii_case("Northcell Energy AB"),
            "{id}: {:?}",
            patent.assignees
        );
        assert!(
            patent.inventors[0].eq_ignore_ascii_case("Maren Holt"),
            "{id}: {:?}",
            patent.inventors
        );
        assert_eq!(
            (patent.filed, patent.granted),
            (Date::from_ymd(2021, 3, 9), Date::from_ymd(2024, 2, 13)),
            "{id}"
        );
        assert_eq!(hit.published, Date::from_ymd(2024, 2, 13), "{id}");
    }
}

#[tokio::test]
async fn filters_by_name_narrow_the_results() {
    use engine::search::Filter;
    for provider in providers() {
        let spec = provider.spec();
        for offer in spec.offers {
            let provider = ProviderOnLab::start(spec.id()).await;
            let narrow = |filter: Filter| offer.filters.contains(&filter);
            let mut query = SearchQuery::new("sodium battery", offer.capability);
            query.filters.author = narrow(Filter::Author).then(|| "Holt".to_owned());
            query.filters.assignee = narrow(Filter::Assignee).then(|| "Northcell".to_owned());
            query.filters.inventor = narrow(Filter::Inventor).then(|| "Sand".to_owned());
            if query.filters.set().is_empty() {
                continue;
            }
            let found = provider
                .ask(&query)
                .await
                .unwrap_or_else(|fault| panic!("{}: {fault:?}", spec.id()))
                .hits;
            assert_eq!(found.len(), 1, "{}: {found:?}", spec.id());
            query.filters.author = query.filters.author.map(|_| "Nobody".to_owned());
            query.filters.assignee = query.filters.assignee.map(|_| "Nobody".to_owned());
            let none = provider
                .ask(&query)
                .await
                .unwrap_or_else(|fault| panic!("{}: {fault:?}", spec.id()))
                .hits;
            assert!(none.is_empty(), "{}: {none:?}", spec.id());
        }
    }
}

#[tokio::test]
async fn an_error_means_no_results_only_where_that_is_documented() {
    for id in ids(Capability::Patents) {
        let provider = ProviderOnLab::start(id).await;
        let nothing = provider
            .ask(&SearchQuery::new("qwzxv unheardof", Capability::Patents))
            .await
            .unwrap_or_else(|fault| panic!("{id}: {fault:?}"));
        assert_eq!((nothing.hits.len(), nothing.total), (0, Some(0)), "{id}");
        // A 404 of another server at that address does not mean "no results".
        let fault = provider
            .fault(OrderedFault::new(id, FaultMode::Status).status(404))
            .await;
        assert_eq!(fault.case(), Case::BadRequest, "{id}");
    }
}

#[tokio::test]
async fn documented_headers_for_waits_are_read() {
    for id in ["openalex", "core", "lens", "pubmed", "epo"] {
        let provider = ProviderOnLab::start(id).await;
        let fault = provider
            .fault(OrderedFault::new(id, FaultMode::RateLimited).wait(WaitForm::Documented, 23))
            .await;
        let told = match fault.advice() {
            fault::Retry::After(wait) => wait.as_secs_f64(),
            other => panic!("{id}: {other:?}"),
        };
        assert!(
            fault.case() == Case::Http429 && (20.0..=24.0).contains(&told),
            "{id}: {:?} {told}",
            fault.case()
        );
    }
}

#[tokio::test]
async fn limits_are_distinguished_where_the_provider_does() {
    let cases = [
        ("epo", Case::QuotaExhausted),
        ("lens", Case::QuotaExhausted),
        ("searchapi", Case::Http429),
        ("uspto", Case::Http429),
        ("openalex", Case::Http429),
        ("semanticscholar", Case::Http429),
    ];
    for (id, case) in cases {
        assert_eq!(
            ProviderOnLab::start(id)
                .await
                .fault(OrderedFault::new(id, FaultMode::Quota))
                .await
                .case(),
            case,
            "{id}"
        );
    }
}

#[tokio::test]
async fn ids_are_fetched_only_when_there_are_any() {
    let provider = ProviderOnLab::start("pubmed").await;
    provider
        .ask(&SearchQuery::new("qwzxv unheardof", Capability::Academic))
        .await
        .unwrap();
    assert_eq!(provider.paths(), ["/esearch.fcgi"]);
    provider.ask(&provider.plain_query()).await.unwrap();
    assert_eq!(
        provider.paths(),
        ["/esearch.fcgi", "/esearch.fcgi", "/efetch.fcgi"]
    );
}

#[tokio::test]
async fn a_token_is_requested_once_and_used_by_all_queries() {
    let provider = ProviderOnLab::start("epo").await;
    let query = provider.plain_query();
    let (first, second, third) = tokio::join!(
        provider.ask(&query),
        provider.ask(&query),
        provider.ask(&query)
    );
    assert!(first.is_ok() && second.is_ok() && third.is_ok());
    let signed_on = provider
        .paths()
        .iter()
        .filter(|path| path.ends_with("accesstoken"))
        .count();
    assert_eq!((signed_on, provider.paths().len()), (1, 4));
}

#[tokio::test]
async fn a_token_that_expires_early_is_replaced_once() {
    let provider = ProviderOnLab::start("epo").await;
    provider.ask(&provider.plain_query()).await.unwrap();
    provider.lab.reset();
    provider
        .lab
        .fault(OrderedFault::new("epo", FaultMode::BadKey).times(1));
    provider.ask(&provider.plain_query()).await.unwrap();
    let search = "/rest-services/published-data/search/biblio";
    assert_eq!(provider.paths(), [search, "/auth/accesstoken", search]);
    // The same refusal with another status.
    provider.lab.reset();
    provider.lab.fault(
        OrderedFault::new("epo", FaultMode::Status)
            .status(401)
            .times(1),
    );
    provider.ask(&provider.plain_query()).await.unwrap();
    assert_eq!(provider.paths().len(), 3);
    // When the new token is refused too, the key is wrong, and no further token is requested.
    provider.lab.reset();
    let fault = provider
        .fault(OrderedFault::new("epo", FaultMode::BadKey))
        .await;
    assert_eq!((fault.case(), provider.paths().len()), (Case::BadKey, 2));
}

#[tokio::test]
async fn a_missing_secret_of_a_key_is_named() {
    let provider = ProviderOnLab::start("epo").await;
    let settings = ProviderSettings {
        url: Some(provider.lab.url_of("epo").parse().unwrap()),
        key: provider.api.key().cloned(),
        ..ProviderSettings::default()
    };
    let api = Api::new(
        provider.provider.spec(),
        &settings,
        net::Client::trusted(net::ClientSettings::default()),
    )
    .unwrap();
    let fault = provider
        .provider
        .ask(
            &api,
            &Call::within(Duration::from_secs(5)),
            &provider.plain_query(),
        )
        .await
        .unwrap_err();
    assert_eq!(
        (fault.case(), provider.paths().len()),
        (Case::MissingKey, 0)
    );
}

#[tokio::test]
async fn an_error_in_a_feed_is_not_a_paper() {
    let provider = ProviderOnLab::start("arxiv").await;
    assert_eq!(
        provider
            .fault(OrderedFault::new("arxiv", FaultMode::BadRequest))
            .await
            .case(),
        Case::BadRequest
    );
    for mode in [
        FaultMode::Malformed,
        FaultMode::WrongShape,
        FaultMode::EmptyBody,
    ] {
        assert_eq!(
            provider
                .fault(OrderedFault::new("arxiv", mode))
                .await
                .case(),
            Case::BadShape,
            "{mode:?}"
        );
    }
}
