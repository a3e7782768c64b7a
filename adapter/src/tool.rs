//! A tool as Rust code calls it.

use crate::{codec::Codec, embedded::EmbeddedTools, failure::Failure};

/// The arguments of one tool, as a Rust type. Generated for every adapter.
pub trait ToolCall: Codec + Sized {
    /// The name of the tool.
    const NAME: &'static str;

    /// The records of the tool's service.
    const TOOLS: EmbeddedTools;

    /// The result of a call.
    type Output: Codec;

    /// The service's error responses, as far as the specification declares them.
    type Failure: Failure;
}

/// The arguments of a tool that returns a list in pages. Generated if the pagination is known.
pub trait Paged: ToolCall {
    /// An item of the list.
    type Item: Codec;
}
