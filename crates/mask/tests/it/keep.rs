//! What looks a little like a secret and is none: every line here must come back as it is.

use mask::Masker;

pub(super) type Line<'r> = (&'r str, &'r str);

const IDS: &[Line<'_>] = &[
    (
        "git sha",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixed it",
    ),
    ("git sha short", "see 9fceb02 and a1b2c3d"),
    ("git range", "git diff 9fceb02..a1b2c3d -- src/key.rs"),
    ("uuid", "job 123e4567-e89b-12d3-a456-426614174000 finished"),
    (
        "uuid field",
        r#"{"id":"123e4567-e89b-12d3-a456-426614174000","key":"123e4567-e89b-12d3-a456-426614174000"}"#,
    ),
    ("doi", "doi:10.1038/s41586-020-2649-2 is cited"),
    ("doi url", "https://doi.org/10.1145/3292500.3330701"),
    ("arxiv", "arXiv:2301.12345v2 [cs.CL]"),
    ("arxiv url", "https://arxiv.org/abs/2301.12345"),
    ("isbn", "ISBN 978-3-16-148410-0"),
    ("issn", "ISSN 2049-3630"),
    ("pmid", "PMID: 31452104"),
    ("orcid", "https://orcid.org/0000-0002-1825-0097"),
    ("patent", "US10123456B2 and EP3123456A1"),
    ("md5", "MD5 (file.iso) = d41d8cd98f00b204e9800998ecf8427e"),
    ("md5 sum", "d41d8cd98f00b204e9800998ecf8427e  file.iso"),
    (
        "sha256",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ),
    (
        "sha256 sum",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a.tar.gz",
    ),
    (
        "docker digest",
        "nginx@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ),
    (
        "sri",
        r#"integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC""#,
    ),
    (
        "package lock",
        r#""integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==","#,
    ),
    (
        "cargo lock",
        "checksum = \"8b5f5c3f6c1b5d9c5e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d\"",
    ),
    ("etag", "ETag: \"33a64df551425fcc55e4d42a148795d9f25f89d4\""),
    ("etag weak", "etag: W/\"5e15153d-3f2a\""),
    ("request id", "requestId: req_1719230400000_a1b2c3d4e"),
    (
        "request id header",
        "X-Request-Id: 7f3c9a52-1b2d-4e6f-8a9b-0c1d2e3f4a5b",
    ),
    ("event id", "Event ID: 4f0a9c8b7d6e4f3a2b1c0d9e8f7a6b5c"),
    (
        "trace parent",
        "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    ),
    ("cf ray", "cf-ray: 7d3f1e2b3c4d5e6f-FRA"),
    ("session number", "session 12 of 40 starts at 10:00"),
    (
        "session id",
        "sessionId: 3f2a1b0c-9d8e-4f6a-a5b4-c3d2e1f0a9b8",
    ),
    (
        "session id json",
        r#"{"sessionId":"s_20240501_a1b2c3","step":2}"#,
    ),
    (
        "session url",
        "https://conf.example/agenda?session=12&day=2",
    ),
    ("page", "https://example.com/search?q=rust&page=2"),
    ("sort", "https://example.com/list?sort=key&order=asc"),
    ("author", "https://example.com/list?author=smith&year=2020"),
    (
        "monkey",
        "https://example.com/zoo?monkey=george&donkey=eeyore",
    ),
    (
        "youtube",
        "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s",
    ),
    (
        "google doc",
        "https://docs.google.com/document/d/1A2b3C4d5E6f7G8h9I0j1K2l3M4n5O6p7Q8r9S0t1U2v/edit",
    ),
    (
        "gist",
        "https://gist.github.com/octocat/6cad326836d38bd3a7ae",
    ),
    (
        "commit url",
        "https://github.com/rust-lang/rust/commit/9fceb02d0ae598e95dc970b74767f19372d61af8",
    ),
    (
        "long slug",
        "https://blog.example.com/2024/05/01/how-to-rotate-your-api-keys-and-tokens-safely",
    ),
    (
        "utm",
        "https://example.com/?utm_source=newsletter&utm_medium=email&utm_campaign=spring-2024",
    ),
    (
        "medium",
        "https://medium.com/@bob/why-passwords-fail-9f8a7b6c5d4e",
    ),
    ("mailto", "mailto:bob.smith2@example.com"),
    (
        "email",
        "write to key-accounts@example.com or token@example.org",
    ),
    ("ssh remote", "git@github.com:octocat/hello-world.git"),
    ("ssh url", "ssh://git@github.com/octocat/hello-world.git"),
    (
        "port",
        "http://localhost:8080/health and https://[::1]:8443/",
    ),
    (
        "host port path at",
        "https://cdn.example.com:8443/npm/@scope/package@1.2.3/index.js",
    ),
    (
        "npm scope",
        "https://registry.example.com/@types/node/-/node-20.1.0.tgz",
    ),
    ("date", "2024-05-01T10:00:00.123Z"),
    ("phone", "+1 (555) 010-9999 or 0800 123 4567"),
    ("version", "v1.2.3-beta.4+build.567"),
    ("iban words", "DE89 3704 0044 0532 0130 00"),
    ("ip", "10.0.0.1:5432 and 2001:db8::1"),
    ("mac", "00:1A:2B:3C:4D:5E"),
    ("geo", "48.8583701,2.2944813"),
    ("color", "color: #a1b2c3; background: #FFFFFF80"),
    (
        "base64 image",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    ),
    (
        "css class",
        "<div class=\"sk-fading-circle sk-circle1 css-1a2b3c4 jss123\">",
    ),
    ("css module", ".Button_primary__3xK9a { color: red }"),
    (
        "webpack",
        "main.8f3a2b1c.chunk.js and vendors~main.d41d8cd9.css",
    ),
    (
        "long file name",
        "IMG_20240501_100000_HDR_Final_Version2_Edited_Copy.jpeg",
    ),
    ("steam key words", "chapter12 route66 windows11 covid19 mp3"),
    (
        "aws arn",
        "arn:aws:iam::123456789012:role/service-role/my-role",
    ),
    ("aws region", "us-east-1 eu-central-1 ap-southeast-2"),
    ("k8s pod", "pod/web-7d9f8b6c5d-x2x4z restarted"),
    ("docker id", "container 3f4e5d6c7b8a exited (137)"),
    (
        "model",
        "claude-sonnet-4-20250514 gpt-4o-mini-2024-07-18 grok-3-mini",
    ),
    (
        "hugging face model",
        "sentence-transformers/all-MiniLM-L6-v2",
    ),
    ("hash tag", "#token #apikey #password"),
    (
        "public key",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGbM0 bob@laptop",
    ),
    (
        "public key rsa",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7 bob@laptop",
    ),
    (
        "fingerprint",
        "SHA256:uNiVztksCsDhcc0u9e8BxrJXVGDbzKc5gM4JRtXjHkA",
    ),
    (
        "hsts",
        "Strict-Transport-Security: max-age=31536000; includeSubDomains",
    ),
    ("ethereum", "0x52908400098527886E0F7030069857D2E4169EE7"),
    ("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"),
    ("gene", "BRCA1 chr17:43044295-43125364 rs80357906"),
    ("smiles", "CC(=O)OC1=CC=CC=C1C(=O)O"),
    ("crc", "crc32=0x1a2b3c4d"),
    ("hex dump", "0000: 7f45 4c46 0201 0100 0000 0000 0000 0000"),
    (
        "stripe publishable words",
        "the customer cus_1234 paid invoice in_5678",
    ),
];

const WORDS: &[Line<'_>] = &[
    ("max tokens", "max_tokens=4096 temperature=0.2"),
    (
        "max tokens json",
        r#"{"max_tokens": 4096, "total_tokens": 1200, "prompt_tokens": 800}"#,
    ),
    ("token count", "token count: 1200"),
    ("tokens used", "tokens used: 1200 of 4096"),
    (
        "token unexpected",
        "SyntaxError: Unexpected token '<' at position 0",
    ),
    (
        "token unexpected colon",
        "unexpected token: identifier foo1",
    ),
    ("tokenizer", "tokenizer: bert-base-uncased"),
    ("token type", r#"{"token_type":"Bearer","expires_in":3600}"#),
    (
        "token url",
        "token_url: https://auth.example.com/oauth/token",
    ),
    (
        "next page token",
        r#"{"nextPageToken":"CAUQAA","items":[]}"#,
    ),
    ("eos token", "eos_token: </s> pad_token: [PAD]"),
    ("keyboard", "keyboard: us-intl, layout qwerty123"),
    ("primary key", "primary key: id"),
    (
        "primary key sql",
        "CREATE TABLE t (id INT PRIMARY KEY, user_key TEXT, FOREIGN KEY (user_id) REFERENCES u(id))",
    ),
    ("foreign key", "foreign key = user_id_2"),
    ("cache key", "cache key: user-profile-9f8a7b6c5d4e3f2a1b0c"),
    ("partition key", "partition_key=tenant42region7"),
    ("sort key", "sort_key: created_at_2024"),
    ("key value", "key=value"),
    (
        "key value docs",
        "pass options as key=value pairs, e.g. key=name",
    ),
    ("keys", "keys: up, down, left, right"),
    (
        "object key",
        r#"{"Key":"photos/2024/05/IMG_0001.jpg","Size":12}"#,
    ),
    ("public key setting", "public_key=path/to/key.pub"),
    (
        "publickeytoken",
        "System.Data, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089",
    ),
    ("key id", "key_id: 42 and api_key_id = 17"),
    ("hotkey", "hotkey: ctrl+shift+k"),
    ("press any key", "Press any key to continue . . ."),
    (
        "key takeaways",
        "Key takeaways: 3 of 5 teams improved by 20%",
    ),
    ("key findings", "key findings — see table 2"),
    (
        "the key is",
        "the key is to start early and the token is a symbol of trust",
    ),
    ("key of c", "in the key of C# minor"),
    ("password reset page", "visit the password reset page"),
    ("password field", "the password field is required"),
    ("password required", "password: required"),
    ("password type", "password: string"),
    (
        "password doc",
        "password: the user's password, at least 8 characters",
    ),
    (
        "password must",
        "Password must contain at least 8 characters and 1 digit",
    ),
    (
        "password label",
        r#"{"password": "Password", "passwordHint": "Enter your password"}"#,
    ),
    (
        "password sentence",
        r#"{"password":"must be at least 8 characters"}"#,
    ),
    (
        "password incorrect",
        "error: password incorrect for user bob",
    ),
    ("password null", r#"{"password": null, "token": false}"#),
    ("password prompt", "Enter password: "),
    ("password masked", "password: ***"),
    ("password stars", "password: ********"),
    ("password bullets", "password: ••••••••"),
    (
        "password input",
        "<input type=\"password\" name=\"pw\" placeholder=\"Password\">",
    ),
    (
        "password manager",
        "use a password manager such as 1Password or Bitwarden",
    ),
    (
        "password hash prose",
        "store a password hash, not the password",
    ),
    (
        "password length",
        "password_length=16 password_policy: strict",
    ),
    ("pwd env", "PWD=/home/bob/project"),
    ("pwd command", "$ pwd\n/home/bob"),
    ("pass tests", "PASS src/app.test.js (5.2 s)"),
    ("tests pass", "12 tests pass: 10, fail: 2"),
    ("first pass", "first pass: 10 ms"),
    ("passport", "passport: required, passenger: 2"),
    ("bypass", "bypass=cache123 compass: north"),
    ("api key docs", "api_key parameter is required"),
    ("api key error", "Error: API key not found"),
    ("api key missing", "401 Unauthorized: missing API key"),
    (
        "api key header docs",
        "Send your API key in the X-API-Key header",
    ),
    (
        "api key create",
        "Create an API key at https://dashboard.example.com/keys",
    ),
    (
        "api key type",
        r#"{"type":"apiKey","name":"api_key","in":"header"}"#,
    ),
    (
        "api key schema",
        r#""api_key": {"type": "string", "description": "Your API key"}"#,
    ),
    ("api key placeholder", "api_key=YOUR_API_KEY"),
    ("api key placeholder lower", "api_key: your-api-key-here"),
    ("api key angle", "Authorization: Bearer <token>"),
    ("api key braces", "api_key: {{ api_key }}"),
    ("api key dollar", "export API_KEY=$OTHER_KEY"),
    ("api key dollar braces", "api_key: ${API_KEY}"),
    ("api key percent", "set API_KEY=%API_KEY%"),
    ("api key xxxx", "api_key=xxxxxxxxxxxxxxxx"),
    ("api key dots", "OPENAI_API_KEY=sk-..."),
    (
        "api key process env",
        "const apiKey = process.env.OPENAI_API_KEY;",
    ),
    (
        "api key os environ",
        "api_key = os.environ[\"OPENAI_API_KEY\"]",
    ),
    ("api key getenv", "api_key=os.getenv('OPENAI_API_KEY')"),
    ("api key config", "password = config.database.password"),
    ("api key self", "self.api_key = api_key"),
    (
        "api key arg",
        "client = Client(api_key=api_key, token=token)",
    ),
    ("api key fn", "token = get_token(user)"),
    ("api key rust", "let token = Token::new(secret)?;"),
    ("api key option", "pub api_key: Option<String>,"),
    (
        "api key annotation",
        "def f(password: str, token: Optional[str] = None):",
    ),
    (
        "api key ts",
        "interface C { password: string; token?: string }",
    ),
    (
        "api key go",
        "func Login(user string, password string) error",
    ),
    ("api key getter", "return this.token;"),
    ("api key index", "const t = headers['authorization']"),
    (
        "api key github actions",
        "token: ${{ secrets.GITHUB_TOKEN }}",
    ),
    (
        "secret ref",
        "secretKeyRef:\n  name: db-credentials\n  key: password",
    ),
    (
        "secret missing",
        "secret \"db-credentials\" not found in namespace web",
    ),
    ("secret prose", "the secret to good bread is time"),
    ("secret santa", "Secret Santa: draw names by Friday"),
    ("secret garden", "The Secret Garden (1911)"),
    ("authorization missing", "Authorization header missing"),
    ("authorization required", "Authorization: required"),
    ("authorization type", "Authorization type: OAuth 2.0"),
    (
        "www authenticate",
        "WWW-Authenticate: Bearer realm=\"api\", error=\"invalid_token\"",
    ),
    (
        "www authenticate basic",
        "WWW-Authenticate: Basic realm=\"Restricted area\"",
    ),
    (
        "bearer prose",
        "use bearer authentication with a bearer token",
    ),
    ("bearer of news", "the bearer of bad news"),
    ("basic prose", "basic research and Basic English"),
    ("basic auth", "Basic auth is disabled"),
    ("digest", "a weekly digest of news"),
    ("author", "author: Jane Smith2, authority: high"),
    ("auth method", "auth: oauth2"),
    ("auth url", "auth_url=https://auth.example.com/v3"),
    ("auth type", "auth_type: basic"),
    ("signature", "signature: foo(bar: i32) -> Result<()>"),
    ("signature words", "design and significance: p=0.05"),
    ("cookie banner", "We use cookies: accept all or reject"),
    ("cookie policy", "Cookie policy: updated 2024-05-01"),
    ("cookie simple", "Cookie: theme=dark; lang=en"),
    ("credentials prose", "invalid credentials: try again"),
    ("salt", "salt: 2 tsp, pepper: 1 tsp"),
    ("phrase", "phrase: to be or not to be"),
    (
        "jwt prose",
        "a JWT consists of header, payload and signature",
    ),
    ("session prose", "Session: Advances in NLP, room 4B"),
    ("otp prose", "enter the code we sent"),
    ("code param", "https://example.com/error?code=404&lang=en"),
    ("country code", "https://example.com/?code=DE&state=BY"),
    ("key param word", "https://example.com/?key=price&token=asc"),
    ("token price", "the token costs 5 USD; token: ETH"),
    ("key press", "Press key: F12"),
    ("keynote", "keynote: Dr. Smith, 9:00"),
    ("turkey", "turkey=2kg hockey: 3-2"),
    (
        "sk words",
        "task-oriented risk-averse desk-bound disk-based sk-learn",
    ),
    ("scikit", "sk-learn-contrib and sk-estimator-html-doc-link"),
    ("re words", "re_compile and re_match_group"),
    ("npm words", "npm_config_registry and npm_lifecycle_event"),
    ("pat words", "patterns and patients, compatible path"),
    ("us words", "-use -user -usage contact-us12"),
    ("hf words", "hf_hub_download and hf_transfer"),
    ("asia", "ASIA and AKIAK, ASIAN markets"),
    ("dollar", "costs $2a month and $6 more"),
    ("dollar price", "between $1$ and $5$ in LaTeX $x^2$"),
    (
        "curl plain",
        "curl -sSL https://example.com/install.sh | sh",
    ),
    (
        "curl user agent",
        "curl -A 'Mozilla/5.0' -o out.html https://example.com",
    ),
    (
        "ssh port",
        "ssh -p 2222 bob@host && mkdir -p a/b && docker run -p 80:80 nginx",
    ),
    ("mysql plain", "mysql -h db -u root -P 3306 app"),
    ("mysql prompt", "mysql -u root -p"),
    (
        "list of names",
        r#"["password", "token", "secret", "api_key"]"#,
    ),
    ("fields tuple", "('username', 'password')"),
    (
        "redact list",
        "sensitive = {'password', 'authorization', 'cookie'}",
    ),
    ("html label", "<label for=\"password\">Password</label>"),
    (
        "html token class",
        "<span class=\"token keyword\">let</span> <span class=\"token punctuation\">;</span>",
    ),
    (
        "html meta",
        "<meta name=\"keywords\" content=\"rust, search, tokens\">",
    ),
    ("html key attr", "<li key=\"item-12\" data-key=\"row-7\">"),
    ("css token", "--color-token: #1a2b3c4d; --token-size: 12px"),
    (
        "yaml key",
        "- key: environment\n  operator: In\n  values: [prod]",
    ),
    ("gpg", "gpg: key 0x1A2B3C4D5E6F7A8B: public key imported"),
    ("error code", "error: E0382 use of moved value: `token`"),
    (
        "log level",
        "2024-05-01 10:00:00 INFO key rotation finished in 12ms",
    ),
    (
        "breaker",
        "provider brave: auth failed, key configured: yes, status=401",
    ),
    (
        "env names",
        "set BRAVE_API_KEY or SERPER_API_KEY before start",
    ),
    ("env names list", "missing: XAI_API_KEY, TAVILY_API_KEY"),
    (
        "advice",
        "check_api_key: the provider refused the key; set EXA_API_KEY and restart",
    ),
    (
        "fault json",
        r#"{"error":{"kind":"auth_required","retryable":false,"suggestedAction":"check_api_key","provider":"serper"}}"#,
    ),
    (
        "fault reason",
        r#"{"reason":"missing_key","detail":"HTTP 401, 128 bytes"}"#,
    ),
    ("oauth scopes", "scope: openid profile email offline_access"),
    ("grant", "grant_type=authorization_code&response_type=code"),
    ("password grant", "grant_type=password"),
    (
        "access level",
        "access: read-only, access key rotation every 90 days",
    ),
    ("license", "license: Apache-2.0 OR MIT"),
    ("license key prose", "enter your license key to activate"),
    ("sig figs", "sig figs: 3; sigma=0.05; signal=SIGKILL"),
    ("math", "let key = f(x) + 2*y"),
    ("poem", "two roads diverged in a yellow wood"),
    ("japanese", "パスワードを入力してください"),
    ("chinese", "请输入密码"),
    ("russian", "введите пароль ещё раз"),
    ("german", "Passwort vergessen? Hier klicken"),
    ("spanish", "¿Olvidaste tu contraseña?"),
    ("emoji", "🔑 key points 🔒 password tips"),
    ("empty", ""),
    ("blank", "   \r\n\t "),
    (
        "masked already",
        "Authorization: Bearer *** and postgres://bob:***@db/x?token=***",
    ),
    (
        "redacted",
        "token=[REDACTED] password=<redacted> secret=(hidden)",
    ),
    (
        "nulls",
        "password=None token=undefined api_key=nil secret=null",
    ),
    ("vault path", "password: vault:secret/data/db#password"),
    ("op path", "api_key: op://vault/item/field"),
    ("secrets file", "password_file: /run/secrets/db_password"),
    ("key file", "private_key: /etc/ssl/private/server.key"),
    ("key path", "ssh_key: ~/.ssh/id_ed25519"),
    (
        "format string",
        "f\"token={token}\" and 'password=%s' and \"key={}\"",
    ),
    (
        "shell read",
        "read -s PASSWORD && echo $PASSWORD | docker login --password-stdin",
    ),
    ("shell test", "if [ -z \"$API_KEY\" ]; then exit 1; fi"),
    ("shell subshell", "TOKEN=$(cat token.txt)"),
    ("make", "API_KEY ?= $(shell cat key)"),
    ("terraform", "password = var.db_password"),
    ("helm", "password: {{ .Values.db.password | quote }}"),
    (
        "java",
        "String password = request.getParameter(\"password\");",
    ),
    (
        "csharp",
        "var token = await GetTokenAsync(cancellationToken);",
    ),
    ("assert", "assert token is not None, \"token missing\""),
    ("regex", r"token:\s*([a-z]+)"),
    (
        "sql select",
        "SELECT token, password FROM users WHERE key = 'name'",
    ),
    ("sql update", "UPDATE users SET password = ? WHERE id = 1"),
    (
        "sql bind",
        "UPDATE users SET password = :password WHERE id = :id",
    ),
];

const PROSE: &[Line<'_>] = &[
    (
        "news",
        "The key witness passed the test; her token gesture was a sign of good authority.",
    ),
    (
        "science",
        "Tokenization splits text into tokens; each key attends to every query (Q, K, V).",
    ),
    (
        "crypto",
        "A public key is shared, a private key is kept; the signature proves who signed.",
    ),
    (
        "howto",
        "To reset your password, open Settings > Security and choose Change password.",
    ),
    (
        "security",
        "Never share your password, API key or access token with anyone.",
    ),
    (
        "rfc",
        "The client sends the access token in the Authorization request header field as defined by RFC 6750.",
    ),
    (
        "oauth",
        "The authorization code is exchanged for an access token at the token endpoint.",
    ),
    (
        "html",
        "<p>The <code>api_key</code> query parameter and the <code>token</code> header are optional.</p>",
    ),
    (
        "markdown",
        "| Parameter | Type | Description |\n|---|---|---|\n| `api_key` | string | Your key |\n| `token` | string | Optional |",
    ),
    (
        "changelog",
        "- fix: key handling in `auth` module (#1234), thanks @bob2",
    ),
    (
        "readme",
        "Set `OPENAI_API_KEY` to your key. The key is read once at start.",
    ),
    (
        "man",
        "-k, --key KEY   use KEY as the sort key\n-t, --token-limit N   stop after N tokens",
    ),
    (
        "stack",
        "at TokenService.verify (/app/src/token.service.ts:42:13)",
    ),
    (
        "stack python",
        "File \"/usr/lib/python3.12/site-packages/keyring/backend.py\", line 120, in get_password",
    ),
    (
        "compiler",
        "error[E0425]: cannot find value `api_key` in this scope",
    ),
    (
        "music",
        "Piano Sonata No. 14 in C-sharp minor, Op. 27 No. 2; key: C# minor",
    ),
    ("sports", "Pass: 24 of 31, 312 yards; key plays: 7"),
    (
        "law",
        "The author signed; the signature was authenticated by the authority on 2024-05-01.",
    ),
    ("cooking", "Salt: 5 g. Key lime pie: 4 keys to success."),
    ("geography", "Brenner Pass: 1370 m; Key West: 24.5551 N"),
];

pub(super) fn check(lines: &[Line<'_>]) {
    let masker = Masker::default();
    let changed: Vec<String> = lines
        .iter()
        .filter(|(_, line)| masker.mask(line) != *line)
        .map(|(name, line)| format!("{name}: {line}\n   gave {}", masker.mask(line)))
        .collect();
    assert!(
        changed.is_empty(),
        "{} of {} changed\n{}",
        changed.len(),
        lines.len(),
        changed.join("\n")
    );
}

#[test]
fn ids_and_checksums_stay() {
    check(IDS);
}

#[test]
fn words_placeholders_and_code_stay() {
    check(WORDS);
}

#[test]
fn prose_stays() {
    check(PROSE);
}
