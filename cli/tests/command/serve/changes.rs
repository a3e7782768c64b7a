//! Clients of every server learn of a change within a second.

use std::time::{Duration, Instant};

use super::process::Told;
use crate::support::{Project, READER};

/// The longest time from a change to the notification of a client.
const WITHIN: Duration = Duration::from_secs(1);

#[test]
fn clients_of_two_servers_learn_of_each_change_within_a_second() {
    let project = Project::with_memo();
    project.configure("");
    let servers = [
        Told::start(&project, &READER),
        Told::start(&project, &READER),
    ];
    let switch = |how: &str| {
        let by = [
            "--by",
            "ann",
            "--why",
            "a test",
            "--spec",
            "specs/memo/openapi.yaml",
        ];
        let tool = ["tools", how, "get-memo-note"];
        project
            .run(&[&tool[..], &by, &["--service", "memo"]].concat())
            .expect(0);
    };
    let write = |text: &str| project.configure(text);
    let changes: [(&str, &dyn Fn()); 4] = [
        ("a tool is switched off", &|| switch("disable")),
        ("a tool is switched on", &|| switch("enable")),
        ("the policy changes", &|| {
            write("[tools]\ndisable = [\"*\"]\n")
        }),
        ("the policy changes back", &|| write("")),
    ];
    for (name, change) in changes {
        change();
        // The command has ended, so the change was made before.
        let changed = Instant::now();
        let took = servers.each_ref().map(|server| server.after(changed));
        println!("{name}: clients learn of it after {took:?}");
        assert!(took.iter().all(|took| *took < WITHIN), "{name}: {took:?}");
    }
}
