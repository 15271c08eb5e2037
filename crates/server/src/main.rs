//! The `fingerpost` program; see the library for everything it does.

fn main() -> std::process::ExitCode {
    // Before anything else, because a document worker limits the resources of its whole process.
    if std::env::args_os()
        .skip(1)
        .eq(engine::worker::WORKER_ARGUMENTS)
    {
        return match engine::worker::worker_main(std::io::stdin().lock(), std::io::stdout().lock())
        {
            Ok(()) => std::process::ExitCode::SUCCESS,
            Err(_) => std::process::ExitCode::FAILURE,
        };
    }
    server::commands::main(std::env::args_os())
}
