//! The audit of real processes: several at once, killed, rotated, and on a full disk.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Lines, Write},
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};
use toolwright_tests::Answer;

use crate::support::{Project, READER, service};

/// A project whose service is at this URL.
fn project(url: &str) -> Project {
    let project = Project::with_memo();
    // The folder of the audit is full, or its file cannot grow, and the state is elsewhere.
    let state = "[state]\nfile = \"state/state.db\"\n";
    let config = format!("[services.memo]\nbase_url = \"{url}\"\n{state}");
    project.configure(config);
    project
}

/// A server as a process, and a client at its pipes.
pub(super) struct Server {
    child: Child,
    pipe: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    id: u64,
}

impl Server {
    pub(super) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let pipe = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut server = Self {
            child,
            pipe,
            lines,
            id: 0,
        };
        server.ask(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {},
                   "clientInfo": {"name": "test", "version": "1"}}),
        );
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        server.write(&ready);
        server
    }

    fn write(&mut self, message: &Value) {
        writeln!(self.pipe.as_mut().unwrap(), "{message}").unwrap();
    }

    fn send(&mut self, method: &str, params: Value) {
        self.id += 1;
        let id = self.id;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.write(&message);
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(method, params);
        let answer: Value = serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(answer["id"], self.id, "{answer}");
        answer
    }

    /// Calls a tool, and returns whether it worked and its output.
    pub(super) fn call(&mut self) -> (bool, String) {
        let params = json!({"name": "list-memo-notes", "arguments": {"tag": "pin-8391"}});
        let answer = self.ask("tools/call", params);
        (answer["result"]["isError"] != true, answer.to_string())
    }

    fn end(mut self) {
        drop(self.pipe.take());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has ended unless the test has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the events of a file, each of which must be complete.
fn events(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'), "{text}");
    let event =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(event).collect()
}

fn count(events: &[Value], kind: &str) -> usize {
    events.iter().filter(|event| event["event"] == kind).count()
}

/// The sum of a number over the events that have it.
fn sum(events: &[Value], field: &str) -> usize {
    let numbers = events.iter().filter_map(|event| event[field].as_u64());
    numbers.sum::<u64>().try_into().unwrap()
}

fn audit(project: &Project) -> PathBuf {
    project.path(".toolwright/audit.jsonl")
}

#[test]
fn lines_of_several_processes_are_whole() {
    let memo = service(Answer::json(200, "[]"));
    let project = project(&memo.url());
    let calls = 25;
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let mut server = Server::start(&mut project.command(&READER));
                for _ in 0..calls {
                    let (worked, answer) = server.call();
                    assert!(worked, "{answer}");
                }
                server.end();
            });
        }
    });
    let events = events(&audit(&project));
    assert_eq!(events.len(), 6 * calls * 2);
    let mut of_process: BTreeMap<u64, usize> = BTreeMap::new();
    for event in &events {
        let process = event["process"].as_u64().unwrap();
        *of_process.entry(process).or_default() += 1;
        assert_eq!(event["argument_digest"], events[0]["argument_digest"]);
    }
    let expected = vec![calls * 2; 6];
    assert_eq!(of_process.into_values().collect::<Vec<_>>(), expected);
    project.run(&["audit", "verify"]).expect(0);
}

#[test]
fn a_server_notices_that_its_audit_was_rotated_or_deleted() {
    let memo = service(Answer::json(200, "[]"));
    let project = project(&memo.url());
    let mut server = Server::start(&mut project.command(&READER));
    assert!(server.call().0);
    let rotated = project.path(".toolwright/audit.jsonl.1");
    fs::rename(audit(&project), &rotated).unwrap();
    assert!(server.call().0);
    assert_eq!(events(&rotated).len(), 2);
    let now = events(&audit(&project));
    assert_eq!((now.len(), &now[0]["reason"]), (3, &json!("moved")));
    fs::remove_dir_all(project.path(".toolwright")).unwrap();
    assert!(server.call().0);
    let now = events(&audit(&project));
    assert_eq!((now.len(), &now[0]["reason"]), (3, &json!("removed")));
    server.end();
    // The next process knows nothing of the file but its head.
    fs::remove_file(audit(&project)).unwrap();
    let text = project.run(&["audit", "verify"]).expect(4).stdout;
    assert!(text.contains("event 1: cut-off"), "{text}");
    let mut server = Server::start(&mut project.command(&READER));
    assert!(server.call().0);
    server.end();
    let now = events(&audit(&project));
    assert_eq!((now.len(), &now[0]["reason"]), (3, &json!("missing")));
}

