//! `review`: proposals of a command, and what a person makes of them. The command is a stand-in.

use serde_json::{Value, json};

use crate::support::{NOTES, Project, Run};

/// The overlay of the project's service.
const OVERLAY: &str = "specs/memo/overlay.toml";

/// What a person wrote.
const OWN: &str = "# Ours.\n[operations.getNote] # one\ntitle = \"One note\"\n";

fn project() -> Project {
    let project = Project::with_memo();
    project.write(OVERLAY, OWN);
    project
}

/// Runs `review` with a command that keeps its question and gives this answer.
fn review(project: &Project, answer: &Value) -> Run {
    project.write("answer.json", answer.to_string());
    let command = "cat > question.json; cat answer.json";
    project.run(&["review", "--with", command, "--json"])
}

fn proposals(proposals: &Value) -> Value {
    json!({ "proposals": proposals })
}

#[test]
fn the_command_reads_unpinned_uncertain_and_badly_worded_operations() {
    let project = project();
    review(&project, &proposals(&json!([]))).expect(0);
    let asked: Value = serde_json::from_str(&project.read("question.json")).unwrap();
    assert_eq!(asked["version"], 1);
    assert_eq!(asked["service"], "memo");
    let operations = asked["operations"].as_array().unwrap();
    assert_eq!(operations.len(), 4);
    let delete = operations
        .iter()
        .find(|operation| operation["operation"] == "deleteNote")
        .unwrap();
    assert_eq!(delete["name"], "delete-memo-note");
    assert_eq!(delete["effect"], "delete");
    assert_eq!(delete["arguments"], json!(["id"]));
    assert_eq!(delete["why"], json!(["unpinned"]));

    // With the lock, nothing is left to ask.
    project.run(&["generate"]).expect(0);
    let run = project.run(&["review", "--questions"]).expect(0);
    assert_eq!(run.stdout, "");
}

#[test]
fn a_proposal_has_no_effect_until_a_person_accepts_it() {
    let project = project();
    let answer = proposals(&json!([
        {"operation": "getNote", "title": "Theirs", "noun": "memo-page", "reason": "It is a page."},
        {"operation": "listNotes", "effect": "action", "reason": "It marks them as read."},
    ]));
    let run = review(&project, &answer).expect(0);
    assert_eq!(run.json()[0]["state"], "proposed");
    let written = project.read(OVERLAY);
    assert!(written.starts_with(OWN), "{written}");
    assert!(written.contains("[proposals.getNote]\nproposed_by = \"cat > question.json"));
    let effects = |project: &Project| {
        let spec = ["--spec", "specs/memo/openapi.yaml", "--overlay", OVERLAY];
        let listed = project.run(&[&["list", "--json"][..], &spec].concat());
        let tools = listed.expect(0).json();
        let tools = tools.iter().map(|tool| {
            let text = |key: &str| tool[key].as_str().unwrap().to_owned();
            (text("name"), text("effect"))
        });
        tools.collect::<Vec<_>>()
    };
    let pair = |name: &str, effect: &str| (name.to_owned(), effect.to_owned());
    assert!(effects(&project).contains(&pair("get-memo-note", "read")));
    assert!(effects(&project).contains(&pair("list-memo-notes", "read")));

    let list = project.run(&["review"]).expect(0);
    list.prints("It is a page.")
        .says("2 proposals without effect");
    // The operations with a proposal are not asked about again.
    let questions = project.run(&["review", "--questions"]).expect(0);
    assert_eq!(questions.json().len(), 2);

    project.run(&["review", "--accept", "get*"]).expect(0);
    assert!(effects(&project).contains(&pair("get-memo-memo-page", "read")));
    let written = project.read(OVERLAY);
    assert!(written.contains("title = \"One note\"\n# Proposed by `cat"));
    assert!(!written.contains("Theirs") && !written.contains("proposals.getNote"));
    project.run(&["review", "--accept", "listNotes"]).expect(0);
    assert!(effects(&project).contains(&pair("list-memo-notes", "action")));
    assert!(
        project
            .read(OVERLAY)
            .contains("reason = \"It marks them as read.\"")
    );
    assert!(!project.read(OVERLAY).contains("proposals"));
}

