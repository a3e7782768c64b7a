//! A request for approval as a person reads it, with nothing that cannot be seen: in full, or in a list.

use std::{borrow::Cow, fmt::Write};

use serde_json::Value;
use toolwright::approval::{ApprovalRequest, Changes, ShownBody, ShownRequest, ShownStep};
use toolwright_model::text::{escape_invisible, escape_json};

use crate::commands::call::described;

/// The most characters of a line in a list.
const LISTED_CHARACTERS: usize = 1_000;

/// The most lines of a value in a list.
const LISTED_LINES: usize = 100;

/// Returns the sheet of a request in full: a heading, and a line for each fact.
pub(super) fn whole(request: &ApprovalRequest) -> String {
    render(request, None)
}

/// Returns the sheet of a request in a list: long values are cut, and the sheet names the command that shows them.
pub(super) fn listed(request: &ApprovalRequest) -> String {
    let handle = &request.handle;
    let rest = format!("… `toolwright approvals show {handle}` shows the rest");
    render(request, Some(rest))
}

fn render(request: &ApprovalRequest, rest: Option<String>) -> String {
    let shown = &request.shown;
    let heading = format!(
        "{}  {}  for the role `{}`, until {:.0}\n",
        request.handle, request.tool, request.role, request.expires
    );
    let mut sheet = Sheet {
        text: heading,
        rest,
    };
    let danger = if shown.destructive {
        ", destructive"
    } else {
        ""
    };
    sheet.line("does", &shown.summary);
    let class = format!("{}, effect {}{danger}", shown.category, shown.effect);
    sheet.line("class", &class);
    sheet.line("service", shown.service.as_str());
    if let Some(workspace) = &shown.workspace {
        sheet.line("workspace", workspace.as_str());
    }
    let context = [
        ("run", &shown.run),
        ("node", &shown.node),
        ("work item", &shown.work_item),
        ("started by", &shown.started_by),
    ];
    for (name, value) in context {
        if let Some(value) = value {
            sheet.line(name, value);
        }
    }
    if let Some(approvers) = &shown.approvers {
        sheet.line("approvers", &approvers.join(", "));
    }
    match &shown.request {
        Some(request) => sheet.request(request),
        None if !shown.steps.is_empty() => sheet.steps(&shown.steps),
        None => sheet.line("request", "none: a function of the program runs the call"),
    }
    sheet.json("arguments", &shown.arguments);
    if let Some(changes) = &request.changes {
        sheet.changes(changes);
    }
    sheet.line("digest", &request.digest());
    sheet.text
}

struct Sheet {
    text: String,
    /// The end of a value that is cut; none if the sheet has all of it.
    rest: Option<String>,
}

impl Sheet {
    fn request(&mut self, request: &ShownRequest) {
        self.line("request", &format!("{} {}", request.method, request.url));
        for (name, value) in &request.headers {
            self.line("header", &format!("{name}: {value}"));
        }
        match &request.body {
            Some(ShownBody::Json(value)) => self.json("body", value),
            Some(ShownBody::Text(text)) => self.line("body", text),
            Some(ShownBody::Bytes { length, sha256 }) => {
                self.line("body", &format!("{length} bytes, SHA-256 {sha256}"));
            }
            None => {}
        }
        for file in &request.files {
            self.line("file", &described(file));
        }
    }

    /// Adds the calls of a run. The approval covers those that need one.
    fn steps(&mut self, steps: &[ShownStep]) {
        let number = steps.iter().map(|step| step.most).sum::<u64>();
        self.line("calls", &format!("at most {number}, in this order:"));
        for step in steps {
            let approval = match step.approval_required {
                true => ", which this approval covers",
                false => "",
            };
            let times = match step.most {
                1 => String::new(),
                most => format!(", at most {most} times"),
            };
            self.line("call", &format!("{}{times}{approval}", step.tool));
            match &step.request {
                Some(request) => self.request(request),
                None => self.json("with", &step.arguments),
            }
            for (at, source) in &step.from_results {
                self.line("", &format!("the value at {at} comes from {source}"));
            }
        }
    }

    fn changes(&mut self, changes: &Changes) {
        let (tool, time, fields, further) = match changes {
            Changes::Read {
                tool,
                time,
                fields,
                further,
                ..
            } => (tool, time, fields, *further),
            Changes::Unread { reason } => {
                return self.line("changes", &format!("current values unknown: {reason}"));
            }
        };
        self.line("changes", &format!("as `{tool}` read at {time:.0}"));
        for change in fields {
            let before = match &change.before {
                Some(before) => escape_json(&before.to_string()).into_owned(),
                None => "(not in the answer)".to_owned(),
            };
            let after = change.after.to_string();
            let unchanged = match &change.before {
                Some(before) if *before == change.after => " (unchanged)",
                _ => "",
            };
            let field = escape_invisible(&change.field);
            let after = escape_json(&after);
            self.add("", &format!("{field}: {before} → {after}{unchanged}"));
        }
        if further > 0 {
            self.line("", &format!("and {further} further fields"));
        }
    }

    fn line(&mut self, name: &str, text: &str) {
        self.add(name, &escape_invisible(text));
    }

    /// Adds a line of text without invisible characters.
    fn add(&mut self, name: &str, text: &str) {
        let mut text = Cow::Borrowed(text);
        if let Some(rest) = &self.rest
            && let Some((end, _)) = text.char_indices().nth(LISTED_CHARACTERS)
        {
            text = format!("{}{rest}", text.get(..end).unwrap_or_default()).into();
        }
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "  {name:10}  {text}");
    }

    fn json(&mut self, name: &str, value: &Value) {
        for (index, line) in format!("{value:#}").lines().enumerate() {
            if let Some(rest) = &self.rest
                && index == LISTED_LINES
            {
                let rest = rest.clone();
                return self.add("", &rest);
            }
            let name = if index == 0 { name } else { "" };
            self.add(name, &escape_json(line));
        }
    }
}
