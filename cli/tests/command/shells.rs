//! `completions` and `man`: scripts that shells load, and pages that `man` renders.

use std::{
    fs, io,
    path::Path,
    process::{Command, Output},
};

use crate::support::{Project, run};

/// Calls the function that the script registers, as bash does for the last of the words.
const COMPLETE: &str = r#"
source ./completions.bash
complete -p toolwright >&2
COMP_WORDS=(toolwright "$@")
COMP_CWORD=$#
_toolwright toolwright "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}"
"#;

/// Runs a program; none if it is not installed.
fn run_if_installed(program: &str, arguments: &[&str], folder: &Path) -> Option<Output> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output();
    match output {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        output => Some(output.unwrap()),
    }
}

#[test]
fn bash_completes_commands_options_and_values() {
    let project = Project::empty();
    let script = project.run(&["completions", "bash"]).expect(0).stdout;
    project.write("completions.bash", script);
    for (words, expected) in [
        (&["compl"] as &[&str], &["completions"] as &[&str]),
        (&["call", "--enab"], &["--enable"]),
        (&["policy", "che"], &["check"]),
        (&["export", "--target", "m"], &["mcp"]),
        (&["completions", "b"], &["bash"]),
        (&["nonsense-", "--nonsense"], &[""]),
    ] {
        let mut bash = Command::new("bash");
        bash.args(["--norc", "-c", COMPLETE, "bash"]).args(words);
        let run = run(bash.current_dir(project.path(""))).expect(0);
        let registered = "-F _toolwright";
        assert!(run.stderr.contains(registered), "{}", run.stderr);
        let found: Vec<_> = run.stdout.lines().collect();
        assert_eq!(found, expected, "{words:?}");
    }
}

#[test]
fn every_script_has_all_commands_and_no_fault_of_syntax() {
    let project = Project::empty();
    for (shell, check) in [
        ("bash", &["bash", "-n"] as &[&str]),
        ("zsh", &["zsh", "-n"]),
        ("fish", &["fish", "--no-execute"]),
        ("powershell", &[]),
        ("elvish", &[]),
    ] {
        let script = project.run(&["completions", shell]).expect(0).stdout;
        for word in ["approver-key", "completions", "serve", "work-item"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        assert!(!script.contains("\\u{"), "{shell}");
        project.write("script", &script);
        let Some((program, arguments)) = check.split_first() else {
            continue;
        };
        let arguments = [arguments, &["script"]].concat();
        if let Some(checked) = run_if_installed(program, &arguments, &project.path("")) {
            let said = String::from_utf8_lossy(&checked.stderr);
            assert!(checked.status.success() && said.is_empty(), "{said}");
        }
    }
}

#[test]
#[cfg(unix)]
fn a_program_with_another_name_is_completed_by_that_name() {
    let project = Project::empty();
    let program = project.path("shop-agent");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_toolwright"), &program).unwrap();
    let run = run(Command::new(program).args(["completions", "fish"])).expect(0);
    assert!(run.stdout.contains("complete -c shop-agent "));
    assert!(!run.stdout.contains("complete -c toolwright "));
}

#[test]
fn every_command_has_a_page_that_renders() {
    let project = Project::empty();
    let written = project.run(&["man", "--folder", "share/man1"]).expect(0);
    let pages: Vec<_> = fs::read_dir(project.path("share/man1")).unwrap().collect();
    let names = pages.into_iter().map(|page| page.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    let number = names.len();
    assert_eq!(
        written.stdout,
        format!("wrote {number} pages to `share/man1`\n")
    );
    for expected in [
        "toolwright.1",
        "toolwright-call.1",
        "toolwright-policy-check.1",
    ] {
        assert!(names.iter().any(|name| name == expected), "{names:?}");
    }
    for name in &names {
        let arguments = ["-k", "-ww", "-man", "-Tutf8", "-P-cbou", name.as_str()];
        let Some(page) = run_if_installed("groff", &arguments, &project.path("share/man1")) else {
            return;
        };
        let warnings = String::from_utf8_lossy(&page.stderr);
        assert!(
            page.status.success() && warnings.is_empty(),
            "{name}: {warnings}"
        );
        let page = String::from_utf8_lossy(&page.stdout);
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"] {
            assert!(page.contains(&format!("\n{heading}\n")), "{name}: {page}");
        }
    }
}

#[test]
fn the_main_page_is_printed_and_examples_keep_their_lines() {
    let project = Project::empty();
    let printed = project.run(&["man"]).expect(0).stdout;
    project.run(&["man", "--folder", "pages"]).expect(0);
    assert_eq!(printed, project.read("pages/toolwright.1"));
    assert!(printed.starts_with(".ie "), "{printed}");
    assert!(printed.contains("EXIT STATUS"), "{printed}");
    let page = project.read("pages/toolwright-man.1");
    let examples = page.split(".SH EXAMPLES\n").nth(1).unwrap();
    assert!(
        examples.starts_with(".nf\ntoolwright man | man \\-l \\-\n"),
        "{examples}"
    );
    project.write("file", "");
    project
        .run(&["man", "--folder", "file"])
        .expect(100)
        .says("`file`");
}
