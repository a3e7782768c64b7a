//! The adapters and the hand-written tools that are linked into the program.

use std::sync::Arc;

use toolwright::{
    EmbeddedTools, Registry, RegistryBuilder, ServiceName, ToolSpec, audit::MemoryAudit,
    registry::RegistryError,
};

use crate::{Failure, failure::Code};

/// Gives a registry what the tools that are written by hand need.
type Complete = Box<dyn Fn(RegistryBuilder) -> RegistryBuilder>;

/// The linked tools.
pub(crate) struct Linked {
    adapters: Vec<EmbeddedTools>,
    complete: Complete,
}

/// Some of the tools that are written by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ByHand {
    /// All of them.
    All,
    /// Those of a service.
    Service(ServiceName),
    /// None.
    #[cfg(feature = "generator")]
    None,
}

impl Linked {
    pub(crate) fn new(adapters: Vec<EmbeddedTools>, complete: Complete) -> Self {
        Self { adapters, complete }
    }

    /// The records of all tools; there may be none.
    #[cfg(feature = "generator")]
    pub(crate) fn all(&self) -> Result<Vec<ToolSpec>, Failure> {
        let mut specs = self.adapters()?;
        specs.extend(self.specs_by_hand(&ByHand::All, specs.clone())?);
        Ok(specs)
    }

    /// Returns true if the adapters of this service are linked.
    #[cfg(feature = "generator")]
    pub(crate) fn has_adapter(&self, service: &ServiceName) -> bool {
        let mut adapters = self.adapters.iter();
        adapters.any(|adapter| adapter.service() == service.as_str())
    }

    /// The records of tools that are written by hand. The program may also grant and switch tools that
    /// are elsewhere.
    pub(crate) fn specs_by_hand(
        &self,
        which: &ByHand,
        elsewhere: Vec<ToolSpec>,
    ) -> Result<Vec<ToolSpec>, Failure> {
        let registry = self.by_hand(Registry::builder(), which);
        let registry = registry
            .elsewhere(elsewhere)
            .audit(MemoryAudit::new())
            .build()
            .map_err(|error| wrong(&error))?;
        Ok(registry
            .tools()
            .map(|(spec, _)| Arc::unwrap_or_clone(spec))
            .collect())
    }

    /// Adds tools that are written by hand to a registry.
    pub(crate) fn by_hand(&self, builder: RegistryBuilder, which: &ByHand) -> RegistryBuilder {
        (self.complete)(match which {
            ByHand::All => builder.linked_tools(),
            ByHand::Service(service) => builder.linked_tools_of(service.clone()),
            #[cfg(feature = "generator")]
            ByHand::None => return builder,
        })
    }

    /// The records of the adapters.
    pub(crate) fn adapters(&self) -> Result<Vec<ToolSpec>, Failure> {
        let mut specs = Vec::new();
        for adapter in &self.adapters {
            let read = adapter.specs().map_err(|error| {
                Failure::new(format!(
                    "cannot read the linked adapters of `{}`: {error}",
                    adapter.service()
                ))
                .help("generate them again with this version of `toolwright`")
            })?;
            specs.extend(read);
        }
        Ok(specs)
    }
}

/// Everything that is wrong with a registry.
pub(crate) fn wrong(error: &RegistryError) -> Failure {
    let failure = Failure::all(error.problems.iter().map(ToString::to_string));
    failure.code(Code::InvalidConfiguration)
}
