//! The tools of a small document: their arguments, their results and their bindings.

use serde_json::{Value, json};
use toolwright_model::{Category, Effect, StatusPattern, ToolSpec};

use super::{run, shown, tools};

const SHOP: &str = r#"
syntax = "proto3";
package acme.shop.v1;
import "google/api/annotations.proto";
import "google/api/client.proto";
import "google/api/field_behavior.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/timestamp.proto";

// Sells things.
service Shop {
  option (google.api.default_host) = "shop.example.com";
  option (google.api.oauth_scopes) = "https://example.com/auth/shop";
  // Lists the [orders][acme.shop.v1.Order] of a customer.
  rpc ListOrders(ListOrdersRequest) returns (ListOrdersResponse) {
    option (google.api.http) = {get: "/v1/{parent=customers/*}/orders"};
  }
  // Creates an order. (-- not for readers --)
  rpc CreateOrder(Order) returns (Order);
  // Watches orders as they change.
  rpc WatchOrders(ListOrdersRequest) returns (stream Order) {
    option idempotency_level = NO_SIDE_EFFECTS;
  }
  // Deletes an order.
  rpc DeleteOrder(DeleteOrderRequest) returns (google.protobuf.Empty);
  // Uploads orders.
  rpc UploadOrders(stream Order) returns (ListOrdersResponse);
}
message ListOrdersRequest {
  string parent = 1 [(google.api.field_behavior) = REQUIRED];
  int32 page_size = 2;
  string page_token = 3;
}
message ListOrdersResponse { repeated Order orders = 1; string next_page_token = 2; }
message DeleteOrderRequest { string name = 1 [(google.api.field_behavior) = REQUIRED]; }
// An order.
message Order {
  // The name.
  string name = 1 [(google.api.field_behavior) = REQUIRED];
  int64 cents = 2;
  bytes receipt = 3;
  map<string, Line> lines = 4;
  oneof payer { string person = 5; Line company = 6; }
  State state = 7;
  google.protobuf.Timestamp created = 8 [(google.api.field_behavior) = OUTPUT_ONLY];
  repeated Order parts = 9;
  enum State { NEW = 0; // Paid for.
    PAID = 1; }
}
message Line { uint32 count = 1; string old = 2 [deprecated = true]; }
"#;

fn shop() -> Vec<ToolSpec> {
    tools(&run("shop.proto", &[("shop.proto", SHOP)]))
}

fn tool(name: &str) -> ToolSpec {
    let all = shop();
    let names: Vec<_> = all.iter().map(|spec| spec.name.to_string()).collect();
    let found = all.into_iter().find(|spec| spec.name.as_str() == name);
    found.unwrap_or_else(|| panic!("{name} is none of {names:?}"))
}

#[test]
fn each_method_but_one_with_a_client_stream_is_a_tool() {
    let outcome = run("shop.proto", &[("shop.proto", SHOP)]);
    let all = tools(&outcome);
    let effects: Vec<(String, Effect)> = all
        .iter()
        .map(|spec| (spec.name.to_string(), spec.effect))
        .collect();
    let expected = [
        ("create-shop-order", Effect::Create),
        ("delete-shop-order", Effect::Delete),
        ("list-shop-customer-orders", Effect::Read),
        ("watch-shop-orders", Effect::Read),
    ];
    assert_eq!(
        effects,
        expected.map(|(name, effect)| (name.to_owned(), effect))
    );
    let said: Vec<String> = outcome
        .diagnostics
        .iter()
        .map(|one| shown(&outcome, one))
        .collect();
    assert_eq!(
        said,
        [
            "shop.proto:27:7: method-not-offered: methods that receive a stream of messages are not offered as tools"
        ]
    );
    assert_eq!(
        all[2].description.lines().next(),
        Some("Lists the orders of a customer.")
    );
    assert_eq!(all[0].description, "Creates an order.");
}

