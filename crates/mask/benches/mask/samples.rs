//! Clean texts as this server reads them: prose, pages, JSON, Markdown, logs, source code.
//!
//! Each sample is a template that is filled again and again with other words and numbers, because a
//! processor learns by heart a text that repeats itself.

pub(crate) const SAMPLES: &[(&str, &str)] = &[
    ("prose", PROSE),
    ("html", HTML),
    ("json", JSON),
    ("page of an article", ARTICLE),
    ("page of a shop", SHOP),
    ("search results in json", RESULTS),
    ("records in json", RECORDS),
    ("prose in many languages", LANGUAGES),
    ("markdown", MARKDOWN),
    ("logs", LOGS),
    ("source code", SOURCE),
];

const PROSE: &str = "The access token is sent in the Authorization header. A key witness passed the security check, and the author of the report signed \
it with great care; the design of the study was sound. Each session lasted {d2} minutes, the password policy was reviewed in 20{d2}, and the \
cookies on the {w} were gone. In the meantime the committee, whose members had come from {d2} countries, discussed the budget, the {w}, and the trains.\n";

const HTML: &str = "<li class=\"nav-item\" data-key=\"row-{d2}\"><a href=\"https://example.com/docs/tokens?page={d1}&amp;sort=key\" rel=\"author\">API keys</a></li>\n\
<p>Set <code>max_tokens</code> to {d4}; the <em>primary key</em> is <code>id</code>. <span class=\"token punctuation\">;</span></p>\n\
<script src=\"/static/main.{x8}.chunk.js\" integrity=\"sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K\"></script>\n";

const JSON: &str = "{\"id\":\"{u}\",\"key\":\"user.profile\",\"title\":\"How tokens work\",\"token_type\":\"Bearer\",\"usage\":{\"prompt_tokens\":{d3},\
\"total_tokens\":{d4}},\"author\":\"Jane Smith\",\"url\":\"https://example.com/a/b?page={d1}\",\"passed\":true,\"password\":null},\n";

const ARTICLE: &str = r##"<article id="post-{d4}" class="post type-post status-publish format-standard hentry category-{w}">
  <header class="entry-header">
    <h2 class="entry-title"><a href="https://blog.example.org/20{d2}/0{d1}/{w}-{w}-{w}/" rel="bookmark">Why the {w} keeps its {w}</a></h2>
    <div class="entry-meta">Posted on <time datetime="20{d2}-0{d1}-1{d1}T08:{d2}:00+00:00">{d1} May</time> by <a class="url fn n" href="/author/{w}">{w}</a> &middot; {d1} minutes to read</div>
  </header>
  <p>When the {w} was opened, nobody had expected that {d3} visitors would come on the first day. &ldquo;We had {w} for two hundred,&rdquo; said the keeper, who has looked after the {w} since 19{d2}. The tickets were sold out by noon &mdash; and the queue reached the bridge.</p>
  <p>The museum&#8217;s own figures tell a similar story: of the {d4} objects in its store, {d2} per cent have never been shown. A passage from the report reads: <em>&ldquo;the {w} of the {w} must not depend on the {w} of the day.&rdquo;</em></p>
  <figure class="wp-block-image size-large"><img src="/media/{w}-{d4}x{d3}.jpg" srcset="/media/{w}-300x200.jpg 300w, /media/{w}-1024x683.jpg 1024w" alt="A {w} beside the {w}" width="1024" height="683" loading="lazy"></figure>
  <ul class="share"><li><a href="/share?u=https%3A%2F%2Fblog.example.org%2F{w}&amp;t={w}" target="_blank" rel="noopener noreferrer">Share</a></li><li><a href="mailto:?subject={w}%20and%20{w}">Mail</a></li></ul>
</article>
"##;

