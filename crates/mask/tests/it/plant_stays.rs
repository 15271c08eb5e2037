//! Credentials that look like what must stay in such a place: a word in another language, a name of
//! source code, an option of a manual, a file. Each row is one that a rule of `stays` once left.

use mask::Masker;

use super::plant::{Row, check};

const SOURCE: &[Row<'_>] = &[
    (
        "drawn letters before a semicolon",
        "api_key = {}",
        "qLxNvTzRwPkMbJcHsDfGqLxNvTzRwPkM;",
    ),
    (
        "both cases before a semicolon",
        "secret_key = {}",
        "QwErTyUiOpAsDfGhJkLzXcVbNm;",
    ),
    (
        "wireless network",
        "wpa_passphrase = {}",
        "winterwonderland;",
    ),
    ("shared key", "psk = {}", "winterwonderland;"),
    ("proxy", "proxy_password = {}", "Wintersonne;"),
    ("short name", "db_pass = {}", "swordfish;"),
    (
        "statement of a database",
        "ALTER USER bob SET password = {};",
        "Sommersonne",
    ),
    (
        "in brackets",
        "The login (user: bob, password: {}) works",
        "CorrectHorse",
    ),
    (
        "alone in brackets",
        "Log in (password: {}) and go",
        "BlueSky",
    ),
    (
        "brackets in German",
        "(Benutzer: demo, Passwort: {})",
        "SommerSonne",
    ),
    ("before a semicolon", "password: {};", "BlueMonkey"),
    (
        "between semicolons",
        "user: bob; password: {}; host: x",
        "BlueSkyGarden",
    ),
    ("before a bar", "password: {} | role: admin", "PurpleTiger"),
    ("angle brackets", "password: {};", "kX9vQ2<mLp7Z>"),
    (
        "literal in a binding",
        "<input :token=\"{}\">",
        "'kX9vQ2mLp7Zk3vLx9a'",
    ),
    (
        "literal in a bound attribute",
        "<app-login [apiKey]=\"{}\">",
        "'kX9vQ2mLp7Zk3vLx9a'",
    ),
    (
        "word in a binding",
        "<input :password=\"{}\">",
        "'swordfish'",
    ),
    (
        "key without quotes in a binding",
        "<input :token=\"{}\">",
        "kX9vQ2mLp7Zk3vLx9a",
    ),
    ("capitals", "password = {}", "SWORDFISH;"),
    ("last word of few types", "password: {};", "SkyKey"),
    ("ranges without brackets", "DB_PASSWORD={}", "a-z0-9Kx"),
    (
        "like a place of a document",
        "password: \"{}\"",
        "#/kX9/vQ2mLp7",
    ),
    (
        "words like a package",
        "password: \"{}\"",
        "correct.horse/battery/staple",
    ),
];

const TERMS: &[Row<'_>] = &[
    ("name of a database", "DB_PASSWORD={}", "Mysql2Dragon"),
    ("name of a language", "password: {}", "Python3Rocks"),
    ("name of a protocol", "password = {}", "Oauth2Monkey"),
    ("name of a network", "wifi password: {}", "wpa2-monkeys"),
    ("name of a format", "password: {}", "ILoveHtml5Forever"),
    ("version", "password: {}", "DragonBallV2"),
    ("engine", "password: {}", "MonsterV8Turbo"),
    ("name of a digest", "password: {}", "sha256:monkeys"),
    ("words of programs", "DB_PASSWORD={}", "Mysql2Server"),
    ("network of a network", "wifi password: {}", "wpa2-network"),
    ("language and a dot", "DB_PASSWORD={}", "python3.rocks"),
];

