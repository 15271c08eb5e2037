//! Reading pages that fail: statuses, waits in every format, soft failures, broken connections.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::json;
use testkit::{Behavior, Reply, Web};

use super::obey::{Course, Wish, obey};
use super::outage::{asked, ours, started};

/// How long a recovering page fails, counted from its first request.
const OUTAGE: Duration = Duration::from_secs(1);

/// Another page of the same site, for calls that read several.
const SECOND: &str = "/second";

/// The expected course of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hope {
    /// It fails for a second: an obedient client reads it.
    Passes,
    /// It fails permanently: an obedient client stops after the first call.
    Ends,
    /// It fails permanently in a way that might pass: an obedient client stops after at most three
    /// calls.
    Tires,
}

impl Hope {
    pub fn as_str(self) -> &'static str {
        match self {
            Hope::Passes => "passes",
            Hope::Ends | Hope::Tires => "stays",
        }
    }
}

/// One failing page.
#[derive(Debug, Clone)]
pub struct Failing {
    pub name: &'static str,
    pub hope: Hope,
    path: &'static str,
    act: Behavior,
}

fn page(name: &'static str, hope: Hope, act: Behavior) -> Failing {
    Failing {
        name,
        hope,
        path: "/page",
        act,
    }
}

fn status_with_header(status: u16, name: &str, value: &str) -> Behavior {
    Behavior::Reply(
        Reply::new(status, "Later, please.")
            .header("Content-Type", "text/plain")
            .header(name, value),
    )
}

fn body(kind: &str, body: &serde_json::Value) -> Behavior {
    Behavior::Reply(Reply::new(429, body.to_string()).header("Content-Type", kind))
}

fn in_two_seconds() -> SystemTime {
    SystemTime::now() + Duration::from_secs(2)
}

fn article() -> String {
    let words = "Plain words that make a paragraph long enough to count as one. ".repeat(6);
    format!(
        "<html lang=\"en\"><head><title>A title</title></head><body><article><h1>A title</h1><p>{words}</p><p>{words}</p></article></body></html>"
    )
}

fn article_reply() -> Reply {
    Reply::new(200, article()).header("Content-Type", "text/html")
}

/// Pages that recover after a second.
pub fn passing() -> Vec<Failing> {
    use Hope::Passes;
    let epoch = in_two_seconds()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap()
        .as_secs()
        .to_string();
    let statuses = [
        ("500", 500),
        ("502", 502),
        ("503", 503),
        ("504", 504),
        ("520", 520),
        ("529", 529),
    ];
    let mut pages: Vec<Failing> = statuses
        .map(|(name, status)| page(name, Passes, status_with_header(status, "Retry-After", "1")))
        .into();
    pages.extend([
        page(
            "429, seconds",
            Passes,
            status_with_header(429, "Retry-After", "1"),
        ),
        page(
            "429, date",
            Passes,
            status_with_header(
                429,
                "Retry-After",
                &httpdate::fmt_http_date(in_two_seconds()),
            ),
        ),
        page(
            "429, X-RateLimit-Reset",
            Passes,
            status_with_header(429, "X-RateLimit-Reset", &epoch),
        ),
        page(
            "429, in the body",
            Passes,
            body("application/json", &json!({"error": {"retry_after": 1}})),
        ),
        page(
            "429, problem details",
            Passes,
            body(
                "application/problem+json",
                &json!({"title": "Slow down", "status": 429, "retry_after": 1}),
            ),
        ),
        page("reset", Passes, Behavior::Reset),
        page("closed", Passes, Behavior::Close),
        page(
            "reset in the body",
            Passes,
            Behavior::ResetInBody {
                reply: article_reply(),
                after: 200,
            },
        ),
        page(
            "cut body",
            Passes,
            Behavior::ShortBody {
                reply: article_reply(),
                claim: 9_000,
            },
        ),
        page("cut chunks", Passes, Behavior::CutChunked(article_reply())),
        page("stalled", Passes, Behavior::StallHead),
        page(
            "stalled body",
            Passes,
            Behavior::StallBody {
                reply: article_reply(),
                after: 200,
            },
        ),
    ]);
    pages
}

