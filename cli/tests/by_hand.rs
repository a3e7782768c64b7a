//! A program with tools that are written by hand has the command over them: nothing lists them.
//!
//! The test is that program itself, and starts itself again with the command's arguments.
#![cfg(test)]

use std::{
    env, fs,
    path::Path,
    process::{Command, ExitCode, Output},
    sync::Arc,
};

use toolwright::{RoleEnum, ToolContext, ToolError, tool, tools};

/// The variable that makes the process act as the program.
const PROGRAM: &str = "TOOLWRIGHT_TEST_PROGRAM";

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
    Transform,
}

/// Check that a schema change is safe to apply.
#[tool(name = "validate-warehouse-schema", category = observe, roles(AgentRole::Quality))]
async fn validate_schema(_: &ToolContext, table: String) -> Result<bool, ToolError> {
    Ok(table.contains('.'))
}

/// Count the letters of a text.
#[tool(name = "count-text-letters", category = observe, roles(AgentRole::Transform))]
async fn count_letters(_: &ToolContext, text: String) -> Result<usize, ToolError> {
    Ok(text.chars().filter(|c| c.is_alphabetic()).count())
}

struct Warehouse {
    rows: usize,
}

#[tools]
impl Warehouse {
    /// Count the rows of the warehouse.
    #[tool(name = "count-warehouse-rows", category = observe, roles(AgentRole::Quality))]
    async fn count_rows(&self, _: &ToolContext) -> Result<usize, ToolError> {
        Ok(self.rows)
    }
}

fn main() -> ExitCode {
    match env::var(PROGRAM).as_deref() {
        Ok("complete") => toolwright_cli::run_with([], |registry| {
            registry.state(Arc::new(Warehouse { rows: 7 }))
        }),
        Ok("adapters") => {
            toolwright_cli::run_with([toolwright_generated::depot::TOOLS], |registry| {
                registry.state(Arc::new(Warehouse { rows: 7 }))
            })
        }
        Ok("named") => toolwright_cli::Program::new("warehouse")
            .version("7.1.0")
            .about("The tools of the warehouse")
            .completed_by(|registry| registry.state(Arc::new(Warehouse { rows: 7 })))
            .run(),
        Ok(_) => toolwright_cli::run([]),
        Err(_) => {
            they_are_listed_shown_and_called();
            a_role_has_those_that_name_it();
            a_function_has_no_request();
            a_service_is_told_from_the_others();
            a_state_that_is_missing_is_named();
            a_linked_adapter_wins_over_the_specification_of_its_service();
            a_program_with_a_name_has_it_everywhere();
            a_program_with_a_name_has_the_commands();
            ExitCode::SUCCESS
        }
    }
}

fn run(program: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), program, arguments)
}

