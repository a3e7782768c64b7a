//! The security of operations, as the overlay corrects it.

use std::collections::BTreeSet;

use toolwright_model::{Scheme, SecurityRequirement, most_similar};

use super::effects::Effects;
use crate::{
    document::{
        diagnostic::{Code, Diagnostic, Diagnostics},
        source::Placed,
    },
    parse::{
        openapi::{Document, ParsedOperation, Protocol, Schemes},
        overlay::{Curation, Overlay, SecurityEntry},
    },
};

/// The security requirements of an operation: alternatives with their parts.
pub(super) type Security = Vec<Vec<SecurityRequirement>>;

/// The corrections of an overlay, and their effects.
pub(super) struct Securities<'o> {
    overlay: &'o Overlay,
    declared: &'o Schemes,
    effects: Effects,
    /// The schemes of the overlay that an entry names.
    named: BTreeSet<&'o str>,
}

impl<'o> Securities<'o> {
    /// Prepares the corrections. An entry that names an unknown scheme is reported.
    pub(super) fn new(
        document: &'o Document<'_>,
        overlay: &'o Overlay,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let mut securities = Self {
            overlay,
            declared: &document.schemes,
            effects: Effects::default(),
            named: BTreeSet::new(),
        };
        for (name, scheme) in &overlay.schemes {
            if let Some(declared) = document.schemes.get(&name.value) {
                diagnostics.report(declared_twice(name, declared.as_ref() == Some(scheme)));
            }
        }
        for entry in entries(overlay) {
            for name in entry.alternatives.iter().flatten() {
                match securities.overlay_scheme(&name.value) {
                    Some((own, _)) => {
                        securities.named.insert(&own.value);
                    }
                    None if document.schemes.contains_key(&name.value) => {}
                    None => diagnostics.report(securities.unknown(name)),
                }
            }
        }
        securities
    }

    /// Returns the security of an operation: of its own entry, else of the root's, else of the
    /// document.
    pub(super) fn of_operation(
        &mut self,
        operation: &ParsedOperation<'_>,
        curation: &Curation,
    ) -> Security {
        let mut declared = operation.security.clone();
        if matches!(operation.protocol, Protocol::Eab(_) | Protocol::Mcp(_)) {
            return declared;
        }
        let root = self.overlay.security.as_ref();
        let entry = match (&curation.security, root) {
            (Some(own), Some(root)) => {
                declared = self.required(root, &declared);
                own
            }
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return declared,
        };
        let security = self.required(entry, &operation.security);
        let changes = kinds(&security) != kinds(&declared);
        self.effects.record(entry.place, changes);
        security
    }

    /// Reports the entries without an effect, and the schemes that no entry names.
    pub(super) fn report(&self, diagnostics: &mut Diagnostics) {
        for entry in entries(self.overlay) {
            self.effects.report(
                entry.place,
                || "this `security` applies to no tool".to_owned(),
                || needless(entry),
                diagnostics,
            );
        }
        for (name, _) in &self.overlay.schemes {
            if !self.named.contains(name.value.as_str()) {
                let message = format!("no `security` of the overlay names `{}`", name.value);
                diagnostics.report(
                    Diagnostic::error(Code::UnmatchedOverlay, name.place, message)
                        .help("name it in `any_of`, or remove it"),
                );
            }
        }
    }

    fn overlay_scheme(&self, name: &str) -> Option<&'o (Placed<String>, Scheme)> {
        let mut schemes = self.overlay.schemes.iter();
        schemes.find(|(own, _)| own.value == name)
    }

    /// Returns the requirements of an entry, with the scopes that the document declares.
    fn required(&self, entry: &SecurityEntry, declared: &Security) -> Security {
        let part = |name: &Placed<String>| {
            let name = &name.value;
            let mut known = declared.iter().flatten();
            if let Some(known) = known.find(|part| part.scheme == *name) {
                return Some(known.clone());
            }
            let own = self.overlay_scheme(name).map(|(_, scheme)| scheme);
            let kind = own.or_else(|| self.declared.get(name)?.as_ref())?;
            Some(SecurityRequirement {
                scheme: name.clone(),
                kind: kind.clone(),
                scopes: Vec::new(),
            })
        };
        if entry.alternatives.is_empty() {
            return vec![Vec::new()];
        }
        let alternatives = entry.alternatives.iter();
        alternatives
            .map(|names| names.iter().filter_map(part).collect())
            .collect()
    }

    fn unknown(&self, name: &Placed<String>) -> Diagnostic {
        let message = format!("the security scheme `{}` is not declared", name.value);
        let own = self.overlay.schemes.iter().map(|(own, _)| &own.value);
        let known = own.chain(self.declared.keys()).map(String::as_str);
        let similar = most_similar(&name.value, known);
        let diagnostic = Diagnostic::error(Code::UnknownSecurityScheme, name.place, message);
        diagnostic.help(match similar {
            Some(similar) => format!("a scheme with a similar name is declared: `{similar}`"),
            None => format!(
                "declare it in the overlay, as in `[schemes.{}]`",
                name.value
            ),
        })
    }
}

/// Returns all corrections of an overlay.
fn entries(overlay: &Overlay) -> impl Iterator<Item = &SecurityEntry> {
    let own = overlay.operations.iter();
    let own = own.filter_map(|(_, entry)| entry.security.as_ref());
    overlay.security.iter().chain(own)
}

/// Returns the alternatives by the kinds of their parts, without order.
fn kinds(security: &Security) -> BTreeSet<BTreeSet<String>> {
    let kinds = |parts: &Vec<SecurityRequirement>| {
        let kinds = parts.iter().map(|part| part.kind.to_string());
        kinds.collect()
    };
    security.iter().map(kinds).collect()
}

fn declared_twice(name: &Placed<String>, is_equal: bool) -> Diagnostic {
    let message = format!("the document declares the security scheme `{}`", name.value);
    if is_equal {
        Diagnostic::warning(Code::NeedlessCorrection, name.place, message)
            .help("remove it from the overlay")
    } else {
        Diagnostic::error(Code::ContradictoryOverlay, name.place, message)
            .note("the scheme of the overlay is another one")
            .help("choose another name for it, or remove it")
    }
}

fn needless(entry: &SecurityEntry) -> Diagnostic {
    let message = "the document declares this security itself";
    Diagnostic::warning(Code::NeedlessCorrection, entry.place, message)
        .note(format!("the reason was: {}", entry.reason))
        .help("remove this correction from the overlay")
}
