//! Reads the project's own files: overlays, locks and contracts. Every fault in them is an error.

use toolwright_model::settings::{self, Fault, FaultKind};

use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::Place,
    tree::Node,
};

/// Reads the tree of a file. The methods for each kind of file are next to the file's record.
pub(crate) struct StrictReader<'d> {
    diagnostics: &'d mut Diagnostics,
}

impl<'d> StrictReader<'d> {
    pub(crate) const fn new(diagnostics: &'d mut Diagnostics) -> Self {
        Self { diagnostics }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.report(diagnostic);
    }
}

impl<'n> settings::Reader<'n, &'n Node> for StrictReader<'_> {
    fn report_fault(&mut self, fault: Fault<Place>) {
        let code = match fault.kind {
            FaultKind::UnknownKey => Code::UnknownKey,
            FaultKind::UnknownValue => Code::UnknownValue,
            FaultKind::WrongType => Code::WrongType,
            FaultKind::Missing => Code::Missing,
        };
        let diagnostic = Diagnostic::error(code, fault.place, fault.message);
        self.report(match fault.help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }
}

impl<'n> settings::Node<'n> for &'n Node {
    type Place = Place;

    fn place(self) -> Place {
        self.place
    }

    fn kind(self) -> &'static str {
        Node::kind(self)
    }

    fn as_str(self) -> Option<&'n str> {
        Node::as_str(self)
    }

    fn as_bool(self) -> Option<bool> {
        Node::as_bool(self)
    }

    fn as_u64(self) -> Option<u64> {
        self.to_value().as_u64()
    }

    fn elements(self) -> Option<Vec<Self>> {
        Some(self.as_array()?.iter().collect())
    }

    fn entries(self) -> Option<Vec<(&'n str, Place, Self)>> {
        let fields = self.as_object()?.iter();
        let entries = fields.map(|(key, field)| (key.as_str(), field.key, &field.node));
        Some(entries.collect())
    }

    fn value_of(self, key: &str) -> Option<Self> {
        self.get(key)
    }
}
