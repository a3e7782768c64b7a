//! `toolwright explain`: the evidence for a tool's name and class.

#[cfg(feature = "generator")]
mod trace;

use anstyle::Style;
use clap::Args;
use serde_json::json;
use toolwright::{
    Kind, ToolSpec,
    binding::{Evidence, Governance},
};

use super::show;
use crate::{
    Exit, Failure,
    context::Context,
    output::{Cell, FormatArguments, Output, Table, printable},
    tools::{ToolsArguments, find},
};

/// Explain a tool: its evidence, its name, its row of the governance table, its place
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright explain delete-outline-document\n  \
    toolwright explain get-vault-token --spec vault.json --service vault")]
pub(crate) struct ExplainArguments {
    /// The name of the tool
    #[arg(value_name = "TOOL")]
    name: String,
    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl ExplainArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let specs = self.tools.load(context)?;
        let spec = find(&specs, &self.name)?;
        let trace = self.trace(spec, context)?;
        if self.format.is_json() {
            context.output.json(&record(spec, &trace))?;
        } else {
            explain(spec, &trace, &mut context.output)?;
        }
        Ok(Exit::Done)
    }

    #[cfg(feature = "generator")]
    fn trace(&self, spec: &ToolSpec, context: &Context) -> Result<Trace, Failure> {
        let traced = trace::trace(spec, &self.tools, context)?;
        Ok(traced.unwrap_or_default())
    }

    /// Without the generator no specification can be read.
    #[cfg(not(feature = "generator"))]
    fn trace(&self, _: &ToolSpec, _: &Context) -> Result<Trace, Failure> {
        Ok(Trace::default())
    }
}

/// Facts of a tool that only its specification holds.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// The operation: file, line and column.
    pub(crate) place: Option<String>,
    /// The steps that led to the name, one line each.
    pub(crate) name_derivation: Vec<String>,
}

/// The explanation for programs.
fn record(spec: &ToolSpec, trace: &Trace) -> serde_json::Value {
    let row = deciding_evidence(spec).map(|evidence| evidence.suggests);
    json!({
        "name": spec.name,
        "origin": spec.origin,
        "place": trace.place,
        "name_derivation": trace.name_derivation,
        "row": row,
        "governance": {
            "category": spec.category,
            "effect": spec.effect,
            "approval_required": spec.approval_required,
            "hints": spec.hints,
            "enabled_by_default": spec.enabled_by_default,
        },
        "reason": spec.reason,
        "evidence": spec.evidence,
        "credentials": spec.http().map(show::credentials),
    })
}

/// Writes the explanation for people.
fn explain(spec: &ToolSpec, trace: &Trace, output: &mut Output) -> Result<(), Failure> {
    let bold = Style::new().bold();
    output.line(format_args!("{bold}{}{bold:#}", spec.name))?;
    let mut facts = vec![("from", show::origin(spec))];
    facts.extend(trace.place.clone().map(|place| ("at", place)));
    facts.push(("governance", show::governance(spec)));
    facts.push(("hints", show::all_hints(spec.hints)));
    facts.extend(
        spec.http()
            .map(|http| ("credentials", show::credentials(http))),
    );
    output.fields(&facts)?;
    if !trace.name_derivation.is_empty() {
        output.line(format_args!("\n{bold}Derivation of the name{bold:#}"))?;
        for step in &trace.name_derivation {
            output.line(format_args!("  {}", printable(step)))?;
        }
    }
    output.line(format_args!("\n{bold}Evidence for the class{bold:#}"))?;
    output.table(&evidence(&spec.evidence))?;
    if let Some(row) = row(spec) {
        output.line(format_args!("\n{row}"))?;
    }
    if let Some(reason) = &spec.reason {
        let reason = printable(reason);
        output.line(format_args!("Reason in the overlay: {reason}"))?;
    }
    Ok(())
}

/// The evidence as a table, that which decided first.
fn evidence(all: &[Evidence]) -> Table {
    let mut table = Table::new(["EVIDENCE", "SUGGESTS", "WEIGHT", "", "FOUND"]);
    for evidence in all {
        let (style, decided) = if evidence.decided {
            (Style::new().bold(), "decided")
        } else {
            (Style::new(), "")
        };
        let weight = match evidence.weight {
            0 => String::new(),
            weight => weight.to_string(),
        };
        table.row([
            Cell::styled(evidence.source.word(), style),
            Cell::styled(evidence.suggests.word(), style),
            Cell::styled(weight, style),
            Cell::styled(decided, style),
            Cell::styled(&evidence.found, style),
        ]);
    }
    table
}

fn deciding_evidence(spec: &ToolSpec) -> Option<&Evidence> {
    spec.evidence.iter().find(|evidence| evidence.decided)
}

/// The row of the governance table that the evidence led to.
fn row(spec: &ToolSpec) -> Option<String> {
    let kind: Kind = deciding_evidence(spec)?.suggests;
    let row = Governance::from_kind(
        kind,
        spec.http().is_some_and(|http| http.method.is_idempotent()),
    );
    let approval = if row.approval_required {
        "needed"
    } else {
        "not needed"
    };
    let difference = if row == spec.governance() {
        ""
    } else {
        "; overridden by the overlay or the tool's author"
    };
    Some(format!(
        "The row `{kind}` of the governance table: category {}, effect {}, approval {approval}, {}{difference}",
        row.category(),
        row.effect(),
        super::list::hints(row.hints),
    ))
}
