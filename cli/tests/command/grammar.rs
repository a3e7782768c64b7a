//! Arguments: help, usage errors, formats and colours.

use crate::support::{Project, run};

const COMMANDS: [&str; 22] = [
    "generate",
    "check",
    "diff",
    "inspect",
    "review",
    "list",
    "show",
    "explain",
    "matrix",
    "budget",
    "call",
    "approvals",
    "approve",
    "reject",
    "trust",
    "dump",
    "eab",
    "serve",
    "export",
    "completions",
    "man",
    "demo",
];

#[test]
fn every_command_explains_itself_with_an_example() {
    let project = Project::empty();
    for name in COMMANDS {
        let help = project.run(&[name, "--help"]).expect(0);
        assert!(
            help.stdout.contains(&format!("  toolwright {name}")),
            "{}",
            help.stdout
        );
        assert!(help.stderr.is_empty());
    }
}

#[test]
fn every_command_that_prints_data_prints_json() {
    let project = Project::empty();
    let with_data = [
        "check",
        "diff",
        "inspect",
        "review",
        "list",
        "show",
        "explain",
        "matrix",
        "budget",
        "call",
        "approvals",
        "generate",
        "export",
    ];
    for name in with_data {
        let help = project.run(&[name, "--help"]).expect(0);
        assert!(help.stdout.contains("--json"), "{name}");
        assert!(help.stdout.contains("--format"), "{name}");
    }
}

#[test]
fn wrong_usage_exits_with_2_and_suggests_a_fix() {
    let project = Project::with_memo();
    for (arguments, said) in [
        (&[] as &[&str], "Usage"),
        (&["generat"], "generate"),
        (&["list", "--josn"], "--json"),
        (
            &["list", "--json", "--format", "text"],
            "cannot be used with",
        ),
        (&["show"], "TOOL"),
        (&["inspect"], "SPEC"),
        (&["diff", "old.yaml"], "NEW"),
        (&["diff", "a", "b", "--format", "xml"], "markdown"),
        (
            &["diff", "a", "b", "--format", "html", "--json"],
            "cannot be used with",
        ),
        (&["matrix", "--format", "png"], "svg"),
        (&["call", "x"], "--role"),
        (&["call", "x", "--role", "A B"], "is not a role"),
        (&["call", "x", "--role", "a", "--curl"], "--dry-run"),
        (
            &["call", "x", "--role", "a", "--dry-run", "--wait", "3"],
            "cannot be used with",
        ),
        (
            &["call", "x", "--role", "a", "--dry-run", "--curl", "--json"],
            "cannot be used with",
        ),
        (&["dump"], "--stage"),
        (&["dump", "--stage", "emit"], "parse"),
        (&["generate", "openapi.yaml"], "--out"),
        (&["generate", "--out", "x"], "SPEC"),
        (&["list", "--overlay", "x"], "--spec"),
        (&["list", "--service", "Plane-2"], "is not a service name"),
        (&["export"], "--target"),
        (&["completions", "csh"], "powershell"),
        (&["export", "--target", "xml"], "mcp"),
        (
            &["approve", "nonsense", "--by", "operator"],
            "twelve hexadecimal digits",
        ),
    ] {
        project.run(arguments).expect(2).says(said);
    }
}

#[test]
fn json_and_format_json_are_the_same() {
    let project = Project::with_memo();
    let source = [
        "list",
        "--spec",
        "specs/memo/openapi.yaml",
        "--service",
        "memo",
    ];
    let short = project.run(&[&source[..], &["--json"]].concat()).expect(0);
    let long = project
        .run(&[&source[..], &["--format", "json"]].concat())
        .expect(0);
    assert_eq!(short.stdout, long.stdout);
    assert_eq!(short.json().len(), 4);
}

#[test]
fn colour_is_used_on_terminals_or_on_request() {
    let project = Project::with_memo();
    let source = [
        "list",
        "--spec",
        "specs/memo/openapi.yaml",
        "--service",
        "memo",
    ];
    let escape = |arguments: &[&str]| {
        let run = project.run(&[&source[..], arguments].concat()).expect(0);
        run.stdout.contains('\u{1b}')
    };
    assert!(!escape(&[]));
    assert!(!escape(&["--color", "never"]));
    assert!(escape(&["--color", "always"]));
    let mut asked = project.command(&[&source[..], &["--color", "always"]].concat());
    asked.env("NO_COLOR", "1");
    assert!(
        run(&mut asked).expect(0).stdout.contains('\u{1b}'),
        "an argument wins"
    );
}

#[test]
fn the_version_is_printed() {
    let project = Project::empty();
    project
        .run(&["--version"])
        .expect(0)
        .prints(env!("CARGO_PKG_VERSION"));
}
