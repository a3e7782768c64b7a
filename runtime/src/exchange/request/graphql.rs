//! The body of a GraphQL request: the fixed text of the operation, and its variables.

use serde_json::{Map, Value, json};
use toolwright_model::HttpBinding;

use super::{
    PlanError, Values,
    body::{PlannedBody, plan_params},
};

/// The media type of a request.
const JSON: &str = "application/json";

/// Plans the body of an operation with this text. Arguments become variables only, so none of them can
/// change the text.
pub(super) fn plan_body(
    text: &str,
    binding: &HttpBinding,
    values: Values<'_>,
) -> Result<PlannedBody, PlanError> {
    let variables = match &binding.body {
        Some(body) => plan_params(&body.shape, values)?,
        None => Value::Object(Map::new()),
    };
    let body = json!({ "query": text, "variables": variables });
    Ok(PlannedBody::new(
        JSON.to_owned(),
        body.to_string().into_bytes(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::request::{base_url, plan};

    fn binding() -> HttpBinding {
        let json = json!({
            "method": "POST", "path": "",
            "base_url": "https://desk.example/graphql/",
            "body": {
                "media_type": "application/json", "content": "json", "required": true,
                "shape": {"fields": [
                    {"name": "id", "value": {"argument": "id"}},
                    {"name": "shop", "value": {"fixed": 7}},
                    {"name": "after", "value": {"argument": "after"}},
                ]},
            },
            "protocol": {"graphql": "query Item($id: ID!) { item(id: $id) { id } }"},
            "answers": [{"status": "200", "media_types": ["application/json"], "content": "json"}],
        });
        serde_json::from_value(json).unwrap()
    }

    fn sent(arguments: &Value) -> (String, Value) {
        let binding = binding();
        let values = Values {
            arguments: arguments.as_object().unwrap(),
            constants: &Map::new(),
        };
        let base = base_url(None, &binding).unwrap();
        let request = plan(&binding, &base, values).unwrap();
        let body = serde_json::from_slice(&request.body.unwrap()).unwrap();
        (request.url.into(), body)
    }

    #[test]
    fn arguments_are_variables_and_never_text() {
        let text = "query Item($id: ID!) { item(id: $id) { id } }";
        for id in [
            "a",
            "\") { id } } mutation { deleteItem(id: \"a",
            "$id",
            "\u{0}\n\"}",
        ] {
            let (url, body) = sent(&json!({"id": id, "query": "mutation { b }"}));
            assert_eq!(url, "https://desk.example/graphql/");
            let variables = json!({"id": id, "shop": 7});
            assert_eq!(body, json!({"query": text, "variables": variables}));
        }
    }

    #[test]
    fn the_operators_url_is_the_whole_endpoint() {
        let base = base_url(Some("http://127.0.0.1:9/api/graphql/"), &binding());
        assert_eq!(base.unwrap(), "http://127.0.0.1:9/api/graphql/");
    }
}
