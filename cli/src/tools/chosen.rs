//! The tools that were chosen, and a registry of them.

use std::{collections::BTreeMap, path::Path};

use toolwright::{
    Registry, RegistryBuilder, ServiceName, Tool, ToolName, ToolSpec, config::Config,
};
use toolwright_custom::StepsTool;
use toolwright_model::most_similar;

use super::custom::Described;
#[cfg(feature = "generator")]
use super::loaded::{self, Loaded, Report};
use crate::{
    Exit, Failure,
    failure::Code,
    linked::{ByHand, Linked},
    output::error_line,
    skills,
};
#[cfg(feature = "generator")]
use crate::{mounts::Mounts, specification::Specification};

/// What a command needs of the tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// Their records.
    Records,
    /// A registry, whose policy may also mention other tools of the project.
    Registry,
}

/// The tools that a command speaks of.
pub(crate) struct ChosenTools<'c> {
    linked: &'c Linked,
    /// The tools, except those that are written by hand.
    specs: Vec<ToolSpec>,
    /// Those of the linked tools that are written by hand.
    by_hand: ByHand,
    /// Other tools of the project. The policy may mention them.
    elsewhere: Vec<ToolSpec>,
    /// True if there may be other tools.
    is_part: bool,
    /// The number of services whose tools are unknown.
    broken: usize,
    /// The custom tools among them.
    custom: BTreeMap<ToolName, Tool>,
    /// The mounted servers of the project.
    #[cfg(feature = "generator")]
    mounts: Mounts,
}

impl<'c> ChosenTools<'c> {
    /// Chooses the linked tools and those of a project, or those of one service. Without the folder of
    /// its specifications, there is no project.
    pub(super) fn of_project(
        linked: &'c Linked,
        project: Option<&Path>,
        service: Option<&ServiceName>,
        need: Need,
        described: &Described,
    ) -> Result<Self, Failure> {
        // The steps of a tool may call tools of any service.
        let need = match described.sequences.is_empty() {
            true => need,
            false => Need::Registry,
        };
        let mut chosen = Self {
            linked,
            specs: Vec::new(),
            by_hand: service.cloned().map_or(ByHand::All, ByHand::Service),
            elsewhere: Vec::new(),
            is_part: service.is_some(),
            broken: 0,
            custom: BTreeMap::new(),
            #[cfg(feature = "generator")]
            mounts: Mounts::default(),
        };
        let is_chosen = |name: &ServiceName| service.is_none_or(|service| name == service);
        let adapters = linked.adapters()?;
        (chosen.specs, chosen.elsewhere) =
            (adapters.into_iter()).partition(|spec| is_chosen(&spec.service));
        let custom = described.tools.values();
        let custom_specs = custom.map(|tool| ToolSpec::clone(tool.spec()));
        chosen.specs.extend(custom_specs);
        chosen.custom.clone_from(&described.tools);
        let mut services = chosen.specs.len() + described.sequences.len();
        #[cfg(feature = "generator")]
        let loaded = match project {
            Some(folder) => chosen.add_services(folder, service, need)?,
            None => Loaded::default(),
        };
        #[cfg(feature = "generator")]
        {
            services += loaded.services.len();
        }
        services += chosen.specs_by_hand()?.len();
        #[cfg(feature = "generator")]
        loaded.check(services)?;
        if services == 0 {
            return Err(chosen.nothing(project, service));
        }
        if need == Need::Registry && service.is_some() {
            let by_hand = linked.specs_by_hand(&ByHand::All, chosen.known())?;
            chosen.elsewhere.extend(by_hand);
        }
        Ok(chosen)
    }

    /// Adds the services of a project whose adapters are not linked, or one of them, and returns what
    /// was loaded for them.
    #[cfg(feature = "generator")]
    fn add_services(
        &mut self,
        folder: &Path,
        service: Option<&ServiceName>,
        need: Need,
    ) -> Result<Loaded, Failure> {
        let is_linked = |name: &ServiceName| self.linked.has_adapter(name);
        // A folder without a valid name is none of the service that was asked for.
        let is_chosen = |name: Option<&ServiceName>| service.is_none() || name == service;
        let mut loaded = loaded::of_project(folder, Report::Faults, |name| {
            is_chosen(name) && !name.is_some_and(is_linked)
        })?;
        if need == Need::Registry && service.is_some() {
            let others = loaded::of_project(folder, Report::Line, |name| {
                !is_chosen(name) && !name.is_some_and(is_linked)
            })?;
            self.elsewhere.extend(others.specs);
        }
        self.broken = loaded.broken.len();
        self.specs.append(&mut loaded.specs);
        Ok(loaded)
    }

    /// Chooses the tools of specifications that the user named.
    #[cfg(feature = "generator")]
    pub(super) fn of_specifications(
        linked: &'c Linked,
        project: Option<&Path>,
        specifications: &[Specification],
        need: Need,
    ) -> Result<Self, Failure> {
        let loaded = loaded::of_specifications(specifications)?;
        loaded.check(loaded.services.len())?;
        let Loaded { specs, broken, .. } = loaded;
        let mut elsewhere = Vec::new();
        if need == Need::Registry {
            elsewhere = linked.all()?;
            if let Some(folder) = project {
                let is_here = |name: &ServiceName| specs.iter().any(|spec| spec.service == *name);
                let is_other = |name: Option<&ServiceName>| !name.is_some_and(is_here);
                elsewhere.extend(loaded::of_project(folder, Report::Line, is_other)?.specs);
            }
        }
        Ok(Self {
            linked,
            specs,
            by_hand: ByHand::None,
            elsewhere,
            is_part: true,
            broken: broken.len(),
            custom: BTreeMap::new(),
            mounts: Mounts::default(),
        })
    }