#[test]
fn a_proposal_is_refused_with_a_reason() {
    let project = project();
    let bad = [
        (
            json!({"operation": "deleteNote", "effect": "read", "reason": "r"}),
            "never lowers a class",
        ),
        (
            json!({"operation": "deleteNote", "effect": "delete", "reason": "r"}),
            "never lowers a class",
        ),
        (
            json!({"operation": "deleteNote", "category": "observe", "reason": "r"}),
            "unknown field `category`",
        ),
        (
            json!({"operation": "deleteNote", "approval_required": false, "reason": "r"}),
            "unknown field",
        ),
        (
            json!({"operation": "noSuchNote", "title": "t", "reason": "r"}),
            "was not asked",
        ),
        (
            json!({"operation": "getNote", "verb": "frobnicate", "reason": "r"}),
            "is not a verb",
        ),
        (
            json!({"operation": "getNote", "noun": "Not Kebab", "reason": "r"}),
            "is not a noun",
        ),
        (
            json!({"operation": "getNote", "verb": "list", "noun": "notes", "reason": "r"}),
            "would rename `list-memo-notes`",
        ),
        (
            json!({"operation": "getNote", "title": "a\u{202e}b", "reason": "r"}),
            "invisible characters",
        ),
        (
            json!({"operation": "getNote", "title": "t", "reason": " "}),
            "`reason` is empty",
        ),
        (
            json!({"operation": "getNote", "title": "t"}),
            "missing field `reason`",
        ),
        (
            json!({"operation": "getNote", "reason": "r"}),
            "changes nothing",
        ),
        (
            json!({"operation": "getNote", "short": "x".repeat(5000), "reason": "r"}),
            "4000 characters",
        ),
        (json!("getNote"), "invalid type"),
    ];
    for (proposal, why) in bad {
        let sound =
            json!({"operation": "createNote", "short": "Write it down", "reason": "Short."});
        let run = review(&project, &proposals(&json!([proposal, sound]))).expect(0);
        let rows = run.json();
        let state = rows[0]["state"].as_str().unwrap();
        assert!(
            state.starts_with("refused: ") && state.contains(why),
            "{proposal}: {state}"
        );
        assert_eq!(rows[1]["state"], "proposed");
        assert!(project.read(OVERLAY).contains("[proposals.createNote]"));
        project.run(&["review", "--reject", "createNote"]).expect(0);
        assert_eq!(project.read(OVERLAY).trim_end(), OWN.trim_end());
    }
}

#[test]
fn the_lock_keeps_its_names() {
    let project = project();
    project.run(&["generate"]).expect(0);
    // An uncertain operation is asked about although its name is pinned.
    let paths = project.read("specs/memo/openapi.yaml");
    let uncertain = "paths:\n  /notes/frob:\n    post: { operationId: frobNotes, responses: { \"200\": { description: Done. } } }\n";
    project.write(
        "specs/memo/openapi.yaml",
        paths.replacen("paths:\n", uncertain, 1),
    );
    project.run(&["generate"]).expect(0);
    let answer = proposals(&json!([{"operation": "frobNotes", "noun": "other", "reason": "r"}]));
    let run = review(&project, &answer).expect(0);
    assert_eq!(
        run.json()[0]["state"],
        "refused: the lock holds the tool's name"
    );
}

#[test]
fn a_command_that_fails_changes_nothing() {
    let project = project();
    for (command, why) in [
        ("exit 7", "failed: exit status: 7"),
        ("echo '{\"proposals\": 1}'", ""),
        ("echo proposals", "did not answer with JSON"),
        ("sleep 5", "did not answer within 1 s"),
    ] {
        let run = project.run(&["review", "--with", command, "--timeout", "1", "--json"]);
        if why.is_empty() {
            assert!(run.expect(0).stdout.contains("has no list `proposals`"));
        } else {
            run.expect(100).says(why);
        }
        assert_eq!(project.read(OVERLAY), OWN);
    }
    let run = project.run(&["review", "--accept", "getNote"]).expect(100);
    run.says("no proposal is for `getNote`");
}

#[test]
fn operations_are_asked_about_in_batches() {
    let project = project();
    project.write("answer.json", r#"{"proposals": []}"#);
    let command = "cat >> questions.json; echo >> questions.json; cat answer.json";
    let run = project.run(&["review", "--with", command, "--batch", "3"]);
    run.expect(0);
    let sizes: Vec<usize> = project
        .read("questions.json")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|question| question["operations"].as_array().unwrap().len())
        .collect();
    assert_eq!(sizes, [3, 1]);
}

#[test]
fn one_specification_is_reviewed_without_a_project() {
    let project = Project::with_memo();
    let spec = ["review", "specs/memo/openapi.yaml", "--overlay", "new.toml"];
    project.write(
        "answer.json",
        proposals(&json!([{"operation": "getNote", "title": "A note", "reason": "r"}])).to_string(),
    );
    project
        .run(&[&spec[..], &["--with", "cat answer.json"]].concat())
        .expect(0)
        .prints("title = \"A note\"");
    assert!(
        project
            .read("new.toml")
            .starts_with("[proposals.getNote]\n")
    );
}

#[test]
fn the_overlays_of_several_services_are_written() {
    let project = project();
    project.write("specs/other/openapi.yaml", NOTES);
    let answer = proposals(&json!([{"operation": "getNote", "title": "A note", "reason": "r"}]));
    let rows = review(&project, &answer).expect(0).json();
    assert_eq!(rows.len(), 2);
    let other = "specs/other/overlay.toml";
    assert!(project.read(OVERLAY).contains("[proposals.getNote]"));
    assert!(project.read(other).contains("[proposals.getNote]"));

    // Nothing is written if a selector is wrong.
    let before = (project.read(OVERLAY), project.read(other));
    let wrong = ["review", "--accept", "getNote", "--accept", "no*"];
    project
        .run(&wrong)
        .expect(100)
        .says("no proposal is for `no*`");
    assert_eq!((project.read(OVERLAY), project.read(other)), before);

    project.run(&["review", "--accept", "*"]).expect(0);
    assert_eq!(project.read(OVERLAY).trim_end(), OWN.trim_end());
    assert!(project.read(other).contains("title = \"A note\""));
}
