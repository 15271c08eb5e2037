//! The `fingerpost` program; see the library for everything it does.

fn main() -> std::process::ExitCode {
    // Before anything else, because a worker limits the resources of its whole process.
    match engine::worker::run_as_worker(std::env::args_os().skip(1)) {
        Some(code) => code,
        None => server::commands::main(std::env::args_os()),
    }
}
