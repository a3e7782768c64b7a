//! A hostile service, and tools that fail badly, return the secret of the call in many forms and
//! places. Each case states whether the secret is removed, or why it is not.

use std::sync::Arc;

use axum::{body::Body, response::Response};
use base64::{
    Engine,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD},
};
use serde_json::{Value, json};
use toolwright::{
    Kind, ScopedToolView, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, audit::MemoryAudit,
};

use crate::support::{
    Service, answer, at, auth_file, get_item, redirect, spec, view_of, with_binding,
};

const SECRET: &str = "S3CRETtoken0123456789/abcdef+42";

/// The expected fate of a secret that comes back.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Removed,
    /// It passes, for this reason.
    Passes(&'static str),
}
use Fate::{Passes, Removed};

const ARBITRARY: &str = "a service can invent encodings without end; nothing sends it by accident";

/// The forms: a name, what is sent, what would be found if it passed, and its fate.
fn forms() -> Vec<(&'static str, String, String, Fate)> {
    let s = SECRET;
    let each = |write: fn(char) -> String| -> String { s.chars().map(write).collect() };
    let hex: String = s.bytes().map(|byte| format!("{byte:02x}")).collect();
    let hex_with = |between: &str| -> String {
        let bytes: Vec<String> = s.bytes().map(|byte| format!("{byte:02x}")).collect();
        bytes.join(between)
    };
    let half = s.len() / 2;
    let same = |name, text: String, fate| (name, text.clone(), text, fate);
    vec![
        same("as it is", s.to_owned(), Removed),
        same(
            "within a sentence",
            format!("you sent {s}, thanks"),
            Removed,
        ),
        same("after Bearer", format!("Bearer {s}"), Removed),
        same("upper case", s.to_uppercase(), Removed),
        same("lower case", s.to_lowercase(), Removed),
        same(
            "percent-encoded",
            s.replace('/', "%2F").replace('+', "%2B"),
            Removed,
        ),
        same(
            "percent-encoded in lower case",
            s.replace('/', "%2f").replace('+', "%2b"),
            Removed,
        ),
        same(
            "percent-encoded whole",
            each(|c| format!("%{:02X}", c as u32)),
            Removed,
        ),
        same(
            "percent-encoded twice",
            s.replace('/', "%252F").replace('+', "%252B"),
            Removed,
        ),
        same("base64", BASE64_STANDARD.encode(s), Removed),
        same(
            "base64 of an URL",
            BASE64_URL_SAFE_NO_PAD.encode(s),
            Removed,
        ),
        same(
            "base64 after Bearer",
            BASE64_STANDARD.encode(format!("Bearer {s}")),
            Removed,
        ),
        same(
            "base64 after a user",
            BASE64_STANDARD.encode(format!("ann:{s}")),
            Removed,
        ),
        same(
            "base64 within text",
            format!("<{}>", BASE64_STANDARD.encode(format!("x{s}y"))),
            Removed,
        ),
        same("hexadecimal", hex.clone(), Removed),
        same("hexadecimal in upper case", hex.to_uppercase(), Removed),
        same("hexadecimal within more", format!("00{hex}ff"), Removed),
        same("reversed", s.chars().rev().collect(), Removed),
        same(
            "escaped for JSON",
            each(|c| format!("\\u{:04x}", c as u32)),
            Removed,
        ),
        same("slashes escaped", s.replace('/', "\\/"), Removed),
        same("as entities", each(|c| format!("&#{};", c as u32)), Removed),
        same(
            "base64 of hexadecimal",
            BASE64_STANDARD.encode(&hex),
            Removed,
        ),
        same(
            "base64 of reversed",
            BASE64_STANDARD.encode(s.chars().rev().collect::<String>()),
            Removed,
        ),
        same("with NULs between", each(|c| format!("{c}\0")), Removed),
        same(
            "escaped for C",
            each(|c| format!("\\x{:02x}", c as u32)),
            Removed,
        ),
        same(
            "as hexadecimal entities",
            each(|c| format!("&#x{:X};", c as u32)),
            Removed,
        ),
        same("hexadecimal with colons", hex_with(":"), Removed),
        same("hexadecimal of a dump", hex_with(" "), Removed),
        same(
            "base64 in lines",
            lines(&BASE64_STANDARD.encode(format!("Bearer {s}"))),
            Removed,
        ),
        same("spaced", each(|c| format!("{c} ")), Removed),
        same(
            "with zero-width characters between",
            each(|c| format!("{c}\u{200b}")),
            Removed,
        ),
        same(
            "in two parts",
            format!("{}|{}", &s.get(..half).unwrap(), &s.get(half..).unwrap()),
            Removed,
        ),
        same("shifted letters", each(rot13), Passes(ARBITRARY)),
        same(
            "base64 of base64",
            BASE64_STANDARD.encode(BASE64_STANDARD.encode(BASE64_STANDARD.encode(s))),
            Removed,
        ),
        same(
            "in octal",
            each(|c| format!("\\{:o}", c as u32)),
            Passes(ARBITRARY),
        ),
    ]
}

