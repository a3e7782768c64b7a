//! The span of a call, with the names of OpenTelemetry's conventions for generative AI.

use tracing::{Span, field::Empty, info_span};
use uuid::Uuid;

use super::Callee;
use crate::{audit::bounded_name, boundary::view::Scope, error::ToolError, output::ToolOutput};

/// Begins the span of a call. Arguments and results are not in it.
pub(super) fn begin(callee: Callee<'_>, scope: &Scope, call: Uuid) -> Span {
    let tool = bounded_name(&callee.in_words());
    info_span!(
        target: "toolwright",
        "execute_tool",
        otel.name = format!("execute_tool {tool}"),
        otel.kind = "internal",
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = tool,
        toolwright.role = scope.role.as_str(),
        toolwright.call = %call,
        "error.type" = Empty,
        otel.status_code = Empty,
    )
}

/// Records the end of a call.
pub(super) fn end(span: &Span, result: &Result<ToolOutput, ToolError>) {
    if let Err(error) = result {
        span.record("error.type", error.code());
        span.record("otel.status_code", "ERROR");
    }
}
