//! The adapters and the hand-written tools that are linked into the program.

use toolwright::{
    EmbeddedTools, Registry, RegistryBuilder, ServiceName, ToolSpec, audit::MemoryAudit,
    registry::RegistryError,
};
use toolwright_model::most_similar;

use crate::Failure;

/// Gives a registry what the tools that are written by hand need.
type Complete = Box<dyn Fn(RegistryBuilder) -> RegistryBuilder>;

/// The linked tools.
pub(crate) struct Linked {
    adapters: Vec<EmbeddedTools>,
    complete: Complete,
}

impl Linked {
    pub(crate) fn new(adapters: Vec<EmbeddedTools>, complete: Complete) -> Self {
        Self { adapters, complete }
    }

    /// Returns the records of all tools, or of those of a service. There is at least one.
    pub(crate) fn specs(&self, service: Option<&ServiceName>) -> Result<Vec<ToolSpec>, Failure> {
        let mut specs = self.adapters(service)?;
        specs.extend(self.specs_by_hand(service)?);
        if specs.is_empty() {
            return Err(self.no_tools(service));
        }
        Ok(specs)
    }

    /// The records of all tools; there may be none.
    pub(crate) fn all(&self) -> Result<Vec<ToolSpec>, Failure> {
        let mut specs = self.adapters(None)?;
        specs.extend(self.specs_by_hand(None)?);
        Ok(specs)
    }

    /// Returns a registry builder with all tools, or those of a service.
    pub(crate) fn registry(
        &self,
        service: Option<&ServiceName>,
    ) -> Result<RegistryBuilder, Failure> {
        let adapters = self.adapters(service)?;
        if adapters.is_empty() && self.specs_by_hand(service)?.is_empty() {
            return Err(self.no_tools(service));
        }
        let builder = Registry::builder().specs(adapters);
        let builder = match service {
            None => builder,
            Some(_) => builder.elsewhere(self.all()?),
        };
        Ok(self.by_hand(builder, service))
    }

    /// The records of the tools that are written by hand.
    fn specs_by_hand(&self, service: Option<&ServiceName>) -> Result<Vec<ToolSpec>, Failure> {
        // The program may grant and switch tools that are not among these.
        let elsewhere = match service {
            None => self.adapters(None)?,
            Some(_) => self.all()?,
        };
        let registry = self.by_hand(Registry::builder(), service);
        let registry = registry
            .elsewhere(elsewhere)
            .audit(MemoryAudit::new())
            .build()
            .map_err(|error| wrong(&error))?;
        Ok(registry.tools().map(|(spec, _)| spec.clone()).collect())
    }

    /// The registry with the tools that are written by hand.
    fn by_hand(&self, builder: RegistryBuilder, service: Option<&ServiceName>) -> RegistryBuilder {
        (self.complete)(match service {
            None => builder.linked_tools(),
            Some(service) => builder.linked_tools_of(service.clone()),
        })
    }

    fn adapters(&self, service: Option<&ServiceName>) -> Result<Vec<ToolSpec>, Failure> {
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
        if let Some(service) = service {
            specs.retain(|spec| spec.service == *service);
        }
        Ok(specs)
    }

    fn no_tools(&self, service: Option<&ServiceName>) -> Failure {
        service.map_or_else(nothing_linked, |service| self.no_service(service))
    }

    fn no_service(&self, name: &ServiceName) -> Failure {
        let linked = || self.adapters.iter().map(EmbeddedTools::service);
        let failure = Failure::new(format!("no linked tools belong to a service `{name}`"));
        match most_similar(name.as_str(), linked()) {
            Some(similar) => {
                failure.help(format!("a service with a similar name exists: `{similar}`"))
            }
            None => failure.help(format!(
                "the linked services are {}",
                linked().collect::<Vec<_>>().join(", ")
            )),
        }
    }
}

/// Everything that is wrong with a registry.
pub(crate) fn wrong(error: &RegistryError) -> Failure {
    Failure::all(error.problems.iter().map(ToString::to_string))
}

fn nothing_linked() -> Failure {
    let failure = Failure::new("no adapters are linked into this program");
    if cfg!(feature = "generator") {
        failure.help("pass a specification with `--spec`")
    } else {
        failure
    }
}
