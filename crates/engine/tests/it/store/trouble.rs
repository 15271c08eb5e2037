//! Full disks and read-only directories: a clear fault, and stored records can still be read.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use engine::research::{Limits, NewStep, ResearchSessions};
use engine::store::{SqliteStore, Tenant};
use fault::Case;

const NAME: &str = "fingerpost.sqlite";

async fn with_session(folder: &Path, steps: u32) -> String {
    let research =
        ResearchSessions::new(Arc::new(SqliteStore::new(Some(folder))), Limits::default());
    let id = research.start(&Tenant::local(), "goal").await.unwrap().id;
    for _ in 0..steps {
        research
            .step(
                &Tenant::local(),
                &id,
                &NewStep {
                    text: "look".to_owned(),
                    ..NewStep::default()
                },
            )
            .await
            .unwrap();
    }
    id
}

fn lines(command: &mut Command) -> Vec<String> {
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{text} {}",
        String::from_utf8_lossy(&output.stderr)
    );
    text.lines().map(str::to_owned).collect()
}

fn assert_reads_and_does_not_write(lines: &[String], kept: &str) {
    assert_eq!(lines[0], format!("read {kept}"), "{lines:?}");
    assert!(
        lines[1].starts_with("fault ")
            && lines[1].contains("\"reason\":\"store\"")
            && lines[1].contains(NAME),
        "{lines:?}"
    );
    assert!(
        lines[3].starts_with("read ") && !lines[3].contains("fault"),
        "{lines:?}"
    );
}

/// Limits the size of the writer's files, so that writes fail as on a full disk.
#[cfg(unix)]
#[tokio::test]
async fn a_full_disk_is_a_fault_and_reading_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let session = with_session(folder.path(), 3).await;
    let writer = env!("CARGO_BIN_EXE_session-writer");
    // The unit of the limit is 512 or 1024 bytes, depending on the shell.
    let script = "trap '' XFSZ; ulimit -f 400; exec \"$0\" try \"$1\" \"$2\" 5000";
    let told = lines(
        Command::new("sh")
            .args(["-c", script, writer])
            .arg(folder.path())
            .arg(&session),
    );
    assert_reads_and_does_not_write(&told, "3");
    let wrote: usize = told[2].strip_prefix("wrote ").unwrap().parse().unwrap();
    assert_eq!(
        told[3],
        format!("read {}", wrote + 3),
        "what was acknowledged before is there"
    );
    let again = lines(Command::new(writer).args([
        "try",
        &folder.path().display().to_string(),
        &session,
        "5",
    ]));
    assert_eq!(again[1], "wrote 5", "with room again it goes on: {again:?}");
}

/// Runs the writer as a user who may read the directory but not write to it. Permissions do not
/// bind root, so a test that runs as root starts the writer as another user.
#[cfg(unix)]
#[tokio::test]
async fn a_read_only_directory_is_a_fault_and_reading_goes_on() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let session = with_session(&data, 3).await;
    let program: PathBuf = folder.path().join("session-writer");
    std::fs::copy(env!("CARGO_BIN_EXE_session-writer"), &program).unwrap();
    let is_root = folder.path().metadata().unwrap().uid() == 0;
    set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    for entry in std::fs::read_dir(&data).unwrap() {
        set_permissions(entry.unwrap().path(), Permissions::from_mode(0o444)).unwrap();
    }
    set_permissions(&data, Permissions::from_mode(0o555)).unwrap();
    let mut command = Command::new(&program);
    if is_root {
        command.uid(65_534).gid(65_534).current_dir("/");
    }
    let told = lines(command.arg("try").arg(&data).args([&session, "5"]));
    assert_reads_and_does_not_write(&told, "3");
    set_permissions(&data, Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn a_damaged_database_is_named_and_never_touched() {
    let folder = tempfile::tempdir().unwrap();
    let session = with_session(folder.path(), 3).await;
    let file = folder.path().join(NAME);
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[..512].fill(0x5a);
    for beside in ["fingerpost.sqlite-wal", "fingerpost.sqlite-shm"] {
        let _ = std::fs::remove_file(folder.path().join(beside));
    }
    std::fs::write(&file, &bytes).unwrap();
    let told = lines(
        Command::new(env!("CARGO_BIN_EXE_session-writer"))
            .arg("try")
            .arg(folder.path())
            .args([&session, "5"]),
    );
    assert!(
        told.iter()
            .filter(|line| line.contains("\"reason\":\"store\""))
            .count()
            == 3,
        "{told:?}"
    );
    assert!(
        told[1].contains(NAME) && told[1].contains("move it away"),
        "the operator hears where and what to do: {told:?}"
    );
    assert_eq!(
        std::fs::read(&file).unwrap(),
        bytes,
        "somebody may want it back"
    );
}

#[tokio::test]
async fn foreign_files_in_the_directory_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["mine.txt", "faults.jsonl", "other.sqlite"] {
        std::fs::write(folder.path().join(name), "mine").unwrap();
    }
    with_session(folder.path(), 1).await;
    for name in ["mine.txt", "faults.jsonl", "other.sqlite"] {
        assert_eq!(
            std::fs::read_to_string(folder.path().join(name)).unwrap(),
            "mine"
        );
    }
}

#[tokio::test]
async fn nothing_is_made_to_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("not/yet");
    let research =
        ResearchSessions::new(Arc::new(SqliteStore::new(Some(&place))), Limits::default());
    assert_eq!(
        research
            .session(&Tenant::local(), "ses_unknown")
            .await
            .unwrap_err()
            .case(),
        Case::SessionUnknown
    );
    assert!(
        research
            .list(&Tenant::local(), None, 5)
            .await
            .unwrap()
            .sessions
            .is_empty()
    );
    assert!(!place.exists());
}
