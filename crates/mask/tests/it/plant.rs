//! Secrets known by their context. Each row says where the secret stands; the reply must be the
//! same text with `***` there.

use mask::Masker;

use super::made::made;

/// Name, text with `{}` for the secret, pattern of the secret.
pub(super) type Row<'r> = (&'r str, &'r str, &'r str);

const PASSWORDS: &[Row<'_>] = &[
    ("env password", "DB_PASSWORD={}", "hunter{digits:4}"),
    (
        "env password marks",
        "DB_PASSWORD={}\nDB_USER=app",
        "p@ss!w0rd#{plain:8}",
    ),
    ("env exported", "export PGPASSWORD={}", "S{plain:10}!"),
    (
        "env quoted",
        "MYSQL_ROOT_PASSWORD=\"{}\"",
        "a b c {plain:8}",
    ),
    ("env single quoted", "SMTP_PASS='{}'", "x;y&z{plain:6}"),
    ("env plain word", "POSTGRES_PASSWORD={}\n", "swordfish"),
    (
        "env windows line ends",
        "DB_PASSWORD={}\r\nDB_HOST=db\r\n",
        "pw{plain:9}",
    ),
    ("windows set", "set DB_PASSWORD={}", "Tr0ub4dor&3"),
    ("powershell", "$env:DB_PASSWORD = \"{}\"", "Tr0ub4dor&3"),
    (
        "yaml",
        "database:\n  user: app\n  password: {}\n  port: 5432",
        "Sup3rS3cret!",
    ),
    ("yaml quoted", "password: \"{}\"", "let me in 42"),
    ("yaml single quoted", "  password: '{}'", "it''s{plain:6}"),
    ("yaml comment", "password: {} # change soon", "rosebud99"),
    (
        "yaml block",
        "password: |\n  {}\nuser: bob",
        "qwe{plain:12}",
    ),
    (
        "json",
        r#"{"user":"bob","password":"{}"}"#,
        "correct{digits:3}",
    ),
    (
        "json spaced",
        r#"{ "password" : "{}", "user": "bob" }"#,
        "a{plain:9}",
    ),
    (
        "json plain word",
        r#"{"user":"bob","password":"{}"}"#,
        "swordfish",
    ),
    (
        "json newline",
        "{\n  \"dbPassword\": \"{}\",\n  \"port\": 1\n}",
        "Zx{plain:9}",
    ),
    (
        "json escaped",
        r#"{\"user\":\"bob\",\"password\":\"{}\"}"#,
        "Zx{plain:9}",
    ),
    (
        "json escaped twice",
        r#"{\\\"password\\\":\\\"{}\\\"}"#,
        "Zx{plain:9}",
    ),
    (
        "json with escape inside",
        r#"{"password":"{}","a":1}"#,
        r#"ab\"cd{plain:6}"#,
    ),
    (
        "python dict",
        "{'user': 'bob', 'password': '{}'}",
        "Zx{plain:9}",
    ),
    (
        "python kwargs",
        "connect(host='db', user='bob', password='{}')",
        "Zx{plain:9}",
    ),
    ("python repr bytes", "{'password': b'{}'}", "Zx{plain:9}"),
    ("python typed", "password: str = \"{}\"", "Zx{plain:9}"),
    (
        "js object",
        "const c = { host: 'db', password: '{}' };",
        "Zx{plain:9}",
    ),
    ("js template", "const password = `{}`;", "Zx{plain:9}"),
    (
        "ts typed",
        "const dbPassword: string = '{}';",
        "Zx{plain:9}",
    ),
    (
        "rust debug",
        "Config { user: \"bob\", password: \"{}\", port: 1 }",
        "Zx{plain:9}",
    ),
    (
        "rust some",
        "Config { password: Some(\"{}\") }",
        "Zx{plain:9}",
    ),
    ("go struct", "{User:bob Password:{} Port:1}", "Zx{plain:9}"),
    (
        "ruby hash",
        "{:password=>\"{}\", :user=>\"bob\"}",
        "Zx{plain:9}",
    ),
    ("php array", "'password' => '{}',", "Zx{plain:9}"),
    ("php define", "define('DB_PASSWORD', '{}');", "Zx{plain:9}!"),
    ("toml", "[db]\npassword = \"{}\"\nport = 1", "Zx{plain:9}"),
    ("ini", "[client]\npassword={}\nhost=db", "Zx{plain:9}"),
    ("properties", "spring.datasource.password={}", "Zx{plain:9}"),
    ("xml", "<password>{}</password>", "Zx{plain:9}"),
    (
        "xml attribute",
        "<user name=\"bob\" password=\"{}\"/>",
        "Zx{plain:9}",
    ),
    (
        "log field",
        "login failed user=bob password={} ip=10.0.0.1",
        "Zx{plain:9}",
    ),
    (
        "log field comma",
        "login failed user=bob, password={}, ip=10.0.0.1",
        "Zx{plain:9}",
    ),
    (
        "log colon",
        "auth error (user: bob, password: {})",
        "Zx{plain:9}",
    ),
    (
        "form body",
        "grant_type=password&username=bob&password={}&scope=all",
        "Zx{plain:9}",
    ),
    (
        "url parameter",
        "https://x.example/login?user=bob&password={}&next=/",
        "Zx{plain:9}",
    ),
    (
        "url parameter encoded",
        "https://x.example/?pwd={}#top",
        "Zx%21{plain:9}%3D",
    ),
    (
        "jdbc",
        "jdbc:sqlserver://db:1433;databaseName=x;user=sa;password={};encrypt=true",
        "Zx{plain:9}",
    ),
    (
        "jdbc mysql",
        "jdbc:mysql://db:3306/x?user=sa&password={}&useSSL=true",
        "Zx{plain:9}",
    ),
    (
        "odbc",
        "Driver={SQL Server};Server=db;UID=sa;PWD={};",
        "Zx{plain:9}",
    ),
    (
        "ado",
        "Server=db;Database=x;User Id=sa;Password={};Timeout=30",
        "Zx{plain:9}",
    ),
    (
        "libpq",
        "host=db port=5432 user=app password={} dbname=x",
        "Zx{plain:9}",
    ),
    (
        "libpq quoted",
        "host=db password='{}' dbname=x",
        "Zx {plain:9}",
    ),
    (
        "netrc",
        "machine api.example.com login bob password {}",
        "Zx{plain:9}",
    ),
    (
        "netrc lines",
        "machine api.example.com\n  login bob\n  password {}\n",
        "Zx{plain:9}",
    ),
    ("pgpass", "db.internal:5432:app:bob:{}", "Zx{plain:9}"),
    ("pgpass star", "*:*:app:bob:{}", "Zx{plain:9}"),
    (
        "sql identified",
        "CREATE USER bob IDENTIFIED BY '{}';",
        "Zx{plain:9}",
    ),
    (
        "sql identified lower",
        "alter user bob identified by \"{}\"",
        "Zx{plain:9}",
    ),
    (
        "sql with password",
        "ALTER ROLE bob WITH PASSWORD '{}';",
        "Zx{plain:9}",
    ),
    (
        "sql set password",
        "SET PASSWORD FOR 'bob'@'%' = '{}';",
        "Zx{plain:9}",
    ),
    (
        "curl user",
        "curl -u bob:{} https://api.example.com/v1",
        "Zx{plain:9}",
    ),
    (
        "curl user quoted",
        "curl -s -u 'bob:{}' https://api.example.com",
        "Zx {plain:9}",
    ),
    (
        "curl user long",
        "curl --user bob:{} https://api.example.com",
        "Zx{plain:9}",
    ),
    (
        "curl user equals",
        "curl --user=\"bob:{}\" https://api.example.com",
        "Zx{plain:9}",
    ),
    (
        "curl continued",
        "curl https://api.example.com \\\n  -u bob:{} \\\n  -d x=1",
        "Zx{plain:9}",
    ),
    (
        "curl proxy",
        "curl -x proxy:3128 -U bob:{} https://x.example",
        "Zx{plain:9}",
    ),
    ("mysql glued", "mysql -h db -u root -p{} app", "Zx{plain:9}"),
    (
        "mysqldump",
        "mysqldump -uroot -p'{}' app > dump.sql",
        "Zx{plain:9}",
    ),
    (
        "mysql long",
        "mysql --user=root --password={} app",
        "Zx{plain:9}",
    ),
    ("sshpass", "sshpass -p {} ssh bob@host", "Zx{plain:9}"),
    (
        "sshpass quoted",
        "sshpass -p '{}' ssh bob@host",
        "Zx {plain:9}",
    ),
    (
        "docker login",
        "docker login -u bob -p {} registry.example.com",
        "Zx{plain:9}",
    ),
    ("redis cli", "redis-cli -h cache -a {} ping", "Zx{plain:9}"),
    (
        "ldapsearch",
        "ldapsearch -x -D cn=admin -w {} -b dc=x",
        "Zx{plain:9}",
    ),
    (
        "flag blank",
        "app --user bob --password {} --verbose",
        "Zx{plain:9}",
    ),
    ("flag word", "app --password {} --verbose", "swordfish"),
    (
        "flag equals",
        "app --db-password={} --verbose",
        "Zx{plain:9}",
    ),
    (
        "kubectl literal",
        "kubectl create secret generic x --from-literal=password={}",
        "Zx{plain:9}",
    ),
    (
        "dockerfile env",
        "ENV DB_PASSWORD={}\nRUN make",
        "Zx{plain:9}",
    ),
    (
        "dockerfile blank",
        "ENV DB_PASSWORD {}\nRUN make",
        "Zx{plain:9}",
    ),
    (
        "compose list",
        "environment:\n  - DB_PASSWORD={}\n  - X=1",
        "Zx{plain:9}",
    ),
    (
        "k8s env",
        "- name: DB_PASSWORD\n  value: \"{}\"",
        "Zx{plain:9}",
    ),
    (
        "k8s env bare",
        "- name: DB_PASSWORD\n  value: {}\n",
        "Zx{plain:9}",
    ),
    (
        "terraform",
        "variable \"db_password\" {\n  default = \"{}\"\n}",
        "Zx{plain:9}",
    ),
    (
        "prose is",
        "The password is {}, do not share it.",
        "hunter2",
    ),
    ("prose is quoted", "the password is \"{}\".", "swordfish"),
    ("prose was", "Her password was {} until May.", "r0sebud"),
    ("prose colon", "Login: bob, password: {}.", "hunter2"),
    (
        "prose set to",
        "I changed the password to {} yesterday",
        "hunter2!",
    ),
    ("prose dash", "password — {}", "hunter2"),
    (
        "prose unicode quotes",
        "the password is “{}” for now",
        "swordfish",
    ),
    ("prose single unicode", "password: ‘{}’", "open sesame 1"),
    (
        "prose parenthesis",
        "log in as bob (password: {})",
        "hunter2",
    ),
    ("prose backticks", "use password `{}` to log in", "hunter2"),
    (
        "prose german",
        "Das Passwort lautet: Passwort: {}",
        "geheim99",
    ),
    ("prose spanish", "la contraseña es {}", "gat0negro"),
    ("prose russian", "пароль: {}", "qwerty77"),
    ("prose chinese", "密码：{}", "Abc12345"),
    ("markdown bold", "**Password:** {}", "hunter2"),
    ("markdown table", "| password | {} |", "hunter2"),
    ("unicode value", "password={}", "пароль123"),
    (
        "passphrase quoted",
        "ssh passphrase: \"{}\"",
        "correct horse battery staple",
    ),
    (
        "mnemonic",
        "mnemonic = \"{}\"",
        "legal winner thank year wave sausage worth useful legal winner thank yellow",
    ),
    (
        "seed phrase",
        "seed phrase: {}",
        "legal winner thank year wave sausage worth useful legal winner thank yellow",
    ),
    ("number", "password: {}", "{digits:8}"),
    (
        "html input",
        "<input type=\"password\" name=\"password\" value=\"{}\">",
        "Zx{plain:9}",
    ),
    (
        "html escaped json",
        "&quot;password&quot;:&quot;{}&quot;",
        "Zx{plain:9}",
    ),
    ("requirepass", "requirepass {}\n", "Zx{plain:19}"),
    (
        "ansible",
        "ansible_ssh_pass={} ansible_user=bob",
        "Zx{plain:9}",
    ),
    ("htpasswd", "bob:{}", "$apr1${plain:8}${plain:22}"),
    (
        "shadow",
        "root:{}:19000:0:99999:7:::",
        "$6${plain:8}${plain:86}",
    ),
    ("ldap hash", "userPassword: {SSHA}{}", "{base64:36}"),
    ("comparison", "if password == \"{}\":", "Zx{plain:9}"),
    (
        "sqlalchemy error",
        "OperationalError: (user 'bob', password '{}') refused",
        "Zx{plain:9}",
    ),
];

