//! Whatever the input, there is a diagnostic or a success: never a panic, never a long wait.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "the helpers of a test fail as the test does"
)]

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};

use toolwright_generator::{
    check::CheckedCatalog,
    diagnostic::Code,
    emit,
    generate::{self, Accept, Input, Options, Outcome, Unnameable},
    inspect,
    load::Memory,
    render::{self, Style},
};

const LENIENT: Options = Options {
    unnameable: Unnameable::LeaveOut,
    accept: Accept {
        renames: false,
        lowering: false,
    },
};

/// Returns the number of random attempts; `FUZZ_FACTOR=100` multiplies it by 100.
fn rounds(usual: usize) -> usize {
    let factor = std::env::var("FUZZ_FACTOR");
    usual
        * factor
            .ok()
            .and_then(|factor| factor.parse().ok())
            .unwrap_or(1)
}

/// The files next to a document.
struct Ours<'a> {
    overlay: &'a [u8],
    lock: &'a [u8],
}

/// Runs everything that a user can see of a document.
fn run(name: &str, document: &[u8], ours: Option<Ours<'_>>) -> Outcome {
    let mut files = BTreeMap::from([(name.to_owned(), document.to_vec())]);
    let mut input = Input::new(name).service("shop");
    if let Some(Ours { overlay, lock }) = ours {
        files.insert("overlay.toml".to_owned(), overlay.to_vec());
        files.insert("names.lock".to_owned(), lock.to_vec());
        input = input.overlay("overlay.toml").lock("names.lock");
    }
    let outcome = generate::run(&[input], LENIENT, &Memory(files));
    let _ = render::text(
        &outcome.diagnostics,
        &outcome.sources,
        &outcome.documents,
        Style::Plain,
    );
    let _ = serde_json::to_string(&inspect::document(&outcome, 0)).unwrap();
    let services = outcome.catalog.iter().flat_map(CheckedCatalog::services);
    services.for_each(|service| drop(emit::lock(service)));
    outcome
}

fn codes(outcome: &Outcome) -> Vec<Code> {
    outcome.diagnostics.iter().map(|said| said.code).collect()
}

#[test]
fn a_hundred_thousand_levels_are_refused() {
    for (name, open) in [
        ("a.json", "{\"a\":"),
        ("a.json", "["),
        ("a.yaml", "["),
        ("a.yaml", "{a: "),
        ("a.yaml", "- "),
    ] {
        let outcome = run(name, open.repeat(100_000).as_bytes(), None);
        assert_eq!(codes(&outcome), [Code::TooDeep], "{name} {open}");
    }
    let outcome = run("a.yaml", "? ".repeat(100_000).as_bytes(), None);
    assert_eq!(codes(&outcome), [Code::Syntax]);
    let mut nested = String::new();
    for level in 0..2_000 {
        let _ = writeln!(nested, "{}a:", " ".repeat(level));
    }
    assert_eq!(
        codes(&run("a.yaml", nested.as_bytes(), None)),
        [Code::TooDeep]
    );
}

#[test]
fn long_chains_of_schemas_terminate() {
    let mut document = String::from(
        "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n  /a:\n    get:\n      operationId: getA\n      responses:\n        '200':\n          description: x\n          content: {application/json: {schema: {$ref: '#/components/schemas/s0'}}}\ncomponents:\n  schemas:\n",
    );
    for number in 0..20_000 {
        let next = number + 1;
        let _ = writeln!(
            document,
            "    s{number}: {{type: object, properties: {{a: {{$ref: '#/components/schemas/s{next}'}}}}}}"
        );
    }
    document.push_str("    s20000: {type: string}\n");
    let outcome = run("a.yaml", document.as_bytes(), None);
    assert!(outcome.catalog.is_some());
}

