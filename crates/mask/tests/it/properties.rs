//! What must hold for any text: configured secrets never survive, masking settles, clean text is
//! untouched, time is linear.

use mask::Masker;
use proptest::prelude::*;
use serde_json::{Value, json};
use url::Url;

fn base64(bytes: &[u8], url_safe: bool) -> String {
    let alphabet: Vec<char> = ('A'..='Z')
        .chain('a'..='z')
        .chain('0'..='9')
        .chain(if url_safe { ['-', '_'] } else { ['+', '/'] })
        .collect();
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .fold(0u32, |sum, byte| sum << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        (0..=chunk.len())
            .for_each(|digit| out.push(alphabet[(bits >> (18 - 6 * digit) & 63) as usize]));
    }
    out
}

/// Fragments that make recognisers work, mixed with anything.
fn tricky() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "key=",
        "password: ",
        "\"token\":\"",
        "Bearer ",
        "Basic ",
        "https://",
        "@",
        ":",
        "=",
        "\"",
        "'",
        "\\\"",
        "eyJ",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END",
        "***",
        "Cookie: a=",
        "; ",
        "?",
        "&",
        "%3D",
        "curl -u ",
        "mysql -p",
        "sk-",
        "ghp_",
        "AKIA",
        "$2b$12$",
        ":5432:",
        "“",
        "”",
        "密码",
        "\n",
        "\r\n",
        " is ",
        " for ",
        "Authorization: ",
        "Digest response=\"",
        "<password>",
        "|",
        "value",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "aB3dE5gH7jK9mN1pQ3sT5vW7yZ",
        "x7#Qm2!vTz9Lp",
        "$ cat db.key\n",
        "user ",
        "[09:15] Jens: `",
        "50 E0 A2 BD B8 20 F5 4D 0D 91 8A E0 ",
        "cis2 ucsz nka7 ba4x ",
        "\" +\n\"",
        "hunter2",
        "identified by ",
        "phrase: ",
        "/reset/",
        "hooks.slack.com/services/",
        ":AA",
        "-us1",
        "Q~",
        "\\n",
        "&quot;",
        "MTA",
        "pat",
        "jwt",
        ",",
        "--token ",
        "_pw=",
        "`",
    ]);
    prop::collection::vec(prop_oneof![4 => pieces.prop_map(str::to_owned), 1 => "[a-zA-Z0-9]{1,24}", 1 => "\\PC{0,6}"], 0..24)
        .prop_map(|parts| parts.concat())
}

/// Short words are masked only where they stand alone.
fn is_short_word(secret: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    secret.chars().count() < 8 && secret.chars().all(is_word)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_configured_secret_never_survives(secret in "[ -~é漢]{4,40}", before in tricky(), after in tricky()) {
        let secret = secret.trim().to_owned();
        prop_assume!(secret.chars().count() >= 4 && !secret.contains('*') && !is_short_word(&secret));
        let masker = Masker::new([&secret]);
        let masked = masker.mask(&format!("{before}{secret}{after}")).into_owned();
        prop_assert!(!masked.contains(&secret), "{masked}");
    }

    #[test]
    fn nor_in_disguise(secret in "[ -~é]{4,40}", user in "[a-z]{1,7}") {
        let secret = secret.trim().to_owned();
        prop_assume!(secret.chars().count() >= 4 && !secret.contains('*'));
        let masker = Masker::new([&secret]);
        let quoted = Value::from(secret.as_str()).to_string();
        let escaped = quoted[1..quoted.len() - 1].to_owned();
        let mut disguises = vec![url::form_urlencoded::byte_serialize(secret.as_bytes()).collect::<String>(), escaped];
        let mut address = Url::parse("https://example.com/").unwrap();
        address.query_pairs_mut().append_pair("x", &secret);
        disguises.push(address.query().unwrap()[2..].to_owned());
        for url_safe in [false, true] {
            disguises.push(base64(secret.as_bytes(), url_safe));
            disguises.push(base64(format!("{user}:{secret}").as_bytes(), url_safe));
        }
        for disguise in disguises.iter().filter(|disguise| disguise.len() >= 4) {
            let masked = masker.mask(&format!("seen ({disguise}) here")).into_owned();
            prop_assert!(!masked.contains(disguise.as_str()), "{disguise} in {masked}");
        }
    }

    #[test]
    fn masking_settles(text in tricky()) {
        let once = Masker::default().mask(&text).into_owned();
        let twice = Masker::default().mask(&once).into_owned();
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn any_bytes_are_safe(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes);
        let once = Masker::default().mask(&text).into_owned();
        prop_assert_eq!(Masker::default().mask(&once), once.as_str());
    }

    #[test]
    fn plain_words_are_untouched(words in prop::collection::vec("[a-z]{1,12}", 0..40)) {
        // Four groups of four drawn letters are what a provider issues as a password for an app.
        let is_issued = |four: &[String]| four.iter().all(|word| word.len() == 4);
        prop_assume!(!words.windows(4).any(is_issued));
        let text = words.join(" ");
        prop_assert_eq!(Masker::default().mask(&text), text.as_str());
    }

    #[test]
    fn json_keeps_its_shape(text in tricky(), number in any::<i64>()) {
        let mut value = json!({"a": [text.clone(), number, null, true], "b": {"c": text}});
        Masker::default().mask_json(&mut value);
        prop_assert_eq!(value["a"].as_array().map(Vec::len), Some(4));
        prop_assert_eq!(&value["a"][1], &json!(number));
        prop_assert!(value["b"]["c"].is_string());
    }
}

