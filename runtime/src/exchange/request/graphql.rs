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