/// Pages that fail permanently.
pub fn staying() -> Vec<Failing> {
    use Hope::{Ends, Tires};
    let soft = |title: &str, text: &str| {
        Behavior::html(
            200,
            format!(
                "<html><head><title>{title}</title></head><body><main><h1>{title}</h1><p>{text}</p></main></body></html>"
            ),
        )
    };
    let statuses = [
        ("400", 400),
        ("401", 401),
        ("402", 402),
        ("403", 403),
        ("404", 404),
        ("405", 405),
        ("410", 410),
        ("451", 451),
    ];
    let mut pages: Vec<Failing> = statuses
        .map(|(name, status)| page(name, Ends, Behavior::html(status, "<p>No.</p>")))
        .into();
    let shell = "<html><head><title>App</title></head><body><div id=\"root\"></div><script src=\"/app.js\"></script></body></html>";
    let challenge = Reply::new(403, "<title>Just a moment...</title>")
        .header("Content-Type", "text/html")
        .header("cf-mitigated", "challenge");
    let login = "<html><head><title>Sign in</title></head><body><form><h1>Sign in to continue</h1><input type=\"email\"><input type=\"password\"><button>Sign in</button></form></body></html>";
    pages.extend([
        page(
            "soft 404",
            Ends,
            soft(
                "Page not found",
                "Sorry, the page you are looking for does not exist or has been moved.",
            ),
        ),
        page("login wall", Ends, Behavior::html(200, login)),
        page("challenge", Ends, Behavior::Reply(challenge)),
        page(
            "redirects in a circle",
            Ends,
            Behavior::redirect(302, "/page"),
        ),
        page("empty", Tires, Behavior::html(200, "")),
        page("script shell", Tires, Behavior::html(200, shell)),
        page(
            "500 for good",
            Tires,
            status_with_header(500, "Retry-After", "1"),
        ),
        page(
            "429 for good",
            Tires,
            status_with_header(429, "Retry-After", "1"),
        ),
        page("reset for good", Tires, Behavior::Reset),
    ]);
    // Gone, but its address says what to search for.
    pages.push(Failing {
        path: "/sodium-ion-batteries",
        ..page(
            "404, with a title in its address",
            Tires,
            Behavior::html(404, "<p>No.</p>"),
        )
    });
    pages
}

/// A 429 without Retry-After: we advise a wait of a minute.
pub fn silent() -> Failing {
    page(
        "429, untold",
        Hope::Passes,
        Behavior::html(429, "<p>Later.</p>"),
    )
}

impl Failing {
    /// Its own site, which recovers if the page does.
    pub async fn site(&self) -> Arc<Web> {
        let web = Arc::new(Web::start().await);
        web.on("*", Behavior::html(404, ""))
            .on(self.path, self.act.clone())
            .on(SECOND, self.act.clone());
        if self.hope == Hope::Passes {
            let (site, path) = (Arc::clone(&web), self.path);
            tokio::spawn(async move {
                while site.hits(path) == 0 {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                tokio::time::sleep(OUTAGE).await;
                for path in [path, SECOND] {
                    site.on(path, Behavior::html(200, article()));
                }
            });
        }
        web
    }

    pub fn wish(&self, web: &Web, patience: Duration) -> Wish {
        Wish {
            tool: "scrape_page",
            arguments: json!({"url": web.url(self.path)}),
            wanted: &["Plain words", "odium-ion"],
            patience,
        }
    }

    /// Two pages of the site in one call, which fail in the same way.
    pub async fn run_several(&self, patience: Duration) -> Course {
        let web = self.site().await;
        let lab = started().await;
        let allow = format!("127.0.0.1:{}", web.port());
        let arguments = [
            "--toolset",
            "research,web",
            "--dialect",
            "dual",
            "--deadline",
            "6",
            "--robots=false",
            "--allow-private",
            &allow,
        ];
        let mut client = ours(&lab, &arguments).await;
        let wish = Wish {
            tool: "fetch_content",
            arguments: json!({"urls": [web.url(self.path), web.url(SECOND)]}),
            ..self.wish(&web, patience)
        };
        obey(&mut client, &wish, || web.seen().len() as u64 + asked(&lab)).await
    }

    pub async fn run(&self, patience: Duration) -> Course {
        let (web, lab) = (self.site().await, started().await);
        let allow = format!("127.0.0.1:{}", web.port());
        let mut client = ours(
            &lab,
            &[
                "--deadline",
                "6",
                "--robots=false",
                "--allow-private",
                &allow,
            ],
        )
        .await;
        obey(&mut client, &self.wish(&web, patience), || {
            web.seen().len() as u64 + asked(&lab)
        })
        .await
    }
}
