//! Packs the files below `library/`, so that adding a pattern is adding a file, and the texts take a
//! third of their size in the program.

// Cargo passes the directories in variables and reads what is printed.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use std::{env, error::Error, fs, io::Write, path::Path};

use flate2::{Compression, write::DeflateEncoder};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("library");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    for category in fs::read_dir(&root)? {
        let category = category?.path();
        if category.is_dir() {
            println!("cargo::rerun-if-changed={}", category.display());
            for file in fs::read_dir(&category)? {
                files.push(file?.path());
            }
        }
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    let packed = Path::new(&env::var("OUT_DIR")?).join("library.bin");
    let mut packed = DeflateEncoder::new(fs::File::create(packed)?, Compression::best());
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let path = file.strip_prefix(&root)?.to_string_lossy().into_owned();
        let text = fs::read_to_string(file)?;
        write!(packed, "{path}\0{text}\0")?;
    }
    packed.finish()?;
    Ok(())
}
