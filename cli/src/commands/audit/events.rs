//! The commands that print events.

use std::{collections::VecDeque, fs, io, path::Path, thread::sleep, time::Duration};

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use toolwright_audit::{
    Entry,
    search::{Filter, search},
};

use super::FileArguments;
use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    output::{FormatArguments, Output},
};

/// The pause between two looks for new events.
const PAUSE: Duration = Duration::from_millis(200);

/// The greatest age of an event that is written now: the time of a call is that of its begin.
const RECENT: SignedDuration = SignedDuration::from_hours(2);

/// The fields that `audit show` prints in its first lines.
const FIRST: [&str; 4] = ["seq", "time", "event", "correlation_id"];

/// The parts of a filter.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Filters")]
pub(super) struct FilterArguments {
    /// Only this role
    #[arg(long, value_name = "NAME")]
    role: Option<String>,

    /// Only this run
    #[arg(long, value_name = "ID")]
    run: Option<String>,

    /// Only this tool
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,

    /// Only this decision
    #[arg(long, value_name = "WORD", value_parser = ["allow", "deny", "approved", "rejected"])]
    decision: Option<String>,

    /// Only events of this kind
    #[arg(long, value_name = "KIND")]
    event: Option<String>,

    /// Only since this time, such as `2026-11-25T00:00:00Z`, or for a duration, such as `90m`
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<Timestamp>,

    /// Only before this time
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    until: Option<Timestamp>,
}

impl FilterArguments {
    pub(super) fn filter(&self) -> Filter {
        Filter {
            role: self.role.clone(),
            run: self.run.clone(),
            tool: self.tool.clone(),
            decision: self.decision.clone(),
            event: self.event.clone(),
            since: self.since,
            until: self.until,
            ..Filter::default()
        }
    }
}

/// Parses a time, or a time so long ago.
fn parse_time(text: &str) -> Result<Timestamp, String> {
    let expected = "expected a time such as `2026-11-25T00:00:00Z`, or a duration such as `90m`";
    if let Ok(time) = text.parse() {
        return Ok(time);
    }
    let ago: SignedDuration = text.parse().map_err(|_| expected.to_owned())?;
    Timestamp::now()
        .checked_sub(ago)
        .map_err(|_| expected.to_owned())
}

/// The events that a command reads, and the form in which it prints them.
#[derive(Debug, Args)]
pub(super) struct QueryArguments {
    #[command(flatten)]
    pub(super) filter: FilterArguments,
    #[command(flatten)]
    pub(super) file: FileArguments,
    #[command(flatten)]
    pub(super) format: FormatArguments,
}

#[derive(Debug, Args)]
pub(super) struct TailArguments {
    /// The number of events
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 10)]
    lines: usize,

    /// Print new events until the command is ended
    #[arg(short, long)]
    follow: bool,

    #[command(flatten)]
    query: QueryArguments,
}

#[derive(Debug, Args)]
pub(super) struct ShowArguments {
    /// The id of the call: the `correlation_id` of its events
    #[arg(value_name = "CALL")]
    call: String,

    #[command(flatten)]
    file: FileArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl TailArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let (file, _) = self.query.file.locate(context)?;
        let filter = self.query.filter.filter();
        let mut last = VecDeque::new();
        let mut seen = 0;
        find(&file, &filter, &mut |line| {
            last.push_back(line.to_owned());
            if last.len() > self.lines {
                last.pop_front();
            }
            Ok(())
        })?;
        let is_json = self.query.format.is_json();
        for line in &last {
            seen = seen.max(number(line));
            print(&mut context.output, line, is_json)?;
        }
        if self.follow {
            follow(&file, &filter, seen, is_json, &mut context.output)?;
        }
        Ok(Exit::Done)
    }
}

impl ShowArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let (file, _) = self.file.locate(context)?;
        let filter = Filter {
            call: Some(self.call.clone()),
            ..Filter::default()
        };
        let mut lines = Vec::new();
        find(&file, &filter, &mut |line| {
            lines.push(line.to_owned());
            Ok(())
        })?;
        if lines.is_empty() {
            let message = format!("the audit has no call `{}`", self.call);
            return Err(Failure::new(message).code(Code::UnknownEntry).help(
                "`toolwright audit search --json` prints the `correlation_id` of each call",
            ));
        }
        if self.format.is_json() {
            for line in &lines {
                print(&mut context.output, line, true)?;
            }
            return Ok(Exit::Done);
        }
        for line in &lines {
            show(&mut context.output, line)?;
        }
        if has_no_end(&lines, &self.call) {
            let text = "no end was recorded: the call still runs, or its process was killed";
            context.output.line(text)?;
        }
        Ok(Exit::Done)
    }
}

