//! `toolwright add`: a new service of the project.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use toolwright::{
    Credentials, ServiceName, ToolSpec, audit::MemoryAudit, binding::ServiceCredentials,
    config::Config,
};
use toolwright_generator::{
    check::CheckedService,
    emit,
    generate::{self, Accept, Input, Options, Outcome, Unnameable},
    load::{Disk, FileSystem, Memory},
};

use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    generation::Files,
    interrupt, linked,
    matrix::Matrix,
    output::{FormatArguments, Progress, plural, printable},
    source::{Document, SOURCE_FILE, Source, SourceRecord},
    specification::{refuse, show},
    tools::ToolsArguments,
    workspace,
};

/// The name of a service if neither its specification nor the file suggests one.
const NAMELESS: &str = "service";

/// The options of the first run for a specification. A lock does not exist yet.
pub(super) const NEW: Options = Options {
    unnameable: Unnameable::LeaveOut,
    accept: Accept {
        renames: false,
        lowering: false,
    },
};

/// Add a service to the project, from a file or a URL, and show what each role would see
///
/// Writes the specification, an empty overlay, the lock of the names and the record of the source to a
/// folder of its own below `specs`. Nothing is overwritten. A URL is fetched, and a server is asked, without
/// credentials.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright add shop.yaml\n  \
    toolwright add https://shop.example/v2/openapi.json --service shop\n  \
    toolwright add grpc://127.0.0.1:50051")]
pub(crate) struct AddArguments {
    /// The specification: a file, a URL of at most 64 MiB, or a gRPC server with reflection (`grpc://` without
    /// TLS, or `grpcs://`)
    #[arg(value_name = "SPEC")]
    spec: String,

    /// The name of the service; the default is derived from the specification or its path
    #[arg(long, value_name = "NAME")]
    service: Option<ServiceName>,

    #[command(flatten)]
    format: FormatArguments,
}

/// A service that is to be added.
struct Addition {
    name: ServiceName,
    files: Files,
    record: SourceRecord,
    specs: Vec<ToolSpec>,
    left_out: usize,
}

impl AddArguments {
    pub(super) const fn new(
        spec: String,
        service: Option<ServiceName>,
        format: FormatArguments,
    ) -> Self {
        Self {
            spec,
            service,
            format,
        }
    }

    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let config = context.needed_config()?;
        let source = Source::parse(&self.spec)?;
        let progress = Progress::start();
        progress.step(format!("reading {source}"));
        let document = source.read()?;
        let addition = Addition::new(&source, &document, self.service.as_ref(), &config)?;
        let found = addition.files.compare()?;
        interrupt::replace(&[(&addition.files, found)])?;
        let matrix = addition.matrix(context, config);
        drop(progress);
        if self.format.is_json() {
            context.output.json(&addition.json(matrix.as_ref().ok()))?;
        } else {
            addition.print(matrix.as_ref().ok(), context)?;
        }
        // The service was added, whatever is wrong with the policy.
        matrix.map(|_| Exit::Done)
    }
}

impl Addition {
    fn new(
        source: &Source,
        document: &Document,
        service: Option<&ServiceName>,
        config: &Config,
    ) -> Result<Self, Failure> {
        let outcome = understand(source, document, service)?;
        let Some(catalog) = &outcome.catalog else {
            return Err(refuse(&outcome));
        };
        let Some(service) = catalog.services().first() else {
            return Err(refuse(&outcome));
        };
        show(&outcome);
        let name = service.service().name.clone();
        let folder = free_folder(&config.workspace.specs, &name)?;
        let record = SourceRecord::new(source, document, &config.root);
        Ok(Self {
            files: files(&folder, service, source, document, &record)?,
            record,
            specs: catalog.tool_specs(),
            left_out: service.left_out().into_values().sum(),
            name,
        })
    }

    /// Returns what each role would see. The policy may mention tools of other services.
    fn matrix(&self, context: &Context, config: Config) -> Result<Matrix, Failure> {
        let tools = ToolsArguments::of_service(self.name.clone()).choose(context, &config)?;
        let builder = tools.registry().config(config).audit(MemoryAudit::new());
        let registry = builder.credentials(Credentials::none()).build();
        let registry = registry.map_err(|error| linked::wrong(&error))?;
        Ok(Matrix::from_registry(&registry))
    }

    fn paths(&self) -> Vec<String> {
        let files = self.files.tree.iter();
        files.map(|(file, _)| self.files.path(file)).collect()
    }

