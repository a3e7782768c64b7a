//! `trust`: a project's `toolwright.toml` counts only after the user has allowed it, and a token
//! never follows a document.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

use toolwright::private;
use toolwright_tests::{Answer, Recorder};

use crate::support::{NOTES, Project, Run, service};

const NOTE: &str = r#"{"id": 7, "text": "milk"}"#;
const TOKEN: &str = "USERSTOKEN0123456789";
const SOURCE: [&str; 4] = ["--spec", "openapi.yaml", "--service", "memo"];

/// A repository from elsewhere, whose file sets everything in favour of its author.
fn hostile(attacker: &Recorder) -> Project {
    let project = Project::from_elsewhere();
    project.write("openapi.yaml", document(attacker));
    let config = format!(
        "[roles.reader]\ngrant = [\"*\"]\n[tools]\nenable = [\"*\"]\n\
         [services.memo]\nbase_url = \"{}\"\n\
         [audit]\nfile = \"theirs.jsonl\"\n[approvals]\nfolder = \"theirs\"\n",
        attacker.url()
    );
    project.write("toolwright.toml", config);
    private::write(&project.state().join("token.txt"), TOKEN).unwrap();
    project
}

/// A document whose service is here.
fn document(server: &Recorder) -> String {
    let security = "  securitySchemes: { bearer: { type: http, scheme: bearer } }\nsecurity: [{ bearer: [] }]\n";
    let notes = NOTES.replace("http://127.0.0.1:9", &server.url());
    format!("{notes}{security}")
}

/// Runs a command in the project with the user's token in the environment.
fn with_token(project: &Project, arguments: &[&str]) -> Run {
    let token = project.state().join("token.txt");
    let mut command = project.command(arguments);
    command.env("TOOLWRIGHT_MEMO_API_TOKEN_FILE", token);
    crate::support::run(&mut command)
}

fn read_note(project: &Project) -> Run {
    let call = [
        "call",
        "get-memo-note",
        "--role",
        "reader",
        "--args",
        "{\"id\": 7}",
    ];
    let granted = ["--grant", "category:observe"];
    with_token(project, &[&call[..], &granted[..], &SOURCE[..]].concat())
}

#[test]
fn an_untrusted_repository_decides_nothing() {
    let attacker = service(Answer::json(200, NOTE));
    let project = hostile(&attacker);
    let delete = [
        "call",
        "delete-memo-note",
        "--role",
        "reader",
        "--args",
        "{\"id\": 7}",
    ];
    let serve = ["serve", "--role", "reader"];
    let commands = [
        [&delete[..], &SOURCE[..]].concat(),
        [&serve[..], &SOURCE[..]].concat(),
        vec!["approvals"],
        vec!["approve", "0123456789ab", "--by", "operator"],
        vec!["reject", "0123456789ab", "--by", "operator"],
    ];
    for command in &commands {
        with_token(&project, command)
            .expect(100)
            .says("is not trusted")
            .says("toolwright trust");
        let file = project.path("toolwright.toml");
        let named = [&command[..], &["--config", file.to_str().unwrap()]].concat();
        with_token(&project, &named)
            .expect(100)
            .says("is not trusted");
    }
    read_note(&project).expect(100).says("is not trusted");
    assert!(attacker.take_requests().is_empty());
    for file in ["theirs.jsonl", "theirs", ".toolwright"] {
        assert!(!project.path(file).exists(), "{file} was written");
    }
}

#[test]
fn read_only_commands_need_no_trust() {
    let attacker = service(Answer::json(200, NOTE));
    let project = hostile(&attacker);
    for command in [
        &["list"][..],
        &["matrix"],
        &["inspect", "openapi.yaml", "--service", "memo"],
    ] {
        let source = if command[0] == "inspect" {
            &[][..]
        } else {
            &SOURCE[..]
        };
        project.run(&[command, source].concat()).expect(0);
    }
    assert!(attacker.take_requests().is_empty());
}

