//! `toolwright show`: all that is known of a tool.

mod objects;

use std::collections::BTreeSet;

use anstyle::Style;
use clap::Args;
use serde_json::Value;
use toolwright::{
    ToolSpec,
    binding::{Binding, EabBinding, Hints, HttpBinding},
    config::Workspaces,
};
use toolwright_model::credentials_in_words;
use toolwright_schema::{Root, properties, required};

use crate::{
    Exit, Failure,
    context::Context,
    output::{FormatArguments, Output, Table, plural, printable},
    tools::{ToolsArguments, find},
};
use objects::{Finder, NestedObject};

/// The most objects within the arguments, and within the result, whose fields are shown.
const MOST_OBJECTS: usize = 12;

/// Show a tool: what it does, its governance, its arguments and result, its request
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright show create-plane-task\n  \
    toolwright show create-plane-task --json")]
pub(crate) struct ShowArguments {
    /// The name of the tool
    #[arg(value_name = "TOOL")]
    name: String,
    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl ShowArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let specs = self.tools.load(context)?;
        let spec = find(&specs, &self.name)?;
        if self.format.is_json() {
            context.output.json(spec)?;
        } else {
            let config = context.config()?;
            let workspaces = config.services.get(&spec.service);
            show(
                spec,
                workspaces.map(|placed| &placed.value),
                &mut context.output,
            )?;
        }
        Ok(Exit::Done)
    }
}

/// Writes all that is known of the tool.
fn show(
    spec: &ToolSpec,
    workspaces: Option<&Workspaces>,
    output: &mut Output,
) -> Result<(), Failure> {
    let bold = Style::new().bold();
    output.line(format_args!(
        "{bold}{}{bold:#}  {}",
        spec.name,
        printable(&spec.title)
    ))?;
    for line in spec.description.lines() {
        output.line(
            format_args!("    {}", printable(line))
                .to_string()
                .trim_end(),
        )?;
    }
    output.line("")?;
    let mut facts = facts(spec);
    let workspaces = workspaces.filter(|workspaces| !workspaces.named.is_empty());
    facts.extend(workspaces.map(|workspaces| ("workspaces", in_words(workspaces))));
    output.fields(&facts)?;
    output.line("")?;
    show_arguments(spec, output)?;
    output.line("")?;
    show_result(spec, output)
}

/// Writes the arguments, and the objects within them.
fn show_arguments(spec: &ToolSpec, output: &mut Output) -> Result<(), Failure> {
    let schema = spec.input_schema.whole();
    if properties(schema).next().is_none() {
        return Ok(output.line("It takes no arguments.")?);
    }
    let root = Root::new(schema);
    output.table(&table("ARGUMENT", root, &[schema]))?;
    show_objects(root, Finder::new(root, schema).skip(1), output)
}

/// Writes the type of the result, and the objects within it.
fn show_result(spec: &ToolSpec, output: &mut Output) -> Result<(), Failure> {
    let Some(schema) = &spec.output_schema else {
        return Ok(output.line("The specification does not describe the result.")?);
    };
    let schema = schema.whole();
    let root = Root::new(schema);
    let kind = root.in_words(schema);
    output.line(format_args!("It returns {kind}."))?;
    show_objects(root, Finder::new(root, schema), output)
}

/// Writes the fields of the first objects.
fn show_objects<'a>(
    root: Root<'a>,
    mut objects: impl Iterator<Item = NestedObject<'a>>,
    output: &mut Output,
) -> Result<(), Failure> {
    let bold = Style::new().bold();
    for object in objects.by_ref().take(MOST_OBJECTS) {
        let name = printable(&object.name);
        output.line("")?;
        output.line(format_args!("{bold}{name}{bold:#}"))?;
        output.table(&table("FIELD", root, &object.parts))?;
    }
    match objects.count() {
        0 => Ok(()),
        left => Ok(output.line(format_args!(
            "\n{} more; `--json` prints the whole schema.",
            plural(left, "object")
        ))?),
    }
}

/// Returns the workspaces of a service in one line.
fn in_words(workspaces: &Workspaces) -> String {
    let names = workspaces.named.keys();
    let names = names.map(|name| match workspaces.default.as_ref() {
        Some(default) if default == name => format!("{name} (the default)"),
        _ => name.to_string(),
    });
    names.collect::<Vec<_>>().join(", ")
}

