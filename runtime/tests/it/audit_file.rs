//! The audit in a file: what happens to the file from outside is noticed and recorded.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::Write,
    os::unix::fs::{PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright::{
    Registry, ScopedToolView, Tool, ToolError,
    audit::{AuditFile, AuditMode},
};

use crate::support::{get_item, no_credentials, role};

/// A folder with an audit file, and a registry that writes to it.
struct Place {
    folder: TempDir,
    view: ScopedToolView,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let view = view(&folder.path().join("audit.jsonl"));
        Self { folder, view }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn audit(&self) -> PathBuf {
        self.path("audit.jsonl")
    }

    /// Calls the tool.
    async fn call(&self) -> Result<(), ToolError> {
        call(&self.view).await
    }

    /// Calls the tool, and returns the events that are in the file afterwards.
    async fn called(&self) -> Vec<Value> {
        self.call().await.unwrap();
        lines(&self.audit())
    }
}

/// A view with one tool, audited in a file.
fn view(audit: &Path) -> ScopedToolView {
    let tool = Tool::native(get_item(), |_, _| async { Ok(json!("done")) });
    Registry::builder()
        .tool(tool)
        .grant("reader", "*")
        .credentials(no_credentials())
        .audit(AuditFile::new(audit))
        .build()
        .unwrap()
        .for_agent(&role("reader"))
}

/// Returns the operator's view of a refusal. The caller does not learn the path of the audit.
#[track_caller]
fn reason(error: &ToolError) -> std::borrow::Cow<'_, str> {
    assert!(
        ["undecided", "audit_unavailable"].contains(&error.code()),
        "{error:?}"
    );
    assert!(!error.to_string().contains('/'), "{error}");
    error.detail().expect("a detail for the operator")
}

async fn call(view: &ScopedToolView) -> Result<(), ToolError> {
    let arguments = json!({"id": "pin-8391"});
    view.call_json("get-depot-item", arguments).await.map(drop)
}

