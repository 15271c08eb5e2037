//! The page in a real browser. `cargo xtask check` leaves these out.

use lab::http::{Behavior, Reply};
use serde_json::json;
use testkit::Web;

use super::{Site, browser::Browser};
use crate::auth::{ADA, BOB, bearer, token_file, write_tokens};

/// Words that would do harm if they became markup.
const HOSTILE: &str =
    "<img src=x onerror=\"document.title='hacked'\"><script>document.title='hacked'</script>";

async fn open(site: &Site, view: &str) -> Browser {
    let mut browser = Browser::start().await;
    browser.open(&format!("{}/{view}", site.origin())).await;
    browser
        .until("document.getElementById('live').dataset.state === 'live'")
        .await;
    browser
}

#[tokio::test]
async fn every_view_works_without_violating_the_policy() {
    let site = Site::start(&[]).await;
    site.fail("/gone").await;
    let mut browser = open(&site, "").await;
    browser.until_shown("Faults over time").await;
    browser
        .until("document.querySelectorAll('.chart rect').length > 0")
        .await;
    browser
        .evaluate("document.querySelector('input[value=day]').click()")
        .await;
    browser.until_shown("in the last day").await;
    browser.evaluate("location.hash = '#/faults'").await;
    browser
        .until("document.querySelectorAll('#fault-list .pick').length === 1")
        .await;
    browser
        .evaluate("document.querySelector('#fault-list .pick').click()")
        .await;
    browser.until_shown("What the other side said").await;
    browser.evaluate("location.hash = '#/sessions'").await;
    browser.until_shown("No session yet").await;
    browser.evaluate("location.hash = '#/try'").await;
    browser
        .until("document.querySelectorAll('#tool option').length > 5")
        .await;
    browser.assert_clean(&site.origin());
}

#[tokio::test]
async fn a_new_fault_appears_by_itself() {
    let site = Site::start(&[]).await;
    let mut browser = open(&site, "#/faults").await;
    browser.until_shown("No call has failed").await;
    let id = site.fail("/one").await;
    let key = json!(id);
    browser
        .until(&format!(
            "document.querySelector('#fault-list .pick')?.dataset.key === {key}"
        ))
        .await;
    browser.evaluate("location.hash = '#/'").await;
    browser
        .until("document.querySelectorAll('.chart rect').length === 1")
        .await;
    site.fail("/two").await;
    browser
        .until("document.querySelector('.readout').textContent.startsWith('2 faults')")
        .await;
    browser.assert_clean(&site.origin());
}

#[tokio::test]
async fn hostile_words_stay_words() {
    let site = Site::start(&[]).await;
    let title = format!(
        "<!doctype html><title>{}</title><h1>Page</h1><p>{}</p>",
        HOSTILE.replace('<', "&lt;"),
        "Words of a page. ".repeat(80)
    );
    site.web.on("/hostile", Behavior::html(200, title));
    site.web.on("/broken", Reply::new(500, HOSTILE.repeat(3)));
    let begun = json!({"searchStep": HOSTILE, "goal": format!("{HOSTILE} \u{202e}goal")});
    let begun = site.call("sequential_search", begun).await;
    let session = begun["structuredContent"]["sessionId"]
        .as_str()
        .unwrap()
        .to_owned();
    for path in ["/hostile", "/broken"] {
        site.call(
            "scrape_page",
            json!({"url": site.web.url(path), "sessionId": session}),
        )
        .await;
    }
    let mut browser = open(&site, &format!("#/sessions/{session}")).await;
    browser
        .until("document.querySelectorAll('.sources li').length === 2")
        .await;
    let goal = browser
        .evaluate("document.querySelector('.goal').textContent")
        .await;
    assert!(goal.as_str().unwrap().starts_with(HOSTILE), "{goal}");
    let sources = browser
        .evaluate("document.querySelector('.sources').textContent")
        .await;
    assert!(sources.as_str().unwrap().contains("onerror"), "{sources}");
    browser.evaluate("location.hash = '#/faults'").await;
    browser
        .until("document.querySelectorAll('#fault-list .pick').length > 0")
        .await;
    browser
        .evaluate("document.querySelector('#fault-list .pick').click()")
        .await;
    browser.until_shown("What the other side said").await;
    browser.evaluate("location.hash = '#/try'").await;
    browser
        .until("document.getElementById('argument-query') !== null")
        .await;
    let typed = json!(HOSTILE);
    browser
        .evaluate(&format!(
            "document.getElementById('argument-query').value = {typed}"
        ))
        .await;
    browser.press_send().await;
    browser
        .until("document.querySelector('.outcome') !== null")
        .await;
    let made = "[document.images.length, document.scripts.length, document.querySelectorAll('svg').length, document.title]";
    let made = browser.evaluate(made).await;
    assert_eq!(made, json!([1, 1, 1, "Try a tool · Fingerpost"]));
    browser.assert_clean(&site.origin());
}

