//! Documents of Protocol Buffers, which this build does not read.

use super::Loader;
use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::{Place, SourceId},
};

impl Loader<'_> {
    /// Reports that this build does not read Protocol Buffers.
    pub(super) fn protobuf(
        &mut self,
        path: &str,
        _reach: Option<&str>,
        diagnostics: &mut Diagnostics,
    ) -> Option<SourceId> {
        let source = self.text(path, diagnostics)?;
        let message = "this build does not read Protocol Buffers";
        let fault = Diagnostic::error(Code::NotASpecification, Place::start_of(source), message);
        diagnostics.report(fault.help("enable the feature `grpc` of `toolwright-generator`"));
        None
    }

    /// Adds a descriptor set, which this build does not read.
    pub(super) fn descriptor_set(&mut self, path: &str, _bytes: Vec<u8>) -> SourceId {
        self.sources.add(path, "")
    }
}
