//! The arguments that a server receives.

use serde_json::{Map, Value};
use toolwright_model::{BodyShape, Bound};

/// Returns the arguments of a call as the server expects them. `None` if the whole is no object.
pub(crate) fn build(shape: &BodyShape, arguments: &Value) -> Option<Map<String, Value>> {
    let value = |bound: &Bound| match bound {
        Bound::Argument(name) => arguments.get(name).cloned(),
        Bound::Fixed(value) => Some(value.clone()),
        Bound::Constant(_) => None,
    };
    match shape {
        BodyShape::Whole(bound) => match value(bound) {
            Some(Value::Object(fields)) => Some(fields),
            None => Some(Map::new()),
            Some(_) => None,
        },
        BodyShape::Fields(fields) => {
            let fields = fields.iter();
            let fields =
                fields.filter_map(|field| Some((field.name.clone(), value(&field.value)?)));
            Some(fields.collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolwright_model::BodyField;

    use super::*;

    #[test]
    fn arguments_are_fields_or_the_whole() {
        let field = |name: &str, value| BodyField {
            name: name.to_owned(),
            value,
        };
        let shape = BodyShape::Fields(vec![
            field("path", Bound::Argument("path".to_owned())),
            field("limit", Bound::Argument("limit".to_owned())),
            field("mode", Bound::Fixed(json!("r"))),
        ]);
        let built = build(&shape, &json!({"path": "a"})).unwrap();
        assert_eq!(Value::Object(built), json!({"path": "a", "mode": "r"}));
        let whole = BodyShape::Whole(Bound::Argument("body".to_owned()));
        let built = build(&whole, &json!({"body": {"a": 1}})).unwrap();
        assert_eq!(Value::Object(built), json!({"a": 1}));
        assert_eq!(build(&whole, &json!({"body": [1]})), None);
    }
}
