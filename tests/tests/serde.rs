//! Tests serde support of generated types: with the feature, and without it by the wrapper and the
//! module.
#![cfg(test)]

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolwright::codec::{self, Codec, Json};
use toolwright_generated::depot::types::Item;

/// A program's type that stores a tool's output.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Kept {
    #[serde(with = "codec::serde")]
    items: Vec<Item>,
    direct: Item,
}

#[test]
fn serde_and_the_codec_agree() {
    let item = json!({
        "id": "0b8a4ac2-6f7e-4f0c-8c39-5d1f7a2e9b10", "sku": "CLOCK-060", "name": "Wall clock",
        "description": null, "status": "in_stock", "quantity": 3, "unit_price": 79.5, "weight_kg": null,
        "received_on": null, "tags": ["new"], "location": null, "attributes": {"colour": "red"},
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        "newer": {"than": ["the document"]},
    });
    let typed = Item::decode(item.clone()).unwrap();
    assert_eq!(serde_json::to_value(&typed).unwrap(), item);

    let kept = json!({"items": [item, item], "direct": item});
    let read: Kept = serde_json::from_value(kept.clone()).unwrap();
    assert_eq!(read.direct, typed);
    assert_eq!(serde_json::to_value(&read).unwrap(), kept);

    let Json(items) = serde_json::from_value::<Json<Vec<Item>>>(kept["items"].clone()).unwrap();
    assert_eq!(serde_json::to_value(Json(items)).unwrap(), kept["items"]);
    let error = serde_json::from_value::<Json<Item>>(json!({"quantity": "3"})).unwrap_err();
    assert!(error.to_string().contains("/quantity"), "{error}");
}
