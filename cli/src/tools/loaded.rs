//! Services that are loaded from their specifications at run time. A broken one costs itself alone.

use std::path::Path;

use serde_json::Value;
use toolwright::{ServiceName, ToolSpec};
use toolwright_generator::{
    diagnostic::Severity,
    generate::{self, Outcome},
    load::Disk,
};

use crate::{
    Failure,
    failure::Code,
    output::{Progress, error_line, plural},
    specification::{AS_IT_IS, Specification, count, diagnostics, show},
    workspace,
};

/// The tools of some services.
#[derive(Default)]
pub(super) struct Loaded {
    /// The tools of the services that could be read.
    pub(super) specs: Vec<ToolSpec>,
    /// The services that could not be read, with the numbers of errors. Their tools are unknown.
    pub(super) broken: Vec<(String, usize)>,
    /// The services that could be read, with the paths of their specifications.
    pub(super) services: Vec<(ServiceName, String)>,
    /// The diagnostics of the services that could not be read, for programs.
    diagnostics: Vec<Value>,
}

/// How much is reported about services that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// Each fault, with its place and its fix.
    Faults,
    /// One line: the command speaks of other services.
    Line,
}

/// Loads the services of a project that are wanted. There are none without the folder. A folder whose
/// name is not that of a service is wanted as `None`.
pub(super) fn of_project(
    folder: &Path,
    report: Report,
    is_wanted: impl Fn(Option<&ServiceName>) -> bool,
) -> Result<Loaded, Failure> {
    let mut loaded = Loaded::default();
    if !folder.exists() {
        return Ok(loaded);
    }
    let mut wanted = Vec::new();
    for (path, found) in workspace::find_services(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !is_wanted(ServiceName::new(name).ok().as_ref()) {
            continue;
        }
        match found {
            Ok(files) => {
                let what = format!("the service `{}`", files.name);
                wanted.push((what, files.into()));
            }
            Err(failure) => {
                if report == Report::Faults {
                    error_line(&failure);
                }
                let what = format!("`{}`", path.display());
                loaded.leave_out(what, failure.number(), report);
            }
        }
    }
    loaded.add_all(&wanted, report);
    Ok(loaded)
}

/// Loads specifications. Two of one service are an error.
pub(super) fn of_specifications(specifications: &[Specification]) -> Result<Loaded, Failure> {
    let mut loaded = Loaded::default();
    let named = specifications.iter().map(|specification| {
        let what = format!("`{}`", specification.path.display());
        (what, specification.clone())
    });
    loaded.add_all(&named.collect::<Vec<_>>(), Report::Faults);
    let services = loaded.services.iter().enumerate();
    for (at, (name, path)) in services {
        let before = loaded.services.iter().take(at);
        if let Some((_, other)) = before.into_iter().find(|(other, _)| other == name) {
            return Err(Failure::new(format!(
                "two specifications are of the service `{name}`: `{other}` and `{path}`"
            ))
            .help("name one of the services in its overlay: `service = \"NAME\"`"));
        }
    }
    Ok(loaded)
}

impl Loaded {
    /// Adds the tools of specifications, each with its name in messages. They are read on all cores.
    fn add_all(&mut self, named: &[(String, Specification)], report: Report) {
        let inputs = named.iter().map(|(_, specification)| specification.input());
        let progress = Progress::start();
        progress.step(format!("reading {}", plural(named.len(), "specification")));
        let outcomes = generate::run_each(&inputs.collect::<Vec<_>>(), AS_IT_IS, &Disk);
        // The reports begin after the last line of the progress.
        drop(progress);
        // Each outcome is dropped after its tools are added: it has the whole document.
        for ((what, specification), outcome) in named.iter().zip(outcomes) {
            self.add(specification, what, &outcome, report);
        }
    }

    /// Adds the tools of a specification, or reports why there are none.
    fn add(
        &mut self,
        specification: &Specification,
        what: &str,
        outcome: &Outcome,
        report: Report,
    ) {
        let Some(catalog) = &outcome.catalog else {
            if report == Report::Faults {
                show(outcome);
            }
            let errors = count(outcome, Severity::Error);
            self.diagnostics.extend(diagnostics(outcome));
            self.leave_out(what.to_owned(), errors, report);
            return;
        };
        if report == Report::Faults {
            specification.report_notices(outcome);
        }
        let path = specification.path.display().to_string();
        let services = catalog.services().iter();
        let names = services.map(|service| service.service().name.clone());
        self.services.extend(names.map(|name| (name, path.clone())));
        self.specs.extend(catalog.tool_specs());
    }

    fn leave_out(&mut self, what: String, errors: usize, report: Report) {
        if report == Report::Line {
            error_line(format_args!(
                "warning: {what} cannot be read; `toolwright list` shows the faults"
            ));
        }
        self.broken.push((what, errors));
    }

    /// Reports the services that are left out, or fails if nothing is left.
    pub(super) fn check(&self, left: usize) -> Result<(), Failure> {
        if !self.broken.is_empty() && left == 0 {
            let errors = self.broken.iter().map(|(_, errors)| errors).sum();
            let errors = plural(errors, "error");
            return Err(Failure::new(format!("{errors}, so nothing was done"))
                .code(Code::InvalidSpecification)
                .fact("diagnostics", self.diagnostics.clone()));
        }
        for (what, errors) in &self.broken {
            let errors = plural(*errors, "error");
            let failure = Failure::new(format!("{what} is left out: {errors}"));
            error_line(failure.note("every call of its tools is denied until this is fixed"));
        }
        Ok(())
    }
}
