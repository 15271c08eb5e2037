//! The `fingerpost` program; see the library for everything it does.

fn main() -> std::process::ExitCode {
    server::cli::main(std::env::args_os())
}
