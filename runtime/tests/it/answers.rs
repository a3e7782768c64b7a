//! Answers: the parts that a projection leaves, and large ones that are cut for an agent.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::{
    Registry, ScopedToolView, ToolSpec,
    audit::MemoryAudit,
    files::{FileLimits, FileStore},
    render::mcp::{OutputSchemas, ResultForm},
};

use crate::support::{Service, at, builder, get_item, no_credentials, role};

const READER: &str = "read-toolwright-answer";

/// A tool that returns a list.
fn list() -> ToolSpec {
    let mut spec = get_item();
    let schema = json!({
        "type": "object",
        "properties": {
            "count": {"type": "integer"},
            "results": {"type": "array", "items": {"type": "object"}},
        },
        "required": ["count", "results"],
        "additionalProperties": false,
    });
    spec.output_schema = Some(schema.into());
    spec
}

fn items(count: usize) -> Value {
    let items = (0..count).map(|id| json!({"id": id, "note": "n".repeat(50)}));
    json!({"count": count, "results": items.collect::<Vec<_>>()})
}

struct Stage {
    folder: tempfile::TempDir,
    registry: Registry,
}

impl Stage {
    fn new(url: &str, limits: FileLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let registry = builder(&Arc::new(MemoryAudit::new()))
            .specs([at(list(), url)])
            .files(FileStore::new(folder.path().join("files"), limits))
            .credentials(no_credentials())
            .grant("reader", "*")
            .grant("other", "*")
            .role("nobody")
            .build()
            .unwrap();
        Self { folder, registry }
    }

    fn view(&self, name: &str) -> ScopedToolView {
        self.registry.for_agent(&role(name))
    }
}

fn cut_at_16_kib() -> FileLimits {
    FileLimits {
        cut: Some(16 << 10),
        ..FileLimits::default()
    }
}

async fn call(view: &ScopedToolView) -> Value {
    let called = view.call_json("get-depot-item", json!({"id": "1"}));
    called.await.unwrap().value
}

async fn read(view: &ScopedToolView, arguments: Value) -> Result<Value, String> {
    let read = view.call_json(READER, arguments).await;
    read.map(|output| output.value)
        .map_err(|error| error.code().to_owned())
}

#[tokio::test]
async fn a_large_answer_is_cut_and_every_part_of_it_can_be_read() {
    let whole = items(1_000);
    let service = Service::json(200, whole.clone()).await;
    let stage = Stage::new(&service.url, cut_at_16_kib());
    let view = stage.view("reader");
    let value = call(&view).await;
    assert!(value.to_string().len() <= 16 << 10);
    let cut = &value["cut_answer"];
    assert_eq!(cut["value"]["count"], 1_000);
    let shown = cut["value"]["results"].as_array().unwrap();
    let mut read_items = shown.clone();
    let mut from = cut["omitted"][0]["from"].as_u64();
    assert_eq!(cut["omitted"][0]["place"], "/results");
    while let Some(next) = from {
        let arguments = json!({"file": cut["file"], "place": "/results", "from": next});
        let part = read(&view, arguments).await.unwrap();
        assert!(part.to_string().len() <= 16 << 10);
        assert_eq!(part["of"], 1_000);
        read_items.extend(part["value"].as_array().unwrap().clone());
        from = part["next"].as_u64();
    }
    assert_eq!(Value::from(read_items), whole["results"]);
    assert_eq!(service.seen().len(), 1, "the rest is not requested again");
}

#[tokio::test]
async fn the_schema_that_an_agent_sees_allows_both_forms() {
    for (count, is_cut) in [(3, false), (1_000, true)] {
        let service = Service::json(200, items(count)).await;
        let stage = Stage::new(&service.url, cut_at_16_kib());
        let view = stage.view("reader");
        let spec = view.spec("get-depot-item").unwrap();
        let form = ResultForm::new(&spec, OutputSchemas::Whole);
        let value = call(&view).await;
        assert_eq!(value.get("cut_answer").is_some(), is_cut);
        let content = form.structured_content(&value).unwrap();
        let schema = form.output_schema().unwrap();
        assert_eq!(schema["type"], "object");
        assert!(jsonschema::is_valid(schema, &content));
        let neither = json!({"cut_answer": {}, "count": 1, "results": []});
        assert!(!jsonschema::is_valid(schema, &neither));
    }
}

