//! `budget`: what the tools cost a model to read, and the limits of the policy.

use crate::support::Project;

const ROLES: &str = "\
[roles.reader]\ngrant = [\"category:observe\"]\n\
[roles.writer]\ngrant = [\"service:memo\"]\n\
[tools]\nenable = [\"create-*\"]\n";

fn project(limits: &str) -> Project {
    let project = Project::with_memo();
    project.configure(format!("{ROLES}{limits}"));
    project
}

#[test]
fn each_role_and_format_has_a_size() {
    let project = project("");
    let all = ["budget", "--target", "mcp", "--target", "prompt", "--json"];
    let rows = project.run(&all).expect(0).json();
    let of = |role: &str, target: &str| {
        let mut rows = rows.iter();
        let row = rows.find(|row| row["role"] == role && row["target"] == target);
        row.unwrap().clone()
    };
    assert_eq!(rows.len(), 4);
    let number = |role: &str, target: &str, key: &str| of(role, target)[key].as_u64().unwrap();
    assert!(number("writer", "mcp", "tokens") > number("reader", "mcp", "tokens"));
    assert!(number("reader", "mcp", "tokens") > number("reader", "prompt", "tokens"));
    assert!(number("reader", "mcp", "bytes") > number("reader", "mcp", "tokens"));
    assert_eq!(number("reader", "mcp", "tools"), 2);
    project.run(&["budget"]).expect(0).prints("ALL TOKENS");
}

#[test]
fn discovery_costs_less_than_the_list() {
    let project = project("[discovery]\nthreshold = 2\n");
    let rows = project.run(&["budget", "--json"]).expect(0).json();
    let row = &rows[0];
    assert_ne!(row["tokens"], row["all_tokens"], "{row}");
}

#[test]
fn the_tools_of_a_role_are_listed_by_size() {
    let project = project("");
    let rows = project
        .run(&["budget", "--role", "writer", "--json"])
        .expect(0)
        .json();
    let sizes: Vec<u64> = rows
        .iter()
        .map(|row| row["tokens"].as_u64().unwrap())
        .collect();
    assert!(
        sizes.len() > 2 && sizes.is_sorted_by(|a, b| a >= b),
        "{sizes:?}"
    );
    let first = ["budget", "--role", "writer", "--most", "1"];
    project
        .run(&first)
        .expect(0)
        .says("smaller tools of the format `mcp` not shown");
}

#[test]
fn a_role_over_a_limit_fails_the_check_and_names_the_largest_tools() {
    for command in ["budget", "check"] {
        let arguments: &[&str] = match command {
            "check" => &["check", "--locks"],
            _ => &["budget"],
        };
        let small = project("[budget]\nlist_tokens = 10\n");
        small
            .run(arguments)
            .expect(100)
            .says("the list of the role `reader` has")
            .says("`list_tokens` allows 10")
            .says("`get-memo-note` (");
        let tools = project("[budget]\ntool_tokens = 20\n");
        tools
            .run(arguments)
            .expect(100)
            .says("have more than 20 tokens (`tool_tokens`): `");
        let enough = project("[budget]\nlist_tokens = 100000\ntool_tokens = 10000\n");
        enough.run(&["generate", "--locks"]);
        enough.run(arguments).expect(0);
    }
}
