//! The sandbox of a command, as the operator's scope describes it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::Duration,
};

use toolwright::{
    ToolContext, ToolError,
    policy::{SandboxLayer, ScopeValues},
};
use toolwright_commands::{
    confined::{confinement, lacking_for},
    folder::{SYSTEM_PATH, below, existing, repository, writable},
    misconfigured,
};
use toolwright_sandbox::{Confinement, Network};

use super::denied::denied_paths;

const MIB: u64 = 1 << 20;

/// The sandbox of a command.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) confinement: Confinement,
    /// The folders of programs, in the order of the search.
    path: Vec<PathBuf>,
}

impl Setting {
    pub(super) fn of_call(ctx: &ToolContext) -> Result<Self, ToolError> {
        let root = repository(ctx)?;
        let scope = Values(ctx.scope());
        let folder = match scope.one("working_directory")? {
            Some(folder) => below(&root, folder)?,
            None => root.clone(),
        };
        let mut confinement = confinement(ctx, &folder);
        confinement.network = network(&scope)?;
        confinement.umask = 0o022;
        confinement.files = confinement.files.with_system_programs();
        confinement.files.read.push(root.clone());
        for folder in scope.all("writable_folders") {
            confinement.files.write.push(writable(&root, folder)?);
        }
        for folder in scope.all("executable_folders") {
            confinement.files.execute.push(below(&root, folder)?);
        }
        let mut path = Vec::new();
        for folder in scope.all("program_folders") {
            let folder = existing(Path::new(folder))?;
            let programs = folder.join("bin");
            path.push(if programs.is_dir() {
                programs
            } else {
                folder.clone()
            });
            confinement.files.execute.push(folder);
        }
        path.extend(SYSTEM_PATH.map(PathBuf::from));
        confinement.files.hidden = denied_paths(ctx, &root)?;
        confinement.environment = environment(&scope, &path)?;
        set_limits(&mut confinement, &scope)?;
        Ok(Self { confinement, path })
    }

    /// Finds a program by its name, or by its absolute path.
    pub(super) fn program(&self, name: &str) -> Result<PathBuf, ToolError> {
        if name.starts_with('/') {
            return Ok(PathBuf::from(name));
        }
        let mut paths = self.path.iter().map(|folder| folder.join(name));
        let found = paths.find(|path| !name.contains('/') && path.is_file());
        found.ok_or_else(|| {
            misconfigured(format!(
                "there is no program `{name}`; the operator adds its folder to `program_folders`"
            ))
        })
    }
}

/// The scope parameters of a call. Of several values of a limit, the smallest applies.
struct Values<'a>(&'a ScopeValues);

impl Values<'_> {
    /// Returns all values of a parameter that every rule which sets it has.
    fn all<'a>(&'a self, parameter: &'a str) -> Vec<&'a str> {
        let mut rules = self.0.texts(parameter);
        let mut values: Vec<&str> = rules
            .next()
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        for rule in rules {
            values.retain(|value| rule.iter().any(|other| other == value));
        }
        values
    }

    /// Returns the only value of a parameter.
    fn one<'a>(&'a self, parameter: &'a str) -> Result<Option<&'a str>, ToolError> {
        let is_set = self.0.texts(parameter).next().is_some();
        match self.all(parameter).as_slice() {
            [value] => Ok(Some(value)),
            [] if !is_set => Ok(None),
            _ => Err(misconfigured(format!("`{parameter}` must have one value"))),
        }
    }

    /// Returns the smallest value of a limit.
    fn limit(&self, parameter: &str) -> Result<Option<u64>, ToolError> {
        let values = self.0.texts(parameter).flatten();
        let values: Result<Vec<u64>, _> = values.map(|value| value.parse()).collect();
        let values = values.map_err(|_| misconfigured(format!("`{parameter}` is not a number")))?;
        Ok(values.into_iter().min())
    }
}

/// Returns the layers that the machine lacks for a command with the network of these values.
pub(super) fn lacking_layers(scope: &ScopeValues) -> BTreeSet<SandboxLayer> {
    // Without a valid value, the call fails.
    lacking_for(&network(&Values(scope)).unwrap_or_default())
}

/// Returns the network: `none`, or the TCP ports to connect to.
fn network(scope: &Values<'_>) -> Result<Network, ToolError> {
    let values = scope.all("network_access");
    if values.is_empty() || values == ["none"] {
        return Ok(Network::None);
    }
    let ports: Result<BTreeSet<u16>, _> = values.iter().map(|value| value.parse()).collect();
    let ports = ports.map_err(|_| {
        misconfigured("`network_access` is neither `none` nor a list of TCP ports".to_owned())
    })?;
    Ok(Network::Ports(ports))
}

fn environment(
    scope: &Values<'_>,
    path: &[PathBuf],
) -> Result<BTreeMap<String, String>, ToolError> {
    let mut environment = BTreeMap::new();
    let folders: Vec<_> = path
        .iter()
        .map(|folder| folder.display().to_string())
        .collect();
    environment.insert("PATH".to_owned(), folders.join(":"));
    environment.insert("LANG".to_owned(), "C.UTF-8".to_owned());
    for variable in scope.all("environment") {
        let (name, value) = variable.split_once('=').ok_or_else(|| {
            misconfigured(format!("`{variable}` in `environment` is not `NAME=VALUE`"))
        })?;
        environment.insert(name.to_owned(), value.to_owned());
    }
    Ok(environment)
}

fn set_limits(confinement: &mut Confinement, scope: &Values<'_>) -> Result<(), ToolError> {
    let time = scope.limit("max_execution_time_seconds")?;
    let time = time.ok_or_else(|| misconfigured("the time is not limited".to_owned()))?;
    let limits = &mut confinement.limits;
    limits.time = Duration::from_secs(time);
    // As if each of 16 processors were busy all the time.
    limits.cpu = Duration::from_secs(time.saturating_mul(16));
    limits.memory = scope.limit("max_memory_bytes")?.unwrap_or(4096 * MIB);
    limits.processes = scope.limit("max_processes")?.unwrap_or(256);
    limits.output = scope.limit("max_output_bytes")?.unwrap_or(MIB);
    limits.written = scope.limit("max_written_bytes")?.unwrap_or(4096 * MIB);
    limits.file_size = limits.written;
    limits.open_files = 1024;
    limits.scratch = 256 * MIB;
    Ok(())
}
