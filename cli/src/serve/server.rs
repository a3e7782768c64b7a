//! The MCP server: it lists and calls what a view has, and knows nothing else.

use std::{collections::BTreeMap, fmt, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestMethod,
        CompleteRequestParams, CompleteResult, Implementation, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::Value;
use toolwright::{
    ScopedToolView, ToolName, ToolSpec,
    render::mcp::{self, ResultForm},
};

use super::answer;

/// For how long a client may keep the list of tools, in milliseconds. What a role was granted does
/// not change while the server runs; what the operator's credentials pin may.
const LIST_LIFETIME_MS: u64 = 60_000;

/// How large a page of the list may be, in bytes of its tools as JSON; one tool alone may be larger.
/// No list that a model can use comes near, but there are clients that end the connection over a
/// message of tens of megabytes, such as the list of all that an administrator may call.
const PAGE_BYTES: usize = 4 << 20;

/// What a model is told of the server as a whole.
const INSTRUCTIONS: &str = "\
    Every call is checked against what this role was granted, and audited. \
    A tool that needs approval first answers `approval_required`: tell the user the id that it \
    names, wait until a person has approved it outside of this conversation, then call again \
    with the same arguments.";

/// An MCP server of one view. Cloning it is cheap.
#[derive(Clone)]
pub(super) struct ViewServer {
    view: ScopedToolView,
    forms: Arc<BTreeMap<String, ResultForm>>,
}

impl ViewServer {
    pub(super) fn new(view: ScopedToolView) -> Self {
        let specs = view.specs();
        let forms = specs
            .iter()
            .map(|spec| (spec.name.to_string(), ResultForm::of(spec)));
        let forms = Arc::new(forms.collect());
        Self { view, forms }
    }
}

impl ServerHandler for ViewServer {
    /// Tools are all there is. That there are no resources and no prompts is told by empty lists,
    /// since clients and test suites ask every server for them.
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        let this = Implementation::new("toolwright", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(this)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let specs = self.view.specs();
        let cursor = request.and_then(|request| request.cursor);
        let (tools, next) = page(&specs, cursor.as_deref(), PAGE_BYTES)?;
        let mut list = ListToolsResult::with_all_items(tools)
            .with_ttl_ms(LIST_LIFETIME_MS)
            .with_cache_scope(CacheScope::Private);
        list.next_cursor = next;
        Ok(list)
    }

    /// Calls a tool of the view. When the client cancels, the call is abandoned where it is.
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let ended = tokio::select! {
            ended = self.view.call_json(&request.name, arguments) => ended,
            () = context.ct.cancelled() => {
                return Err(ErrorData::internal_error("the call was cancelled", None));
            }
        };
        let form = self.forms.get(&*request.name);
        let result = match (ended, form) {
            (Ok(output), Some(form)) => answer::result(&output, form),
            // A view only narrows, so that a tool outside of it cannot have been called.
            (Ok(_), None) => return Err(ErrorData::internal_error("the tool has no form", None)),
            (Err(error), form) => answer::error(&error, form)?,
        };
        Ok(CallToolResponse::Complete(result))
    }

    /// Nothing is completed, and that is not declared.
    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }
}

impl fmt::Display for ViewServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, role) = (self.forms.len(), self.view.role());
        let tools = if number == 1 { "tool" } else { "tools" };
        write!(f, "{number} {tools} of the role `{role}`")
    }
}

/// A page of the list and the cursor of the next one: the name of the last tool of this one.
pub(super) fn page(
    specs: &[impl AsRef<ToolSpec>],
    cursor: Option<&str>,
    bytes: usize,
) -> Result<(Vec<Tool>, Option<String>), ErrorData> {
    let mut rest = specs.iter().map(AsRef::as_ref);
    if let Some(cursor) = cursor
        && !rest.any(|spec| spec.name.as_str() == cursor)
    {
        let message = "the cursor is none of this list: list the tools anew";
        return Err(ErrorData::invalid_params(message, None));
    }
    let mut tools: Vec<Tool> = Vec::new();
    let mut size = 0;
    for spec in rest {
        let value = Value::Object(mcp::tool(spec));
        size += value.to_string().len();
        if size > bytes
            && let Some(last) = tools.last()
        {
            let next = last.name.to_string();
            return Ok((tools, Some(next)));
        }
        tools.push(tool(&spec.name, value)?);
    }
    Ok((tools, None))
}

fn tool(name: &ToolName, value: Value) -> Result<Tool, ErrorData> {
    serde_json::from_value(value).map_err(|error| {
        let message = format!("the tool `{name}` cannot be shown: {error}");
        ErrorData::internal_error(message, None)
    })
}
