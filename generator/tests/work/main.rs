//! The cost of a document grows with its size only: in each stage, and in its results. Sizes are
//! compared, not times; a run that does not end fails the test.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the helpers of a test fail as the test does"
)]

mod documents;

use std::{collections::BTreeMap, sync::mpsc, thread, time::Duration};

use rand::{SeedableRng, rngs::StdRng};
use serde_json::Value;
use toolwright_drift as drift;
use toolwright_drift::Inventory;
use toolwright_generator::{
    diagnostic::Code,
    dump::{self, Stage},
    emit,
    generate::{self, Accept, Input, Options, Unnameable},
    inspect,
    load::Memory,
    render::{self, Style},
};
use toolwright_model::ToolSpec;

/// The most bytes of a document's results: of its records, and of the emitted files.
const MOST_BYTES: usize = 48 << 20;

/// The most types of a document.
const MOST_TYPES: usize = 10_000;

/// The time limit for one document. Usually it takes less than a second.
const PATIENCE: Duration = Duration::from_secs(120);

const OPTIONS: Options = Options {
    unnameable: Unnameable::LeaveOut,
    accept: Accept {
        renames: false,
        lowering: false,
    },
};

/// The results for a document.
struct Made {
    types: usize,
    /// The bytes of each thing that was made.
    bytes: Vec<(String, usize)>,
    tools: Vec<String>,
    codes: Vec<Code>,
}

#[test]
fn each_keyword_may_hold_the_next_level_twice() {
    for level in documents::LEVELS {
        let made = measure(level.0, documents::nested(*level, 16));
        let good = "get-shop-good".to_owned();
        assert!(made.tools.contains(&good), "{}: {:?}", level.0, made.tools);
    }
}

#[test]
fn schemas_beyond_the_limit_are_reported_and_only_they_are_untyped() {
    let made = measure("oneOf", documents::nested(documents::LEVELS[1], 24));
    assert!(
        made.codes.contains(&Code::UntypedSchema),
        "{:?}",
        made.codes
    );
    assert_eq!(
        made.tools,
        ["create-shop-thing", "get-shop-good", "list-shop-things"]
    );
    let small = measure("oneOf", documents::nested(documents::LEVELS[1], 4));
    assert_eq!(small.codes, []);
}

#[test]
fn many_cycles_terminate() {
    measure("cycles", documents::cycles(&[2, 3, 5, 7, 11, 13, 17, 19]));
}

#[test]
fn one_large_schema_takes_linear_time() {
    for (name, document) in documents::wide(500) {
        measure(name, document);
    }
}

#[test]
fn random_schemas_terminate() {
    for seed in 0..rounds(12) {
        let mut random = StdRng::seed_from_u64(seed);
        measure(&format!("seed {seed}"), documents::random(&mut random, 15));
    }
}

/// Returns the number of random documents; `FUZZ_FACTOR=100` multiplies it by 100.
fn rounds(usual: u64) -> u64 {
    let factor = std::env::var("FUZZ_FACTOR").ok();
    usual * factor.map_or(1, |factor| factor.parse().unwrap())
}

/// Runs every stage of a document on a separate thread, and checks the size of the results.
fn measure(name: &str, document: Value) -> Made {
    let (done, wait) = mpsc::channel();
    let worker = thread::spawn(move || done.send(generate(&document)));
    let made = match wait.recv_timeout(PATIENCE) {
        Ok(made) => made,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("{name} does not end"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            worker.join().unwrap().unwrap();
            panic!("{name} panicked")
        }
    };
    assert!(made.types <= MOST_TYPES, "{name}: {} types", made.types);
    for (what, bytes) in &made.bytes {
        assert!(*bytes <= MOST_BYTES, "{name}: {bytes} bytes of {what}");
    }
    made
}

fn generate(document: &Value) -> Made {
    let text = serde_json::to_vec(document).unwrap();
    // The strings of the other document are numbers.
    let changed = document.to_string().replace("\"string\"", "\"number\"");
    let files = Memory(BTreeMap::from([
        ("a.json".to_owned(), text),
        ("b.json".to_owned(), changed.into_bytes()),
    ]));
    let input = |path: &str| [Input::new(path).service("shop")];
    let outcome = generate::run(&input("a.json"), OPTIONS, &files);
    let other = generate::run(&input("b.json"), OPTIONS, &files);
    let specs = outcome.catalog.as_ref().unwrap().tool_specs();
    let others = other.catalog.as_ref().unwrap().tool_specs();
    let drifted = drift::compare(
        &Inventory::of_specs(specs.clone()),
        &Inventory::of_specs(others),
    );
    let service = outcome
        .catalog
        .as_ref()
        .unwrap()
        .services()
        .first()
        .unwrap();
    let emitted = emit::service(service);
    let table = emitted.iter().find(|(path, _)| *path == "tools.json");
    assert_eq!(ToolSpec::list_from_json(table.unwrap().1).unwrap(), specs);
    let mut made = vec![
        ("records".to_owned(), serde_json::to_string(&specs).unwrap()),
        ("drift".to_owned(), serde_json::to_string(&drifted).unwrap()),
        (
            "diagnostics".to_owned(),
            render::text(
                &outcome.diagnostics,
                &outcome.sources,
                &outcome.documents,
                Style::Plain,
            ),
        ),
        (
            "inspection".to_owned(),
            serde_json::to_string(&inspect::document(&outcome, 0)).unwrap(),
        ),
    ];
    for stage in [Stage::Parse, Stage::Lower, Stage::Passes, Stage::Check] {
        let dumped = dump::stage(&input("a.json"), OPTIONS, &files, stage, None).0;
        made.push((format!("{stage:?}"), dumped));
    }
    made.extend(
        emitted
            .iter()
            .map(|(path, text)| (path.to_owned(), text.to_owned())),
    );
    Made {
        types: service.service().types.iter().count(),
        bytes: made
            .into_iter()
            .map(|(what, text)| (what, text.len()))
            .collect(),
        tools: specs.iter().map(|spec| spec.name.to_string()).collect(),
        codes: outcome.diagnostics.iter().map(|said| said.code).collect(),
    }
}
