//! Clients of every server learn of a change within a second.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::process::session;
use crate::support::{Project, READER};

/// The longest time from a change to the notification of a client.
const WITHIN: Duration = Duration::from_secs(1);

/// A server over pipes, and the times at which it sent that the list has changed.
struct Told {
    child: Child,
    _input: ChildStdin,
    times: Receiver<Instant>,
}

impl Told {
    fn start(project: &Project) -> Self {
        let mut child = project
            .command(&READER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        for message in session("tools/list", &json!({})) {
            writeln!(input, "{message}").unwrap();
        }
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("\"tools\":[") {
            line.clear();
            assert_ne!(output.read_line(&mut line).unwrap(), 0, "the server ended");
        }
        let (sender, times) = channel();
        thread::spawn(move || note(output, |time| sender.send(time).is_ok()));
        Self {
            child,
            _input: input,
            times,
        }
    }

    /// Returns the time from a change to the next notification. Later ones are dropped.
    #[track_caller]
    fn after(&self, change: Instant) -> Duration {
        let time = self.times.recv_timeout(Duration::from_secs(60)).unwrap();
        thread::sleep(Duration::from_millis(300));
        while self.times.try_recv().is_ok() {}
        time.saturating_duration_since(change)
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Notes the times of notifications.
fn note(output: BufReader<ChildStdout>, noted: impl Fn(Instant) -> bool) {
    for line in output.lines().map_while(Result::ok) {
        let message: Value = serde_json::from_str(&line).unwrap();
        let is_change = message["method"] == "notifications/tools/list_changed";
        if is_change && !noted(Instant::now()) {
            return;
        }
    }
}

#[test]
fn clients_of_two_servers_learn_of_each_change_within_a_second() {
    let project = Project::with_memo();
    project.configure("");
    let servers = [Told::start(&project), Told::start(&project)];
    let switch = |how: &str| {
        let by = [
            "--by",
            "ann",
            "--why",
            "a test",
            "--spec",
            "specs/memo/openapi.yaml",
        ];
        let tool = ["tools", how, "get-memo-note"];
        project
            .run(&[&tool[..], &by, &["--service", "memo"]].concat())
            .expect(0);
    };
    let write = |text: &str| project.configure(text);
    let changes: [(&str, &dyn Fn()); 4] = [
        ("a tool is switched off", &|| switch("disable")),
        ("a tool is switched on", &|| switch("enable")),
        ("the policy changes", &|| {
            write("[tools]\ndisable = [\"*\"]\n")
        }),
        ("the policy changes back", &|| write("")),
    ];
    for (name, change) in changes {
        change();
        // The command has ended, so the change was made before.
        let changed = Instant::now();
        let took = servers.each_ref().map(|server| server.after(changed));
        println!("{name}: clients learn of it after {took:?}");
        assert!(took.iter().all(|took| *took < WITHIN), "{name}: {took:?}");
    }
}
