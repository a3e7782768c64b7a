//! `toolwright refresh`: reads specifications from their sources again.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::json;
use toolwright::{ServiceName, config::Config, private};
use toolwright_generator::{
    emit,
    generate::{self, Accept, Options, Unnameable},
    load::Disk,
};

use crate::{
    Exit, Failure,
    context::Context,
    drift::{Drift, Reading},
    failure::report,
    generation::Files,
    interrupt,
    output::{FormatArguments, Progress, error_line},
    project,
    source::{Document, SOURCE_FILE, SourceRecord, digest},
    specification::{Specification, check},
    workspace::{self, ServiceFiles},
};

/// The digits of a digest that identify a document.
const SHORT: usize = 12;

/// The folder of the project for documents that are not accepted yet.
const FETCHED: &str = ".toolwright/refresh";

/// Read the specifications of services from their sources again, and show what would change
///
/// Nothing changes without --accept. Ends with 4 if a specification differs from the accepted one. The
/// project names the sources, so it must be trusted.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright refresh\n  \
    toolwright refresh shop\n  \
    toolwright refresh shop --accept 1f0c5a7e2b94")]
pub(crate) struct RefreshArguments {
    /// The service; without it, all that `toolwright add` has added
    #[arg(value_name = "SERVICE")]
    service: Option<ServiceName>,

    /// Accept the new specification, if its digest begins with this; without a digest, whatever is
    /// read now
    #[arg(
        long,
        value_name = "DIGEST",
        requires = "service",
        num_args = 0..=1,
        default_missing_value = ""
    )]
    accept: Option<String>,

    /// With --accept, also accept that a tool has a lower category, or no longer needs approval
    #[arg(long, requires = "accept")]
    lowering: bool,

    #[command(flatten)]
    format: FormatArguments,
}

/// A specification that was read again and differs.
struct Renewed {
    files: ServiceFiles,
    /// The service with the new specification, in a folder of its own.
    fetched: ServiceFiles,
    document: Document,
    record: SourceRecord,
}

impl RefreshArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        // The project names the sources, and its user must have allowed it to decide something.
        let config = project::read_trusted(&context.needed_file()?)?;
        let mut exit = Exit::Done;
        let services = self.services(&config, &mut exit)?;
        for (files, record) in services {
            match self.refresh(files, &record, &config, context) {
                Ok(Exit::Done) => {}
                Ok(other) if exit != Exit::Failed => exit = other,
                Ok(_) => {}
                Err(failure) if self.service.is_some() => return Err(failure),
                Err(failure) => exit = report(&failure),
            }
        }
        Ok(exit)
    }

    /// Returns the chosen services, with the records of their sources. The fault of a service does not
    /// affect the others.
    fn services(
        &self,
        config: &Config,
        exit: &mut Exit,
    ) -> Result<Vec<(ServiceFiles, SourceRecord)>, Failure> {
        let names: Vec<_> = self.service.iter().cloned().collect();
        let (mut all, mut faults) = (Vec::new(), Vec::new());
        for (_, files) in workspace::find_services(&config.workspace.specs)? {
            match files {
                Ok(files) => all.push(files),
                Err(fault) => faults.push(fault),
            }
        }
        let mut found = Vec::new();
        for files in workspace::select(&all, &names)? {
            match SourceRecord::read(folder_of(&files)) {
                Ok(Some(record)) => found.push((files, record)),
                Ok(None) if self.service.is_none() => {}
                Ok(None) => return Err(no_source(folder_of(&files))),
                Err(fault) => faults.push(fault),
            }
        }
        match faults.pop() {
            Some(fault) if found.is_empty() => return Err(fault),
            Some(fault) if self.service.is_none() => {
                faults.push(fault);
                faults.iter().for_each(|fault| *exit = report(fault));
            }
            _ => {}
        }
        if found.is_empty() {
            return Err(no_source(&config.workspace.specs.join("NAME")));
        }
        Ok(found)
    }

    fn refresh(
        &self,
        files: ServiceFiles,
        record: &SourceRecord,
        config: &Config,
        context: &mut Context,
    ) -> Result<Exit, Failure> {
        let name = files.name.clone();
        let Some(renewed) = Renewed::read(files, record, config)? else {
            if self.format.is_json() {
                context.output.json(&json!({
                    "service": name, "state": "unchanged", "sha256": record.sha256,
                }))?;
            } else {
                context.output.line(format_args!("`{name}` is unchanged"))?;
            }
            return Ok(Exit::Done);
        };
        let drift = renewed.drift(record, config, context)?;
        let accepted = match &self.accept {
            Some(digest) => {
                renewed.check_digest(digest)?;
                renewed.accept(self.lowering)?;
                true
            }
            None => false,
        };
        self.print(&renewed, &drift, accepted, context)?;
        Ok(if accepted { Exit::Done } else { Exit::Differs })
    }

    fn print(
        &self,
        renewed: &Renewed,
        drift: &Drift,
        accepted: bool,
        context: &mut Context,
    ) -> Result<(), Failure> {
        let (name, sha256) = (&renewed.files.name, &renewed.document.sha256);
        if self.format.is_json() {
            let state = if accepted { "accepted" } else { "changed" };
            context.output.json(&json!({
                "service": name, "state": state, "sha256": sha256, "drift": drift,
            }))?;
            return Ok(());
        }
        context.output.styled(&drift.text())?;
        if accepted {
            context
                .output
                .line(format_args!("\n`{name}` is accepted"))?;
            return Ok(());
        }
        let short: String = sha256.chars().take(SHORT).collect();
        context.output.line(format_args!(
            "\nTo accept it, run `toolwright refresh {name} --accept {short}`. The new document is `{}`.",
            renewed.fetched.specification.display()
        ))?;
        Ok(())
    }
}

