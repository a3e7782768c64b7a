//! Each method, with params that fit and params that do not.

use serde_json::{Value, json};
use toolwright::eab::{Outcome, read_outcome};
use toolwright_model::{
    BodyShape, ToolSchema,
    eab::{ErrorCode, Severity, Status},
};
use toolwright_schema::required;

use super::{
    Method,
    handshake::is_json,
    visit::{Visit, id_of, refuses},
};

/// Checks one method.
pub(super) async fn verify(visit: &mut Visit<'_>, method: &Method<'_>, writes: bool) {
    let name = Some(method.name());
    let Some(params) = &method.params else {
        let message = "no params can be derived; add `examples` to the schema";
        visit.report.skip("method.answer", name, message);
        return;
    };
    if method.spec.hints.read_only || writes {
        valid(visit, method, params).await;
    } else {
        let message = "it changes something; such calls must be enabled";
        visit.report.skip("method.answer", name, message);
    }
    invalid(visit, method, params).await;
}

async fn valid(visit: &mut Visit<'_>, method: &Method<'_>, params: &Value) {
    let name = method.name();
    let envelope = visit.envelope(name, params);
    let reply = match visit.send(name, &envelope).await {
        Ok(reply) => reply,
        Err(message) => return visit.report.fail("method.answer", Some(name), message),
    };
    let any = Value::Bool(true);
    let schema = method.spec.output_schema.as_ref();
    let schema = schema.map_or(&any, ToolSchema::whole);
    let read = read_outcome(&reply.bytes, id_of(&envelope), schema);
    let report = &mut *visit.report;
    match (&read, reply.status) {
        (Ok(_), 200) => report.note("method.answer", Some(name), Ok(())),
        (Ok(_), status) => {
            let message = format!("it answers with the status {status}");
            report.fail("method.answer", Some(name), message);
        }
        (Err(fault), _) => {
            let message = format!("it does not conform: {fault}");
            report.fail("method.answer", Some(name), message);
        }
    }
    let json = is_json(reply.content_type.as_deref()).then_some(());
    let message = "the content type is not `application/json`".to_owned();
    report.note("method.content-type", Some(name), json.ok_or(message));
    let runs = match &read {
        Ok(Outcome::Ran(outcome)) => {
            report.note("method.status", Some(name), check_failure(outcome));
            Ok(())
        }
        Ok(Outcome::Error { code, message }) => Err((*code, message.clone())),
        Err(_) => return,
    };
    match runs {
        Ok(()) => report.note("method.runs", Some(name), Ok(())),
        Err((code @ (ErrorCode::ArtifactNotFound | ErrorCode::ToolNotFound), message)) => {
            report.skip("method.runs", Some(name), format!("`{code}`: {message}"));
        }
        Err((code, message)) => {
            let message = format!("valid params are answered with `{code}`: {message}");
            report.fail("method.runs", Some(name), message);
        }
    }
    check_repeated_call(visit, method, params).await;
}

/// A failure has something that blocks, or a contract that does not hold.
fn check_failure(outcome: &Value) -> Result<(), String> {
    let has = |list: &str, field: &str, value: Value| {
        let items = outcome.get(list).and_then(Value::as_array);
        let mut items = items.into_iter().flatten();
        items.any(|item| item.get(field) == Some(&value))
    };
    let failed = outcome.get("status") == Some(&json!(Status::Failure));
    if failed
        && !has("diagnostics", "severity", json!(Severity::Blocking))
        && !has("constraint_results", "satisfied", json!(false))
    {
        return Err(
            "it is a `failure` without a blocking diagnostic or a violated constraint".to_owned(),
        );
    }
    Ok(())
}

/// Sends several requests in turn: each response belongs to its request.
async fn check_repeated_call(visit: &mut Visit<'_>, method: &Method<'_>, params: &Value) {
    let name = method.name();
    let mut found = Ok(());
    for _ in 0..3 {
        let envelope = visit.envelope(name, params);
        let reply = visit.send(name, &envelope).await;
        let said = reply.and_then(|reply| {
            let said: Value = serde_json::from_slice(&reply.bytes).unwrap_or_default();
            if said.get("request_id") == envelope.get("request_id") {
                Ok(())
            } else {
                Err("an answer has the id of another request".to_owned())
            }
        });
        found = found.and(said);
    }
    visit.report.note("method.request-id", Some(name), found);
}

/// Checks that params without a required one, and params of wrong types, are refused.
async fn invalid(visit: &mut Visit<'_>, method: &Method<'_>, params: &Value) {
    let name = method.name();
    for (id, broken) in broken_params(method, params) {
        let envelope = visit.envelope(name, &broken);
        let reply = visit.send(name, &envelope).await;
        let found = refuses(reply, Some(id_of(&envelope)), &[ErrorCode::InvalidRequest]);
        visit.report.note(id, Some(name), found);
    }
}

/// Params that break the schema of the method, each in one way.
fn broken_params(method: &Method<'_>, params: &Value) -> Vec<(&'static str, Value)> {
    let mut all = Vec::new();
    let BodyShape::Fields(fields) = &method.binding.params else {
        return all;
    };
    all.push(("params.not-an-object", json!([params])));
    let schema = method.spec.input_schema.whole();
    let is_required = |name: &str| required(schema).any(|required| required == name);
    let validator = jsonschema::draft202012::new(schema);
    let Ok(validator) = validator else { return all };
    for field in fields {
        let Some(argument) = field.value.argument() else {
            continue;
        };
        if is_required(argument) {
            let mut lacking = params.clone();
            if let Some(fields) = lacking.as_object_mut() {
                fields.shift_remove(&field.name);
            }
            all.push(("params.missing", lacking));
        }
        // The first value that is not of the schema.
        for wrong in [
            json!({"unexpected": [7]}),
            json!(-7.5),
            json!([[true]]),
            json!(""),
        ] {
            let mut arguments = super::example(schema).unwrap_or_default();
            if let Some(fields) = arguments.as_object_mut() {
                fields.insert(argument.to_owned(), wrong.clone());
            }
            if validator.is_valid(&arguments) {
                continue;
            }
            let mut params = params.clone();
            if let Some(fields) = params.as_object_mut() {
                fields.insert(field.name.clone(), wrong);
            }
            all.push(("params.wrong-type", params));
            break;
        }
    }
    all
}
