//! `state` and `tools`: the operator's switches, and the database they are kept in.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
    time::{Duration, Instant},
};

use toolwright_state::testing::TestPlace;
use toolwright_tests::{Answer, Recorder};

use crate::support::{Project, Run, service};

const SOURCE: [&str; 4] = ["--spec", "specs/memo/openapi.yaml", "--service", "memo"];

/// Creates a project with a role that may do everything, and a state at a place.
fn project(server: &Recorder, more: &str) -> Project {
    let project = Project::with_memo();
    let service = format!("[services.memo]\nbase_url = \"{}\"\n", server.url());
    project.configure(format!("[roles.writer]\ngrant = [\"*\"]\n{service}{more}"));
    project
}

/// The places of states that this machine has; none for the default.
fn places() -> Vec<Option<TestPlace>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let postgres = runtime.unwrap().block_on(TestPlace::postgres());
    std::iter::once(None).chain(postgres.map(Some)).collect()
}

fn get(project: &Project) -> Run {
    let call = [
        "call",
        "get-memo-note",
        "--role",
        "writer",
        "--args",
        r#"{"id": 7}"#,
    ];
    project.run(&[&call[..], &SOURCE[..]].concat())
}

fn switch(project: &Project, how: &str, tool: &str, why: &str) -> Run {
    let arguments = ["tools", how, tool, "--by", "ann", "--why", why];
    project.run(&[&arguments[..], &SOURCE[..]].concat())
}

