//! The search with a model: a small one that the test writes, and damaged ones.
#![cfg(test)]
#![cfg(feature = "embeddings")]

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use safetensors::{Dtype, serialize, tensor::TensorView};
use serde_json::json;
use toolwright::{ToolSpec, discovery::Searcher as _};
use toolwright_discovery::{Embedder, Finder};

const WORDS: &str = "[UNK]\n[CLS]\n[SEP]\nlist\nget\ndepot\nitems\nshelf\ngoods\n:\n.\n";

const CONFIG: &str =
    r#"{"num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}"#;

type Shapes = BTreeMap<String, Vec<usize>>;

/// The shapes of the weights of a model with vectors of 4 numbers.
fn shapes() -> Shapes {
    let mut shapes = Shapes::new();
    let mut add = |name: &str, shape: &[usize]| shapes.insert(name.to_owned(), shape.to_vec());
    add("embeddings.word_embeddings.weight", &[11, 4]);
    add("embeddings.position_embeddings.weight", &[16, 4]);
    add("embeddings.token_type_embeddings.weight", &[2, 4]);
    for norm in [
        "embeddings.LayerNorm",
        "encoder.layer.0.attention.output.LayerNorm",
        "encoder.layer.0.output.LayerNorm",
    ] {
        add(&format!("{norm}.weight"), &[4]);
        add(&format!("{norm}.bias"), &[4]);
    }
    for (linear, outputs, inputs) in [
        ("attention.self.query", 4, 4),
        ("attention.self.key", 4, 4),
        ("attention.self.value", 4, 4),
        ("attention.output.dense", 4, 4),
        ("intermediate.dense", 8, 4),
        ("output.dense", 4, 8),
    ] {
        add(
            &format!("encoder.layer.0.{linear}.weight"),
            &[outputs, inputs],
        );
        add(&format!("encoder.layer.0.{linear}.bias"), &[outputs]);
    }
    shapes
}

/// Writes a model with these shapes, whose numbers differ.
fn write(folder: &Path, shapes: &Shapes) {
    let numbers = |(name, shape): (&String, &Vec<usize>)| {
        let count: usize = shape.iter().product();
        let numbers = (0..count).map(|n| ((n * 7 + name.len()) as f32).sin());
        let bytes: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
        (name.clone(), bytes)
    };
    let numbers: BTreeMap<String, Vec<u8>> = shapes.iter().map(numbers).collect();
    let views = shapes.iter().map(|(name, shape)| {
        let view = TensorView::new(Dtype::F32, shape.clone(), &numbers[name]);
        (name, view.unwrap())
    });
    let weights = serialize(views, None).unwrap();
    fs::write(folder.join("model.safetensors"), weights).unwrap();
    fs::write(folder.join("config.json"), CONFIG).unwrap();
    fs::write(folder.join("vocab.txt"), WORDS).unwrap();
}

fn tool(name: &str, short: &str) -> Arc<ToolSpec> {
    let spec = json!({
        "name": name, "service": "depot", "title": short, "short": short, "description": short,
        "section": "Items", "category": "observe", "effect": "read", "approval_required": false,
        "hints": {"readOnlyHint": true, "destructiveHint": false,
                  "idempotentHint": true, "openWorldHint": false},
        "enabled_by_default": true, "input_schema": {"type": "object"},
        "binding": "native", "origin": {"document": "docs", "pointer": "/"}, "evidence": [],
    });
    Arc::new(serde_json::from_value(spec).unwrap())
}

#[test]
fn a_search_with_a_model_is_deterministic_and_finds_nothing_for_foreign_words() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &shapes());
    let tools = [
        tool("get-depot-shelf", "Get a shelf."),
        tool("list-depot-items", "List the items."),
    ];
    let finder = || Finder::with_model(Embedder::open(folder.path()).unwrap());
    let search = || finder().index(&tools).search("list items", 5);
    assert_eq!(search(), search());
    assert_eq!(search(), [1, 0]);
    assert!(finder().index(&tools).search("xyzzy", 5).is_empty());
    assert!(finder().index(&[]).search("list", 5).is_empty());
}

#[test]
fn a_damaged_model_is_an_error_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Embedder::open(folder.path()).unwrap_err();
    assert!(open().file.ends_with("config.json"));
    for (name, shape) in shapes() {
        let mut other = shapes();
        other.insert(name.clone(), [shape.as_slice(), &[3]].concat());
        write(folder.path(), &other);
        assert!(open().file.ends_with("model.safetensors"), "{name}");
        other.remove(&name);
        write(folder.path(), &other);
        assert!(open().message.contains("is missing"), "{name}");
    }
    write(folder.path(), &shapes());
    fs::write(folder.path().join("vocab.txt"), "a\nb\n").unwrap();
    assert_eq!(open().message, "the token `[UNK]` is missing");
    write(folder.path(), &shapes());
    for config in ["", "{}", &CONFIG.replace('2', "3")] {
        fs::write(folder.path().join("config.json"), config).unwrap();
        assert!(open().file.ends_with("model.safetensors"), "{config}");
    }
    fs::write(folder.path().join("config.json"), CONFIG).unwrap();
    fs::write(folder.path().join("model.safetensors"), [255; 64]).unwrap();
    assert!(open().file.ends_with("model.safetensors"));
}
