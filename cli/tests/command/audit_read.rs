//! `toolwright audit`: what it prints of real calls, and how it names what was changed.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::Value;
use toolwright_tests::Answer;

use crate::support::{Project, READER, service};

/// A project with three calls in its audit: two that passed, and one that was refused.
fn called() -> (Project, toolwright_tests::Recorder) {
    let memo = service(Answer::json(200, "[]"));
    let project = Project::with_memo();
    project.configure(format!("[services.memo]\nbase_url = \"{}\"\n", memo.url()));
    let call = |tool: &str, exit: i32| {
        let arguments = ["call", tool, "--role", "reader", "--grant", "list-*"];
        project
            .run(&[&arguments[..], &["--run", "r-1", "--agent", "planner"]].concat())
            .expect(exit);
    };
    call("list-memo-notes", 0);
    call("list-memo-notes", 0);
    call("no-such-tool", 5);
    (project, memo)
}

fn audit(project: &Project) -> PathBuf {
    project.path(".toolwright/audit.jsonl")
}

fn events(project: &Project, arguments: &[&str]) -> Vec<Value> {
    project
        .run(&[&["audit"], arguments, &["--json"]].concat())
        .expect(0)
        .json()
}

#[test]
fn events_are_found_by_their_fields() {
    let (project, _memo) = called();
    let all = events(&project, &["search"]);
    assert_eq!(all.len(), 5, "{all:?}");
    for (filter, expected) in [
        (["--decision", "deny"], 1),
        (["--decision", "allow"], 2),
        (["--event", "outcome"], 2),
        (["--tool", "list-memo-notes"], 4),
        (["--role", "reader"], 5),
        (["--role", "nobody"], 0),
        (["--run", "r-1"], 5),
        (["--run", "r"], 0),
        (["--since", "1h"], 5),
        (["--until", "1h"], 0),
    ] {
        let found = events(&project, &[&["search"], &filter[..]].concat());
        assert_eq!(found.len(), expected, "{filter:?}");
    }
    assert_eq!(all[0]["agent"], "planner");
    assert!(all[0]["workspace"].is_string());
    assert_eq!(events(&project, &["tail", "-n", "2"]), all[3..]);
    let text = project.run(&["audit", "tail", "-n", "1"]).expect(0).stdout;
    assert!(
        text.contains(" decision reader no-such-tool deny denied reason=unknown_tool"),
        "{text}"
    );
    let exported = project.run(&["audit", "export"]).expect(0).stdout;
    assert_eq!(
        exported.trim_end(),
        fs::read_to_string(audit(&project)).unwrap().trim_end()
    );
    project
        .run(&["audit", "search", "--since", "yesterday"])
        .expect(2);
}

