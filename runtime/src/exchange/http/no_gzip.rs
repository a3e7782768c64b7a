//! The part of `gzip` in a build that cannot decompress: no encoding is accepted.

use bytes::Bytes;

use crate::error::ToolError;

/// The value of `Accept-Encoding`.
pub(super) const ACCEPTED: Option<&str> = None;

/// A compressed body. There is none.
pub(super) enum Inflation {}

impl Inflation {
    pub(super) const fn new(_encoding: &str, _status: u16) -> Option<Self> {
        None
    }

    pub(super) const fn is_finished(&self) -> bool {
        match *self {}
    }

    pub(super) const fn is_hungry(&self) -> bool {
        match *self {}
    }

    pub(super) fn feed(&mut self, _block: Bytes) {
        match *self {}
    }

    pub(super) const fn expand(&mut self) -> Result<Bytes, ToolError> {
        match *self {}
    }

    pub(super) const fn finish(&mut self) -> Result<Bytes, ToolError> {
        match *self {}
    }
}