const SHOP: &str = r##"<div class="product-card" data-product-id="{d4}" data-variant="{x8}"><a class="product-link" href="/products/{w}-{w}?variant={d4}{d4}&amp;utm_source=list"><picture><source type="image/webp" srcset="/cdn/{w}_{d3}x.webp?v=17{d4}{d4}"><img src="/cdn/{w}_{d3}x.jpg" alt="{w} {w}"></picture><h3 class="card__heading">{w} {w}, set of {d1}</h3><span class="price" data-currency="EUR">{d2},{d2}&nbsp;&euro;</span></a>
<form method="post" action="/cart/add" id="product-form-{d4}" accept-charset="UTF-8" class="form"><input type="hidden" name="form_type" value="product"><input type="hidden" name="utf8" value="&#10003;"><select name="id"><option value="{d4}{d4}">Small</option><option value="{d4}{d4}" selected="selected">Large</option></select><button type="submit" name="add" aria-label="Add to cart"><span>Add to cart</span></button></form></div>
<style>.card-{x8}{display:grid;grid-template-columns:repeat({d1},1fr);gap:.{d2}rem;color:#{x6};background:rgba(0,0,0,.0{d1})}@media(max-width:{d3}px){.card-{x8}{padding:0 {d2}px}}</style>
<script>!function(e,t){"use strict";var n=e.getElementById("{w}-{d2}"),r=t.innerWidth>{d3}?"{w}":"{w}";n&&(n.dataset.state=r,n.addEventListener("click",function(o){o.preventDefault(),n.classList.toggle("is-open"),t.{w}&&t.{w}.push({event:"{w}",index:{d2}})}))}(document,window);</script>
"##;

const RESULTS: &str = r##"{"position":{d2},"title":"{w} {w}: a guide to {w} and {w}","url":"https://www.example.com/{w}/{w}-{d4}.html","snippet":"Learn how the {w} works, when to use a {w}, and why {d2} % of the {w} is \"{w}\". Updated for 20{d2}.","published":"20{d2}-0{d1}-2{d1}","score":0.{d4}{d4},"domain":"example.com","thumbnail":"https://img.example.net/{x40}.jpg?w={d3}&h={d3}","language":"en","extra":{"author":"{w} {w}","readingTime":{d1},"tags":["{w}","{w}","{w}"],"hasSchema":false}},
"##;

const RECORDS: &str = r##"    {
      "id": {d4}{d4},
      "node_id": "MDEwOlJlcG9zaXRvcnkx{d4}{d4}",
      "sha": "{x40}",
      "name": "{w}-{w}",
      "full_name": "{w}/{w}-{w}",
      "private": false,
      "owner": { "login": "{w}{d2}", "id": {d4}, "avatar_url": "https://avatars.example.com/u/{d4}?v=4", "type": "User", "site_admin": false },
      "html_url": "https://git.example.com/{w}/{w}-{w}",
      "keys_url": "https://api.git.example.com/repos/{w}/{w}/keys{/key_id}",
      "description": "A {w} for the {w} of {w}s, with \u201c{w}\u201d and caching",
      "created_at": "20{d2}-1{d1}-0{d1}T1{d1}:{d2}:{d2}Z",
      "size": {d4}, "stargazers_count": {d3}, "watchers": {d3}, "language": "Rust", "has_issues": true, "license": { "key": "mit", "name": "MIT License", "spdx_id": "MIT" },
      "etag": "W/\"{x40}\"", "default_branch": "main", "permissions": { "admin": false, "push": false, "pull": true }
    },
"##;

const LANGUAGES: &str = "Der {w} wurde im Jahr 19{d2} eröffnet und zählt heute {d4} Mitglieder; über die Höhe der Beiträge entscheidet die Versammlung. \
Le musée, fermé depuis {d1} ans, a rouvert ses portes : l’exposition réunit {d3} œuvres prêtées par des collections privées. \
El informe señala que el {d2} % de los hogares no tenía acceso; según la autora, «la situación mejoró» en 20{d2}. \
В отчёте говорится, что за {d1} лет число посетителей выросло на {d2} процентов, а ключевые показатели остались прежними. \
この展覧会では、{d3}点の作品が紹介されている。会期は{d1}月まで、入場は無料です。 本次调查共收集了{d4}份问卷，结果表明多数人支持该计划。\n";

const MARKDOWN: &str = r##"## {w} {w}

