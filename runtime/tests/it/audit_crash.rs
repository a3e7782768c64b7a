//! The audit of processes that are killed: no acknowledged event is lost, and the chain verifies.

use std::{
    collections::BTreeSet,
    env,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use jiff::Timestamp;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use toolwright::audit::{AuditEvent, AuditFile, AuditMode, AuditOptions, AuditSink};
use toolwright_audit::{
    AuditKey,
    search::{Filter, search},
    segment::{closed, key_path},
    verify::{Request, verify},
};

/// The variable with the file of a child's audit.
const CHILD: &str = "TOOLWRIGHT_AUDIT_CHILD";

/// The variable with the number of kills.
const KILLS: &str = "TOOLWRIGHT_AUDIT_KILLS";

/// The kills of one audit.
const PER_AUDIT: u64 = 25;

/// Small segments, so that files are closed while processes are killed.
fn options(mode: AuditMode) -> AuditOptions {
    let mut options = AuditOptions::default();
    options.mode = mode;
    options.segment_bytes = 12_000;
    options.checkpoint_events = 7;
    options
}

/// Records events in the audit that the variable names, until it is killed.
#[test]
fn child() {
    let Some(path) = env::var_os(CHILD) else {
        return;
    };
    let mode = AuditMode::ALL[std::process::id() as usize % AuditMode::ALL.len()];
    let audit = AuditFile::new(PathBuf::from(path)).options(options(mode));
    thread::scope(|scope| {
        for thread in 0..3 {
            let audit = &audit;
            scope.spawn(move || {
                for number in 0.. {
                    let id = format!("{}-{thread}-{number}", std::process::id());
                    let event = AuditEvent::login_refused(Timestamp::now(), "127.0.0.1", &id, 1);
                    audit.record(&event).unwrap();
                    // One system call, so that no line is written in parts.
                    std::io::stdout()
                        .lock()
                        .write_all(format!("ack {id}\n").as_bytes())
                        .unwrap();
                }
            });
        }
    });
}

/// Starts a child, kills it after a while, and returns the events that it had acknowledged.
fn killed(audit: &Path, random: &mut StdRng) -> Vec<String> {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["audit_crash::child", "--exact", "--nocapture"])
        .env(CHILD, audit)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut acknowledged = Vec::new();
    let mut line = String::new();
    let mut is_over = false;
    let micros = random.random_range(0..12_000);
    let killer = thread::spawn(move || {
        thread::sleep(Duration::from_micros(15_000 + micros));
        child.kill().unwrap();
        child.wait().unwrap();
    });
    while !is_over {
        line.clear();
        is_over = output.read_line(&mut line).unwrap() == 0;
        // A line may begin with the name of the test, and the last one may be incomplete.
        if let Some((_, id)) = line.split_once("ack ")
            && let Some(id) = id.strip_suffix('\n')
        {
            acknowledged.push(id.to_owned());
        }
    }
    killer.join().unwrap();
    acknowledged
}

/// Kills children that write to one audit one after another, and checks it.
fn check(seed: u64, kills: u64) -> (usize, usize) {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit.jsonl");
    let mut random = StdRng::seed_from_u64(seed);
    let mut acknowledged = Vec::new();
    for _ in 0..kills {
        acknowledged.extend(killed(&audit, &mut random));
    }
    // The next process takes over what the last one left.
    let event = AuditEvent::login_refused(Timestamp::now(), "127.0.0.1", "last", 1);
    AuditFile::new(&audit).record(&event).unwrap();
    let key = std::fs::read_to_string(key_path(&audit)).unwrap();
    let key = AuditKey::from_text(key.lines().next().unwrap()).unwrap();
    for secret in [Some(&key), None] {
        let request = Request {
            audit: audit.clone(),
            key: secret,
            trusted: vec![key.public()],
            expected: None,
        };
        let verified = verify(&request).unwrap();
        assert_eq!(verified.findings, [], "{seed}");
    }
    let mut found = BTreeSet::new();
    search(&audit, &Filter::default(), &mut |line, _| {
        let event: serde_json::Value = serde_json::from_str(line)?;
        found.extend(event["reason"].as_str().map(str::to_owned));
        Ok(())
    })
    .unwrap();
    let lost: Vec<_> = acknowledged
        .iter()
        .filter(|id| !found.contains(*id))
        .collect();
    assert!(lost.is_empty(), "{seed}: acknowledged and lost: {lost:?}");
    (acknowledged.len(), closed(&audit).unwrap().len())
}

#[test]
fn killed_processes_lose_no_acknowledged_event() {
    let kills = env::var(KILLS).ok().and_then(|text| text.parse().ok());
    let kills: u64 = kills.unwrap_or(1_000);
    let (mut events, mut segments) = (0, 0);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..4_u64)
            .map(|worker| {
                scope.spawn(move || {
                    let audits = (worker..kills.div_ceil(PER_AUDIT)).step_by(4);
                    let checked = audits.map(|seed| check(seed, PER_AUDIT));
                    checked.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
                })
            })
            .collect();
        for worker in workers {
            let checked = worker.join().unwrap();
            events += checked.0;
            segments += checked.1;
        }
    });
    println!("{kills} kills, {events} acknowledged events, {segments} closed files");
    assert!(events > 100, "{events}");
    assert!(segments > 10, "{segments}");
}