#[tokio::test]
async fn the_keyboard_reaches_everything_and_is_never_caught() {
    let site = Site::start(&[]).await;
    let id = site.fail("/gone").await;
    let mut browser = open(&site, "").await;
    browser.press("Tab").await;
    let first = browser.evaluate("document.activeElement.className").await;
    assert_eq!(first, "skip");
    browser.press("Enter").await;
    browser.until("document.activeElement.id === 'main'").await;
    browser
        .until("!document.getElementById('view-overview').hidden")
        .await;
    // From the content on: the period, the chart, its table.
    let mut seen = Vec::new();
    for _ in 0..3 {
        browser.press("Tab").await;
        seen.push(browser.focused().await);
    }
    assert_eq!(seen, ["INPUT period", "svg chart", "SUMMARY "]);
    browser.press("Shift+Tab").await;
    browser.press("End").await;
    browser
        .until("document.querySelector('.readout').textContent.includes('1 fault')")
        .await;
    // Once around every view: each stop is visible, and the end is reached.
    for (view, least) in [("", 9), ("faults", 8), ("sessions", 6), ("try", 10)] {
        browser
            .evaluate(&format!("location.hash = '#/{view}'"))
            .await;
        let section = if view.is_empty() { "overview" } else { view };
        browser.until(&format!("!document.getElementById('view-{section}').hidden && document.querySelectorAll('#tool option').length > 0 || '{view}' !== 'try'")).await;
        browser.evaluate("document.activeElement.blur(), window.getSelection().removeAllRanges(), document.body.tabIndex = -1, document.body.focus()").await;
        let mut stops = 0;
        loop {
            browser.press("Tab").await;
            if browser.evaluate("document.activeElement === document.body || document.activeElement === document.documentElement").await == json!(true) {
                break;
            }
            let visible = browser.evaluate(VISIBLE_FOCUS).await;
            assert_eq!(visible, json!(true), "{view}: {}", browser.focused().await);
            stops += 1;
            assert!(stops < 120, "{view}: the focus goes in circles");
        }
        assert!(stops >= least, "{view}: {stops}");
    }
    // A link opened by the keyboard shows its record and moves the focus to it.
    browser.evaluate("location.hash = '#/faults'").await;
    browser
        .until("document.querySelector('#fault-list .pick') !== null")
        .await;
    browser
        .evaluate("document.querySelector('#fault-list .pick').focus()")
        .await;
    browser.press("Enter").await;
    browser
        .until("document.activeElement.id === 'h-record'")
        .await;
    browser.until_shown(&id).await;
    browser.assert_clean(&site.origin());
}

/// Whether whatever has the focus is seen to have it. A choice of a segment shows it on its label.
const VISIBLE_FOCUS: &str = "(() => {
    const focused = document.activeElement;
    const shown = focused.type === 'radio' ? focused.nextElementSibling : focused;
    const style = getComputedStyle(shown);
    const box = shown.getBoundingClientRect();
    return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 && box.width > 0 && box.height > 0;
})()";

