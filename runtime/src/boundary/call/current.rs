//! Reads the current values of what an update changes, for the person who approves it.
//!
//! The read is a call of the role's own: it passes every gate, its events name the update as their
//! parent, and it reaches nothing that the role could not read itself. Whatever becomes of it, the
//! update waits as it does without it.

use std::time::Duration;

use futures_core::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::time::timeout;
use toolwright_model::{
    Binding, BodyContent, BodyShape, Bound, Effect, HttpBinding, Location, Method, Parameter,
    TemplatePart, WorkspaceName, template_segments,
};

use super::{Callee, record::CallRecord, run};
use crate::{
    approval::{Change, Changes, Masked, common, compare},
    boundary::{
        core::{Policy, RegisteredTool},
        secrets::CallSecrets,
        tool::Action,
        view::ScopedToolView,
    },
    error::ToolError,
    output::ToolOutput,
};

/// The longest that an update is held up by the read.
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest answer that is read, in bytes.
pub(super) const LONGEST_READ: u64 = 256 * 1024;

/// A call of an update that a person must approve.
#[derive(Clone, Copy)]
pub(super) struct Update<'a> {
    pub(super) view: &'a ScopedToolView,
    pub(super) policy: &'a Policy,
    pub(super) entry: &'a RegisteredTool,
    pub(super) arguments: &'a Map<String, Value>,
    /// The arguments as a person is shown them: masked, and without the secrets of the call.
    pub(super) masked: &'a Value,
    pub(super) secrets: &'a CallSecrets,
    /// The named workspace of the service, in which the values are read.
    pub(super) workspace: Option<&'a WorkspaceName>,
}

/// The call that reads what an update changes.
struct Reading<'a> {
    entry: &'a RegisteredTool,
    arguments: Map<String, Value>,
}

/// The argument that holds a field of a body, and the name of the field in the answer; no name if
/// the argument is the whole body.
type SetField<'a> = (&'a str, Option<&'a str>);

impl<'a> Update<'a> {
    /// Returns the changes with the current values, or with the reason why they are unknown; none if
    /// the call is not an update of something that has an address.
    pub(super) async fn changes(self, record: &CallRecord<'_>) -> Option<Changes> {
        let binding = updating(self.entry)?;
        let read = match self.reading(binding) {
            Ok((fields, reading)) => self.read(&fields, reading, record).await,
            Err(reason) => Err(reason.to_owned()),
        };
        Some(read.unwrap_or_else(|reason| Changes::Unread { reason }))
    }

