//! The audit in a table of PostgreSQL, created and verified with the commands of `docs/audit.md`.

use std::process::Command;

use toolwright_state::{Location, testing::TestPlace};

use crate::support::Project;

/// Returns the block of `docs/audit.md` in a language that contains a word.
fn block(language: &str, word: &str) -> String {
    let page = include_str!("../../../docs/audit.md");
    let begin = format!("```{language}\n");
    let mut blocks = page.split(&begin).skip(1);
    let found = blocks.find_map(|block| {
        let (block, _) = block.split_once("```")?;
        block.contains(word).then(|| block.to_owned())
    });
    found.unwrap()
}

#[test]
fn the_documented_commands_create_a_table_and_verify_it() {
    if Command::new("psql").arg("--version").output().is_err() {
        eprintln!("skipped: the test of the documented commands: there is no `psql`");
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let Some(place) = runtime.block_on(TestPlace::postgres()) else {
        return;
    };
    let Location::Postgres { url, .. } = &place.location else {
        panic!("{place:?}");
    };
    let role = format!("toolwright_audit_{}", std::process::id());
    let setup = block("sql", "CREATE ROLE")
        .replace("ROLE toolwright_audit", &format!("ROLE {role}"))
        .replace("TO toolwright_audit;", &format!("TO {role};"));
    runtime.block_on(place.tamper(&setup));
    let project = Project::with_memo();
    let (_, server) = url.rsplit_once('@').unwrap();
    project.configure(format!(
        "[audit]\ninstance = \"build-1\"\n[audit.postgres]\nurl = \"postgres://{role}@{server}\"\n"
    ));
    for _ in 0..3 {
        project
            .run(&["call", "no-such-tool", "--role", "reader"])
            .expect(5);
    }
    project
        .run(&["audit", "forward"])
        .expect(0)
        .prints("postgres: 3 events");
    let verify = || {
        let program = env!("CARGO_BIN_EXE_toolwright");
        let command = block("sh", "psql").replace("| toolwright", &format!("| {program}"));
        // The variables of a command are those of the project.
        let mut shell = Command::new("sh");
        shell.args(["-c", &command]).env("URL", url);
        for (name, value) in project.command(&[]).get_envs() {
            if let Some(value) = value {
                shell.env(name, value);
            }
        }
        let output = shell.current_dir(project.path("")).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), text)
    };
    let (code, text) = verify();
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.starts_with("the audit is as it was written: 3 events"),
        "{text}"
    );
    assert!(!text.contains("without the secret key"), "{text}");
    // The owner of the table can change it, and is found out.
    let change =
        "UPDATE toolwright_audit.event SET line = replace(line, 'reader', 'writer') WHERE seq = 2";
    runtime.block_on(place.tamper(change));
    let (code, text) = verify();
    assert_eq!(code, Some(4), "{text}");
    assert!(
        text.contains("standard input:2: event 2: changed"),
        "{text}"
    );
    runtime.block_on(place.tamper(&format!("DROP OWNED BY {role}; DROP ROLE {role}")));
}