#[tokio::test]
async fn a_tool_is_tried_by_keyboard_and_its_failure_is_shown_in_every_dialect() {
    let site = Site::start(&[]).await;
    let mut browser = open(&site, "#/try").await;
    browser
        .until("document.querySelectorAll('#tool option').length > 5")
        .await;
    browser.evaluate("(tool.value = 'scrape_page', tool.dispatchEvent(new Event('change')), document.getElementById('argument-url').focus())").await;
    let url = site.web.url("/none");
    browser.type_text(&url).await;
    browser.press("Control+Enter").await;
    browser
        .until("document.querySelectorAll('input[name=dialect]').length === 7")
        .await;
    let own = browser
        .evaluate("document.querySelector('input[name=dialect]:checked').value")
        .await;
    assert_eq!(own, "dual");
    let expected = [
        ("dual", "\"kind\":\"not_found\""),
        ("code", "\"code\""),
        ("flat", "\"status\": \"failed\""),
        ("problem", "urn:fingerpost:fault"),
    ];
    for (dialect, words) in expected {
        browser
            .evaluate(&format!(
                "document.querySelector('input[name=dialect][value={dialect}]').click()"
            ))
            .await;
        let text = browser
            .evaluate("document.querySelector('.dialect').textContent")
            .await;
        let text = text.as_str().unwrap().replace("\":\"", "\": \"");
        assert!(
            text.contains(&words.replace("\":\"", "\": \"")),
            "{dialect}: {text}"
        );
    }
    browser
        .evaluate("document.querySelector('[role=tab][aria-selected=true]').focus()")
        .await;
    browser.press("ArrowRight").await;
    browser.until_shown("Upstreams asked").await;
    browser
        .until("document.querySelectorAll('.waterfall li').length === 1")
        .await;
    browser.press("ArrowRight").await;
    browser.until_shown("tools/call").await;
    browser
        .evaluate("document.querySelector('.outcome a').click()")
        .await;
    browser.until_shown("http_404").await;
    // The same as JSON, with a mistake that is told where it is.
    browser.evaluate("location.hash = '#/try'").await;
    browser
        .evaluate("document.querySelector('input[name=mode][value=json]').click()")
        .await;
    let raw = browser
        .evaluate("document.getElementById('raw-json').value")
        .await;
    assert!(raw.as_str().unwrap().contains(&url), "{raw}");
    browser
        .evaluate("document.getElementById('raw-json').value = '{\"url\": '")
        .await;
    browser.press_send().await;
    browser
        .until("document.getElementById('raw-problem').textContent.startsWith('This is not JSON')")
        .await;
    browser.assert_clean(&site.origin());
}

#[tokio::test]
async fn at_phone_width_nothing_scrolls_sideways_in_light_and_dark() {
    let site = Site::start(&[]).await;
    let long = "a".repeat(300);
    site.web.on("/broken", Reply::new(500, long.clone()));
    let begun = site
        .call(
            "sequential_search",
            json!({"searchStep": long, "goal": long}),
        )
        .await;
    let session = begun["structuredContent"]["sessionId"]
        .as_str()
        .unwrap()
        .to_owned();
    site.call(
        "scrape_page",
        json!({"url": site.web.url(&format!("/{long}")), "sessionId": session}),
    )
    .await;
    let id = site.fail("/broken").await;
    let mut browser = open(&site, "").await;
    browser.prefer("prefers-reduced-motion", "reduce").await;
    for scheme in ["light", "dark"] {
        browser.prefer("prefers-color-scheme", scheme).await;
        for width in [320, 360, 768, 1280] {
            browser.resize(width, 740).await;
            for view in [
                "",
                "faults",
                &format!("faults/{id}"),
                &format!("sessions/{session}"),
                "try",
            ] {
                browser
                    .evaluate(&format!("location.hash = '#/{view}'"))
                    .await;
                browser
                    .evaluate("new Promise((done) => setTimeout(done, 150))")
                    .await;
                let wide = browser
                    .evaluate("document.documentElement.scrollWidth")
                    .await;
                assert!(
                    wide.as_u64().unwrap() <= u64::from(width),
                    "{view} at {width}: {wide}"
                );
            }
        }
        let back = browser
            .evaluate("getComputedStyle(document.body).backgroundColor")
            .await;
        let is_dark = back.as_str().unwrap().contains("15, 20, 25");
        assert_eq!(is_dark, scheme == "dark", "{back}");
    }
    browser.assert_clean(&site.origin());
}

