//! Several processes on one PostgreSQL: requests for approval, and how fast a switch reaches them.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use jiff::Timestamp;
use serde_json::json;
use toolwright::{
    ToolName,
    availability::{GRACE, Override},
    eab::RunContext,
};
use toolwright_state::{Location, State, testing::TestPlace};

use crate::{
    figures::{Instances, Times},
    workload,
};

const PROCESSES: usize = 8;

/// The requests for approval of each process.
const REQUESTS: usize = 300;

/// The switches that are measured.
const SWITCHES: usize = 50;

/// The work of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Work {
    /// Make calls that wait for a person
    Requests,
    /// Print the time of each switch that arrives
    Switches,
}

pub(crate) fn measure() -> Result<Option<Instances>, String> {
    let runtime = workload::runtime()?;
    let Some(place) = runtime.block_on(TestPlace::postgres()) else {
        println!("skipped: there is no PostgreSQL");
        return Ok(None);
    };
    let Location::Postgres { url, .. } = &place.location else {
        return Err("the place is not a PostgreSQL database".to_owned());
    };
    let state = State::at(place.location.clone()).map_err(|error| error.to_string())?;
    runtime
        .block_on(state.open())
        .map_err(|error| error.to_string())?;
    let alone_per_second = requests(url, 1)?;
    let requests_per_second = requests(url, PROCESSES)?;
    let propagation_ms = runtime.block_on(switches(url, &state))?;
    let instances = Instances {
        processes: PROCESSES,
        requests_per_second,
        alone_per_second,
        propagation_ms,
    };
    println!("{instances:?}");
    Ok(Some(instances))
}

fn start(url: &str, work: &str, number: usize) -> Result<Child, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    Command::new(program)
        .args(["instance", url, work, &number.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())
}

fn lines(child: &mut Child) -> Result<impl Iterator<Item = String> + use<>, String> {
    let output = child.stdout.take().ok_or("no output")?;
    Ok(BufReader::new(output).lines().map_while(Result::ok))
}

/// Returns the requests for approval that some processes leave each second.
fn requests(url: &str, processes: usize) -> Result<f64, String> {
    let mut rates = 0.0;
    let children: Result<Vec<_>, _> = (0..processes)
        .map(|_| start(url, "requests", REQUESTS))
        .collect();
    for mut child in children? {
        let mut lines = lines(&mut child)?;
        let line = lines.next().ok_or("an instance printed nothing")?;
        let rate: f64 = line.parse().map_err(|_| line)?;
        rates += rate;
        child.wait().map_err(|error| error.to_string())?;
    }
    Ok(rates)
}

/// Returns the times from a switch to its publication in each process.
async fn switches(url: &str, state: &State) -> Result<Times, String> {
    let children: Result<Vec<_>, _> = (0..PROCESSES)
        .map(|_| start(url, "switches", SWITCHES))
        .collect();
    let mut readers = Vec::new();
    let mut children = children?;
    for child in &mut children {
        let mut lines = lines(child)?;
        let ready = lines.next();
        if ready.as_deref() != Some("ready") {
            return Err(format!("an instance did not start: {ready:?}"));
        }
        readers.push(lines);
    }
    let tool: ToolName = workload::name(0).parse().map_err(|_| "not a name")?;
    let mut times = Vec::new();
    for number in 0..SWITCHES {
        let entry = Override::new(number % 2 == 0, "ann", "measured", Timestamp::now());
        let entry = entry.map_err(|error| error.to_string())?;
        let begun = since_epoch()?;
        state
            .switch(&tool, &entry)
            .await
            .map_err(|error| error.to_string())?;
        for lines in &mut readers {
            let line = lines.next().ok_or("an instance ended")?;
            let seen: u64 = line.parse().map_err(|_| line)?;
            times.push(Duration::from_nanos(seen).saturating_sub(begun));
        }
    }
    for mut child in children {
        child.wait().map_err(|error| error.to_string())?;
    }
    let micros = Times::of(times);
    Ok(Times {
        median: micros.median / 1e3,
        p99: micros.p99 / 1e3,
    })
}

fn since_epoch() -> Result<Duration, String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_err(|error| error.to_string())
}

pub(crate) fn work(url: &str, work: Work, number: usize) -> Result<(), String> {
    workload::runtime()?.block_on(async {
        let state = State::at(Location::postgres(url)).map_err(|error| error.to_string())?;
        state.open().await.map_err(|error| error.to_string())?;
        match work {
            Work::Requests => make_requests(state, number).await,
            Work::Switches => print_switches(state, number).await,
        }
    })
}

async fn make_requests(state: State, number: usize) -> Result<(), String> {
    let mut spec = workload::spec(0, "http://127.0.0.1")?;
    spec.approval_required = true;
    let config = workload::native_policy(1, 1)?;
    let registry = workload::builder(config)
        .tool(workload::native(spec))
        .approvals(Arc::new(state))
        .build()
        .map_err(|error| error.to_string())?;
    let view = workload::view(&registry, workload::EVERYTHING)?;
    let begun = Instant::now();
    for at in 0..number {
        let run = RunContext {
            run: Some(format!("{}-{at}", std::process::id())),
            ..RunContext::default()
        };
        let view = view.clone().in_run(run);
        let called = view
            .call_json(&workload::name(0), json!({"id": "item-7"}))
            .await;
        match called {
            Err(error) if error.code() == "approval_required" => {}
            other => return Err(format!("{other:?}")),
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    let calls = u32::try_from(number).map_err(|error| error.to_string())?;
    println!("{}", f64::from(calls) / seconds);
    Ok(())
}

async fn print_switches(state: State, number: usize) -> Result<(), String> {
    let availability = state.availability(GRACE).await;
    let availability = availability.map_err(|error| error.to_string())?;
    let mut changes = availability.changes();
    changes.mark_unchanged();
    tokio::spawn(state.follow(Arc::clone(&availability), |_| {}));
    // The listener must be connected before the first switch.
    tokio::time::sleep(Duration::from_millis(500)).await;
    println!("ready");
    for _ in 0..number {
        changes.changed().await.map_err(|error| error.to_string())?;
        println!("{}", since_epoch()?.as_nanos());
    }
    Ok(())
}