/// Fifty thousand take five seconds with optimisation, and ten times as long without: a fifth of
/// them is enough then to see that the time does not grow with the square.
#[test]
fn time_is_linear_in_the_number_of_operations() {
    let count = if cfg!(debug_assertions) {
        10_000
    } else {
        50_000
    };
    let tenth = time_of(count / 10);
    let all = time_of(count);
    // Linear work takes 10 times as long, and more on a busy machine; quadratic work takes 100
    // times as long.
    assert!(all < tenth * 50, "{tenth:?}, {all:?}");
}

/// Measures the time for a number of operations, each of which becomes a tool or is left out.
fn time_of(count: u32) -> Duration {
    let document = many_operations(count);
    let start = Instant::now();
    let outcome = run("a.json", document.as_bytes(), None);
    let took = start.elapsed();
    let count = count as usize;
    assert_eq!(outcome.overviews[0].operations, count);
    let service = &outcome.catalog.as_ref().unwrap().services()[0];
    let left_out = &service.service().left_out;
    assert_eq!(service.tools().count() + left_out.len(), count);
    took
}

/// Operations on words that all differ.
fn many_operations(count: u32) -> String {
    let mut document = String::from(
        "{\"openapi\": \"3.0.3\", \"info\": {\"title\": \"T\", \"version\": \"1\"}, \"paths\": {",
    );
    for number in 0..count {
        let separator = if number == 0 { "" } else { "," };
        let word = word(number);
        let _ = write!(
            document,
            "{separator}\"/{word}/{{id}}\": {{\"get\": {{\"operationId\": \"get_{word}\", \"parameters\": [{{\"name\": \"id\", \"in\": \"path\", \"required\": true, \"schema\": {{\"type\": \"string\"}}}}], \"responses\": {{\"200\": {{\"description\": \"x\", \"content\": {{\"application/json\": {{\"schema\": {{\"type\": \"object\", \"properties\": {{\"id\": {{\"type\": \"string\"}}}}}}}}}}}}}}}}}}"
        );
    }
    document.push_str("}}");
    document
}

fn word(mut number: u32) -> String {
    let mut word = String::from("k");
    for _ in 0..4 {
        word.push(char::from(b"bdfgklmnprtvz"[(number % 13) as usize]));
        word.push(char::from(b"aeiou"[(number / 13 % 5) as usize]));
        number /= 65;
    }
    word
}

#[test]
fn arbitrary_bytes_do_not_panic() {
    let mut random = StdRng::seed_from_u64(1);
    for round in 0..rounds(3_000) {
        let length = random.random_range(0..80);
        let bytes: Vec<u8> = (0..length)
            .map(|_| match random.random_range(0..3) {
                0 => random.random_range(0..256) as u8,
                _ => *b"{}[]:,-\"' \n\t#&*!|>%@`?~a1.\\<$"
                    .choose(&mut random)
                    .unwrap(),
            })
            .collect();
        let name = ["a.json", "a.yaml"].choose(&mut random).unwrap();
        let ours = Ours {
            overlay: &bytes,
            lock: &bytes,
        };
        run(name, &bytes, (round % 4 == 0).then_some(ours));
    }
}

#[test]
fn mutated_documents_do_not_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut random = StdRng::seed_from_u64(2);
    let mut overlays: Vec<Vec<u8>> = Vec::new();
    let mut locks: Vec<Vec<u8>> = Vec::new();
    let mut documents: Vec<(String, Vec<u8>)> = Vec::new();
    for path in files_below(&folder) {
        let content = fs::read(&path).unwrap();
        match path.file_name().unwrap().to_str().unwrap() {
            "overlay.toml" => overlays.push(content),
            "names.lock" => locks.push(content),
            name @ ("openapi.yaml" | "openapi.json" | "swagger.yaml") => {
                documents.push((name.to_owned(), content));
            }
            _ => {}
        }
    }
    for _ in 0..rounds(1_500) {
        let (name, document) = documents.choose(&mut random).unwrap();
        let overlay: &Vec<u8> = overlays.choose(&mut random).unwrap();
        let overlay = mutate(overlay, &overlays[0], &mut random);
        let lock: &Vec<u8> = locks.choose(&mut random).unwrap();
        let lock = mutate(lock, &locks[0], &mut random);
        let other = documents.choose(&mut random).unwrap().1.clone();
        run(
            name,
            &mutate(document, &other, &mut random),
            Some(Ours {
                overlay: &overlay,
                lock: &lock,
            }),
        );
    }
}