#[test]
fn a_tool_is_switched_off_and_on_again() {
    for place in places() {
        let server = service(Answer::json(200, r#"{"id": 7, "text": "milk"}"#));
        let config = place.as_ref().map(TestPlace::config).unwrap_or_default();
        let project = project(&server, &config);
        get(&project).expect(0);
        switch(&project, "disable", "get-memo-note", "leaks")
            .expect(0)
            .prints("is switched off");
        get(&project).expect(5).says("may not call");
        let states = project
            .run(&[&["tools", "states"][..], &SOURCE[..]].concat())
            .expect(0);
        let line = states
            .stdout
            .lines()
            .find(|line| line.contains("get-memo-note"))
            .unwrap();
        assert!(
            line.contains("off") && line.contains("ann") && line.contains("leaks"),
            "{line}"
        );
        let states = project.run(&[&["tools", "states", "--json"][..], &SOURCE[..]].concat());
        let states = states.expect(0).json();
        let state = states
            .iter()
            .find(|state| state["tool"] == "get-memo-note")
            .unwrap();
        assert_eq!(state["enabled"], false);
        assert_eq!(state["default"], true);
        assert_eq!(state["override"]["why"], "leaks");

        switch(&project, "reset", "get-memo-note", "mended")
            .expect(0)
            .prints("default again");
        get(&project).expect(0);
        let audit = project.read(".toolwright/audit.jsonl");
        let switched =
            r#""event":"tool_switched","tool":"get-memo-note","enabled":false,"person":"ann""#;
        assert_eq!(audit.matches(switched).count(), 1, "{audit}");
        assert_eq!(
            audit.matches(r#""event":"tool_switched""#).count(),
            2,
            "{audit}"
        );
        assert_eq!(
            audit.matches(r#""reason":"disabled""#).count(),
            1,
            "{audit}"
        );
    }
}

#[test]
fn a_switch_narrows_what_the_file_forbids() {
    let server = service(Answer::json(200, "{}"));
    let project = project(&server, "[tools]\ndisable = [\"delete-*\"]\n");
    switch(&project, "enable", "delete-memo-note", "please")
        .expect(100)
        .says("`disable` of `[tools]` in toolwright.toml wins over switches");
    switch(&project, "enable", "create-memo-note", "please").expect(0);
    let states = project.run(&[&["tools", "states", "--json"][..], &SOURCE[..]].concat());
    let states = states.expect(0).json();
    let is_on =
        |tool: &str| states.iter().find(|state| state["tool"] == tool).unwrap()["enabled"].clone();
    assert_eq!(is_on("delete-memo-note"), false);
    assert_eq!(is_on("create-memo-note"), true);
}

#[test]
fn a_switch_needs_a_known_tool_a_person_and_a_reason() {
    let server = service(Answer::json(200, "{}"));
    let project = project(&server, "");
    switch(&project, "disable", "get-memo-notes", "leaks")
        .expect(100)
        .says("a tool with a similar name exists: `get-memo-note`");
    for why in ["", " ", "a\u{202e}b", "a\nb"] {
        switch(&project, "disable", "get-memo-note", why)
            .expect(2)
            .says("the reason must be");
    }
    get(&project);
    assert!(
        !project
            .read(".toolwright/audit.jsonl")
            .contains("tool_switched")
    );
}

#[test]
fn a_switch_that_cannot_be_recorded_is_not_made() {
    let server = service(Answer::json(200, "{}"));
    let project = project(&server, "[audit]\nfile = \"/dev/null\"\n");
    switch(&project, "disable", "get-memo-note", "leaks")
        .expect(100)
        .says("nothing was switched");
    let exported = project.run(&["state", "export"]).expect(0).json();
    assert_eq!(exported.len(), 1, "{exported:?}");
}

#[test]
fn a_running_server_refuses_a_tool_that_is_switched_off() {
    for place in places() {
        let server = service(Answer::json(200, r#"{"id": 7, "text": "milk"}"#));
        let config = place.as_ref().map(TestPlace::config).unwrap_or_default();
        let project = project(&server, &config);
        let mut arguments = vec!["serve", "--role", "writer"];
        arguments.extend(SOURCE);
        let mut command = project.command(&arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut ask = |method: &str, params: serde_json::Value| {
            use std::io::Write;
            let meta = serde_json::json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "agent", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            let mut params = params;
            params["_meta"] = meta;
            let request =
                serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            writeln!(stdin, "{request}").unwrap();
            loop {
                let line = stdout.next().unwrap().unwrap();
                if line.contains("\"id\":1") {
                    return line;
                }
            }
        };
        let call = serde_json::json!({"name": "get-memo-note", "arguments": {"id": 7}});
        let answer = ask("tools/call", call.clone());
        assert!(answer.contains("milk"), "{answer}");
        switch(&project, "disable", "get-memo-note", "leaks").expect(0);
        let switched = Instant::now();
        while ask("tools/call", call.clone()).contains("milk") {
            assert!(switched.elapsed() < Duration::from_secs(30));
        }
        let listed = ask("tools/list", serde_json::json!({}));
        assert!(!listed.contains("\"get-memo-note\""), "{listed}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn the_state_is_shown_migrated_and_exported() {
    let server = service(Answer::json(200, "{}"));
    let project = project(&server, "");
    let shown = project.run(&["state"]).expect(0).prints("schema");
    assert!(!shown.stdout.contains("newer"), "{}", shown.stdout);
    project.run(&["state", "migrate"]).expect(0);
    project
        .run(&["state", "migrate"])
        .expect(0)
        .prints("the schema is current");
    switch(&project, "disable", "get-memo-note", "leaks").expect(0);
    let exported = project.run(&["state", "export"]).expect(0).json();
    assert_eq!(exported[1]["switch"]["tool"], "get-memo-note");
    let status = project.run(&["state", "--json"]).expect(0).json();
    assert_eq!(status[0]["schema"], status[0]["known"]);
}

#[test]
fn a_state_that_cannot_be_used_stops_the_command() {
    let server = service(Answer::json(200, r#"{"id": 7, "text": "milk"}"#));
    let project = project(
        &server,
        "[state]\nurl = \"postgres://root@127.0.0.1:1/none\"\n",
    );
    get(&project).expect(100).says("cannot use the state");
    assert!(server.take_requests().is_empty());
    project.configure("[state]\nurl = \"postgres://ann:hunter2@db.example/none\"\n");
    let refused = project.run(&["state"]).expect(100).says("password_file");
    assert!(!refused.stderr.contains("hunter2"), "{}", refused.stderr);
}
