//! One program that shares the state. It reads commands, one a line, and answers with one line each.

use std::{
    fs::OpenOptions,
    io::Write,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, stdin};
use toolwright::{
    Registry, Role, ScopedToolView, Tool, ToolSpec,
    approval::{ApproverKey, ApproverKeys},
    audit::{AuditError, AuditEvent, AuditSink, What},
    config::Config,
};
use toolwright_state::{Location, State};

/// Reads something.
pub(crate) const READS: &str = "count-depot-items";
/// Changes something, and is on.
pub(crate) const CHANGES: &str = "update-depot-item";
/// Changes something, and is off by default.
pub(crate) const OFF: &str = "archive-depot-item";
/// Waits for a person.
pub(crate) const WAITS: &str = "create-depot-item";

/// Remembers the reason of the last decision only: a test makes many calls.
#[derive(Clone, Default)]
struct LastReason(Arc<Mutex<String>>);

impl AuditSink for LastReason {
    fn record(&self, event: &AuditEvent) -> Result<(), AuditError> {
        if let What::Decision(decision) = &event.what {
            let reason = json!(decision.reason).as_str().unwrap().to_owned();
            *self.0.lock().unwrap() = reason;
        }
        Ok(())
    }
}

/// Runs an instance: its arguments are the place of the state, the approver's folder, the file of
/// effects, and the seconds for which the last known state applies.
pub(crate) async fn run(arguments: Vec<String>) {
    let [place, key, effects, grace] = arguments.try_into().unwrap();
    let location = match place.strip_prefix("file:") {
        Some(file) => Location::sqlite(file),
        None => Location::postgres(place),
    };
    let folder = PathBuf::from(&key);
    let key = ApproverKey::in_folder(&folder).unwrap();
    let state = State::at(location).unwrap();
    let state = state.keys(ApproverKeys::Listed(vec![key.public()]));
    state.open().await.unwrap();
    let grace = Duration::from_secs(grace.parse().unwrap());
    let availability = state.availability(grace).await.unwrap();
    let reason = LastReason::default();
    let registry = Registry::builder()
        .tools(tools(effects.into()))
        .grant("keeper", "*")
        .enable("update-*")
        .enable("create-*")
        .approvals(Arc::new(state.clone()))
        .availability(Arc::clone(&availability))
        .audit(reason.clone())
        .config(config(&folder))
        .build()
        .unwrap();
    tokio::spawn(state.follow(availability, |_| {}));
    let view = registry.for_agent(&Role::new("keeper").unwrap());
    say(&json!("ready"));
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        obey(&view, &reason, &line).await;
    }
}

/// The configuration: if the file `told` exists, a command appends each event of a waiting call to
/// it.
fn config(folder: &Path) -> Config {
    let told = folder.join("told");
    let text = match told.exists() {
        true => {
            let argv = json!(["/bin/sh", "-c", "cat >> \"$0\"", told]);
            format!("[approvals.command]\nargv = {argv}\n")
        }
        false => String::new(),
    };
    Config::parse(&folder.join("toolwright.toml"), &text).unwrap()
}

async fn obey(view: &ScopedToolView, reason: &LastReason, line: &str) {
    let words: Vec<&str> = line.split(' ').collect();
    match words.as_slice() {
        // Calls a tool once.
        ["call", tool, name] => {
            let ended = call(view, tool, name).await;
            let reason = reason.0.lock().unwrap().clone();
            say(&json!({"ended": ended, "reason": reason}));
        }
        // Calls a tool once, through a view that an allow-list narrows to it.
        ["narrow", tool] => {
            let narrowed = view.clone().narrowed_to([*tool]);
            say(&json!({"ended": call(&narrowed, tool, "x").await}));
        }
        // Makes equal calls at once, and counts those that pass.
        ["burst", number, tool, name] => {
            let calls: Vec<_> = (0..number.parse().unwrap())
                .map(|_| {
                    let (view, tool, name) = (view.clone(), (*tool).to_owned(), (*name).to_owned());
                    tokio::spawn(async move { call(&view, &tool, &name).await })
                })
                .collect();
            let mut passed = 0;
            for call in calls {
                passed += u32::from(call.await.unwrap() == "ok");
            }
            say(&json!({"passed": passed}));
        }
        // Calls a tool for ever, and tells each time that calls begin to pass or to be refused.
        ["follow", tool] => {
            let mut last = String::new();
            loop {
                let ended = call(view, tool, "x").await;
                if ended != last {
                    say(&json!({"ended": ended, "at": now()}));
                    last = ended;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        // Calls a tool from many tasks for some milliseconds; tells when the last call began that
        // passed.
        ["load", number, milliseconds, tool] => {
            let until = now() + milliseconds.parse::<u64>().unwrap() * 1000;
            let tasks: Vec<_> = (0..number.parse().unwrap())
                .map(|_| tokio::spawn(load(view.clone(), (*tool).to_owned(), until)))
                .collect();
            let (mut last, mut passed, mut refused) = (0, 0, 0);
            for task in tasks {
                let counted = task.await.unwrap();
                last = last.max(counted.0);
                passed += counted.1;
                refused += counted.2;
            }
            say(&json!({"last": last, "passed": passed, "refused": refused}));
        }
        other => panic!("{other:?}"),
    }
}

async fn load(view: ScopedToolView, tool: String, until: u64) -> (u64, u64, u64) {
    let (mut last, mut passed, mut refused) = (0, 0, 0);
    while now() < until {
        let begun = now();
        if call(&view, &tool, "x").await == "ok" {
            (last, passed) = (begun, passed + 1);
        } else {
            refused += 1;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    (last, passed, refused)
}

/// Calls a tool and returns `ok` or the code of the error.
async fn call(view: &ScopedToolView, tool: &str, name: &str) -> String {
    match view.call_json(tool, json!({"name": name})).await {
        Ok(_) => "ok".to_owned(),
        Err(error) => error.code().to_owned(),
    }
}

/// The time in microseconds, which all processes of the machine share.
pub(crate) fn now() -> u64 {
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    time.unwrap().as_micros().try_into().unwrap()
}

fn say(answer: &Value) {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{answer}").unwrap();
    stdout.flush().unwrap();
}

/// The tools. The one that waits for a person appends a line to a file when it is carried out.
fn tools(effects: PathBuf) -> Vec<Tool> {
    let nothing = |name, kind| Tool::native(spec(name, kind), |_, _| async { Ok(json!(null)) });
    let appends = Tool::native(spec(WAITS, "create"), move |_, arguments: Value| {
        let effects = effects.clone();
        async move {
            let file = OpenOptions::new().append(true).create(true).open(effects);
            writeln!(file.unwrap(), "{}", arguments["name"].as_str().unwrap()).unwrap();
            Ok(json!(null))
        }
    });
    vec![
        nothing(READS, "read"),
        nothing(CHANGES, "update"),
        nothing(OFF, "update"),
        appends,
    ]
}

fn spec(name: &str, effect: &str) -> ToolSpec {
    let reads = effect == "read";
    let record = json!({
        "name": name, "service": "depot", "title": name, "short": "Does it.",
        "description": "Does it.", "section": "Items",
        "category": if reads { "observe" } else { "execute" }, "effect": effect,
        "approval_required": effect == "create",
        "hints": {"readOnlyHint": reads, "destructiveHint": false,
                  "idempotentHint": reads, "openWorldHint": true},
        "enabled_by_default": reads,
        "input_schema": {"type": "object", "properties": {"name": {"type": "string"}}},
        "binding": "native", "origin": {"document": "docs", "pointer": "/"}, "evidence": [],
    });
    serde_json::from_value(record).unwrap()
}
