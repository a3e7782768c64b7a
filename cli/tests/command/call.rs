//! `call`: one governed call, against a real service on loopback.

use std::{io::Write, process::Stdio};

use toolwright_tests::{Answer, Recorder};

use crate::support::{NOTES, Project, Run, service};

const SOURCE: [&str; 4] = ["--spec", "specs/memo/openapi.yaml", "--service", "memo"];
const NOTE: &str = r#"{"id": 7, "text": "milk"}"#;

/// A project whose service is on loopback, with a token.
fn project(server: &Recorder) -> Project {
    let project = Project::with_memo();
    project.write(
        "specs/memo/openapi.yaml",
        format!("{NOTES}  securitySchemes: {{ bearer: {{ type: http, scheme: bearer }} }}\nsecurity: [{{ bearer: [] }}]\n"),
    );
    project.configure("[roles.reader]\ngrant = [\"category:observe\"]\n[roles.idle]\n");
    let auth = format!(
        r#"{{"base_url": "{}", "api_token": "s3cret-t0ken"}}"#,
        server.url()
    );
    project.write(".local/memo/admin-auth.json", auth);
    project
}

fn call(project: &Project, arguments: &[&str]) -> Run {
    project.run(&[&["call"], arguments, &SOURCE[..]].concat())
}

