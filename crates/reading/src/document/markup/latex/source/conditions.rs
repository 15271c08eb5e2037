//! Conditions: what is left out because the outcome of one is known.

use super::Preparer;

impl Preparer {
    pub(super) fn is_condition(&self, name: &str) -> bool {
        const CONDITIONS: &[&str] = &[
            "if",
            "ifcat",
            "ifnum",
            "ifdim",
            "ifodd",
            "ifvmode",
            "ifhmode",
            "ifmmode",
            "ifinner",
            "ifvoid",
            "ifhbox",
            "ifvbox",
            "ifx",
            "ifeof",
            "iftrue",
            "iffalse",
            "ifcase",
            "ifdefined",
            "ifcsname",
            "ifpdf",
            "ifxetex",
            "ifluatex",
        ];
        CONDITIONS.contains(&name) || self.switches.contains_key(&name[2..])
    }

    pub(super) fn new_switch(&mut self) {
        let name = self.argument();
        if let Some(name) = name.strip_prefix("\\if") {
            self.switches.insert(name.to_owned(), false);
        }
    }

    /// `\drafttrue` and `\draftfalse`, after `\newif\ifdraft`.
    pub(super) fn set_switch(&mut self, name: &str) -> bool {
        let value = name.ends_with("true");
        let stem = name.strip_suffix(if value { "true" } else { "false" });
        let switch = stem.and_then(|stem| self.switches.get_mut(stem));
        if let Some(switch) = switch {
            *switch = value;
            return true;
        }
        false
    }

    pub(super) fn condition(&mut self, name: &str) {
        self.skip_blanks();
        let outcome = match name {
            "iftrue" => Some(true),
            "iffalse" => Some(false),
            "if" => self.same_letters(),
            "ifcsname" => {
                let name = self.until("\\endcsname");
                name.map(|name| self.macros.contains_key(&name))
            }
            name => self.switches.get(&name[2..]).copied(),
        };
        // Both branches of a condition whose outcome is not known are shown.
        self.open_conditions.push(outcome.is_some());
        if outcome == Some(false) {
            self.skip_branch();
        }
    }

    /// The outcome of `\if` with two letters, such as the `\if0` that hides a passage.
    fn same_letters(&mut self) -> Option<bool> {
        let mut next = self.rest.iter().rev();
        let (first, second) = (*next.next()?, *next.next()?);
        if [first, second].iter().any(|it| "\\{}".contains(*it)) {
            return None;
        }
        self.rest.truncate(self.rest.len() - 2);
        Some(first == second)
    }

    /// Leaves out the text up to the `\else` or `\fi` of the open condition. If neither follows,
    /// nothing is left out.
    pub(super) fn skip_branch(&mut self) {
        if self.without_end.contains("\\fi") {
            return;
        }
        let Some((kept, ends)) = self.branch_end() else {
            self.without_end.insert("\\fi".to_owned());
            return;
        };
        self.rest.truncate(kept);
        self.skip_blanks();
        if ends {
            self.open_conditions.pop();
        }
    }

    /// How much of the rest is after the branch, and whether the condition ends there.
    fn branch_end(&self) -> Option<(usize, bool)> {
        let mut depth = 0_usize;
        let mut at = self.rest.len();
        while at > 0 {
            at -= 1;
            if self.rest[at] != '\\' {
                continue;
            }
            let after = self.rest[..at].iter().rev();
            let name: String = after.take_while(|it| it.is_ascii_alphabetic()).collect();
            match name.as_str() {
                // The letter after the backslash is no backslash of its own.
                "" => at = at.saturating_sub(1),
                "fi" if depth == 0 => return Some((at - 2, true)),
                "else" if depth == 0 => return Some((at - 4, false)),
                "fi" => depth -= 1,
                name if name.starts_with("if") && self.is_condition(name) => depth += 1,
                _ => {}
            }
        }
        None
    }
}