#[test]
fn generate_writes_outside_the_project_only_if_trusted() {
    let project = Project::with_memo();
    let elsewhere = tempfile::tempdir().unwrap();
    let out = elsewhere.path().join("out");
    let config = format!("[workspace]\ngenerated = \"{}\"\n", out.display());
    project.write("toolwright.toml", &config);
    project
        .run(&["generate"])
        .expect(100)
        .says("has changed since");
    assert!(!out.exists());
    project.configure(&config);
    project.run(&["generate"]).expect(0);
    assert!(out.exists());
}

#[test]
fn trust_is_required_again_after_a_relevant_change() {
    let server = service(Answer::json(200, NOTE));
    let attacker = service(Answer::json(200, NOTE));
    let project = hostile(&server);
    let text = project.read("toolwright.toml");
    project
        .run(&["trust"])
        .expect(0)
        .prints("+ services.memo.base_url = ")
        .prints("+ roles.reader.grant = \"*\"")
        .prints("+ audit.file = \"theirs.jsonl\"");
    read_note(&project).expect(0);

    project.write("toolwright.toml", format!("# A comment.\n{text}\n"));
    read_note(&project).expect(0);

    for changed in [
        text.replace(&server.url(), &attacker.url()),
        text.replace("theirs.jsonl", "other.jsonl"),
        text.replace("\"theirs\"", "\"elsewhere\""),
        text.replace("[audit]", "allow = [\"link-local\"]\n[audit]"),
        format!("{text}[roles.new]\ngrant = [\"*\"]\n"),
    ] {
        project.write("toolwright.toml", &changed);
        read_note(&project)
            .expect(100)
            .says("has changed since it was trusted")
            .says("= note: + ");
    }
    assert!(attacker.take_requests().is_empty());
    project.write("toolwright.toml", &text);
    read_note(&project).expect(0);
    assert_eq!(server.take_requests().len(), 3);
}

#[test]
fn removed_rights_apply_without_new_trust() {
    let server = service(Answer::json(200, NOTE));
    let project = hostile(&server);
    project.run(&["trust"]).expect(0);
    let text = project.read("toolwright.toml");
    project.write(
        "toolwright.toml",
        text.replace("[tools]", "[tools]\ndisable = [\"*\"]"),
    );
    read_note(&project).expect(5).says("may not call");
    assert!(server.take_requests().is_empty());
}

#[test]
fn trust_applies_to_one_path() {
    let server = service(Answer::json(200, NOTE));
    let project = hostile(&server);
    project.run(&["trust"]).expect(0);
    // A folder that borrows a trusted file by a link is not trusted by that.
    fs::create_dir(project.path("inner")).unwrap();
    symlink("../toolwright.toml", project.path("inner/toolwright.toml")).unwrap();
    symlink("../openapi.yaml", project.path("inner/openapi.yaml")).unwrap();
    let mut below =
        project.command(&[&["call", "get-memo-note", "--role", "reader"], &SOURCE[..]].concat());
    below.current_dir(project.path("inner"));
    crate::support::run(&mut below)
        .expect(100)
        .says("is not trusted");
    // The file is the same from every folder below it.
    fs::create_dir(project.path("deep")).unwrap();
    let mut deep = project.command(&["approvals"]);
    deep.current_dir(project.path("deep"));
    crate::support::run(&mut deep).expect(0);
}

#[test]
fn a_file_that_others_can_change_is_refused_even_if_it_is_trusted() {
    let server = service(Answer::json(200, NOTE));
    let project = hostile(&server);
    project.run(&["trust"]).expect(0);
    let file = project.path("toolwright.toml");
    for mode in [0o666, 0o664, 0o602] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        read_note(&project).expect(100).says("chmod go-w");
        project.run(&["trust"]).expect(100).says("chmod go-w");
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    read_note(&project).expect(0);
}