#[test]
fn mutated_eab_documents_do_not_panic() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = files_below(&root.join("tests/cases"));
    paths.retain(|path| path.ends_with("eab.yaml"));
    paths.push(root.join("../specs/crates/eab.yaml"));
    let read = |path: &PathBuf| fs::read(path).unwrap();
    let documents: Vec<Vec<u8>> = paths.iter().map(read).collect();
    assert!(documents.len() > 3);
    let mut random = StdRng::seed_from_u64(4);
    let mut accepted = 0;
    for round in 0..rounds(1_500) {
        let document = documents.choose(&mut random).unwrap();
        let other = documents.choose(&mut random).unwrap().clone();
        let mutated = mutate(document, &other, &mut random);
        let name = if round % 8 == 0 {
            "eab.json"
        } else {
            "eab.yaml"
        };
        accepted += usize::from(run(name, &mutated, None).catalog.is_some());
    }
    assert!(accepted > 0, "some changes are within texts");
}

#[test]
fn mutated_real_documents_do_not_panic() {
    let folder = shared().join("corpus");
    if !folder.is_dir() {
        println!("skipped: {} is not there", folder.display());
        return;
    }
    let mut paths = files_below(&folder);
    paths.retain(|path| fs::metadata(path).unwrap().len() < 20_000);
    let documents: Vec<_> = paths
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension != "tsv"))
        .map(|path| (path, fs::read(path).unwrap()))
        .collect();
    let mut random = StdRng::seed_from_u64(3);
    for _ in 0..rounds(400) {
        let (path, document) = documents.choose(&mut random).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let other = &documents.choose(&mut random).unwrap().1;
        run(name, &mutate(document, other, &mut random), None);
    }
}

fn shared() -> PathBuf {
    std::env::var_os("TOOLWRIGHT_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    )
}

/// Returns a copy with a few changes: parts removed, doubled, moved, taken from another file, bytes
/// set.
fn mutate(text: &[u8], other: &[u8], random: &mut StdRng) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=random.random_range(0..4) {
        let at = random.random_range(0..text.len() + 1);
        let end = (at + random.random_range(0..60)).min(text.len());
        match random.random_range(0..6) {
            0 => drop(text.drain(at..end)),
            1 => {
                let part = text[at..end].to_vec();
                let to = random.random_range(0..text.len() + 1);
                text.splice(to..to, part);
            }
            2 => {
                let from = random.random_range(0..other.len() + 1);
                let to = (from + random.random_range(0..60)).min(other.len());
                text.splice(at..at, other[from..to].to_vec());
            }
            3 if at < text.len() => text[at] = random.random_range(0..256) as u8,
            4 => {
                let words: &[&[u8]] = &[
                    b"null",
                    b"[]",
                    b"{}",
                    b"\"$ref\": \"#\"",
                    b"$ref: '#/paths'",
                    b"-1",
                    b"1e999",
                    b"true",
                    b"&a ",
                    b"*a",
                    b"<<: ",
                    b"{id}",
                    b"*/*",
                    b"\xc3\xa9",
                    b"0",
                    b"allOf",
                ];
                text.splice(at..end, words.choose(random).unwrap().to_vec());
            }
            _ => {
                let words: &[&[u8]] = &[b"  ", b"\n", b": ", b", ", b"\"", b"'", b"- "];
                text.splice(at..at, words.choose(random).unwrap().to_vec());
            }
        }
    }
    text
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut unread = vec![folder.to_owned()];
    while let Some(path) = unread.pop() {
        if path.is_dir() {
            unread.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}
