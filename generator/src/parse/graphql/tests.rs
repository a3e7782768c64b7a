//! Schemas that are huge, nested or cyclic: each is read or refused within bounds.

use std::{collections::BTreeMap, fmt::Write as _, time::Instant};

use crate::{
    generate::{self, Input, Options, Outcome, Unnameable},
    load::Memory,
};
use toolwright_model::Binding;

fn run(file: &str, text: impl Into<String>, operations: Option<&str>) -> Outcome {
    let mut files = BTreeMap::from([(file.to_owned(), text.into().into_bytes())]);
    let mut input = Input::new(file).service("svc");
    if let Some(operations) = operations {
        let overlay = "[graphql]\noperations = [\"operations.graphql\"]\n";
        files.insert("overlay.toml".to_owned(), overlay.into());
        files.insert("operations.graphql".to_owned(), operations.into());
        input = input.overlay("overlay.toml");
    }
    let options = Options {
        unnameable: Unnameable::LeaveOut,
        ..Options::default()
    };
    generate::run(&[input], options, &Memory(files))
}

fn codes(outcome: &Outcome) -> Vec<&'static str> {
    let all = outcome.diagnostics.iter();
    all.map(|diagnostic| diagnostic.code.word()).collect()
}

fn texts(outcome: &Outcome) -> Vec<String> {
    let specs = outcome.catalog.as_ref().unwrap().tool_specs();
    let texts = specs.into_iter().map(|spec| match spec.binding {
        Binding::Http(http) => http.graphql().unwrap().to_owned(),
        _ => panic!("not bound to HTTP"),
    });
    texts.collect()
}

#[test]
fn deep_nesting_is_refused_without_recursion() {
    let ty = format!("{}Int{}", "[".repeat(100_000), "]".repeat(100_000));
    let outcome = run("a.graphql", format!("type Query {{ a: {ty} }}"), None);
    assert!(
        codes(&outcome).contains(&"too-deep"),
        "{:?}",
        codes(&outcome)
    );

    let value = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let schema = format!("type Query {{ a(b: Int = {value}): Int }}");
    let outcome = run("a.graphql", schema, None);
    assert!(
        codes(&outcome).contains(&"too-deep"),
        "{:?}",
        codes(&outcome)
    );

    let selection = format!("query Q {}a{}", "{ a ".repeat(50_000), "}".repeat(50_000));
    let schema = "type Query { a: Query }";
    let outcome = run("a.graphql", schema, Some(&selection));
    assert!(
        codes(&outcome).contains(&"too-deep"),
        "{:?}",
        codes(&outcome)
    );

    let nested = format!(
        "{}null{}",
        "{\"kind\":\"LIST\",\"ofType\":".repeat(200),
        "}".repeat(200)
    );
    let json = format!(
        "{{\"__schema\": {{\"queryType\": {{\"name\": \"Query\"}}, \"types\": [{{\"kind\": \"OBJECT\", \"name\": \"Query\", \"fields\": [{{\"name\": \"a\", \"type\": {nested}}}]}}]}}}}"
    );
    let outcome = run("a.json", json, None);
    assert!(outcome.catalog.is_none());
}

