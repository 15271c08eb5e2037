//! The directories that the operator opened, and the files in them.
//!
//! A path is judged as it is written, so that `..` cannot leave a directory and a path outside is
//! refused without a look at the disk. Then the file is opened once, relative to its directory,
//! in a way that no link can lead out of it, and everything else is asked of the open file. There
//! is no moment between a check and its use in which somebody could swap the file for a link or a
//! pipe.

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

/// The directories that may be read.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    open: Vec<PathBuf>,
    everything: bool,
}

/// Why a path is refused. Only the server knows what the parameter and the setting are called, so
/// it puts this in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRefusal {
    /// The operator opened no directory at all.
    NoOpenDirectory,
    OutsideOpenDirectories,
    /// The path does not exist.
    Missing,
    Directory,
    /// A pipe or a device, which might never end.
    NotRegular,
    /// The operating system forbids this process to read it.
    NotPermitted,
}

impl Roots {
    /// These directories, with everything in them.
    pub fn only(open: Vec<PathBuf>) -> Roots {
        Roots {
            open,
            everything: false,
        }
    }

    /// Everything that the user of this process may read: for commands that the user types.
    pub fn everything() -> Roots {
        Roots {
            open: Vec::new(),
            everything: true,
        }
    }

    /// Opens a file that may be read. A relative path is tried in each open directory. Blocks no
    /// longer than the disk does, whatever the path names.
    pub(super) fn open(&self, path: &Path) -> Result<File, PathRefusal> {
        if self.everything {
            return open_anywhere(path)
                .map_err(|error| refusal(&error))
                .and_then(regular);
        }
        if self.open.is_empty() {
            return Err(PathRefusal::NoOpenDirectory);
        }
        let mut refused = PathRefusal::OutsideOpenDirectories;
        for root in &self.open {
            let Some(inside) = within(root, path) else {
                continue;
            };
            if inside.as_os_str().is_empty() {
                refused = PathRefusal::Directory;
                continue;
            }
            match open_inside(root, &inside)
                .map_err(|error| refusal(&error))
                .and_then(regular)
            {
                Ok(file) => return Ok(file),
                Err(reason) => refused = reason,
            }
        }
        Err(refused)
    }
}

/// The path relative to this root, if it stays inside as it is written; empty for the root itself.
/// Does not look at the disk.
fn within(root: &Path, path: &Path) -> Option<PathBuf> {
    let mut clean = PathBuf::new();
    for component in root.join(path).components() {
        match component {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            other => clean.push(other),
        }
    }
    clean.strip_prefix(root).ok().map(Path::to_owned)
}

/// Opens a file below a directory. A link is followed only as long as it stays below it.
fn open_inside(root: &Path, inside: &Path) -> io::Result<File> {
    let directory = Dir::open_ambient_dir(root, ambient_authority())?;
    let mut options = cap_std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::custom_flags(&mut options, without_waiting());
    directory
        .open_with(inside, &options)
        .map(cap_std::fs::File::into_std)
}

fn open_anywhere(path: &Path) -> io::Result<File> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, without_waiting());
    options.open(path)
}

/// Opening a pipe would wait for a writer, which may never come.
#[cfg(unix)]
fn without_waiting() -> i32 {
    use rustix::fs::OFlags;
    (OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32
}

/// The open file, if it is a regular one.
fn regular(file: File) -> Result<File, PathRefusal> {
    let found = file.metadata().map_err(|error| refusal(&error))?;
    if found.is_file() {
        Ok(file)
    } else if found.is_dir() {
        Err(PathRefusal::Directory)
    } else {
        Err(PathRefusal::NotRegular)
    }
}

fn refusal(error: &io::Error) -> PathRefusal {
    match (error.kind(), error.raw_os_error()) {
        // Without a code of the system, it is `cap_std` that refuses: a link led out.
        (io::ErrorKind::PermissionDenied, None) => PathRefusal::OutsideOpenDirectories,
        (io::ErrorKind::PermissionDenied, Some(_)) => PathRefusal::NotPermitted,
        (_, Some(code)) if is_no_file(code) => PathRefusal::NotRegular,
        _ => PathRefusal::Missing,
    }
}

/// Whether the system says that a socket, or a device without a driver, cannot be opened.
#[cfg(unix)]
fn is_no_file(code: i32) -> bool {
    use rustix::io::Errno;
    [Errno::NXIO, Errno::NODEV, Errno::OPNOTSUPP].contains(&Errno::from_raw_os_error(code))
}

#[cfg(not(unix))]
fn is_no_file(_: i32) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_inside_the_root_as_written_are_accepted() {
        let root = Path::new("/data/docs");
        for (inside, relative) in [
            ("a.pdf", "a.pdf"),
            ("/data/docs/a.pdf", "a.pdf"),
            ("b/../a.pdf", "a.pdf"),
            ("./a.pdf", "a.pdf"),
            ("/data/docs/x/./y/../a.pdf", "x/a.pdf"),
            ("/data/../data/docs/a", "a"),
            ("/data/docs/", ""),
            (".", ""),
        ] {
            assert_eq!(
                within(root, Path::new(inside)),
                Some(PathBuf::from(relative)),
                "{inside}"
            );
        }
        for outside in [
            "../a.pdf",
            "/etc/passwd",
            "/data/docs/../../etc/passwd",
            "/data/docs2/a",
            "..",
            "x/../..",
        ] {
            assert_eq!(within(root, Path::new(outside)), None, "{outside}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_inside_the_root_and_what_is_no_file_is_told() {
        let folder = tempfile::tempdir().expect("a directory");
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("deep")).expect("created");
        std::fs::write(root.join("deep/a.txt"), "inside").expect("written");
        std::fs::write(folder.path().join("b.txt"), "outside").expect("written");
        let link = |target: &str, name: &str| {
            std::os::unix::fs::symlink(target, root.join(name)).expect("linked");
        };
        link("deep/a.txt", "inside.txt");
        link("../b.txt", "outside.txt");
        link("..", "up");
        link("/dev/null", "device");
        let _socket = std::os::unix::net::UnixListener::bind(root.join("socket")).expect("bound");
        let roots = Roots::only(vec![root]);
        let refused = |path: &str| roots.open(Path::new(path)).err();
        for path in ["deep/a.txt", "inside.txt"] {
            assert_eq!(refused(path), None, "{path}");
        }
        for (path, reason) in [
            ("outside.txt", PathRefusal::OutsideOpenDirectories),
            ("up/b.txt", PathRefusal::OutsideOpenDirectories),
            ("device", PathRefusal::OutsideOpenDirectories),
            ("deep", PathRefusal::Directory),
            (".", PathRefusal::Directory),
            ("deep/..", PathRefusal::Directory),
            ("..", PathRefusal::OutsideOpenDirectories),
            ("socket", PathRefusal::NotRegular),
            ("nothing.txt", PathRefusal::Missing),
        ] {
            assert_eq!(refused(path), Some(reason), "{path}");
        }
    }
}
