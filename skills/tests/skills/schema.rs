//! The JSON Schema of `skill.toml` agrees with its reader.

use std::{fs, path::Path};

use serde_json::Value;
use toolwright_skills::{Skill, json_schema};

const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/skill.schema.json");

#[test]
fn the_published_schema_is_the_schema() {
    let schema = format!("{:#}\n", json_schema());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(PUBLISHED, &schema).unwrap();
    }
    assert_eq!(fs::read_to_string(PUBLISHED).unwrap(), schema);
    assert!(jsonschema::draft202012::meta::is_valid(&json_schema()));
}

/// Both the reader and the schema accept a file, or neither does.
#[track_caller]
fn agree(text: &str, is_right: bool) {
    let value: Value = {
        let path = Path::new("skill.toml");
        let mut reader = toolwright::config::reader::ConfigReader::default();
        let file = toolwright::config::reader::File { path, text };
        let document = file.parse(&mut reader).unwrap();
        file.node(&document).to_json().unwrap()
    };
    let script = text.contains("\ntools = ").then_some("echo 1");
    let read = Skill::read_with(Path::new("skill.toml"), text, script);
    let validator = jsonschema::draft202012::new(&json_schema()).unwrap();
    assert_eq!(read.is_ok(), is_right, "{text}\n{read:?}");
    assert_eq!(validator.is_valid(&value), is_right, "{text}");
}

#[test]
fn the_schema_agrees_about_scripts() {
    let text = "name = \"find-depot-items\"\nline = \"x\"\nowner = \"x\"\ntools = [\"list-depot-items\"]\n";
    agree(text, true);
    agree(&format!("{text}seconds = 3600\n"), true);
    for more in [
        "seconds = 3601",
        "seconds = 0",
        "returns = 1",
        "steps = []",
        "[[steps]]\nid = \"a\"\ntool = \"list-depot-items\"",
    ] {
        agree(&format!("{text}{more}\n"), false);
    }
    agree(&text.replace("[\"list-depot-items\"]", "[]"), false);
    let twice = "[\"list-depot-items\", \"list-depot-items\"]";
    agree(&text.replace("[\"list-depot-items\"]", twice), false);
}

#[test]
fn the_schema_accepts_what_the_reader_accepts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/skills");
    let mut skills = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path().join("skill.toml")).unwrap();
        agree(&text, true);
        skills += 1;
        for (from, to) in [
            ("owner = ", "ownr = "),
            ("[[steps]]", "[steps]"),
            ("tool = \"get-depot-item\"", "tool = 7"),
            ("most = 20", "most = 101"),
            ("most = 20\n", ""),
            ("equals = \"in_stock\"", "equal = \"in_stock\""),
            (
                "equals = \"in_stock\"",
                "equals = \"in_stock\", exists = true",
            ),
            ("description = \"", "describe = \""),
        ] {
            if text.contains(from) && !text.replacen(from, to, 1).contains("[steps]") {
                agree(&text.replacen(from, to, 1), false);
            }
        }
    }
    assert_eq!(skills, 3);
}
