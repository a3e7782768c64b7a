//! `toolwright audit sinks` and `toolwright audit forward`: what waits for the sinks.

use clap::Args;
use serde_json::json;
use toolwright::config::AuditConfig;
use toolwright_audit::Cursor;
use toolwright_sinks::{SinkError, forwarders};

use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    operator::runtime,
    output::{FormatArguments, Table},
};

#[derive(Debug, Args)]
pub(super) struct SinksArguments {
    #[command(flatten)]
    format: FormatArguments,
}

#[derive(Debug, Args)]
pub(super) struct ForwardArguments {
    #[command(flatten)]
    format: FormatArguments,
}

impl SinksArguments {
    /// Prints the cursors, and the events that wait.
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let audit = context.trusted_config()?.audit;
        let mut table = Table::new(["SINK", "RECEIVED", "WAITING", "AT MOST", "CHANGES"]);
        let mut values = Vec::new();
        for spool in &audit.options.spools {
            let read = |error: &std::io::Error| {
                Failure::file("read", &Cursor::path(&audit.file, &spool.sink), error)
            };
            let cursor = Cursor::read(&audit.file, &spool.sink).map_err(|error| read(&error))?;
            let waiting = spool.waiting(&audit.file).map_err(|error| read(&error))?;
            let stopped = spool.stops_changes(waiting);
            values.push(json!({
                "sink": spool.sink,
                "instance": cursor.instance,
                "received": cursor.seq,
                "waiting": waiting,
                "most_waiting": spool.most_waiting,
                "changes_refused": stopped,
            }));
            table.row([
                spool.sink.as_str().into(),
                cursor.seq.to_string().into(),
                waiting.to_string().into(),
                spool.most_waiting.to_string().into(),
                if stopped { "refused" } else { "pass" }.into(),
            ]);
        }
        if self.format.is_json() {
            context.output.json(&values)?;
        } else if values.is_empty() {
            context.output.line("the audit has no sinks")?;
        } else {
            context.output.table(&table)?;
        }
        Ok(Exit::Done)
    }
}

impl ForwardArguments {
    /// Delivers what waits to all sinks, and reports each.
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let audit = context.trusted_config()?.audit;
        let forwarded = runtime()?.block_on(forward(&audit))?;
        if self.format.is_json() {
            let values = forwarded.iter();
            let values = values.map(|(sink, count)| json!({"sink": sink, "delivered": count}));
            context.output.json(&values.collect::<Vec<_>>())?;
            return Ok(Exit::Done);
        }
        for (sink, count) in &forwarded {
            match count {
                Some(count) => context
                    .output
                    .line(format_args!("{sink}: {count} events"))?,
                None => context
                    .output
                    .line(format_args!("{sink}: another process forwards"))?,
            }
        }
        if forwarded.is_empty() {
            context.output.line("the audit has no sinks")?;
        }
        Ok(Exit::Done)
    }
}

/// Returns the number of events that each sink received; none if another process forwards to it.
async fn forward(audit: &AuditConfig) -> Result<Vec<(String, Option<u64>)>, Failure> {
    let mut forwarded = Vec::new();
    let mut failed = Vec::new();
    for mut forwarder in forwarders(audit)? {
        let name = forwarder.name().to_owned();
        match forwarder.drain().await {
            Ok(count) => forwarded.push((name, count)),
            Err(error) => failed.push(format!("cannot forward to the sink `{name}`: {error}")),
        }
    }
    if failed.is_empty() {
        return Ok(forwarded);
    }
    Err(Failure::all(failed).code(Code::Sink))
}

impl From<SinkError> for Failure {
    fn from(error: SinkError) -> Self {
        Self::new(error.to_string()).code(Code::Sink)
    }
}
