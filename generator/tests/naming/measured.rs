//! Counts the operations of real documents that have no name of their own, except those that are equal
//! to another in every respect.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fmt::Write,
    fs,
    path::Path,
    time::Instant,
};

use toolwright_generator::internals::{Naming, OperationFacts, classify};

use crate::{document::nameless, documents, grammar, real};

/// Documents that take longer are listed.
const SLOW: f64 = 5.0;

/// So many characters of a description are in the table.
const BEGINNING: usize = 200;

/// The variable that names a file for all names, to compare them before and after a change of the
/// rules.
const NAMES_FILE: &str = "TOOLWRIGHT_NAMES_FILE";

#[test]
fn real_operations_have_distinct_names() {
    let (mut operations, mut without, mut decided) = (0, 0, 0);
    let mut table = String::new();
    for document in real::documents() {
        let service = real::service_of(&document);
        let facts = documents::read(&document);
        let (named, seconds) = timed(|| real::document_names(&service, &facts));
        let (base, alone) = timed(|| real::names(&service, &facts));
        if seconds > SLOW {
            let document = document.display();
            println!("{document}: {seconds:.1} s, {alone:.1} s of it for the base names");
        }
        for facts in &facts {
            let naming = &named[&(facts.path.clone(), facts.method)];
            check_number(facts, naming);
            let own = &base[&(facts.path.clone(), facts.method)];
            row(&mut table, &document, facts, [naming, own]);
        }
        for (key, naming) in base {
            grammar::check(&service, &naming);
            decided += u32::from(named[&key].name != naming.name);
        }
        let wanting = unnamed(&facts, &named);
        if wanting > 0 {
            let share = 100.0 * f64::from(wanting) / f64::from(u32::try_from(named.len()).unwrap());
            println!(
                "{service}: {wanting} of {} ({share:.2} %) in {}",
                named.len(),
                document.display()
            );
        }
        operations += u32::try_from(named.len()).unwrap();
        without += wanting;
    }
    if let Some(file) = env::var_os(NAMES_FILE) {
        fs::write(file, table).unwrap();
    }
    println!("{without} of {operations} operations have no name of their own");
    println!("the document decided {decided} names");
    assert_eq!(without, 0);
}

/// Returns the result of a function and the seconds that it took.
fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let started = Instant::now();
    let result = run();
    (result, started.elapsed().as_secs_f64())
}

/// A row of the table of names: the name, or why there is none, the operation, and the base name.
fn row(table: &mut String, document: &Path, facts: &OperationFacts, namings: [&Naming; 2]) {
    let [name, base] = namings.map(|naming| match &naming.name {
        Ok(name) => name.to_string(),
        Err(error) => format!("none: {error}"),
    });
    let one_line = |text: &Option<String>| {
        let words = text.as_deref().unwrap_or_default().split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    };
    let (id, summary) = (one_line(&facts.operation_id), one_line(&facts.summary));
    let (method, path) = (facts.method, &facts.path);
    let file = document.file_name().unwrap_or_default().display();
    let folder = document
        .parent()
        .and_then(Path::file_name)
        .unwrap_or_default()
        .display();
    let kind = classify(facts).kind;
    let answer = facts.success().map(|answer| answer.shape);
    let answer = answer.map_or(String::new(), |shape| format!("{shape:?}"));
    let schemas = &facts.schemas;
    let schemas = [&schemas.body, &schemas.answer, &schemas.element].map(one_line);
    let description = one_line(&facts.description);
    let description: String = description.chars().take(BEGINNING).collect();
    let schemas = schemas
        .map(|name| name.chars().take(60).collect::<String>())
        .join(" | ");
    let _ = writeln!(
        table,
        "{folder}/{file}\t{name}\t{method} {path}\t{id}\t{summary}\t{kind}\t{answer}\t{schemas}\t{description}\t{base}"
    );
}

/// Checks that a number at the end of a name comes from the operation's path or operation id.
fn check_number(facts: &OperationFacts, naming: &Naming) {
    let mut runs = naming.noun.rsplit(|c: char| !c.is_ascii_digit());
    let number = runs.next().unwrap_or_default();
    let id = facts.operation_id.as_deref().unwrap_or_default();
    let own = [facts.path.as_str(), id]
        .map(str::to_ascii_lowercase)
        .iter()
        .any(|text| text.contains(number));
    assert!(own, "{facts:?} is {naming:?}");
}

/// Counts the operations without a name, or with one that an operation has that is not equal.
fn unnamed(facts: &[OperationFacts], named: &BTreeMap<real::Key, Naming>) -> u32 {
    let mut shared: BTreeMap<&str, BTreeSet<_>> = BTreeMap::new();
    let mut none = 0;
    for facts in facts {
        match &named[&(facts.path.clone(), facts.method)].name {
            Ok(name) => {
                let same = (facts.method, nameless(&facts.path), &facts.operation_id);
                shared.entry(name.as_str()).or_default().insert(same);
            }
            Err(_) => none += 1,
        }
    }
    let several = shared
        .values()
        .map(BTreeSet::len)
        .filter(|count| *count > 1);
    none + u32::try_from(several.sum::<usize>()).unwrap()
}
