//! The codec: how typed values become JSON values and back.
//!
//! Generated types implement [`Codec`] rather than derive serde, since that is several times
//! cheaper to compile. The value tree is needed anyway: arguments are validated on it, the audit
//! digests it, and it is what an agent is answered.

mod error;
mod leaf;

pub use error::DecodeError;
use serde_json::Value;

/// A type that can be read from and written as a JSON value.
pub trait Codec: Sized {
    /// Reads the type from a value.
    ///
    /// # Errors
    /// [`DecodeError`] with the place in the value that does not fit.
    fn decode(value: Value) -> Result<Self, DecodeError>;

    /// Writes the type as a value.
    fn encode(&self) -> Value;

    /// What a field of this type is when it is absent; `None` when it has to be there.
    #[inline]
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }

    /// Whether a field with this value is left out when it is written.
    #[inline]
    #[must_use]
    fn is_absent(&self) -> bool {
        false
    }
}