const MANUALS: &[Row<'_>] = &[
    (
        "name with an id",
        "secret_id={},env=prod",
        "kQ9xLm2pZ7vbTT4w",
    ),
    (
        "UUID with an id",
        "secret_id={},env=prod",
        "3f9a1c2e-7b4d-4c1f-9e2a-5d8b6c7f0a13",
    ),
    (
        "drawn letters in prose",
        "curl --token {} then check the logs",
        "qLxNvTzRwPkMbJcHsDfG",
    ),
    (
        "word in prose",
        "Run mysql --password {} then restart the server",
        "swordfish",
    ),
    (
        "use of an option",
        "use --password {} to log in",
        "hunterblue",
    ),
    (
        "names after a password",
        "mysql --user root --password {} shop customers orders",
        "Sommersonne",
    ),
    (
        "drawn letters beside an option",
        "  --api-key   {} and restart",
        "Kqxvlmzpwtrsdfgh",
    ),
    (
        "two blanks in a command",
        "mysql -u root --password  {} mydb",
        "Sommersonne",
    ),
    (
        "login of a test",
        "Ftp login USER: anna PASS: {}",
        "test-Kx92Lm",
    ),
    ("password of a test", "DB_PASS: {}", "testuser99X"),
    ("mail of a test", "SMTP_PASS: {}", "TestMail99"),
    ("number of a test", "MAIL_PASS: {}", "Testing#4821"),
    ("files of a test", "FTP_PASS: {}", "test_Kx92Lm7p"),
    ("named as a page", "password = {}", "hunter2Blue.md"),
    ("setting like a page", "DB_PASSWORD={}", "Tr0ub4dor.html"),
    ("named as a style", "password: {}", "kX9vQ2mLp7.css"),
    (
        "account like a page",
        "curl -u bob:{} https://files.example.com/",
        "hunter2Blue.html",
    ),
    (
        "option like a style",
        "mysql --password={} db",
        "Hunter2.css",
    ),
    (
        "token in a fragment",
        "https://app.example.com/#{}",
        "eyJhY2Nlc3NfdG9rZW4iOiJrWDl2UTJtTHA3WmszdkxYOWEifQ",
    ),
    ("table of accounts", "| password | `{}` |", "blue-monkey"),
    (
        "word before a number",
        "Password: {} 24 hours valid",
        "Hunterblue",
    ),
    ("named as a rule", "password: {}", "min:8x9Kq2!"),
    ("named as another rule", "password: {}", "in:Kx92Lm7p"),
    ("named as a key to press", "password: {}", "Shift-Hunter2"),
    ("another key to press", "password: {}", "Option-Blue42"),
    ("named as a counter", "password: {}", "UA-8KD92LX"),
    (
        "first on its line",
        "{}  is the api token",
        "eo7jnzguqgtpdah3cm5srfb97",
    ),
    (
        "host named as a digest",
        "https://bob:{}@sha256:8080/",
        "kX9vQ2mLp7",
    ),
    ("between signs", "password: {}", "+swordfish+"),
    (
        "token of a launcher",
        "\"accessToken\": \"***\", \"clientToken\": \"{}\"",
        "d507791c-46c2-4908-9852-eb65f1a54126",
    ),
    (
        "groups in an address",
        "reset: https://x.example/reset/{}",
        "a9f3c2-kd82-mm1x-qq-zz-tt-ll",
    ),
];

const LANGUAGES: &[Row<'_>] = &[
    ("word with an umlaut", "Passwort: {}", "Müllermilch"),
    ("noun with an umlaut", "Passwort: {}", "Größe"),
    ("season", "password: {}", "Frühling"),
    ("name with an accent", "password: {}", "Élodie"),
    ("Russian name and word", "Пароль: {}", "Солнышко"),
    ("Russian word", "password: {}", "солнышко"),
    ("Russian words", "password: {}", "Пароль!сильный"),
    ("setting with an umlaut", "DB_PASSWORD={}", "Bärenhöhle"),
    ("quoted with an umlaut", "password = \"{}\"", "Bärenhöhle"),
    ("Russian setting", "POSTGRES_PASSWORD={}", "солнышко"),
    ("quoted Russian setting", "DB_PASSWORD=\"{}\"", "солнышко"),
];

