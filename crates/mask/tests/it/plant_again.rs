//! A second corpus, thought up after the recognisers were written, in other words and other places:
//! an estimate of how well they do on text they have not seen. What it found was fixed; the rows
//! stay as tests.

use super::plant::{Row, check};

const ROWS: &[Row<'_>] = &[
    (
        "token of two parts",
        "https://graph.example.com/me?access_token={}",
        "{digits:15}|{hex:32}",
    ),
    (
        "requests exception",
        "requests.exceptions.HTTPError: 403 Client Error: Forbidden for url: https://serpapi.com/search?engine=google&q=x&api_key={}",
        "{hex:64}",
    ),
    (
        "reqwest error",
        "error sending request for url (https://api.example.com/v1/search?key={}&cx=017576662512468239146): timed out",
        "{plain:39}",
    ),
    (
        "go error",
        "Get \"https://api.example.com/data?apikey={}\": dial tcp: i/o timeout",
        "{hex:32}",
    ),
    (
        "axios config",
        "config: { headers: { 'X-API-KEY': '{}', Accept: '*/*' }, timeout: 0 }",
        "{hex:40}",
    ),
    (
        "axios authorization",
        "headers: { Authorization: 'Bearer {}' },",
        "{plain:40}",
    ),
    (
        "nginx log",
        "10.0.0.1 - - [01/May/2024:10:00:00 +0000] \"GET /v1/me?access_token={} HTTP/1.1\" 200 12",
        "{plain:40}",
    ),
    (
        "referer log",
        "\"Referer: https://x.example/reset?token={}\" \"Mozilla/5.0\"",
        "{hex:40}",
    ),
    (
        "django settings",
        "DATABASES = {'default': {'USER': 'bob', 'PASSWORD': '{}', 'HOST': 'db'}}",
        "Zx{plain:9}$",
    ),
    (
        "django dump",
        "SECRET_KEY: '{}'",
        "{plain:20}#({plain:10}_+",
    ),
    ("flask", "app.config['SECRET_KEY'] = '{}'", "{hex:32}"),
    (
        "spring yaml",
        "spring:\n  datasource:\n    username: sa\n    password: {}",
        "Qw{plain:8}",
    ),
    (
        "rails credentials",
        "production:\n  secret_key_base: {}",
        "{hex:128}",
    ),
    ("laravel", "APP_KEY={}", "base64:{base64:43}="),
    ("phpinfo", "$_ENV['DB_PASSWORD']\t{}", "Qw{plain:8}"),
    (
        "dotnet",
        "\"ConnectionStrings\": { \"Default\": \"Server=tcp:x.database.windows.net;User ID=sa;Password={};Encrypt=True\" }",
        "Qw{plain:8}!",
    ),
    (
        "kafka jaas",
        "sasl.jaas.config=org.apache.kafka.PlainLoginModule required username=\"bob\" password=\"{}\";",
        "Qw{plain:18}",
    ),
    (
        "maven",
        "<server><id>x</id><username>bob</username><password>{}</password></server>",
        "Qw{plain:8}",
    ),
    ("gradle", "signing.password={}", "Qw{plain:8}"),
    ("ansible vars", "ansible_become_password: {}", "Qw{plain:8}"),
    ("wifi", "psk=\"x\"\nwpa_passphrase={}", "Qw{plain:10}"),
    (
        "snippet ruby",
        "client = Client.new(api_key: '{}')",
        "{plain:32}",
    ),
    ("snippet python", "openai.api_key = \"{}\"", "{plain:32}"),
    (
        "snippet node",
        "const client = new Client({ apiKey: \"{}\" });",
        "{plain:32}",
    ),
    (
        "snippet java",
        "private static final String API_SECRET = \"{}\";",
        "{plain:32}",
    ),
    ("snippet rust", "let api_key = \"{}\";", "{plain:32}"),
    ("snippet go", "apiKey := \"{}\"", "{plain:32}"),
    (
        "snippet swift",
        "let apiToken: String = \"{}\"",
        "{plain:32}",
    ),
    ("snippet kotlin", "val authToken = \"{}\"", "{plain:32}"),
    (
        "snippet csharp",
        "var clientSecret = @\"{}\";",
        "{plain:32}",
    ),
    ("snippet php", "$apiKey = '{}';", "{plain:32}"),
    ("snippet perl", "my $token = '{}';", "{plain:32}"),
    (
        "snippet bash array",
        "curl -X POST -d '{\"token\": \"{}\"}' https://x.example",
        "{plain:32}",
    ),
    (
        "snippet form",
        "curl -d 'client_id=web&client_secret={}&grant_type=client_credentials' https://x.example",
        "{plain:32}",
    ),
    (
        "snippet multipart",
        "curl -F 'token={}' https://x.example",
        "{plain:32}",
    ),
    (
        "snippet httpie",
        "http POST x.example X-Api-Key:{} q=1",
        "{plain:32}",
    ),
    (
        "snippet httpie auth",
        "http -a bob:{} x.example",
        "Qw{plain:8}",
    ),
    (
        "snippet wget",
        "wget --user=bob --password='{}' https://x.example/f",
        "Qw{plain:8}",
    ),
    (
        "snippet powershell",
        "Invoke-RestMethod -Headers @{ 'X-API-Key' = '{}' }",
        "{plain:32}",
    ),
    (
        "snippet secure string",
        "ConvertTo-SecureString -String \"x\"; $Password = \"{}\"",
        "Qw{plain:8}",
    ),
    (
        "snippet aws configure",
        "aws configure set aws_secret_access_key {}",
        "{base64:40}",
    ),
    (
        "snippet gh secret",
        "gh secret set MY_TOKEN --body {}",
        "ghp_{plain:36}",
    ),
    (
        "snippet vault",
        "vault kv put secret/db password={}",
        "Qw{plain:8}",
    ),
    ("snippet heroku", "heroku config:set API_TOKEN={}", "{uuid}"),
    (
        "snippet helm",
        "helm install x --set auth.password={}",
        "Qw{plain:8}",
    ),
    (
        "snippet psql",
        "PGPASSWORD={} psql -h db -U bob",
        "Qw{plain:8}",
    ),
    (
        "snippet openssl",
        "openssl enc -aes-256-cbc -k x -pass pass:{}",
        "Qw{plain:8}",
    ),
    (
        "snippet ssh copy",
        "echo {} | sudo -S apt update # password: ***",
        "ghp_{plain:36}",
    ),
    (
        "k8s secret",
        "apiVersion: v1\nkind: Secret\nstringData:\n  password: {}",
        "Qw{plain:8}",
    ),
    (
        "k8s env quoted key",
        "        - name: \"SERPER_API_KEY\"\n          value: \"{}\"",
        "{hex:40}",
    ),
    (
        "docker inspect",
        "\"Env\": [\"PATH=/bin\", \"POSTGRES_PASSWORD={}\"]",
        "Qw{plain:8}",
    ),
    (
        "docker compose",
        "      MYSQL_ROOT_PASSWORD: {}",
        "Qw{plain:8}",
    ),
    ("github workflow", "env:\n  NPM_TOKEN: {}", "{uuid}"),
    (
        "terraform provider",
        "provider \"x\" {\n  api_token = \"{}\"\n}",
        "{plain:40}",
    ),
    (
        "cloudformation",
        "MasterUserPassword: \"{}\"",
        "Qw{plain:8}",
    ),
    (
        "oauth json",
        "{\"access_token\": \"{}\", \"expires_in\": 3599, \"scope\": \"x\", \"token_type\": \"Bearer\"}",
        "ya29.{plain:100}",
    ),
    (
        "oauth reply python",
        "{'access_token': '{}', 'expires_in': 3599}",
        "{plain:80}",
    ),
    (
        "id token",
        "id_token={}",
        "eyJ{plain:33}.eyJ{plain:60}.{plain:43}",
    ),
    (
        "jwt in url",
        "wss://x.example/socket?token={}&v=2",
        "eyJ{plain:33}.eyJ{plain:60}.{plain:43}",
    ),
    (
        "websocket auth",
        "wss://bob:{}@stream.example.com/",
        "Qw{plain:8}",
    ),
    (
        "amqps",
        "amqps://app:{}@rabbit.example.com/vh",
        "Qw%40{plain:8}",
    ),
    (
        "smtp url",
        "smtp://apikey:{}@smtp.sendgrid.net:587",
        "SG.{plain:22}.{plain:43}",
    ),
    (
        "ldap url",
        "ldap://cn=admin:{}@ldap.example.com",
        "Qw{plain:8}",
    ),
    ("rtsp", "rtsp://admin:{}@10.0.0.5:554/stream", "Qw{plain:8}"),
    (
        "elastic",
        "http://elastic:{}@localhost:9200/_cat",
        "Qw{plain:18}",
    ),
    (
        "sqlalchemy",
        "postgresql+psycopg2://bob:{}@db:5432/app",
        "Qw{plain:8}",
    ),
    (
        "snowflake",
        "snowflake://bob:{}@acct/db?warehouse=x",
        "Qw{plain:8}",
    ),
    (
        "git remote",
        "origin\thttps://oauth2:{}@gitlab.com/x/y.git (fetch)",
        "glpat-{plain:20}",
    ),
    (
        "pip index",
        "--extra-index-url https://__token__:{}@pypi.example.com/simple",
        "{plain:40}",
    ),
    (
        "npm registry",
        "npm config set //registry.example.com/:_authToken {}",
        "npm_{plain:36}",
    ),
    (
        "prose email",
        "Hi, your temporary password is {} - please change it.",
        "Qw{plain:8}",
    ),
    (
        "prose slack",
        "hey the staging db pw is {} fyi",
        "Qw{plain:8}",
    ),
    ("prose creds", "creds: bob / {}", "Qw{plain:8}!"),
    (
        "prose user pass",
        "username: bob password: {}",
        "Qw{plain:8}",
    ),
    ("prose user slash", "user=bob pass={} host=x", "Qw{plain:8}"),
    (
        "prose login",
        "Login with bob and password \"{}\" please",
        "Qw{plain:8}",
    ),
    (
        "prose token starts",
        "I am using token {} from the dashboard",
        "{plain:40}",
    ),
    ("prose key dash", "API Key - {}", "{hex:32}"),
    (
        "prose key newline",
        "API key:\n{}\nplease rotate",
        "{hex:32}",
    ),
    ("prose secret", "The webhook signing secret: {}", "{hex:40}"),
    ("prose two factor", "TOTP secret: {}", "{capitals:32}"),
    ("prose french", "Mot de passe : {}", "Qw{plain:8}"),
    ("prose portuguese", "A senha é: senha: {}", "Qw{plain:8}"),
    (
        "html attribute",
        "<div data-api-key=\"{}\" data-page=\"2\">",
        "{hex:32}",
    ),
    (
        "html script",
        "window.__CONFIG__ = {\"apiKey\":\"{}\",\"locale\":\"en\"}",
        "AIza{plain:35}",
    ),
    (
        "html iframe",
        "<iframe src=\"https://maps.example.com/embed?key={}&amp;q=x\">",
        "AIza{plain:35}",
    ),
    (
        "html form",
        "<input name=\"authenticity_token\" type=\"hidden\" value=\"{}\">",
        "{plain:60}==",
    ),
    (
        "header list",
        "[('x-api-key', '{}'), ('accept', '*/*')]",
        "{hex:32}",
    ),
    (
        "header bytes",
        "(b'authorization', b'Bearer {}')",
        "{plain:32}",
    ),
    (
        "header rust debug",
        "{\"authorization\": \"Bearer {}\", \"accept\": \"*/*\"}",
        "{plain:32}",
    ),
    (
        "header http2",
        "[\":path\", \"/\"] [\"x-auth-token\", \"{}\"]",
        "{plain:32}",
    ),
    (
        "header go",
        "map[Authorization:[Bearer {}] Accept:[*/*]]",
        "{plain:32}",
    ),
    (
        "header curl verbose",
        "> Authorization: Basic {}\n> Accept: */*",
        "Ym9iOmh1bnRlcjI=",
    ),
    (
        "header elastic",
        "Authorization: ApiKey {}",
        "{base64:60}==",
    ),
    (
        "header hmac",
        "Authorization: HMAC-SHA256 Signature={}",
        "{base64:43}=",
    ),
    ("header csrf", "X-CSRF-Token: {}", "{plain:40}"),
    ("header amazon", "x-amz-security-token: {}", "{base64:200}"),
    (
        "header shopify",
        "X-Shopify-Access-Token: {}",
        "shpat_{hex:32}",
    ),
    (
        "header cookie many",
        "cookie: _ga=***; connect.sid={}; cf_clearance=***",
        "s%3A{plain:40}",
    ),
    (
        "cookie jar",
        "x.example\tFALSE\t/\tTRUE\t0\tsession_token\t{}",
        "{plain:40}",
    ),
    (
        "document cookie",
        "document.cookie = \"auth_token={}; path=/\"",
        "{plain:40}",
    ),
    (
        "escaped newline env",
        "FOO=1\\nAPI_KEY={}\\nBAR=2",
        "{plain:40}",
    ),
    (
        "url encoded json",
        "%7B%22apiKey%22%3A%22{}%22%7D",
        "{plain:32}",
    ),
    (
        "json in json",
        "{\"body\":\"{\\\"password\\\":\\\"{}\\\"}\"}",
        "Qw{plain:8}",
    ),
    (
        "yaml list",
        "api_keys:\n  - key: {}\n    name: main",
        "{plain:40}",
    ),
    ("csv header", "user,password\nbob,{}", "sk-proj-{plain:40}"),
    (
        "toml inline",
        "db = { user = \"bob\", password = \"{}\" }",
        "Qw{plain:8}",
    ),
    ("ini colon", "api_secret : {}", "{plain:32}"),
    (
        "registry",
        "reg add HKCU\\X /v Password /d {}",
        "ghp_{plain:36}",
    ),
    (
        "azure sas token",
        "SharedAccessSignature sr=x&sig={}&se=1719230400&skn=Root",
        "{base64:43}%3D",
    ),
    (
        "gcp service account",
        "\"private_key_id\": \"x\", \"private_key\": \"-----BEGIN PRIVATE KEY-----\\n{}\\n-----END PRIVATE KEY-----\\n\"",
        "{base64:64}\\n{base64:40}=",
    ),
    (
        "sentry dsn secret",
        "SENTRY_DSN=https://{}@sentry.io/1",
        "{hex:32}",
    ),
    (
        "twilio pair",
        "client = Client('AC00', auth_token='{}')",
        "{hex:32}",
    ),
    ("pagerduty", "routing_key is x, api token: {}", "{plain:20}"),
    (
        "mongo shell",
        "mongosh -u bob -p {} --authenticationDatabase admin",
        "Qw{plain:8}",
    ),
    ("fullwidth colon", "API key：{}", "{plain:32}"),
    ("square brackets", "token[{}] rejected", "{plain:32}"),
    ("angle", "Bearer <{}>", "ghp_{plain:36}"),
    ("equals spaces", "api_key      =      {}", "{plain:32}"),
    ("tab", "api_key\t{}", "{plain:32}"),
    ("bold markdown", "**API key**: `{}`", "{plain:32}"),
    (
        "markdown link",
        "[dashboard](https://x.example/?token={})",
        "{plain:32}",
    ),
    ("question mark", "is your password {}?", "Qw{plain:8}"),
];

#[test]
fn secrets_in_other_words_go() {
    check(ROWS);
}
