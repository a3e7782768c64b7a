//! An interrupt leaves the old output whole, or the new one.
#![cfg(unix)]

use std::{fmt::Write, path::PathBuf, process::Command, time::Duration};

use crate::support::Project;

/// Returns a service with this description for every tool.
fn document(said: &str) -> String {
    let mut document = "openapi: 3.1.0\ninfo: { title: Many, version: '1' }\npaths:\n".to_owned();
    for number in 0..400 {
        let word: String = format!("{number:03}")
            .bytes()
            .map(|digit| (digit + 49) as char)
            .collect();
        let _ = writeln!(
            document,
            "  /{word}: {{ get: {{ summary: {said}, responses: {{ '200': {{ description: ok }} }} }} }}"
        );
    }
    document
}

fn names(files: &[(PathBuf, String)]) -> Vec<PathBuf> {
    files.iter().map(|(path, _)| path.clone()).collect()
}

#[test]
fn the_output_is_the_old_one_or_the_new_one() {
    let project = Project::empty();
    let services = ["one", "two", "three"];
    let write = |said: &str| {
        for name in services {
            project.write(&format!("specs/{name}/openapi.yaml"), document(said));
        }
    };
    write("New");
    project.run(&["generate"]).expect(0);
    let new = project.files("generated");
    write("Old");
    project.run(&["generate"]).expect(0);
    let old = project.files("generated");
    assert_ne!(old, new);

    write("New");
    let mut interrupted = 0;
    // A program in the background may inherit that SIGINT is ignored.
    let signals = ["-INT", "-TERM"].into_iter().cycle();
    for (step, signal) in (0..40).zip(signals) {
        let wait = Duration::from_millis(step * 25);
        let mut child = project.command(&["generate"]).spawn().unwrap();
        std::thread::sleep(wait);
        let id = child.id().to_string();
        let _ = Command::new("kill").args([signal, &id]).output().unwrap();
        let ended = child.wait().unwrap();
        let now = project.files("generated");
        assert_eq!(
            names(&now),
            names(&old),
            "a file was left behind after {wait:?}"
        );
        assert!(
            now == old || now == new,
            "half of the output was written after {wait:?}"
        );
        match (ended.success(), interrupted) {
            (false, _) => interrupted += 1,
            // The signal came too late: once more.
            (true, 0) => {
                write("Old");
                project.run(&["generate"]).expect(0);
                write("New");
            }
            (true, _) => break,
        }
    }
    assert!(interrupted > 0, "every run ended before it was interrupted");
}