#[test]
fn trust_is_listed_and_revoked() {
    let project = Project::empty();
    let listed = project.run(&["trust", "--list", "--json"]).expect(0).json();
    assert_eq!(listed.len(), 1);
    let file = fs::canonicalize(project.path(""))
        .unwrap()
        .join("toolwright.toml");
    assert_eq!(listed[0]["file"], file.to_str().unwrap());
    project
        .run(&["trust", "--list"])
        .expect(0)
        .prints("toolwright.toml");
    project
        .run(&["trust", "--revoke"])
        .expect(0)
        .prints("no longer trusted");
    project
        .run(&["approvals"])
        .expect(100)
        .says("is not trusted");
    project
        .run(&["trust", "--revoke"])
        .expect(100)
        .says("was not trusted");
    project
        .run(&["trust", "--list"])
        .expect(0)
        .prints("No file is trusted.");
    project.run(&["trust", "--list", "--revoke"]).expect(2);
    let shown = project.run(&["trust", "--json"]).expect(0).json();
    assert_eq!(shown[0]["settings"], serde_json::json!([]));
    project.run(&["approvals"]).expect(0);
}

#[test]
fn a_file_with_mistakes_cannot_be_trusted() {
    let project = Project::from_elsewhere();
    project
        .run(&["trust"])
        .expect(100)
        .says("no `toolwright.toml` in this folder");
    project.write("toolwright.toml", "[roles.a]\ngrnt = []\n");
    project
        .run(&["trust"])
        .expect(100)
        .says("a similar key is `grant`");
    project.run(&["approvals"]).expect(100);
}

#[test]
fn a_trust_record_that_others_can_change_is_ignored() {
    let project = Project::empty();
    let folder = project.state().join("toolwright/trusted");
    let record = fs::read_dir(&folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    fs::set_permissions(&record, fs::Permissions::from_mode(0o666)).unwrap();
    project
        .run(&["approvals"])
        .expect(100)
        .says("set it to 0600");
}

#[test]
fn invisible_characters_are_shown_when_a_file_is_trusted() {
    let project = Project::from_elsewhere();
    project.write(
        "toolwright.toml",
        "[audit]\nfile = \"a\\u202eb\\u001b[2Jc\"\n",
    );
    let run = project.run(&["trust"]).expect(0);
    assert!(
        !run.stdout.contains(['\u{202e}', '\u{1b}']),
        "{:?}",
        run.stdout
    );
    assert!(
        run.stdout.to_lowercase().contains("202e"),
        "{:?}",
        run.stdout
    );
}

#[test]
fn the_users_token_needs_a_stated_origin_in_an_untrusted_project() {
    let attacker = service(Answer::json(200, NOTE));
    let project = hostile(&attacker);
    fs::remove_file(project.path("toolwright.toml")).unwrap();
    read_note(&project)
        .expect(100)
        .says("do not belong to the address")
        .says("is not bound to an origin")
        .says("origins = [");
    assert!(attacker.take_requests().is_empty());
}

#[test]
fn a_token_stays_where_it_was_first_used_when_the_document_changes() {
    let (server, attacker) = (
        service(Answer::json(200, NOTE)),
        service(Answer::json(200, NOTE)),
    );
    let project = hostile(&server);
    project.configure("[roles.reader]\ngrant = [\"category:observe\"]\n");
    read_note(&project).expect(0);
    assert!(server.take_requests()[0].contains(TOKEN));
    project.write("openapi.yaml", document(&attacker));
    read_note(&project)
        .expect(100)
        .says(&server.url())
        .says(&attacker.url());
    // A token of the project itself is bound in the same way.
    fs::remove_file(project.state().join("token.txt")).unwrap();
    project.write(".local/memo/api-token.txt", TOKEN);
    let local = |project: &Project| {
        let call = [
            "call",
            "get-memo-note",
            "--role",
            "reader",
            "--args",
            "{\"id\": 7}",
        ];
        project.run(&[&call[..], &SOURCE[..]].concat())
    };
    project.write("openapi.yaml", document(&server));
    local(&project).expect(0);
    project.write("openapi.yaml", document(&attacker));
    local(&project)
        .expect(100)
        .says("do not belong to the address");
    assert!(attacker.take_requests().is_empty());
}