#[test]
fn new_events_are_followed() {
    let (project, _memo) = called();
    let mut child = project
        .command(&["audit", "tail", "-n", "1", "--follow", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || {
        let line = lines.next().unwrap().unwrap();
        serde_json::from_str::<Value>(&line).unwrap()["seq"].clone()
    };
    assert_eq!(next(), 5);
    project
        .run(&[
            "call",
            "no-such-tool",
            "--role",
            "reader",
            "--grant",
            "list-*",
        ])
        .expect(5);
    assert_eq!(next(), 6);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_call_is_shown_with_its_end() {
    let (project, _memo) = called();
    let all = events(&project, &["search"]);
    let call = all[0]["correlation_id"].as_str().unwrap();
    assert_eq!(events(&project, &["show", call]), all[..2]);
    let text = project.run(&["audit", "show", call]).expect(0).stdout;
    assert!(text.contains("outcome           ok"), "{text}");
    assert!(!text.contains("no end"), "{text}");
    let lines = fs::read_to_string(audit(&project)).unwrap();
    let alone = project.path("alone.jsonl");
    fs::write(&alone, format!("{}\n", lines.lines().next().unwrap())).unwrap();
    let alone = alone.display().to_string();
    let text = project
        .run(&["audit", "show", call, "--file", &alone])
        .expect(0)
        .stdout;
    assert!(text.contains("no end was recorded"), "{text}");
    project.run(&["audit", "show", "nothing"]).expect(100);
}

#[test]
fn the_report_counts_calls() {
    let (project, _memo) = called();
    let report = events(&project, &["report"]).remove(0);
    assert_eq!(report["total"]["allowed"], 2);
    assert_eq!(report["tools"]["list-memo-notes"]["ok"], 2);
    assert_eq!(report["denials"]["unknown_tool"], 1);
    assert_eq!(report["kinds"]["raw"]["allowed"], 2);
    let text = project.run(&["audit", "report"]).expect(0).stdout;
    assert!(text.contains("tool list-memo-notes"), "{text}");
    assert!(text.contains("denied unknown_tool: 1"), "{text}");
}

#[test]
fn what_was_changed_is_named() {
    let (project, _memo) = called();
    let verified = events(&project, &["verify"]).remove(0);
    assert_eq!(
        (&verified["verified"], &verified["events"]),
        (&true.into(), &5.into())
    );
    assert_eq!(
        verified["covered"], 5,
        "each command signs a checkpoint when it ends"
    );
    let text = project.run(&["audit", "verify"]).expect(0).stdout;
    assert!(
        text.contains("the audit is as it was written: 5 events"),
        "{text}"
    );
    let key = verified["keys"][0].as_str().unwrap();
    let last = text
        .lines()
        .last()
        .unwrap()
        .strip_prefix("last event ")
        .unwrap();
    let original = fs::read_to_string(audit(&project)).unwrap();
    let lines: Vec<_> = original.split_inclusive('\n').collect();
    for (changed, name) in [
        (
            original.replacen("no-such-tool", "no-such-toll", 1),
            "event 5: changed",
        ),
        (
            [lines[0], lines[2], lines[1], lines[3], lines[4]].concat(),
            "event 2: reordered",
        ),
        (lines[1..].concat(), "event 1: removed"),
        (lines[..3].concat(), "event 4: cut-off"),
        (
            [lines[0], lines[0], lines[1], lines[2], lines[3], lines[4]].concat(),
            "event 2: inserted",
        ),
    ] {
        fs::write(audit(&project), changed).unwrap();
        for arguments in [&[][..], &["--without-secret", "--key", key]] {
            let run = project
                .run(&[&["audit", "verify"], arguments].concat())
                .expect(4);
            let first = run.stdout.lines().next().unwrap();
            assert!(first.contains(name), "{name}: {first}");
        }
    }
    fs::write(audit(&project), &original).unwrap();
    // A copy without the key, and an event that the copy must have.
    let copy = project.path("copy");
    fs::create_dir(&copy).unwrap();
    for ending in ["", ".head", ".statements"] {
        let name = format!("audit.jsonl{ending}");
        fs::copy(
            project.path(&format!(".toolwright/{name}")),
            copy.join(name),
        )
        .unwrap();
    }
    let file = copy.join("audit.jsonl").display().to_string();
    let check = [
        "audit", "verify", "--file", &file, "--key", key, "--expect", last,
    ];
    project.run(&check).expect(0);
    let later = format!("6:{}", "0".repeat(64));
    let check = [
        "audit", "verify", "--file", &file, "--key", key, "--expect", &later,
    ];
    let text = project.run(&check).expect(4).stdout;
    assert!(text.contains("event 6: cut-off"), "{text}");
    let other = "ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
    project
        .run(&["audit", "verify", "--file", &file, "--key", other])
        .expect(4);
    project
        .run(&["audit", "verify", "--file", "absent.jsonl"])
        .expect(100);
}

/// A small ext4 file system in a file, mounted while it lives.
struct Disk(PathBuf);

impl Disk {
    fn new(project: &Project) -> Option<Self> {
        let (image, place) = (project.path("disk.img"), project.path(".toolwright"));
        fs::create_dir_all(&place).unwrap();
        fs::write(&image, vec![0; 8 << 20]).unwrap();
        let run = |command: &mut Command| {
            let output = command.output();
            output.is_ok_and(|output| output.status.success())
        };
        let made = run(Command::new("mkfs.ext4").arg("-q").arg(&image))
            && run(Command::new("mount")
                .args(["-o", "loop"])
                .arg(&image)
                .arg(&place));
        if !made {
            return None;
        }
        let disk = Self(place);
        let mode = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o700);
        fs::set_permissions(&disk.0, mode).unwrap();
        Some(disk)
    }

    /// Makes the file system read-only as after an error of the disk, with its files open.
    fn abort(&self) -> bool {
        let status = Command::new("mount")
            .args(["-o", "remount,abort"])
            .arg(&self.0)
            .output();
        status.is_ok_and(|output| output.status.success())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_disk_that_becomes_read_only_refuses_calls_and_the_audit_verifies() {
    let memo = service(Answer::json(200, "[]"));
    let project = Project::with_memo();
    let state = "[state]\nfile = \"state/state.db\"\n";
    project.configure(format!(
        "[services.memo]\nbase_url = \"{}\"\n{state}",
        memo.url()
    ));
    let Some(disk) = Disk::new(&project) else {
        println!("skipped: no file system can be made and mounted here");
        return;
    };
    let mut server = super::audit::Server::start(&mut project.command(&READER));
    assert!(server.call().0);
    assert_eq!(memo.take_requests().len(), 1);
    assert!(disk.abort());
    let (worked, answer) = server.call();
    assert!(!worked && answer.contains("audit_unavailable"), "{answer}");
    assert!(memo.take_requests().is_empty(), "nothing is sent");
    let text = project.run(&["audit", "verify"]).expect(0).stdout;
    assert!(text.contains("2 events"), "{text}");
    drop(server);
    drop(disk);
}

#[test]
fn lines_of_a_sink_are_verified_like_the_file() {
    let (project, _memo) = called();
    let text = fs::read_to_string(audit(&project)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let verify = |lines: &[&str], arguments: &[&str], exit: i32| {
        project.write("lines.jsonl", lines.join("\n") + "\n");
        let all = [&["audit", "verify", "--lines", "lines.jsonl"], arguments].concat();
        project.run(&all).expect(exit).stdout
    };
    let whole = verify(&lines, &[], 0);
    assert!(
        whole.starts_with("the audit is as it was written: 5 events"),
        "{whole}"
    );
    let (_, last) = whole.rsplit_once("last event ").unwrap();
    let part = verify(&lines[2..], &["--expect", last.trim()], 0);
    assert!(
        part.contains("the events up to 2 are not among the lines"),
        "{part}"
    );
    assert!(verify(&lines[..4], &["--expect", last.trim()], 4).contains("event 5: cut-off"));
    verify(&lines[..4], &[], 0);
    let without = [lines[0], lines[2], lines[3], lines[4]];
    assert!(verify(&without, &["--without-secret"], 4).contains("event 2: removed"));
    let changed = lines[1].replace("reader", "writer");
    let changed = [lines[0], &changed, lines[2]];
    assert!(verify(&changed, &[], 4).contains("event 2: changed"));
}

#[test]
fn the_sinks_of_an_audit_are_listed_and_forwarded_to() {
    let (project, _memo) = called();
    project
        .run(&["audit", "sinks"])
        .expect(0)
        .prints("the audit has no sinks");
    project
        .run(&["audit", "forward"])
        .expect(0)
        .prints("the audit has no sinks");
    project.configure("[audit.otlp]\nurl = \"http://127.0.0.1:1\"\nmost_waiting = 9\n");
    let sinks = project.run(&["audit", "sinks", "--json"]).expect(0).json();
    let sink = &sinks[0][0];
    assert_eq!(sink["sink"], "otlp");
    assert_eq!(sink["waiting"], 5);
    assert_eq!(sink["changes_refused"], false);
    let failed = project.run(&["audit", "forward", "--json"]).expect(100);
    assert_eq!(failed.json()[0]["error"]["code"], "sink");
}
