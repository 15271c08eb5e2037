//! Counts checks and prints each as it is made, so that a reader of the log sees what was tried,
//! not only what broke.

use std::fmt;

/// Checks that passed and failed.
#[derive(Debug, Default, Clone)]
pub(crate) struct Score {
    passed: usize,
    failed: Vec<String>,
}

impl Score {
    pub(crate) fn note(&mut self, name: &str, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => {
                println!("pass  {name}");
                self.passed += 1;
            }
            Err(why) => {
                println!("FAIL  {name}: {why}");
                self.failed.push(name.to_owned());
            }
        }
    }

    /// Something that is not asked for: said, and not counted.
    pub(crate) fn leave_out(name: &str) {
        println!("-     {name}");
    }

    pub(crate) fn add(&mut self, other: Score) {
        self.passed += other.passed;
        self.failed.extend(other.failed);
    }

    /// An error that names what failed.
    pub(crate) fn verdict(&self) -> Result<(), String> {
        if self.failed.is_empty() {
            Ok(())
        } else {
            Err(format!("failed: {}", self.failed.join("; ")))
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failed.len())
    }
}