impl QueryArguments {
    /// Prints the events.
    pub(super) fn search(self, context: &mut Context) -> Result<Exit, Failure> {
        let (file, _) = self.file.locate(context)?;
        let is_json = self.format.is_json();
        let output = &mut context.output;
        find(&file, &self.filter.filter(), &mut |line| {
            print(output, line, is_json)
        })?;
        Ok(Exit::Done)
    }

    /// Prints the lines of the events, which are JSON whatever the format is.
    pub(super) fn export(self, context: &mut Context) -> Result<Exit, Failure> {
        let (file, _) = self.file.locate(context)?;
        let output = &mut context.output;
        find(&file, &self.filter.filter(), &mut |line| output.text(line))?;
        Ok(Exit::Done)
    }
}

/// Prints new events until the program is ended.
fn follow(
    file: &Path,
    filter: &Filter,
    mut seen: u64,
    is_json: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    loop {
        output.flush()?;
        sleep(PAUSE);
        let mut new = Vec::new();
        // Files that were closed since the last look are searched too, but not those of long ago.
        let recent = Timestamp::now().checked_sub(RECENT).ok();
        let filter = Filter {
            since: filter.since.max(recent),
            ..filter.clone()
        };
        find(file, &filter, &mut |line| {
            if number(line) > seen {
                new.push(line.to_owned());
            }
            Ok(())
        })?;
        for line in &new {
            seen = seen.max(number(line));
            print(output, line, is_json)?;
        }
    }
}

/// Searches an audit.
pub(super) fn find(
    file: &Path,
    filter: &Filter,
    each: &mut dyn FnMut(&str) -> io::Result<()>,
) -> Result<(), Failure> {
    let failed = |error: &io::Error| Failure::file("read", file, error);
    fs::metadata(file)
        .map(drop)
        .or_else(|error| match toolwright_audit::segment::closed(file) {
            Ok(closed) if !closed.is_empty() => Ok(()),
            _ => Err(error),
        })
        .map_err(|error| failed(&error))?;
    let searched = search(file, filter, &mut |line, _: &Entry<'_>| each(line));
    searched.map_err(|error| failed(&error))
}

/// Returns the number of an event.
fn number(line: &str) -> u64 {
    let sealed = toolwright_audit::line::parse(line.as_bytes());
    sealed.map_or(0, |sealed| sealed.seq)
}

/// Prints an event as one line.
fn print(output: &mut Output, line: &str, is_json: bool) -> io::Result<()> {
    let event: Value = serde_json::from_str(line)?;
    if is_json {
        return output.json(&event);
    }
    let field = |name: &str| match event.get(name)? {
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    let mut words: Vec<String> = ["time", "event", "role", "tool", "decision", "outcome"]
        .into_iter()
        .filter_map(field)
        .collect();
    for name in ["reason", "error", "rule", "run", "correlation_id"] {
        words.extend(field(name).map(|value| format!("{name}={value}")));
    }
    output.text(&words.join(" "))
}

/// Prints all fields of an event, one a line.
fn show(output: &mut Output, line: &str) -> io::Result<()> {
    let event: Value = serde_json::from_str(line)?;
    let fields = event.as_object().into_iter().flatten();
    let (first, rest): (Vec<_>, Vec<_>) =
        fields.partition(|(name, _)| FIRST.contains(&name.as_str()));
    for (name, value) in first.into_iter().chain(rest) {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        output.text(&format!("{name:<18}{text}"))?;
    }
    output.text("")
}

/// Checks whether a call was allowed and has no outcome.
fn has_no_end(lines: &[String], call: &str) -> bool {
    let events = lines.iter().filter_map(|line| Entry::read(line.as_bytes()));
    let own = events.filter(|event| event.correlation_id.as_deref() == Some(call));
    let own: Vec<_> = own.collect();
    let is = |kind: &str, decision: Option<&str>| {
        own.iter().any(|event| {
            event.event == kind && (decision.is_none() || event.decision.as_deref() == decision)
        })
    };
    is("decision", Some("allow")) && !is("outcome", None)
}
