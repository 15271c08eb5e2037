//! The workers as a program, for tests and benches. `fingerpost` starts itself instead.

use std::process::ExitCode;

fn main() -> ExitCode {
    engine::worker::run_as_worker(std::env::args_os().skip(1)).unwrap_or(ExitCode::FAILURE)
}