#[test]
fn clean_text_is_borrowed() {
    let masked = Masker::new(["configured-secret"]);
    assert!(matches!(
        masked.mask("nothing here"),
        std::borrow::Cow::Borrowed(_)
    ));
}

#[test]
fn blank_secrets_are_ignored() {
    assert_eq!(Masker::new(["", "  ", "\n"]).mask("a b c"), "a b c");
}

#[test]
fn json_values_under_sensitive_keys_go() {
    let mut value = json!({
        "password": "swordfish", "pin_password": 12345678, "apiKey": "abcdefgh12345678", "headers": {"Authorization": "Bearer abc123def456", "Cookie": "sid=0123456789abcdef; theme=dark", "Accept": "text/html"},
        "list": [{"name": "X-API-Key", "value": "0123456789abcdef0123"}], "api_keys": ["k1k1k1k1k1k1k1k1", "${KEY}"], "cookies": {"sessionid": "0123456789abcdef"}, "max_tokens": 4096, "primary_key": "id", "query": "what is a token",
        "sessionId": "123e4567-e89b-12d3-a456-426614174000", "nested": {"db": {"url": "postgres://bob:hunter2@db/x"}}, "secret": {"value": "abcdefgh12345678"}, "password_reset": "page", "token": null, "mnemonic": "legal winner thank year wave",
    });
    Masker::default().mask_json(&mut value);
    assert_eq!(
        value,
        json!({
            "password": "***", "pin_password": "***", "apiKey": "***", "headers": {"Authorization": "Bearer ***", "Cookie": "sid=***; theme=dark", "Accept": "text/html"},
            "list": [{"name": "X-API-Key", "value": "***"}], "api_keys": ["***", "${KEY}"], "cookies": {"sessionid": "***"}, "max_tokens": 4096, "primary_key": "id", "query": "what is a token",
            "sessionId": "123e4567-e89b-12d3-a456-426614174000", "nested": {"db": {"url": "postgres://bob:***@db/x"}}, "secret": {"value": "***"}, "password_reset": "page", "token": null, "mnemonic": "***",
        })
    );
}

#[test]
fn json_keys_are_masked_too() {
    let mut value = json!({"the-configured-secret": 1});
    Masker::new(["the-configured-secret"]).mask_json(&mut value);
    assert_eq!(value, json!({"***": 1}));
}

#[test]
fn a_short_secret_changes_no_words_and_no_names() {
    let masker = Masker::new(["k", "lab", "kind"]);
    assert_eq!(
        masker.mask("kind upstream_unavailable: ask the lab"),
        "*** upstream_unavailable: ask the ***"
    );
    let mut value = json!({"kind": "upstream_unavailable", "lab": "lab", "cx": "k"});
    masker.mask_json(&mut value);
    assert_eq!(
        value,
        json!({"kind": "upstream_unavailable", "lab": "***", "cx": "***"})
    );
}

#[test]
fn deep_json_does_not_overflow() {
    let mut value = json!("x");
    for _ in 0..2_000 {
        value = Value::Array(vec![value]);
    }
    Masker::default().mask_json(&mut value);
    // Taken apart by hand: dropping a deep value recurses as well.
    while let Value::Array(mut items) = value {
        value = items.pop().unwrap_or_default();
    }
}

#[test]
fn the_id_of_a_research_session_is_shown() {
    let told = json!({"sessionId": "ses_236n7d7s84fk3iyucyqe", "nextStepNumber": 2});
    let mut value = told.clone();
    Masker::default().mask_json(&mut value);
    assert_eq!(value, told);
    let line = told.to_string();
    assert_eq!(Masker::default().mask(&line), line);
}

#[test]
fn the_password_of_an_address_goes_whatever_stands_before_it() {
    let url = url::Url::parse("s://'*,:hunter2@host/").unwrap();
    assert_eq!(Masker::default().mask_url(&url), "s://'*,:***@host/");
}

#[test]
fn an_address_stays_one_although_its_port_reads_like_a_password() {
    let url = Url::parse("J://\u{262}pw:778").unwrap();
    let shown = Masker::default().mask_url(&url);
    assert!(Url::parse(&shown).is_ok(), "{shown}");
}

