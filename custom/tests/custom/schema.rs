//! The published schema of a file.

use std::{fs, path::Path};

use toolwright::config::reader::{ConfigReader, File};
use toolwright_custom::json_schema;

use crate::support::{COMMAND, STEPS, TOOL, described};

const PUBLISHED: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../docs/custom-tool.schema.json"
);

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
fn the_schema_agrees_with_the_reader() {
    let validator = jsonschema::draft202012::new(&json_schema()).unwrap();
    let is_valid = |text: &str| {
        let path = Path::new("tools/a.toml");
        let mut reader = ConfigReader::default();
        let file = File { path, text };
        let document = file.parse(&mut reader).unwrap();
        validator.is_valid(&file.node(&document).to_json().unwrap())
    };
    for tool in [TOOL, COMMAND, STEPS] {
        assert!(is_valid(tool) && described(tool).is_ok(), "{tool}");
    }
    for (tool, from, to) in [
        (TOOL, "line =", "lne ="),
        (TOOL, "[scope.allowed_cities]", "[scopes.allowed_cities]"),
        (TOOL, "argument = \"city\"", ""),
        (TOOL, "\"GET\"", "\"TRACE\""),
        (TOOL, "path = ", "paths = "),
        (TOOL, "[http]", "[command]\nprogram = \"/bin/a\"\n[http]"),
        (TOOL, "category", "returns = 1\ncategory"),
        (COMMAND, "program = \"/usr/bin/wc\"", ""),
        (COMMAND, "folder =", "folders ="),
        (COMMAND, "seconds = 10", "seconds = 0"),
        (COMMAND, "\"token\"", "\"tokens\""),
        (COMMAND, "[443]", "[0]"),
        (COMMAND, "COLOUR =", "\"CO LOUR\" ="),
        (
            COMMAND,
            "check = \"limit\"",
            "check = \"limit\"\nargument = \"note\"",
        ),
        (STEPS, "most = 5\n", ""),
        (STEPS, "tool = \"get-weather-report\"\n", ""),
    ] {
        let broken = tool.replacen(from, to, 1);
        assert!(tool.contains(from), "{from}");
        assert!(!is_valid(&broken), "the schema accepts {to}");
        assert!(described(&broken).is_err(), "the reader accepts {to}");
    }
}
