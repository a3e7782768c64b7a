//! Checks that a document does not drift from itself and that every change between versions is
//! reported.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use toolwright::{ToolSpec, render::mcp::OutputSchemas};
use toolwright_drift as drift;
use toolwright_drift::{ChangeKind, Inventory, Report};
use toolwright_tests::shared;

use crate::{documents::Subject, findings::Findings};

/// Checks that a document's tools differ neither from themselves nor from a reordered copy. A
/// comparison with false positives would be useless.
pub(crate) fn compare_with_itself(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    let tools = Inventory::of_specs(subject.tools.clone());
    let reversed = Inventory::of_specs(subject.tools.iter().map(reversed));
    for (other, how) in [(&tools, "itself"), (&reversed, "another order of itself")] {
        let report = drift::compare(&tools, other);
        findings.hold_all(tools.tools().len() - report.tools.len());
        for tool in &report.tools {
            let first = report.changes[tool.changes[0]].sentence();
            let what = format!("{}: {}: {first}", subject.name, tool.name);
            findings.fail(what, format!("it differs from {how}"));
        }
    }
    findings
}

/// Reverses the sets in a tool's schemas.
fn reversed(spec: &ToolSpec) -> ToolSpec {
    let mut spec = spec.clone();
    for schema in spec.schemas_mut() {
        let mut whole = schema.to_value();
        reverse(&mut whole);
        *schema = whole.into();
    }
    spec
}

fn reverse(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for (keyword, value) in fields.iter_mut() {
                if let ("required" | "enum" | "type", Value::Array(items)) =
                    (keyword.as_str(), &mut *value)
                {
                    items.reverse();
                } else {
                    reverse(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(reverse),
        _ => {}
    }
}

/// Compares two versions of a vendor's document. All differences must be reported, and the reverse
/// comparison must report the opposite changes.
pub(crate) fn compare_versions(_: &[PathBuf]) -> Findings {
    let mut findings = Findings::default();
    let folder = shared::folder().join("drift");
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("skipped: {} has no pairs", folder.display());
        return findings;
    };
    let mut folders: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    for folder in folders {
        compare_pair(&folder, &mut findings);
    }
    findings
}

fn compare_pair(folder: &Path, findings: &mut Findings) {
    let name = folder.file_name().unwrap().to_string_lossy();
    let read = |side: &str| -> Vec<ToolSpec> {
        let mut files = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let file = files.find(|path| path.file_stem().is_some_and(|stem| stem == side));
        Subject::read_as(&file.unwrap(), "pair").tools
    };
    let (old, new) = (read("old"), read("new"));
    let inventory = |tools: &[ToolSpec]| Inventory::of_specs(tools.to_vec());
    let there = drift::compare(&inventory(&old), &inventory(&new));
    let back = drift::compare(&inventory(&new), &inventory(&old));
    let number =
        |report: &Report, kind| report.totals.kinds.get(&kind).copied().unwrap_or_default();
    for (kind, opposite) in OPPOSITES {
        let (forward, backward) = (number(&there, *kind), number(&back, *opposite));
        let fault = (forward != backward)
            .then(|| "the reverse comparison reports a different number".to_owned());
        let what = format!(
            "{name}: {forward} {}, {backward} {}",
            kind.word(),
            opposite.word()
        );
        findings.check(what, fault);
    }
    let reported: BTreeMap<&str, ()> = there
        .tools
        .iter()
        .map(|tool| (tool.name.as_str(), ()))
        .collect();
    let news: BTreeMap<&str, &ToolSpec> =
        new.iter().map(|tool| (tool.name.as_str(), tool)).collect();
    for tool in &old {
        let Some(other) = news.get(tool.name.as_str()) else {
            continue;
        };
        let differs = definition(tool) != definition(other);
        let fault = (differs && !reported.contains_key(tool.name.as_str()))
            .then(|| "the definition differs and no change is reported".to_owned());
        findings.check(format!("{name}: {}", tool.name), fault);
    }
}

/// Pairs of change kinds that are opposites of each other.
const OPPOSITES: &[(ChangeKind, ChangeKind)] = &[
    (ChangeKind::ToolAdded, ChangeKind::ToolRemoved),
    (ChangeKind::ToolRenamed, ChangeKind::ToolRenamed),
    (ChangeKind::ApprovalLost, ChangeKind::ApprovalAdded),
    (ChangeKind::OnByDefault, ChangeKind::OffByDefault),
    (ChangeKind::ScopeAdded, ChangeKind::ScopeRemoved),
    (ChangeKind::ArgumentRequired, ChangeKind::ArgumentOptional),
    (
        ChangeKind::ArgumentEnumNarrowed,
        ChangeKind::ArgumentEnumWidened,
    ),
    (
        ChangeKind::ArgumentConstraintTightened,
        ChangeKind::ArgumentConstraintLoosened,
    ),
    (ChangeKind::ResultRequired, ChangeKind::ResultOptional),
    (
        ChangeKind::ResultEnumNarrowed,
        ChangeKind::ResultEnumWidened,
    ),
];

/// Returns the definition that an agent sees, without redundant bounds.
fn definition(tool: &ToolSpec) -> Value {
    let mut tool = Value::Object(toolwright::render::mcp::tool(tool, OutputSchemas::Whole));
    without_idle_bounds(&mut tool);
    tool
}

/// Removes the bounds of 64-bit integers that the type already implies.
fn without_idle_bounds(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|keyword, value| match keyword.as_str() {
                "format" => value != "int64",
                "maximum" => value != &Value::from(i64::MAX),
                "minimum" => value != &Value::from(i64::MIN),
                _ => true,
            });
            fields.values_mut().for_each(without_idle_bounds);
        }
        Value::Array(items) => items.iter_mut().for_each(without_idle_bounds),
        _ => {}
    }
}