    fn json(&self, matrix: Option<&Matrix>) -> serde_json::Value {
        json!({
            "service": self.name,
            "files": self.paths(),
            "source": self.record,
            "tools": self.specs.len(),
            "left_out": self.left_out,
            "matrix": matrix,
        })
    }

    fn print(&self, matrix: Option<&Matrix>, context: &mut Context) -> Result<(), Failure> {
        let output = &mut context.output;
        for path in self.paths() {
            output.line(format_args!("created  {path}"))?;
        }
        let tools = plural(self.specs.len(), "tool");
        output.line(format_args!("\n`{}` has {tools}.", self.name))?;
        if self.left_out > 0 {
            let operations = plural(self.left_out, "operation");
            output.line(format_args!(
                "{operations} cannot be tools; `toolwright generate --locks --fix` adds the lines to the overlay that help."
            ))?;
        }
        let credentials = ServiceCredentials::for_tools(&self.specs).to_string();
        if !credentials.is_empty() {
            output.line(format_args!(
                "The auth file `.local/{}/admin-auth.json` must contain",
                self.name
            ))?;
        }
        for line in credentials.lines() {
            output.line(format_args!("  {}", printable(line)))?;
        }
        let Some(matrix) = matrix else {
            return Ok(());
        };
        output.line("")?;
        if matrix.roles.is_empty() {
            output.line(format_args!(
                "No role is declared, so nobody can call them. To let a role read, write into `toolwright.toml`:\n\n\
                 [roles.reader]\ngrant = [\"service:{} category:observe\"]",
                self.name
            ))?;
        } else {
            output.styled(&matrix.text())?;
        }
        Ok(())
    }
}

/// Runs the stages on a specification that is not in the project yet.
fn understand(
    source: &Source,
    document: &Document,
    service: Option<&ServiceName>,
) -> Result<Outcome, Failure> {
    let path = source.path();
    let mut input = Input::new(&path);
    input.service = service.map(ToString::to_string);
    let text = document.text.clone().into_bytes();
    let memory = Memory([(path.clone(), text)].into());
    let files: &dyn FileSystem = match source {
        // Files that it refers to are found, to be reported.
        Source::File(_) => &Disk,
        Source::Url(_) | Source::Server(_) => &memory,
    };
    let outcome = generate::run(&[input], NEW, files);
    if let Some(other) = outcome.files().find(|file| *file != path) {
        return Err(
            Failure::new(format!("`{source}` refers to another file, `{other}`"))
                .note("only the specification itself would be copied")
                .help("copy both to `specs/NAME`, and run `toolwright generate --locks`"),
        );
    }
    let overview = outcome.overviews.first();
    let name = overview.and_then(|overview| overview.service.as_ref());
    if service.is_none() && name.is_some_and(|name| name.as_str() == NAMELESS) {
        return Err(
            Failure::usage(format!("`{source}` suggests no name for the service"))
                .help("add `--service NAME`: every tool's name contains it"),
        );
    }
    Ok(outcome)
}

/// Returns the folder of a service that does not exist yet.
fn free_folder(specs: &Path, name: &ServiceName) -> Result<PathBuf, Failure> {
    let folder = specs.join(name.as_str());
    if folder.symlink_metadata().is_err() {
        return Ok(folder);
    }
    Err(Failure::new(format!("`{}` exists already", folder.display()))
        .code(Code::Exists)
        .note("nothing is overwritten")
        .help(format!(
            "to read its specification again, run `toolwright refresh {name}`; to add another service, \
             choose its name with `--service`"
        )))
}

/// Returns the files of a new service.
fn files(
    folder: &Path,
    service: &CheckedService,
    source: &Source,
    document: &Document,
    record: &SourceRecord,
) -> Result<Files, Failure> {
    let file = match source.is_descriptor_set() {
        true => workspace::DESCRIPTORS.to_owned(),
        false => workspace::file_name(&service.service().format, &document.text),
    };
    let files = Files::single_file(&folder.join(file), document.text.clone());
    let mut files = files.ok_or_else(|| Failure::new("the specification has no file name"))?;
    let name = &service.service().name;
    files.tree.add(
        workspace::OVERLAY,
        format!(
            "# Corrections and additions to the specification of `{name}`. For example, to name a tool:\n\
             #\n# [operations.theOperationId]\n# noun = \"thing\"\n"
        ),
    );
    files.tree.add(workspace::LOCK, emit::lock(service));
    files.tree.add(SOURCE_FILE, record.text());
    Ok(files)
}
