//! The records of the tools of discovery, for the tools of a view.

use std::sync::{Arc, LazyLock};

use toolwright_model::Hints;

use super::{DiscoveryTool, contents::contents};
use crate::{Category, Kind, ToolSpec};

/// The records before they are adapted to a view.
static RECORDS: LazyLock<Vec<ToolSpec>> =
    LazyLock::new(|| ToolSpec::list_from_json(include_str!("tools.json")).unwrap_or_default());

/// Returns the records for a view with these tools: a search with a table of contents, a description,
/// and a call tool for each category that the view has.
pub(crate) fn records(tools: &[Arc<ToolSpec>]) -> Vec<ToolSpec> {
    let records = RECORDS.iter().filter_map(|record| {
        let mut record = record.clone();
        match DiscoveryTool::from_name(record.name.as_str())? {
            DiscoveryTool::Search => record.when_to_use = Some(contents(tools)),
            DiscoveryTool::Describe => {}
            DiscoveryTool::Call(category) => adapt(&mut record, category, tools)?,
        }
        Some(record)
    });
    records.collect()
}

/// Sets the governance of a call tool to the most dangerous of the tools that it calls. Returns none if
/// there are none.
fn adapt(record: &mut ToolSpec, category: Category, tools: &[Arc<ToolSpec>]) -> Option<()> {
    let callable = || tools.iter().filter(|spec| spec.category == category);
    let worst = callable()
        .max_by_key(|spec| Kind::from_parts(spec.category, spec.effect, spec.hints.destructive))?;
    record.effect = worst.effect;
    record.hints = Hints {
        read_only: callable().all(|spec| spec.hints.read_only),
        destructive: callable().any(|spec| spec.hints.destructive),
        idempotent: callable().all(|spec| spec.hints.idempotent),
        open_world: callable().any(|spec| spec.hints.open_world),
    };
    record.approval_required = callable().all(|spec| spec.approval_required);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ToolName, render::tests::spec};

    fn tool(name: &str, kind: Kind) -> Arc<ToolSpec> {
        Arc::new(ToolSpec {
            name: ToolName::new(name).unwrap(),
            ..spec(kind, None)
        })
    }

    #[test]
    fn each_tool_has_a_record() {
        let names: Vec<_> = RECORDS.iter().map(|record| record.name.as_str()).collect();
        assert_eq!(names, DiscoveryTool::ALL.map(DiscoveryTool::name));
        for record in RECORDS.iter() {
            assert_eq!(record.service.as_str(), "toolwright");
        }
    }

    #[test]
    fn a_view_has_the_call_tools_of_its_categories_with_their_worst_hints() {
        let tools = [
            tool("add-depot-note", Kind::Annotate),
            tool("delete-depot-item", Kind::Delete),
            tool("get-depot-item", Kind::Read),
        ];
        let records = records(&tools);
        let names: Vec<_> = records.iter().map(|record| record.name.as_str()).collect();
        let calls = [
            "call-toolwright-observe-tool",
            "call-toolwright-execute-tool",
        ];
        let expected = ["search-toolwright-tools", "describe-toolwright-tool"];
        assert_eq!(names, [expected, calls].concat());
        assert!(records[2].hints.read_only && !records[2].hints.destructive);
        assert!(!records[3].hints.read_only && records[3].hints.destructive);
        assert_eq!(records[3].effect, crate::Effect::Delete);
        assert!(!records[3].approval_required, "a note needs none");
        let deleting = super::records(&tools[1..2]);
        assert!(deleting[2].approval_required);
    }
}
