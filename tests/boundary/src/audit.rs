//! What the audit adds to a call in each mode, next to the bare system calls, and how long a search takes.

use std::{
    fmt::Write as _,
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::{runtime::Runtime, task::JoinSet, time::sleep_until};
use toolwright::{
    Registry, ScopedToolView,
    audit::{AuditFile, AuditMode},
};
use toolwright_audit::{
    AuditKey, Hash, line,
    pack::{pack, remove_plain},
    search::{Filter, search},
    segment::{Segment, plain_path},
};

use crate::workload::{Discard, EVERYTHING, builder, name, native, native_policy, spec, view};

const PAGE: &str = include_str!("report/audit.md");

/// The calls of one measurement, one after another.
const CALLS: usize = 20_000;

/// The time between two calls at 10,000 events a second, with two events a call.
const INTERVAL: Duration = Duration::from_micros(200);

/// The paced calls of one measurement: four seconds.
const PACED: usize = 20_000;

/// The length of a line, in bytes.
const LINE: usize = 700;

/// The events that are searched.
const EVENTS: u64 = 1_000_000;

/// The events of a run.
const RUN: u64 = 100;

/// The events of a segment.
const SEGMENT: u64 = 100_000;

/// The limit of both events of a call in `buffered` mode, in microseconds.
const MOST_BUFFERED: f64 = 30.0;

/// The name of the measurement without an audit.
const WITHOUT: &str = "none";

/// The limit of a search by run, in milliseconds.
const MOST_SEARCH: f64 = 100.0;

/// The figures, in microseconds unless the name says otherwise.
#[derive(Debug, Default, Serialize, Deserialize)]
struct AuditFigures {
    write: f64,
    fdatasync: f64,
    without: f64,
    buffered: f64,
    modes: Vec<ModeFigures>,
    search_ms: f64,
    search_found: usize,
    build_index_ms: f64,
}

impl AuditFigures {
    /// Returns what a call adds in a mode if as many as possible are made at once.
    fn added_saturated(&self, mode: AuditMode) -> f64 {
        let of = |name: &str| {
            let mut modes = self.modes.iter();
            let mode = modes.find(|mode| mode.mode == name);
            mode.map_or(f64::MAX, |mode| mode.saturated)
        };
        of(mode.word()) - of(WITHOUT)
    }
}

/// Calls at 10,000 events a second.
#[derive(Debug, Serialize, Deserialize)]
struct ModeFigures {
    mode: String,
    /// The events in a second that were reached.
    events: f64,
    median: f64,
    p99: f64,
    /// The wall time of one call if as many as possible are made at once.
    saturated: f64,
}

/// Measures, and writes the data file and the page. Fails if a figure misses its limit.
pub(crate) fn run(data: &Path, folder: &Path, place: &Path) -> Result<(), String> {
    fs::create_dir_all(place).map_err(text)?;
    let measured = measure(place);
    let _ = fs::remove_dir_all(place);
    let figures = measured?;
    let encoded = serde_json::to_string_pretty(&figures).map_err(text)?;
    fs::write(data, format!("{encoded}\n")).map_err(text)?;
    fs::write(folder.join("audit-speed.md"), page(&figures)).map_err(text)?;
    let mut missed = String::new();
    let added = figures.buffered - figures.without;
    if added > MOST_BUFFERED {
        let _ = writeln!(missed, "both events of a call add {added:.1} µs");
    }
    let durable = figures.added_saturated(AuditMode::Durable);
    if durable > figures.fdatasync {
        let _ = writeln!(missed, "in `durable` mode, a call adds {durable:.1} µs");
    }
    if figures.search_ms > MOST_SEARCH {
        let _ = writeln!(missed, "a search by run takes {:.1} ms", figures.search_ms);
    }
    if missed.is_empty() {
        Ok(())
    } else {
        Err(missed)
    }
}

fn text(error: impl ToString) -> String {
    error.to_string()
}

fn measure(place: &Path) -> Result<AuditFigures, String> {
    let runtime = Runtime::new().map_err(text)?;
    let (write, fdatasync) = floor(place)?;
    let without = runtime.block_on(one_by_one(&without_audit()?))?;
    let buffered = runtime.block_on(one_by_one(&audited(place, AuditMode::Buffered)?))?;
    let mut modes = vec![paced(&runtime, WITHOUT, &without_audit()?)?];
    for mode in AuditMode::ALL {
        modes.push(paced(&runtime, mode.word(), &audited(place, *mode)?)?);
    }
    let (search_ms, search_found, build_index_ms) = searched(place)?;
    Ok(AuditFigures {
        write,
        fdatasync,
        without,
        buffered,
        modes,
        search_ms,
        search_found,
        build_index_ms,
    })
}

/// Returns the medians of a bare `write` of a line, and of one with `fdatasync`.
fn floor(place: &Path) -> Result<(f64, f64), String> {
    let mut file = File::create(place.join("floor")).map_err(text)?;
    let line = [b'x'; LINE];
    let mut times = [Vec::new(), Vec::new()];
    for (times, (number, syncs)) in times.iter_mut().zip([(CALLS, false), (500, true)]) {
        for _ in 0..number {
            let begun = Instant::now();
            file.write_all(&line).map_err(text)?;
            if syncs {
                file.sync_data().map_err(text)?;
            }
            times.push(begun.elapsed());
        }
    }
    let [mut write, mut synced] = times;
    Ok((quantile(&mut write, 0.5), quantile(&mut synced, 0.5)))
}

fn registry() -> Result<toolwright::RegistryBuilder, String> {
    Ok(builder(native_policy(1, 1)?).tool(native(spec(0, "http://127.0.0.1:9")?)))
}

fn without_audit() -> Result<Registry, String> {
    registry()?.audit(Discard).build().map_err(text)
}

fn audited(place: &Path, mode: AuditMode) -> Result<Registry, String> {
    let file = place.join(format!("audit-in-{mode}.jsonl"));
    let _ = fs::remove_file(&file);
    registry()?
        .audit(AuditFile::new(file).mode(mode))
        .build()
        .map_err(text)
}

async fn call(view: &ScopedToolView) -> Result<(), String> {
    let called = view.call_json(&name(0), json!({"id": "42"})).await;
    called.map(drop).map_err(text)
}

/// Returns the median of calls, one after another.
async fn one_by_one(registry: &Registry) -> Result<f64, String> {
    let view = view(registry, EVERYTHING)?;
    let mut times = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let begun = Instant::now();
        call(&view).await?;
        times.push(begun.elapsed());
    }
    Ok(quantile(&mut times, 0.5))
}

