//! One suite for every store.

use serde_json::json;

use super::*;

fn keeps_and_finds(store: &dyn Store) {
    assert_eq!(store.faults(10).expect("readable"), Vec::<Value>::new());
    for number in 0..3 {
        let id = EventId::fresh();
        let record = json!({"eventId": id.as_str(), "requestId": format!("req_{number}"), "number": number});
        store.keep_fault(&id, &record).expect("writable");
        assert_eq!(store.fault(id.as_str()).expect("readable"), Some(record.clone()));
        assert_eq!(store.fault(&format!("req_{number}")).expect("readable"), Some(record));
    }
    let newest: Vec<_> = store.faults(2).expect("readable").iter().map(|record| record["number"].clone()).collect();
    assert_eq!(newest, [json!(2), json!(1)]);
    assert_eq!(store.fault("unknown").expect("readable"), None);
}

#[test]
fn memory_keeps_and_finds() {
    keeps_and_finds(&MemoryStore::default());
}

#[test]
fn a_file_keeps_and_finds_and_leaves_other_files_alone() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(dir.path().join("mine.txt"), "mine").expect("writable");
    keeps_and_finds(&FileStore::new(&dir.path().join("new")));
    keeps_and_finds(&FileStore::new(dir.path()));
    assert_eq!(std::fs::read_to_string(dir.path().join("mine.txt")).expect("still there"), "mine");
}

#[cfg(unix)]
#[test]
fn records_are_the_operators_alone() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().expect("a temporary directory");
    let kept = dir.path().join("made/here");
    FileStore::new(&kept).keep_fault(&EventId::fresh(), &json!({})).expect("writable");
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&kept), mode(&kept.join("faults.jsonl"))), (0o700, 0o600));
}

#[test]
fn a_line_cut_short_by_a_crash_is_passed_over() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(dir.path().join("faults.jsonl"), "{\"eventId\":\"a\"}\n{\"eventId\":\"b").expect("writable");
    let store = FileStore::new(dir.path());
    assert_eq!(store.faults(9).expect("readable").len(), 1);
}

#[test]
fn a_directory_that_cannot_be_made_is_a_store_fault() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let blocked = dir.path().join("file");
    std::fs::write(&blocked, "").expect("writable");
    let fault = FileStore::new(&blocked.join("sub")).keep_fault(&EventId::fresh(), &json!({})).expect_err("a file is no directory");
    assert_eq!(fault.case(), fault::Case::Store);
}
