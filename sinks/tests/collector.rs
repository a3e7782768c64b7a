//! Sends the audit and the metrics to a real collector of OpenTelemetry: rotel, from PyPI.
//!
//! With `TOOLWRIGHT_REAL=1`, it is installed below `REAL` (`target/real`). Without it, the test uses one
//! that is installed already, or is skipped with a message.
#![cfg(test)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use jiff::Timestamp;
use tokio::time::sleep;
use toolwright::{
    Registry, Role,
    audit::{AuditEvent, AuditSink as _},
    config::Config,
};
use toolwright_sinks::metrics::Family;

/// The version that is installed.
const ROTEL: &str = "rotel==0.0.1a15";

/// A collector, which ends when this is dropped.
struct Collector(Child);

impl Drop for Collector {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the program of the collector. None, with a message, if it is absent.
fn program() -> Option<PathBuf> {
    let folder = std::env::var_os("REAL").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/real"),
        PathBuf::from,
    );
    let folder = folder.join("rotel");
    let program = folder.join("rotel/rotel-agent");
    if !program.exists() && std::env::var_os("TOOLWRIGHT_REAL").is_some() {
        let mut pip = Command::new("pip");
        pip.args(["install", "--quiet", "--no-deps", "--target"]);
        let installed = pip.arg(&folder).arg(ROTEL).status();
        assert!(installed.unwrap().success(), "cannot install {ROTEL}");
    }
    if !program.exists() {
        eprintln!("skipped: the test with a collector: set TOOLWRIGHT_REAL=1 to install {ROTEL}");
        return None;
    }
    Some(program)
}

/// Returns a port that is free.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Starts a collector that prints what it receives to a file.
fn start(program: &Path, folder: &Path, port: u16) -> Collector {
    let output = fs::File::create(folder.join("collector.log")).unwrap();
    let child = Command::new(program)
        .args(["start", "--exporter", "blackhole"])
        .args(["--otlp-http-endpoint", &format!("127.0.0.1:{port}")])
        .args([
            "--otlp-grpc-endpoint",
            &format!("127.0.0.1:{}", free_port()),
        ])
        .args([
            "--debug-log",
            "logs",
            "--debug-log",
            "traces",
            "--debug-log",
            "metrics",
        ])
        .args(["--debug-log-verbosity", "detailed"])
        .args(["--pid-file", &folder.join("pid").display().to_string()])
        .stdout(output.try_clone().unwrap())
        .stderr(output)
        .stdin(Stdio::null())
        .spawn();
    Collector(child.unwrap())
}

/// Waits until the collector has printed all of these.
async fn printed(folder: &Path, expected: &[&str]) {
    let begun = Instant::now();
    loop {
        let text = fs::read_to_string(folder.join("collector.log")).unwrap();
        let Some(missing) = expected.iter().find(|word| !text.contains(**word)) else {
            return;
        };
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{missing}\n{text}"
        );
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_collector_takes_log_records_spans_and_metrics() {
    let Some(program) = program() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let path = folder.path().join("toolwright.toml");
    let text = format!(
        "[audit]\nfile = \"audit.jsonl\"\n[audit.otlp]\nurl = \"http://127.0.0.1:{port}\"\n"
    );
    fs::write(&path, text).unwrap();
    let config = Config::read(&path).unwrap().audit;
    let audit = config.open();
    let record = |count: u64| {
        for _ in 0..count {
            let event =
                AuditEvent::login_refused(Timestamp::now(), "127.0.0.1", "a-wrong-token", 1);
            audit.record(&event).unwrap();
        }
    };
    record(2);
    let forwarder = toolwright_sinks::forwarders(&config).unwrap().remove(0);
    let status = forwarder.status();
    let running = tokio::spawn(forwarder.run());
    // The collector is away at first.
    sleep(Duration::from_secs(1)).await;
    assert!(status.borrow().error.is_some());
    let _collector = start(&program, folder.path(), port);
    printed(
        folder.path(),
        &[
            "toolwright.reason",
            "a-wrong-token",
            "log.record.uid",
            "service.instance.id",
        ],
    )
    .await;
    record(1);
    let begun = Instant::now();
    while config.options.spools[0].waiting(&config.file).unwrap() > 0 {
        assert!(begun.elapsed() < Duration::from_secs(20));
        sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(status.borrow().delivered, 3);
    let family = Family::value("toolwright_approvals_waiting", "Calls that wait.", 3);
    // A call is a span, also one that was refused.
    let registry = Registry::builder().role("reader").audit(config.open());
    let view = registry
        .build()
        .unwrap()
        .for_agent(&Role::new("reader").unwrap());
    let arguments = serde_json::Value::Null;
    view.call_json("count-nothing", arguments)
        .await
        .unwrap_err();
    printed(
        folder.path(),
        &[
            "execute_tool count-nothing",
            "gen_ai.tool.name",
            "unknown_tool",
        ],
    )
    .await;
    let metrics = toolwright_sinks::OtlpMetrics::new(&config.sinks[0], 1).unwrap();
    metrics.push(&[family]).await.unwrap();
    printed(folder.path(), &["toolwright_approvals_waiting"]).await;
    running.abort();
}
