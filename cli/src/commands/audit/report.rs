//! `toolwright audit report`: how often which tool was called, by whom, and how it ended.

use std::collections::BTreeMap;

use toolwright_audit::{
    Entry,
    usage::{Calls, Usage},
};

use super::events::{QueryArguments, find};
use crate::{Exit, Failure, context::Context, output::Table};

impl QueryArguments {
    /// Prints the counts of the calls.
    pub(super) fn report(self, context: &mut Context) -> Result<Exit, Failure> {
        let (file, _) = self.file.locate(context)?;
        let mut usage = Usage::default();
        find(&file, &self.filter.filter(), &mut |line| {
            if let Some(entry) = Entry::read(line.as_bytes()) {
                usage.add(&entry);
            }
            Ok(())
        })?;
        let usage = usage.finish();
        if self.format.is_json() {
            context.output.json(&usage)?;
            return Ok(Exit::Done);
        }
        let mut table = Table::new([
            "CALLS OF",
            "ALLOWED",
            "DENIED",
            "OK",
            "FAILED",
            "OPEN",
            "MEDIAN MS",
            "LONGEST MS",
        ]);
        row(&mut table, "all", &usage.total);
        for (group, name) in [
            (&usage.kinds, "kind"),
            (&usage.roles, "role"),
            (&usage.tools, "tool"),
        ] {
            for (key, calls) in group {
                row(&mut table, &format!("{name} {key}"), calls);
            }
        }
        context.output.table(&table)?;
        let violations = usage.scope_violations;
        context
            .output
            .line(format_args!("scope violations: {violations}"))?;
        for (title, counts) in [("denied", &usage.denials), ("alert", &usage.alerts)] {
            counted(context, title, counts)?;
        }
        Ok(Exit::Done)
    }
}

fn row(table: &mut Table, name: &str, calls: &Calls) {
    let numbers = [
        calls.allowed,
        calls.denied,
        calls.ok,
        calls.failed,
        calls.open,
        calls.median_ms,
        calls.longest_ms,
    ];
    let [allowed, denied, ok, failed, open, median, longest] =
        numbers.map(|number| number.to_string().into());
    table.row([
        name.to_owned().into(),
        allowed,
        denied,
        ok,
        failed,
        open,
        median,
        longest,
    ]);
}

fn counted(
    context: &mut Context,
    title: &str,
    counts: &BTreeMap<String, u64>,
) -> Result<(), Failure> {
    for (name, count) in counts {
        context.output.text(&format!("{title} {name}: {count}"))?;
    }
    Ok(())
}
