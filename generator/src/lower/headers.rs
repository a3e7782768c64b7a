//! The headers that the overlay adds to requests.

use toolwright_model::{
    Bound, Location, Parameter as Binding, ReservedFor, Serialization, Style, reserved_header,
};

use super::effects::Effects;
use crate::{
    document::diagnostic::{Code, Diagnostic, Diagnostics},
    parse::{
        openapi::{ParsedOperation, Protocol},
        overlay::{Curation, HeaderEntry, Overlay},
    },
};

/// The headers of an overlay, and their effects.
pub(super) struct Headers<'o> {
    overlay: &'o Overlay,
    /// An entry changes an operation that does not declare the header.
    effects: Effects,
}

impl<'o> Headers<'o> {
    /// Prepares the headers. One that cannot be sent, or that only the request itself sets, is
    /// reported.
    pub(super) fn new(overlay: &'o Overlay, diagnostics: &mut Diagnostics) -> Self {
        for entry in entries(overlay) {
            if let Some(problem) = problem(entry) {
                diagnostics.report(problem);
            }
        }
        Self {
            overlay,
            effects: Effects::default(),
        }
    }

    /// Returns the headers of an operation's requests. Of several with the same name, the first
    /// counts: the operation's own before those of the root.
    pub(super) fn of_operation(
        &mut self,
        operation: &ParsedOperation<'_>,
        curation: &Curation,
    ) -> Vec<Binding> {
        let mut headers: Vec<Binding> = Vec::new();
        if matches!(operation.protocol, Protocol::Eab(_) | Protocol::Mcp(_)) {
            return headers;
        }
        for entry in curation.headers.iter().chain(&self.overlay.headers) {
            let name = &entry.name.value;
            if headers.iter().any(|known| is_same(&known.name, name)) {
                continue;
            }
            let mut declared = operation.parameters.iter();
            let is_declared = declared.any(|parameter| {
                parameter.location == Location::Header && is_same(&parameter.name, name)
            });
            self.effects.record(entry.name.place, !is_declared);
            headers.push(binding(entry));
        }
        headers
    }

    /// Reports the headers without an effect.
    pub(super) fn report(&self, diagnostics: &mut Diagnostics) {
        for entry in entries(self.overlay) {
            let name = &entry.name;
            self.effects.report(
                name.place,
                || format!("the header `{}` is added to no request", name.value),
                || needless(entry),
                diagnostics,
            );
        }
    }
}

/// Checks whether two names are those of the same header.
pub(super) const fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// Returns all headers of an overlay.
fn entries(overlay: &Overlay) -> impl Iterator<Item = &HeaderEntry> {
    let own = overlay.operations.iter();
    let own = own.flat_map(|(_, entry)| &entry.headers);
    overlay.headers.iter().chain(own)
}

fn binding(entry: &HeaderEntry) -> Binding {
    Binding {
        name: entry.name.value.clone(),
        location: Location::Header,
        value: entry.value.clone(),
        required: true,
        separators: None,
        serialization: Serialization::Style {
            style: Style::Simple,
            explode: false,
            allow_reserved: false,
        },
    }
}

fn problem(entry: &HeaderEntry) -> Option<Diagnostic> {
    let (name, place) = (&entry.name.value, entry.name.place);
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.is_empty() || !name.chars().all(is_token) {
        let message = format!("`{name}` is not the name of a header");
        return Some(Diagnostic::error(Code::UnknownValue, place, message));
    }
    let is_text = |text: &str| !text.chars().any(char::is_control);
    if let Bound::Fixed(value) = &entry.value
        && !value.as_str().is_some_and(is_text)
    {
        let message = format!("the value of the header `{name}` contains a control character");
        return Some(Diagnostic::error(Code::UnknownValue, place, message));
    }
    let help = match reserved_header(name) {
        Some(ReservedFor::Credentials) => {
            "declare a scheme under `schemes` and name it in `security`; the secret belongs into the auth file"
        }
        Some(ReservedFor::Transfer) => "remove it",
        _ if is_same(name, "host") => "choose the host with `base_url` or `server`",
        _ => return None,
    };
    let message = format!("the header `{name}` cannot be added to requests");
    Some(
        Diagnostic::error(Code::ContradictoryOverlay, place, message)
            .note("only the request itself sets it")
            .help(help),
    )
}

fn needless(entry: &HeaderEntry) -> Diagnostic {
    let name = &entry.name.value;
    let message = format!("the document declares the header `{name}` itself");
    Diagnostic::warning(Code::NeedlessCorrection, entry.name.place, message)
        .note(format!("the reason was: {}", entry.reason))
        .help(format!(
            "move its value to `[pin]`, under the name `header:{name}`"
        ))
}
