//! The lock: every name that the operations of a service were ever given. `docs/lock.md` describes
//! the file.
//!
//! The lock keeps generated tools stable:
//! - An operation keeps its name if the naming rules change.
//! - A name is never reused for another operation, even after its own operation is removed.
//! - The governance of a tool is not weakened silently.

mod holdings;
mod reader;

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use toolwright_model::{Category, Method, ServiceName, ToolName};

use crate::{
    document::{
        diagnostic::Diagnostics,
        source::{Placed, SourceId},
    },
    parse::{overlay::Curation, strict::StrictReader},
};

pub(crate) use holdings::Holdings;
pub(crate) use reader::VERSION;

/// The contents of a lock.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lock {
    /// The names, each with the span of its line.
    pub(crate) entries: BTreeMap<ToolName, Placed<Entry>>,
}

/// The lock entry of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The method of the operation.
    pub(crate) method: Method,
    /// The path of the operation, as the document writes it.
    pub(crate) path: String,
    /// The operation id, if any.
    pub(crate) operation_id: Option<String>,
    /// The category of the tool.
    pub(crate) category: Category,
    /// True if a person must approve each call.
    pub(crate) approval_required: bool,
    /// True if the operation now has another name.
    pub(crate) former: bool,
}

/// The lock entries of one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    /// The current name.
    pub(crate) current: Option<HeldName>,
    /// The former names.
    pub(crate) former: Vec<ToolName>,
}

/// The current name of an operation in the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeldName {
    /// The name.
    pub(crate) name: ToolName,
    /// Its lock entry, with the span.
    pub(crate) entry: Placed<Entry>,
}

/// Parses the lock of a service. Reports every fault and returns the valid entries.
#[must_use]
pub(crate) fn parse(
    source: SourceId,
    text: &str,
    service: &ServiceName,
    diagnostics: &mut Diagnostics,
) -> Lock {
    match crate::document::tree::toml::read(source, text, diagnostics) {
        Some(root) => StrictReader::new(diagnostics).lock(&root, service),
        None => Lock::default(),
    }
}

/// Returns the path of an overlay's lock: `names.lock` next to `overlay.toml`, `shop.names.lock`
/// next to `shop.overlay.toml`.
///
/// Returns `None` if the overlay has another file name.
#[must_use]
pub fn lock_path(overlay: &Path) -> Option<PathBuf> {
    let name = overlay.file_name()?.to_str()?;
    let stem = name.strip_suffix("overlay.toml")?;
    Some(overlay.with_file_name(format!("{stem}names.lock")))
}

impl Held {
    /// Returns the name that the operation keeps, or `None` if the overlay sets another one.
    #[must_use]
    pub(crate) fn kept(&self, service: &ServiceName, curation: &Curation) -> Option<&ToolName> {
        let name = &self.current.as_ref()?.name;
        let (verb, noun) = parts(name, service);
        let differs = curation
            .name
            .as_ref()
            .is_some_and(|said| said.value != *name)
            || curation
                .verb
                .as_ref()
                .is_some_and(|said| said.value != verb)
            || curation
                .noun
                .as_ref()
                .is_some_and(|said| said.value != noun);
        (!differs).then_some(name)
    }

    /// Checks whether the name is the current name or a former name of the operation.
    #[must_use]
    pub(crate) fn knows(&self, name: &ToolName) -> bool {
        let current = self.current.iter().map(|held| &held.name);
        current.chain(&self.former).any(|known| known == name)
    }
}

/// Splits a tool name into verb and noun.
fn parts<'n>(name: &'n ToolName, service: &ServiceName) -> (&'n str, &'n str) {
    let (verb, rest) = name.as_str().split_once('-').unwrap_or_default();
    let noun = rest.strip_prefix(service.as_str());
    let noun = noun.and_then(|noun| noun.strip_prefix('-'));
    (verb, noun.unwrap_or_default())
}
