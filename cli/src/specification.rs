//! Specifications as the user names them, and what the generator makes of them.

use std::path::{Path, PathBuf};

use toolwright::{ServiceName, ToolSpec};
use toolwright_generator::{
    check::CheckedCatalog,
    diagnostic::Severity,
    generate::{self, Accept, Input, Options, Outcome, Unnameable},
    load::{Disk, FileSystem},
    render::{self, Style},
};

use crate::{
    Failure, names,
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

    /// The tools of the specification, sorted by name. What cannot become one is left out.
    pub(crate) fn load(&self) -> Result<Vec<ToolSpec>, Failure> {
        self.read(AS_IT_IS).map(|(specs, _)| specs)
    }

    /// The tools of the specification, sorted by name, and its service.
    pub(crate) fn read(
        &self,
        options: Options,
    ) -> Result<(Vec<ToolSpec>, Option<ServiceName>), Failure> {
        let outcome = understand(&[self.input()], options);
        let warnings = count(&outcome, Severity::Warning);
        let Some(catalog) = &outcome.catalog else {
            return Err(refuse(&outcome));
        };
        if warnings > 0 {
            let path = self.path.display();
            let things = plural(warnings, "warning");
            error_line(format_args!(
                "{things}; `toolwright inspect {path}` shows what was left out and why"
            ));
        }
        if let Some(notice) = names::notice(&outcome) {
            error_line(format_args!("{notice}"));
        }
        let mut services = catalog.services().iter();
        let service = services
            .next()
            .map(|service| service.service().name.clone());
        Ok((catalog.tool_specs(), service))
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

/// Shows the diagnostics on standard error.
pub(crate) fn show(outcome: &Outcome) {
    if !outcome.diagnostics.is_empty() {
        let style = if diagnostics_are_coloured() {
            Style::Coloured
        } else {
            Style::Plain
        };
        let text = render::text(&outcome.diagnostics, &outcome.sources, style);
        error_line(format_args!("{}\n", text.trim_end()));
    }
}

/// Shows the diagnostics, and fails since some of them are errors.
pub(crate) fn refuse(outcome: &Outcome) -> Failure {
    show(outcome);
    let errors = plural(count(outcome, Severity::Error), "error");
    Failure::new(format!("{errors}, so nothing was done"))
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
