//! What vendors publish, judged as a whole: documents, operations, crates, types, examples,
//! requests, names, schemas and determinism, each by a judge that is not the generator.
//!
//! `cargo test -p toolwright-tests --test corpus` judges all but what takes long and prints a
//! table. Behind `--`, a word of the table judges that sentence alone (`crates` compiles the crates
//! of all documents), and any other word the documents that have it in their path.
#![cfg(test)]

mod accounted;
mod crates;
mod determinism;
mod documents;
mod drift;
mod examples;
mod findings;
mod names;
mod nodes;
mod requests;
mod schemas;
mod types;
mod walk;

use std::{
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

/// Something that has to be true of all documents.
struct Sentence {
    /// The word by which it is asked for.
    word: &'static str,
    /// What has to be true.
    says: &'static str,
    /// The least share of things of which it has to be true: what was reached, where that is less
    /// than what is aimed at, so that no change makes it worse.
    least: f64,
    /// The share that is aimed at.
    aim: f64,
    /// Whether it is judged only when it is asked for by its word, since it takes long.
    costly: bool,
    /// Judges one document.
    each: Option<fn(&Subject) -> Findings>,
    /// Judges all documents at once, after each of them.
    all: Option<fn(&[PathBuf]) -> Findings>,
}

const SENTENCES: &[Sentence] = &[
    Sentence {
        word: "documents",
        says: "a document that says it is OpenAPI generates, another is refused with an error",
        least: 1.0,
        aim: 1.0,
        costly: false,
        each: Some(accounted::document),
        all: None,
    },
    Sentence {
        word: "operations",
        says: "an operation becomes a tool, or a diagnostic points at it",
        least: 1.0,
        aim: 1.0,
        costly: false,
        each: Some(accounted::operations),
        all: None,
    },
    Sentence {
        word: "crates",
        says: "a crate compiles and has documentation, and no compiler or lint warns",
        least: 1.0,
        aim: 1.0,
        costly: true,
        each: Some(crates::write),
        all: Some(crates::compile),
    },
    Sentence {
        word: "types",
        says: "a schema node that says something has a type that says the same",
        least: 0.98,
        aim: 0.98,
        costly: false,
        each: Some(types::judge),
        all: None,
    },
    Sentence {
        word: "examples",
        says: "what a document gives as an example is decoded and encoded without a loss",
        least: 1.0,
        aim: 1.0,
        costly: true,
        each: Some(examples::collect),
        all: Some(examples::judge),
    },
    Sentence {
        word: "requests",
        says: "a request is valid by the vendor's document, and where it is not, it is known why",
        least: 0.995,
        aim: 0.995,
        costly: false,
        each: Some(requests::judge),
        all: Some(requests::reviewed),
    },
    Sentence {
        word: "names",
        says: "a tool has a name by the rules, of its own",
        least: 0.995,
        aim: 0.995,
        costly: false,
        each: Some(names::judge),
        all: None,
    },
    Sentence {
        word: "schemas",
        says: "a tool's schemas are self-contained and valid, and say what the document says",
        least: 1.0,
        aim: 1.0,
        costly: false,
        each: Some(schemas::judge),
        all: None,
    },
    Sentence {
        word: "determinism",
        says: "the same bytes come in another process, order, time zone and language",
        least: 1.0,
        aim: 1.0,
        costly: true,
        each: Some(determinism::first),
        all: Some(determinism::second),
    },
    Sentence {
        word: "drift",
        says: "a document is no change of itself, and what changed between two dates is told",
        least: 1.0,
        aim: 1.0,
        costly: false,
        each: Some(drift::itself),
        all: Some(drift::pairs),
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
    // Flags are those of the usual harness, which this is not.
    let words: Vec<String> = env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let (chosen, parts): (Vec<String>, Vec<String>) = words
        .into_iter()
        .partition(|word| SENTENCES.iter().any(|sentence| sentence.word == word));
    let sentences: Vec<&Sentence> = SENTENCES
        .iter()
        .filter(|sentence| match chosen.as_slice() {
            [] => !sentence.costly,
            words => words.iter().any(|word| sentence.word == word),
        })
        .collect();
    documents.retain(|path| {
        let path = path.to_string_lossy();
        parts.is_empty() || parts.iter().any(|part| path.contains(part.as_str()))
    });
    let started = Instant::now();
    let findings = judged(&sentences, &documents);
    let hold = print(&sentences, &findings);
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

/// What each judge finds.
fn judged(sentences: &[&Sentence], documents: &[PathBuf]) -> Vec<Findings> {
    let mut findings: Vec<Findings> = Vec::new();
    findings.resize_with(sentences.len(), Findings::default);
    if sentences.iter().any(|sentence| sentence.each.is_some()) {
        for of_document in one_by_one(sentences, documents) {
            for (all, one) in findings.iter_mut().zip(of_document) {
                all.add(one);
            }
        }
    }
    for (sentence, findings) in sentences.iter().zip(&mut findings) {
        if let Some(judge) = sentence.all {
            findings.add(judge(documents));
        }
    }
    findings
}

/// What the judges of single documents find of each document, in order. Each thread has one
/// document in memory at a time.
fn one_by_one(sentences: &[&Sentence], documents: &[PathBuf]) -> Vec<Vec<Findings>> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads.min(4) {
            scope.spawn(|| {
                while let Some((index, path)) = taken(&next, documents) {
                    let findings = of_document(sentences, path);
                    found.lock().unwrap().push((index, findings));
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort_by_key(|(index, _)| *index);
    found.into_iter().map(|(_, findings)| findings).collect()
}

fn taken<'d>(next: &AtomicUsize, documents: &'d [PathBuf]) -> Option<(usize, &'d PathBuf)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    documents.get(index).map(|path| (index, path))
}

fn of_document(sentences: &[&Sentence], path: &Path) -> Vec<Findings> {
    let subject = Subject::read(path);
    let judged = sentences.iter().map(|sentence| match sentence.each {
        None => Findings::default(),
        Some(judge) => {
            let judged = panic::catch_unwind(AssertUnwindSafe(|| judge(&subject)));
            judged.unwrap_or_else(|_| {
                let mut findings = Findings::default();
                findings.fail(&subject.name, "the judge panicked");
                findings
            })
        }
    });
    judged.collect()
}

/// Prints the exceptions and the table; whether every sentence holds.
fn print(sentences: &[&Sentence], findings: &[Findings]) -> bool {
    for (sentence, findings) in sentences.iter().zip(findings) {
        let details = findings.details();
        if !details.is_empty() {
            println!("\n{}: {}\n{details}", sentence.word, sentence.says);
        }
    }
    println!(
        "\n{:<12} {:>8} {:>8} {:>9} {:>8} {:>8}",
        "sentence", "judged", "hold", "share", "needed", "aim"
    );
    let mut all = true;
    for (sentence, findings) in sentences.iter().zip(findings) {
        let holds = findings.share() >= sentence.least && !findings.has_unexplained();
        all &= holds;
        println!(
            "{:<12} {:>8} {:>8} {:>8.2}% {:>7.1}% {:>7.1}%  {}",
            sentence.word,
            findings.judged,
            findings.held,
            findings.share() * 100.0,
            sentence.least * 100.0,
            sentence.aim * 100.0,
            if holds { "holds" } else { "DOES NOT HOLD" },
        );
    }
    all
}
