//! Whatever an operation looks like, its name follows the grammar.

use rand::{RngExt, SeedableRng, rngs::StdRng};
use toolwright_generator::internals::{NameHints, Naming, OperationFacts, name_of};
use toolwright_model::{MAX_TOOL_NAME, Method, ServiceName, TOOL_VERBS};

/// Checks that a name follows the grammar, has a known verb and a derivation.
pub(crate) fn check(service: &ServiceName, naming: &Naming) {
    assert!(TOOL_VERBS.contains(&naming.verb.as_str()), "{naming:?}");
    assert!(!naming.derivation.is_empty());
    if let Ok(name) = &naming.name {
        assert_eq!(
            name.as_str(),
            format!("{}-{service}-{}", naming.verb, naming.noun)
        );
        assert!(name.as_str().len() <= MAX_TOOL_NAME);
    }
}

/// Pieces of paths and of operation ids.
const PIECES: &[&str] = &[
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
    "horizontalpodautoscalers",
    "ForAll",
    "createOrUpdate",
    "/items/{id}/item-parts",
    "ById",
    "V2",
];

#[test]
fn every_path_gives_a_valid_name() {
    let service = ServiceName::new("svc").unwrap();
    let mut random = StdRng::seed_from_u64(1);
    let mut next = |below: usize| random.random_range(0..below);
    for _ in 0..20_000 {
        let mut text = |least| -> String {
            let count = least + next(9);
            (0..count).map(|_| PIECES[next(PIECES.len())]).collect()
        };
        let (path, id) = (format!("/{}", text(0)), text(0));
        let method = Method::ALL[next(Method::ALL.len())];
        let mut facts = OperationFacts::new(method, path);
        facts.operation_id = Some(id);
        let naming = name_of(&service, &facts, NameHints::default());
        check(&service, &naming);
        assert_eq!(naming, name_of(&service, &facts, NameHints::default()));
    }
}