#[test]
fn the_binding_has_the_method_and_the_descriptors_once() {
    let all = shop();
    let list = tool("list-shop-customer-orders");
    let call = list.grpc().unwrap();
    assert_eq!(call.method, "acme.shop.v1.Shop.ListOrders");
    assert_eq!(call.response, "acme.shop.v1.ListOrdersResponse");
    assert!(call.idempotent && !call.server_streaming);
    let http = list.http().unwrap();
    assert_eq!(http.path, "/acme.shop.v1.Shop/ListOrders");
    assert_eq!(http.base_url.as_deref(), Some("https://shop.example.com"));
    assert_eq!(
        http.security[0][0].scopes,
        ["https://example.com/auth/shop"]
    );
    assert!(
        http.answers
            .iter()
            .any(|answer| answer.status == StatusPattern::Default)
    );
    let watch = all
        .iter()
        .find(|spec| spec.grpc().unwrap().server_streaming)
        .unwrap();
    assert_eq!(
        watch.output_schema.as_ref().unwrap().root()["type"],
        "array"
    );
    assert_eq!(watch.grpc().unwrap().descriptors, call.descriptors);
    assert!(
        call.descriptors.as_base64().len() < 1500,
        "{}",
        call.descriptors.as_base64().len()
    );
    assert_eq!(list.category, Category::Observe);
}

#[test]
fn the_arguments_are_the_fields_in_their_json_form() {
    let list = tool("list-shop-customer-orders").input_schema;
    assert_eq!(list.root()["required"], json!(["parent"]));
    assert!(list.root()["properties"]["pageSize"]["minimum"].is_number());
    let create = tool("create-shop-order").input_schema;
    let whole = create.to_value();
    assert_eq!(whole["required"], json!(["name"]));
    let property = |name: &str| -> &Value { &whole["properties"][name] };
    assert_eq!(property("cents")["type"], "string");
    assert_eq!(property("receipt")["contentEncoding"], "base64");
    assert_eq!(
        property("person")["description"],
        "Set at most one of `person`, `company`."
    );
    assert!(property("created").is_null(), "only the service sets it");
    assert!(property("lines")["additionalProperties"]["$ref"].is_string());
    let state = &whole["$defs"]["Order.State"];
    assert_eq!(state["enum"], json!(["NEW", "PAID"]), "{whole:#}");
    assert_eq!(
        whole["$defs"]["Line"]["properties"]["old"]["deprecated"],
        true
    );
    jsonschema::draft202012::new(&whole).unwrap();
}

#[test]
fn the_same_document_gives_the_same_tools() {
    assert_eq!(shop(), shop());
    let crlf = SHOP.replace('\n', "\r\n");
    let other = tools(&run("shop.proto", &[("shop.proto", &crlf)]));
    let names = |all: &[ToolSpec]| -> Vec<_> { all.iter().map(|spec| spec.name.clone()).collect() };
    assert_eq!(names(&other), names(&shop()));
}

#[test]
fn a_table_has_the_descriptors_once() {
    let outcome = run("shop.proto", &[("shop.proto", SHOP)]);
    let catalog = outcome.catalog.as_ref().unwrap();
    let tree = toolwright_generator::emit::service(&catalog.services()[0]);
    let tables: Vec<&str> = tree
        .iter()
        .filter(|(path, _)| path.ends_with("tools.json"))
        .map(|(_, text)| text)
        .collect();
    assert_eq!(tables.len(), 1);
    assert_eq!(tables[0].matches("\"descriptors\"").count(), 1);
    assert_eq!(ToolSpec::list_from_json(tables[0]).unwrap(), shop());
}

#[test]
fn imports_come_from_the_folder_of_the_package() {
    let common = "syntax = \"proto3\"; package acme.common; message Id { string id = 1; }";
    let shop = "syntax = \"proto3\"; package acme.shop.v1; import \"acme/common/id.proto\";\n\
        service Shop { rpc GetOrder(acme.common.Id) returns (acme.common.Id); }";
    let files = [
        ("a/acme/shop/v1/shop.proto", shop),
        ("a/acme/common/id.proto", common),
    ];
    let all = tools(&run("a/acme/shop/v1/shop.proto", &files));
    assert_eq!(all[0].name.as_str(), "get-shop-order");
}
