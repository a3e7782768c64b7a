//! The tools that a command speaks of: those of the project, of specifications that the user names, or
//! of the program itself.
//!
//! A project's tools are those of its services, loaded from `specs/` at run time, and the linked ones.
//! A service that is linked as an adapter is not loaded: the program's Rust code was compiled for the
//! linked tools, so what a role sees must be these. `toolwright check` reports if its specification
//! has changed since.

mod chosen;
pub(crate) mod custom;
#[cfg(feature = "generator")]
mod loaded;
#[cfg(feature = "generator")]
mod named;

#[cfg(feature = "generator")]
use std::path::{Path, PathBuf};

use clap::Args;
use toolwright::{ServiceName, ToolSpec, config::Config, render::mcp::OutputSchemas};
use toolwright_model::most_similar;

pub(crate) use chosen::ChosenTools;
use chosen::Need;
use custom::Described;

use crate::{Failure, context::Context, failure::Code};
#[cfg(feature = "generator")]
use crate::{mounts::Mounts, specification::Specification, workspace};

/// Returns the records of the tools of a service, by its folder in a folder of specifications.
#[cfg(feature = "generator")]
pub(crate) fn records_of(specs: &Path, service: &ServiceName) -> Result<Vec<ToolSpec>, Failure> {
    let wanted = |name: Option<&ServiceName>| name == Some(service);
    let loaded = loaded::of_project(specs, loaded::Report::Faults, wanted)?;
    loaded.check(0)?;
    Ok(loaded.specs)
}

/// The arguments that choose the tools.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ToolsArguments {
    /// The tools of this specification, or of a folder with one, rather than those of the project (may
    /// be repeated). The overlay and the lock next to it are used
    #[cfg(feature = "generator")]
    #[arg(long, value_name = "SPEC")]
    spec: Vec<PathBuf>,

    /// The service: of the project, only this one; with one --spec, its name
    #[arg(long, value_name = "NAME")]
    service: Option<ServiceName>,

    /// The overlay of the specification, with one --spec
    #[cfg(feature = "generator")]
    #[arg(long, value_name = "FILE", requires = "spec")]
    overlay: Option<PathBuf>,
}

impl ToolsArguments {
    /// Chooses the tools of one service of the project.
    #[cfg(feature = "generator")]
    pub(crate) fn of_service(service: ServiceName) -> Self {
        Self {
            service: Some(service),
            ..Self::default()
        }
    }

    /// Loads the tools for a command that only looks, sorted by name.
    pub(crate) fn load(&self, context: &Context) -> Result<Vec<ToolSpec>, Failure> {
        self.listed(context)?.records()
    }

    /// Loads the tools for a command that only looks.
    pub(crate) fn listed<'c>(&self, context: &'c Context) -> Result<ChosenTools<'c>, Failure> {
        self.chosen(context, &context.config()?, Need::Records)
    }

    /// Loads the tools for a command that decides about calls, with the configuration that it read.
    pub(crate) fn choose<'c>(
        &self,
        context: &'c Context,
        config: &Config,
    ) -> Result<ChosenTools<'c>, Failure> {
        self.chosen(context, config, Need::Registry)
    }

    #[cfg(feature = "generator")]
    fn chosen<'c>(
        &self,
        context: &'c Context,
        config: &Config,
        need: Need,
    ) -> Result<ChosenTools<'c>, Failure> {
        let project = context.has_project()?.then_some(&config.workspace);
        let project = project.map(|folders| folders.specs.as_path());
        let named = self.named()?;
        let mounts = Mounts::read(config);
        if named.is_empty() {
            let service = self.service.as_ref();
            let described = match project {
                Some(_) => custom::read(config, service)?,
                None => Described::default(),
            };
            let linked = &context.linked;
            let chosen = ChosenTools::of_project(linked, project, service, need, &described)?;
            let chosen = chosen.with_sequences(&described.sequences, config)?;
            return Ok(chosen.with_mounts(mounts));
        }
        if self.overlay.is_none() {
            named::mention_overlays(&named, project);
        }
        let chosen = ChosenTools::of_specifications(&context.linked, project, &named, need)?;
        Ok(chosen.with_mounts(mounts))
    }

    /// Without the generator no specification can be read.
    #[cfg(not(feature = "generator"))]
    fn chosen<'c>(
        &self,
        context: &'c Context,
        config: &Config,
        need: Need,
    ) -> Result<ChosenTools<'c>, Failure> {
        let service = self.service.as_ref();
        let described = custom::read(config, service)?;
        let chosen = ChosenTools::of_project(&context.linked, None, service, need, &described)?;
        chosen.with_sequences(&described.sequences, config)
    }

    /// Returns the service whose tools are chosen; none if all are.
    pub(crate) const fn service(&self) -> Option<&ServiceName> {
        self.service.as_ref()
    }

    /// Checks whether the user names specifications, rather than the project's tools.
    pub(crate) const fn names_specifications(&self) -> bool {
        #[cfg(feature = "generator")]
        let named = !self.spec.is_empty();
        #[cfg(not(feature = "generator"))]
        let named = false;
        named
    }

    /// Returns the specifications that were named; none if the tools are those of the project.
    #[cfg(feature = "generator")]
    fn named(&self) -> Result<Vec<Specification>, Failure> {
        if let [one] = self.spec.as_slice() {
            let (service, overlay) = (self.service.clone(), self.overlay.clone());
            return Ok(vec![named::specification(one, service, overlay)?]);
        }
        let count = self.spec.len();
        let only_for_one = |option: &str| {
            let message = format!("`{option}` is for one `--spec`, and there are {count}");
            Failure::usage(message).help(
                "put the overlay next to its specification, as `overlay.toml` or `NAME.overlay.toml`; \
                 `service = \"NAME\"` in it names the service",
            )
        };
        match (count, &self.service, &self.overlay) {
            (0, _, _) => Ok(Vec::new()),
            (_, Some(_), _) => Err(only_for_one("--service")),
            (_, _, Some(_)) => Err(only_for_one("--overlay")),
            _ => {
                let specs = self.spec.iter();
                specs
                    .map(|path| named::specification(path, None, None))
                    .collect()
            }
        }
    }

    /// Returns the specifications that a tool may be of: those that were named, or the project's one of
    /// its service.
    #[cfg(feature = "generator")]
    pub(crate) fn origins(
        &self,
        tool: &ToolSpec,
        context: &Context,
    ) -> Result<Vec<Specification>, Failure> {
        let named = self.named()?;
        if !named.is_empty() || !context.has_project()? {
            return Ok(named);
        }
        let services = workspace::find_services(&context.config()?.workspace.specs)?;
        let services = services.into_iter().filter_map(|(_, found)| found.ok());
        let of_service = services.filter(|files| files.name == tool.service);
        Ok(of_service.map(Into::into).collect())
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
        let failure = Failure::new(format!("there is no tool `{name}`")).code(Code::UnknownTool);
        match most_similar(name, specs.iter().map(|spec| spec.name.as_str())) {
            Some(similar) => {
                failure.help(format!("a tool with a similar name exists: `{similar}`"))
            }
            None => failure.help("`toolwright list` shows all tools, with the same options"),
        }
    })
}
