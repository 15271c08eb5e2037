//! Properties of the detector that hold for any page.

use proptest::prelude::*;
use reading::detect::{Answer, Verdict, judge_page};
use url::Url;

use crate::labelled::{prose, sets};

fn verdict(url: &Url, html: &str) -> Verdict {
    judge_page(&Answer {
        status: 200,
        header: &|_| None,
        requested: url,
        final_url: url,
        html,
        main_text: "",
        title: None,
    })
}

const ARTICLE: &str = "<html><head><title>Harvest festival draws a record crowd</title></head><body><h1>Harvest festival draws a record crowd</h1>\
    <p>More than four thousand people came to the market square on Saturday, twice as many as last year.</p></body></html>";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_text_gets_a_verdict(html in ".{0,2000}") {
        let url = Url::parse("https://site.example/a").unwrap();
        verdict(&url, &html);
    }

    #[test]
    fn any_bytes_get_a_verdict(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let url = Url::parse("https://site.example/a").unwrap();
        verdict(&url, &String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_mixture_of_markup_gets_a_verdict(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..200)) {
        let url = Url::parse("https://site.example/a").unwrap();
        verdict(&url, &pieces.concat());
    }

    #[test]
    fn a_page_with_a_long_text_is_never_a_fault(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..100)) {
        let url = Url::parse("https://site.example/a").unwrap();
        let html = format!("<html><body>{}{}", prose("en", 25), pieces.concat());
        prop_assert!(!matches!(verdict(&url, &html), Verdict::Fault { .. }), "{}", pieces.concat());
    }

    #[test]
    fn words_in_the_address_alone_make_no_fault(words in prop::collection::vec(prop::sample::select(WORDS), 1..5), host in prop::sample::select(WORDS)) {
        let requested = Url::parse(&format!("https://www.site.example/{}", words.join("/"))).unwrap();
        let answered = Url::parse(&format!("https://{host}.site.example/{}?q={}", words.join("-"), words.join("+"))).unwrap();
        prop_assert_eq!(verdict(&requested, ARTICLE), Verdict::Content);
        let moved = judge_page(&Answer { status: 200, header: &|_| None, requested: &requested, final_url: &answered, html: ARTICLE, main_text: "", title: None });
        prop_assert_eq!(moved, Verdict::Content);
    }
}

const WORDS: &[&str] = &[
    "captcha",
    "login",
    "404",
    "error",
    "not-found",
    "blocked",
    "429",
    "rate-limit",
    "consent",
    "paywall",
    "maintenance",
    "challenge",
    "timeout",
    "signin",
    "denied",
    "parked",
    "sso",
    "gdpr",
];
const PIECES: &[&str] = &[
    "<",
    ">",
    "</",
    "<div",
    "<p>",
    "</p>",
    "<h1>",
    "</h1>",
    "<title>",
    "</title>",
    "<script>",
    "</script>",
    "'",
    "\"",
    "=",
    "<!--",
    "-->",
    "<a href=",
    "404",
    "Page not found",
    "Access denied",
    "登录",
    "&",
    "&#x41;",
    "&#99999999;",
    "é",
    "\u{0}",
    "<noscript>",
    "<input type=password>",
    "captcha",
    "<form>",
    "~",
    "ｅ",
    "\u{202E}",
    "<iframe",
    "<svg>",
    "Please log in to continue",
    "_cf_chl_opt",
];

/// After three thousand words, a notice is a detail of the page.
#[test]
fn a_notice_below_a_long_text_makes_no_fault() {
    let url = Url::parse("https://site.example/archive/2021/some-long-story.html").unwrap();
    let text = prose("en", 25);
    assert!(text.split_whitespace().count() >= 3_000);
    for (_, records) in sets() {
        for record in records {
            let html = format!("<html><body><main>{text}</main>{}", record.html);
            assert!(
                !matches!(verdict(&url, &html), Verdict::Fault { .. }),
                "{} {:?}",
                record.id,
                verdict(&url, &html)
            );
        }
    }
}

#[test]
fn hostile_pages_take_linear_time() {
    let url = Url::parse("https://site.example/a").unwrap();
    let shapes: &[(&str, &str)] = &[
        ("nested", "<div>"),
        ("nested classes", "<div class='modal cookie nav-'><p>"),
        ("open quotes", "<a href=\"x' "),
        ("closing", "</div></p>"),
        ("misnested", "<b><p></b><i></p>"),
        ("comments", "<!-- "),
        ("scripts", "<script>"),
        ("half scripts", "<script></"),
        ("attributes", "<p a=b c=d e=f g='h' i=\"j\" "),
        ("phrases", "the page you are looking for "),
        ("entities", "&amp;&#1"),
        ("titles", "<title>404</title>"),
        ("empty titles", "<title></title>"),
        ("inline mounts", "<b id=root>x</b>"),
        ("long names", "<p class='nav modal cookie "),
        ("noscript", "<noscript>enable javascript "),
        (
            "linked data",
            "<script type=application/ld+json>{\"@type\":\"article\"}</script>",
        ),
        ("hidden", "<svg><title>x</title>"),
        ("quotes", "\"page not found\" "),
        ("lines", "- access denied\n"),
    ];
    // With quadratic work on 2 MB this test would not end within a day.
    for (name, piece) in shapes {
        let html = piece.repeat(2_000_000 / piece.len());
        assert!(verdict(&url, &html).evidence().len() < 40, "{name}");
    }
}
