//! Tests that no rendering forgets a tool or has another text than its record, and that no page names a
//! tool that does not exist.
#![cfg(test)]

use std::{collections::BTreeSet, fs, path::Path};

use regex::Regex;
use toolwright::{
    ToolSpec,
    render::{
        mcp::{self, OutputSchemas},
        prompt::{self, Calls},
        provider::Dialect,
    },
};

/// The tools of all generated adapters.
fn tools() -> Vec<ToolSpec> {
    let embedded = toolwright_generated::all().into_iter();
    let tools: Vec<ToolSpec> = embedded.flat_map(|tools| tools.specs().unwrap()).collect();
    assert!(tools.len() > 200, "{}", tools.len());
    tools
}

#[test]
fn every_dialect_has_every_tool_with_its_own_text() {
    for tool in tools() {
        let listed = mcp::tool(&tool, OutputSchemas::Cut);
        let text = listed["description"].as_str().unwrap();
        for &dialect in Dialect::ALL {
            let rendered = dialect.tool(&tool).tool;
            let own = match dialect {
                Dialect::Anthropic | Dialect::Gemini => &rendered,
                Dialect::OpenAi | Dialect::OpenAiStrict => &rendered["function"],
                Dialect::Bedrock => &rendered["toolSpec"],
            };
            assert_eq!(own["name"], dialect.name(&tool));
            assert_eq!(
                dialect.tool_name(&dialect.name(&tool)).as_ref(),
                Some(&tool.name)
            );
            let shown = own["description"].as_str().unwrap();
            let is_cut = shown.contains('…') && shown.chars().count() <= 1024;
            assert!(shown == text || is_cut, "{dialect}: {shown}");
        }
    }
}

#[test]
fn the_prompt_has_one_bullet_for_each_tool_and_no_other_lines() {
    let tools = tools();
    let command = |tool: &ToolSpec| Some(format!("toolwright call {}", tool.name));
    for calls in [Calls::Functions, Calls::Commands(&command)] {
        let block = prompt::block(&tools, calls);
        let bullets = block.lines().filter_map(|line| line.strip_prefix("- `"));
        let mut names: Vec<&str> = bullets.filter_map(|line| line.split('`').next()).collect();
        names.sort_unstable();
        let mut expected: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        expected.sort_unstable();
        assert_eq!(names, expected);
        let uses = tools
            .iter()
            .filter(|tool| tool.when_to_use.is_some())
            .count();
        let headings = block
            .lines()
            .filter(|line| line.starts_with("### `"))
            .count();
        assert_eq!(headings, uses);
    }
}

/// The names of tools that pages make up, with the page.
const MADE_UP: [(&str, &str); 6] = [
    ("embedding.md", "clear-depot-items"),
    ("embedding.md", "drop-depot-tables"),
    ("embedding.md", "move-depot-items"),
    ("files.md", "get-depot-item-file"),
    ("lock.md", "list-plane-issues"),
    ("skills.md", "reserve-depot-item"),
];

#[test]
fn the_pages_name_existing_tools() {
    let tools = tools();
    let services: BTreeSet<&str> = tools.iter().map(|tool| tool.service.as_str()).collect();
    let services: Vec<&str> = services.into_iter().collect();
    let pattern = format!(r"\b[a-z]+-(?:{})-[a-z0-9-]*[a-z0-9]\b", services.join("|"));
    let pattern = Regex::new(&pattern).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let pages = fs::read_dir(root.join("docs")).unwrap();
    let pages = pages.map(|entry| entry.unwrap().path());
    let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let mut unknown = BTreeSet::new();
    for path in pages.chain([root.join("README.md")]) {
        let page = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        for name in pattern.find_iter(&text).map(|found| found.as_str()) {
            if !tools.iter().any(|tool| tool.name.as_str() == name) {
                unknown.insert((page.clone(), name.to_owned()));
            }
        }
    }
    let made_up = MADE_UP.map(|(page, name)| (page.to_owned(), name.to_owned()));
    assert_eq!(unknown, made_up.into());
}