fn run_in(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    Command::new(env::current_exe().unwrap())
        .args(arguments)
        .env(PROGRAM, program)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Returns the output of a successful run.
fn output_of(arguments: &[&str]) -> String {
    let output = run("complete", arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

fn they_are_listed_shown_and_called() {
    let list = output_of(&["list"]);
    for name in [
        "count-text-letters",
        "count-warehouse-rows",
        "validate-warehouse-schema",
    ] {
        assert!(list.contains(name), "{list}");
        assert!(output_of(&["show", name]).contains(name));
        assert!(output_of(&["export", "--target", "mcp"]).contains(name));
    }
    let call = ["call", "count-warehouse-rows", "--role", "quality"];
    assert_eq!(output_of(&call).trim(), "7");
}

fn a_role_has_those_that_name_it() {
    let call = |role| {
        let arguments = ["call", "validate-warehouse-schema", "--role", role];
        let arguments = [&arguments[..], &["--args", r#"{"table": "a.b"}"#]].concat();
        run("complete", &arguments)
    };
    assert_eq!(call("quality").stdout, b"true\n");
    let refused = call("transform");
    assert_eq!(refused.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("may not call a tool"));
}

fn a_function_has_no_request() {
    let call = [
        "call",
        "count-warehouse-rows",
        "--role",
        "quality",
        "--dry-run",
    ];
    let said = "`count-warehouse-rows` is a function of the program: it sends no request";
    assert_eq!(output_of(&call).trim(), said);
    let json = output_of(&[&call[..], &["--json"]].concat());
    assert!(json.contains(r#""request":null"#), "{json}");
    let output = run("complete", &[&call[..], &["--curl"]].concat());
    assert_eq!(output.status.code(), Some(100));
    assert!(String::from_utf8_lossy(&output.stderr).contains(said));
    assert!(output.stdout.is_empty());
}

fn a_service_is_told_from_the_others() {
    let list = output_of(&["list", "--service", "text"]);
    assert!(list.contains("count-text-letters"), "{list}");
    assert!(!list.contains("warehouse"), "{list}");
    let matrix = output_of(&["matrix", "--service", "warehouse", "--json"]);
    assert!(!matrix.contains("letters"), "{matrix}");
}

fn a_state_that_is_missing_is_named() {
    let output = run("incomplete", &["list"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(100), "{said}");
    assert!(said.contains("Warehouse"), "{said}");
}

fn a_linked_adapter_wins_over_the_specification_of_its_service() {
    let folder = tempfile::tempdir().unwrap();
    let shop = include_str!("command/shop.yaml");
    fs::write(folder.path().join("toolwright.toml"), "").unwrap();
    for (service, document) in [("shop", shop), ("depot", "not a specification")] {
        let specs = folder.path().join("specs").join(service);
        fs::create_dir_all(&specs).unwrap();
        fs::write(specs.join("openapi.yaml"), document).unwrap();
    }
    let output = run_in(folder.path(), "adapters", &["list"]);
    // The specification of `depot` is not read.
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    let list = String::from_utf8(output.stdout).unwrap();
    for tool in ["get-shop-order", "get-depot-item", "count-text-letters"] {
        assert_eq!(list.matches(tool).count(), 1, "{tool}: {list}");
    }
    let spec = [
        "list",
        "--spec",
        "specs/shop/openapi.yaml",
        "--service",
        "depot",
    ];
    let output = run_in(folder.path(), "adapters", &spec);
    let list = String::from_utf8(output.stdout).unwrap();
    assert!(list.contains("get-depot-order"), "{list}");
    assert!(!list.contains("get-depot-item"), "{list}");
}

/// Returns what the program with a name prints, on both outputs.
fn named(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = run_in(folder, "named", arguments);
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code(), stdout + &stderr)
}

fn a_program_with_a_name_has_it_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let named = |arguments: &[&str]| named(folder.path(), arguments);
    assert_eq!(named(&["--version"]).1, "warehouse 7.1.0\n");
    let help = named(&["--help"]).1;
    assert!(
        help.starts_with("The tools of the warehouse\n\nUsage: warehouse "),
        "{help}"
    );
    for command in ["call", "serve", "approvals", "man", "audit", "tools"] {
        let help = named(&[command, "--help"]).1;
        assert!(help.contains("\n  warehouse "), "{help}");
        assert!(
            !help.contains("  toolwright ") && !help.contains("`toolwright "),
            "{help}"
        );
    }
    let (code, refused) = named(&["serve"]);
    assert_eq!(code, Some(2), "{refused}");
    let (_, wrong) = named(&["serve", "--rol", "x"]);
    assert!(wrong.contains("Usage: warehouse serve"), "{wrong}");
    let (_, hint) = named(&["serve", "--transport", "http", "--role", "quality"]);
    assert!(!hint.contains("`toolwright "), "{hint}");
    let completions = named(&["completions", "bash"]).1;
    assert!(completions.contains("warehouse"), "{completions}");
    let pages = folder.path().join("man");
    assert_eq!(
        named(&["man", "--folder", pages.to_str().unwrap()]).0,
        Some(0)
    );
    let page = fs::read_to_string(pages.join("warehouse-serve.1")).unwrap();
    assert!(
        page.contains("warehouse 7.1.0") && !page.contains("toolwright serve"),
        "{page}"
    );
}

fn a_program_with_a_name_has_the_commands() {
    let folder = tempfile::tempdir().unwrap();
    let call = ["call", "count-warehouse-rows", "--role", "quality"];
    for (arguments, expected) in [
        (&["list"][..], "count-warehouse-rows"),
        (&["show", "count-warehouse-rows"], "quality"),
        (
            &["explain", "count-warehouse-rows", "--role", "quality"],
            "count-warehouse-rows",
        ),
        (&call, "7"),
        (&["export", "--target", "mcp"], "count-warehouse-rows"),
        (&["approvals"], ""),
        (&["audit", "verify"], ""),
        (&["policy", "--help"], "warehouse policy"),
    ] {
        let (code, text) = named(folder.path(), arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {text}");
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
}
