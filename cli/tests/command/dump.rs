//! `dump`: every stage can be looked at.

use crate::support::Project;

#[test]
fn every_stage_is_printed() {
    let project = Project::with_memo();
    for stage in ["parse", "lower", "passes", "check"] {
        let of_project = project.run(&["dump", "--stage", stage]).expect(0);
        let named = [
            "dump",
            "--stage",
            stage,
            "specs/memo/openapi.yaml",
            "--service",
            "memo",
        ];
        let of_one = project.run(&named).expect(0);
        assert!(
            of_one.stdout.contains("listNotes"),
            "{stage}: {}",
            of_one.stdout
        );
        assert_eq!(of_project.stdout, of_one.stdout, "{stage}");
    }
}

#[test]
fn one_tool_is_printed_alone() {
    let project = Project::with_memo();
    let run = project
        .run(&["dump", "--stage", "check", "--tool", "get-memo-note"])
        .expect(0);
    assert!(run.stdout.contains("getNote"), "{}", run.stdout);
    assert!(!run.stdout.contains("listNotes"), "{}", run.stdout);
}
