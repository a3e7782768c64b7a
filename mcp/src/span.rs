//! The span of a request of a client, with the names of OpenTelemetry's conventions for MCP.

use rmcp::{ErrorData, RoleServer, service::RequestContext};
use toolwright_model::text::escape_invisible;
use tracing::{Instrument, Span, field::Empty, info_span};

use crate::client::{is_over_http, session_of};

/// The greatest length of a request's id that is recorded, in characters. A client may choose any.
const ID_LIMIT: usize = 64;

/// The value of `error.type` for a result that says that the tool failed.
const TOOL_ERROR: &str = "tool_error";

/// Begins the span of a request. The tool is one of the view: the name of another is not recorded,
/// since the client may choose any. The fields are computed only if the span is recorded.
pub(crate) fn begin(
    method: &'static str,
    tool: Option<&str>,
    context: &RequestContext<RoleServer>,
) -> Span {
    info_span!(
        target: "toolwright",
        "mcp_request",
        otel.name = tool.map_or_else(|| method.to_owned(), |tool| format!("{method} {tool}")),
        otel.kind = "server",
        mcp.method.name = method,
        mcp.protocol.version = version(context),
        mcp.session.id = session_of(context),
        jsonrpc.request.id = %id(context),
        network.transport = if is_over_http(context) { "tcp" } else { "pipe" },
        gen_ai.tool.name = tool,
        "error.type" = Empty,
        otel.status_code = Empty,
    )
}

/// Returns the revision of the protocol: that of the request itself, or else that of its session.
fn version(context: &RequestContext<RoleServer>) -> Option<String> {
    let of_session = || Some(context.peer.peer_info()?.protocol_version.clone());
    let version = context.meta.protocol_version().or_else(of_session);
    version.map(|version| version.to_string())
}

fn id(context: &RequestContext<RoleServer>) -> String {
    let id: String = context.id.to_string().chars().take(ID_LIMIT).collect();
    escape_invisible(&id).into_owned()
}

/// Answers a request in its span. `is_failure` tells whether a result says that a tool failed.
pub(crate) async fn traced<T>(
    span: Span,
    answering: impl Future<Output = Result<T, ErrorData>>,
    is_failure: impl FnOnce(&T) -> bool,
) -> Result<T, ErrorData> {
    let answer = answering.instrument(span.clone()).await;
    let error = match &answer {
        Ok(result) => is_failure(result).then(|| TOOL_ERROR.to_owned()),
        Err(error) => Some(error.code.0.to_string()),
    };
    if let Some(error) = error {
        span.record("error.type", error);
        span.record("otel.status_code", "ERROR");
    }
    answer
}
