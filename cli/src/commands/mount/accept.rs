//! `toolwright mount accept`.

use std::collections::BTreeSet;

use clap::Args;
use jiff::Timestamp;
use serde_json::json;
use toolwright::{
    ServiceName, ToolSpec,
    audit::{AuditEvent, AuditSink as _, DefinitionAccepted},
    config::Config,
    system,
};
use toolwright_generator::{
    check::CheckedCatalog,
    emit,
    generate::{Accept, Options, Unnameable},
    load::{Disk, Layered, Memory},
};
use toolwright_mounts::{Acceptance, DOCUMENT_FILE, Definition, LOCK_FILE};

use super::changes::{Compared, Standing};
use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    generation::Files,
    interrupt,
    operator::PersonArguments,
    output::{FormatArguments, plural},
    specification::{Specification, check, with_slashes},
    tools::ToolsArguments,
    workspace,
};

#[derive(Debug, Args)]
pub(super) struct AcceptArguments {
    /// The server
    #[arg(value_name = "NAME")]
    name: ServiceName,

    /// The tools, by their names at the server; by default all that are new, changed or gone
    #[arg(value_name = "TOOL")]
    tools: Vec<String>,

    /// Accept a lower class for a tool whose new definition suggests one
    #[arg(long)]
    lowering: bool,

    #[command(flatten)]
    person: PersonArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl AcceptArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let config = context.trusted_config()?;
        let _ = self.person.statement()?;
        let mut compared = Compared::ask(&self.name, &config)?;
        compared.report();
        let chosen = self.choose(&compared)?;
        let at = Timestamp::now();
        for (tool, definition) in &chosen {
            self.accept(tool, definition.as_ref(), at, &mut compared);
        }
        let (files, specs) = self.files(&compared)?;
        check_names(&specs, &self.name, context)?;
        // As with approvals: what cannot be recorded is not done.
        self.record(&chosen, at, &config)?;
        let found = files.compare()?;
        interrupt::replace(&[(&files, found)])?;
        let names: Vec<_> = specs.iter().map(|spec| spec.name.as_str()).collect();
        if self.format.is_json() {
            let accepted: Vec<_> = chosen.iter().map(|(tool, _)| tool).collect();
            let done = json!({"service": self.name, "accepted": accepted, "tools": names});
            context.output.json(&done)?;
            return Ok(Exit::Done);
        }
        let accepted = plural(chosen.len(), "definition");
        let total = plural(names.len(), "tool");
        let name = &self.name;
        context.output.line(format_args!(
            "accepted {accepted}; `{name}` has {total} now"
        ))?;
        for tool in names {
            context.output.line(format_args!("  {tool}"))?;
        }
        Ok(Exit::Done)
    }

    /// Returns the tools that are to be accepted with their definitions; none for one that is gone.
    fn choose(&self, compared: &Compared) -> Result<Vec<(String, Option<Definition>)>, Failure> {
        let tools = compared.tools();
        let named: BTreeSet<&str> = self.tools.iter().map(String::as_str).collect();
        for name in &named {
            let found = tools.iter().find(|(tool, _)| tool == name);
            let failure = match found {
                Some((_, Standing::Refused)) => format!("`{name}` cannot be accepted"),
                None => format!("`{}` has no tool `{name}`", self.name),
                Some(_) => continue,
            };
            return Err(Failure::new(failure).code(Code::UnknownTool));
        }
        let differs = |standing| !matches!(standing, Standing::Accepted | Standing::Refused);
        let chosen = tools.into_iter().filter(|(tool, standing)| {
            differs(*standing) && (named.is_empty() || named.contains(tool))
        });
        let chosen: Vec<_> = chosen
            .map(|(tool, _)| {
                let definition = compared.listing.definitions.get(tool);
                (tool.to_owned(), definition.cloned())
            })
            .collect();
        Ok(chosen)
    }

    fn accept(
        &self,
        tool: &str,
        definition: Option<&Definition>,
        at: Timestamp,
        compared: &mut Compared,
    ) {
        let files = &mut compared.files;
        let Some(definition) = definition else {
            files.document.remove(tool);
            files.lock.remove(tool);
            return;
        };
        files.document.insert(definition.clone());
        let accepted = Acceptance {
            definition: definition.digest(),
            by: self.person.by.clone(),
            why: self.person.why.clone(),
            at,
        };
        files.lock.insert(tool, accepted);
    }

    /// Returns the files with the accepted definitions, and the tools that they make.
    fn files(&self, compared: &Compared) -> Result<(Files, Vec<ToolSpec>), Failure> {
        let MountTexts { document, lock } = MountTexts::new(compared);
        let folder = &compared.files.folder;
        let path = folder.join(DOCUMENT_FILE);
        let overlay = folder.join(workspace::OVERLAY);
        let mut specification = Specification::new(
            path.clone(),
            Some(self.name.clone()),
            overlay.is_file().then_some(overlay),
        );
        specification.lock = Some(folder.join(workspace::LOCK));
        let mut front = Memory::default();
        front
            .0
            .insert(with_slashes(&path), document.clone().into_bytes());
        let options = Options {
            unnameable: Unnameable::LeaveOut,
            accept: Accept {
                renames: false,
                lowering: self.lowering,
            },
        };
        let sources = Layered::new(&front, Disk);
        let (catalog, _) = check(&[specification.input()], options, &sources)?;
        let names = catalog.services().first().map(emit::lock);
        let files = Files::single_file(&path, document);
        let (Some(mut files), Some(names)) = (files, names) else {
            return Err(Failure::new("the server has no tools"));
        };
        files.tree.add(LOCK_FILE, lock);
        files.tree.add(workspace::LOCK, names);
        Ok((files, CheckedCatalog::tool_specs(&catalog)))
    }

    fn record(
        &self,
        chosen: &[(String, Option<Definition>)],
        at: Timestamp,
        config: &Config,
    ) -> Result<(), Failure> {
        let audit = config.audit.open();
        for (tool, definition) in chosen {
            let event = AuditEvent::definition_accepted(
                at,
                DefinitionAccepted {
                    service: self.name.clone(),
                    mounted_tool: tool.clone(),
                    definition: definition.as_ref().map(Definition::digest),
                    person: self.person.by.clone(),
                    os_user: system::user(),
                    why: self.person.why.clone(),
                },
            );
            let recorded = audit.record(&event);
            recorded.map_err(|error| Failure::new(format!("{error}; nothing was accepted")))?;
        }
        Ok(())
    }
}

/// The contents of the files that a person accepts.
struct MountTexts {
    document: String,
    lock: String,
}

impl MountTexts {
    fn new(compared: &Compared) -> Self {
        let (name, version) = &compared.listing.server;
        let document = &compared.files.document;
        Self {
            document: document.to_text(&compared.service, (name, version)),
            lock: compared.files.lock.to_text(),
        }
    }
}

/// Refuses a name that a tool of another service has already.
fn check_names(
    specs: &[ToolSpec],
    service: &ServiceName,
    context: &Context,
) -> Result<(), Failure> {
    let Ok(others) = ToolsArguments::default().load(context) else {
        // Without other tools there is no collision.
        return Ok(());
    };
    let others = others.iter().filter(|other| other.service != *service);
    let taken: BTreeSet<&str> = others.map(|other| other.name.as_str()).collect();
    let collision = specs.iter().find(|spec| taken.contains(spec.name.as_str()));
    collision.map_or(Ok(()), |spec| {
        let failure = Failure::new(format!("another service has a tool `{}`", spec.name));
        Err(failure.note("nothing was accepted").help(
            "give the server another name in toolwright.toml, or set the noun in its overlay",
        ))
    })
}