    /// Plans the read.
    fn reading(
        self,
        binding: &'a HttpBinding,
    ) -> Result<(Vec<SetField<'a>>, Reading<'a>), &'static str> {
        let fields = self.set_fields(binding);
        let fields = fields.ok_or("the body of the request is not an object with fields")?;
        if fields.is_empty() {
            return Err("the call sets no field");
        }
        let core = self.view.core();
        let entries = self.policy.tools.values();
        let mut readers = entries
            .filter_map(|entry| Some((entry.as_ref(), reading_of(self.entry, binding, entry)?)))
            .peekable();
        if readers.peek().is_none() {
            return Err("no tool reads what the call changes");
        }
        let (policy, scope) = (core.policy(), self.view.scope());
        let is_permitted = |entry: &RegisteredTool| {
            let name = entry.spec().name.as_str();
            scope.permits(core, &policy, name).is_ok()
        };
        let mut permitted = readers.filter(|(entry, _)| is_permitted(entry)).peekable();
        if permitted.peek().is_none() {
            return Err("the role may not call the tool that reads what the call changes");
        }
        let mut readings = permitted.filter_map(|(entry, reader)| {
            let arguments = arguments_of(binding, reader, self.arguments)?;
            Some(Reading { entry, arguments })
        });
        let reading = readings.next();
        let reading = reading.ok_or("the tool that reads it needs further arguments")?;
        Ok((fields, reading))
    }

    /// Returns the fields that the call sets.
    fn set_fields(self, binding: &'a HttpBinding) -> Option<Vec<SetField<'a>>> {
        let body = binding.body.as_ref()?;
        if !matches!(body.content, BodyContent::Json | BodyContent::Form) {
            return None;
        }
        match &body.shape {
            BodyShape::Whole(bound) => {
                let name = bound.argument()?;
                self.arguments.get(name)?.as_object()?;
                Some(vec![(name, None)])
            }
            BodyShape::Fields(fields) => {
                let set = fields.iter().filter_map(|field| {
                    let name = field.value.argument()?;
                    self.arguments.get(name)?;
                    Some((name, Some(field.name.as_str())))
                });
                Some(set.collect())
            }
        }
    }

    /// Makes the read, and compares the values.
    async fn read(
        self,
        fields: &[SetField<'_>],
        reading: Reading<'_>,
        record: &CallRecord<'_>,
    ) -> Result<Changes, String> {
        let spec = reading.entry.spec();
        let mut view = self.view.reading_for_approval(record.id());
        if let Some(workspace) = self.workspace {
            view = view.in_workspace(spec.service.clone(), workspace.clone());
        }
        let called = call(&view, spec.name.as_str(), reading.arguments);
        let Ok(answered) = timeout(READ_TIMEOUT, called).await else {
            let seconds = READ_TIMEOUT.as_secs();
            return Err(format!("`{}` did not answer within {seconds} s", spec.name));
        };
        let output = answered.map_err(|error| match error {
            ToolError::AnswerTooLarge { .. } => {
                format!("the answer of `{}` is too long", spec.name)
            }
            error => format!("`{}` failed: {}", spec.name, error.code()),
        })?;
        if !output.value.is_object() {
            return Err(format!("`{}` did not answer with an object", spec.name));
        }
        let by_output = reading.entry.masked_output(&output.value);
        let (fields, further) = self.compare(
            fields,
            Masked {
                plain: &output.value,
                shown: &by_output,
            },
        );
        Ok(Changes::Read {
            tool: spec.name.clone(),
            time: self.view.core().clock.now(),
            fields,
            further,
            version: output.etag,
        })
    }

    /// Compares the answer with the arguments that set fields. A value is masked if it is one in the
    /// schema of the answer, or would be one among the arguments. The answer has left its call, so it
    /// contains no secrets of the service; neither do the arguments here, before any value is cut.
    fn compare(self, fields: &[SetField<'_>], answer: Masked<'_>) -> (Vec<Change>, usize) {
        let arguments = Value::Object(self.arguments.clone());
        let arguments = self.secrets.redactor().value(arguments);
        let (mut plain, mut shown, mut set) = (Map::new(), Map::new(), Map::new());
        let mut set_shown = Map::new();
        for (argument, wire) in fields {
            let Some(after) = arguments.get(*argument) else {
                continue;
            };
            set.insert((*argument).to_owned(), after.clone());
            let masked = self.masked.get(argument).unwrap_or(&Value::Null);
            set_shown.insert((*argument).to_owned(), masked.clone());
            let of = |value: &Value| match wire {
                Some(name) => value.get(name).map(|value| common(value, after)),
                None => Some(common(value, after)),
            };
            if let (Some(value), Some(masked)) = (of(answer.plain), of(answer.shown)) {
                plain.insert((*argument).to_owned(), value);
                shown.insert((*argument).to_owned(), masked);
            }
        }
        // The schema may tell by other arguments whether one is a secret.
        let mut as_arguments = arguments.as_object().cloned().unwrap_or_default();
        as_arguments.extend(plain.clone());
        let by_input = self.entry.masked(&Value::Object(as_arguments), self.policy);
        for (name, value) in &mut shown {
            if by_input.get(name) != plain.get(name) {
                *value = by_input.get(name).cloned().unwrap_or_default();
            }
        }
        let (plain, shown) = (Value::Object(plain), Value::Object(shown));
        let (set, set_shown) = (Value::Object(set), Value::Object(set_shown));
        let before = Masked {
            plain: &plain,
            shown: &shown,
        };
        let after = Masked {
            plain: &set,
            shown: &set_shown,
        };
        compare(before, after)
    }
}

/// Calls a tool. The future is boxed, since a call of an update contains a call of its read.
fn call<'a>(
    view: &'a ScopedToolView,
    tool: &'a str,
    arguments: Map<String, Value>,
) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
    Box::pin(run(view, Callee::Tool(tool), arguments.into()))
}

