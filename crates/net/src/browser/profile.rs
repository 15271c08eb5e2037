//! A temporary directory for one browser's files.
//!
//! Nothing is kept from one browser to the next. A killed process cannot remove its directory, so
//! each directory holds a lock while it is in use, and the next start removes those whose lock is
//! free.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

const PREFIX: &str = "fingerpost-browser-";
const LOCK: &str = "in-use";

/// A directory is created a moment before it is locked. A young one without a lock held is not
/// abandoned.
const OLD_ENOUGH: Duration = Duration::from_secs(60);

/// The preferences of a full browser. The headless shell has none; its flags have the same effect.
const PREFERENCES: &str = r#"{
  "webrtc": {"ip_handling_policy": "disable_non_proxied_udp", "multiple_routes_enabled": false, "nonproxied_udp_enabled": false},
  "net": {"network_prediction_options": 2},
  "safebrowsing": {"enabled": false},
  "search": {"suggest_enabled": false},
  "alternate_error_pages": {"enabled": false},
  "credentials_enable_service": false,
  "profile": {"default_content_setting_values": {"popups": 2, "notifications": 2, "geolocation": 2, "media_stream_mic": 2, "media_stream_camera": 2}}
}"#;

#[derive(Debug)]
pub(super) struct Profile {
    directory: Option<TempDir>,
    _lock: File,
}

impl Profile {
    pub(super) fn new() -> io::Result<Self> {
        let directory = private_directory()?;
        let lock = File::create(directory.path().join(LOCK))?;
        lock.lock()?;
        let defaults = directory.path().join("Default");
        fs::create_dir(&defaults)?;
        fs::write(defaults.join("Preferences"), PREFERENCES)?;
        Ok(Self {
            directory: Some(directory),
            _lock: lock,
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.directory
            .as_ref()
            .map_or(Path::new("/nonexistent"), TempDir::path)
    }
}

impl Drop for Profile {
    /// A browser that was just killed may still be writing files.
    fn drop(&mut self) {
        let Some(directory) = self.directory.take() else {
            return;
        };
        let path = directory.keep();
        for _ in 0..20 {
            if fs::remove_dir_all(&path).is_ok() || !path.exists() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A directory that other users cannot look into, whatever this process's mask of permissions is:
/// pages leave their text there.
fn private_directory() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o700));
    }
    builder.tempdir()
}

/// Removes the directories that killed processes left behind.
pub(super) fn sweep() {
    let Ok(entries) = fs::read_dir(std::env::temp_dir()) else {
        return;
    };
    for entry in entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX))
    {
        if is_abandoned(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_abandoned(directory: &Path) -> bool {
    let Ok(lock) = File::open(directory.join(LOCK)) else {
        return false;
    };
    let age = lock
        .metadata()
        .and_then(|found| found.modified())
        .ok()
        .and_then(|made| made.elapsed().ok());
    age.is_some_and(|age| age > OLD_ENOUGH) && lock.try_lock().is_ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn a_profile_is_removed_and_only_an_abandoned_one_is_swept() {
        let profile = Profile::new().unwrap();
        let path = profile.path().to_owned();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        }
        let age = |path: &Path| {
            let lock = File::options().write(true).open(path.join(LOCK)).unwrap();
            lock.set_modified(SystemTime::now() - Duration::from_secs(3600))
                .unwrap();
        };
        age(&path);
        assert!(!is_abandoned(&path), "its lock is held");
        drop(profile);
        assert!(!path.exists());

        let left = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir()
            .unwrap()
            .keep();
        assert!(!is_abandoned(&left), "it has no lock yet");
        File::create(left.join(LOCK)).unwrap();
        assert!(!is_abandoned(&left), "it is too young");
        age(&left);
        sweep();
        assert!(!left.exists());
    }
}
