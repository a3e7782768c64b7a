//! The tools that a command speaks of: linked into the program, or of a specification.

#[cfg(feature = "generator")]
use std::path::PathBuf;

use clap::Args;
#[cfg(feature = "generator")]
use toolwright::Registry;
use toolwright::{RegistryBuilder, ServiceName, ToolSpec, render::mcp::OutputSchemas};
use toolwright_model::most_similar;

#[cfg(feature = "generator")]
use crate::specification::Specification;
use crate::{Failure, context::Context};

/// The arguments that choose the tools.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ToolsArguments {
    /// The tools of this specification, rather than those that are linked in
    #[cfg(feature = "generator")]
    #[arg(long, value_name = "SPEC")]
    spec: Option<PathBuf>,

    /// The service: of linked tools, only this one's; with --spec, its name
    #[arg(long, value_name = "NAME")]
    service: Option<ServiceName>,

    /// The overlay of the specification
    #[cfg(feature = "generator")]
    #[arg(long, value_name = "FILE", requires = "spec")]
    overlay: Option<PathBuf>,
}

impl ToolsArguments {
    /// The tools, sorted by name.
    pub(crate) fn load(&self, context: &Context) -> Result<Vec<ToolSpec>, Failure> {
        #[cfg(feature = "generator")]
        if let Some(spec) = self.specification() {
            return spec.load();
        }
        let mut specs = context.linked.specs(self.service.as_ref())?;
        specs.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(specs)
    }

    /// A registry of the tools, for the operator to complete.
    pub(crate) fn registry(&self, context: &Context) -> Result<RegistryBuilder, Failure> {
        #[cfg(feature = "generator")]
        if let Some(spec) = self.specification() {
            let linked = context.linked.all()?;
            return Ok(Registry::builder().specs(spec.load()?).elsewhere(linked));
        }
        context.linked.registry(self.service.as_ref())
    }

    /// Returns true if the workspace has more tools than these, so `toolwright.toml` may mention
    /// others.
    pub(crate) const fn are_a_part(&self) -> bool {
        #[cfg(feature = "generator")]
        if self.spec.is_some() {
            return true;
        }
        self.service.is_some()
    }

    /// The specification that was named.
    #[cfg(feature = "generator")]
    pub(crate) fn specification(&self) -> Option<Specification> {
        let path = self.spec.clone()?;
        Some(Specification::new(
            path,
            self.service.clone(),
            self.overlay.clone(),
        ))
    }
}

/// How much of the output schemas is shown.
pub(crate) const fn output_schemas(whole: bool) -> OutputSchemas {
    if whole {
        OutputSchemas::Whole
    } else {
        OutputSchemas::Cut
    }
}

/// The tool of a name.
pub(crate) fn find<'a>(specs: &'a [ToolSpec], name: &str) -> Result<&'a ToolSpec, Failure> {
    let found = specs.iter().find(|spec| spec.name.as_str() == name);
    found.ok_or_else(|| {
        let failure = Failure::new(format!("there is no tool `{name}`"));
        match most_similar(name, specs.iter().map(|spec| spec.name.as_str())) {
            Some(similar) => {
                failure.help(format!("a tool with a similar name exists: `{similar}`"))
            }
            None => failure.help("`toolwright list` shows all tools"),
        }
    })
}
