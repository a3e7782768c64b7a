//! The toy format: an operation a line.
//!
//! ```text
//! menu 1 https://bakery.example
//! get /cakes listCakes Lists the cakes.
//! ```

use serde_json::{Map, Value, json};
use toolwright_generator::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    format::{Field, Fields, Format, Node, keyed, text, value},
    source::{Place, SourceId},
};

/// The methods of the format.
const METHODS: [&str; 4] = ["get", "post", "put", "delete"];

/// The format of `.menu` files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Menu;

/// A word of a line with its place.
#[derive(Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    place: Place,
}

impl Format for Menu {
    fn name(&self) -> &str {
        "menu 1"
    }

    fn reads(&self, path: &str) -> bool {
        path.ends_with(".menu")
    }

    fn read(&self, source: SourceId, content: &str, diagnostics: &mut Diagnostics) -> Option<Node> {
        let mut at = 0;
        let mut lines = Vec::new();
        for line in content.split_inclusive('\n') {
            let words = words(source, at, line);
            at += line.len();
            lines.extend((!words.is_empty()).then_some(words));
        }
        let whole = Place::new(source, 0, content.len());
        let mut lines = lines.into_iter();
        let head = lines.next().unwrap_or_default();
        let [mark, version, server] = head.as_slice() else {
            let fault = Diagnostic::error(Code::Syntax, whole, "this is not a menu");
            diagnostics.report(fault.help("begin it with `menu 1` and the URL of the service"));
            return None;
        };
        if (mark.text, version.text) != ("menu", "1") {
            let message = format!("unsupported version `{}` of a menu", version.text);
            let fault = Diagnostic::error(Code::UnsupportedVersion, version.place, message);
            diagnostics.report(fault.help("write `menu 1`"));
            return None;
        }
        let mut paths = Fields::default();
        for line in lines {
            operation(&line, &mut paths, diagnostics);
        }
        let mut fields = Fields::default();
        let mut add = |key: &str, place: Place, node: Node| {
            let field = Field { key: place, node };
            fields.insert(key.to_owned(), field);
        };
        add("openapi", mark.place, text(version.place, "3.1.0"));
        add(
            "info",
            mark.place,
            value(mark.place, &json!({"title": "A menu", "version": "1"})),
        );
        add(
            "servers",
            server.place,
            value(server.place, &json!([{"url": server.text}])),
        );
        add("paths", whole, keyed(whole, paths));
        Some(keyed(whole, fields))
    }
}

/// Returns the first three words of a line, and the rest of it as the fourth.
fn words(source: SourceId, start: usize, line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(rest) = line.get(at..).filter(|rest| !rest.trim().is_empty()) {
        at += rest.len() - rest.trim_start().len();
        let rest = rest.trim();
        let word = match words.len() {
            3 => rest,
            _ => rest.split_whitespace().next().unwrap_or_default(),
        };
        let place = Place::new(source, start + at, start + at + word.len());
        words.push(Word { text: word, place });
        at += word.len();
    }
    words
}

/// Adds the operation of a line to the paths.
fn operation(line: &[Word<'_>], paths: &mut Fields, diagnostics: &mut Diagnostics) {
    let [method, path, id, summary] = line else {
        let place = line[0].place;
        let fault = Diagnostic::error(Code::Syntax, place, "this operation is not complete");
        diagnostics.report(fault.help("write a method, a path, an id and a sentence"));
        return;
    };
    if !METHODS.contains(&method.text) {
        let message = format!("`{}` is not a method of a menu", method.text);
        let fault = Diagnostic::error(Code::UnknownValue, method.place, message);
        diagnostics.report(fault.help(format!("write one of {}", METHODS.join(", "))));
        return;
    }
    let parameters = path.text.split('{').skip(1);
    let parameters: Value = parameters
        .filter_map(|part| part.split_once('}'))
        .map(|(name, _)| {
            json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}})
        })
        .collect();
    let content = json!({"application/json": {"schema": {"type": "object"}}});
    let described = json!({
        "operationId": id.text,
        "summary": summary.text,
        "parameters": parameters,
        "responses": {"200": {"description": "The result.", "content": content}},
    });
    let field = Field {
        key: method.place,
        node: value(id.place, &described),
    };
    let item = paths.entry(path.text.to_owned()).or_insert_with(|| Field {
        key: path.place,
        node: value(path.place, &Value::Object(Map::new())),
    });
    if let toolwright_generator::format::Data::Object(operations) = &mut item.node.data {
        operations.insert(method.text.to_owned(), field);
    }
}
