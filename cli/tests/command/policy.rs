//! `policy`: its faults, its changes, its explanations and its tests.

use serde_json::json;

use crate::support::{Project, Run};

const SPEC: [&str; 4] = ["--spec", "specs/memo/openapi.yaml", "--service", "memo"];

const POLICY: &str = "\
[roles.reader]\ngrant = [\"category:observe\"]\n\
[roles.writer]\nprofiles = [\"notes\"]\n\
[profiles.notes]\ntools = [\"service:memo\"]\n\
[[profiles.notes.scopes]]\ntools = \"create-*\"\narguments.text = { pattern = \"[a-z]+\" }\n\
[tools]\nenable = [\"create-*\"]\n";

fn project(policy: &str) -> Project {
    let project = Project::with_memo();
    project.configure(policy);
    project
}

fn policy(project: &Project, arguments: &[&str]) -> Run {
    project.run(&[&["policy"], arguments, &SPEC].concat())
}

#[test]
fn all_faults_are_reported_at_once_with_place_and_fix() {
    let project = project("");
    project.write(
        "toolwright.toml",
        "[roles.reader]\ngrnt = [\"*\"]\nprofiles = [\"note\"]\n\
         [profiles.notes]\ntools = [\"service:memo\"]\n\
         [[profiles.notes.scopes]]\nrate = \"often\"\narguments.txt = { values = [\"a\"] }\n",
    );
    let run = policy(&project, &["check"]).expect(100);
    for line in [
        "toolwright.toml:2:1: unknown key `grnt`; a similar key is `grant`",
        "toolwright.toml:7:8: `often` is not a rate",
        "toolwright.toml:3:13: there is no profile `note`; a similar name is `notes`",
        "toolwright.toml:6:1: no tool that `*` selects here has an argument `txt`",
    ] {
        assert!(run.stderr.contains(line), "{line}\n{}", run.stderr);
    }
}

#[test]
fn a_change_is_what_each_role_gains_and_loses() {
    let project = project(POLICY);
    project.write(
        "old.toml",
        POLICY
            .replace("[a-z]+", ".*")
            .replace("category:observe", "list-*"),
    );
    let run = policy(&project, &["check", "--against", "old.toml", "--json"]).expect(4);
    let changes = run.json()[0]["changes"].clone();
    assert_eq!(changes[0]["role"], "reader");
    assert_eq!(changes[0]["gains"], json!(["get-memo-note"]));
    let limits = &changes[1]["limits"]["create-memo-note"];
    assert_eq!(limits["before"], json!(["arguments.text = [/.*/]"]));
    assert_eq!(limits["after"], json!(["arguments.text = [/[a-z]+/]"]));
    policy(&project, &["check", "--against", "toolwright.toml"]).expect(0);
}

#[test]
fn a_new_tool_waits_until_it_is_accepted() {
    let project = project(POLICY);
    policy(&project, &["check", "--accept"]).expect(0);
    policy(&project, &["check"]).expect(0);
    let lock = project.read("toolwright.policy.lock");
    assert!(
        lock.contains("[roles.reader]\n\"category:observe\" = [\n"),
        "{lock}"
    );
    let without = lock.replace("    \"get-memo-note\",\n", "");
    assert_ne!(lock, without);
    project.write("toolwright.policy.lock", without);
    let run = policy(&project, &["check"]).expect(4);
    let new = "new: `get-memo-note`, by `category:observe` of `roles.reader`";
    assert!(run.stdout.contains(new), "{}", run.stdout);
    let explained = policy(&project, &["explain", "reader", "get-memo-note"]).expect(0);
    assert!(
        explained
            .stdout
            .contains("fail  the role is granted the tool")
    );
    policy(&project, &["check", "--accept"]).expect(0);
    let explained = policy(
        &project,
        &["explain", "reader", "get-memo-note", "{\"id\": 1}"],
    );
    assert!(
        explained
            .stdout
            .contains("pass  the role is granted the tool")
    );
}

#[test]
fn a_required_lock_must_be_there() {
    let project = project("");
    project.write(
        "toolwright.toml",
        format!("[policy]\nrequire_lock = true\n{POLICY}"),
    );
    let run = policy(&project, &["check"]).expect(100);
    assert!(
        run.stderr
            .contains("run `toolwright policy check --accept`"),
        "{}",
        run.stderr
    );
    policy(&project, &["check", "--accept"]).expect(0);
    policy(&project, &["check"]).expect(0);
}

const EXPECTATIONS: &str = "\
[[expect]]\nname = \"readers <look>\"\nrole = \"reader\"\ntool = \"get-memo-note\"\n\
arguments = { id = 1 }\nallowed = true\n\
[[expect]]\nrole = \"writer\"\ntool = \"create-memo-note\"\narguments = { text = \"A\" }\n\
allowed = false\nreason = \"scope_violation\"\nrule = \"arguments.text\"\n\
[[expect]]\nname = \"wrong\"\nrole = \"reader\"\ntool = \"create-memo-note\"\nallowed = true\n";

#[test]
fn expectations_are_tests_with_an_exit_code_json_and_junit() {
    let project = project(POLICY);
    project.write("policy.test.toml", EXPECTATIONS);
    let arguments = ["test", "policy.test.toml", "--junit", "report.xml"];
    let run = policy(&project, &arguments).expect(4);
    let failure = "FAILED  wrong\n        expected the call to be allowed; found: denied: the role is not granted the tool";
    assert!(run.stdout.contains(failure), "{}", run.stdout);
    assert!(
        run.stdout.contains("3 expectations, 1 not met"),
        "{}",
        run.stdout
    );
    let report = project.read("report.xml");
    assert!(
        report.starts_with(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"3\" failures=\"1\">"
        ),
        "{report}"
    );
    assert!(report.contains("name=\"readers &lt;look&gt;\""), "{report}");
    let lines = policy(&project, &["test", "policy.test.toml", "--json"])
        .expect(4)
        .json();
    let passed: Vec<_> = lines.iter().map(|line| line["passed"].clone()).collect();
    assert_eq!(passed, [json!(true), json!(true), json!(false)]);
    let met = EXPECTATIONS.replace("allowed = true\n[[expect]]\nname = \"wrong\"", "");
    let met = met.rsplit_once("[[expect]]").unwrap().0.to_owned();
    project.write("policy.test.toml", met);
    policy(&project, &["test", "policy.test.toml"]).expect(0);
}

#[test]
fn an_explanation_names_each_rule_and_the_deciding_one() {
    let project = project(POLICY);
    let call = ["explain", "writer", "create-memo-note", "{\"text\": \"A\"}"];
    let run = policy(&project, &[&call[..], &["--json"]].concat()).expect(0);
    let explained = &run.json()[0];
    assert_eq!(explained["allowed"], false);
    assert_eq!(explained["reason"], "scope_violation");
    assert_eq!(explained["rule"], "arguments.text");
    assert_eq!(explained["place"], "toolwright.toml:8:9");
    let steps = explained["steps"].as_array().unwrap();
    assert!(
        steps
            .iter()
            .rev()
            .skip(1)
            .all(|step| step["passed"] == true),
        "{steps:?}"
    );
    assert_eq!(steps.last().unwrap()["passed"], false);
    let allowed = ["explain", "writer", "create-memo-note", "{\"text\": \"a\"}"];
    let run = policy(&project, &allowed).expect(0);
    let verdict = "allowed by profile `notes`, after a person has approved it";
    assert!(run.stdout.trim_end().ends_with(verdict), "{}", run.stdout);
}
