//! The document worker as a program, for tests and benches. `fingerpost` starts itself instead.

fn main() -> std::io::Result<()> {
    engine::worker::worker_main(std::io::stdin().lock(), std::io::stdout().lock())
}
