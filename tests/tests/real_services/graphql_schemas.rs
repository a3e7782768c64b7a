//! GraphQL schemas that their owners and users publish: every field of a query or a mutation becomes a
//! tool, and the reference implementation accepts every operation.

use std::{fs, path::Path, process::Command, time::Instant};

use toolwright::{ToolSpec, binding::Binding};
use toolwright_generator::{
    generate::{self, Input, Options, Unnameable},
    load::Disk,
};
use toolwright_model::Effect;
use toolwright_tests::real::Real;

/// A schema: the service, and the file below the unpacked packages.
const SCHEMAS: &[(&str, &str)] = &[
    ("github", "octokit-graphql-schema/schema.graphql"),
    ("githubjson", "octokit-graphql-schema/schema.json"),
    (
        "nautical",
        "nautical-commerce-graphql-schema/nautical/schema.graphql",
    ),
    (
        "storefront",
        "shopify-hydrogen-react/storefront.schema.json",
    ),
    (
        "customers",
        "shopify-hydrogen-react/customer-account.schema.json",
    ),
    (
        "cardano",
        "cardano-graphql-client-ts/api/cardano-db-hasura/schema.graphql",
    ),
    (
        "dialogporten",
        "digdir-dialogporten-schema/schema.verified.graphql",
    ),
];

#[test]
fn published_schemas_become_tools() {
    let Some(real) = Real::if_enabled_with("graphql") else {
        return;
    };
    real.run("schemas.sh", &[]).unwrap();
    let folder = real.folder().join("graphql");
    // Queries that return tokens are left out: they need not be reads.
    let (mut queries, mut read) = (0, 0);
    for (service, file) in SCHEMAS {
        let path = folder.join("packages").join(file);
        let specs = tools_of(service, &path);
        let report = folder.join(format!("{service}.tsv"));
        fs::write(&report, names(&specs)).unwrap();
        validate(&folder, service, &path, &specs);
        for spec in &specs {
            let reads = spec.effect == Effect::Read;
            if text_of(spec).starts_with("mutation") {
                assert!(!reads, "{} reads", spec.name);
            } else {
                let tokens = spec.name.as_str().contains("token");
                queries += usize::from(!tokens);
                read += usize::from(reads && !tokens);
            }
        }
    }
    eprintln!("{read} of {queries} queries read");
    assert!(
        read * 100 >= queries * 98,
        "{read} of {queries} queries read"
    );
}

fn tools_of(service: &str, path: &Path) -> Vec<ToolSpec> {
    let begun = Instant::now();
    let options = Options {
        unnameable: Unnameable::LeaveOut,
        ..Options::default()
    };
    let input = Input::new(path.to_str().unwrap()).service(service);
    let outcome = generate::run(&[input], options, &Disk);
    let catalog = outcome.catalog.unwrap_or_else(|| {
        panic!(
            "{:#?}",
            &outcome.diagnostics[..5.min(outcome.diagnostics.len())]
        )
    });
    let specs = catalog.tool_specs();
    let operations = outcome.overviews[0].operations;
    let size: usize = specs
        .iter()
        .map(|spec| serde_json::to_string(spec).unwrap().len())
        .sum();
    eprintln!(
        "{service}: {} tools of {operations} operations, {} KiB of records, {:.1?}; {} diagnostics",
        specs.len(),
        size / 1024,
        begun.elapsed(),
        outcome.diagnostics.len(),
    );
    for diagnostic in outcome.diagnostics.iter().take(5) {
        eprintln!("    {}: {}", diagnostic.code, diagnostic.message);
    }
    specs
}

fn text_of(spec: &ToolSpec) -> &str {
    match &spec.binding {
        Binding::Http(http) => http.graphql().unwrap(),
        _ => panic!("{} is not bound to HTTP", spec.name),
    }
}

/// Returns a line for each tool: its type, field, name, effect and pages.
fn names(specs: &[ToolSpec]) -> String {
    let lines = specs.iter().map(|spec| {
        let field = spec.origin.operation_id.as_deref().unwrap_or_default();
        let ty = text_of(spec).split(' ').next().unwrap_or_default();
        let pages = if spec.pagination.is_some() {
            "pages"
        } else {
            ""
        };
        let (name, effect) = (&spec.name, spec.effect);
        format!(
            "{ty}\t{field}\t{name}\t{effect}\t{pages}\t{}\n",
            text_of(spec)
        )
    });
    lines.collect()
}

/// Asserts that every operation is valid.
fn validate(folder: &Path, service: &str, schema: &Path, specs: &[ToolSpec]) {
    let operations = folder.join(format!("{service}.operations.json"));
    let texts: Vec<&str> = specs.iter().map(text_of).collect();
    fs::write(&operations, serde_json::to_string(&texts).unwrap()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("real/graphql/validate.mjs");
    let ended = Command::new("node")
        .arg(script)
        .args([schema, &operations])
        .env("REAL", folder.parent().unwrap().canonicalize().unwrap())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&ended.stdout);
    let faults = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{service}: {faults}");
    assert!(
        printed.ends_with("0 faults\n") && printed.lines().count() == 1,
        "{service}: {printed}"
    );
}
