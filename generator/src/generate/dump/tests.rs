//! Tests of the dump.

use super::*;
use crate::document::load::Memory;

const SHOP: &str = "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\npaths:\n  /items:\n    get:\n      operationId: listItems\n      parameters: [{name: limit, in: query, schema: {type: integer}}]\n      responses: {'204': {description: Nothing.}}\n  /carts:\n    get: {operationId: listCarts, responses: {}}\n";

const OVERLAY: &str = "[operations.listItems]\nname = \"list-shop-items\"\n";

fn dump(stage: Stage, tool: Option<&str>) -> String {
    let files = [("shop.yaml", SHOP), ("a.toml", OVERLAY)]
        .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let input = Input::new("shop.yaml").overlay("a.toml");
    let files = Memory(files.into());
    let (text, outcome) = super::stage(&[input], Options::default(), &files, stage, tool);
    assert!(outcome.catalog.is_some(), "{:?}", outcome.diagnostics);
    text
}

#[test]
fn every_stage_is_printed() {
    for (stage, what) in [
        (Stage::Parse, "\"in\": \"query\""),
        (Stage::Lower, "\"kind\": \"read\""),
        (Stage::Passes, "\"short\": \"List items\""),
        (Stage::Check, "\"approval_required\": false"),
    ] {
        let all = dump(stage, None);
        assert!(all.contains(what), "{all}");
        assert!(all.contains("/carts"), "{all}");
        let has_texts = matches!(stage, Stage::Passes | Stage::Check);
        assert_eq!(all.contains("\"section\""), has_texts, "{all}");
    }
}

#[test]
fn one_tool_is_selected_at_every_stage() {
    for stage in [Stage::Parse, Stage::Lower, Stage::Passes, Stage::Check] {
        let one = dump(stage, Some("list-shop-items"));
        assert!(one.contains("/items") && !one.contains("/carts"), "{one}");
        assert_eq!(dump(stage, Some("list-shop-nothing")), "");
    }
}

#[test]
fn an_untyped_node_has_a_reason() {
    let shop = SHOP.replace(
        "schema: {type: integer}",
        "schema: {type: array, items: {$ref: '#/nothing'}}",
    );
    let files = Memory([("shop.yaml".to_owned(), shop.into_bytes())].into());
    let input = Input::new("shop.yaml");
    let (text, _) = stage(&[input], Options::default(), &files, Stage::Lower, None);
    let entry: Value = serde_json::from_str(text.split_inclusive("\n}\n").next().unwrap()).unwrap();
    assert_eq!(entry["untyped"][0]["at"], "shop.yaml:7:74", "{entry}");
    assert_eq!(
        entry["untyped"][0]["why"],
        "its reference cannot be resolved"
    );
}
