//! Documentation, listings and output of programs in the place of a value: help texts, changelogs,
//! shortcuts, names of files and commits, reports of tests.

use std::sync::LazyLock;

use super::place::Place;
use crate::text::{is_hex, is_word};
use crate::value;
use crate::words::WordSet;

/// Keys that have a name.
static PRESSED: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(
        "space tab enter return escape esc delete backspace insert home end pageup pagedown up down left right comma period click",
    )
});

/// Words that begin the explanation of an option.
static PROSE: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new("force use uses prints print show shows ask asks specify specifies supply always")
});

pub(super) fn any(place: &Place<'_>) -> bool {
    is_explained(place)
        || is_prose_after_option(place)
        || is_commit(place)
        || is_image_tag(place)
        || is_title_in_address(place)
        || is_media_file(place)
        || is_passed_test(place)
        || is_process(place)
        || is_account_line(place.shown)
        || is_mounted_secret(place)
        || is_option_name(place)
        || is_shortcut(place.shown)
        || is_author(place.shown)
        || is_marked_word(place)
        || is_cell_of_options(place)
        || is_command_with_gaps(place)
        || is_diagram(place)
        || is_listed_id(place)
        || is_word_for_value(place.shown)
        || is_rule_of_form(place.shown)
        || is_heading(place)
        || is_public_digest(place)
}

/// The text beside an option: `  -W, --password    force password prompt`. Only options stand before
/// it: after a command, the word is what the option is set to.
fn is_explained(place: &Place<'_>) -> bool {
    let option = place.before.trim_end();
    let mut names = option.split([' ', ',', '"', '\t']);
    place.before.len() >= option.len() + 2
        && names.all(|name| name.is_empty() || name.starts_with('-'))
        && option.contains("--")
        && is_word_of_prose(place)
        && place.words_after() >= 1
}

/// "Typing --with-token repeatedly is time-consuming": a sentence goes on behind the option.
fn is_prose_after_option(place: &Place<'_>) -> bool {
    let name = place
        .before
        .trim_end()
        .rsplit(' ')
        .next()
        .unwrap_or_default();
    name.starts_with("--") && is_word_of_prose(place) && place.words_after() >= 3
}

/// A word that explains. Any other one is what people choose as a password.
fn is_word_of_prose(place: &Place<'_>) -> bool {
    let shown = place.shown;
    place.is_word()
        && (value::is_plain_word(shown)
            || value::is_sentence_word(shown)
            || PROSE.contains(shown)
            || shown.len() >= 8 && shown.ends_with("edly"))
}

/// A commit in the address of a repository: `/commit/9fceb02…`, `/blob/9fceb02…/README.md`.
fn is_commit(place: &Place<'_>) -> bool {
    let folders = [
        "/commit/",
        "/commits/",
        "/blob/",
        "/tree/",
        "/raw/",
        "/compare/",
        "/blame/",
        "/archive/",
    ];
    (7..=64).contains(&place.shown.len())
        && place.all(is_hex)
        && folders.iter().any(|it| place.before.ends_with(it))
}

/// `rust:1.92-alpine3.22@sha256:…`: the digest of an image follows its tag.
fn is_image_tag(place: &Place<'_>) -> bool {
    let digest = place.after.strip_prefix("@sha256:").unwrap_or_default();
    digest.bytes().take_while(|byte| is_hex(*byte)).count() >= 32 && !place.before.ends_with("://")
}

