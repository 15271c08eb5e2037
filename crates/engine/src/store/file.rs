//! Keeps records as JSON lines in the data directory, appended, so that several processes can share it and a crash loses at
//! most the line it was writing.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use fault::{Case, EventId, Fault, Origin, Result, Tainted};
use serde_json::Value;

use super::{Store, is_called};

/// The file's name in the data directory.
const NAME: &str = "faults.jsonl";

/// A full file is set aside under this name, and a new one begun: the two together bound the space.
const OLDER: &str = "faults.1.jsonl";

/// When a file is full.
const FULL_BYTES: u64 = 8 * 1024 * 1024;

/// The store.
#[derive(Debug)]
pub struct FileStore {
    dir: PathBuf,
}

impl FileStore {
    /// Over a directory that need not exist yet.
    pub fn new(dir: &Path) -> FileStore {
        FileStore { dir: dir.to_owned() }
    }

    fn append(&self, line: &str) -> io::Result<()> {
        self.make_directory()?;
        let path = self.dir.join(NAME);
        if path.metadata().is_ok_and(|file| file.len() >= FULL_BYTES) {
            std::fs::rename(&path, self.dir.join(OLDER))?;
        }
        // One write of one line: appends of other processes cannot come between.
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        // Records hold upstream words: they are the operator's, not every user's of the machine.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path)?.write_all(line.as_bytes())
    }

    fn make_directory(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.dir)
    }

    /// Every readable record, oldest first. A line that a crash cut short is passed over.
    fn read(&self) -> io::Result<Vec<Value>> {
        let mut records = Vec::new();
        for name in [OLDER, NAME] {
            let file = match File::open(self.dir.join(name)) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            for line in BufReader::new(file).split(b'\n') {
                records.extend(serde_json::from_slice::<Value>(&line?).ok());
            }
        }
        Ok(records)
    }
}

impl Store for FileStore {
    fn keep_fault(&self, _: &EventId, record: &Value) -> Result<()> {
        self.append(&format!("{record}\n")).map_err(store_fault)
    }

    fn fault(&self, id: &str) -> Result<Option<Value>> {
        Ok(self.read().map_err(store_fault)?.into_iter().rev().find(|record| is_called(record, id)))
    }

    fn faults(&self, limit: usize) -> Result<Vec<Value>> {
        Ok(self.read().map_err(store_fault)?.into_iter().rev().take(limit).collect())
    }
}

fn store_fault(error: io::Error) -> Fault {
    Fault::new(Case::Store, Origin::Store).tainted(Tainted::new(error.to_string()))
}
