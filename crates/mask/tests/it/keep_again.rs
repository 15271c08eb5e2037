//! The second corpus of what must stay, written like `plant_again` after the recognisers.

use super::keep::{Line, check};

const LINES: &[Line<'_>] = &[
    ("search query", "site:github.com \"api key\" leak 2024"),
    (
        "query param words",
        "https://www.google.com/search?q=what+is+an+api+key&hl=en&num=10",
    ),
    (
        "arxiv listing",
        "Attention Is All You Need, arXiv:1706.03762, doi:10.48550/arXiv.1706.03762",
    ),
    (
        "crossref",
        "https://api.crossref.org/works/10.1016/j.cell.2020.01.001",
    ),
    ("openalex", "https://openalex.org/W2741809807"),
    (
        "semantic scholar",
        "https://www.semanticscholar.org/paper/204e3073870fae3d05bcbc2f6a8e263d9b72e776",
    ),
    ("pubmed", "https://pubmed.ncbi.nlm.nih.gov/31452104/"),
    (
        "wikipedia",
        "https://en.wikipedia.org/wiki/Public-key_cryptography#Key_exchange",
    ),
    ("wikidata", "Q42 P31 Q5, VIAF 113230702"),
    ("patent", "WO2019123456A1, priority key date 2018-03-04"),
    ("clinical trial", "NCT04368728 phase 3"),
    (
        "amazon",
        "https://www.amazon.com/dp/B08N5WRWNW?ref=ox_sc_act_title_1&th=1",
    ),
    (
        "reddit",
        "https://www.reddit.com/r/rust/comments/1a2b3c4/why_tokens/",
    ),
    (
        "twitter",
        "https://twitter.com/user/status/1234567890123456789?s=20&t=Ab",
    ),
    (
        "stackoverflow",
        "https://stackoverflow.com/questions/12345678/how-to-store-api-keys-in-android",
    ),
    (
        "s3 object",
        "s3://bucket/path/to/2024/05/01/part-00000-of-00010.snappy.parquet",
    ),
    (
        "gcs",
        "gs://bucket/models/bert-base-uncased-v2/pytorch_model.bin",
    ),
    ("docker image", "ghcr.io/org/app:v1.2.3-20240501.g9fceb02"),
    (
        "go module",
        "github.com/aws/aws-sdk-go-v2 v1.17.8 h1:GMupCNNI7FARX27L7GjCJM8NgivWbRgpjNI/hOQjFS8=",
    ),
    (
        "go sum",
        "golang.org/x/crypto v0.0.0-20220722155217-630584e8d5aa h1:zuSxTR4o9y82ebqCUJYNGJbGPo6sKVl54f/TVDObg1c=",
    ),
    (
        "yarn lock",
        "resolved \"https://registry.yarnpkg.com/lodash/-/lodash-4.17.21.tgz#679591c564c3bffaae8454cf0b3df370c3d6911c\"",
    ),
    (
        "pip hash",
        "--hash=sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    ),
    (
        "nix",
        "/nix/store/0c2yz9zqvh1v6h0b9ykm7g8n5b1x3c4d-rust-1.75.0",
    ),
    (
        "terraform lock",
        "\"h1:Zw3Ee9xUcEkNMJ3Y1rGXzSoKTKHKwKkMgmwCwdD8t4k=\",",
    ),
    (
        "git log",
        "9fceb02 (HEAD -> main, tag: v1.0) Rotate signing key",
    ),
    ("git index", "index 83db48f..bf269f4 100644"),
    ("git author", "Author: Bob Smith <bob@example.com>"),
    (
        "gpg verify",
        "gpg: Good signature from \"Bob Smith <bob@example.com>\" [full]",
    ),
    (
        "ssh fingerprint",
        "ED25519 key fingerprint is SHA256:uNiVztksCsDhcc0u9e8BxrJXVGDbzKc5gM4JRtXjHkA.",
    ),
    (
        "known hosts prompt",
        "The authenticity of host 'x (10.0.0.1)' can't be established.",
    ),
    (
        "certificate serial",
        "Serial Number: 04:00:00:00:00:01:15:4b:5a:c3:94",
    ),
    (
        "cert fingerprint",
        "SHA1 Fingerprint=DA:39:A3:EE:5E:6B:4B:0D:32:55:BF:EF:95:60:18:90:AF:D8:07:09",
    ),
    (
        "content security",
        "Content-Security-Policy: script-src 'self' 'sha256-RFWPLDbv2BY+rCkDzsE+0fr8ylGr2R2faWMhq4lfEQc='",
    ),
    ("alt svc", "alt-svc: h3=\":443\"; ma=86400"),
    ("vary", "Vary: Accept-Encoding, Authorization, Cookie"),
    (
        "allow headers",
        "Access-Control-Allow-Headers: Authorization, X-API-Key, Content-Type",
    ),
    (
        "rate limit",
        "X-RateLimit-Remaining: 42\nX-RateLimit-Reset: 1719230400\nRetry-After: 120",
    ),
    (
        "server timing",
        "server-timing: cache;desc=\"hit\", total;dur=12.3",
    ),
    (
        "k8s event",
        "Warning  FailedMount  MountVolume.SetUp failed for volume \"token\" : secret \"web-token-x2x4z\" not found",
    ),
    (
        "k8s selector",
        "matchLabels:\n  app.kubernetes.io/name: web\n  pod-template-hash: 7d9f8b6c5d",
    ),
    ("systemd", "systemd[1]: Started Session 12 of user bob."),
    (
        "journal",
        "May 01 10:00:00 host sshd[1234]: Accepted publickey for bob from 10.0.0.1 port 51234 ssh2",
    ),
    (
        "sshd fail",
        "Failed password for invalid user admin from 203.0.113.5 port 40022 ssh2",
    ),
    (
        "sudo",
        "pam_unix(sudo:auth): authentication failure; logname=bob uid=1000",
    ),
    (
        "postgres error",
        "FATAL:  password authentication failed for user \"bob\"",
    ),
    (
        "postgres key error",
        "ERROR: duplicate key value violates unique constraint \"users_email_key2\"",
    ),
    (
        "postgres detail",
        "DETAIL: Key (email)=(bob2@example.com) already exists.",
    ),
    (
        "mysql error",
        "ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)",
    ),
    (
        "mongo error",
        "E11000 duplicate key error collection: app.users index: _id_ dup key: { _id: 12 }",
    ),
    ("redis", "SET user:1000:session 12 EX 60"),
    ("keyerror", "KeyError: 'user_id2'"),
    (
        "json error",
        "Expected ',' or '}' after property value in JSON at position 12 (token: STRING)",
    ),
    ("jwt error", "JsonWebTokenError: jwt malformed"),
    (
        "jwt expired",
        "TokenExpiredError: jwt expired at 2024-05-01T10:00:00.000Z",
    ),
    (
        "oauth error",
        "{\"error\":\"invalid_grant\",\"error_description\":\"Token has been expired or revoked.\"}",
    ),
    (
        "openai error",
        "{\"error\":{\"message\":\"You didn't provide an API key.\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":null}}",
    ),
    (
        "aws error",
        "InvalidClientTokenId: The security token included in the request is invalid",
    ),
    (
        "aws signature error",
        "SignatureDoesNotMatch: The request signature we calculated does not match the signature you provided. Check your key and signing method.",
    ),
    (
        "google error",
        "{\"error\":{\"code\":400,\"status\":\"INVALID_ARGUMENT\",\"details\":[{\"reason\":\"API_KEY_INVALID\"}]}}",
    ),
    (
        "brave error",
        "{\"type\":\"ErrorResponse\",\"error\":{\"code\":\"SUBSCRIPTION_TOKEN_INVALID\",\"status\":422}}",
    ),
    (
        "tavily error",
        "{\"detail\":{\"error\":\"Unauthorized: missing or invalid API key.\"}}",
    ),
    (
        "llm usage",
        "usage: {input_tokens: 1200, output_tokens: 300, cache_read_input_tokens: 0}",
    ),
    (
        "llm params",
        "max_new_tokens=512, stop_token_ids=[128001, 128009], pad_token_id=0",
    ),
    ("llm speed", "42.5 tokens/s, time to first token: 120ms"),
    (
        "tokenizer config",
        "\"bos_token\": \"<|begin_of_text|>\", \"eos_token\": \"<|eot_id|>\"",
    ),
    (
        "css custom",
        "--md-sys-color-primary: #6750A4; --key-size: 48px",
    ),
    (
        "css in js",
        ".css-1q2w3e4-MuiButton-root .makeStyles-root-12 {}",
    ),
    (
        "svg path",
        "<path d=\"M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2z\"/>",
    ),
    (
        "svg id",
        "<linearGradient id=\"a1b2c3\" gradientUnits=\"userSpaceOnUse\">",
    ),
    (
        "font data",
        "src: url(data:font/woff2;base64,d09GMgABAAAAAAZcAAoAAAAADIwAAAYPAAEAAAAAAAAAAAAAAAAAAAAAAAAA)",
    ),
    (
        "minified js",
        "function(e,t,n){\"use strict\";var r=n(123),o=n(\"a1b2\");e.exports=r.key(o)}",
    ),
    (
        "js key event",
        "if (event.key === 'Enter' || event.keyCode === 13) submit();",
    ),
    ("js map", "map.set(key, value); cache.get(`user:${id}`)"),
    (
        "js destructure",
        "const { token, password, apiKey } = req.body;",
    ),
    ("js default", "const apiKey = options.apiKey ?? defaultKey;"),
    (
        "js header build",
        "headers['Authorization'] = `Bearer ${token}`;",
    ),
    (
        "python fstring",
        "headers = {\"Authorization\": f\"Bearer {api_key}\"}",
    ),
    (
        "python getpass",
        "password = getpass.getpass(\"Password: \")",
    ),
    (
        "python env default",
        "token = os.environ.get(\"GITHUB_TOKEN\", \"\")",
    ),
    (
        "python doc",
        "    api_key (str): The API key. Defaults to None.",
    ),
    (
        "python param",
        "    :param password: the password of the user",
    ),
    ("rust field", "    pub password: SecretString,"),
    ("rust env", "let key = std::env::var(\"API_KEY\")?;"),
    ("rust match", "Some(token) => Token::Ident(token),"),
    (
        "go tag",
        "Password string `json:\"password\" yaml:\"password\"`",
    ),
    ("go env", "token := os.Getenv(\"TOKEN\")"),
    (
        "java annotation",
        "@Value(\"${app.jwt.secret}\") private String jwtSecret;",
    ),
    ("csharp property", "public string ApiKey { get; set; }"),
    (
        "sql ddl",
        "password VARCHAR(255) NOT NULL, api_key CHAR(32) UNIQUE, token_hash BYTEA",
    ),
    (
        "graphql",
        "mutation { login(email: $email, password: $password) { token } }",
    ),
    (
        "proto",
        "string api_key = 1; bytes signature = 2; string session_token = 3;",
    ),
    (
        "openapi",
        "securitySchemes:\n  ApiKeyAuth:\n    type: apiKey\n    in: header\n    name: X-API-Key",
    ),
    (
        "json schema",
        "{\"properties\":{\"password\":{\"type\":\"string\",\"minLength\":8},\"token\":{\"type\":\"string\"}}}",
    ),
    (
        "i18n",
        "{\"login.password\": \"Mot de passe\", \"login.token\": \"Jeton\", \"login.forgot\": \"Forgot password?\"}",
    ),
    (
        "env example",
        "API_KEY=\nSECRET=\nTOKEN=<your token>\nPASSWORD=...",
    ),
    (
        "env example words",
        "OPENAI_API_KEY=your-openai-api-key\nDB_PASSWORD=<password>",
    ),
    (
        "helm values",
        "existingSecret: \"\"\nsecretName: web-tls\npasswordSecretRef: db-pass",
    ),
    (
        "compose ref",
        "POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?required}",
    ),
    (
        "workflow",
        "with:\n  token: ${{ github.token }}\n  key: ${{ runner.os }}-cargo-${{ hashFiles('**/Cargo.lock') }}",
    ),
    (
        "actions cache",
        "key: Linux-node-v18-9fceb02d0ae598e95dc970b74767f19372d61af8",
    ),
    (
        "prose password advice",
        "A password of 12 characters or more is best; length beats symbols.",
    ),
    (
        "prose pass rate",
        "The pass rate was 87.5% in 2023 and 91% in 2024.",
    ),
    (
        "prose key points",
        "Key points: (1) cost, (2) time, (3) quality.",
    ),
    (
        "prose key stage",
        "Key Stage 2 results; key workers get 10% off",
    ),
    (
        "prose token ring",
        "Token Ring (IEEE 802.5) ran at 16 Mbit/s",
    ),
    (
        "prose session",
        "Session 3A: Key exchange and authentication, 14:00-15:30",
    ),
    (
        "prose basic",
        "BASIC was designed in 1964; Basic income pilots ran in 2017-2018.",
    ),
    (
        "prose bearer",
        "bearer bonds are negotiable; Bearer 2nd class",
    ),
    (
        "prose secret",
        "Victoria's Secret reported Q2 2023 results; the secret of NIMH (1982)",
    ),
    (
        "prose cookie",
        "Cookie recipe: 200g flour, 100g butter; bake at 180C",
    ),
    (
        "prose auth",
        "two-factor authentication (2FA) and OAuth 2.0 authorization",
    ),
    ("prose digest", "Reader's Digest, vol. 12, no. 3"),
    (
        "prose credential",
        "Credential stuffing attacks rose 45% in 2022",
    ),
    ("prose salt lake", "Salt Lake City 2002; salt: NaCl, pH 7.4"),
    ("prose sig", "sig. other; SIGGRAPH 2024; SIG-12"),
    ("prose ratio", "signal-to-noise: 42.1dB, key ratio: 3:2"),
    ("isbn url", "https://www.worldcat.org/isbn/9783161484100"),
    (
        "product",
        "Canon EOS R5 Mark II, ASUS ROG G14 GA402XV, RTX4090",
    ),
    ("flight", "LH1234 FRA-JFK, booking class K, seat 12A"),
    ("chess", "1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Ba4 Nf6"),
    ("dna", "ATGCGTACGTTAGCATGCGTACGTTAGC"),
    ("license plate", "B-AB 1234 and M XY 999E"),
    ("timestamp", "1719230400000 and 20240624T120000Z"),
    ("size", "12.5MB/s, 4096KiB, 0x7ffe1234abcd"),
];

#[test]
fn other_harmless_lines_stay() {
    check(LINES);
}