/// Keys of a known shape and passwords of addresses go in every place.
const CERTAIN: &[Row<'_>] = &[
    ("entry of a feed", "<id>{}</id>", "ghp_{plain:36}"),
    ("page", "token: {}", "ghp_{plain:36}.md"),
    ("binding", "<x v-bind:key=\"{}\">", "ghp_{plain:36}"),
    ("cache", "redis://:{}@cache:6379", "Python3Rocks"),
    (
        "umlauts in an address",
        "mysql://root:{}@db/x",
        "Bärenhöhle",
    ),
    (
        "page in an address",
        "postgres://bob:{}@db.example/x",
        "hunter2.html",
    ),
    (
        "digest in an address",
        "postgres://bob:{}@db.example/x",
        "oauth2.token",
    ),
    ("argument", "sshpass -p {} ssh bob@host", "Python3Rocks"),
    (
        "glued to its option",
        "mysql -uroot -p{} db",
        "Python3Rocks",
    ),
    (
        "request",
        "curl -u bob:{} https://files.example.com/",
        "Frühling",
    ),
    ("piped", "echo {} | sudo -S ls", "Python3Rocks"),
    ("new user", "net user bob {} /add", "Python3Rocks"),
    (
        "statement",
        "CREATE USER bob IDENTIFIED BY '{}'",
        "Frühling",
    ),
    ("role", "ALTER ROLE bob WITH PASSWORD '{}'", "Mysql2Dragon"),
    ("element", "<password>{}</password>", "Python3Rocks"),
    ("field", "{\"password\":\"{}\"}", "Frühling"),
];

const DAILY: &[Row<'_>] = &[
    ("café", "Wi-Fi: Cafe Rossi (password: {})", "CafeRossi"),
    (
        "network of guests",
        "Gast-WLAN (Passwort: {})",
        "WillkommenGast",
    ),
    (
        "drawn letters with an indent",
        "    secret = {}",
        "xQzWvTrKpLmNbHgF;",
    ),
    (
        "shared secret with an indent",
        "  shared-secret = {}",
        "Regenbogen;",
    ),
    ("tram", "Passwort: {}", "Straßenbahn"),
    ("Spanish", "contraseña: {}", "Mañana"),
    ("Portuguese", "senha: {}", "Coração"),
    ("Polish", "hasło: {}", "Żółwik"),
    ("Turkish", "şifre: {}", "İstanbul"),
    ("Russian city", "пароль: {}", "Москва"),
    ("Korean", "password: {}", "비밀번호야"),
    (
        "letters to upload",
        "curl --token {} to upload it",
        "sQxNvTzRwPkMbJcHsDfG",
    ),
    (
        "letters when asked",
        "vault login --token {} when asked for",
        "hvsabcqxvlmzpw",
    ),
    ("short test", "ADMIN_PASS: {}", "Test1234"),
    ("database of a test", "MYSQL_PASS: {}", "TestDb2024!"),
    ("word, digit and page", "password: {}", "hunter2.md"),
    ("digits in a page", "password: {}", "P4ssw0rd.md"),
    (
        "key like a page",
        "MARKDOWN_TOKEN={}",
        "xK9mPq2vL8nR4tY7.md",
    ),
    (
        "letters before a number",
        "API key: {} 30 days",
        "Kqxvlmzpwtrsdfgh",
    ),
    ("game", "password={}", "Super-Mario64"),
    ("another game", "password: {}", "Control-Freak9"),
    ("licence like a counter", "LICENSE_KEY={}", "UA-92KXL7QP"),
    (
        "target of an id",
        "secret_id={},target=x",
        "pQ9xLm2pZ7vbTT8s",
    ),
];

#[test]
fn credentials_like_source_code_go() {
    check(SOURCE);
}

#[test]
fn passwords_with_a_technical_term_go() {
    check(TERMS);
}

#[test]
fn credentials_like_a_manual_go() {
    check(MANUALS);
}

#[test]
fn passwords_in_other_languages_go() {
    check(LANGUAGES);
}

#[test]
fn daily_credentials_go() {
    check(DAILY);
}

#[test]
fn certain_credentials_go_in_every_place() {
    check(CERTAIN);
    let key = format!("ghp_{}", "k3Xv9Q2mLp7Z".repeat(3));
    for place in [
        "<x :token=\"'KEY'\">",
        "<guid>KEY</guid>",
        "docker build --secret id=KEY .",
        "id=KEY,env=prod",
        "KEYEXAMPLE",
    ] {
        let masked = Masker::default()
            .mask(&place.replace("KEY", &key))
            .into_owned();
        assert!(!masked.contains("k3Xv9Q"), "{masked}");
    }
}