const KEYS: &[Row<'_>] = &[
    ("serper header", "X-API-KEY: {}", "{hex:40}"),
    ("exa header", "x-api-key: {}", "{uuid}"),
    ("brave header", "X-Subscription-Token: {}", "{plain:31}"),
    ("azure header", "Ocp-Apim-Subscription-Key: {}", "{hex:32}"),
    ("google header", "x-goog-api-key: {}", "{plain:39}"),
    ("vault header", "X-Vault-Token: {}", "{uuid}"),
    ("gitlab header", "PRIVATE-TOKEN: {}", "{plain:20}"),
    ("datadog headers", "DD-API-KEY: {}", "{hex:32}"),
    ("datadog application", "DD-APPLICATION-KEY: {}", "{hex:40}"),
    ("heroku", "HEROKU_API_KEY={}", "{uuid}"),
    (
        "curl header",
        "curl -H \"X-API-Key: {}\" https://api.example.com",
        "{hex:32}",
    ),
    (
        "curl header single",
        "curl -H 'api-key: {}' https://api.example.com",
        "{hex:32}",
    ),
    ("aws secret env", "AWS_SECRET_ACCESS_KEY={}", "{base64:40}"),
    (
        "aws secret file",
        "[default]\naws_secret_access_key = {}\nregion = eu-west-1",
        "{base64:40}",
    ),
    (
        "aws secret json",
        r#"{"SecretAccessKey": "{}", "Expiration": "2024-05-01"}"#,
        "{base64:40}",
    ),
    (
        "aws session token",
        "aws_session_token={}",
        "IQoJb3JpZ2lu{base64:300}",
    ),
    (
        "azure storage",
        "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={};EndpointSuffix=core.windows.net",
        "{base64:86}==",
    ),
    (
        "azure bus",
        "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={}",
        "{base64:43}=",
    ),
    (
        "azure cosmos",
        "AccountEndpoint=https://x.documents.azure.com:443/;AccountKey={};",
        "{base64:86}==",
    ),
    (
        "azure sas",
        "https://x.blob.core.windows.net/c/b?sv=2022-11-02&st=2024-01-01&sig={}&se=2024-02-01",
        "{plain:40}%2B%3D",
    ),
    ("env api key", "OPENAI_API_KEY={}", "{plain:40}"),
    ("env key", "STRIPE_KEY={}", "{plain:32}"),
    ("env token", "export GITHUB_TOKEN={}", "{plain:40}"),
    ("env secret", "CLIENT_SECRET={}", "{plain:40}"),
    (
        "env django",
        "SECRET_KEY = '{}'",
        "django-insecure-{plain:20}!@#{plain:10}",
    ),
    ("env rails", "SECRET_KEY_BASE={}", "{hex:128}"),
    ("env jwt", "JWT_SECRET={}", "my-{plain:12}"),
    ("json api key", r#"{"apiKey":"{}","model":"x"}"#, "{hex:32}"),
    ("json api_key", r#"{"api_key": "{}"}"#, "{plain:24}"),
    (
        "json access token",
        r#"{"access_token":"{}","token_type":"Bearer","expires_in":3600}"#,
        "{plain:60}",
    ),
    (
        "json refresh token",
        r#"{"refresh_token": "{}"}"#,
        "{plain:60}",
    ),
    (
        "json client secret",
        r#"{"client_id":"web","client_secret":"{}"}"#,
        "{plain:30}",
    ),
    ("json token", r#"{"token":"{}"}"#, "{hex:40}"),
    ("json private", r#"{"privateKey":"{}"}"#, "{base64:80}"),
    (
        "json name value",
        r#"{"name":"API_KEY","value":"{}"}"#,
        "{plain:24}",
    ),
    (
        "json har",
        r#"{"name": "Authorization", "value": "Bearer {}"}"#,
        "{plain:24}",
    ),
    ("json escaped", r#"{\"apiKey\":\"{}\"}"#, "{plain:24}"),
    (
        "python headers",
        "headers={'Authorization': 'Bearer {}', 'Accept': 'x'}",
        "{plain:24}",
    ),
    ("python tuple", "('X-Api-Key', '{}')", "{plain:24}"),
    ("python secret", "api_key=SecretStr('{}')", "{plain:24}"),
    (
        "js set header",
        "req.setRequestHeader(\"X-Auth-Token\", \"{}\");",
        "{plain:24}",
    ),
    ("js index", "headers[\"X-API-Key\"] = \"{}\";", "{plain:24}"),
    (
        "rust header",
        ".header(\"x-api-key\", \"{}\")",
        "{plain:24}",
    ),
    (
        "yaml key",
        "openai:\n  api_key: {}\n  model: x",
        "{plain:24}",
    ),
    ("toml key", "api_key = \"{}\"", "{plain:24}"),
    ("npmrc", "//registry.example.com/:_authToken={}", "{uuid}"),
    ("npmrc auth", "_auth={}", "{base64:32}=="),
    (
        "pypirc",
        "[pypi]\nusername = __token__\npassword = {}",
        "{plain:60}",
    ),
    ("flag api key", "tool --api-key {} --json", "{plain:24}"),
    (
        "flag api key equals",
        "tool --api-key={} --json",
        "{plain:24}",
    ),
    (
        "flag token",
        "gh auth login --with-token --token {}",
        "{plain:24}",
    ),
    ("flag single dash", "tool -token {}", "{plain:24}"),
    (
        "prose api key",
        "my API key is {} and it fails",
        "{plain:24}",
    ),
    ("prose api key colon", "API key: {}", "{plain:24}"),
    (
        "prose token",
        "Use the access token {} for now",
        "{plain:24}",
    ),
    (
        "prose invalid key",
        "Incorrect API key provided: {}. You can find yours",
        "{plain:24}",
    ),
    (
        "prose client secret",
        "The client secret is '{}'",
        "{plain:24}",
    ),
    (
        "error key",
        "invalid api key {} for provider serper",
        "{hex:40}",
    ),
    (
        "error token quoted",
        "token \"{}\" is expired",
        "{plain:24}",
    ),
    (
        "url key",
        "https://maps.example.com/json?q=x&key={}&lang=en",
        "{plain:39}",
    ),
    (
        "url api_key",
        "GET https://api.example.com/v1?api_key={} 401",
        "{hex:32}",
    ),
    (
        "url apikey first",
        "https://api.example.com/v1?apikey={}&page=2",
        "{hex:32}",
    ),
    (
        "url token",
        "https://api.example.com/v1?token={}",
        "{hex:20}",
    ),
    (
        "url access token",
        "https://api.example.com/v1?access_token={}&page=2",
        "{plain:30}",
    ),
    (
        "url fragment",
        "https://app.example.com/#access_token={}&state=xyz",
        "{plain:30}",
    ),
    (
        "url signature",
        "https://s3.amazonaws.com/b/k?X-Amz-Expires=60&X-Amz-Signature={}",
        "{hex:64}",
    ),
    (
        "url security token",
        "https://s3.amazonaws.com/b/k?X-Amz-Security-Token={}&X-Amz-Date=20240501",
        "{plain:80}%2F%3D",
    ),
    (
        "url goog signature",
        "https://storage.googleapis.com/b/o?X-Goog-Signature={}",
        "{hex:128}",
    ),
    (
        "url session",
        "https://x.example/a?session={}&p=1",
        "{hex:32}",
    ),
    ("url jwt", "https://x.example/a?jwt={}", "{plain:40}"),
    ("url auth", "https://x.example/a?auth={}", "{plain:20}"),
    ("url sig", "https://x.example/a?exp=17&sig={}", "{hex:40}"),
    (
        "url subscription key",
        "https://x.example/a?subscription-key={}",
        "{hex:32}",
    ),
    (
        "url appid",
        "https://api.openweathermap.org/data?q=x&appid={}",
        "{hex:32}",
    ),
    (
        "url reset",
        "https://x.example/reset?token={}",
        "{plain:32}",
    ),
    (
        "url reset path",
        "https://x.example/reset-password/{}",
        "{plain:32}",
    ),
    (
        "url oauth code",
        "https://x.example/callback?code={}&state=xyz",
        "4/0{plain:40}",
    ),
    (
        "url html escaped",
        "https://x.example/a?p=1&amp;api_key={}&amp;q=2",
        "{hex:32}",
    ),
    (
        "url nested",
        "https://x.example/go?to=https%3A%2F%2Fy.example%2F%3Ftoken%3D{}%26p%3D1",
        "{hex:32}",
    ),
    (
        "url slack hook",
        "https://hooks.slack.com/services/{}",
        "T{capitals:8}/B{capitals:8}/{plain:24}",
    ),
    (
        "url discord hook",
        "https://discord.com/api/webhooks/123456789012345678/{}",
        "{plain:68}",
    ),
    (
        "url teams hook",
        "https://x.webhook.office.com/webhookb2/{}",
        "{uuid}@{uuid}/IncomingWebhook/{hex:32}/{uuid}",
    ),
    (
        "url telegram",
        "https://api.telegram.org/bot{}/getMe",
        "{digits:10}:AA{plain:33}",
    ),
    (
        "url zapier",
        "https://hooks.zapier.com/hooks/catch/{}/",
        "123456/{lower:7}",
    ),
    ("url infura", "https://mainnet.infura.io/v3/{}", "{hex:32}"),
    (
        "url postgres",
        "postgres://app:{}@db.internal:5432/main",
        "Zx{plain:9}",
    ),
    (
        "url postgres odd",
        "postgresql://app:{}@db.internal/main?sslmode=require",
        "p@ss/w?rd#{digits:3}",
    ),
    ("url mysql", "mysql://root:{}@127.0.0.1:3306/x", "toor"),
    ("url redis", "redis://:{}@cache:6379/0", "Zx{plain:9}"),
    (
        "url mongodb",
        "mongodb+srv://app:{}@cluster0.x.mongodb.net/db?retryWrites=true",
        "Zx{plain:9}",
    ),
    ("url amqp", "amqp://guest:{}@rabbit:5672/vhost", "guest"),
    ("url ftp", "ftp://bob:{}@files.example.com/a", "Zx{plain:9}"),
    (
        "url https",
        "git clone https://bob:{}@github.com/x/y.git",
        "Zx{plain:9}",
    ),
    (
        "url token only",
        "https://{}@github.com/x/y.git",
        "{plain:40}",
    ),
    (
        "url token and basic",
        "https://{}:***@github.com/x/y.git",
        "{plain:40}",
    ),
    (
        "url sentry",
        "https://{}@o123.ingest.sentry.io/456",
        "{hex:32}",
    ),
    (
        "url proxy",
        "HTTPS_PROXY=http://bob:{}@proxy.corp:3128",
        "Zx{plain:9}",
    ),
    (
        "url cloudinary",
        "cloudinary://123456789012345:{}@demo",
        "{plain:27}",
    ),
    (
        "go mysql",
        "root:{}@tcp(127.0.0.1:3306)/app?parseTime=true",
        "Zx{plain:9}",
    ),
    ("bearer header", "Authorization: Bearer {}", "{plain:30}"),
    ("bearer short", "Authorization: Bearer {}", "abc123def"),
    ("bearer lower", "authorization: bearer {}", "{plain:30}"),
    (
        "bearer curl",
        "curl -H 'Authorization: Bearer {}' https://x.example",
        "{plain:30}",
    ),
    (
        "bearer prose",
        "sent with Bearer {} and got 401",
        "{plain:30}",
    ),
    (
        "bearer json",
        r#"{"headers":{"Authorization":"Bearer {}"}}"#,
        "{plain:30}",
    ),
    (
        "basic header",
        "Authorization: Basic {}",
        "Ym9iOmh1bnRlcjI=",
    ),
    ("basic prose", "tried Basic {} too", "Ym9iOmh1bnRlcjI="),
    ("token header", "Authorization: token {}", "{hex:40}"),
    ("apikey header", "Authorization: ApiKey {}", "{plain:30}=="),
    ("bare header", "Authorization: {}", "{plain:30}"),
    (
        "proxy header",
        "Proxy-Authorization: Basic {}",
        "Ym9iOmh1bnRlcjI=",
    ),
    (
        "digest header",
        "Authorization: Digest username=\"bob\", realm=\"x\", uri=\"/\", response=\"{}\"",
        "{hex:32}",
    ),
    (
        "aws header",
        "Authorization: AWS4-HMAC-SHA256 Credential=***, SignedHeaders=host;x-amz-date, Signature={}",
        "{hex:64}",
    ),
    ("discord header", "Authorization: Bot {}", "{plain:60}"),
    (
        "cookie",
        "Cookie: theme=dark; sessionid={}; lang=en",
        "{lower:32}",
    ),
    (
        "set cookie",
        "Set-Cookie: sid={}; Path=/; HttpOnly; Secure; SameSite=Lax",
        "s%3A{plain:32}.{plain:20}",
    ),
    (
        "cookie curl",
        "curl -H 'Cookie: PHPSESSID={}' https://x.example",
        "{lower:26}",
    ),
    (
        "cookie expires",
        "set-cookie: a={}; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/",
        "{plain:32}",
    ),
    ("gitlab session", "_gitlab_session={}", "{hex:32}"),
    ("jsession", "JSESSIONID={}", "{hex:32}"),
    (
        "html token",
        "<input type=\"hidden\" name=\"csrf_token\" value=\"{}\">",
        "{plain:32}",
    ),
    (
        "html meta",
        "<meta name=\"csrf-token\" content=\"{}\">",
        "{plain:32}",
    ),
    (
        "xml app setting",
        "<add key=\"ApiKey\" value=\"{}\" />",
        "{plain:32}",
    ),
    (
        "wordpress",
        "define('AUTH_KEY', '{}');",
        "q7Z!{plain:8}|{plain:20}$",
    ),
    (
        "trace",
        "  at fetch (api.js:3:9)\nError: 401 for apiKey={} (provider serper)",
        "{hex:40}",
    ),
    (
        "env dump",
        "HOME=/root\nXAI_API_KEY={}\nPATH=/bin",
        "{plain:40}",
    ),
    ("systemd", "Environment=\"API_TOKEN={}\"", "{plain:40}"),
    ("java property", "-Dapi.token={} -jar app.jar", "{plain:40}"),
    ("github actions", "::add-mask::token={}", "{plain:40}"),
    ("arrow", "apiKey -> {}", "{plain:40}"),
    ("walrus", "token := \"{}\"", "{plain:40}"),
    ("unicode arrow", "API key → {}", "{plain:40}"),
    ("wandb", "WANDB_API_KEY={}", "{hex:40}"),
    (
        "license",
        "license_key: {}",
        "{capitals:5}-{capitals:5}-{capitals:5}-{capitals:5}",
    ),
    ("encryption key", "ENCRYPTION_KEY={}", "{hex:64}"),
    ("salt", "PASSWORD_SALT={}", "{plain:32}"),
    ("webhook secret", "webhook_secret: {}", "{hex:40}"),
    (
        "ssh connection",
        "scp bob:{}@files.example.com:/x .",
        "Zx{plain:9}!9",
    ),
];

fn failures(rows: &[Row<'_>]) -> Vec<String> {
    let masker = Masker::default();
    let failed = |(name, template, pattern): &Row<'_>| {
        let text = template.replace("{}", &made(pattern));
        let masked = masker.mask(&text);
        let wanted = template.replace("{}", "***");
        (masked != wanted).then(|| format!("{name}: {text}\n   gave {masked}"))
    };
    rows.iter().filter_map(failed).collect()
}

pub(super) fn check(rows: &[Row<'_>]) {
    let failures = failures(rows);
    assert!(
        failures.is_empty(),
        "{} of {} failed\n{}",
        failures.len(),
        rows.len(),
        failures.join("\n")
    );
}

#[test]
fn passwords_go() {
    check(PASSWORDS);
}

#[test]
fn keys_and_tokens_go() {
    check(KEYS);
}