#[test]
fn addresses_keep_everything_but_their_secrets() {
    for (url, shown) in [
        (
            "https://bob:hunter2@example.com/a?page=2&token=abcdef123456#x",
            "https://bob:***@example.com/a?page=2&token=***#x",
        ),
        (
            "https://example.com/cb?code=4%2F0AbCdEf123456789&state=s#access_token=abcdef123456&x=1",
            "https://example.com/cb?code=***&state=s#access_token=***&x=1",
        ),
        (
            "https://example.com/?q=api+key&sort=key&page=2",
            "https://example.com/?q=api+key&sort=key&page=2",
        ),
        (
            "redis://:p4ssw0rd@cache:6379/0",
            "redis://:***@cache:6379/0",
        ),
        (
            "https://s3.example.com/k?X-Amz-Credential=AKIA7ABCDEFGHIJKLMNO%2F20240501&X-Amz-Signature=0123456789abcdef0123456789abcdef&X-Amz-Expires=60",
            "https://s3.example.com/k?X-Amz-Credential=***&X-Amz-Signature=***&X-Amz-Expires=60",
        ),
    ] {
        assert_eq!(Masker::default().mask_url(&Url::parse(url).unwrap()), shown);
    }
}

/// Quadratic work on five megabytes would take hours; the bound is generous for slow machines.
#[test]
fn hostile_text_takes_linear_time() {
    let start = std::time::Instant::now();
    for piece in [
        "key=",
        "eyJ",
        "://",
        "-----BEGIN",
        "Bearer ",
        "-----BEGIN PRIVATE KEY-----",
        "password=\"",
        "a:b@",
        "cookie: a=",
        "$6$",
        "Authorization: Digest a=",
        "://a:b",
        "password for ",
        "?code=",
        "sk-",
        "'key',",
        "api_key=r3UgNP4CH9+Y7CUyK8Z4zWL \\\"x\\\" ",
        "token=\\x41IzDm6AJKxgUdMESm ",
        "id,token\n",
        "key</th>",
        "kind: Secret data:{a:bbbbbbbb",
    ] {
        let size = if cfg!(debug_assertions) {
            1_000_000
        } else {
            5_000_000
        };
        let text = piece.repeat(size / piece.len());
        let masked = Masker::default().mask(&text);
        assert!(masked.len() <= text.len() + 3);
    }
    assert!(
        start.elapsed().as_secs() < 300,
        "hostile text took {:?}",
        start.elapsed()
    );
}

/// A token that is not masked by itself: only its column says what it is.
fn cell(row: usize) -> String {
    format!("Qx7+{row:04}Zk9wLm2Rt8vPyUeWb")
}

fn csv(rows: usize) -> String {
    let lines = (0..rows).map(|row| format!("{row},user{row},{}\n", cell(row)));
    format!("id,name,token\n{}", lines.collect::<String>())
}

#[test]
fn every_row_of_a_long_table_is_masked() {
    let masked = Masker::default().mask(&csv(500)).into_owned();
    assert!((0..500).all(|row| !masked.contains(&cell(row))));
}

#[test]
fn an_escape_elsewhere_unmasks_nothing() {
    let table = csv(60) + "the password was \\\"none\\\" then\n";
    let masked = Masker::default().mask(&table).into_owned();
    assert!((0..60).all(|row| !masked.contains(&cell(row))), "{masked}");
    let key = "r3UgNP4CH9aaaaa+Y7CUyK8Z4zWLbbb";
    for filler in 400..620 {
        let filler = "lorem ipsum ".repeat(60)[..filler].to_owned();
        let text = format!("secret_key = {key}\n{filler}\npassword \\\"none\\\"");
        assert!(!Masker::default().mask(&text).contains(key), "{text}");
    }
}

#[test]
fn a_secret_object_does_not_hide_a_web_key_after_it() {
    let text = "kind: Secret is what we use.\n{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE\"}";
    assert!(!Masker::default().mask(text).contains("870MB6gfuTJ4"));
}

/// The name of a character set is one byte, and what hostile text puts there may be longer.
#[test]
fn an_escape_before_a_long_character_is_safe() {
    for text in [
        "\u{1b}(• password=hunter2-77",
        "i:*:\u{1b}(•••\u{0} 2 key",
        "\u{1b})é",
    ] {
        assert!(!Masker::default().mask(text).contains("hunter2"));
    }
}

/// `encoded` is `id:key` in base64, and nothing else says so.
#[test]
fn a_secret_that_was_found_is_found_in_base64_too() {
    let text = r#"{"id":"bxFWdY4bfZaWQKg0PN1I","api_key":"XhrU9DXj9GFRrjU9Rkze0g","encoded":"YnhGV2RZNGJmWmFXUUtnMFBOMUk6WGhyVTlEWGo5R0ZScmpVOVJremUwZw=="}"#;
    let masked = Masker::default().mask(text).into_owned();
    assert!(!masked.contains("YnhGV2RZNGJmWmFX"), "{masked}");
}

/// A trace of a request puts the offset of its bytes before each line.
#[test]
fn a_token_goes_on_behind_the_offsets_of_a_dump() {
    let text = "005b: Authorization: Bearer eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCIsImtpZC\n\
        009b: I6ImFmNmRjODM0MDdkOTdkYjEifQ.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1\n00db: 2rDORY-IbOoef2KQ\n01ed: \n";
    let masked = Masker::default().mask(text).into_owned();
    assert!(!masked.contains("I6ImFmNmRjODM0"), "{masked}");
    assert!(!masked.contains("2rDORY-IbO"), "{masked}");
}
