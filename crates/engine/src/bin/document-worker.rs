//! The document worker on its own, for tests and measurements; the product is its own worker.

fn main() -> std::io::Result<()> {
    engine::worker::worker_main(std::io::stdin().lock(), std::io::stdout().lock())
}
