//! The error answers of a service, each with its type.

use serde_json::Value;

use crate::codec::Codec;

/// The error answers that the specification describes, each status with its type. Generated for
/// every adapter; the runtime's `ToolError::documented` reads them.
pub trait Failure: Sized {
    /// Reads a response as the type that is declared for its status.
    fn read(answer: Refusal<'_>) -> Option<Self>;
}

/// The failure of a tool whose specification describes no error answer: there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undocumented {}

/// A service's error response.
#[derive(Clone, Copy, Debug)]
pub struct Refusal<'a> {
    status: u16,
    body: &'a Value,
}

impl Failure for Undocumented {
    fn read(_answer: Refusal<'_>) -> Option<Self> {
        None
    }
}

impl<'a> Refusal<'a> {
    /// An answer with an HTTP status and a body.
    #[must_use]
    pub const fn new(status: u16, body: &'a Value) -> Self {
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

    /// Returns the response as a `T`, if it fits.
    pub fn read_as<T: Codec, F>(self, make: fn(T) -> F) -> Option<F> {
        T::decode(self.body.clone()).ok().map(make)
    }
}
