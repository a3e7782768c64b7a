//! Operations whose path or id is too long to be read as a name.
//!
//! Names are read word by word, and words are compared with one another. The limits are ten times the longest path and
//! id of real documents, and keep the time for a hostile document short.

use crate::{
    document::diagnostic::{Code, Diagnostic, Diagnostics},
    parse::openapi::{Document, OperationKey},
};

/// The longest path, in bytes.
const LONGEST_PATH: usize = 2_000;

/// The longest operation id, in bytes.
const LONGEST_ID: usize = 1_000;

/// Leaves out the operations of a document with too long a path or id.
pub(super) fn leave_out(document: &mut Document<'_>, diagnostics: &mut Diagnostics) {
    let Document {
        operations, broken, ..
    } = document;
    operations.retain(|operation| {
        let long = too_long(&operation.key);
        if let Some(what) = long {
            diagnostics.report(long_name(&operation.key, what));
            broken.push(operation.key.clone());
        }
        long.is_none()
    });
}

/// Returns the part of the key that is too long, with its limit.
fn too_long(key: &OperationKey) -> Option<(&'static str, usize)> {
    let id = key.operation_id.as_deref().unwrap_or_default();
    if key.path.len() > LONGEST_PATH {
        return Some(("path", LONGEST_PATH));
    }
    (id.len() > LONGEST_ID).then_some(("operation id", LONGEST_ID))
}

fn long_name(key: &OperationKey, (what, limit): (&str, usize)) -> Diagnostic {
    let message = format!("the {what} of the operation is longer than {limit} bytes");
    Diagnostic::warning(Code::Unnameable, key.place, message)
        .label("this operation is left out")
        .note("names of tools are read from paths and operation ids")
        .help(format!(
            "give the operation a shorter {what}, or exclude it"
        ))
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeMap,
        time::{Duration, Instant},
    };

    use serde_json::{Map, Value, json};

    use crate::{
        generate::{self, Input, Options, Outcome, Unnameable},
        load::Memory,
    };

    fn run(paths: impl IntoIterator<Item = (String, String)>) -> Outcome {
        let operation = |id: String| json!({"get": {"operationId": id, "responses": {"200": {"description": "x"}}}});
        let paths = paths.into_iter().map(|(path, id)| (path, operation(id)));
        let paths: Map<String, Value> = paths.collect();
        let info = json!({"title": "t", "version": "1"});
        let document = json!({"openapi": "3.1.0", "info": info, "paths": paths});
        let files = BTreeMap::from([("a.json".to_owned(), document.to_string().into_bytes())]);
        let options = Options {
            unnameable: Unnameable::LeaveOut,
            ..Options::default()
        };
        generate::run(
            &[Input::new("a.json").service("svc")],
            options,
            &Memory(files),
        )
    }

    #[test]
    fn long_paths_and_ids_cost_their_operations() {
        let outcome = run([
            ("/items".to_owned(), "listItems".to_owned()),
            ("/things".to_owned(), format!("get{}", "Very".repeat(250))),
            (format!("/{}", "x".repeat(2_000)), "getThing".to_owned()),
        ]);
        let messages = outcome.diagnostics.iter().map(|one| one.message.as_str());
        let long = messages.filter(|message| message.contains(" is longer than "));
        assert_eq!(long.count(), 2);
        let specs = outcome.catalog.as_ref().unwrap().tool_specs();
        let names = specs.into_iter().map(|spec| spec.name.to_string());
        assert_eq!(names.collect::<Vec<_>>(), ["list-svc-items"]);
    }

    /// The time for a name must not grow with the product of its words and the segments of its path, and the
    /// time for a document not with the square of its paths.
    #[test]
    fn long_names_and_many_equal_paths_take_little_time() {
        let begin = Instant::now();
        let id = format!("get{}", "Very".repeat(240));
        let segments = "/{a}".repeat(400);
        run((0..50).map(|n| (format!("/y{n}{segments}"), format!("{id}{n}"))));
        run((0..1_500).map(|n| (format!("/items/{{a{n}}}"), "getItem".to_owned())));
        assert!(begin.elapsed() < Duration::from_secs(60));
    }
}