/// Measures calls that begin at 10,000 events a second, and as many as possible at once.
fn paced(runtime: &Runtime, mode: &str, registry: &Registry) -> Result<ModeFigures, String> {
    let view = Arc::new(view(registry, EVERYTHING)?);
    let begun = Instant::now();
    let mut times = runtime.block_on(async {
        let mut calls = JoinSet::new();
        let first = tokio::time::Instant::now();
        for number in 0..PACED {
            let due = first + INTERVAL * u32::try_from(number).unwrap_or(u32::MAX);
            if due > tokio::time::Instant::now() {
                sleep_until(due).await;
            }
            let view = Arc::clone(&view);
            calls.spawn(async move {
                let begun = Instant::now();
                call(&view).await.map(|()| begun.elapsed())
            });
        }
        let mut times = Vec::with_capacity(PACED);
        while let Some(time) = calls.join_next().await {
            times.push(time.map_err(text)??);
        }
        Ok::<_, String>(times)
    })?;
    let events = 2.0 * PACED as f64 / begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    runtime.block_on(async {
        let mut calls = JoinSet::new();
        for _ in 0..256 {
            let view = Arc::clone(&view);
            calls.spawn(async move {
                for _ in 0..CALLS / 256 {
                    call(&view).await?;
                }
                Ok::<_, String>(())
            });
        }
        while let Some(done) = calls.join_next().await {
            done.map_err(text)??;
        }
        Ok::<_, String>(())
    })?;
    let calls = (CALLS / 256 * 256) as f64;
    Ok(ModeFigures {
        mode: mode.to_owned(),
        events,
        median: quantile(&mut times, 0.5),
        p99: quantile(&mut times, 0.99),
        saturated: begun.elapsed().as_secs_f64() * 1e6 / calls,
    })
}

/// Searches a million events by a run. Returns the median in milliseconds, the number of events, and
/// the time of the first search, which builds the indexes.
fn searched(place: &Path) -> Result<(f64, usize, f64), String> {
    let audit = million(place)?;
    for segment in toolwright_audit::segment::closed(&audit).map_err(text)? {
        let _ = fs::remove_file(toolwright_audit::segment::index_path(
            &audit,
            segment.number,
        ));
    }
    let mut found = 0;
    let mut find = |run: u64| {
        let filter = Filter {
            run: Some(format!("run-{run}")),
            ..Filter::default()
        };
        found = 0;
        let begun = Instant::now();
        search(&audit, &filter, &mut |_, _| {
            found += 1;
            Ok(())
        })
        .map_err(text)?;
        Ok::<_, String>(begun.elapsed())
    };
    let first = find(1)?;
    let mut times = Vec::new();
    for number in 0..50 {
        times.push(find(number * (EVENTS / RUN / 50))?);
    }
    Ok((
        quantile(&mut times, 0.5) / 1000.0,
        found,
        first.as_secs_f64() * 1000.0,
    ))
}

