//! The custom tools of a server, which reads their files again on request.

use std::{
    collections::{BTreeMap, BTreeSet},
    io, mem,
    path::PathBuf,
};

use toolwright::{Registry, ServiceName, Tool, ToolName, ToolSpec, config::Config};
use toolwright_custom::{CustomFile, CustomTools, read_folder};

use super::tell;
use crate::{Failure, context::ConfigSource, linked, skills, tools::custom};

/// The custom tools of a server.
pub(super) struct CustomReload {
    registry: Registry,
    source: ConfigSource,
    folder: PathBuf,
    /// The service whose tools are served; none if all are.
    service: Option<ServiceName>,
    /// The contents of the files of the tools, as they were read last.
    read: BTreeMap<ToolName, String>,
    /// The tools that are withdrawn.
    off: BTreeSet<ToolName>,
    announce: Box<dyn Fn() + Send>,
}

/// The contents of the files of custom tools before a registry is built of them.
pub(super) struct CustomBefore {
    folder: PathBuf,
    read: BTreeMap<ToolName, String>,
}

/// What a reload has changed.
#[derive(Default)]
struct Report {
    added: BTreeSet<ToolName>,
    changed: BTreeSet<ToolName>,
    off: BTreeSet<ToolName>,
    faults: Vec<String>,
}

impl CustomBefore {
    /// Reads the files.
    pub(super) fn look(config: &Config) -> Self {
        let folder = custom::folder(config);
        let found = read_folder(&folder).unwrap_or_default();
        let files = found.files.into_iter();
        let read = files.map(|file| (file.tool.name().clone(), file.text));
        Self {
            read: read.collect(),
            folder,
        }
    }

    /// Follows the files for a registry that was built of them, and calls `announce` after a change.
    pub(super) fn follow(
        mut self,
        registry: Registry,
        source: ConfigSource,
        service: Option<&ServiceName>,
        announce: impl Fn() + Send + 'static,
    ) -> CustomReload {
        self.read
            .retain(|name, _| registry.spec(name.as_str()).is_some());
        CustomReload {
            registry,
            source,
            folder: self.folder,
            service: service.cloned(),
            read: self.read,
            off: BTreeSet::new(),
            announce: Box::new(announce),
        }
    }
}

impl CustomReload {
    /// Reads the files again. A tool whose file is gone or has a fault, and one that cannot be taken over, is off
    /// until the next reload.
    pub(super) fn reload(&mut self) {
        let mut report = Report::default();
        let found = self.find(&mut report);
        let read = found
            .iter()
            .map(|file| (file.tool.name().clone(), file.text.clone()));
        let before = mem::replace(&mut self.read, read.collect());
        let taken = self.take(&found, &before, &mut report);
        if let Err(failure) = taken {
            // What the files state now is not in force, and what they stated before is not any more.
            let is_same = |name: &ToolName| before.get(name) == self.read.get(name);
            report
                .off
                .extend(self.read.keys().filter(|name| !is_same(name)).cloned());
            report.added.clear();
            report.changed.clear();
            report.faults.push(failure.to_string());
        }
        let gone = before
            .into_keys()
            .filter(|name| !self.read.contains_key(name));
        report.off.extend(gone);
        self.registry.withdraw_tools(&report.off);
        self.off.extend(report.off.iter().cloned());
        for name in report.added.iter().chain(&report.changed) {
            self.off.remove(name);
        }
        report.tell();
        (self.announce)();
    }

    /// Returns the files of the served tools. Of two with one name, the first is used.
    fn find(&self, report: &mut Report) -> Vec<CustomFile> {
        let found = read_folder(&self.folder).unwrap_or_else(|error: io::Error| CustomTools {
            unreadable: vec![(self.folder.clone(), error)],
            ..CustomTools::default()
        });
        report.faults.extend(custom::faults(&found));
        let mut names = BTreeSet::new();
        let mut files = found.files;
        files.retain(|file| {
            let name = file.tool.name();
            let service = self.service.as_ref();
            let is_served = service.is_none_or(|own| own.as_str() == file.tool.service());
            let is_new = names.insert(name.clone());
            if is_served && !is_new {
                report.faults.push(format!("two files define `{name}`"));
            }
            is_served && is_new
        });
        files
    }

    /// Puts the tools of files that changed in force.
    fn take(
        &self,
        found: &[CustomFile],
        before: &BTreeMap<ToolName, String>,
        report: &mut Report,
    ) -> Result<(), Failure> {
        let config = self.source.read()?;
        let specs = self.specs(found, before);
        let known = skills::known(&specs, &config);
        let mut tools: Vec<Tool> = Vec::new();
        for file in found {
            let name = file.tool.name();
            let tool = match file.tool.complete(&known) {
                Ok(tool) => tool,
                Err(problems) => {
                    report
                        .faults
                        .extend(problems.iter().map(ToString::to_string));
                    report.off.insert(name.clone());
                    continue;
                }
            };
            let served = self.registry.spec(name.as_str());
            let is_same =
                before.get(name) == Some(&file.text) && served.as_ref() == Some(tool.spec());
            match before.get(name) {
                _ if is_same && !self.off.contains(name) => continue,
                Some(_) if !self.off.contains(name) => report.changed.insert(name.clone()),
                _ if served.is_some() && !self.off.contains(name) => {
                    report
                        .faults
                        .push(format!("a tool is named `{name}` already"));
                    continue;
                }
                _ => report.added.insert(name.clone()),
            };
            tools.push(tool);
        }
        let reloaded = self.registry.reload_tools(&config, tools);
        reloaded.map_err(|error| linked::wrong(&error))
    }

    /// Returns the tools that steps may call: those that are not custom, and the requests and programs of the
    /// files.
    fn specs(&self, found: &[CustomFile], before: &BTreeMap<ToolName, String>) -> Vec<ToolSpec> {
        let is_custom = |name: &ToolName| {
            before.contains_key(name) || self.off.contains(name) || self.read.contains_key(name)
        };
        let others = self.registry.tools().map(|(spec, _)| spec);
        let others = others.filter(|spec| !is_custom(&spec.name));
        let own = found.iter().filter_map(|file| match &file.tool {
            toolwright_custom::CustomTool::Tool(tool) => Some(tool.spec().clone()),
            toolwright_custom::CustomTool::Steps(_) => None,
        });
        let specs = others.chain(own);
        specs.map(|spec| ToolSpec::clone(&spec)).collect()
    }
}

impl Report {
    fn tell(&self) {
        let mut parts = Vec::new();
        for (word, names) in [
            ("new", &self.added),
            ("changed", &self.changed),
            ("off", &self.off),
        ] {
            if !names.is_empty() {
                let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
                parts.push(format!("{word}: {}", names.join(", ")));
            }
        }
        for fault in &self.faults {
            tell(&format!("warning: a custom tool is not in force: {fault}"));
        }
        if parts.is_empty() {
            tell("custom tools reloaded; nothing has changed");
        } else {
            tell(&format!("custom tools reloaded; {}", parts.join("; ")));
        }
    }
}