/// Returns the facts about the tool, one line each.
fn facts(spec: &ToolSpec) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("service", spec.service.to_string()),
        ("section", spec.section.clone()),
        ("governance", governance(spec)),
        ("hints", all_hints(spec.hints)),
    ];
    if let Some(when) = &spec.when_to_use {
        facts.insert(0, ("when to use", when.clone()));
    }
    if let Some(reason) = &spec.reason {
        facts.push(("reason in the overlay", reason.clone()));
    }
    if spec.deprecated {
        facts.push((
            "deprecated",
            "the service's owner advises against it".to_owned(),
        ));
    }
    match &spec.binding {
        Binding::Http(http) => {
            facts.push(("request", request(http)));
            facts.push(("credentials", credentials(http)));
        }
        Binding::Eab(eab) => {
            facts.push(("request", method(eab)));
            facts.push(("time-out", format!("{} s", eab.timeout_seconds)));
            for (what, types) in [
                ("artifacts", &eab.artifact_types),
                ("interfaces", &eab.interface_types),
            ] {
                if !types.is_empty() {
                    facts.push((what, types.join(", ")));
                }
            }
        }
        Binding::Mcp(mcp) => facts.push((
            "implemented",
            format!("by the tool `{}` of a mounted MCP server", mcp.tool),
        )),
        Binding::Native => facts.push(("implemented", "by a function of the program".to_owned())),
    }
    if let Some(pagination) = &spec.pagination {
        let evidence = pagination.evidence.join(", ");
        facts.push(("pages", format!("found by {evidence}")));
    }
    facts.push(("from", origin(spec)));
    facts
}

/// Describes the entries of the service's auth file that the tool needs.
pub(crate) fn credentials(http: &HttpBinding) -> String {
    if http.security.is_empty() {
        return "not declared by the specification".to_owned();
    }
    credentials_in_words(&http.security)
}

/// Category, effect, approval and default in one line.
pub(crate) fn governance(spec: &ToolSpec) -> String {
    let approval = if spec.approval_required {
        "a person approves each call"
    } else {
        "no approval"
    };
    let default = if spec.enabled_by_default { "on" } else { "off" };
    format!(
        "category {}, effect {}, {approval}, {default} by default",
        spec.category, spec.effect
    )
}

/// All four hints, as MCP clients see them.
pub(crate) fn all_hints(hints: Hints) -> String {
    let Hints {
        read_only,
        destructive,
        idempotent,
        open_world,
    } = hints;
    format!(
        "readOnlyHint {read_only}, destructiveHint {destructive}, idempotentHint {idempotent}, openWorldHint {open_world}"
    )
}

/// Method, path, and the address they are below.
fn request(http: &HttpBinding) -> String {
    let base = http
        .base_url
        .as_deref()
        .map_or_else(String::new, |base| format!(" below {base}"));
    format!("{} {}{base}", http.method, http.path)
}

/// Returns the method, and the address that the document declares for its service.
fn method(eab: &EabBinding) -> String {
    let at: Vec<String> = eab.transports.iter().map(ToString::to_string).collect();
    let at = match at.as_slice() {
        [] => String::new(),
        all => format!(" at {}", all.join(" or ")),
    };
    let EabBinding {
        service,
        api_version,
        ..
    } = eab;
    format!("POST {} of {service} {api_version}{at}", eab.path())
}

/// The document and the operation in it.
pub(crate) fn origin(spec: &ToolSpec) -> String {
    let origin = &spec.origin;
    let id = origin
        .operation_id
        .as_ref()
        .map_or_else(String::new, |id| format!(" ({id})"));
    format!("{}#{}{id}", origin.document, origin.pointer)
}

/// The properties that the schemas declare, as a table.
fn table<'a>(first: &'static str, root: Root<'a>, parts: &[&'a Value]) -> Table {
    let mut table = Table::new([first, "TYPE", "REQUIRED", "DESCRIPTION"]);
    let needed: BTreeSet<&str> = parts.iter().flat_map(|part| required(part)).collect();
    let mut seen = BTreeSet::new();
    for (name, schema) in parts.iter().flat_map(|part| properties(part)) {
        if seen.insert(name) {
            table.row([
                name.into(),
                root.in_words(schema).into(),
                if needed.contains(name) { "yes" } else { "" }.into(),
                root.summary(schema).into(),
            ]);
        }
    }
    table
}