    /// Adds the custom tools of steps, which call the tools that are known. One with a fault is reported and
    /// left out.
    pub(super) fn with_sequences(
        mut self,
        sequences: &[StepsTool],
        config: &Config,
    ) -> Result<Self, Failure> {
        if sequences.is_empty() {
            return Ok(self);
        }
        let specs = self.all_records()?;
        let known = skills::known(&specs, config);
        for steps in sequences {
            match steps.tool(&known) {
                Ok(tool) => {
                    self.specs.push(ToolSpec::clone(tool.spec()));
                    self.custom.insert(steps.name().clone(), tool);
                }
                Err(problems) => {
                    for problem in problems {
                        error_line(format_args!(
                            "warning: a custom tool is left out: {problem}"
                        ));
                    }
                }
            }
        }
        Ok(self)
    }

    /// Adds the mounted servers, which carry the calls of their tools out.
    #[cfg(feature = "generator")]
    pub(super) fn with_mounts(mut self, mounts: Mounts) -> Self {
        self.mounts = mounts;
        self
    }

    /// Returns the mounted servers.
    #[cfg(feature = "generator")]
    pub(crate) const fn mounts(&self) -> &Mounts {
        &self.mounts
    }

    /// Returns the records of the tools, sorted by name.
    pub(crate) fn records(self) -> Result<Vec<ToolSpec>, Failure> {
        let by_hand = self.specs_by_hand()?;
        let mut specs = self.specs;
        specs.extend(by_hand);
        specs.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(specs)
    }

    /// Returns the records of the tools, and of the other tools of the project.
    pub(crate) fn all_records(&self) -> Result<Vec<ToolSpec>, Failure> {
        let mut specs = self.known();
        specs.extend(self.specs_by_hand()?);
        Ok(specs)
    }

    /// Returns a registry of the tools, for the operator to complete.
    pub(crate) fn registry(&self) -> RegistryBuilder {
        let tools = self.specs.iter().map(|spec| self.tool(spec));
        let builder = Registry::builder().tools(tools);
        let builder = builder.elsewhere(self.elsewhere.iter().cloned());
        let builder = self.linked.by_hand(builder, &self.by_hand);
        if self.is_a_part() {
            builder.partial()
        } else {
            builder
        }
    }

    /// Returns the tool of a record.
    fn tool(&self, spec: &ToolSpec) -> Tool {
        if let Some(custom) = self.custom.get(&spec.name) {
            return custom.clone();
        }
        #[cfg(feature = "generator")]
        if spec.mcp().is_some() {
            return self.mounts.tool(spec.clone());
        }
        spec.clone().into()
    }

    /// Returns true if the project has more tools than these, so `toolwright.toml` may mention others.
    pub(crate) const fn is_a_part(&self) -> bool {
        self.is_part || self.broken > 0
    }

    /// Returns the number of services whose tools are unknown.
    pub(crate) const fn broken(&self) -> usize {
        self.broken
    }

    /// Returns the exit code of a command that shows the tools.
    pub(crate) const fn exit(&self) -> Exit {
        if self.broken > 0 {
            Exit::Partial
        } else {
            Exit::Done
        }
    }

    /// Fails if the tools of a service are unknown, for a command that judges the whole policy.
    pub(crate) fn must_be_complete(&self) -> Result<(), Failure> {
        if self.broken == 0 {
            return Ok(());
        }
        Err(
            Failure::new("the tools of the project are not all known, so its policy is not judged")
                .code(Code::InvalidSpecification)
                .help("fix the services that are left out"),
        )
    }

    fn specs_by_hand(&self) -> Result<Vec<ToolSpec>, Failure> {
        self.linked.specs_by_hand(&self.by_hand, self.known())
    }

    /// The tools that are not written by hand, here and elsewhere.
    fn known(&self) -> Vec<ToolSpec> {
        let known = self.specs.iter().chain(&self.elsewhere);
        known.cloned().collect()
    }

    /// Explains why there are no tools.
    fn nothing(&self, project: Option<&Path>, service: Option<&ServiceName>) -> Failure {
        let Some(name) = service else {
            return nothing_at_all(project);
        };
        let elsewhere = self.elsewhere.iter().map(|spec| spec.service.clone());
        let mut services: Vec<ServiceName> = elsewhere.collect();
        #[cfg(feature = "generator")]
        services.extend(project.map(crate::workspace::names).unwrap_or_default());
        services.sort_unstable();
        services.dedup();
        let names: Vec<&str> = services.iter().map(ServiceName::as_str).collect();
        let failure =
            Failure::new(format!("there is no service `{name}`")).code(Code::UnknownService);
        match most_similar(name.as_str(), names.iter().copied()) {
            Some(similar) => {
                failure.help(format!("a service with a similar name exists: `{similar}`"))
            }
            None if names.is_empty() => nothing_at_all(project),
            None => failure.help(format!("the services are {}", names.join(", "))),
        }
    }
}

fn nothing_at_all(project: Option<&Path>) -> Failure {
    if let Some(specs) = project {
        let example = specs.join("shop").join("openapi.yaml");
        return Failure::new("this project has no services").code(Code::NoTools).help(format!(
            "put each specification into a folder with the service's name, such as `{}`, or pass one with `--spec`",
            example.display()
        ));
    }
    if cfg!(feature = "generator") {
        Failure::new(
            "there are no tools: no `toolwright.toml` is in this folder or any parent folder",
        )
        .code(Code::NoTools)
        .help("pass a specification with `--spec`, or go to the project's folder")
    } else {
        Failure::new("no adapters are linked into this program").code(Code::NoTools)
    }
}