/// Returns the binding of a tool that updates something by a request. By its effect alone many an
/// update could not be recognised: one that overwrites a secret is an action.
fn updating(entry: &RegisteredTool) -> Option<&HttpBinding> {
    let spec = entry.spec();
    let Binding::Http(binding) = &spec.binding else {
        return None;
    };
    let updates =
        spec.effect == Effect::Update || matches!(binding.method, Method::Put | Method::Patch);
    (updates && sends_binding(entry)).then_some(binding)
}

fn sends_binding(entry: &RegisteredTool) -> bool {
    matches!(entry.tool.action(), Action::Binding)
}

/// Returns the binding of a tool that reads what an update changes, without a person: the same path
/// of the same service, by `GET`.
fn reading_of<'r>(
    update: &RegisteredTool,
    binding: &HttpBinding,
    reader: &'r RegisteredTool,
) -> Option<&'r HttpBinding> {
    let (spec, updating) = (reader.spec(), update.spec());
    let Binding::Http(reading) = &spec.binding else {
        return None;
    };
    let reads = reading.method == Method::Get && spec.hints.read_only && !spec.approval_required;
    let is_same = spec.service == updating.service
        && reading.base_url == binding.base_url
        && shape_of(&reading.path) == shape_of(&binding.path);
    (reads && is_same && sends_binding(reader)).then_some(reading)
}

/// Returns a path template without the names of its placeholders.
fn shape_of(template: &str) -> Vec<Vec<TemplatePart<'_>>> {
    let mut segments = template_segments(template);
    for part in segments.iter_mut().flatten() {
        if let TemplatePart::Placeholder(name) = part {
            *name = "";
        }
    }
    segments
}

fn placeholders(template: &str) -> impl Iterator<Item = &str> {
    let parts = template_segments(template).into_iter().flatten();
    parts.filter_map(|part| match part {
        TemplatePart::Placeholder(name) => Some(name),
        TemplatePart::Literal(_) => None,
    })
}

/// Returns the arguments of the read: those of the update that identify what it changes. None if the
/// read needs others.
fn arguments_of(
    update: &HttpBinding,
    read: &HttpBinding,
    given: &Map<String, Value>,
) -> Option<Map<String, Value>> {
    let mut arguments = Map::new();
    let pairs = placeholders(&update.path).zip(placeholders(&read.path));
    let pairs: Vec<_> = pairs.collect();
    for parameter in &read.parameters {
        let name = match parameter.location {
            Location::Path => {
                let pair = pairs.iter().find(|(_, read)| *read == parameter.name);
                pair.map(|(update, _)| *update)?
            }
            _ => parameter.name.as_str(),
        };
        let source = parameter_of(update, parameter.location, name);
        let source = source.filter(|source| source.serialization == parameter.serialization);
        match (&parameter.value, source.map(|source| &source.value)) {
            (Bound::Argument(name), Some(Bound::Argument(source)))
                if given.contains_key(source) =>
            {
                arguments.insert(name.clone(), given.get(source)?.clone());
            }
            (Bound::Argument(_), _) if parameter.required => return None,
            // A path with another constant is another thing.
            (fixed, source) if parameter.location == Location::Path && source != Some(fixed) => {
                return None;
            }
            _ => {}
        }
    }
    Some(arguments)
}

fn parameter_of<'b>(
    binding: &'b HttpBinding,
    location: Location,
    name: &str,
) -> Option<&'b Parameter> {
    let mut parameters = binding.parameters.iter();
    parameters.find(|parameter| parameter.location == location && parameter.name == name)
}