/// The title of a page in its address: `/t/new-iec62056-21-component/555236`. The groups of a drawn
/// code are shorter, and more of them have digits.
fn is_title_in_address(place: &Place<'_>) -> bool {
    let words = || place.shown.split('-');
    let letter = |byte: u8| byte.is_ascii_lowercase();
    let wordy = words().filter(|word| word.len() >= 3 && word.bytes().all(letter));
    let mixed = words()
        .filter(|word| word.bytes().any(letter) && word.bytes().any(|byte| byte.is_ascii_digit()));
    place.before.ends_with(['/', '-'])
        && place.before.contains("://")
        && words().count() >= 4
        && wordy.count() * 2 >= words().count()
        && mixed.count() <= 1
        && place.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// A picture or a page by the end of its name, in a folder or in small letters: people do choose
/// `Hunter2.css`.
fn is_media_file(place: &Place<'_>) -> bool {
    let below = place.before.ends_with('/') || place.shown.contains('/');
    place.shown.rsplit_once('.').is_some_and(|(name, kind)| {
        !name.is_empty()
            && (below
                || name
                    .bytes()
                    .all(|byte| !byte.is_ascii_digit() && !byte.is_ascii_uppercase()))
            && matches!(
                kind,
                "png"
                    | "jpg"
                    | "jpeg"
                    | "gif"
                    | "svg"
                    | "webp"
                    | "ico"
                    | "mmdb"
                    | "html"
                    | "md"
                    | "rst"
                    | "woff2"
                    | "css"
            )
            && name
                .bytes()
                .all(|byte| is_word(byte) || matches!(byte, b'-' | b'.' | b'/' | b'@'))
    })
}

/// `--- PASS: TestIntMin/2,-2 (0.00s)`, `PASS src/login.test.ts`. `DB_PASS:` and the `PASS:` below
/// a `USER:` have passwords behind them, which may begin with `test`, too.
fn is_passed_test(place: &Place<'_>) -> bool {
    let shown = place.shown;
    let named = place.all(|byte| is_word(byte) || b"/:,-.".contains(&byte));
    let case = shown
        .strip_prefix("Test")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    let letters = place.all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    let file = [".js", ".jsx", ".ts", ".tsx", ".mjs", ".py", ".rb", ".php"]
        .iter()
        .any(|kind| shown.ends_with(kind));
    named
        && match place.before.trim() {
            "--- PASS:" => true,
            "PASS:" => case && letters || shown.contains("::"),
            "PASS" => shown.contains('/') && file,
            _ => false,
        }
}

/// The number of a process in a log: `passwd[9999]:`.
fn is_process(place: &Place<'_>) -> bool {
    let program = place.before.strip_suffix('[').unwrap_or_default();
    program.ends_with(|c: char| c.is_ascii_alphanumeric())
        && place.after.starts_with("]:")
        && place.all(|byte| byte.is_ascii_digit())
}

/// A line of the list of accounts, whose passwords are elsewhere: `bob:x:1001:1001::/var:/bin/false`.
fn is_account_line(shown: &str) -> bool {
    let mut fields = shown.split(':');
    let number = |field: Option<&str>| {
        field.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
    };
    fields.next().is_some_and(|user| !user.is_empty())
        && matches!(fields.next(), Some("x" | "*" | "!"))
        && number(fields.next())
        && number(fields.next())
}

/// `docker build --secret id=npm,env=NPM_TOKEN`, `--mount=type=secret,id=npm`: a name for the build.
fn is_mounted_secret(place: &Place<'_>) -> bool {
    let named = |it: &str| {
        it.starts_with("id=")
            || it.starts_with("type=")
            || it.starts_with("src=")
            || it.starts_with("env=")
    };
    let option = place.before.trim_end_matches([' ', '=', '"', '\'']);
    let of_build = ["--secret ", "--secret=", "type=secret"]
        .iter()
        .any(|it| place.before.contains(it));
    let list = of_build
        && [" id=", ",id=", "=id=", "\"id=", "'id="]
            .iter()
            .any(|it| place.before.ends_with(it))
        && [",src=", ",env=", ",target=", ",source=", ",dst="]
            .iter()
            .any(|it| place.after.starts_with(it));
    named(place.shown) && (option.ends_with("--secret") || option.contains("type=secret")) || list
}

/// `--docker-email=`: the next option of a command, without its value; `-alias <key>`.
fn is_option_name(place: &Place<'_>) -> bool {
    let short = place.shown.strip_prefix('-').unwrap_or_default();
    let gap = place.after.starts_with(" <");
    gap && !short.is_empty() && short.bytes().all(|byte| byte.is_ascii_lowercase())
        || place.shown.starts_with("--")
            && place.shown.strip_suffix('=').is_some_and(|name| {
                name[2..]
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            })
}

/// `Ctrl+Shift+Y`: keys to press, and none is a word that someone chose.
fn is_shortcut(shown: &str) -> bool {
    let held = |key: &str| {
        matches!(
            key,
            "Ctrl"
                | "Alt"
                | "Shift"
                | "Cmd"
                | "Command"
                | "Meta"
                | "Super"
                | "MacCtrl"
                | "CmdOrCtrl"
                | "CommandOrControl"
                | "Control"
                | "Option"
        )
    };
    let function = |key: &str| {
        key.strip_prefix('F')
            .and_then(|it| it.parse::<u8>().ok())
            .is_some_and(|number| (1..=24).contains(&number))
    };
    shown.split_once(['+', '-']).is_some_and(|(first, rest)| {
        held(first)
            && rest
                .split(['+', '-'])
                .all(|key| key.len() == 1 || held(key) || function(key) || PRESSED.contains(key))
    })
}

/// Who made a change, in a changelog: "fix the password ([@bob] - #8335)".
fn is_author(shown: &str) -> bool {
    shown.trim_start_matches(['(', '[']).starts_with('@')
        && shown.starts_with(['(', '['])
        && shown
            .trim_matches(['(', ')', '[', ']', '@', ','])
            .bytes()
            .all(|byte| is_word(byte) || byte == b'-')
}

/// A name that documentation marks: `+attr_name+`, `+--no-banner+`.
fn is_marked_word(place: &Place<'_>) -> bool {
    let inner = place
        .shown
        .strip_prefix('+')
        .and_then(|it| it.strip_suffix('+'));
    inner.is_some_and(|it| {
        (it.contains('_') || it.starts_with("--"))
            && it
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-'))
    })
}

/// A cell of a table of settings, before their type: `` | `ghtoken` | `cache-to` | String | ``.
fn is_cell_of_options(place: &Place<'_>) -> bool {
    place.before.ends_with('`')
        && TYPES.iter().any(|it| place.after.starts_with(it))
        && place.before.contains('|')
        && place.shown.split('-').count() == 2
        && place
            .shown
            .split('-')
            .all(|word| word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_lowercase()))
}

