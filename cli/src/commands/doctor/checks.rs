//! The checks of a project, in the order in which a call depends on them.

use std::path::Path;

use toolwright::{
    Registry,
    config::{AuditConfig, Config},
    registry::RegistryProblem,
};
use toolwright_state::State;

use super::{
    databases,
    finding::{Finding, Findings, Part, Status},
    services,
};
use crate::{
    Failure,
    commands::{call::file_failure, policy},
    context::Context,
    operator::runtime,
    output::{Progress, plural},
    project,
    tools::{ChosenTools, ToolsArguments},
};

/// Runs every check. Without a readable configuration, the others have no subject.
pub(super) fn all(context: &Context, online: bool, findings: &mut Findings) -> Result<(), Failure> {
    let file = context.needed_file()?;
    let config = match project::read(&file) {
        Ok(config) => config,
        Err(failure) => {
            findings.failure(Part::Configuration, &shown(&file), &failure);
            return Ok(());
        }
    };
    let trusted_config = configuration(&file, findings);
    let trusted = trusted_config.is_some();
    let config = trusted_config.unwrap_or(config);
    let progress = Progress::start();
    let governed = governed(context, &config, &file, findings, &progress);
    state(&config, trusted, findings);
    // A file that is not trusted must not choose which folders are read.
    if trusted {
        files(&config, findings);
        sinks(&config.audit, findings);
    }
    databases::check(&config, online && trusted, findings, &progress);
    let Some((tools, registry)) = governed else {
        return Ok(());
    };
    progress.step("checking the services");
    services::check(&registry, findings);
    if online && trusted {
        services::call(&tools, &config, findings, &progress)?;
    } else if online {
        let finding = Finding::new(
            Status::Warning,
            Part::Service,
            shown(&file),
            "no service was called, since the file is not trusted",
        );
        findings.add(finding.help("read it, then run `toolwright trust`"));
    }
    Ok(())
}

/// Checks the specifications, the adapters and the grants. Returns the tools, and the registry that they make.
fn governed<'a>(
    context: &'a Context,
    config: &Config,
    file: &Path,
    findings: &mut Findings,
    progress: &Progress,
) -> Option<(ChosenTools<'a>, Registry)> {
    let arguments = ToolsArguments::default();
    let tools = match arguments.choose(context, config) {
        Ok(tools) => tools,
        Err(failure) => {
            let specs = shown(&config.workspace.specs);
            findings.failure(Part::Specifications, &specs, &failure);
            return None;
        }
    };
    specifications(&tools, config, findings);
    #[cfg(feature = "generator")]
    adapters(config, findings, progress);
    #[cfg(not(feature = "generator"))]
    let _ = progress;
    let registry = policy(&tools, config, file, findings)?;
    Some((tools, registry))
}

/// Checks `toolwright.toml`, its permissions, and the trust in it. Returns it if it is trusted.
fn configuration(file: &Path, findings: &mut Findings) -> Option<Config> {
    match project::read_trusted(file) {
        Ok(config) => {
            findings.ok(Part::Configuration, shown(file), "valid and trusted");
            Some(config)
        }
        Err(failure) => {
            findings.failure(Part::Configuration, &shown(file), &failure);
            None
        }
    }
}

fn specifications(tools: &ChosenTools<'_>, config: &Config, findings: &mut Findings) {
    let specs = shown(&config.workspace.specs);
    match tools.broken() {
        0 => findings.ok(Part::Specifications, specs, "all services can be read"),
        broken => {
            let services = plural(broken, "service");
            let message = format!("{services} cannot be read, so the calls are denied");
            let finding = Finding::new(Status::Error, Part::Specifications, specs, message);
            findings.add(
                finding.help("fix the faults that are listed above, and by `toolwright list`"),
            );
        }
    }
}

/// Checks that the locks and the generated adapters are those of this version and of the
/// specifications.
#[cfg(feature = "generator")]
fn adapters(config: &Config, findings: &mut Findings, progress: &Progress) {
    use toolwright_generator::reconcile::State;

    use crate::commands::check;

    let with_adapters = config.workspace.generated.exists();
    let compared = match check::compare(&config.workspace, with_adapters, progress) {
        Ok(compared) => compared,
        Err(failure) => {
            let specs = shown(&config.workspace.specs);
            findings.failure(Part::Specifications, &specs, &failure);
            return;
        }
    };
    let (part, folder, command) = match with_adapters {
        true => (
            Part::Adapters,
            &config.workspace.generated,
            "toolwright generate",
        ),
        false => (
            Part::Specifications,
            &config.workspace.specs,
            "toolwright generate --locks",
        ),
    };
    if compared.is_fresh() {
        let message =
            "the locks and the adapters are those of the specifications and of this version";
        let message = if with_adapters {
            message
        } else {
            "the locks are those of the specifications"
        };
        findings.ok(part, shown(folder), message);
        return;
    }
    for (file, state) in compared
        .files
        .iter()
        .filter(|(_, state)| *state != State::Fresh)
    {
        let message = format!(
            "`{file}` is {}: the specifications or the version of `toolwright` changed",
            state.word()
        );
        let finding = Finding::new(Status::Warning, part, shown(folder), message);
        findings.add(finding.help(format!("run `{command}`")));
    }
}

