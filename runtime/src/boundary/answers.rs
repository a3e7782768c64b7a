//! Answers that are cut for an agent: the whole answer is a file of the store, and a tool reads its parts.
//!
//! Nothing is cut unless the operator asks for it. An answer is then an object with `cut_answer`, which no
//! agent can take for the answer itself, and the schema of each tool that the agent sees allows it.

use serde_json::{Map, Value, json};
use toolwright_model::{JsonPointer, ToolName, ToolSpec};

use super::{
    composition::Composition,
    files::Delivery,
    tool::{Tool, ToolContext},
    view::ScopedToolView,
};
use crate::{
    cut::{self, ENVELOPE, Part, Window},
    error::ToolError,
    files::{FileError, FileHandle, NewFile},
    output::ToolOutput,
    schema::Violation,
    system::offload,
    workspace::ServiceWorkspace,
};

/// The name of the tool that reads parts of an answer.
const READER: &str = "read-toolwright-answer";

/// The property of an answer that was cut.
const CUT: &str = "cut_answer";

/// The media type of the whole answer.
const JSON: &str = "application/json";

/// The largest answer that is cut, in bytes: the reader has it in memory. A larger one stays whole.
const LARGEST: u64 = 64 << 20;

/// Returns the tool that reads parts of answers. It is offered to each role that has one of the tools.
pub(crate) fn reader(tools: impl IntoIterator<Item = ToolName>) -> Option<Tool> {
    let spec = ToolSpec::from_json(include_str!("answers/read.json")).ok()?;
    Some(Tool::composed(spec, Composition::of_any(tools), read))
}

/// Returns a tool as an agent sees it whose answers may be cut.
pub(crate) fn with_cut_result(mut spec: ToolSpec) -> ToolSpec {
    if let Some(schema) = spec
        .output_schema
        .as_mut()
        .filter(|_| spec.name.as_str() != READER)
    {
        schema.edit(|root| {
            let cut = json!({
                "type": "object",
                "properties": {CUT: {"type": "object"}},
                "required": [CUT],
                "additionalProperties": false,
            });
            let whole = root.take();
            *root = json!({"anyOf": [whole, cut]});
        });
    }
    spec
}

impl ScopedToolView {
    /// Returns the size from which on answers are cut, if they are.
    pub(crate) fn cut_limit(&self) -> Option<u64> {
        let limits = self.core().files.as_ref()?.limits();
        let scope = self.scope();
        let is_for_an_agent = matches!(scope.delivery, Delivery::Store) && !scope.whole_answers;
        limits.cut.filter(|_| is_for_an_agent)
    }

    /// Returns an answer, cut if it is too large for the view. It stays whole if it cannot be stored.
    pub(crate) async fn cut_answer(
        &self,
        tool: &ToolName,
        source: Option<ServiceWorkspace>,
        mut output: ToolOutput,
    ) -> ToolOutput {
        let Some(limit) = self.cut_limit() else {
            return output;
        };
        let is_saved = output.file.is_some();
        let size = cut::length(&output.value) as u64;
        if is_saved || size <= limit || size > LARGEST || tool.as_str() == READER {
            return output;
        }
        let view = self.clone();
        let new = NewFile {
            media_type: JSON.to_owned(),
            name: None,
            tool: Some(tool.clone()),
            source,
        };
        let value = output.value.take();
        let stored = offload(move || {
            let content = value.to_string();
            let stored = view.store_file(new, &mut content.as_bytes());
            let stored = stored.map(|record| {
                let part = cut::part(&value, room(limit));
                (record.handle, part)
            });
            (value, stored.ok())
        });
        match stored.await {
            Ok((_, Some((file, part)))) => output.value = envelope(&file, size, part),
            Ok((value, None)) => output.value = value,
            // The program ends, and with it the call.
            Err(_) => {}
        }
        output
    }
}

/// Returns the room for the value of an answer that is cut.
fn room(limit: u64) -> usize {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    limit.saturating_sub(ENVELOPE)
}

fn envelope(file: &FileHandle, size: u64, part: Part) -> Value {
    let mut fields = Map::new();
    let note = format!(
        "This answer has {size} bytes and was cut. To read the rest, call `{READER}` with `file` and a place."
    );
    fields.insert("note".to_owned(), note.into());
    fields.insert("file".to_owned(), file.to_string().into());
    insert_part(&mut fields, part);
    json!({ CUT: fields })
}

fn insert_part(fields: &mut Map<String, Value>, part: Part) {
    if part.count > 0 {
        let omitted = part.omitted.iter().map(cut::Omitted::to_json);
        fields.insert("omitted".to_owned(), omitted.collect());
        fields.insert("omitted_count".to_owned(), part.count.into());
    }
    fields.insert("value".to_owned(), part.value);
}

/// Carries out a call of the reader.
async fn read(context: ToolContext, arguments: Value) -> Result<Value, ToolError> {
    let view = context.view().clone();
    let limit = view.core().file_limits.cut.unwrap_or(LARGEST);
    let tool = context.tool.clone();
    let read = offload(move || read_part(&view, &arguments, limit));
    match read.await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(Unread::File(error))) => Err(error.into()),
        Ok(Err(Unread::Argument(violation))) => Err(ToolError::InvalidArguments {
            tool,
            violations: vec![violation],
        }),
        Err(_) => Err(ToolError::Undecided {
            message: "the program ends".to_owned(),
        }),
    }
}

/// The reason why a part is not read.
enum Unread {
    File(FileError),
    Argument(Violation),
}

fn read_part(view: &ScopedToolView, arguments: &Value, limit: u64) -> Result<Value, Unread> {
    let text = |key: &str| arguments.get(key).and_then(Value::as_str);
    let handle = text("file").unwrap_or_default().parse::<FileHandle>();
    let handle = handle.map_err(|_| Unread::File(FileError::NotFound))?;
    let file = view.open_file(&handle).map_err(Unread::File)?;
    if file.record().media_type != JSON {
        return Err(misfit("file", "is not an answer that was cut"));
    }
    let content = file.read(LARGEST).map_err(Unread::File)?;
    let answer: Result<Value, _> = serde_json::from_slice(&content);
    let answer = answer.map_err(|_| misfit("file", "is not JSON"))?;
    let place = text("place").unwrap_or_default();
    let value = answer.pointer(place);
    let value = value.ok_or_else(|| misfit("place", "the answer has nothing there"))?;
    let from = arguments.get("from").and_then(Value::as_f64);
    // Arguments fit the schema: a whole number that is not negative, and a large one is after the end.
    let from = from.map_or(0, |from| from as usize);
    let steps = JsonPointer::steps_of(place).into_iter().flatten();
    let place = JsonPointer::from_iter(steps);
    let Window { part, of, next } = cut::window(value, &place, from, room(limit));
    let mut fields = Map::new();
    for (key, number) in [("of", of), ("next", next)] {
        if let Some(number) = number {
            fields.insert(key.to_owned(), number.into());
        }
    }
    insert_part(&mut fields, part);
    Ok(fields.into())
}

fn misfit(argument: &str, message: &str) -> Unread {
    Unread::Argument(Violation {
        pointer: JsonPointer::from_iter([argument]).into(),
        message: message.to_owned(),
    })
}