#[test]
fn a_cycle_of_types_ends_and_a_wide_schema_stays_small() {
    let mut schema = String::from("type Query { first: T0 ");
    for at in 0..300 {
        write!(schema, "f{at}(id: ID!): T{at} ").unwrap();
    }
    schema.push_str("}\n");
    for at in 0..300 {
        write!(schema, "type T{at} {{ id: ID! self: T{at} ").unwrap();
        for other in 0..300 {
            write!(schema, "s{other}: String t{other}: T{other} ").unwrap();
        }
        schema.push_str("}\n");
    }
    let begun = Instant::now();
    let outcome = run("a.graphql", schema, None);
    let texts = texts(&outcome);
    assert_eq!(texts.len(), 301);
    let longest = texts.iter().map(String::len).max().unwrap();
    assert!(longest < 10_000, "{longest}");
    assert!(texts.iter().all(|text| !text.contains("self")));
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

#[test]
fn a_page_of_pages_ends() {
    let schema = "type Query { a: A b: [U] }
        type A { pageInfo: P nodes: [A] }
        type P { endCursor: String hasNextPage: Boolean }
        union U = B | C
        type B { u: U c: C id: ID url: String }
        type C { u: [U] b: B id: ID! url: String! }";
    let texts = texts(&run("a.graphql", schema, None));
    let pages = "query A { a { nodes { __typename } pageInfo { endCursor hasNextPage } } }";
    assert_eq!(texts[0], pages);
    assert!(texts[1].contains("urlOfC: url"), "{}", texts[1]);
}

#[test]
fn a_query_does_not_ask_for_credentials() {
    let schema = "type Query { shop: Shop }
        type Mutation { renewToken: Shop }
        type Shop { id: ID apiKey: String accessToken: String password: String
            nextPageToken: String keyword: String secretCount: Int }";
    let texts = texts(&run("a.graphql", schema, None));
    let query = texts.iter().find(|text| text.starts_with("query")).unwrap();
    assert_eq!(
        query,
        "query Shop { shop { id nextPageToken keyword secretCount } }"
    );
    let mutation = texts.iter().find(|text| text.starts_with("mutation"));
    assert!(mutation.unwrap().contains("accessToken"));
}

#[test]
fn fragments_that_double_are_bounded() {
    let mut operations = String::from("query Q { a { ...F0 } }\n");
    for at in 0..40 {
        let next = at + 1;
        writeln!(
            operations,
            "fragment F{at} on A {{ ...F{next} a {{ ...F{next} }} }}"
        )
        .unwrap();
    }
    operations.push_str("fragment F40 on A { id }\n");
    let schema = "type Query { a: A } type A { id: ID a: A }";
    let outcome = run("a.graphql", schema, Some(&operations));
    assert!(
        codes(&outcome).contains(&"too-deep"),
        "{:?}",
        codes(&outcome)
    );
}

#[test]
fn many_faults_are_reported_in_part() {
    let mut schema = String::from("type Query {\n");
    for at in 0..2_000 {
        writeln!(schema, "f{at}: Lost{at}").unwrap();
    }
    schema.push_str("}\ntype Lost { id: ID }");
    let outcome = run("a.graphql", schema, None);
    assert!(outcome.catalog.is_none());
    assert!(
        outcome.diagnostics.len() < 500,
        "{}",
        outcome.diagnostics.len()
    );
    // Each of the names is similar to the type, and a name is compared with all types of the schema.
    let helps = outcome.diagnostics.iter().flat_map(|fault| &fault.help);
    let similar = helps.filter(|help| help.as_str() == "a similar name exists: `Lost`");
    assert_eq!(similar.count(), 5);
    let garbage = "type { ".repeat(20_000);
    let outcome = run("a.graphql", garbage, None);
    assert!(
        outcome.diagnostics.len() <= 60,
        "{}",
        outcome.diagnostics.len()
    );
}

#[test]
fn no_bytes_are_a_panic() {
    let schema = include_str!("../../../tests/cases/graphql-tools/schema.graphql");
    for end in (0..schema.len()).step_by(7) {
        if let Some(part) = schema.get(..end) {
            let _ = run("a.graphql", part, None);
        }
    }
    for text in [
        "\"\"\"",
        "type Query { a: Int = }",
        "\u{0}",
        "#",
        "extend",
        "schema {",
    ] {
        let outcome = run("a.graphql", text, None);
        assert!(outcome.catalog.is_none(), "{text:?}");
        assert!(!outcome.diagnostics.is_empty(), "{text:?}");
    }
}

#[test]
fn keys_of_the_arrangement_mean_nothing_in_other_documents() {
    for text in [
        "{\"$graphql\": \"1\", \"query\": {}}",
        "{\"graphql\": \"1\", \"query\": {\"a\": {\"text\": \"mutation { b }\", \"arguments\": {\"properties\": {}}, \"result\": {}}}}",
        "{\"$graphql-text\": \"type Query { a: Int }\"}",
    ] {
        let outcome = run("a.json", text, None);
        assert_eq!(codes(&outcome), ["not-a-specification"], "{text}");
    }
}
