//! `doctor`: the findings of a project, with a real service.

use serde_json::{Value, json};
use toolwright_tests::{Answer, Recorder};

use crate::support::{NOTES, Project, service};

/// A project whose service is on loopback and takes a token.
fn project(server: &Recorder) -> Project {
    let project = Project::with_memo();
    let security = "  securitySchemes: { bearer: { type: http, scheme: bearer } }\nsecurity: [{ bearer: [] }]\n";
    project.write("specs/memo/openapi.yaml", format!("{NOTES}{security}"));
    project.configure("[roles.reader]\ngrant = [\"category:observe\"]\n");
    auth(&project, server, "tk-s3cret");
    project.run(&["generate", "--locks"]).expect(0);
    project
}

fn auth(project: &Project, server: &Recorder, token: &str) {
    let auth = format!(
        r#"{{"base_url": "{}", "api_token": "{token}"}}"#,
        server.url()
    );
    project.write(".local/memo/admin-auth.json", auth);
}

/// The findings that are to be fixed.
fn faults(project: &Project, arguments: &[&str], code: i32) -> Vec<Value> {
    let run = project
        .run(&[&["doctor", "--json"], arguments].concat())
        .expect(code);
    assert!(!run.stdout.contains("s3cret"), "{}", run.stdout);
    let findings = run.json().into_iter();
    let faults: Vec<_> = findings
        .filter(|finding| finding["status"] != "ok")
        .collect();
    for fault in &faults {
        let help = fault["help"].as_array().unwrap();
        assert!(!help.is_empty(), "nothing says what to do: {fault}");
    }
    faults
}

#[track_caller]
fn only(faults: &[Value], part: &str, message: &str) {
    let text = serde_json::to_string(faults).unwrap();
    assert!(faults.len() == 1 && faults[0]["part"] == part, "{text}");
    assert!(text.contains(message), "no `{message}` in {text}");
}

#[test]
fn a_project_in_order_has_no_findings_and_sends_nothing() {
    let server = service(Answer::json(200, "[]"));
    let project = project(&server);
    assert!(faults(&project, &[], 0).is_empty());
    let before = project.files(".");
    project
        .run(&["doctor"])
        .expect(0)
        .prints("0 errors, 0 warnings");
    assert_eq!(project.files("."), before, "something was written");
    assert!(server.take_requests().is_empty());
}

#[test]
fn one_harmless_read_is_called_online() {
    let server = service(Answer::json(200, "[]"));
    let project = project(&server);
    project
        .run(&["doctor", "--online"])
        .expect(0)
        .prints("it answers `list-memo-notes` for `reader`");
    let requests = server.take_requests();
    assert_eq!(requests.len(), 1, "{requests:?}");
    assert!(
        requests[0].starts_with("GET /notes HTTP/1.1"),
        "{}",
        requests[0]
    );
    assert!(
        project
            .read(".toolwright/audit.jsonl")
            .contains("list-memo-notes")
    );
}

