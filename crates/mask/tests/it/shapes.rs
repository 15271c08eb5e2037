//! Every key shape in several contexts, alone in prose too: the shape must be enough.

use mask::Masker;

use super::made::made;

const SHAPES: &[(&str, &str)] = &[
    ("openai", "sk-{plain:48}"),
    ("openai project", "sk-proj-{plain:40}_{plain:20}-{plain:30}"),
    ("openai service account", "sk-svcacct-{plain:60}"),
    ("anthropic", "sk-ant-api03-{plain:60}-{plain:20}AA"),
    ("anthropic oauth", "sk-ant-oat01-{plain:80}"),
    ("openrouter", "sk-or-v1-{hex:64}"),
    ("xai", "xai-{plain:80}"),
    ("groq", "gsk_{plain:52}"),
    ("perplexity", "pplx-{plain:48}"),
    ("replicate", "r8_{plain:37}"),
    ("huggingface", "hf_{plain:34}"),
    ("tavily", "tvly-{plain:32}"),
    ("tavily dev", "tvly-dev-{plain:32}"),
    ("firecrawl", "fc-{hex:32}"),
    ("jina", "jina_{hex:32}{plain:28}"),
    ("nvidia", "nvapi-{plain:64}"),
    ("brave", "BSA{plain:28}"),
    ("pinecone", "pcsk_{plain:6}_{plain:60}"),
    ("langsmith", "lsv2_pt_{hex:32}_{hex:10}"),
    ("google api", "AIza{plain:35}"),
    ("google oauth access", "ya29.{plain:60}"),
    ("google oauth secret", "GOCSPX-{plain:28}"),
    ("google refresh", "1//0{plain:60}"),
    ("github classic", "ghp_{plain:36}"),
    ("github oauth", "gho_{plain:36}"),
    ("github user", "ghu_{plain:36}"),
    ("github server", "ghs_{plain:36}"),
    ("github refresh", "ghr_{plain:76}"),
    ("gitlab", "glpat-{plain:20}"),
    ("gitlab routable", "glpat-{plain:30}.01.{lower:9}"),
    ("gitlab runner", "glrt-{plain:20}"),
    ("gitlab trigger", "glptt-{hex:40}"),
    ("atlassian", "ATATT3xFfGF0{plain:60}={capitals:8}"),
    ("bitbucket app password", "ATBB{plain:32}"),
    ("slack bot", "xoxb-{digits:12}-{digits:12}-{plain:24}"),
    (
        "slack user",
        "xoxp-{digits:12}-{digits:12}-{digits:12}-{hex:32}",
    ),
    ("slack app", "xapp-1-A{capitals:10}-{digits:12}-{hex:64}"),
    ("telegram", "{digits:10}:AA{plain:33}"),
    ("stripe live", "sk_live_{plain:24}"),
    ("stripe test", "sk_test_{plain:24}"),
    ("stripe restricted", "rk_live_{plain:24}"),
    ("stripe webhook", "whsec_{plain:32}"),
    ("square", "sq0atp-{plain:22}"),
    ("square secret", "sq0csp-{plain:43}"),
    ("shopify", "shpat_{hex:32}"),
    ("shopify secret", "shpss_{hex:32}"),
    ("plaid", "access-sandbox-{uuid}"),
    (
        "paypal braintree",
        "access_token$production${lower:16}${hex:32}",
    ),
    ("sendgrid", "SG.{plain:22}.{plain:43}"),
    ("mailgun", "key-{hex:32}"),
    ("mailchimp", "{hex:32}-us12"),
    ("brevo", "xkeysib-{hex:64}-{plain:16}"),
    ("postman", "PMAK-{hex:24}-{hex:34}"),
    ("npm", "npm_{plain:36}"),
    ("pypi", "pypi-AgEIcHlwaS5vcmc{plain:80}"),
    ("docker", "dckr_pat_{plain:27}"),
    ("rubygems", "rubygems_{hex:48}"),
    ("crates", "cio{plain:32}"),
    ("nuget", "oy2{lower:43}"),
    ("digitalocean", "dop_v1_{hex:64}"),
    ("databricks", "dapi{hex:32}"),
    ("doppler", "dp.pt.{plain:43}"),
    ("doppler service", "dp.st.dev.{plain:43}"),
    ("vault", "hvs.{plain:24}"),
    ("vault batch", "hvb.{plain:120}"),
    ("terraform", "{plain:14}.atlasv1.{plain:64}"),
    ("supabase", "sbp_{hex:40}"),
    ("supabase secret", "sb_secret_{plain:22}_{plain:8}"),
    ("planetscale", "pscale_tkn_{plain:43}"),
    ("pulumi", "pul-{hex:40}"),
    ("tailscale", "tskey-auth-{plain:12}-{plain:24}"),
    ("sentry org", "sntrys_{plain:80}"),
    ("sentry user", "sntryu_{hex:64}"),
    ("grafana", "glsa_{plain:32}_{hex:8}"),
    ("grafana cloud", "glc_{plain:60}"),
    ("new relic", "NRAK-{capitals:27}"),
    ("notion", "ntn_{digits:11}{plain:35}"),
    ("notion old", "secret_{plain:43}"),
    ("linear", "lin_api_{plain:40}"),
    ("airtable", "pat{plain:14}.{hex:64}"),
    ("figma", "figd_{plain:22}_{plain:18}"),
    ("contentful", "CFPAT-{plain:43}"),
    ("hubspot", "pat-na1-{uuid}"),
    ("dropbox", "sl.{plain:136}"),
    ("mapbox", "sk.eyJ{plain:40}.{plain:22}"),
    ("azure application", "q7Z8Q~{plain:34}"),
    ("firebase", "AAAA{plain:7}:APA91b{plain:134}"),
    ("age", "AGE-SECRET-KEY-1{capitals:58}"),
    ("jwt", "eyJ{plain:33}.eyJ{plain:60}.{plain:43}"),
    ("discord", "MTIz{plain:22}.G{plain:5}.{plain:38}"),
    ("bcrypt", "$2b$12${plain:53}"),
    ("sha512 crypt", "$6${plain:16}${plain:86}"),
    (
        "argon2",
        "$argon2id$v=19$m=65536,t=3,p=4${plain:22}${plain:43}",
    ),
    ("1password", "ops_eyJ{plain:260}"),
    ("dynatrace", "dt0c01.{capitals:24}.{capitals:64}"),
    ("resend", "re_{plain:8}_{plain:24}"),
    ("github fine grained", "github_pat_{plain:22}_{plain:59}"),
];