/// The events in a file, each complete.
#[track_caller]
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'), "{text}");
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The kinds of events, with the reasons of those that are not about a call.
fn kinds(events: &[Value]) -> Vec<String> {
    let kind = |event: &Value| {
        let kind = event["event"].as_str().unwrap();
        match event["reason"].as_str() {
            Some(reason) if event["role"].is_null() => format!("{kind} {reason}"),
            _ => kind.to_owned(),
        }
    };
    events.iter().map(kind).collect()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn append(path: &Path, bytes: &[u8]) {
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

#[tokio::test]
async fn a_deleted_file_is_created_again_and_records_it() {
    let place = Place::new();
    let length = place.called().await.len();
    assert_eq!(length, 2);
    let bytes = fs::metadata(place.audit()).unwrap().len();
    fs::remove_file(place.audit()).unwrap();
    let events = place.called().await;
    assert_eq!(
        kinds(&events),
        ["audit_reopened removed", "decision", "outcome"]
    );
    assert_eq!(events[0]["bytes"], bytes);
    let folder = place.folder.path();
    for entry in fs::read_dir(folder).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let events = place.called().await;
    assert_eq!(
        kinds(&events),
        ["audit_reopened removed", "decision", "outcome"]
    );
}

#[tokio::test]
async fn a_folder_that_is_deleted_is_made_again() {
    let place = Place::new();
    let audit = place.path("deep/er/audit.jsonl");
    let view = view(&audit);
    call(&view).await.unwrap();
    fs::remove_dir_all(place.path("deep")).unwrap();
    call(&view).await.unwrap();
    let events = lines(&audit);
    assert_eq!(
        kinds(&events),
        ["audit_reopened removed", "decision", "outcome"]
    );
    let mode = fs::metadata(place.path("deep/er"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[tokio::test]
async fn a_rotated_file_is_left_and_the_new_one_is_used() {
    let place = Place::new();
    place.called().await;
    let rotated = place.path("audit.jsonl.1");
    fs::rename(place.audit(), &rotated).unwrap();
    File::create(place.audit()).unwrap();
    set_mode(&place.audit(), 0o600);
    let events = place.called().await;
    assert_eq!(
        kinds(&events),
        ["audit_reopened moved", "decision", "outcome"]
    );
    assert_eq!(lines(&rotated).len(), 2);
    // Rotation without a new file.
    fs::rename(place.audit(), place.path("audit.jsonl.2")).unwrap();
    let events = place.called().await;
    assert_eq!(
        kinds(&events),
        ["audit_reopened moved", "decision", "outcome"]
    );
}

#[tokio::test]
async fn a_file_in_place_of_the_audit_is_detected() {
    let place = Place::new();
    place.called().await;
    let other = place.path("other");
    fs::write(&other, "{}\n").unwrap();
    set_mode(&other, 0o600);
    fs::rename(&other, place.audit()).unwrap();
    let events = place.called().await;
    assert_eq!(
        kinds(&events[1..]),
        ["audit_reopened replaced", "decision", "outcome"]
    );
}

#[tokio::test]
async fn a_truncated_or_changed_file_is_detected() {
    let place = Place::new();
    place.called().await;
    let file = OpenOptions::new().write(true).open(place.audit()).unwrap();
    file.set_len(0).unwrap();
    let events = place.called().await;
    assert_eq!(
        kinds(&events),
        ["audit_reopened truncated", "decision", "outcome"]
    );
    // Cut within a line, which is taken away.
    let length = file.metadata().unwrap().len();
    file.set_len(length - 10).unwrap();
    place.call().await.unwrap();
    let text = fs::read_to_string(place.audit()).unwrap();
    let after: Vec<_> = text.lines().skip(2).collect();
    assert!(
        after[0].contains(r#""event":"audit_gap","torn_lines":1"#),
        "{text}"
    );
    assert!(
        after[1].contains(r#""audit_reopened","reason":"truncated""#),
        "{text}"
    );
    assert_eq!(after.len(), 4);
    // Cut, and filled up to its length again.
    let length = file.metadata().unwrap().len();
    let filler = format!("{}\n", " ".repeat(usize::try_from(length).unwrap() + 99));
    fs::write(place.audit(), filler).unwrap();
    place.call().await.unwrap();
    let text = fs::read_to_string(place.audit()).unwrap();
    assert!(
        text.contains(r#""audit_reopened","reason":"overwritten""#),
        "{text}"
    );
}

#[tokio::test]
async fn events_that_vanished_between_two_processes_are_detected() {
    for cut in [false, true] {
        let place = Place::new();
        place.called().await;
        if cut {
            File::create(place.audit()).unwrap();
        } else {
            fs::remove_file(place.audit()).unwrap();
        }
        // Another process knows nothing of the file but that its key was used.
        call(&view(&place.audit())).await.unwrap();
        let events = lines(&place.audit());
        assert_eq!(
            kinds(&events),
            ["audit_reopened missing", "decision", "outcome"]
        );
    }
}

#[tokio::test]
async fn a_torn_line_is_cut_off_before_the_next() {
    let place = Place::new();
    place.called().await;
    append(&place.audit(), br#"{"v":2,"time":"2026-"#);
    place.call().await.unwrap();
    let text = fs::read_to_string(place.audit()).unwrap();
    assert!(!text.contains(r#"{"v":2"#), "{text}");
    let rest = &lines(&place.audit())[2..];
    assert_eq!(kinds(rest), ["audit_gap", "decision", "outcome"]);
    assert_eq!(rest[0]["torn_lines"], 1);
    // A whole line that the audit did not write stays, and is recorded.
    append(&place.audit(), b"{}\n");
    place.call().await.unwrap();
    let text = fs::read_to_string(place.audit()).unwrap();
    assert_eq!(text.matches("audit_gap").count(), 1);
    assert_eq!(
        text.matches(r#""audit_reopened","reason":"inserted""#)
            .count(),
        1
    );
}

#[tokio::test]
async fn links_devices_pipes_and_folders_are_refused() {
    let place = Place::new();
    let target = place.path("target");
    fs::write(&target, "").unwrap();
    set_mode(&target, 0o600);
    symlink(&target, place.path("link")).unwrap();
    symlink(place.path("nothing"), place.path("dangling")).unwrap();
    let pipe = place.path("pipe");
    let made = std::process::Command::new("mkfifo")
        .arg("-m")
        .arg("600")
        .arg(&pipe)
        .status();
    assert!(made.unwrap().success());
    fs::create_dir(place.path("folder")).unwrap();
    symlink(place.path("folder"), place.path("elsewhere")).unwrap();
    for (audit, expected) in [
        (place.path("link"), "it is a symbolic link"),
        (place.path("dangling"), "it is a symbolic link"),
        (pipe, "it is not a regular file"),
        (place.path("folder"), "directory"),
        (place.path("elsewhere/audit.jsonl"), "it is a symbolic link"),
        ("/dev/null".into(), "it is not a regular file"),
        ("/dev/zero".into(), "it is not a regular file"),
    ] {
        let error = call(&view(&audit)).await.unwrap_err();
        assert!(reason(&error).contains(expected), "{audit:?}: {error}");
    }
    assert!(!place.path("nothing").exists());
    assert_eq!(fs::read_to_string(target).unwrap(), "");
}

#[tokio::test]
async fn a_link_that_takes_the_place_of_the_file_is_refused() {
    let place = Place::new();
    place.called().await;
    let moved = place.path("moved");
    fs::rename(place.audit(), &moved).unwrap();
    symlink(&moved, place.audit()).unwrap();
    let error = place.call().await.unwrap_err();
    assert!(reason(&error).contains("symbolic link"), "{error}");
    fs::remove_file(place.audit()).unwrap();
    let events = place.called().await;
    assert_eq!(
        kinds(&events),
        ["audit_reopened moved", "audit_gap", "decision", "outcome"],
        "the refused call is counted"
    );
    assert_eq!(events[1]["lost_events"], 1);
}

#[tokio::test]
async fn files_that_others_may_read_or_write_are_refused() {
    for mode in [0o644, 0o640, 0o604, 0o660, 0o602, 0o601] {
        let place = Place::new();
        fs::write(place.audit(), "").unwrap();
        set_mode(&place.audit(), mode);
        let error = place.call().await.unwrap_err();
        assert!(
            reason(&error).contains("set it to 0600"),
            "{mode:o}: {error}"
        );
        // Also if it happens while the process runs.
        set_mode(&place.audit(), 0o600);
        place.call().await.unwrap();
        set_mode(&place.audit(), mode);
        place.call().await.unwrap_err();
    }
    for mode in [0o777, 0o770, 0o702, 0o1777] {
        let place = Place::new();
        set_mode(place.folder.path(), mode);
        let error = place.call().await.unwrap_err();
        assert!(reason(&error).contains("`chmod go-w`"), "{mode:o}: {error}");
        set_mode(place.folder.path(), 0o755);
        place.call().await.unwrap();
        set_mode(place.folder.path(), mode);
        place.call().await.unwrap_err();
    }
}

#[tokio::test]
async fn files_of_another_user_are_refused() {
    let place = Place::new();
    fs::write(place.audit(), "").unwrap();
    set_mode(&place.audit(), 0o600);
    if chown(place.audit(), Some(65534), None).is_err() {
        println!("skipped: only root may give files away");
        return;
    }
    let error = place.call().await.unwrap_err();
    assert!(
        reason(&error).contains("belongs to the user 65534"),
        "{error}"
    );
    chown(place.audit(), Some(0), None).unwrap();
    place.call().await.unwrap();
    for name in ["audit.jsonl", "audit.jsonl.key", "."] {
        chown(place.path(name), Some(65534), None).unwrap();
        let error = place.call().await.unwrap_err();
        assert!(reason(&error).contains("65534"), "{name}: {error}");
        chown(place.path(name), Some(0), None).unwrap();
    }
    place.call().await.unwrap();
}

#[tokio::test]
async fn digests_are_keyed_by_a_private_key_next_to_the_file() {
    let place = Place::new();
    let events = place.called().await;
    call(&view(&place.audit())).await.unwrap();
    let again = lines(&place.audit());
    assert_eq!(again[2]["argument_digest"], events[0]["argument_digest"]);
    assert_eq!(again[2]["digest_key"], events[0]["digest_key"]);
    let key = place.path("audit.jsonl.key");
    let mode = fs::metadata(&key).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    let first = fs::read_to_string(&key)
        .unwrap()
        .lines()
        .next()
        .unwrap()
        .to_owned();
    let digest = toolwright::audit::DigestKey::from_text(&first).unwrap();
    assert_eq!(
        events[0]["argument_digest"],
        digest.digest(&json!({"id": "pin-8391"}))
    );
    let all = fs::read_to_string(place.audit()).unwrap();
    assert!(!all.contains(&first) && !all.contains("pin-8391"), "{all}");
    // Another audit has another key.
    let other = Place::new().called().await;
    assert_ne!(other[0]["argument_digest"], events[0]["argument_digest"]);
}

#[tokio::test]
async fn no_call_passes_without_a_usable_key() {
    let place = Place::new();
    place.called().await;
    let key = place.path("audit.jsonl.key");
    let good = fs::read_to_string(&key).unwrap();
    let other = place.path("other");
    fs::write(&other, &good).unwrap();
    set_mode(&other, 0o600);
    type Harm<'a> = Box<dyn Fn() + 'a>;
    let write = |text: String| fs::write(&key, text).unwrap();
    let harms: Vec<(&str, Harm<'_>)> = vec![
        ("it is absent", Box::new(|| fs::remove_file(&key).unwrap())),
        ("64 hexadecimal digits", Box::new(|| write(String::new()))),
        (
            "64 hexadecimal digits",
            Box::new(|| write("key\n".to_owned())),
        ),
        (
            "more than a key",
            Box::new(|| write(format!("{good}more\n"))),
        ),
        ("it is longer", Box::new(|| write("0".repeat(1 << 20)))),
        ("set it to 0600", Box::new(|| set_mode(&key, 0o644))),
        (
            "symbolic link",
            Box::new(|| {
                fs::remove_file(&key).unwrap();
                symlink(&other, &key).unwrap();
            }),
        ),
    ];
    let fresh = view(&place.audit());
    for (expected, harm) in harms {
        harm();
        for view in [&place.view, &fresh] {
            let error = call(view).await.unwrap_err();
            let text = reason(&error);
            assert!(
                text.contains(expected) && text.contains("restore the key"),
                "{text}"
            );
            assert!(!text.contains(good.trim()), "{text}");
        }
        let _ = fs::remove_file(&key);
        fs::write(&key, &good).unwrap();
        set_mode(&key, 0o600);
        place.call().await.unwrap();
    }
}

#[tokio::test]
async fn a_key_that_is_replaced_is_used_and_seen_in_the_events() {
    let place = Place::new();
    let before = place.called().await;
    let key = place.path("audit.jsonl.key");
    let other = place.path("other");
    fs::write(&other, format!("{}\n", "5a".repeat(32))).unwrap();
    set_mode(&other, 0o600);
    fs::rename(&other, &key).unwrap();
    let after = place.called().await;
    assert_ne!(after[2]["digest_key"], before[0]["digest_key"]);
    assert_ne!(after[2]["argument_digest"], before[0]["argument_digest"]);
}

#[tokio::test]
async fn a_kept_lock_does_not_block_calls_forever() {
    let place = Place::new();
    place.called().await;
    let file = File::open(place.audit()).unwrap();
    file.lock().unwrap();
    let error = place.call().await.unwrap_err();
    assert!(
        reason(&error).contains("another process keeps it locked"),
        "{error}"
    );
    file.unlock().unwrap();
    let events = place.called().await;
    assert_eq!(kinds(&events[2..]), ["audit_gap", "decision", "outcome"]);
}

#[tokio::test]
async fn every_mode_records_the_same() {
    for mode in AuditMode::ALL {
        let place = Place::new();
        let registry = Registry::builder()
            .tool(Tool::native(get_item(), |_, _| async { Ok(json!(1)) }))
            .grant("reader", "*")
            .audit(AuditFile::new(place.audit()).mode(*mode))
            .build()
            .unwrap();
        call(&registry.for_agent(&role("reader"))).await.unwrap();
        assert_eq!(kinds(&lines(&place.audit())), ["decision", "outcome"]);
    }
}
