//! Counts checks and prints each one as it is made, so that the log shows what was tried and not
//! only what failed.

use std::fmt;

#[derive(Debug, Default, Clone)]
pub(crate) struct Score {
    passed: usize,
    failed: Vec<String>,
}

impl Score {
    pub(crate) fn record(&mut self, name: &str, outcome: Result<(), String>) {
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

    /// Prints a check that is not required, without counting it.
    pub(crate) fn leave_out(name: &str) {
        println!("-     {name}");
    }

    pub(crate) fn add(&mut self, other: Score) {
        self.passed += other.passed;
        self.failed.extend(other.failed);
    }

    /// An error that names the failed checks, if any.
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