const CONTEXTS: &[(&str, &str)] = &[
    ("prose", "I pasted {} into the chat by mistake, sorry."),
    ("sentence end", "The leaked value was {}."),
    ("quoted", "found \"{}\" in the page"),
    ("backticks", "run it with `{}` as usual"),
    ("brackets", "invalid credential [{}] rejected"),
    ("parentheses", "request failed (using {}) after 3 tries"),
    (
        "log",
        "2024-05-01T10:00:00Z ERROR upstream said no to {} status=401",
    ),
    ("json", r#"{"note":"{}","count":3}"#),
    ("escaped json", r#"{\"note\":\"{}\",\"count\":3}"#),
    ("list", "['{}', 'other']"),
    ("assignment", "value = '{}'"),
    ("lines", "first line\r\n{}\r\nlast line"),
    ("escaped lines", "first line\\n{}\\nlast line"),
    ("markup", "<code>{}</code>"),
    (
        "trace",
        "  File \"app.py\", line 3, in call\n    client(\"{}\")\nValueError: bad",
    ),
    ("csv", "bob,{},2024"),
    ("unicode quotes", "he wrote “{}” on the board"),
    ("exclamation", "do not use {}!"),
];

#[test]
fn every_shape_is_masked_in_every_context_and_nothing_else_is() {
    let masker = Masker::default();
    let mut failures = Vec::new();
    for (shape, pattern) in SHAPES {
        let secret = made(pattern);
        for (context, template) in CONTEXTS {
            let text = template.replace("{}", &secret);
            let masked = masker.mask(&text);
            // Exclamation marks and full stops may end a shape that allows dots; the secret
            // decides.
            if masked != template.replace("{}", "***") {
                failures.push(format!("{shape} in {context}: {text}\n   gave {masked}"));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn private_keys_lose_their_body_and_keep_their_lines() {
    let body: Vec<String> = (0..6)
        .map(|row| made(&format!("{{base64:64}}{row}")))
        .collect();
    for label in [
        "RSA PRIVATE KEY",
        "PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        for newline in ["\n", "\r\n", "\\n", "\\\\n", "\n    "] {
            let text = format!(
                "key:{newline}-----BEGIN {label}-----{newline}{}{newline}-----END {label}-----{newline}done",
                body.join(newline)
            );
            let masked = Masker::default().mask(&text).into_owned();
            for line in &body {
                assert!(
                    !masked.contains(line.as_str()),
                    "{label} {newline:?}: {masked}"
                );
            }
            assert!(
                masked.contains(&format!("-----BEGIN {label}-----")) && masked.ends_with("done"),
                "{masked}"
            );
        }
        let cut = format!("-----BEGIN {label}-----\n{}\n{}", body[0], body[1]);
        assert!(
            !Masker::default().mask(&cut).contains(&body[1]),
            "{label} cut off"
        );
    }
    let public = format!(
        "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----",
        body[0]
    );
    assert_eq!(Masker::default().mask(&public), public);
    let certificate = format!(
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----",
        body[0]
    );
    assert_eq!(Masker::default().mask(&certificate), certificate);
}
