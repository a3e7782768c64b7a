//! Specifications as the user names them, and what the generator makes of them.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toolwright::{ServiceName, ToolSpec};
use toolwright_generator::{
    check::CheckedCatalog,
    diagnostic::{self, Severity},
    generate::{self, Accept, Input, Options, Outcome, Unnameable},
    load::{Disk, FileSystem},
    render::{self, Style},
};

use crate::{
    Failure,
    failure::Code,
    names,
    output::{diagnostics_are_coloured, error_line, plural},
    workspace::ServiceFiles,
};

/// A specification that the user named.
#[derive(Clone, Debug)]
pub(crate) struct Specification {
    /// The document.
    pub(crate) path: PathBuf,
    /// The service's name, if it was given.
    pub(crate) service: Option<ServiceName>,
    /// The overlay.
    pub(crate) overlay: Option<PathBuf>,
    /// The lock, which may not be there yet.
    pub(crate) lock: Option<PathBuf>,
}

/// A specification after reading.
pub(crate) struct ReadSpecification {
    /// The tools, sorted by name.
    pub(crate) specs: Vec<ToolSpec>,
    /// The service.
    pub(crate) service: Option<ServiceName>,
    /// The corrections of the overlay that change nothing, with their places.
    pub(crate) needless: Vec<String>,
}

impl Specification {
    /// A specification whose lock, if it has one, is next to its overlay.
    pub(crate) fn new(
        path: PathBuf,
        service: Option<ServiceName>,
        overlay: Option<PathBuf>,
    ) -> Self {
        let lock = overlay.as_deref().and_then(generate::lock_path);
        Self {
            path,
            service,
            overlay,
            lock,
        }
    }

    /// Returns the generator's input.
    pub(crate) fn input(&self) -> Input {
        let mut input = Input::new(with_slashes(&self.path));
        input.service = self.service.as_ref().map(ToString::to_string);
        input.overlay = self.overlay.as_deref().map(with_slashes);
        let lock = self.lock.as_deref().filter(|lock| lock.exists());
        input.lock = lock.map(with_slashes);
        input
    }

    /// Reads the specification.
    pub(crate) fn read(&self, options: Options) -> Result<ReadSpecification, Failure> {
        let outcome = understand(&[self.input()], options);
        let Some(catalog) = &outcome.catalog else {
            return Err(refuse(&outcome));
        };
        self.report_notices(&outcome);
        let mut services = catalog.services().iter();
        let service = services
            .next()
            .map(|service| service.service().name.clone());
        Ok(ReadSpecification {
            specs: catalog.tool_specs(),
            service,
            needless: needless(&outcome),
        })
    }

    /// Reports how many warnings there are, and the names that may change.
    pub(crate) fn report_notices(&self, outcome: &Outcome) {
        let warnings = count(outcome, Severity::Warning);
        if warnings > 0 {
            let things = plural(warnings, "warning");
            let inspect = self.inspect_command();
            error_line(format_args!(
                "{things}; `{inspect}` shows what was left out and why"
            ));
        }
        if let Some(notice) = names::notice(outcome) {
            error_line(format_args!("{notice}"));
        }
    }

    /// Returns the command that shows all diagnostics.
    fn inspect_command(&self) -> String {
        let mut command = format!("toolwright inspect {}", self.path.display());
        if let Some(overlay) = &self.overlay {
            command = format!("{command} --overlay {}", overlay.display());
        }
        match &self.service {
            Some(service) => format!("{command} --service {service}"),
            None => command,
        }
    }
}

impl From<ServiceFiles> for Specification {
    fn from(files: ServiceFiles) -> Self {
        Self {
            path: files.specification,
            service: Some(files.name),
            overlay: files.overlay,
            lock: Some(files.lock),
        }
    }
}

/// The options for reading a specification without generating: operations that cannot become tools
/// are left out.
pub(crate) const AS_IT_IS: Options = Options {
    unnameable: Unnameable::LeaveOutLocked,
    accept: Accept {
        renames: false,
        lowering: false,
    },
};

/// Runs the stages up to the check.
pub(crate) fn understand(inputs: &[Input], options: Options) -> Outcome {
    generate::run(inputs, options, &Disk)
}

/// Runs the stages up to the check, and reports their diagnostics.
pub(crate) fn check(
    inputs: &[Input],
    options: Options,
    files: &dyn FileSystem,
) -> Result<(CheckedCatalog, Outcome), Failure> {
    let mut outcome = generate::run(inputs, options, files);
    let Some(catalog) = outcome.catalog.take() else {
        return Err(refuse(&outcome));
    };
    show(&outcome);
    Ok((catalog, outcome))
}

/// Returns the corrections of overlays that change nothing, each with its place.
fn needless(outcome: &Outcome) -> Vec<String> {
    let all = outcome.diagnostics.iter();
    let needless = all.filter(|one| one.code == diagnostic::Code::NeedlessCorrection);
    let lines = needless.map(|one| {
        let place = one.primary.place;
        let path = outcome.sources.path(place.source);
        let file = path.rsplit('/').next().unwrap_or_default();
        let line = outcome.sources.line_column(place).line;
        format!("{} (`{file}:{line}`)", one.message)
    });
    lines.collect()
}

/// Shows the diagnostics on standard error.
pub(crate) fn show(outcome: &Outcome) {
    if !outcome.diagnostics.is_empty() {
        let style = if diagnostics_are_coloured() {
            Style::Coloured
        } else {
            Style::Plain
        };
        let text = render::text(
            &outcome.diagnostics,
            &outcome.sources,
            &outcome.documents,
            style,
        );
        error_line(format_args!("{}\n", text.trim_end()));
    }
}

/// Shows the diagnostics, and fails since some of them are errors.
pub(crate) fn refuse(outcome: &Outcome) -> Failure {
    show(outcome);
    let errors = plural(count(outcome, Severity::Error), "error");
    Failure::new(format!("{errors}, so nothing was done"))
        .code(Code::InvalidSpecification)
        .fact("diagnostics", diagnostics(outcome))
}

/// Returns the diagnostics as programs read them.
pub(crate) fn diagnostics(outcome: &Outcome) -> Vec<Value> {
    let all = outcome.diagnostics.iter();
    all.map(|one| render::json(one, &outcome.sources, &outcome.documents))
        .collect()
}

/// Counts the diagnostics of a severity.
pub(crate) fn count(outcome: &Outcome, severity: Severity) -> usize {
    let all = outcome.diagnostics.iter();
    all.filter(|diagnostic| diagnostic.severity == severity)
        .count()
}

/// The path with forward slashes, as the generator wants it.
pub(crate) fn with_slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' {
        text.into_owned()
    } else {
        text.replace(std::path::MAIN_SEPARATOR, "/")
    }
}
