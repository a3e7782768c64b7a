//! Drift: a document is no change of itself, and no change between two dates goes unnoticed.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use toolwright::ToolSpec;
use toolwright_generator::drift::{self, ChangeKind, Inventory, Report};
use toolwright_tests::shared;

use crate::{documents::Subject, findings::Findings};

/// The tools of a document differ neither from themselves nor from the same in another order: the
/// walk through two schemas is of no use if it finds differences where there are none.
pub(crate) fn itself(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    let tools = Inventory::of_specs(subject.tools.clone());
    let turned = Inventory::of_specs(subject.tools.iter().map(turned));
    for (other, how) in [(&tools, "itself"), (&turned, "another order of itself")] {
        let report = drift::compare(&tools, other);
        findings.hold_all(tools.tools().len() - report.tools.len());
        for tool in &report.tools {
            let first = &report.changes[tool.changes[0]].says;
            let what = format!("{}: {}: {first}", subject.name, tool.name);
            findings.fail(what, format!("it differs from {how}"));
        }
    }
    findings
}

/// A tool whose sets stand in another order.
fn turned(spec: &ToolSpec) -> ToolSpec {
    let mut spec = spec.clone();
    turn(&mut spec.input_schema);
    spec.output_schema.iter_mut().for_each(turn);
    spec
}

fn turn(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for (keyword, value) in fields.iter_mut() {
                if let ("required" | "enum" | "type", Value::Array(items)) =
                    (keyword.as_str(), &mut *value)
                {
                    items.reverse();
                } else {
                    turn(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(turn),
        _ => {}
    }
}

/// The same vendor's document at two dates: what differs is told of, and told the other way round
/// it is the opposite.
pub(crate) fn pairs(_: &[PathBuf]) -> Findings {
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
        pair(&folder, &mut findings);
    }
    findings
}

fn pair(folder: &Path, findings: &mut Findings) {
    let name = folder.file_name().unwrap().to_string_lossy();
    let read = |side: &str| -> Vec<ToolSpec> {
        let mut files = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let file = files.find(|path| path.file_stem().is_some_and(|stem| stem == side));
        Subject::of_service(&file.unwrap(), "pair").tools
    };
    let (old, new) = (read("old"), read("new"));
    let inventory = |tools: &[ToolSpec]| Inventory::of_specs(tools.to_vec());
    let there = drift::compare(&inventory(&old), &inventory(&new));
    let back = drift::compare(&inventory(&new), &inventory(&old));
    let number =
        |report: &Report, kind| report.totals.kinds.get(&kind).copied().unwrap_or_default();
    for (kind, opposite) in OPPOSITES {
        let (forward, backward) = (number(&there, *kind), number(&back, *opposite));
        let fault =
            (forward != backward).then(|| "the way back has another number of them".to_owned());
        let what = format!(
            "{name}: {forward} {}, {backward} {}",
            kind.word(),
            opposite.word()
        );
        findings.check(what, fault);
    }
    let told: BTreeMap<&str, ()> = there
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
        let differs = shown(tool) != shown(other);
        let fault = (differs && !told.contains_key(tool.name.as_str()))
            .then(|| "an agent is shown another tool, and nothing is said".to_owned());
        findings.check(format!("{name}: {}", tool.name), fault);
    }
}

/// Kinds of which one is the other the other way round.
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

/// What an agent is shown of a tool, without bounds that bound nothing.
fn shown(tool: &ToolSpec) -> Value {
    let mut tool = Value::Object(toolwright::render::mcp::tool(tool));
    without_idle_bounds(&mut tool);
    tool
}

/// No integer of 64 bits is beyond the bounds of 64 bits.
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