The `{w}` command reads the configuration from `~/.config/{w}/config.toml` and prints a table. See [the guide](https://docs.example.org/{w}/{w}#{w}-{w}) for the full list of options.

| option | default | meaning |
|---|---|---|
| `--{w}` | `{d2}` | how many {w}s are kept |
| `--{w}-{w}` | `false` | whether the {w} is printed |

```sh
cargo install {w}-{w} --version 0.{d2}.{d1}
{w} --{w} {d2} --output target/{w}.json | jq '.items[] | select(.count > {d1})'
```

1. Install the package and restart the {w}.
2. Check that `{w} --version` prints `0.{d2}.{d1}` or newer; older releases do not know the key `{w}.{w}`.

> **Note:** tokens are counted per request, so a prompt of {d4} tokens costs {d1}.{d2} cents.

"##;

const LOGS: &str = r##"20{d2}-0{d1}-1{d1} 0{d1}:{d2}:{d2}.{d3} INFO  [http-nio-8080-exec-{d1}] o.e.{w}.{W}Service - request {x8} handled in {d3} ms, status=200 bytes={d4}
10.0.{d2}.{d2} - - [1{d1}/May/20{d2}:0{d1}:{d2}:{d2} +0000] "GET /{w}/{w}?page={d1}&size={d2} HTTP/1.1" 200 {d4} "https://example.com/{w}" "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"
{"ts":"20{d2}-0{d1}-1{d1}T0{d1}:{d2}:{d2}.{d3}Z","level":"info","logger":"{w}.{w}","msg":"task finished","task_id":"{u}","trace_id":"{x32}","duration_ms":{d4},"attempt":{d1}}
20{d2}-0{d1}-1{d1} 0{d1}:{d2}:{d2}.{d3} WARN  [pool-{d1}-thread-{d2}] o.e.{w}.{W}Client - retry {d1} of 3 after timeout connecting to {w}.internal:5432 (user={w}, database={w})
"##;

const SOURCE: &str = r##"/// Returns the {w} of the {w}, or `None` if the {w} is empty.
pub fn {w}_{w}(&self, {w}: &str, limit: usize) -> Option<&{W}> {
    let key = self.keys.get({w})?;
    for (index, entry) in self.entries[key.start..key.end].iter().enumerate() {
        if entry.{w} == limit + {d2} && !entry.is_{w}() {
            return self.{w}s.get(&entry.id).filter(|it| it.len() > {d1});
        }
    }
    None
}

def {w}_{w}(self, request, {w}=None, timeout={d2}):
    """Sends the request and returns the decoded {w}."""
    headers = {"Accept": "application/json", "User-Agent": f"{w}/{self.version}"}
    response = self.session.get(f"{self.base}/{w}/{request.id}", headers=headers, timeout=timeout)
    if response.status_code != 200:
        raise {W}Error(f"unexpected status {response.status_code}")
    return [{W}.from_dict(item) for item in response.json()["{w}"] if item.get("{w}") is not None]

"##;

const WORDS: &[&str] = &[
    "garden",
    "window",
    "harbour",
    "letter",
    "market",
    "teacher",
    "history",
    "village",
    "engine",
    "report",
    "summer",
    "bridge",
    "number",
    "picture",
    "machine",
    "silver",
    "basket",
    "island",
    "writer",
    "planet",
    "message",
    "station",
    "counter",
    "passage",
    "monkey",
    "signal",
    "author",
    "session",
    "cookie",
    "design",
    "register",
    "keyboard",
    "tokenizer",
    "library",
    "filter",
    "cluster",
    "branch",
    "record",
];

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    fn digits(&mut self, alphabet: &[u8], count: usize) -> String {
        let digit = |_| char::from(alphabet[self.below(alphabet.len() as u64) as usize]);
        (0..count).map(digit).collect()
    }

    /// What a slot of a template stands for; `None` if it is no slot.
    fn slot(&mut self, slot: &str) -> Option<String> {
        let count = || slot[1..].parse::<usize>().ok();
        match slot.as_bytes().first()? {
            b'w' if slot.len() == 1 => Some(self.word()),
            b'W' if slot.len() == 1 => {
                let word = self.word();
                Some(word[..1].to_uppercase() + &word[1..])
            }
            b'd' => {
                let rest = count()?.checked_sub(1)?;
                Some(self.digits(b"123456789", 1) + &self.digits(b"0123456789", rest))
            }
            b'x' => Some(self.digits(b"0123456789abcdef", count()?)),
            b'u' if slot.len() == 1 => {
                let groups = [8, 4, 4, 4, 12].map(|size| self.digits(b"0123456789abcdef", size));
                Some(groups.join("-"))
            }
            _ => None,
        }
    }

    fn word(&mut self) -> String {
        WORDS[self.below(WORDS.len() as u64) as usize].to_owned()
    }
}

/// A text of about `size` bytes made from a template.
pub(crate) fn filled(template: &str, size: usize) -> String {
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let mut text = String::new();
    while text.len() < size {
        let mut rest = template;
        while let Some(open) = rest.find('{') {
            text.push_str(&rest[..open]);
            rest = &rest[open..];
            let slot = rest.find('}').and_then(|close| {
                let filled = numbers.slot(&rest[1..close])?;
                Some((close + 1, filled))
            });
            match slot {
                Some((past, filled)) => {
                    text.push_str(&filled);
                    rest = &rest[past..];
                }
                None => {
                    text.push('{');
                    rest = &rest[1..];
                }
            }
        }
        text.push_str(rest);
    }
    text
}