#[tokio::test]
async fn a_page_of_another_site_can_neither_call_nor_read() {
    let site = Site::start(&[]).await;
    let other = Web::start().await;
    let attack = format!(
        "<!doctype html><title>waiting</title><script>const body = JSON.stringify({{tool: 'health_check', arguments: {{}}}});\
         const tries = [fetch('{0}/api/call', {{method: 'POST', mode: 'no-cors', body}}),\
         fetch('{0}/api/call', {{method: 'POST', headers: {{'Content-Type': 'application/json'}}, body}}),\
         fetch('{0}/api/faults').then((it) => it.json()), fetch('{0}/api/overview', {{mode: 'no-cors'}}).then((it) => it.type === 'opaque' ? Promise.reject() : 'read')];\
         Promise.allSettled(tries).then((all) => {{ document.title = all.map((it) => it.status + ':' + (it.value?.type ?? it.value)).join(' ') }});</script>",
        site.origin()
    );
    other.on("/attack", Behavior::html(200, attack));
    let mut browser = Browser::start().await;
    browser.open(&other.url("/attack")).await;
    browser.until("document.title !== 'waiting'").await;
    let outcome = browser.evaluate("document.title").await;
    let outcome = outcome.as_str().unwrap();
    // A response without CORS is opaque at best; this one may not even be embedded.
    assert!(
        !outcome.contains("read") && outcome.matches("rejected").count() >= 3,
        "{outcome}"
    );
    let overview = site
        .server
        .send("GET", "/api/overview", &[], b"")
        .await
        .json();
    assert_eq!(overview["calls"]["total"], 0, "{overview}");
}

/// Gives a token to the sign-in form, by keyboard.
async fn sign_in(browser: &mut Browser, token: &str) {
    browser
        .until("document.activeElement?.name === 'token'")
        .await;
    browser.type_text(token).await;
    browser.press("Enter").await;
}

#[tokio::test]
async fn a_person_signs_in_sees_what_is_theirs_and_signs_out() {
    let entries = [
        ("ada", ADA, "[\"research\"]"),
        ("olga", BOB, "[\"research\", \"operator\"]"),
    ];
    let tokens = token_file(&entries);
    let site = Site::start(&["--tokens", tokens.path().to_str().unwrap()]).await;
    let (ada, olga) = (bearer(ADA), bearer(BOB));
    let hers = site.fail_as(&[("Authorization", &ada)], "/ada").await;
    let other = site.fail_as(&[("Authorization", &olga)], "/olga").await;
    let mut browser = Browser::start().await;
    browser.open(&format!("{}/", site.origin())).await;
    browser.until("location.pathname === '/sign-in'").await;
    sign_in(&mut browser, ADA).await;
    browser
        .until("document.getElementById('live')?.dataset.state === 'live'")
        .await;
    browser
        .until("document.getElementById('who').innerText.includes('ada')")
        .await;
    browser.evaluate("location.hash = '#/faults'").await;
    let listed =
        "[...document.querySelectorAll('#fault-list .pick')].map((it) => it.dataset.key).join()";
    browser
        .until(&format!("{listed} === {}", json!(hers)))
        .await;
    browser
        .evaluate(&format!("location.hash = '#/faults/{other}'"))
        .await;
    browser.until_shown("No record with this id").await;
    // That the record is not hers is told as an error in the log of the browser.
    assert!(
        browser
            .problems
            .iter()
            .all(|it| it.contains(&other) && it.contains("404"))
    );
    browser.problems.clear();
    browser
        .evaluate("document.querySelector('#sign-out button').focus()")
        .await;
    browser.press("Enter").await;
    browser.until("location.pathname === '/sign-in'").await;
    sign_in(&mut browser, BOB).await;
    browser
        .until("document.getElementById('who')?.innerText.includes('operator') === true")
        .await;
    browser.evaluate("location.hash = '#/faults'").await;
    browser
        .until(&format!(
            "{listed} === {}",
            json!(format!("{other},{hers}"))
        ))
        .await;
    browser
        .evaluate(&format!("location.hash = '#/faults/{hers}'"))
        .await;
    browser.until_shown("What the other side said").await;
    browser.assert_clean(&site.origin());
    // A token that is taken away ends what the page may see.
    write_tokens(tokens.path(), &entries[..1]);
    let walk = "setInterval(() => { location.hash = location.hash === '#/faults' ? '#/sessions' : '#/faults' }, 400)";
    browser.evaluate(walk).await;
    browser.until("location.pathname === '/sign-in'").await;
}
