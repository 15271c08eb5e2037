//! robots.txt after RFC 9309: the longest matching rule of the most specific group decides.
//!
//! Rules and paths are compared in one spelling ([`normalized`]), so that no other way to write a
//! path gets around a rule.

/// The rules of one site for one robot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Robots {
    rules: Vec<RobotsRule>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct RobotsRule {
    allow: bool,
    pattern: String,
}

/// Bytes of a file that are parsed: the least that the RFC asks for.
const MAX_BYTES: usize = 500 * 1024;
const MAX_RULES: usize = 5_000;
const MAX_PATTERN: usize = 2_000;

impl Robots {
    /// Rules that forbid nothing.
    pub(super) fn allow_all() -> Robots {
        Robots::default()
    }

    /// The rules that a file has for a robot of this name.
    pub(super) fn parse(file: &str, robot: &str) -> Robots {
        let mut cut = file.len().min(MAX_BYTES);
        while !file.is_char_boundary(cut) {
            cut -= 1;
        }
        let groups = groups(&file[..cut]);
        let named: Vec<RobotsRule> = rules_for(&groups, |agent| names_robot(agent, robot));
        let named_group_exists = groups
            .iter()
            .any(|group| group.agents.iter().any(|agent| names_robot(agent, robot)));
        let mut rules = if named_group_exists {
            named
        } else {
            rules_for(&groups, |agent| agent == "*")
        };
        rules.truncate(MAX_RULES);
        Robots { rules }
    }

    /// Whether a path (with its query) may be read.
    pub(super) fn allows(&self, path: &str) -> bool {
        let path = normalized(path, Wildcards::None);
        if path == "/robots.txt" {
            return true;
        }
        let longest = self
            .rules
            .iter()
            .filter(|rule| matches(&rule.pattern, &path))
            .max_by_key(|rule| (rule.pattern.len(), rule.allow));
        longest.is_none_or(|rule| rule.allow)
    }
}

struct RobotsGroup {
    agents: Vec<String>,
    rules: Vec<RobotsRule>,
}

fn groups(file: &str) -> Vec<RobotsGroup> {
    let mut groups: Vec<RobotsGroup> = Vec::new();
    let mut naming = false;
    for (key, value) in file.split(['\r', '\n']).filter_map(field) {
        match key.as_str() {
            "user-agent" => {
                if !naming {
                    groups.push(RobotsGroup {
                        agents: Vec::new(),
                        rules: Vec::new(),
                    });
                }
                naming = true;
                if let Some(group) = groups.last_mut() {
                    group.agents.push(value.to_ascii_lowercase());
                }
            }
            "allow" | "disallow" => {
                naming = false;
                // `Disallow:` without a pattern forbids nothing.
                if let Some(group) = groups
                    .last_mut()
                    .filter(|_| !value.is_empty() && value.len() <= MAX_PATTERN)
                {
                    group.rules.push(RobotsRule {
                        allow: key == "allow",
                        pattern: normalized(value, Wildcards::Kept),
                    });
                }
            }
            _ => {}
        }
    }
    groups
}

fn field(line: &str) -> Option<(String, &str)> {
    let line = line.split('#').next()?.trim_start_matches('\u{FEFF}');
    let (key, value) = line.split_once(':')?;
    Some((key.trim().to_ascii_lowercase(), value.trim()))
}

fn rules_for(groups: &[RobotsGroup], wanted: impl Fn(&str) -> bool) -> Vec<RobotsRule> {
    groups
        .iter()
        .filter(|group| group.agents.iter().any(|agent| wanted(agent)))
        .flat_map(|group| group.rules.clone())
        .collect()
}

/// Whether a group's user agent (`fingerpost`, `Fingerpost/1.0`) names this robot.
fn names_robot(agent: &str, robot: &str) -> bool {
    let name: &str = agent.split(['/', ' ']).next().unwrap_or(agent);
    !name.is_empty() && name != "*" && robot.to_ascii_lowercase() == name
}

/// Whether `*` and a final `$` mean something in a text, or are characters like others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wildcards {
    Kept,
    None,
}

