//! A tool as Rust code calls it.

use crate::{codec::Codec, embedded::EmbeddedTools, failure::Failure};

/// The arguments of one tool, as a Rust type. Generated for every adapter.
pub trait ToolCall: Codec + Sized {
    /// The name of the tool.
    const NAME: &'static str;

    /// The records of the tool's service.
    const TOOLS: EmbeddedTools;

    /// What a call returns.
    type Output: Codec;

    /// What the service answers instead, as far as the specification says so.
    type Failure: Failure;
}

/// The arguments of a tool that answers a list in pages. Generated where the pages are known.
pub trait Paged: ToolCall {
    /// An item of the list.
    type Item: Codec;
}