#[test]
fn no_call_is_sent_if_others_can_read_the_audit() {
    let memo = service(Answer::json(200, "[]"));
    let project = project(&memo.url());
    let mut server = Server::start(&mut project.command(&READER));
    assert!(server.call().0);
    assert_eq!(memo.take_requests().len(), 1);
    let mode = |mode| fs::set_permissions(audit(&project), fs::Permissions::from_mode(mode));
    mode(0o644).unwrap();
    assert!(!server.call().0);
    assert!(memo.take_requests().is_empty());
    mode(0o600).unwrap();
    assert!(server.call().0);
    server.end();
    let events = events(&audit(&project));
    assert_eq!(events[2]["event"], "audit_gap");
    assert_eq!(events[2]["lost_events"], 1);
}

#[test]
fn the_decision_of_a_killed_call_is_recorded() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let project = project(&format!("http://{}", silent.local_addr().unwrap()));
    let mut server = Server::start(&mut project.command(&READER));
    server.send(
        "tools/call",
        json!({"name": "list-memo-notes", "arguments": {}}),
    );
    let _connection = silent.accept().unwrap();
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let events = events(&audit(&project));
    assert_eq!((events.len(), &events[0]["decision"]), (1, &json!("allow")));
}

/// Calls until one is refused for want of room, and checks that nothing is sent then and that no
/// line is torn.
fn fill(server: &mut Server, project: &Project, memo: &toolwright_tests::Recorder) -> usize {
    let mut calls = 0;
    let refused = loop {
        let (worked, answer) = server.call();
        if !worked {
            break answer;
        }
        calls += 1;
        assert!(calls < 1000, "the audit is never full");
    };
    assert!(refused.contains("could not be recorded"), "{refused}");
    assert_eq!(memo.take_requests().len(), calls);
    assert!(!server.call().0);
    assert!(memo.take_requests().is_empty());
    let events = events(&audit(project));
    assert_eq!(count(&events, "decision"), calls);
    calls
}

#[test]
fn a_file_that_cannot_grow_has_no_torn_line() {
    let memo = service(Answer::json(200, "[]"));
    let project = project(&memo.url());
    let serve = project.command(&READER);
    // The limit lets a line begin and not end, and has room for the state.
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f 400; exec \"$0\" \"$@\""])
        .arg(serve.get_program())
        .args(serve.get_args())
        .envs(
            serve
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .current_dir(project.path("."));
    let mut server = Server::start(&mut limited);
    let calls = fill(&mut server, &project, &memo);
    server.end();
    assert!(calls > 1);
    let mut server = Server::start(&mut project.command(&READER));
    assert!(server.call().0);
    server.end();
    let events = events(&audit(&project));
    assert_eq!(count(&events, "decision"), calls + 1);
    assert_eq!(sum(&events, "torn_lines"), 0);
}

/// A small file system, mounted while it lives.
pub(crate) struct Mount(PathBuf);

impl Mount {
    pub(crate) fn new(place: PathBuf) -> Option<Self> {
        fs::create_dir_all(&place).unwrap();
        let options = ["-t", "tmpfs", "-o", "size=64k,mode=0700", "none"];
        let mounted = Command::new("mount").args(options).arg(&place).output();
        mounted.ok()?.status.success().then_some(Self(place))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_refuses_calls_and_lost_events_are_recorded() {
    let memo = service(Answer::json(200, "[]"));
    let project = project(&memo.url());
    let Some(_mount) = Mount::new(project.path(".toolwright")) else {
        println!("skipped: nothing can be mounted here");
        return;
    };
    project.write(".toolwright/filler", "0".repeat(16 << 10));
    let mut server = Server::start(&mut project.command(&READER));
    let calls = fill(&mut server, &project, &memo);
    fs::remove_file(project.path(".toolwright/filler")).unwrap();
    assert!(server.call().0);
    server.end();
    let events = events(&audit(&project));
    assert_eq!(count(&events, "decision"), calls + 1);
    // Every call has a decision and an outcome, or was counted as lost.
    let lost = sum(&events, "lost_outcomes");
    assert_eq!(count(&events, "outcome") + lost, calls + 1);
    assert_eq!(
        sum(&events, "lost_events"),
        lost + 2,
        "two calls were refused"
    );
    assert_eq!(sum(&events, "torn_lines"), 0);
    project.run(&["audit", "verify"]).expect(0);
}