#[test]
fn a_granted_read_is_answered_and_audited() {
    let server = service(Answer::json(200, NOTE));
    let project = project(&server);
    let arguments = [
        "get-memo-note",
        "--role",
        "reader",
        "--args",
        r#"{"id": 7}"#,
    ];
    let run = call(&project, &arguments).expect(0);
    assert_eq!(run.stdout, "{\n  \"id\": 7,\n  \"text\": \"milk\"\n}\n");
    let run = call(&project, &[&arguments[..], &["--json"]].concat()).expect(0);
    assert_eq!(run.stdout, "{\"id\":7,\"text\":\"milk\"}\n");

    let requests = server.take_requests();
    assert_eq!(requests.len(), 2);
    assert!(
        requests[0].starts_with("GET /notes/7 HTTP/1.1\r\n"),
        "{}",
        requests[0]
    );
    assert!(
        requests[0].contains("authorization: Bearer s3cret-t0ken"),
        "{}",
        requests[0]
    );

    let audit = project.read(".toolwright/audit.jsonl");
    assert_eq!(audit.lines().count(), 4, "{audit}");
    assert!(audit.contains(r#""role":"reader""#));
    assert!(!audit.contains("s3cret"), "{audit}");
}

#[test]
fn arguments_come_from_a_file_or_from_standard_input_too() {
    let server = service(Answer::json(200, NOTE));
    let project = project(&server);
    project.write("arguments.json", r#"{"id": 8}"#);
    let start = ["get-memo-note", "--role", "reader", "--args"];
    call(&project, &[&start[..], &["@arguments.json"]].concat()).expect(0);

    let mut command = project.command(&[&["call"], &start[..], &["-"], &SOURCE[..]].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(br#"{"id": 9}"#)
        .unwrap();
    assert!(child.wait().unwrap().success());

    let paths: Vec<_> = server
        .take_requests()
        .iter()
        .map(|text| text.chars().take(12).collect::<String>())
        .collect();
    assert_eq!(paths, ["GET /notes/8", "GET /notes/9"]);
}

#[test]
fn ungranted_and_unknown_tools_are_refused_alike() {
    let server = service(Answer::json(200, NOTE));
    let project = project(&server);
    let refused = |name: &str, role: &str| {
        let run = call(&project, &[name, "--role", role, "--args", r#"{"id": 7}"#]);
        run.expect(5)
            .stderr
            .replace(name, "TOOL")
            .replace(role, "ROLE")
    };
    let unknown = refused("get-memo-nothing", "reader");
    assert!(
        unknown.contains("may not call a tool named `TOOL`"),
        "{unknown}"
    );
    assert_eq!(refused("get-memo-note", "idle"), unknown);
    // A role is no secret of its own caller.
    let undeclared = refused("get-memo-note", "stranger");
    assert_eq!(undeclared, refused("get-memo-nothing", "stranger"));
    assert!(undeclared.contains("no role `ROLE` is declared"));
    assert_eq!(refused("delete-memo-note", "reader"), unknown);
    assert!(server.take_requests().is_empty());
}

#[test]
fn arguments_are_checked_before_anything_is_sent() {
    let server = service(Answer::json(200, NOTE));
    let project = project(&server);
    let with = |arguments: &str| {
        call(
            &project,
            &["get-memo-note", "--role", "reader", "--args", arguments],
        )
    };
    with(r#"{"id": "seven"}"#)
        .expect(2)
        .says("invalid arguments for `get-memo-note`")
        .says("/id");
    with("{}").expect(2).says("id");
    with("{").expect(2).says("the arguments are not JSON");
    with("@absent.json").expect(100).says("absent.json");
    assert!(server.take_requests().is_empty());
}

#[test]
fn a_service_error_is_printed_as_text_and_json() {
    let server = service(Answer::json(404, r#"{"message": "no such note"}"#));
    let project = project(&server);
    let arguments = [
        "get-memo-note",
        "--role",
        "reader",
        "--args",
        r#"{"id": 7}"#,
    ];
    call(&project, &arguments)
        .expect(7)
        .says("404")
        .says("no such note");
    let run = call(&project, &[&arguments[..], &["--json"]].concat()).expect(7);
    assert_eq!(run.json()[0]["error"]["status"], 404);
    assert_eq!(run.json()[0]["error"]["code"], "service_error");
}

#[test]
fn the_operator_may_grant_and_enable_on_the_command_line() {
    let server = service(Answer::empty(204));
    let project = project(&server);
    let arguments = [
        "delete-memo-note",
        "--role",
        "gardener",
        "--args",
        r#"{"id": 7}"#,
    ];
    call(&project, &arguments).expect(5).says("may not call");
    let granted = [&arguments[..], &["--grant", "effect:delete"]].concat();
    call(&project, &granted).expect(5).says("may not call");
    let enabled = [&granted[..], &["--enable", "delete-*"]].concat();
    call(&project, &enabled)
        .expect(6)
        .says("a person must approve this call");
    let slip = [&arguments[..], &["--grant", "efect:delete"]].concat();
    call(&project, &slip)
        .expect(100)
        .says("a similar one is `effect`");
}

#[test]
fn a_service_that_cannot_be_reached_has_an_exit_code_of_its_own() {
    let server = service(Answer::json(200, NOTE));
    let project = project(&server);
    // This socket does not listen, and no other test gets its port.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}", socket.local_addr().unwrap());
    let auth = format!(r#"{{"base_url": "{url}", "api_token": "s3cret-t0ken"}}"#);
    project.write(".local/memo/admin-auth.json", auth);
    let arguments = [
        "get-memo-note",
        "--role",
        "reader",
        "--args",
        r#"{"id": 7}"#,
    ];
    let run = call(&project, &[&arguments[..], &["--json"]].concat()).expect(8);
    assert_eq!(run.json()[0]["error"]["code"], "connect_failed");
    std::fs::remove_file(project.path(".local/memo/admin-auth.json")).unwrap();
    // The operator has something to repair.
    let run = call(&project, &[&arguments[..], &["--json"]].concat()).expect(100);
    assert_eq!(run.json()[0]["error"]["code"], "credentials_missing");
}

#[test]
fn an_error_in_the_project_file_has_its_position() {
    let server = service(Answer::json(200, NOTE));
    let project = project(&server);
    project.write(
        "toolwright.toml",
        "[roles.reader]\ngrant = [\"category:obsrve\"]\n",
    );
    call(&project, &["list-memo-notes", "--role", "reader"])
        .expect(100)
        .says("toolwright.toml:2:10")
        .says("observe");
}

/// The arguments of a call that saves the answer.
fn saving<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec![
        "get-memo-note",
        "--role",
        "reader",
        "--args",
        r#"{"id": 7}"#,
    ];
    arguments.extend(["--output", file]);
    arguments.extend(more);
    arguments
}

#[test]
fn an_answer_is_saved_as_it_is_and_no_file_is_overwritten() {
    let long = format!(r#"{{"text": "{}"}}"#, "x".repeat(2 << 20));
    let server = service(Answer::json(200, &long));
    let project = project(&server);
    let run = call(&project, &saving("a.json", &[])).expect(0);
    assert_eq!(project.read("a.json"), long);
    let size = long.len();
    let start = format!("saved {size} bytes (application/json) to `a.json`\nSHA-256 ");
    assert!(run.stdout.starts_with(&start), "{}", run.stdout);

    let run = call(&project, &saving("a.json", &["--json"])).expect(2);
    assert_eq!(run.json()[0]["error"]["code"], "usage");
    call(&project, &saving("a.json", &["--force"])).expect(0);
    let run = call(&project, &saving("b.json", &["--json"])).expect(0);
    let saved = &run.json()[0];
    assert_eq!(
        (&saved["size"], &saved["output"]),
        (&size.into(), &"b.json".into())
    );
    let run = call(&project, &saving("-", &[])).expect(0);
    assert_eq!(run.stdout, long);
    assert!(run.stderr.contains("to standard output"), "{}", run.stderr);

    let plain = [
        "get-memo-note",
        "--role",
        "reader",
        "--args",
        r#"{"id": 7}"#,
        "--json",
    ];
    let run = call(&project, &plain).expect(7);
    let error = &run.json()[0]["error"];
    assert_eq!(error["code"], "answer_too_large");
    assert_eq!(
        (&error["limit"], &error["size"]),
        (&(1 << 20).into(), &size.into())
    );
    assert!(error["help"][0].as_str().unwrap().contains("--output FILE"));
}

#[test]
fn an_argument_that_takes_no_file_is_given_none() {
    let server = service(Answer::json(200, "[]"));
    let project = project(&server);
    project.write("tags.txt", "home");
    let arguments = ["list-memo-notes", "--role", "reader", "--file"];
    let run = call(&project, &[&arguments[..], &["tag=@tags.txt"]].concat()).expect(2);
    run.says("`tag` of `list-memo-notes` takes no file");
    assert_eq!(server.take_requests().len(), 0);
}

#[test]
fn a_failed_call_leaves_no_file() {
    let server = service(Answer::json(404, r#"{"message": "no such note"}"#));
    let project = project(&server);
    call(&project, &saving("a.json", &[]))
        .expect(7)
        .says("no such note");
    call(&project, &saving("absent/a.json", &[])).expect(100);
    let left = std::fs::read_dir(project.path("")).unwrap();
    let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<_> = names.filter(|name| name.contains(".json")).collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn an_answer_with_a_secret_is_not_saved() {
    let server = service(Answer::json(200, r#"{"text": "s3cret-t0ken"}"#));
    let project = project(&server);
    let run = call(&project, &saving("-", &[])).expect(7);
    assert_eq!(run.stdout, "");
    call(&project, &saving("a.json", &[])).expect(7);
    assert!(!project.path("a.json").exists());
}
