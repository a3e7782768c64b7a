//! Tests the generator on vendors' documents: documents, operations, crates, types, examples,
//! requests, names, schemas, determinism and drift, each with an independent check.
//!
//! `cargo test -p toolwright-tests --test corpus` runs all checks except the slow ones and prints a
//! table. After `--`, the name of a check runs that check alone (`crates` compiles the crates of
//! all documents). Any other word selects the documents whose path contains it.
#![cfg(test)]

mod accounted;
mod crates;
mod determinism;
mod documents;
mod drift;
mod examples;
mod findings;
mod formats;
mod layout;
mod names;
mod nodes;
mod projections;
mod requests;
mod schemas;
mod typed;
mod types;
mod values;
mod walk;

use std::{
    cmp::Reverse,
    env, panic,
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use documents::Subject;
use findings::Findings;
use toolwright_tests::shared;

// The generator allocates many small strings.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A property of all documents.
struct Check {
    /// The name on the command line.
    name: &'static str,
    /// The description.
    description: &'static str,
    /// The least share of cases that must pass. It is the share reached so far if that is below the
    /// aim.
    least: f64,
    /// The aim for the share of passed cases.
    aim: f64,
    /// True if the check is slow and runs only by name.
    costly: bool,
    /// Checks one document.
    each: Option<fn(&Subject) -> Findings>,
    /// Checks all documents together, after `each`.
    all: Option<fn(&[PathBuf]) -> Findings>,
}

const CHECKS: &[Check] = &[
    Check {
        name: "documents",
        description: "an OpenAPI document generates, any other is rejected with an error",
        least: 1.0,
        aim: 1.0,
        costly: false,
        each: Some(accounted::document),
        all: None,
    },
    Check {
        name: "operations",
        description: "an operation becomes a tool, or a diagnostic points at it",
        least: 1.0,
        aim: 1.0,
        costly: false,
        each: Some(accounted::operations),
        all: None,
    },
    Check {
        name: "crates",
        description: "a crate compiles and documents without a warning",
        least: 1.0,
        aim: 1.0,
        costly: true,
        each: Some(crates::write),
        all: Some(crates::compile),
    },
    Check {
        name: "layout",
        description: "an emitted file has the layout of prettyplease",
        least: 1.0,
        aim: 1.0,
        costly: true,
        each: Some(layout::check),
        all: None,
    },
    Check {
        name: "typed",
        description: "an operation is read as `openapiv3` reads it",
        least: 1.0,
        aim: 1.0,
        costly: false,
        each: Some(typed::compare),
        all: Some(typed::known_differences_occur),
    },
    Check {
        name: "types",
        description: "a schema node with structure has a type with the same structure",
        least: 0.98,
        aim: 0.98,
        costly: false,
        each: Some(types::check),
        all: None,
    },
    Check {
        name: "examples",
        description: "a document's examples are decoded and encoded without loss",
        least: 1.0,
        aim: 1.0,
        costly: true,
        each: Some(examples::collect),
        all: Some(examples::check),
    },
    Check {
        name: "requests",
        description: "a request is valid by the vendor's document or has a reviewed exception",
        least: 0.995,
        aim: 0.995,
        costly: false,
        each: Some(requests::check),
        all: Some(requests::report),
    },
    Check {
        name: "names",
        description: "a tool has a unique name that follows the rules",
        least: 1.0,
        aim: 1.0,
        costly: false,
        each: Some(names::check),
        all: None,
    },
    Check {
        name: "values",
        description: "a tool's schemas are bundles, and a made value conforms to them",
        least: 0.99,
        aim: 0.99,
        costly: true,
        each: Some(values::check),
        all: None,
    },
    Check {
        name: "schemas",
        description: "a tool's schemas are self-contained, valid and complete",
        least: 1.0,
        aim: 1.0,
        costly: false,
        each: Some(schemas::check),
        all: None,
    },
    Check {
        name: "projections",
        description: "a projected result fits the schema of a tool that returns a part",
        least: 1.0,
        aim: 1.0,
        costly: true,
        each: Some(projections::check),
        all: None,
    },
    Check {
        name: "formats",
        description: "a provider's format follows its published rules and accepts no more than the tool",
        least: 1.0,
        aim: 1.0,
        costly: true,
        each: Some(formats::check),
        all: Some(formats::report),
    },
    Check {
        name: "determinism",
        description: "another process, order, time zone and locale produce the same bytes",
        least: 1.0,
        aim: 1.0,
        costly: true,
        each: Some(determinism::record),
        all: Some(determinism::compare),
    },
    Check {
        name: "drift",
        description: "a document equals itself, and changes between two versions are reported",
        least: 1.0,
        aim: 1.0,
        costly: false,
        each: Some(drift::compare_with_itself),
        all: Some(drift::compare_versions),
    },
];

fn main() -> ExitCode {
    if let Some(ended) = crates::rustdoc() {
        return ended;
    }
    if determinism::is_second_run() {
        return ExitCode::SUCCESS;
    }
    let Some(mut documents) = shared::documents() else {
        return ExitCode::SUCCESS;
    };
    // Ignores flags of the standard test harness.
    let words: Vec<String> = env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let (chosen, parts): (Vec<String>, Vec<String>) = words
        .into_iter()
        .partition(|word| CHECKS.iter().any(|check| check.name == word));
    let checks: Vec<&Check> = CHECKS
        .iter()
        .filter(|check| match chosen.as_slice() {
            [] => !check.costly,
            words => words.iter().any(|word| check.name == word),
        })
        .collect();
    documents.retain(|path| {
        let path = path.to_string_lossy();
        parts.is_empty() || parts.iter().any(|part| path.contains(part.as_str()))
    });
    let started = Instant::now();
    let findings = run_checks(&checks, &documents);
    let hold = print(&checks, &findings);
    println!(
        "{} documents in {:.0} seconds",
        documents.len(),
        started.elapsed().as_secs_f64()
    );
    if hold {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs the checks and returns their results.
fn run_checks(checks: &[&Check], documents: &[PathBuf]) -> Vec<Findings> {
    let mut findings: Vec<Findings> = Vec::new();
    findings.resize_with(checks.len(), Findings::default);
    if checks.iter().any(|check| check.each.is_some()) {
        for of_document in check_each(checks, documents) {
            for (all, one) in findings.iter_mut().zip(of_document) {
                all.add(one);
            }
        }
    }
    for (check, findings) in checks.iter().zip(&mut findings) {
        if let Some(judge) = check.all {
            findings.add(judge(documents));
        }
    }
    findings
}

/// Runs the checks of single documents. Returns the results in the order of the documents. Each
/// thread holds one document in memory.
fn check_each(checks: &[&Check], documents: &[PathBuf]) -> Vec<Vec<Findings>> {
    let order = largest_first(documents);
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads.min(4) {
            scope.spawn(|| {
                while let Some(&index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let findings = check_document(checks, &documents[index]);
                    found.lock().unwrap().push((index, findings));
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort_by_key(|(index, _)| *index);
    found.into_iter().map(|(_, findings)| findings).collect()
}

/// Returns the indices of the documents, the largest document first, so that the threads end at about the
/// same time.
fn largest_first(documents: &[PathBuf]) -> Vec<usize> {
    let size = |path: &PathBuf| path.metadata().map_or(0, |metadata| metadata.len());
    let mut order: Vec<usize> = (0..documents.len()).collect();
    order.sort_by_cached_key(|&index| Reverse(size(&documents[index])));
    order
}

fn check_document(checks: &[&Check], path: &Path) -> Vec<Findings> {
    let subject = Subject::read(path);
    let judged = checks.iter().map(|check| match check.each {
        None => Findings::default(),
        Some(judge) => {
            let judged = panic::catch_unwind(AssertUnwindSafe(|| judge(&subject)));
            judged.unwrap_or_else(|_| {
                let mut findings = Findings::default();
                findings.fail(&subject.name, "the check panicked");
                findings
            })
        }
    });
    judged.collect()
}

/// Prints the exceptions and the table. Returns true if every check passed.
fn print(checks: &[&Check], findings: &[Findings]) -> bool {
    for (check, findings) in checks.iter().zip(findings) {
        let details = findings.details();
        if !details.is_empty() {
            println!("\n{}: {}\n{details}", check.name, check.description);
        }
    }
    println!(
        "\n{:<12} {:>8} {:>8} {:>9} {:>8} {:>8}",
        "check", "cases", "passed", "share", "needed", "aim"
    );
    let mut all = true;
    for (check, findings) in checks.iter().zip(findings) {
        let holds = findings.share() >= check.least && !findings.has_unexplained();
        all &= holds;
        println!(
            "{:<12} {:>8} {:>8} {:>8.2}% {:>7.1}% {:>7.1}%  {}",
            check.name,
            findings.judged,
            findings.held,
            findings.share() * 100.0,
            check.least * 100.0,
            check.aim * 100.0,
            if holds { "passes" } else { "FAILS" },
        );
    }
    all
}
