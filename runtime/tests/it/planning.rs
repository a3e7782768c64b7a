//! Planning a request, for the tests of requests and of bodies.

use serde_json::{Map, Value, json};
use toolwright::{
    binding::HttpBinding,
    request::{PlanError, PlannedRequest, Values, plan},
};

pub(crate) fn binding(value: Value) -> HttpBinding {
    serde_json::from_value(value).unwrap()
}

pub(crate) fn try_plan(http: Value, arguments: Value) -> Result<PlannedRequest, PlanError> {
    let arguments = arguments.as_object().unwrap();
    let constants: Map<_, _> = [("slug".to_owned(), json!("acme"))].into_iter().collect();
    let values = Values {
        arguments,
        constants: &constants,
    };
    plan(&binding(http), "http://h/api", values)
}

pub(crate) fn planned(http: Value, arguments: Value) -> PlannedRequest {
    try_plan(http, arguments).unwrap()
}

pub(crate) fn header<'a>(request: &'a PlannedRequest, name: &str) -> Option<&'a str> {
    let found = request.headers.iter().find(|(header, _)| header == name);
    found.map(|(_, value)| value.as_str())
}
