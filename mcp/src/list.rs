//! The list of tools for clients: in pages, rendered once until it changes.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rmcp::{ErrorData, model::Tool};
use serde_json::{Map, Value};
use toolwright::{
    ScopedToolView, ToolSpec,
    render::mcp::{self, OutputSchemas, ResultForm},
};
use toolwright_schema::json_length;

/// The limit of a page, in bytes of its tools as JSON; one tool alone may be larger.
/// No list that a model can use comes near, but there are clients that end the connection over a
/// message of tens of megabytes, such as the list of all that an administrator may call.
const PAGE_BYTES: usize = 4 << 20;

/// A rendered tool.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    tool: Tool,
    bytes: usize,
}

/// The list that was rendered last, and how the results of tools are shown.
#[derive(Default)]
pub(crate) struct Listing {
    schemas: OutputSchemas,
    last: Mutex<Option<Rendered>>,
    forms: Mutex<BTreeMap<String, Arc<ResultForm>>>,
}

#[derive(Clone)]
struct Rendered {
    specs: Arc<[Arc<ToolSpec>]>,
    tools: Arc<[Listed]>,
}

impl Listing {
    pub(crate) fn new(schemas: OutputSchemas) -> Self {
        Self {
            schemas,
            ..Self::default()
        }
    }

    /// Returns a page of the tools of a view and the cursor of the next one.
    pub(crate) fn page(
        &self,
        view: &ScopedToolView,
        cursor: Option<&str>,
    ) -> Result<(Vec<Tool>, Option<String>), ErrorData> {
        page(&self.tools(view)?, cursor, PAGE_BYTES)
    }

    /// Returns how the results of a tool of the view are shown.
    pub(crate) fn form(&self, view: &ScopedToolView, name: &str) -> Option<Arc<ResultForm>> {
        let known = lock(&self.forms).get(name).map(Arc::clone);
        if known.is_some() {
            return known;
        }
        let form = Arc::new(ResultForm::new(&*view.spec(name)?, self.schemas));
        lock(&self.forms).insert(name.to_owned(), Arc::clone(&form));
        Some(form)
    }

    /// Returns the tools of a view, rendered again only if they changed.
    fn tools(&self, view: &ScopedToolView) -> Result<Arc<[Listed]>, ErrorData> {
        let specs: Arc<[_]> = view.shown().into();
        let last = lock(&self.last).clone();
        let tools = match last {
            Some(last) if same(&last.specs, &specs) => last.tools,
            _ => render(&specs, self.schemas)?.into(),
        };
        let rendered = Rendered {
            specs,
            tools: Arc::clone(&tools),
        };
        *lock(&self.last) = Some(rendered);
        Ok(tools)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn same(last: &[Arc<ToolSpec>], now: &[Arc<ToolSpec>]) -> bool {
    let mut pairs = last.iter().zip(now);
    last.len() == now.len() && pairs.all(|(a, b)| Arc::ptr_eq(a, b) || a == b)
}

/// Renders tools in their order.
pub(crate) fn render(
    specs: &[Arc<ToolSpec>],
    schemas: OutputSchemas,
) -> Result<Vec<Listed>, ErrorData> {
    specs.iter().map(|spec| listed(spec, schemas)).collect()
}

fn listed(spec: &ToolSpec, schemas: OutputSchemas) -> Result<Listed, ErrorData> {
    let value = Value::Object(mcp::tool(spec, schemas));
    let bytes = json_length(&value);
    let tool = tool(value).map_err(|error| {
        let message = format!("cannot show the tool `{}`: {error}", spec.name);
        ErrorData::internal_error(message, None)
    })?;
    Ok(Listed { tool, bytes })
}

/// Converts a tool to the type of `rmcp`. The schemas are moved; deserializing them would copy all of their parts.
fn tool(mut value: Value) -> Result<Tool, serde_json::Error> {
    let mut schema = |name| match value.get_mut(name).map(Value::take) {
        Some(Value::Object(schema)) => Some(Arc::new(schema)),
        _ => None,
    };
    let (input, output) = (schema("inputSchema"), schema("outputSchema"));
    if let Some(fields) = value.as_object_mut() {
        fields.insert("inputSchema".to_owned(), Value::Object(Map::new()));
    }
    let mut tool: Tool = serde_json::from_value(value)?;
    tool.input_schema = input.unwrap_or_default();
    tool.output_schema = output;
    Ok(tool)
}

/// Returns a page of the list and the cursor of the next one: the name of the last tool of this one.
pub(crate) fn page(
    list: &[Listed],
    cursor: Option<&str>,
    bytes: usize,
) -> Result<(Vec<Tool>, Option<String>), ErrorData> {
    let mut rest = list.iter();
    if let Some(cursor) = cursor
        && !rest.any(|listed| listed.tool.name == cursor)
    {
        let message = "the cursor is not one of this list; list the tools again";
        return Err(ErrorData::invalid_params(message, None));
    }
    let mut tools: Vec<Tool> = Vec::new();
    let mut size = 0;
    for listed in rest {
        size += listed.bytes;
        if size > bytes
            && let Some(last) = tools.last()
        {
            let next = last.name.to_string();
            return Ok((tools, Some(next)));
        }
        tools.push(listed.tool.clone());
    }
    Ok((tools, None))
}
