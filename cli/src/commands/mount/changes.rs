//! How the tools that a server lists differ from the accepted ones.

use std::collections::BTreeSet;

use serde::Serialize;
use toolwright::{ServiceName, config::Config};
use toolwright_mounts::{Definition, Hidden, Listing};

use crate::{
    Failure,
    failure::Code,
    mounts::{MountFiles, mount},
    operator::runtime,
    output::error_line,
};

/// The standing of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Standing {
    /// The definition is the accepted one.
    Accepted,
    /// The definition is another one.
    Changed,
    /// No definition was accepted.
    New,
    /// The server no longer lists it.
    Gone,
    /// The definition cannot be accepted.
    Refused,
}

/// A server and what it lists.
pub(super) struct Compared {
    pub(super) service: ServiceName,
    pub(super) files: MountFiles,
    pub(super) listing: Listing,
}

impl Compared {
    /// Asks a server for its tools.
    pub(super) fn ask(name: &ServiceName, config: &Config) -> Result<Self, Failure> {
        let (mount, files) = mount(name, config)?;
        let listing = runtime()?.block_on(mount.listing());
        let listing = listing.map_err(|error| {
            Failure::new(format!("the server of `{name}` cannot be used: {error}"))
                .code(Code::ServerUnavailable)
        })?;
        Ok(Self {
            service: name.clone(),
            files,
            listing,
        })
    }

    /// Returns the tools, by name, each with its standing.
    pub(super) fn tools(&self) -> Vec<(&str, Standing)> {
        let listed = self.listing.definitions.keys().map(String::as_str);
        let known = self.files.lock.tools().map(|(tool, _)| tool);
        let refused = self.listing.faults.keys().map(String::as_str);
        let names: BTreeSet<&str> = listed.chain(known).chain(refused).collect();
        let names = names.into_iter();
        names.map(|name| (name, self.standing(name))).collect()
    }

    fn standing(&self, tool: &str) -> Standing {
        let listed = self.listing.definitions.get(tool);
        let accepted = self.files.document.get(tool);
        let is_locked = self.files.lock.get(tool).is_some();
        match listed {
            None if self.listing.faults.contains_key(tool) => Standing::Refused,
            None => Standing::Gone,
            Some(_) if !is_locked => Standing::New,
            Some(listed) if self.files.lock.accepts(listed) && accepted == Some(listed) => {
                Standing::Accepted
            }
            Some(_) => Standing::Changed,
        }
    }

    /// Reports what a person would not see otherwise: hidden text, and definitions that are refused.
    pub(super) fn report(&self) {
        for (tool, fault) in &self.listing.faults {
            error_line(format_args!(
                "warning: the definition of `{tool}` cannot be accepted: {fault}"
            ));
        }
        for definition in self.listing.definitions.values() {
            for hidden in definition.hidden() {
                error_line(format_args!("warning: {}", described(definition, &hidden)));
            }
        }
    }
}

/// Returns a line about a hidden text.
fn described(definition: &Definition, hidden: &Hidden) -> String {
    let (tool, Hidden { pointer, text }) = (definition.name(), hidden);
    format!("the definition of `{tool}` has hidden characters at `{pointer}`: {text}")
}

impl Standing {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Changed => "changed",
            Self::New => "new",
            Self::Gone => "gone",
            Self::Refused => "refused",
        }
    }
}
