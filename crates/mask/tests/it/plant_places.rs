//! Credentials that only their place tells: arguments by position, files of one program, lists.
//! Each row is one class that a blind set or an own list of daily kinds showed to be left.

use mask::Masker;

use super::plant::{Row, check};

const ROWS: &[Row<'_>] = &[
    (
        "second argument",
        "$pusher = new Pusher\\Pusher(\"4517b824392acdb3930a\", \"{}\", \"9770035\");",
        "aa{hex:18}",
    ),
    (
        "secret of an authenticator",
        "{}\n\" RATE_LIMIT 3 30\n\" TOTP_AUTH\nend",
        "F6CCZ25NIRV5XD5XYJISWX44T7",
    ),
    (
        "codes of an authenticator",
        "\" RATE_LIMIT 3 30\n\" TOTP_AUTH\n{}\nend",
        "{digits:8}",
    ),
    (
        "user of a tunnel",
        "apetrov : EAP \"{}\"",
        "driftWalnut{digits:2}",
    ),
    (
        "key of a wireless network",
        "\toption encryption 'psk2'\n\toption key '{}'",
        "ravenJuniper{digits:2}",
    ),
    (
        "exported wireless network",
        "<keyMaterial>{}</keyMaterial>",
        "Willow{digits:4}!",
    ),
    (
        "account of a source of packages",
        "bundle config set --global gems.example.com olga.costa:{}",
        "Ks{plain:14}",
    ),
    (
        "headers in a variable",
        "OTEL_EXPORTER_OTLP_HEADERS=x-honeycomb-team={}",
        "lcT{plain:19}",
    ),
    (
        "token in an address",
        "ERROR: gotify://push.example.net/{} failed: 502",
        "AGG9wK7dTKjG-ci",
    ),
    (
        "stream key",
        "ffmpeg -f flv rtmp://live.example.com/app/{}",
        "4R{plain:22}",
    ),
    (
        "id and secret",
        "new AdminAPI({ url: 'https://blog.example.com', key: '{}' })",
        "{hex:24}:{hex:64}",
    ),
    (
        "session with a dash",
        "<sessionId>{}</sessionId>",
        "00DYOXzVLAIp9Fl!AQpAlUVhfDMLqL4RAyDBbkWD7f8RjA-mIpc05i5J2O6Bka8O8MnDwSj2IbmT3ThidLGL8VoaoH7GvJPK",
    ),
    ("name and year", "PASS {}", "Vera_{digits:4}!!"),
    (
        "name, mark and number",
        "Your temporary password is {}",
        "Sunset@{digits:3}",
    ),
    (
        "name and number",
        "Failed password \"{}\" for alice",
        "raven_{digits:2}",
    ),
    (
        "secret behind its id",
        "AKIA30ITHZEANMZ6DCFG:{}",
        "D1bn{plain:36}",
    ),
    (
        "stolen account",
        "https://portal.example.com/:alice:{}",
        "Amber{digits:4}!",
    ),
    (
        "listed account",
        "alice@example.com|{}",
        "Harbor{digits:4}!",
    ),
    (
        "code to enter",
        "Use {} to verify your account",
        "{digits:6}",
    ),
    (
        "response to a challenge",
        "alice::CORP:09abe39220d18190:{}",
        "{hex:32}:0101000000000000",
    ),
    (
        "new phrase of a key",
        "ssh-keygen -N '{}' -f id",
        "walnutWalnut{digits:2}",
    ),
    (
        "key of a router",
        "radius-server host 10.0.0.1 key {}",
        "Sunset_{digits:4}!!",
    ),
    (
        "piped to a tunnel",
        "echo {} | openconnect -u bob vpn.example.com",
        "Tiger{digits:4}!",
    ),
    (
        "answer in a chat",
        "anna: can you send me the db password\nben: sure, it's {}",
        "tigerCopper{digits:2}",
    ),
    (
        "licence",
        "Windows 10 Pro key {}",
        "P3K81-N5ZWI-R88NK-MN81E-X586P",
    ),
    ("code in French", "Votre code est {}", "{digits:6}"),
    (
        "parameter of a store",
        "$ aws ssm get-parameter --with-decryption --name /db/pw\n\"Value\": \"{}\"",
        "Walnut_{digits:4}!!",
    ),
    (
        "printed by a store",
        "$ op read op://x/y/password\n{}",
        "Falcon{digits:4}!",
    ),
    (
        "both parts of a key in one",
        "\"api_key\": \"***\",\n\"encoded\": \"{}\"",
        "P27LWas2{plain:52}",
    ),
    (
        "cookie of a cluster",
        "$ cat ~/.erlang.cookie\n{}",
        "OAZVIGQAIXIVMJCNKZGA",
    ),
    (
        "token of a node",
        "$ sudo cat /srv/k3s/server/node-token\n{}",
        "K10{hex:64}::server:{hex:32}",
    ),
    (
        "list of users",
        ";; userlist.txt\n\"wolf\" \"{}\"",
        "1qfU{plain:16}",
    ),
    (
        "variable of a test",
        "${USER}        qa_user\n${PASSWORD}    {}",
        "Shadow@silver{digits:2}",
    ),
    (
        "setup key",
        "Enter this setup key into your authenticator app:\n\n{}\n\nAccount: bob",
        "5VFA FRQM IGYE DYSY Z7AM YSEO TU6S E2LO",
    ),
    (
        "third argument",
        "webpush.setVapidDetails('mailto:bob@example.com', publicKey, '{}');",
        "QLhcF8xi{plain:35}",
    ),
    (
        "printed by a generator",
        "$ openssl rand -base64 24\n{}",
        "oOb{plain:29}",
    ),
];

#[test]
fn credentials_in_their_places_go() {
    check(ROWS);
}

#[test]
fn every_key_of_a_list_goes() {
    let keys = "APP_KEYS=LqPzeUwC311oqAyKza4YVg==,JeN9DBdVuviVpJZTrn6BXg==";
    assert_eq!(Masker::default().mask(keys), "APP_KEYS=***,***");
}

#[test]
fn arguments_on_the_next_line_go() {
    let call = "auth = tweepy.OAuth1UserHandler(\n    \"QAtlzbhJ2QyXwNNULLqE4OnZq\", \"jWM0YdBT8dw4eQ16KWxSadt60oFbC0UIcI9PUiUFZLgBkhlduA\",\n)";
    let masked = Masker::default().mask(call).into_owned();
    assert!(!masked.contains("jWM0"), "{masked}");
}