const TYPES: &[&str] = &[
    "` | String",
    "` | string",
    "` | Bool",
    "` | bool",
    "` | List",
    "` | Number",
];

/// A command with gaps to fill in: `reg delete {{key_name}} /f`.
fn is_command_with_gaps(place: &Place<'_>) -> bool {
    place.before.ends_with('`')
        && place.after.starts_with('`')
        && place.shown.contains(' ')
        && (place.shown.contains("{{") || place.shown.contains('<') && place.shown.contains('>'))
}

const EDITORS: &[&str] = &["/edit#", "/edit/#", "/view#", "/view/#"];

/// A diagram in the address of its editor: `…/edit#eyJjb2Rl…`, or the cursor at which a list goes
/// on. After any other address it may be a token.
fn is_diagram(place: &Place<'_>) -> bool {
    let name = place
        .before
        .trim_end_matches([' ', '"', '\'', ':', '=', '\\']);
    place.shown.starts_with("eyJ")
        && !place.shown.contains('.')
        && (EDITORS.iter().any(|it| place.before.ends_with(it))
            || name.to_ascii_lowercase().ends_with("cursor"))
}

/// The id of an object in the first column of a list: `eo7jnzguqgtpdah3cm5srfb97   my_secret`.
fn is_listed_id(place: &Place<'_>) -> bool {
    let columns = place.after.trim_start_matches([' ', '*']);
    let (_, behind_name) = columns.split_once(' ').unwrap_or_default();
    place.shown.len() == 25
        && (behind_name.is_empty() || behind_name.starts_with(' '))
        && place.before.trim_matches([' ', '|']).is_empty()
        && (place.after.starts_with("  ") || place.after.starts_with(" *"))
        && place.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// `OAUTH-TOKEN`, `PERSONAL_ACCESS_TOKEN`, `[FILTERED]`: words in capitals that stand for the value.
fn is_word_for_value(shown: &str) -> bool {
    let words = || shown.split(['-', '_', ' ']);
    let stands = |word: &str| {
        matches!(
            word,
            "TOKEN"
                | "KEY"
                | "PASSWORD"
                | "SECRET"
                | "PASS"
                | "PASSWD"
                | "FILTERED"
                | "CREDENTIALS"
                | "JWT"
        )
    };
    words().any(stands)
        && words()
            .all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase()))
}

/// What a form demands of a field: `min:8`, `confirmed`, `required|min:8`.
fn is_rule_of_form(shown: &str) -> bool {
    let number = |byte: u8| byte.is_ascii_digit() || byte == b',';
    let name = |byte: u8| byte.is_ascii_lowercase() || b"_,.".contains(&byte);
    let rule = |part: &str| match part.split_once(':') {
        Some((_, "")) => false,
        Some(("min" | "max" | "size" | "digits" | "between", rest)) => rest.bytes().all(number),
        Some(("same" | "unique" | "exists" | "required_if" | "required_with", rest)) => {
            rest.bytes().all(name)
        }
        Some(("regex", rest)) => rest.starts_with('/'),
        Some(_) => false,
        None => matches!(
            part,
            "required"
                | "nullable"
                | "confirmed"
                | "sometimes"
                | "string"
                | "filled"
                | "present"
                | "current_password"
        ),
    };
    shown.split('|').all(rule)
}

/// A key that its provider prints in its own manual, and that says so: `…CYEXAMPLEKEY`.
pub(super) fn is_published_example(shown: &str) -> bool {
    shown.len() >= 20
        && (shown.ends_with("EXAMPLEKEY")
            || shown.starts_with("AKIA") && shown.ends_with("EXAMPLE"))
}

/// A link to a heading of the same page: `[Argon2id](#argon2id)`.
fn is_heading(place: &Place<'_>) -> bool {
    place.before.ends_with("](") && place.shown.starts_with('#') && place.after.starts_with(')')
}

/// The id of a COM class, or a key that gpg fetches.
fn is_public_digest(place: &Place<'_>) -> bool {
    let received = ["--recv-keys ", "--recv-key ", "--recv ", "clsid:", "CLSID:"];
    received.iter().any(|it| place.before.ends_with(it))
        && place.all(|byte| is_hex(byte) || byte == b'-')
}
