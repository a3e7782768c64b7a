//! The lock: every name that the operations of a service were ever given. `docs/lock.md` describes
//! the file.
//!
//! What the lock holds is not given up silently: an operation keeps its name though the rules of
//! naming change, a name goes to no other operation though its own leaves the document, and a tool
//! does not become less governed than it was.

mod holdings;
mod reader;
mod update;

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use toolwright_model::{Category, Method, ServiceName, ToolName};

use crate::{
    diagnostic::Diagnostics,
    source::{Placed, SourceId},
    spec::{overlay::Curation, strict::Reader},
};

pub(crate) use holdings::Holdings;
pub use update::updated;

/// What a lock holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lock {
    /// The names, each with the place of its line.
    pub entries: BTreeMap<ToolName, Placed<Entry>>,
}

/// What a lock holds of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The method of the operation.
    pub method: Method,
    /// Its path, as the document writes it.
    pub path: String,
    /// Its operation id, where there is one.
    pub operation_id: Option<String>,
    /// The category of the tool.
    pub category: Category,
    /// Whether a person has to approve each call of it.
    pub approval_required: bool,
    /// Whether the operation has another name by now.
    pub former: bool,
}

/// What a lock holds of one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// The name that it has.
    pub current: Option<HeldName>,
    /// The names that it had before.
    pub former: Vec<ToolName>,
}

/// The name that an operation has by the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldName {
    /// The name.
    pub name: ToolName,
    /// What is held of it, and where.
    pub entry: Placed<Entry>,
}

/// Reads the lock of a service. All of its faults are reported, and what is sound is given.
#[must_use]
pub fn parse(
    source: SourceId,
    text: &str,
    service: &ServiceName,
    diagnostics: &mut Diagnostics,
) -> Lock {
    match crate::tree::toml::read(source, text, diagnostics) {
        Some(root) => Reader::new(diagnostics).lock(&root, service),
        None => Lock::default(),
    }
}

/// Where the lock lies that belongs to an overlay: `names.lock` beside `overlay.toml`, and
/// `shop.names.lock` beside `shop.overlay.toml`. None for an overlay that is called otherwise.
#[must_use]
pub fn beside(overlay: &Path) -> Option<PathBuf> {
    let name = overlay.file_name()?.to_str()?;
    let stem = name.strip_suffix("overlay.toml")?;
    Some(overlay.with_file_name(format!("{stem}names.lock")))
}

impl Held {
    /// The name that the operation keeps; none when the overlay asks for another one.
    #[must_use]
    pub fn kept(&self, service: &ServiceName, curation: &Curation) -> Option<&ToolName> {
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

    /// Whether the operation has the name by the lock, or had it before.
    #[must_use]
    pub fn knows(&self, name: &ToolName) -> bool {
        let current = self.current.iter().map(|held| &held.name);
        current.chain(&self.former).any(|known| known == name)
    }
}

/// The verb and the noun of a name.
fn parts<'n>(name: &'n ToolName, service: &ServiceName) -> (&'n str, &'n str) {
    let (verb, rest) = name.as_str().split_once('-').unwrap_or_default();
    let noun = rest.strip_prefix(service.as_str());
    let noun = noun.and_then(|noun| noun.strip_prefix('-'));
    (verb, noun.unwrap_or_default())
}
