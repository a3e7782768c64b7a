//! What generated code implements and exports.

use toolwright_model::ToolSpec;

use crate::codec::Codec;

/// The arguments of one tool, as a Rust type. Generated for every adapter.
pub trait ToolCall: Codec + Sized {
    /// The name of the tool.
    const NAME: &'static str;

    /// The records of the tool's service.
    const TOOLS: EmbeddedTools;

    /// What a call returns.
    type Output: Codec;
}

/// The arguments of a tool that answers a list in pages. Generated where the pages are known.
pub trait Paged: ToolCall {
    /// An item of the list.
    type Item: Codec;
}

/// The [`ToolSpec`]s of one service, compiled into the program.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedTools {
    service: &'static str,
    json: &'static str,
}

impl EmbeddedTools {
    /// `json` is the array of specs that the generator wrote.
    #[must_use]
    pub const fn new(service: &'static str, json: &'static str) -> Self {
        Self { service, json }
    }

    /// The name of the service.
    #[must_use]
    pub const fn service(&self) -> &'static str {
        self.service
    }

    /// Reads the specs.
    ///
    /// # Errors
    /// When the JSON is not what this version of the generator writes.
    pub fn specs(&self) -> Result<Vec<ToolSpec>, serde_json::Error> {
        ToolSpec::list_from_json(self.json)
    }
}