/// Checks the grants, and returns the registry if they make one.
fn policy(
    tools: &ChosenTools<'_>,
    config: &Config,
    file: &Path,
    findings: &mut Findings,
) -> Option<Registry> {
    let file = shown(file);
    let registry = match policy::examined(tools, config.clone()) {
        Ok(registry) => registry,
        Err(failure) => {
            findings.failure(Part::Policy, &file, &failure);
            return None;
        }
    };
    let before = findings.all().len();
    for problem in registry.unmatched() {
        findings.add(
            Finding::new(
                Status::Warning,
                Part::Policy,
                file.as_str(),
                problem.to_string(),
            )
            .help("correct or remove it"),
        );
    }
    for problem in registry.schema_faults() {
        let finding = schema_fault(&problem, &file);
        findings.add(finding);
    }
    let waiting = registry.pending().len();
    if waiting > 0 {
        let message = format!("{waiting} new tools of documents wait for acceptance");
        let finding = Finding::new(Status::Warning, Part::Policy, file.as_str(), message);
        findings.add(
            finding
                .help("run `toolwright policy check` to list them, and `--accept` to accept them"),
        );
    }
    if registry.roles().is_empty() {
        let message = "no role is declared, so no tool can be called";
        let finding = Finding::new(Status::Warning, Part::Policy, file.as_str(), message);
        findings.add(
            finding.help(
                "declare one, such as `[roles.reader]` with `grant = [\"category:observe\"]`",
            ),
        );
    }
    if findings.all().len() == before {
        findings.ok(
            Part::Policy,
            file,
            format!("{} roles", registry.roles().len()),
        );
    }
    Some(registry)
}

fn schema_fault(problem: &RegistryProblem, file: &str) -> Finding {
    let finding = Finding::new(
        Status::Warning,
        Part::Specifications,
        file,
        problem.to_string(),
    );
    finding
        .help("the calls of the tool are denied until its schema in the specification is corrected")
}

/// Checks that the state can be opened. One that does not exist yet is not created.
fn state(config: &Config, trusted: bool, findings: &mut Findings) {
    let result = State::from_config(config);
    let state = match result {
        Ok(state) => state,
        Err(error) => {
            findings.failure(Part::State, "the state", &error.into());
            return;
        }
    };
    let place = state.place().to_owned();
    if !trusted {
        return;
    }
    if config.state.url.is_none() && !config.state.file.exists() {
        findings.ok(Part::State, place, "it will be created at the first call");
        return;
    }
    let opened = runtime().and_then(|runtime| Ok(runtime.block_on(state.open())?));
    if let Err(failure) = opened {
        findings.failure(Part::State, &place, &failure);
        return;
    }
    findings.ok(Part::State, place, "it can be opened");
}

/// Checks that the store of files is private and can be read.
fn files(config: &Config, findings: &mut Findings) {
    let folder = shown(&config.files.folder);
    let usage = match config.files.store().usage() {
        Ok(usage) => usage,
        Err(error) => {
            findings.failure(Part::Files, &folder, &file_failure(&error));
            return;
        }
    };
    if usage.unreadable > 0 {
        let records = plural(usage.unreadable, "record");
        let message = format!("{records} cannot be read; the next saved file removes them");
        let finding = Finding::new(Status::Warning, Part::Files, folder, message);
        findings.add(finding.help("restore the folder from a backup if the files are needed"));
        return;
    }
    let files = plural(usage.files, "file");
    findings.ok(
        Part::Files,
        folder,
        format!("{files}, {} bytes", usage.bytes),
    );
}

/// Checks that the sinks of the audit receive its events.
fn sinks(audit: &AuditConfig, findings: &mut Findings) {
    for spool in &audit.options.spools {
        let (subject, most) = (spool.sink.as_str(), spool.most_waiting);
        let waiting = match spool.waiting(&audit.file) {
            Ok(waiting) => waiting,
            Err(error) => {
                let failure = Failure::file("read", &audit.file, &error);
                findings.failure(Part::Audit, subject, &failure);
                continue;
            }
        };
        let status = match waiting {
            waiting if spool.stops_changes(waiting) => Status::Error,
            waiting if waiting >= most / 2 => Status::Warning,
            _ => Status::Ok,
        };
        let refused = match status {
            Status::Error => "; calls that change something are refused",
            _ => "",
        };
        let message = format!("{waiting} of at most {most} events wait for the sink{refused}");
        let finding = Finding::new(status, Part::Audit, subject, message);
        findings.add(match status {
            Status::Ok => finding,
            _ => {
                finding.help("run `toolwright audit forward`: it delivers them, or prints why not")
            }
        });
    }
}

/// The path as the user would write it.
pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}
