//! `-v`: calls and requests on standard error, without secrets.

use toolwright_tests::Answer;

use crate::support::{NOTES, Project, service};

#[test]
fn calls_and_requests_are_printed_without_secrets() {
    let server = service(Answer::json(404, r#"{"message": "tk-s3cret"}"#));
    let project = Project::with_memo();
    project.write("specs/memo/openapi.yaml", NOTES);
    project.configure("[roles.reader]\ngrant = [\"category:observe\"]\n");
    let auth = format!(
        r#"{{"base_url": "{}", "api_token": "tk-s3cret"}}"#,
        server.url()
    );
    project.write(".local/memo/admin-auth.json", auth);
    let call = [
        "call",
        "get-memo-note",
        "--role",
        "reader",
        "--args",
        r#"{"id": 7}"#,
    ];
    let quiet = project.run(&call).expect(7);
    assert!(!quiet.stderr.contains("execute_tool"), "{}", quiet.stderr);
    let mut lines = 0;
    for verbosity in ["-v", "-vv"] {
        let run = project.run(&[&call[..], &[verbosity]].concat()).expect(7);
        let stderr = &run.stderr;
        for expected in [
            "gen_ai.tool.name=\"get-memo-note\"",
            "http.request.method=\"GET\"",
            &format!("url.full=\"{}/notes/7\"", server.url()),
            "http.response.status_code=404",
            "error.type=404",
            "time.busy",
        ] {
            assert!(stderr.contains(expected), "no `{expected}` in:\n{stderr}");
        }
        assert!(!stderr.contains("s3cret"), "{stderr}");
        let printed = stderr
            .lines()
            .filter(|line| line.contains("execute_tool"))
            .count();
        assert!(printed > lines, "`-vv` prints more than `-v`:\n{stderr}");
        lines = printed;
    }
}
