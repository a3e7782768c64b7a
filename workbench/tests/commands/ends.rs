//! The end of a command: by itself, at a limit, by its caller.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::json;
use tokio::time::{sleep, timeout};
use toolwright_test_trials::sleeping;

use crate::folder::{Folder, code};

const SCOPE: &str = r#"
allowed_commands = ["sh = sh -c <script:text>"]
max_execution_time_seconds = "20"
writable_folders = "out"
max_output_bytes = "100000"
max_processes = "16"
max_memory_bytes = "50000000"
max_written_bytes = "20000000"
"#;

fn folder() -> Folder {
    Folder::new(&[("out/file", "")])
}

fn script(script: &str) -> serde_json::Value {
    json!({"command": "sh", "values": {"script": script}})
}

pub(crate) async fn a_failure_is_a_result() {
    let folder = folder();
    let view = folder.view(&["run-shell-command"], SCOPE);
    let result = view
        .call("run-shell-command", script("echo a; echo b >&2; exit 3"))
        .await
        .unwrap();
    assert_eq!(result["exit_code"], 3);
    assert_eq!(
        (&result["stdout"], &result["stderr"]),
        (&json!("a\n"), &json!("b\n"))
    );
    assert_eq!(result["success"], false);
    let result = view
        .call("run-shell-command", script("kill -9 $$"))
        .await
        .unwrap();
    assert_eq!(result["signal"], 9);
}

pub(crate) async fn limits_end_a_command() {
    let folder = folder();
    let limits = [
        ("time", "max_execution_time_seconds = \"1\"", "sleep 30"),
        ("output", "", "yes"),
        (
            "processes",
            "",
            "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 9 & done; wait",
        ),
    ];
    for (limit, scope, text) in limits {
        let scope = match scope {
            "" => SCOPE.to_owned(),
            scope => SCOPE.replace("max_execution_time_seconds = \"20\"", scope),
        };
        let view = folder.view(&["run-shell-command"], &scope);
        let ended = view.call("run-shell-command", script(text)).await;
        let message = ended
            .as_ref()
            .err()
            .map(ToString::to_string)
            .unwrap_or_default();
        assert!(
            message.contains(&format!("limit of {limit}")),
            "{limit}: {ended:?}"
        );
        assert_eq!(code(ended), "command_limit_exceeded");
    }
}

pub(crate) async fn a_cancelled_command_is_gone() {
    let folder = folder();
    let view = folder.view(&["run-shell-command"], SCOPE);
    let text = "(setsid sleep 4711.25 &) ; touch out/started; sleep 4711.25";
    let call = view.call("run-shell-command", script(text));
    let started = async {
        while !folder.path("out/started").exists() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        ended = call => panic!("it ended: {ended:?}"),
        started = timeout(Duration::from_secs(20), started) => started.unwrap(),
    }
    let gone = async {
        while sleeping("4711.25").unwrap() > 0 {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(Duration::from_secs(20), gone).await.unwrap();
}

pub(crate) async fn output_is_reported() {
    let folder = folder();
    let view = folder.view(&["run-shell-command"], SCOPE);
    let reports = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&reports);
    let reporting = view
        .view()
        .clone()
        .reporting_to(move |progress| kept.lock().unwrap().push(progress.to_string()));
    let text = "for i in 1 2 3; do echo line $i; sleep 0.4; done";
    reporting
        .call_json("run-shell-command", script(text))
        .await
        .unwrap();
    let reports = reports.lock().unwrap().join("\n");
    assert!(reports.contains("line 2"), "{reports:?}");
}