impl Renewed {
    /// Reads a specification again; `None` if it is the one that was accepted.
    fn read(
        files: ServiceFiles,
        record: &SourceRecord,
        config: &Config,
    ) -> Result<Option<Self>, Failure> {
        let source = record.source(folder_of(&files), &config.root)?;
        let progress = Progress::start();
        progress.step(format!("reading {source}"));
        let document = source.read()?;
        let here = &files.specification;
        let present = fs::read(here).map_err(|error| Failure::file("read", here, &error))?;
        let present = digest(&present);
        if present == document.sha256 {
            return Ok(None);
        }
        if present != record.sha256 {
            error_line(format_args!(
                "warning: `{}` was edited; the changes below include that the edits are lost\n  \
                 = help: write them into the overlay instead",
                here.display()
            ));
        }
        let fetched = fetched(&files, &document, config)?;
        let record = SourceRecord::new(&source, &document, &config.root);
        Ok(Some(Self {
            files,
            fetched,
            document,
            record,
        }))
    }

    /// Compares the tools of both specifications, with the overlay and the lock of the service.
    fn drift(
        &self,
        old: &SourceRecord,
        config: &Config,
        context: &Context,
    ) -> Result<Drift, Failure> {
        let folders = [folder_of(&self.files), folder_of(&self.fetched)];
        let [before, after] = folders.map(|folder| Reading::open(folder, None));
        let (mut before, mut after) = Reading::read_both(before?, after?, Some(&self.files.name))?;
        before.name = self.files.specification.display().to_string();
        after.name = old
            .source(folder_of(&self.files), &config.root)?
            .to_string();
        Drift::between(&before, &after, context)
    }

    fn check_digest(&self, digest: &str) -> Result<(), Failure> {
        let digest = digest.to_ascii_lowercase();
        let sha256 = &self.document.sha256;
        if !digest.is_empty() && digest.len() < SHORT {
            return Err(Failure::usage(format!(
                "a digest has at least {SHORT} digits"
            )));
        }
        if sha256.starts_with(&digest) {
            return Ok(());
        }
        let name = &self.files.name;
        Err(Failure::new(format!(
            "the specification of `{name}` has changed again: its digest is {sha256}"
        ))
        .note("nothing was accepted")
        .help(format!(
            "run `toolwright refresh {name}` to see the changes"
        )))
    }

    /// Replaces the specification, the lock and the record of the source together.
    fn accept(&self, lowering: bool) -> Result<(), Failure> {
        let options = Options {
            unnameable: Unnameable::LeaveOut,
            accept: Accept {
                renames: false,
                lowering,
            },
        };
        let mut specification = Specification::from(self.files.clone());
        specification.path.clone_from(&self.fetched.specification);
        let name = &self.files.name;
        let checked = check(&[specification.input()], options, &Disk);
        let (catalog, _) = checked.map_err(|failure| {
            failure.help(format!(
                "if a tool has a lower class and that is right, run `toolwright refresh {name} --accept DIGEST --lowering`"
            ))
        })?;
        let lock = catalog.services().first().map(emit::lock);
        let here = &self.files.specification;
        let files = Files::single_file(here, self.document.text.clone());
        let (Some(mut files), Some(lock)) = (files, lock) else {
            return Err(Failure::new(format!("`{}` has no tools", here.display())));
        };
        files.tree.add(workspace::LOCK, lock);
        files.tree.add(SOURCE_FILE, self.record.text());
        let found = files.compare()?;
        interrupt::replace(&[(&files, found)])
    }
}

/// Writes a service with a new specification to a folder of its own, to be compared.
fn fetched(
    files: &ServiceFiles,
    document: &Document,
    config: &Config,
) -> Result<ServiceFiles, Failure> {
    let folder = config.root.join(FETCHED).join(files.name.as_str());
    let failed = |error| Failure::file("write", &folder, &error);
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    // The folder `.toolwright` is private, whichever command creates it.
    private::create_folder(&folder).map_err(failed)?;
    let name = files.specification.file_name().unwrap_or_default();
    private::write(&folder.join(name), &document.text).map_err(failed)?;
    let lock = files.lock.exists().then_some(&files.lock);
    let kept = files.overlay.iter().chain(lock);
    for path in kept {
        let copy: PathBuf = folder.join(path.file_name().unwrap_or_default());
        let text = fs::read(path).map_err(|error| Failure::file("read", path, &error))?;
        private::write(&copy, text).map_err(failed)?;
    }
    copy_openapi_overlays(files, &folder)?;
    workspace::service(&folder)
}

/// Copies the OpenAPI Overlays that the overlay of a service applies. One that cannot be read is
/// reported when the overlay is applied.
fn copy_openapi_overlays(files: &ServiceFiles, folder: &Path) -> Result<(), Failure> {
    let overlay = files.overlay.as_ref();
    let overlay = overlay.and_then(|path| fs::read_to_string(path).ok());
    for file in generate::openapi_overlays(&overlay.unwrap_or_default()) {
        let copy = folder.join(&file);
        let Ok(text) = fs::read(folder_of(files).join(&file)) else {
            continue;
        };
        private::write(&copy, text).map_err(|error| Failure::file("write", &copy, &error))?;
    }
    Ok(())
}

fn folder_of(files: &ServiceFiles) -> &Path {
    let folder = files.specification.parent();
    folder.unwrap_or_else(|| Path::new(""))
}

fn no_source(folder: &Path) -> Failure {
    let path = folder.join(SOURCE_FILE);
    Failure::new(format!("there is no `{}`", path.display()))
        .note("the source of a specification is recorded by `toolwright add`")
        .help("write `url = \"https://…\"`, `sha256 = \"\"` and `read = \"\"` into it")
}