/// One spelling for every way to write a path (RFC 9309, 2.2.2): what needs no escape is not
/// escaped, everything that does is, with capital digits. A reserved character and its escape stay
/// different in the path, where they name different pages, but not in the query.
fn normalized(text: &str, wildcards: Wildcards) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(bytes.len());
    let (mut at, mut in_query) = (0, false);
    while let Some(&byte) = bytes.get(at) {
        let escaped = escaped_byte(&bytes[at..]);
        let is_last = at + 1 == bytes.len();
        let is_wildcard = byte == b'*' || byte == b'$' && is_last;
        at += if escaped.is_some() { 3 } else { 1 };
        in_query |= byte == b'?';
        let keeps = match escaped {
            Some(byte) => is_unreserved(byte) || in_query && b":/?@".contains(&byte),
            None if is_wildcard => wildcards == Wildcards::Kept,
            None => is_unreserved(byte) || b":/?#[]@!&'()+,;=".contains(&byte),
        };
        let byte = escaped.unwrap_or(byte);
        if keeps {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// The byte that `%2F` at the beginning stands for.
fn escaped_byte(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else {
        return None;
    };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// Matches a pattern in which `*` stands for any text and a final `$` for the end of the path. Each
/// part is taken at its first place after the one before, without backtracking, so it is linear.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, anchored) = pattern
        .strip_suffix('$')
        .map_or((pattern, false), |rest| (rest, true));
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| path.strip_prefix(first)) else {
        return false;
    };
    let mut rest = rest;
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return !anchored || rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() && anchored {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(file: &str, path: &str) -> bool {
        Robots::parse(file, "fingerpost").allows(path)
    }

    #[test]
    fn the_longest_rule_decides_and_allow_wins_a_tie() {
        let file =
            "User-agent: *\nDisallow: /shop\nAllow: /shop/help\nAllow: /tie\nDisallow: /tie\n";
        assert!(!allows(file, "/shop/cart"));
        assert!(allows(file, "/shop/help/me"));
        assert!(allows(file, "/tie"));
        assert!(allows(file, "/"));
        assert!(allows("User-agent: *\nDisallow: /\n", "/robots.txt"));
    }

    #[test]
    fn a_line_may_end_as_on_old_machines() {
        assert!(!allows("User-agent: *\rDisallow: /a\r", "/a/b"));
        assert!(!allows("User-agent: *\r\nDisallow: /a\r\n", "/a/b"));
    }

    #[test]
    fn a_group_that_names_the_robot_replaces_the_general_one() {
        let file = "User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: Fingerpost/2\nDisallow: /private # ours\n";
        assert!(allows(file, "/open"));
        assert!(!allows(file, "/private/x"));
        assert!(!Robots::parse(file, "somebody").allows("/open"));
        assert!(
            allows("User-agent: finger\nDisallow: /\n", "/open"),
            "another robot's name may begin like ours"
        );
    }

    #[test]
    fn patterns_have_wildcards_and_anchors() {
        let file = "user-agent:*\ndisallow:/*.pdf$\ndisallow:/a*b*c\ndisallow:/exact$\n";
        assert!(!allows(file, "/x/y.pdf"));
        assert!(allows(file, "/x/y.pdf?download"));
        assert!(!allows(file, "/a1b2c3"));
        assert!(allows(file, "/a1c2b3"));
        assert!(!allows(file, "/exact"));
        assert!(allows(file, "/exactly"));
    }

    #[test]
    fn no_spelling_of_a_path_gets_around_a_rule() {
        let same = [
            ("/admin", "/%61dm%69n"),
            ("/%61dmin", "/admin"),
            ("/caf\u{e9}", "/caf%C3%A9"),
            ("/caf%c3%a9", "/caf%C3%A9"),
            ("/a b", "/a%20b"),
            ("/tilde/~me", "/tilde/%7Eme"),
            ("/q?u=https://foo.example", "/q?u=https%3A%2F%2Ffoo.example"),
            ("/q?u=https%3A%2F%2Ffoo.example", "/q?u=https://foo.example"),
            ("/100%", "/100%25"),
            ("/price%24", "/price$"),
            ("/*/secret%2A", "/x/secret*"),
        ];
        for (rule, path) in same {
            let file = format!("User-agent: *\nDisallow: {rule}\n");
            assert!(!allows(&file, path), "{rule} {path}");
        }
        let different = [("/a%2Fb", "/a/b"), ("/a/b", "/a%2Fb"), ("/x$", "/x$y")];
        for (rule, path) in different {
            let file = format!("User-agent: *\nDisallow: {rule}\n");
            assert!(allows(&file, path), "{rule} {path}");
        }
    }

    #[test]
    fn files_without_valid_rules_forbid_nothing() {
        for file in [
            "",
            "<html>not found</html>",
            "Disallow: /",
            "User-agent: *\nDisallow:\n",
            "\u{FEFF}User-agent *",
        ] {
            assert!(allows(file, "/page"), "{file}");
        }
        assert!(!allows("\u{FEFF}User-agent: *\r\nDisallow: /\r\n", "/page"));
    }

    #[test]
    fn hostile_patterns_take_linear_time() {
        let file = format!("User-agent: *\nDisallow: /{}x$\n", "*a".repeat(900));
        assert!(allows(&file, &format!("/{}", "a".repeat(100_000))));
    }
}
