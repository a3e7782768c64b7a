//! Names: what the rules make of real documents, and of anything at all.

#![expect(
    clippy::unwrap_used,
    reason = "the helpers of a test fail as the test does"
)]

mod documents;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use toolwright_generator::{
    facts::OperationFacts,
    naming::{NameHints, Naming, VERBS, name_of},
};
use toolwright_model::{MAX_TOOL_NAME, Method, ServiceName};

/// At most this share of the operations of real documents may need a line of an overlay, because
/// they share a name or have none.
const WITHOUT_A_NAME: f64 = 0.03;

#[test]
fn real_operations_have_names_of_their_own() {
    let folders = ["corpus", "services"].map(documents::shared);
    let (mut operations, mut without) = (0, 0);
    for document in folders
        .into_iter()
        .flatten()
        .flat_map(|folder| files(&folder))
    {
        let service = service_of(&document);
        let named = names(&document, &service);
        for naming in &named {
            check_grammar(&service, naming);
        }
        let wanting = wanting(&named);
        if wanting > 0 {
            println!(
                "{service}: {wanting} of {} in {}",
                named.len(),
                document.display()
            );
        }
        operations += named.len();
        without += wanting;
    }
    println!("{without} of {operations} operations need a line of an overlay");
    let allowed = f64::from(u32::try_from(operations).unwrap()) * WITHOUT_A_NAME;
    assert!(f64::from(u32::try_from(without).unwrap()) <= allowed);
}

#[test]
fn whatever_the_path_is_the_grammar_holds() {
    let pieces = [
        "/",
        "items",
        "{id}",
        "{itemId}",
        "v1",
        "2",
        ".json",
        ":",
        "?",
        "#",
        "=",
        "archive",
        "--",
        "é",
        "API",
        "Keys",
        "{a}-{b}",
        "{",
        "}",
        ".",
        "me",
        "search",
        "A",
        "_",
        "x1",
        "{kv_path}",
        "providers",
        "Example.Web",
        "users",
        "current",
        " ",
        "%20",
        "listKeys",
        "0",
        "batch-",
    ];
    let service = ServiceName::new("svc").unwrap();
    let mut seed: usize = 1;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    for _ in 0..20_000 {
        let mut text = |least| -> String {
            let count = least + next(9);
            (0..count).map(|_| pieces[next(pieces.len())]).collect()
        };
        let (path, id) = (format!("/{}", text(0)), text(0));
        let method = Method::ALL[next(Method::ALL.len())];
        let mut facts = OperationFacts::new(method, path);
        facts.operation_id = Some(id);
        let naming = name_of(&service, &facts, NameHints::default());
        check_grammar(&service, &naming);
        assert_eq!(naming, name_of(&service, &facts, NameHints::default()));
    }
}

/// A name follows the grammar, has a verb of the list and says how it came about.
fn check_grammar(service: &ServiceName, naming: &Naming) {
    assert!(VERBS.contains(&naming.verb.as_str()), "{naming:?}");
    assert!(!naming.derivation.is_empty());
    if let Ok(name) = &naming.name {
        assert_eq!(
            name.as_str(),
            format!("{}-{service}-{}", naming.verb, naming.noun)
        );
        assert!(name.as_str().len() <= MAX_TOOL_NAME);
    }
}

fn names(document: &Path, service: &ServiceName) -> Vec<Naming> {
    documents::read(document)
        .iter()
        .map(|facts| name_of(service, facts, NameHints::default()))
        .collect()
}

/// How many have no name, or one that another has too.
fn wanting(named: &[Naming]) -> usize {
    let mut shared: BTreeMap<&str, usize> = BTreeMap::new();
    let mut none = 0;
    for naming in named {
        match &naming.name {
            Ok(name) => *shared.entry(name.as_str()).or_default() += 1,
            Err(_) => none += 1,
        }
    }
    none + shared.values().filter(|count| **count > 1).sum::<usize>()
}

/// The service of a document: its folder's name, or else the first word of its own.
fn service_of(document: &Path) -> ServiceName {
    let folder = document.parent().unwrap().file_name().unwrap();
    let file = document.file_name().unwrap();
    let text = if folder == "corpus" {
        file.to_str().unwrap().split(['-', '.']).next().unwrap()
    } else {
        folder.to_str().unwrap()
    };
    ServiceName::new(text.replace('-', "")).unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension != "tsv") {
            found.push(path);
        }
    }
    found.sort();
    found
}