/// Writes an audit of a million events. Twenty runs take place at the same time.
fn million(place: &Path) -> Result<PathBuf, String> {
    let audit = place.join("million.jsonl");
    let key = AuditKey::from_text(&"5e".repeat(32)).map_err(text)?;
    let mut hash = Hash::GENESIS;
    let mut lines = Vec::new();
    for seq in 1..=EVENTS {
        let run = seq / (20 * RUN) * 20 + seq % 20;
        let event = format!(
            "{{\"v\":3,\"time\":\"2026-11-25T16:{:02}:00Z\",\"event\":\"decision\",\"decision\":\"allow\",\"reason\":\"granted\",\
             \"correlation_id\":\"{seq:08x}-0000-4000-8000-000000000000\",\"role\":\"role-{}\",\"tool\":\"get-s{}-item\",\
             \"category\":\"observe\",\"effect\":\"read\",\"kind\":\"raw\",\"argument_names\":[\"id\"],\"run\":\"run-{run}\"}}",
            seq / 20_000,
            seq % 7,
            seq % 50,
        );
        hash = line::seal(&mut lines, &key, seq, &hash, &event);
        lines.push(b'\n');
        if seq % SEGMENT == 0 {
            let number = seq / SEGMENT;
            let path = plain_path(&audit, number);
            if number == EVENTS / SEGMENT {
                fs::write(&audit, &lines).map_err(text)?;
            } else {
                fs::write(&path, &lines).map_err(text)?;
                let segment = Segment {
                    number,
                    path,
                    packed: false,
                };
                pack(&audit, &segment).map_err(text)?;
                remove_plain(&segment).map_err(text)?;
            }
            lines.clear();
        }
    }
    Ok(audit)
}

/// Returns a quantile in microseconds.
fn quantile(times: &mut [Duration], share: f64) -> f64 {
    times.sort_unstable();
    let place = (times.len() as f64 * share) as usize;
    times
        .get(place)
        .map_or(0.0, |time| time.as_secs_f64() * 1e6)
}

fn page(figures: &AuditFigures) -> String {
    let mut page = PAGE.to_owned();
    let mut line = |text: String| {
        page.push_str(&text);
        page.push('\n');
    };
    let AuditFigures {
        write,
        fdatasync,
        without,
        buffered,
        ..
    } = figures;
    line("| one call after another, median | time |\n|---|--:|".to_owned());
    line(format!("| a bare `write` of a line | {write:.1} µs |"));
    line(format!(
        "| a bare `write` and `fdatasync` | {fdatasync:.1} µs |"
    ));
    line(format!("| a call without an audit | {without:.1} µs |"));
    line(format!("| a call in `buffered` mode | {buffered:.1} µs |"));
    let added = buffered - without;
    line(format!(
        "| **both events, `buffered`** (limit: {MOST_BUFFERED} µs) | {added:.1} µs |"
    ));
    let durable = figures.added_saturated(AuditMode::Durable);
    line(format!(
        "| **both events, `durable`, of 256 callers at once** (limit: the `fdatasync`) | {durable:.1} µs |"
    ));
    line("\n## At 10,000 events a second\n".to_owned());
    line("Calls begin every 200 µs, whether or not the ones before have ended. *Added* is the difference to calls without an audit.\nIn the last column, 256 callers call at once: the time is that of all calls, divided by their number. In `durable` mode, a single call waits\nfor the rest of the wait of others and for its own, so its median depends on the disk.\n".to_owned());
    line("| mode | events a second | median | added | 99th percentile | saturated, per call |\n|---|--:|--:|--:|--:|--:|".to_owned());
    let base = figures.modes.first().map_or(0.0, |mode| mode.median);
    for mode in &figures.modes {
        line(format!(
            "| `{}` | {:.0} | {:.1} µs | {:.1} µs | {:.1} µs | {:.1} µs |",
            mode.mode,
            mode.events,
            mode.median,
            mode.median - base,
            mode.p99,
            mode.saturated
        ));
    }
    line("\n## Searching\n".to_owned());
    line(format!(
        "A search by run among {EVENTS} events, of which {} match, takes {:.1} ms (limit: {MOST_SEARCH} ms). The first search after the\nindexes were deleted takes {:.0} ms, since it builds them.",
        figures.search_found, figures.search_ms, figures.build_index_ms
    ));
    page
}