#[tokio::test]
async fn nothing_is_cut_unless_the_operator_asks_for_it() {
    let service = Service::json(200, items(1_000)).await;
    let stage = Stage::new(&service.url, FileLimits::default());
    let view = stage.view("reader");
    assert_eq!(call(&view).await, items(1_000));
    assert!(view.spec(READER).is_none());
    let spec = view.spec("get-depot-item").unwrap();
    assert_eq!(spec.output_schema, list().output_schema);
}

#[tokio::test]
async fn an_answer_that_cannot_be_stored_stays_whole() {
    let service = Service::json(200, items(1_000)).await;
    let limits = FileLimits {
        quota_bytes: 100,
        ..cut_at_16_kib()
    };
    let stage = Stage::new(&service.url, limits);
    assert_eq!(call(&stage.view("reader")).await, items(1_000));
}

#[tokio::test]
async fn only_the_caller_of_an_answer_reads_its_parts() {
    let service = Service::json(200, items(1_000)).await;
    let stage = Stage::new(&service.url, cut_at_16_kib());
    let file = call(&stage.view("reader")).await["cut_answer"]["file"].clone();
    let arguments = json!({"file": file});
    let refused = read(&stage.view("other"), arguments.clone()).await;
    assert_eq!(refused, Err("file_not_found".to_owned()));
    let unknown = json!({"file": "file-00000000000000000000000000000000"});
    assert_eq!(read(&stage.view("other"), unknown).await, refused);
    let nobody = read(&stage.view("nobody"), arguments).await;
    assert_eq!(nobody, Err("tool_not_permitted".to_owned()));
}

#[tokio::test]
async fn odd_places_and_files_are_refused() {
    let service = Service::json(200, items(1_000)).await;
    let stage = Stage::new(&service.url, cut_at_16_kib());
    let view = stage.view("reader");
    let file = call(&view).await["cut_answer"]["file"].clone();
    for arguments in [
        json!({"file": file, "place": "/absent"}),
        json!({"file": file, "place": "results"}),
        json!({"file": file, "from": -1}),
        json!({"file": "../../etc/passwd", "from": "1"}),
    ] {
        let refused = read(&view, arguments.clone()).await;
        assert_eq!(refused, Err("invalid_arguments".to_owned()), "{arguments}");
    }
    let path = json!({"file": "../../etc/passwd"});
    assert_eq!(read(&view, path).await, Err("file_not_found".to_owned()));
    let mut text = &b"not an answer"[..];
    let other = view.add_file(&mut text, "text/plain", "a.txt").unwrap();
    let refused = read(&view, json!({"file": other.handle.to_string()})).await;
    assert_eq!(refused, Err("invalid_arguments".to_owned()));
    let after = read(
        &view,
        json!({"file": file, "place": "/results", "from": 5_000}),
    )
    .await;
    assert_eq!(after.unwrap(), json!({"of": 1_000, "value": []}));
    let number = read(&view, json!({"file": file, "place": "/count"})).await;
    assert_eq!(number.unwrap(), json!({"value": 1_000}));
    drop(stage.folder);
}

#[tokio::test]
async fn a_tool_returns_the_parts_of_its_projection() {
    let answer = json!({"id": 1, "site": {"name": "a", "url": "u"}, "tags": [{"t": 1, "u": 2}]});
    let service = Service::json(200, answer.clone()).await;
    let projection = json!({"keep": ["$.site.name", "$.tags[*].t"], "reason": "short"});
    let mut spec = at(get_item(), &service.url);
    spec.projection = Some(serde_json::from_value(projection).unwrap());
    let registry = builder(&Arc::new(MemoryAudit::new()))
        .specs([spec])
        .credentials(no_credentials())
        .grant("reader", "*")
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let kept = json!({"site": {"name": "a"}, "tags": [{"t": 1}]});
    assert_eq!(call(&view).await, kept);
}

#[tokio::test]
async fn an_error_is_not_projected() {
    let service = Service::json(404, json!({"detail": "absent"})).await;
    let projection = json!({"keep": ["$.id"], "reason": "short"});
    let mut spec = at(get_item(), &service.url);
    spec.projection = Some(serde_json::from_value(projection).unwrap());
    let registry = builder(&Arc::new(MemoryAudit::new()))
        .specs([spec])
        .credentials(no_credentials())
        .grant("reader", "*")
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let error = view.call_json("get-depot-item", json!({"id": "1"})).await;
    let error = error.unwrap_err().to_json().to_string();
    assert!(error.contains("absent"), "{error}");
}
