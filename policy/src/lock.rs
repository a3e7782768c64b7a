//! The lock of a policy: the tools that each selector matched when a person last accepted them.
//!
//! A selector such as `category:observe` matches more tools when a document gains operations. With a
//! lock it grants only the tools that the lock holds, and the others wait for a person.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use serde::Serialize;
use toolwright_model::{
    ToolName,
    settings::{Node, Reader},
};

/// The name of the lock, next to the configuration.
pub const LOCK_FILE: &str = "toolwright.policy.lock";

/// The tools of each selector of each owner. An owner is `roles.NAME` or `profiles.NAME`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyLock(BTreeMap<String, BTreeMap<String, BTreeSet<ToolName>>>);

/// Tools that a selector matches and that no person has accepted yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Pending {
    /// The owner of the selector: `roles.NAME` or `profiles.NAME`.
    pub owner: String,
    /// The selector.
    pub selector: String,
    /// The place of the selector.
    pub place: String,
    /// The tools.
    pub tools: BTreeSet<ToolName>,
}

impl PolicyLock {
    /// Returns the accepted tools of a selector; none for a selector that the lock does not hold.
    #[must_use]
    pub fn accepted(&self, owner: &str, selector: &str) -> Option<&BTreeSet<ToolName>> {
        self.0.get(owner)?.get(selector)
    }

    /// Adds the tools of a selector.
    pub fn accept(
        &mut self,
        owner: &str,
        selector: &str,
        tools: impl IntoIterator<Item = ToolName>,
    ) {
        let selectors = self.0.entry(owner.to_owned()).or_default();
        selectors
            .entry(selector.to_owned())
            .or_default()
            .extend(tools);
    }

    /// Adds everything that another lock accepts.
    pub fn extend(&mut self, other: &Self) {
        for (owner, selectors) in &other.0 {
            for (selector, tools) in selectors {
                self.accept(owner, selector, tools.iter().cloned());
            }
        }
    }

    /// Reads the content of a lock.
    pub fn read<'n, N: Node<'n>, R: Reader<'n, N>>(document: N, reader: &mut R) -> Self {
        let mut lock = Self::default();
        for (kind, _, owners) in document.entries().into_iter().flatten() {
            for (name, _, selectors) in owners.entries().into_iter().flatten() {
                let owner = format!("{kind}.{name}");
                for (selector, ..) in selectors.entries().into_iter().flatten() {
                    let tools = reader.parsed_list::<ToolName>(selectors, selector);
                    lock.accept(&owner, selector, tools.into_iter().map(|tool| tool.value));
                }
            }
        }
        lock
    }

    /// Returns the content of the file.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = String::from(
            "# The tools that each selector of the policy matched when they were last accepted.\n\
             # `toolwright policy check --accept` writes this file.\n",
        );
        for (owner, selectors) in &self.0 {
            // Writing to a string does not fail.
            let _ = write!(text, "\n[{owner}]\n");
            for (selector, tools) in selectors {
                let _ = writeln!(text, "{} = [", quote(selector));
                for tool in tools {
                    let _ = writeln!(text, "    \"{tool}\",");
                }
                text.push_str("]\n");
            }
        }
        text
    }
}

/// Writes a selector as a TOML string. It contains no control characters.
fn quote(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
