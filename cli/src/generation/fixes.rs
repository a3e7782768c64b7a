//! The missing lines of overlays, before anything is written.

use toolwright_generator::{
    diagnostic::{Diagnostic, Severity},
    fix::Fix,
    generate::{self, Outcome},
    load::{Disk, Layered, Memory},
};

use super::{Demand, Fixing};
use crate::{
    Failure,
    overlay_file::OverlayFile,
    specification::{Specification, refuse, with_slashes},
    workspace,
};

/// A line may make another one necessary, hardly ever more than one.
const ROUNDS: usize = 8;

/// The overlays with the lines that were missing.
#[derive(Default)]
pub(crate) struct Fixes {
    /// The lines, each with the path of its overlay.
    pub(crate) lines: Vec<(String, Fix)>,
    /// The overlays that have new lines.
    pub(super) overlays: Vec<OverlayFile>,
    /// Their texts, which the run reads instead of the files.
    pub(super) texts: Memory,
}

/// Finds the missing lines of all overlays. The specifications get the overlays that will exist.
pub(super) fn find(specifications: &mut [Specification], demand: Demand) -> Result<Fixes, Failure> {
    let mut fixes = Fixes::default();
    let mut overlays = Vec::new();
    for specification in specifications.iter_mut() {
        let path = specification.overlay.take();
        let path = path.unwrap_or_else(|| workspace::overlay_of(&specification.path));
        specification.overlay = path.exists().then(|| path.clone());
        overlays.push((OverlayFile::open(&path)?, false));
    }
    for _ in 0..ROUNDS {
        let found = missing(specifications, demand, &fixes.texts)?;
        let before = fixes.lines.len();
        for fix in found {
            let mut of = specifications.iter_mut().zip(&mut overlays);
            // A specification whose service only the overlay names is the only one.
            let of_service = |one: &(&mut Specification, _)| {
                let service = one.0.service.as_ref();
                service.is_none_or(|service| *service == fix.service)
            };
            let Some((specification, (overlay, changed))) = of.find(of_service) else {
                continue;
            };
            if overlay.add(&fix) {
                *changed = true;
                specification.overlay = Some(overlay.path().to_owned());
                fixes
                    .lines
                    .push((overlay.path().display().to_string(), fix));
            }
        }
        if fixes.lines.len() == before {
            break;
        }
        let changed = overlays.iter().filter(|(_, changed)| *changed);
        let texts = changed.map(|(file, _)| (with_slashes(file.path()), file.text().into()));
        fixes.texts = Memory(texts.collect());
    }
    let changed = overlays.into_iter().filter(|(_, changed)| *changed);
    fixes.overlays = changed.map(|(overlay, _)| overlay).collect();
    Ok(fixes)
}

/// Returns the lines that are missing in the overlays on disk with these texts.
fn missing(
    specifications: &[Specification],
    demand: Demand,
    texts: &Memory,
) -> Result<Vec<Fix>, Failure> {
    let inputs: Vec<_> = specifications.iter().map(Specification::input).collect();
    let files = Layered::new(texts, Disk);
    let outcome = generate::run(
        &inputs,
        Demand {
            strict: false,
            ..demand
        }
        .options(),
        &files,
    );
    let is_fatal = |one: &Diagnostic| one.severity == Severity::Error && one.fix.is_none();
    if outcome.diagnostics.iter().any(is_fatal) {
        return Err(refuse(&outcome));
    }
    let mut found: Vec<Fix> = outcome
        .diagnostics
        .iter()
        .filter_map(|one| one.fix.clone())
        .collect();
    if demand.fixing == Fixing::Exclude {
        found.extend(exclusions(&outcome));
    }
    Ok(found)
}

/// Returns the lines that exclude what cannot be a tool.
fn exclusions(outcome: &Outcome) -> Vec<Fix> {
    let services = outcome
        .catalog
        .iter()
        .flat_map(|catalog| catalog.services());
    services
        .flat_map(|service| service.exclusions(&outcome.diagnostics))
        .collect()
}
