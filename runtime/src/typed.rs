//! What generated code implements and exports.

use serde_json::Value;
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

    /// What the service answers instead, as far as the specification says so.
    type Failure: Failure;
}

/// The error answers that the specification describes, each status with its type. Generated for
/// every adapter; [`ToolError::documented`](crate::ToolError::documented) reads them.
pub trait Failure: Sized {
    /// Reads an answer as what is described for its status.
    fn read(answer: Refusal<'_>) -> Option<Self>;
}

/// The failure of a tool whose specification describes no error answer: there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undocumented {}

/// What a service answered when it did not do what it was asked.
#[derive(Clone, Copy, Debug)]
pub struct Refusal<'a> {
    status: u16,
    body: &'a Value,
}

/// The arguments of a tool that answers a list in pages. Generated where the pages are known.
pub trait Paged: ToolCall {
    /// An item of the list.
    type Item: Codec;
}

impl Failure for Undocumented {
    fn read(_answer: Refusal<'_>) -> Option<Self> {
        None
    }
}

impl<'a> Refusal<'a> {
    pub(crate) const fn new(status: u16, body: &'a Value) -> Self {
        Self { status, body }
    }

    /// The HTTP status.
    #[must_use]
    pub const fn status(self) -> u16 {
        self.status
    }

    /// The hundred of the status: 4 for 404.
    #[must_use]
    pub const fn class(self) -> u16 {
        self.status / 100
    }

    /// The answer as a type, where it is of it.
    pub fn of<T: Codec, F>(self, make: fn(T) -> F) -> Option<F> {
        T::decode(self.body.clone()).ok().map(make)
    }
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
