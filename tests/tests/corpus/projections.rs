//! Checks that projected results fit the schemas of tools that return a part of their responses.

use std::fmt::Write as _;

use serde_json::Value;
use toolwright::{ToolSpec, binding::Method};
use toolwright_generator::{
    check::CheckedService,
    generate::{self, Input, Options},
    load::{Disk, Layered, Memory},
};
use toolwright_schema::Root;
use toolwright_tests::{Extent, examples};

use crate::{documents::Subject, findings::Findings};

/// The overlay in memory.
const OVERLAY: &str = "in-part.overlay.toml";

/// The most tools of a document that are projected.
const MOST: usize = 150;

/// Projects the results of a document's tools to parts of them, and compares results with the schemas.
pub(crate) fn check(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    let mut overlay = String::new();
    let tools = subject.tools.iter().filter(|tool| tool.http().is_some());
    for (index, tool) in tools.take(MOST).enumerate() {
        let paths = paths(tool, index);
        if !paths.is_empty() {
            let key = if index % 3 == 0 { "drop" } else { "keep" };
            let paths = Value::from(paths);
            let (method, path) = tool.endpoint().unwrap();
            let selector = Value::from(format!("{} {}", word(method), document_path(tool, &path)));
            writeln!(
                overlay,
                "[operations.{selector}.response]\n{key} = {paths}\nreason = \"r\""
            )
            .unwrap();
        }
    }
    let mut files = Memory::default();
    files.0.insert(OVERLAY.to_owned(), overlay.into_bytes());
    let input = Input::new(subject.path.to_str().unwrap()).overlay(OVERLAY);
    let outcome = generate::run(&[input], Options::default(), &Layered::new(&files, Disk));
    let Some(catalog) = &outcome.catalog else {
        return findings;
    };
    let projected = catalog
        .services()
        .iter()
        .flat_map(CheckedService::tool_specs);
    for projected in projected.filter(|tool| tool.projection.is_some()) {
        let whole = subject
            .tools
            .iter()
            .find(|tool| tool.name == projected.name);
        if let Some(whole) = whole {
            let what = format!("{}: {}", subject.name, projected.name);
            findings.check(what, fault(whole, &projected));
        }
    }
    findings
}

const fn word(method: Method) -> &'static str {
    method.word()
}

/// Returns the path as the document writes it, from the pointer of the operation.
fn document_path(tool: &ToolSpec, path: &str) -> String {
    let step = tool.origin.pointer.split('/').nth(2).unwrap_or(path);
    step.replace("~1", "/").replace("~0", "~")
}

/// Returns some paths in the results of a tool, other ones for each tool.
fn paths(tool: &ToolSpec, index: usize) -> Vec<String> {
    let Some(schema) = tool.output_schema.as_ref().map(|schema| schema.to_value()) else {
        return Vec::new();
    };
    let root = Root::new(&schema);
    let mut found = Vec::new();
    collect(root, &schema, "$".to_owned(), 1 + index % 3, &mut found);
    let chosen = found.into_iter().enumerate();
    let chosen = chosen.filter(|(place, _)| (place + index).is_multiple_of(2));
    chosen.map(|(_, path)| path).take(6).collect()
}

/// Collects the paths at a depth below a schema.
fn collect(root: Root<'_>, schema: &Value, path: String, depth: usize, found: &mut Vec<String>) {
    if found.len() > 40 {
        return;
    }
    let mut leaf = true;
    for part in root.parts(schema) {
        if depth > 0
            && let Some(properties) = part["properties"].as_object()
        {
            for (name, property) in properties {
                if name.contains(|c: char| c.is_control() || matches!(c, '\'' | '\\')) {
                    continue;
                }
                leaf = false;
                collect(
                    root,
                    property,
                    format!("{path}['{name}']"),
                    depth - 1,
                    found,
                );
            }
        }
        // An array may be its own element.
        if depth > 0
            && let Some(items) = part.get("items")
        {
            leaf = false;
            collect(root, items, format!("{path}[*]"), depth - 1, found);
        }
    }
    if leaf && path != "$" {
        found.push(path);
    }
}

/// Returns how a projected result does not fit the projected schema.
fn fault(whole: &ToolSpec, projected: &ToolSpec) -> Option<String> {
    let before = whole.output_schema.as_ref()?.to_value();
    let after = projected.output_schema.as_ref()?.to_value();
    let mask = projected.projection.as_ref()?.mask();
    let valid = jsonschema::draft202012::new(&before).ok()?;
    let fits = match jsonschema::draft202012::new(&after) {
        Ok(fits) => fits,
        Err(error) => return Some(format!("the projected schema cannot be compiled: {error}")),
    };
    for extent in [Extent::Least, Extent::Most] {
        for mut value in examples(&before, extent).filter(|value| valid.is_valid(value)) {
            mask.apply(&mut value);
            if let Some(error) = fits.iter_errors(&value).next() {
                return Some(format!("{error} at `{}`", error.instance_path()));
            }
        }
    }
    None
}
