//! Link options of the program.

#[allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "this is how Cargo speaks to a build script"
)]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Position-independent code has tens of thousands of relative relocations. Packed, they take
    // 20 KB of the file and of memory at start instead of 1.2 MB. Linkers that cannot do it ignore
    // the option; the program then needs glibc 2.36 or newer only where they can.
    let target = |name: &str| std::env::var(name).unwrap_or_default();
    if target("CARGO_CFG_TARGET_OS") == "linux" && target("CARGO_CFG_TARGET_ENV") == "gnu" {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}