/// Splits a string into lines of sixteen characters.
fn lines(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let lines = characters.chunks(16).map(|line| line.iter().collect());
    lines.collect::<Vec<String>>().join("\r\n")
}

fn rot13(c: char) -> String {
    let shift = |base: u8| char::from(base + (c as u8 - base + 13) % 26).to_string();
    match c {
        'a'..='z' => shift(b'a'),
        'A'..='Z' => shift(b'A'),
        other => other.to_string(),
    }
}

/// A place in a response: its name, and a response with this string there.
type Place = (&'static str, fn(&str) -> Response);

const PLACES: &[Place] = &[
    ("a JSON string", |text| {
        json_answer(200, &json!({"echo": text}))
    }),
    ("a JSON key", |text| json_answer(200, &json!({text: 1}))),
    ("a nested value", |text| {
        json_answer(200, &json!([{"a": [text]}]))
    }),
    ("text", |text| answer(200, "text/plain", text.to_owned())),
    ("bytes", |text| {
        answer(200, "application/octet-stream", text.to_owned())
    }),
    ("lines", |text| {
        answer(
            200,
            "application/x-ndjson",
            format!("{}\n", json!({"a": text})),
        )
    }),
    ("events", |text| {
        answer(
            200,
            "text/event-stream",
            format!("data: {}\n\n", json!(text)),
        )
    }),
    ("a failure", |text| {
        json_answer(500, &json!({"message": text}))
    }),
    ("a failure in text", |text| {
        answer(502, "text/plain", text.to_owned())
    }),
    ("a failure in bytes", |text| {
        answer(500, "image/png", text.to_owned())
    }),
    ("JSON that is none", |text| {
        answer(200, "application/json", format!("{{\"a\": {text}"))
    }),
];

fn json_answer(status: u16, value: &Value) -> Response {
    answer(status, "application/json", value.to_string())
}

/// `GET /items/{id}` with a bearer token, whose answer nothing describes.
fn tool(url: &str) -> ToolSpec {
    with_binding(at(get_item(), url), |binding| {
        binding.answers.clear();
        binding.security =
            serde_json::from_value(json!([[{"scheme": "b", "kind": "bearer"}]])).unwrap();
    })
}

/// Everything that an agent, a log or an audit can see of a result.
fn everything_visible(result: &Result<ToolOutput, ToolError>) -> String {
    match result {
        Ok(output) => format!("{} {output:?}", output.value),
        Err(error) => format!(
            "{error} {error:?} {} {:?} {:?}",
            error.to_json(),
            error.detail(),
            error.body().map(ToString::to_string)
        ),
    }
}

/// Returns whether the string is there, also as the base64 of the bytes around it.
fn contains_form(seen: &str, text: &str) -> bool {
    let in_json = json!(text).to_string();
    let in_json = in_json.trim_matches('"');
    let words = seen.split(|c: char| !c.is_ascii_alphanumeric() && !"+/=".contains(c));
    let mut decoded = words.filter_map(|word| BASE64_STANDARD.decode(word).ok());
    let bytes = text.as_bytes();
    seen.contains(text)
        || seen.contains(in_json)
        || decoded.any(|word| word.windows(bytes.len()).any(|window| window == bytes))
}

/// A service whose answers are chosen by the item that is asked for.
struct Hostile {
    view: ScopedToolView,
    audit: Arc<MemoryAudit>,
    _folder: tempfile::TempDir,
}

impl Hostile {
    async fn start(answer: impl Fn(usize) -> Response + Clone + Send + Sync + 'static) -> Self {
        let service = Service::start(move |seen| {
            let item = seen.target.trim_start_matches("/items/").parse().unwrap();
            let answer = answer(item);
            async move { answer }
        })
        .await;
        let secrets = json!({"base_url": service.url, "api_token": SECRET});
        let (folder, credentials) = auth_file(&secrets);
        let (view, audit) = view_of(tool(&service.url), credentials);
        Self {
            view,
            audit,
            _folder: folder,
        }
    }

    async fn call(&self, item: usize) -> Result<ToolOutput, ToolError> {
        let arguments = json!({"id": item.to_string()});
        self.view.call_json("get-depot-item", arguments).await
    }

    /// Everything that can be seen of a call.
    async fn everything_visible(&self, item: usize) -> String {
        everything_visible(&self.call(item).await)
    }
}

async fn call(answer: impl Fn() -> Response + Clone + Send + Sync + 'static) -> String {
    Hostile::start(move |_| answer())
        .await
        .everything_visible(0)
        .await
}

#[tokio::test]
async fn responses_are_cleaned_of_every_form_in_every_place() {
    let cases: Vec<_> = (forms().into_iter())
        .filter(|(.., fate)| *fate == Removed)
        .flat_map(|form| PLACES.iter().map(move |place| (form.clone(), place)))
        .collect();
    let answers = cases.clone();
    let hostile = Hostile::start(move |item| {
        let ((_, sent, ..), (_, answer)) = &answers[item];
        answer(sent)
    })
    .await;
    for (item, ((form, _, found, _), (place, _))) in cases.iter().enumerate() {
        let seen = hostile.everything_visible(item).await;
        assert!(!contains_form(&seen, found), "{form} in {place}: {seen}");
        assert!(!contains_form(&seen, SECRET), "{form} in {place}: {seen}");
    }
    let events = serde_json::to_string(&hostile.audit.events()).unwrap();
    assert!(!contains_form(&events, SECRET), "{events}");
}

#[tokio::test]
async fn harmless_strings_are_not_removed() {
    for (form, sent, found, fate) in forms() {
        if fate == Removed {
            continue;
        }
        let seen = call(move || json_answer(200, &json!({"echo": sent}))).await;
        assert!(
            contains_form(&seen, &found),
            "{form} is removed: change its fate"
        );
    }
}

#[tokio::test]
async fn media_types_links_and_redirects_are_cleaned() {
    let media_type = || answer(200, &format!("application/{SECRET}"), "x".to_owned());
    let seen = call(media_type).await;
    assert!(
        !contains_form(&seen.to_lowercase(), &SECRET.to_lowercase()),
        "{seen}"
    );

    let link = || {
        let mut answer = json_answer(200, &json!([1]));
        let link = format!("<http://127.0.0.1/next?token={SECRET}>; rel=\"next\"");
        answer.headers_mut().insert("link", link.parse().unwrap());
        answer
    };
    assert!(!contains_form(&call(link).await, SECRET));

    let host = SECRET.to_lowercase().replace(['/', '+'], "");
    let location = format!("http://{host}.evil.test/{SECRET}");
    let seen = call(move || redirect(302, &location)).await;
    assert!(!contains_form(&seen, SECRET), "{seen}");
}

#[tokio::test]
async fn a_secret_of_digits_is_removed_from_numbers() {
    let service =
        Service::start(|_| async { json_answer(200, &json!({"echo": 4_711_471_147_114_711_u64})) })
            .await;
    let secrets = json!({"base_url": service.url, "api_token": "4711471147114711"});
    let (_folder, credentials) = auth_file(&secrets);
    let (view, _) = view_of(tool(&service.url), credentials);
    let output = view.call_json("get-depot-item", json!({"id": "1"})).await;
    assert_eq!(output.unwrap().value, json!({"echo": "[redacted]"}));
}

#[tokio::test]
async fn a_truncated_answer_never_ends_within_a_secret() {
    let hostile = Hostile::start(|kept| {
        let padding = "x".repeat((1 << 20) - kept);
        answer(
            400,
            "text/plain",
            Body::from(format!("{padding}{SECRET} more")),
        )
    })
    .await;
    for kept in 0..=SECRET.len() {
        let error = hostile.call(kept).await.unwrap_err();
        let text = error.body().unwrap().as_str().unwrap();
        let (text, _) = text.split_once("\n[truncated").unwrap();
        let rest = text.trim_start_matches('x').trim_end_matches("[redacted]");
        assert_eq!(rest, "", "{kept} characters of the secret were read");
    }
}

#[tokio::test]
async fn results_of_hand_written_tools_are_cleaned() {
    let own = "obtained-by-the-tool-itself";
    let spec = || {
        spec(
            "get-depot-native",
            Kind::Read,
            json!({"method": "GET", "path": "/"}),
            json!({"type": "object"}),
        )
    };
    type Body = fn(&ToolContext) -> Result<Value, ToolError>;
    let bodies: [Body; 5] = [
        |_| Ok(json!({"token": SECRET})),
        |_| Err(ToolError::failed(format!("cannot connect with {SECRET}"))),
        |_| Err(ToolError::failed("connect postgres://u:pass-of-nobody@db")),
        |context| {
            context.conceal("obtained-by-the-tool-itself");
            Err(ToolError::failed("got obtained-by-the-tool-itself"))
        },
        |_| panic!("with {SECRET}"),
    ];
    for body in bodies {
        let (_folder, credentials) = auth_file(&json!({"api_token": SECRET}));
        let audit = Arc::new(MemoryAudit::new());
        let registry = crate::support::builder(&audit)
            .credentials(credentials)
            .tool(Tool::native(spec(), move |context, _| async move {
                body(&context)
            }))
            .grant("reader", "*")
            .build()
            .unwrap();
        let view = registry.for_agent(&crate::support::role("reader"));
        let result = view.call_json("get-depot-native", json!({})).await;
        let events = serde_json::to_string(&audit.events()).unwrap();
        let seen = format!("{} {events}", everything_visible(&result));
        for secret in [SECRET, own, "pass-of-nobody"] {
            assert!(!contains_form(&seen, secret), "{seen}");
        }
    }
}