#[test]
fn a_service_that_refuses_is_found_online() {
    let server = service(Answer::json(401, r#"{"message": "tk-s3cret is unknown"}"#));
    let project = project(&server);
    let found = faults(&project, &["--online"], 4);
    only(&found, "service", "the service answered 401");
    let url = format!("GET {}/notes", server.url());
    only(&found, "service", &url);
}

#[test]
fn missing_and_malformed_credentials_are_found() {
    let server = service(Answer::json(200, "[]"));
    let project = project(&server);
    let file = project.path(".local/memo/admin-auth.json");
    std::fs::remove_file(&file).unwrap();
    only(
        &faults(&project, &[], 4),
        "service",
        "no credentials were found in",
    );
    project.write(
        ".local/memo/admin-auth.json",
        r#"{"api_tokn": "tk-s3cret"}"#,
    );
    only(
        &faults(&project, &[], 4),
        "service",
        "too similar to `api_token`",
    );
    project.write(
        ".local/memo/admin-auth.json",
        r#"{"api_token" "tk-s3cret"}"#,
    );
    only(
        &faults(&project, &[], 4),
        "service",
        "is not JSON at line 1",
    );
    project.write(
        ".local/memo/admin-auth.json",
        r#"{"base_url": "no url", "api_token": "tk-s3cret"}"#,
    );
    only(
        &faults(&project, &[], 4),
        "service",
        "the base URL of the service `memo` cannot be used",
    );
}

#[cfg(unix)]
#[test]
fn a_store_of_files_that_others_can_list_is_found() {
    use std::os::unix::fs::PermissionsExt;

    let server = service(Answer::json(200, "[]"));
    let project = project(&server);
    project.write(".toolwright/files/file-x.txt", "");
    let folder = project.path(".toolwright/files");
    let allow = |mode| {
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(0o755);
    only(
        &faults(&project, &[], 4),
        "files",
        "set it to 0700 with `chmod`",
    );
    allow(0o700);
    assert!(faults(&project, &[], 0).is_empty());
    let record = format!(".toolwright/files/{}.json", "0123456789abcdef".repeat(2));
    project.write(&record, "{");
    only(
        &faults(&project, &[], 4),
        "files",
        "1 record cannot be read",
    );
}

#[test]
fn a_sink_that_receives_nothing_is_found() {
    let server = service(Answer::json(200, "[]"));
    let project = project(&server);
    project.configure(
        "[roles.reader]\ngrant = [\"category:observe\"]\n\
         [audit.nats]\nurl = \"nats://127.0.0.1:1\"\nmost_waiting = 4\n",
    );
    assert!(faults(&project, &[], 0).is_empty());
    let call = || {
        let refused = project.run(&["call", "no-such-tool", "--role", "reader"]);
        refused.expect(5);
    };
    call();
    call();
    let waiting = faults(&project, &[], 4);
    only(&waiting, "audit", "2 of at most 4 events wait");
    assert_eq!(waiting[0]["status"], "warning");
    call();
    call();
    let refused = faults(&project, &[], 4);
    only(&refused, "audit", "calls that change something are refused");
    assert_eq!(refused[0]["status"], "error");
}

#[cfg(unix)]
#[test]
fn credentials_that_others_can_read_are_found() {
    use std::os::unix::fs::PermissionsExt;

    let server = service(Answer::json(200, "[]"));
    let project = project(&server);
    let file = project.path(".local/memo/admin-auth.json");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    only(
        &faults(&project, &[], 4),
        "service",
        "the credentials of the service `memo` cannot be used",
    );
}

#[test]
fn the_end_of_a_token_is_found() {
    let server = service(Answer::json(200, "[]"));
    let project = project(&server);
    // {"exp":1000000000}
    auth(
        &project,
        &server,
        "eyJhbGciOiJub25lIn0.eyJleHAiOjEwMDAwMDAwMDB9.s3cret",
    );
    only(
        &faults(&project, &[], 4),
        "service",
        "the token has expired at 2001-09-09",
    );
    // {"exp":32503680000}
    auth(
        &project,
        &server,
        "eyJhbGciOiJub25lIn0.eyJleHAiOjMyNTAzNjgwMDAwfQ.s3cret",
    );
    assert!(faults(&project, &[], 0).is_empty());
}

#[test]
fn an_untrusted_configuration_is_found_and_nothing_is_called() {
    let server = service(Answer::json(200, "[]"));
    let project = project(&server);
    project.run(&["trust", "--revoke"]).expect(0);
    let found = faults(&project, &["--online"], 4);
    let parts: Vec<_> = found
        .iter()
        .map(|fault| fault["part"].as_str().unwrap())
        .collect();
    assert_eq!(parts, ["configuration", "service"]);
    assert!(server.take_requests().is_empty());
}

#[test]
fn faults_of_the_configuration_and_the_policy_are_found() {
    let server = service(Answer::json(200, "[]"));
    let project = project(&server);
    project.write("toolwright.toml", "[roles.reader]\ngrnt = []\n");
    only(&faults(&project, &[], 4), "configuration", "grnt");
    project.write(
        "toolwright.toml",
        "[roles.reader]\ngrant = [\"category:obsrve\"]\n",
    );
    let found = faults(&project, &[], 4);
    only(&found, "configuration", "a similar one is `observe`");
    project.configure("[roles.reader]\ngrant = [\"list-memo-pages\"]\n");
    let found = faults(&project, &[], 4);
    only(&found, "policy", "list-memo-pages");
    project.configure("");
    only(&faults(&project, &[], 4), "policy", "no role is declared");
}

#[test]
fn stale_locks_and_broken_services_are_found() {
    let server = service(Answer::json(200, "[]"));
    let project = project(&server);
    let text = project.read("specs/memo/openapi.yaml");
    let more = "  /pages:\n    get: { operationId: listPages, responses: { '200': { description: All. } } }\n";
    let changed = text.replacen("paths:\n", &format!("paths:\n{more}"), 1);
    assert_ne!(text, changed);
    project.write("specs/memo/openapi.yaml", changed);
    only(&faults(&project, &[], 4), "specifications", "names.lock");
    project.write("specs/memo/openapi.yaml", "openapi: 4.0.0\n");
    let found = faults(&project, &[], 4);
    assert!(
        found.iter().all(|fault| fault["part"] == "specifications"),
        "{found:?}"
    );
}

/// A broken service hides nothing that is wrong elsewhere.
#[test]
fn everything_is_checked_although_a_service_is_broken() {
    let server = service(Answer::json(200, "[]"));
    let project = project(&server);
    project.write("specs/memo/openapi.yaml", "openapi: 4.0.0\n");
    project.write("statements/stock.toml", "");
    let found = faults(&project, &[], 4);
    let has = |part: &str| found.iter().any(|fault| fault["part"] == part);
    assert!(has("specifications") && has("database"), "{found:?}");
}

#[test]
fn a_folder_without_a_project_is_an_error() {
    let project = Project::from_elsewhere();
    let run = project.run(&["doctor", "--json"]).expect(100);
    assert_eq!(run.json()[0]["error"]["code"], "no_project");
}

#[test]
fn the_place_in_a_secret_store_is_named_and_an_untrusted_project_asks_no_store() {
    let server = service(Answer::json(200, "[]"));
    let secret = json!({"base_url": server.url(), "api_token": "tk-s3cret"});
    let secret = json!({"data": {"data": secret}}).to_string();
    // A stand-in for OpenBao, which answers every read with this secret.
    let store = service(Answer::json(200, &secret));
    let project = project(&server);
    project.write(".local/vault-token.txt", "vt-s3cret");
    let config = |path: &str| {
        format!(
            "[roles.reader]\ngrant = [\"category:observe\"]\n\
             [services.memo]\ncredentials = \"vault\"\nvault_path = \"{path}\"\n\
             [vault]\naddress = \"{}\"\ntoken_file = \".local/vault-token.txt\"\n",
            store.url()
        )
    };
    project.configure(config("teams/memo"));
    let place = format!("{}/v1/secret/data/teams/memo", store.url());
    let run = project.run(&["doctor"]).expect(0);
    run.prints(&format!("the credentials in `{place}` are complete"));
    let asked = store.take_requests();
    assert!(!asked.is_empty());
    for request in asked {
        let head = request.to_ascii_lowercase();
        assert!(
            head.starts_with("get /v1/secret/data/teams/memo "),
            "{head}"
        );
        assert!(head.contains("x-vault-token: vt-s3cret"), "{head}");
    }
    project.write("toolwright.toml", config("teams/other"));
    let faults = faults(&project, &[], 4);
    let text = serde_json::to_string(&faults).unwrap();
    assert!(text.contains("`toolwright.toml` is not trusted"), "{text}");
    for command in [
        &["matrix"][..],
        &["list", "--role", "reader"],
        &["policy", "explain", "reader", "list-memo-notes"],
    ] {
        let _ = project.run(command);
    }
    assert!(
        store.take_requests().is_empty(),
        "an untrusted project asked"
    );
}
