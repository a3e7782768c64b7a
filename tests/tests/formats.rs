//! Tests that no rendering of a tool forgets one, or has another text than its record.
#![cfg(test)]

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
