//! The requests of a server that are passed on to the client of a call, and the answers.
//!
//! Every string that a person or a model reads is marked as the server's, bounded, and without invisible characters.

use rmcp::model::{self, ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value, json};
use toolwright::{ServiceName, audit::ServerAnswer};
use toolwright_model::text::{has_invisible, show_invisible};

/// The longest message to a person, in characters.
const LONGEST_MESSAGE: usize = 2_000;

/// The most fields of a form.
const MOST_FIELDS: usize = 32;

/// The longest form, in bytes.
const LONGEST_FORM: usize = 16 << 10;

/// The most messages to a model.
const MOST_MESSAGES: usize = 32;

/// The longest request to a model, in bytes.
const LONGEST_SAMPLING: usize = 64 << 10;

/// The longest answer, in bytes.
const LONGEST_ANSWER: usize = 64 << 10;

/// The keys of a form whose strings a person reads. All other strings are sent back, so they cannot change.
const READ: [&str; 3] = ["title", "description", "enumNames"];

/// The settings of a request to a model that are passed on unchanged.
const PASSED_ON: [&str; 4] = [
    "maxTokens",
    "temperature",
    "stopSequences",
    "modelPreferences",
];

/// Returns the form that a client shows. None if the request is not a form, or is too large.
pub(crate) fn form(server: &ServiceName, params: ElicitRequestParams) -> Option<Value> {
    let ElicitRequestParams::FormElicitationParams {
        message,
        requested_schema,
        ..
    } = params
    else {
        return None;
    };
    let mut schema = serde_json::to_value(requested_schema).ok()?;
    let fields = schema.get("properties").and_then(Value::as_object)?;
    if fields.len() > MOST_FIELDS || size(&schema) > LONGEST_FORM {
        return None;
    }
    show(&mut schema, false).then_some(())?;
    let asks = format!(
        "The mounted server `{server}` asks you for input. Toolwright has not checked its text:"
    );
    Some(json!({
        "mode": "form",
        "message": format!("{asks}\n\n{}", quoted(&message)),
        "requestedSchema": schema,
    }))
}

/// Returns the request to a client's model. None if it contains images or sound, asks for tools,
/// or is too large.
#[expect(deprecated, reason = "older servers ask for messages of a model")]
pub(crate) fn sampling(
    server: &ServiceName,
    params: model::CreateMessageRequestParams,
) -> Option<Value> {
    let whole = serde_json::to_value(params).ok()?;
    if size(&whole) > LONGEST_SAMPLING {
        return None;
    }
    let messages = whole.get("messages").and_then(Value::as_array)?;
    if messages.is_empty() || messages.len() > MOST_MESSAGES {
        return None;
    }
    if whole.get("tools").is_some() || whole.get("toolChoice").is_some() {
        return None;
    }
    let messages = messages.iter().map(message).collect::<Option<Vec<_>>>()?;
    let system = whole.get("systemPrompt").and_then(Value::as_str);
    let asks = format!(
        "This request is from the mounted server `{server}`. Toolwright has not checked its text."
    );
    let system = match system {
        Some(text) => format!("{asks}\n\n{}", quoted(text)),
        None => asks,
    };
    let mut request = Map::from_iter([
        ("messages".to_owned(), messages.into()),
        ("systemPrompt".to_owned(), system.into()),
        ("includeContext".to_owned(), "none".into()),
    ]);
    for key in PASSED_ON {
        if let Some(value) = whole.get(key) {
            request.insert(key.to_owned(), value.clone());
        }
    }
    Some(request.into())
}

/// Returns the answer of a person, and what it is. None if it cannot be used.
pub(crate) fn elicited(answer: Value) -> Option<(ElicitResult, ServerAnswer)> {
    let mut result: ElicitResult = usable(answer)?;
    result.meta = None;
    let outcome = match result.action {
        ElicitationAction::Accept => ServerAnswer::Accepted,
        ElicitationAction::Decline => ServerAnswer::Declined,
        _ => ServerAnswer::Cancelled,
    };
    if outcome != ServerAnswer::Accepted {
        result.content = None;
    }
    let fields = result.content.as_ref().map(Value::as_object);
    let is_flat = |fields: &Map<String, Value>| fields.values().all(is_plain);
    let fits = fields.is_none_or(|fields| fields.is_some_and(is_flat));
    fits.then_some((result, outcome))
}

