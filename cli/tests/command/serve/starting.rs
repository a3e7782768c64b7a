//! What a server reports at its start.

use crate::support::{Project, READER};

const SPEC: [&str; 5] = [
    "serve",
    "--spec",
    "specs/memo/openapi.yaml",
    "--role",
    "reader",
];

#[test]
fn a_server_names_its_audit_and_nothing_else_if_all_is_well() {
    let project = Project::with_memo();
    let run = project.run(&READER).expect(0);
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert!(
        lines[0].starts_with("2 tools of the role `reader`"),
        "{lines:?}"
    );
    assert!(lines[1].starts_with("the audit is `"), "{lines:?}");
    assert!(lines[1].ends_with(".toolwright/audit.jsonl`"), "{lines:?}");
    assert_eq!(lines.len(), 2, "{lines:?}");
}

#[test]
fn a_role_without_tools_is_reported() {
    let project = Project::with_memo();
    for (grants, why) in [
        ("", "its grants select none"),
        (
            "grant = [\"create-memo-note\"]",
            "all that it was granted are off",
        ),
    ] {
        project.configure(format!("[roles.reader]\n{grants}\n"));
        project
            .run(&SPEC)
            .expect(0)
            .says("0 tools of the role `reader`")
            .says(&format!("warning: the role `reader` has no tools: {why}"));
    }
}

#[test]
fn a_service_that_cannot_be_called_is_reported() {
    let project = Project::with_memo();
    let document = project.read("specs/memo/openapi.yaml");
    let secured = "security: [{ key: [] }]\npaths:";
    let scheme =
        "components:\n  securitySchemes:\n    key: { type: apiKey, in: header, name: X-Key }";
    let document = document.replacen("paths:", secured, 1);
    project.write(
        "specs/memo/openapi.yaml",
        document.replacen("components:", scheme, 1),
    );
    project
        .run(&READER)
        .expect(0)
        .says("warning: calls of `memo` will fail: ")
        .says("`toolwright doctor` shows what they need");
}
