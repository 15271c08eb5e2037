//! Pages that only redirect: `<meta http-equiv="refresh" content="0; url=…">`.

use url::Url;

/// Seconds. A page with a longer wait is meant to be read meanwhile.
const LONGEST_WAIT: f64 = 5.0;
/// A page that shows more characters than this is content, wherever it redirects later.
const MOST_VISIBLE_CHARS: usize = 400;
/// A longer page is content too.
const MOST_HTML_BYTES: usize = 20_000;

/// The address that the page redirects to at once; `None` for a page with content of its own.
pub(super) fn target(html: &str, base: &Url) -> Option<Url> {
    if html.len() > MOST_HTML_BYTES || visible_chars(html) > MOST_VISIBLE_CHARS {
        return None;
    }
    let lower = html.to_ascii_lowercase();
    let mut from = 0;
    while let Some(at) = lower[from..].find("<meta") {
        let start = from + at;
        let end = lower[start..]
            .find('>')
            .map_or(lower.len(), |length| start + length);
        let is_refresh = attribute(&html[start..end], "http-equiv")
            .is_some_and(|value| value.eq_ignore_ascii_case("refresh"));
        if let Some(content) = attribute(&html[start..end], "content").filter(|_| is_refresh) {
            return parse_content(&content, base);
        }
        from = end;
    }
    None
}

/// Roughly how many characters the page shows: those outside of tags, scripts and styles.
fn visible_chars(html: &str) -> usize {
    let lower = html.to_ascii_lowercase();
    let (mut rest, mut count) = (lower.as_str(), 0);
    while let Some(at) = rest.find('<') {
        count += rest[..at].trim().chars().count();
        rest = &rest[at..];
        let hidden = ["script", "style", "title", "noscript"]
            .into_iter()
            .find(|name| rest[1..].starts_with(name));
        let end = hidden.map_or_else(|| ">".to_owned(), |name| format!("</{name}>"));
        rest = rest
            .find(&end)
            .map_or("", |length| &rest[length + end.len()..]);
    }
    count + rest.trim().chars().count()
}

/// Parses `0; url=/there`: the wait and the address.
fn parse_content(content: &str, base: &Url) -> Option<Url> {
    let (wait, rest) = content.split_once([';', ','])?;
    let wait: f64 = wait.trim().parse().ok()?;
    let rest = rest.trim();
    let place = rest
        .get(..3)
        .filter(|start| start.eq_ignore_ascii_case("url"))
        .map_or(rest, |_| rest[3..].trim_start().trim_start_matches('='));
    let place = place.trim().trim_matches(['"', '\'']).replace("&amp;", "&");
    let url = base
        .join(&place)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))?;
    ((0.0..=LONGEST_WAIT).contains(&wait) && url != *base).then_some(url)
}

/// The value of an attribute in the text of a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let lower = tag.to_ascii_lowercase();
    let at = lower
        .match_indices(name)
        .map(|(at, _)| at)
        .find(|at| lower[..*at].ends_with([' ', '\n', '\t', '"', '\'', '/']))?;
    let rest = tag[at + name.len()..]
        .trim_start()
        .strip_prefix('=')?
        .trim_start();
    let value = match rest.chars().next()? {
        quote @ ('"' | '\'') => rest[1..].split(quote).next()?,
        _ => rest
            .split([' ', '\n', '\t', '>'])
            .next()?
            .trim_end_matches('/'),
    };
    Some(value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target_of(html: &str) -> Option<String> {
        let base = Url::parse("https://a.example/x/y").expect("a URL");
        target(&format!("{html}Redirecting…"), &base).map(|url| url.to_string())
    }

    #[test]
    fn only_a_short_page_with_an_immediate_refresh_redirects() {
        assert_eq!(
            target_of("<meta http-equiv=\"refresh\" content=\"0; url=/there?a=1&amp;b=2\">")
                .as_deref(),
            Some("https://a.example/there?a=1&b=2")
        );
        assert_eq!(
            target_of("<META CONTENT='1;URL=\"z\"' HTTP-EQUIV=Refresh />").as_deref(),
            Some("https://a.example/x/z")
        );
        assert_eq!(
            target_of("<meta charset=utf-8><meta http-equiv=refresh content=0;https://b.example/>")
                .as_deref(),
            Some("https://b.example/")
        );
        for page in [
            "<meta http-equiv=refresh content=300>",
            "<meta http-equiv=refresh content='60;url=/there'>",
            "<meta http-equiv=refresh content='0;url=/x/y'>",
            "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
            "<meta name=refresh content='0;url=/there'>",
            "<meta http-equiv=refresh",
            "<p>content=\"0;url=/x\"",
        ] {
            assert_eq!(target_of(page), None, "{page}");
        }
        assert_eq!(
            target_of(&format!(
                "<meta http-equiv=refresh content='0;url=/there'><p>{}</p>",
                "words ".repeat(100)
            )),
            None
        );
    }
}