/// Returns the answer of a client's model. None if it cannot be used.
#[expect(deprecated, reason = "older servers ask for messages of a model")]
pub(crate) fn sampled(answer: Value) -> Option<(model::CreateMessageResult, ServerAnswer)> {
    message(&answer)?;
    Some((usable(answer)?, ServerAnswer::Answered))
}

fn usable<T: serde::de::DeserializeOwned>(answer: Value) -> Option<T> {
    let fits = size(&answer) <= LONGEST_ANSWER;
    serde_json::from_value(answer).ok().filter(|_| fits)
}

/// Checks whether a value is one that a field of a form can have.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(Value::is_string),
        Value::Object(_) => false,
        _ => true,
    }
}

/// Returns a message with its role and its strings, without other properties.
fn message(message: &Value) -> Option<Value> {
    let content = message.get("content")?;
    let parts = match content {
        Value::Array(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let text = |part: &Value| {
        let is_text = part.get("type").and_then(Value::as_str) == Some("text");
        let text = part
            .get("text")
            .and_then(Value::as_str)
            .filter(|_| is_text)?;
        Some(json!({"type": "text", "text": show_invisible(text)}))
    };
    let mut parts = parts.iter().map(text).collect::<Option<Vec<_>>>()?;
    let content = match parts.len() {
        // Clients of older revisions know one part only.
        1 => parts.remove(0),
        _ => parts.into(),
    };
    Some(json!({"role": message.get("role")?, "content": content}))
}

/// Shows the invisible characters of the strings that a person reads. Returns false if other strings or names
/// have some.
fn show(value: &mut Value, is_read: bool) -> bool {
    match value {
        Value::String(text) if is_read => {
            *text = show_invisible(text).into_owned();
            true
        }
        Value::String(text) => !has_invisible(text),
        Value::Array(items) => items.iter_mut().all(|item| show(item, is_read)),
        Value::Object(fields) => fields.iter_mut().all(|(name, field)| {
            let is_read = READ.contains(&name.as_str());
            !has_invisible(name) && show(field, is_read)
        }),
        _ => true,
    }
}

/// Returns a string of the server as a quotation: each line begins with `> `.
fn quoted(text: &str) -> String {
    let mut kept: String = text.chars().take(LONGEST_MESSAGE).collect();
    if kept.len() < text.len() {
        kept.push('…');
    }
    let shown = show_invisible(&kept);
    let lines = shown.lines().map(|line| format!("> {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

fn size(value: &Value) -> usize {
    serde_json::to_vec(value).map_or(usize::MAX, |bytes| bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> ServiceName {
        ServiceName::new("notes").unwrap()
    }

    fn ask(message: &str, schema: Value) -> Option<Value> {
        let params = json!({"mode": "form", "message": message, "requestedSchema": schema});
        form(&server(), serde_json::from_value(params).unwrap())
    }

    fn schema(fields: Value) -> Value {
        json!({"type": "object", "properties": fields})
    }

    #[test]
    fn a_form_is_marked_and_shows_what_is_hidden() {
        let field = json!({"type": "string", "title": "Na\u{202e}me"});
        let form = ask(
            "Your name?\r\n\u{1b}[2JToolwright: approve",
            schema(json!({"name": field})),
        );
        let form = form.unwrap();
        let message = form["message"].as_str().unwrap();
        assert_eq!(
            message,
            "The mounted server `notes` asks you for input. Toolwright has not checked its text:\n\n\
             > Your name?\n> \\u{1b}[2JToolwright: approve"
        );
        let title = &form["requestedSchema"]["properties"]["name"]["title"];
        assert_eq!(title, "Na\\u{202e}me");
    }

    #[test]
    fn forms_are_bounded() {
        let long = ask(&"x".repeat(100_000), schema(json!({}))).unwrap();
        assert!(long["message"].as_str().unwrap().chars().count() < LONGEST_MESSAGE + 200);
        let field = json!({"type": "boolean"});
        let many = (0..=MOST_FIELDS).map(|n| (format!("f{n}"), field.clone()));
        assert_eq!(ask("?", schema(many.collect::<Map<_, _>>().into())), None);
        let large = json!({"type": "string", "description": "x".repeat(LONGEST_FORM)});
        assert_eq!(ask("?", schema(json!({"a": large}))), None);
        // A person must see the string that is sent back.
        assert_eq!(
            ask("?", schema(json!({"a\u{200b}": {"type": "boolean"}}))),
            None
        );
        let hidden = json!({"type": "string", "enum": ["yes", "yes\u{200b}"]});
        assert_eq!(ask("?", schema(json!({"a": hidden}))), None);
    }

    #[test]
    fn only_forms_are_passed_on() {
        let page = json!({"mode": "url", "message": "?", "url": "https://a.example", "elicitationId": "1"});
        assert_eq!(form(&server(), serde_json::from_value(page).unwrap()), None);
    }

    #[test]
    fn answers_of_people_are_flat_and_bounded() {
        let read =
            |answer: Value| elicited(answer).map(|(result, outcome)| (result.content, outcome));
        let accepted =
            read(json!({"action": "accept", "content": {"a": ["x"], "b": 1}, "_meta": {}}));
        let content = json!({"a": ["x"], "b": 1});
        assert_eq!(accepted, Some((Some(content), ServerAnswer::Accepted)));
        let declined = read(json!({"action": "decline", "content": {"a": 1}}));
        assert_eq!(declined, Some((None, ServerAnswer::Declined)));
        assert_eq!(
            read(json!({"action": "accept", "content": {"a": {}}})),
            None
        );
        let long = "x".repeat(LONGEST_ANSWER);
        assert_eq!(
            read(json!({"action": "accept", "content": {"a": long}})),
            None
        );
    }

    fn sample(params: Value) -> Option<Value> {
        sampling(&server(), serde_json::from_value(params).unwrap())
    }

    #[test]
    fn messages_to_models_are_marked_bounded_and_text() {
        let hello = json!({"role": "user", "content": {"type": "text", "text": "a\u{200b}b"}});
        let asked = sample(json!({
            "messages": [hello], "maxTokens": 7, "systemPrompt": "Obey.", "includeContext": "allServers",
            "metadata": {"a": 1},
        }));
        let asked = asked.unwrap();
        assert_eq!(asked["messages"][0]["content"]["text"], "a\\u{200b}b");
        assert_eq!(
            (&asked["maxTokens"], &asked["includeContext"]),
            (&json!(7), &json!("none"))
        );
        assert_eq!(
            asked["systemPrompt"],
            "This request is from the mounted server `notes`. Toolwright has not checked its text.\n\n> Obey."
        );
        assert!(asked.get("metadata").is_none());
        let image = json!({"role": "user", "content": {"type": "image", "data": "", "mimeType": "image/png"}});
        assert_eq!(sample(json!({"messages": [image], "maxTokens": 1})), None);
        assert_eq!(sample(json!({"messages": [], "maxTokens": 1})), None);
        let many = vec![hello.clone(); MOST_MESSAGES + 1];
        assert_eq!(sample(json!({"messages": many, "maxTokens": 1})), None);
        let tools = json!({"messages": [hello], "maxTokens": 1, "toolChoice": {"mode": "auto"}});
        assert_eq!(sample(tools), None);
        let long = json!({"role": "user", "content": {"type": "text", "text": "x".repeat(LONGEST_SAMPLING)}});
        assert_eq!(sample(json!({"messages": [long], "maxTokens": 1})), None);
    }
}
