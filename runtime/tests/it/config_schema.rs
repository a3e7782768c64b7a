//! The JSON Schema of `toolwright.toml` agrees with its reader.

use std::{fs, path::Path};

use serde_json::Value;
use toolwright::config::{Config, json_schema};

const PUBLISHED: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../docs/toolwright.schema.json"
);

fn validator() -> jsonschema::Validator {
    jsonschema::draft202012::new(&json_schema()).unwrap()
}

fn as_json(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

/// The whole TOML blocks of a page.
fn examples(page: &str) -> Vec<String> {
    let path = format!("{}/../docs/{page}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    let blocks = text.split("```toml\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap().to_owned());
    blocks.collect()
}

#[test]
fn the_published_schema_is_the_schema() {
    let schema = format!("{:#}\n", json_schema());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(PUBLISHED, &schema).unwrap();
    }
    assert_eq!(fs::read_to_string(PUBLISHED).unwrap(), schema);
    assert!(jsonschema::draft202012::meta::is_valid(&json_schema()));
}

#[test]
fn every_documented_configuration_fits_the_schema_and_the_reader() {
    let mut seen = 0;
    for page in [
        "configuration.md",
        "boundary.md",
        "credentials.md",
        "audit.md",
        "approvals.md",
        "operations.md",
        "workspaces.md",
    ] {
        for example in examples(page) {
            if example.contains("[[expect]]") || example.contains('…') {
                continue;
            }
            Config::parse(Path::new(page), &example)
                .unwrap_or_else(|error| panic!("{error}\n{example}"));
            let errors: Vec<_> = validator()
                .iter_errors(&as_json(&example))
                .map(|error| error.to_string())
                .collect();
            assert_eq!(errors, [""; 0], "{page}: {example}");
            seen += 1;
        }
    }
    assert!(seen >= 8, "{seen} examples");
}

#[test]
fn the_schema_and_the_reader_refuse_the_same() {
    for (text, fits) in [
        ("", true),
        (
            "[roles.a]\ngrant = [\"*\"]\nprofiles = [\"b\"]\ncredentials = \"c\"",
            true,
        ),
        ("[roles.a]\ngrants = []", false),
        ("[roles.a]\ngrant = \"*\"", false),
        (
            "[profiles.a]\ntools = [\"*\"]\n[[profiles.a.scopes]]\nrate = \"1/day\"",
            true,
        ),
        (
            "[profiles.a]\n[[profiles.a.scopes]]\nrate = \"1/week\"",
            false,
        ),
        (
            "[profiles.a]\n[[profiles.a.scopes]]\nrate = \"0/day\"",
            false,
        ),
        (
            "[profiles.a]\n[[profiles.a.scopes]]\nallowed_methods = [\"get\"]",
            false,
        ),
        (
            "[profiles.a]\n[[profiles.a.scopes]]\nmax_response_bytes = 0",
            false,
        ),
        (
            "[profiles.a]\n[[profiles.a.scopes]]\nallowed_paths = [7]",
            false,
        ),
        (
            "[profiles.a]\n[[profiles.a.scopes]]\nallowed_paths = \"a/**\"",
            true,
        ),
        (
            "[profiles.a]\n[[profiles.a.scopes]]\npinned = { a = 1, b = true, c = \"x\" }",
            true,
        ),
        (
            "[profiles.a]\n[[profiles.a.scopes]]\npinned = { a = [1] }",
            false,
        ),
        (
            "[profiles.a]\n[[profiles.a.scopes]]\narguments.a = { values = [1, \"b\"] }",
            true,
        ),
        (
            "[profiles.a]\n[[profiles.a.scopes]]\narguments.a = { value = 1 }",
            false,
        ),
        (
            "[[forbid]]\ntools = \"delete-*\"\nroles = [\"a\"]\nwhen.x = { optional = true }",
            true,
        ),
        ("[forbid]\ntools = \"delete-*\"", false),
        ("[[forbid]]\ntool = \"delete-*\"", false),
        ("[nodes.review]\ntools = [\"*\"]", false),
        (
            "[[nodes.review.scopes]]\nallowed_urls = [\"https://a\"]",
            true,
        ),
        ("[policy]\nalert_after = 0", false),
        ("[policy]\nhalt = true\nrequire_lock = true", true),
        (
            "[[services]]\nname = \"depot\"\nbase_url = \"https://a\"",
            true,
        ),
        ("[services.depot]\ntimeout_seconds = 0", false),
        ("[polcy]", false),
    ] {
        let read = Config::parse(Path::new("toolwright.toml"), text);
        assert_eq!(read.is_ok(), fits, "{text}\n{read:?}");
        assert_eq!(validator().is_valid(&as_json(text)), fits, "{text}");
    }
}
