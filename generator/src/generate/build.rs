//! The entry for `build.rs`: adapters that are generated while their user is built.
//!
//! ```no_run
//! // build.rs
//! toolwright_generator::build::Build::new("specs/shop.yaml")
//!     .service("shop")
//!     .overlay("specs/shop.overlay.toml")
//!     .run();
//! ```
//!
//! ```text
//! // src/lib.rs
//! include!(concat!(env!("OUT_DIR"), "/shop.rs"));
//! ```
//!
//! The crate has then a module `shop`. It depends on `toolwright`, and only its build script on
//! the generator.
//!
//! A program that describes its API in Rust, for example with dropshot, generates from the value in
//! memory:
//!
//! ```no_run
//! # fn api() -> openapiv3::OpenAPI { openapiv3::OpenAPI::default() }
//! // build.rs
//! let api: openapiv3::OpenAPI = api();
//! toolwright_generator::build::Build::from_openapi("shop.json", &api)
//!     .overlay("specs/shop.overlay.toml")
//!     .run();
//! ```
//!
//! The lock next to the overlay, here `specs/shop.names.lock`, keeps the names of the tools. A
//! build reads it and never writes it; this does: `toolwright generate specs/shop.yaml --service
//! shop --overlay specs/shop.overlay.toml --lock specs/shop.names.lock`.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process,
};

use openapiv3::OpenAPI;

use crate::{
    check::{CheckedCatalog, CheckedService},
    document::{
        diagnostic::Severity,
        load::{Disk, Layered, Memory},
        render::{self, Style},
    },
    emit,
    generate::{self, Input, Options, Outcome},
    parse::lock,
    reconcile,
};

/// The input of a build script.
#[derive(Clone, Debug)]
pub struct Build {
    input: Input,
    memory: Memory,
    /// The reason why the document in memory cannot be read.
    fault: Option<String>,
    folder: Option<PathBuf>,
}

/// The output of a build script for Cargo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The lines for standard output, such as `cargo::rerun-if-changed=specs/shop.yaml`.
    pub lines: Vec<String>,
    /// True if there was an error; nothing was written then.
    pub failed: bool,
}

impl Build {
    /// Creates a build from this document. A relative path starts at the crate's folder.
    #[must_use]
    pub fn new(document: impl Into<String>) -> Self {
        Self {
            input: Input::new(document),
            memory: Memory::default(),
            fault: None,
            folder: None,
        }
    }

    /// Generates from a typed OpenAPI 3.0 document in memory.
    ///
    /// It is read as the JSON file `path`, which diagnostics and references to other files refer
    /// to. The file need not exist. Without [`Build::service`], its name is the service's name.
    #[must_use]
    pub fn from_openapi(path: impl Into<String>, document: &OpenAPI) -> Self {
        let mut build = Self::new(path);
        let added = build.memory.add_openapi(&build.input.document, document);
        build.fault = added.err().map(|error| {
            let path = &build.input.document;
            format!("cannot write the document `{path}` as JSON: {error}")
        });
        build
    }

    /// Sets the name of the service and its module. The overlay's name is used without it, then the
    /// document's, then the file's.
    #[must_use]
    pub fn service(mut self, name: impl Into<String>) -> Self {
        self.input.service = Some(name.into());
        self
    }

    /// Sets the overlay.
    #[must_use]
    pub fn overlay(mut self, path: impl Into<String>) -> Self {
        self.input.overlay = Some(path.into());
        self
    }

    /// Sets the lock. By default, the lock next to the overlay is used if it exists. A build only
    /// reads the lock; run `toolwright generate` to write it.
    #[must_use]
    pub fn lock(mut self, path: impl Into<String>) -> Self {
        self.input.lock = Some(path.into());
        self
    }

    /// Allows references to files below this folder, not only below the document's own.
    #[must_use]
    pub fn reach(mut self, folder: impl Into<String>) -> Self {
        self.input.reach = Some(folder.into());
        self
    }

    /// Sets the output folder instead of `OUT_DIR`.
    #[must_use]
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Generates the code and prints the report for Cargo. Exits with an error if the generation
    /// failed.
    pub fn run(&self) {
        let report = self.generate();
        for line in &report.lines {
            println!("{line}");
        }
        if report.failed {
            process::exit(1);
        }
    }

    /// Generates the code and returns the lines that [`Build::run`] prints.
    #[must_use]
    pub fn generate(&self) -> Report {
        if let Some(fault) = &self.fault {
            return Report {
                lines: vec![format!("cargo::error={fault}")],
                failed: true,
            };
        }
        let files = Layered::new(&self.memory, Disk);
        let outcome = generate::run(&[self.input()], Options::default(), &files);
        let mut report = Report {
            lines: depends_on(&outcome, &self.memory),
            failed: outcome.catalog.is_none(),
        };
        report.lines.extend(diagnostic_lines(&outcome));
        if let Some(catalog) = outcome.into_catalog()
            && let Err(error) = self.write(&catalog)
        {
            report.failed = true;
            report
                .lines
                .push(format!("cargo::error=cannot write the adapters: {error}"));
        }
        report
    }

    /// Returns the input, with the lock next to the overlay as the default lock.
    fn input(&self) -> Input {
        let overlay = self.input.overlay.as_ref().map(Path::new);
        let beside = || {
            overlay
                .and_then(lock::lock_path)
                .filter(|lock| lock.is_file())
        };
        let lock = self.input.lock.clone();
        Input {
            lock: lock.or_else(|| Some(beside()?.to_string_lossy().into_owned())),
            ..self.input.clone()
        }
    }

    fn write(&self, catalog: &CheckedCatalog) -> io::Result<()> {
        let folder = match (&self.folder, std::env::var_os("OUT_DIR")) {
            (Some(folder), _) => folder.clone(),
            (None, Some(folder)) => PathBuf::from(folder),
            (None, None) => {
                let message = "`OUT_DIR` is not set; run this in a build script";
                return Err(io::Error::other(message));
            }
        };
        for service in catalog.services() {
            let name = service.service().name.as_str();
            reconcile::write(&emit::service(service), &folder.join(name))?;
            write_entry(&folder.join(format!("{name}.rs")), service)?;
        }
        Ok(())
    }
}

/// Writes the file that the crate includes.
fn write_entry(path: &Path, service: &CheckedService) -> io::Result<()> {
    let entry = emit::entry(service);
    if fs::read(path).is_ok_and(|bytes| bytes == entry.as_bytes()) {
        return Ok(());
    }
    fs::write(path, entry)
}

/// Returns the lines that name the files that were read. A file that does not exist is left out,
/// since Cargo would run the script each time.
fn depends_on(outcome: &Outcome, memory: &Memory) -> Vec<String> {
    outcome
        .files()
        .filter(|path| Path::new(path).exists() && !memory.0.contains_key(*path))
        .map(|path| format!("cargo::rerun-if-changed={path}"))
        .collect()
}

/// Returns the diagnostics line by line, because Cargo reads single lines.
fn diagnostic_lines(outcome: &Outcome) -> Vec<String> {
    let mut lines = Vec::new();
    for diagnostic in &outcome.diagnostics {
        let key = match diagnostic.severity {
            Severity::Error => "cargo::error",
            Severity::Warning => "cargo::warning",
        };
        let one = std::slice::from_ref(diagnostic);
        let text = render::text(one, &outcome.sources, &outcome.documents, Style::Plain);
        lines.extend(text.trim_end().lines().map(|line| format!("{key}={line}")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\npaths:\n  /items:\n    get:\n      operationId: listItems\n      responses: {'204': {description: Nothing.}}\n";

    fn build(folder: &Path, document: &str) -> Report {
        let path = folder.join("openapi.yaml");
        fs::write(&path, document).unwrap();
        Build::new(path.to_string_lossy())
            .service("shop")
            .out_dir(folder.join("out"))
            .generate()
    }

    #[test]
    fn a_module_is_written_and_its_dependencies_are_reported() {
        let temporary = tempfile::tempdir().unwrap();
        fs::create_dir(temporary.path().join("out")).unwrap();
        let report = build(temporary.path(), DOCUMENT);
        assert!(!report.failed, "{report:?}");
        let document = temporary.path().join("openapi.yaml");
        let expected = format!("cargo::rerun-if-changed={}", document.display());
        assert_eq!(report.lines, [expected]);
        let entry = fs::read_to_string(temporary.path().join("out/shop.rs")).unwrap();
        assert!(entry.contains("pub mod shop;"), "{entry}");
        assert!(temporary.path().join("out/shop/mod.rs").exists());
    }

    #[test]
    fn a_typed_document_and_its_file_generate_the_same() {
        let temporary = tempfile::tempdir().unwrap();
        let at = |file: &str| temporary.path().join(file);
        let operation = openapiv3::Operation {
            operation_id: Some("listItems".to_owned()),
            deprecated: true,
            ..openapiv3::Operation::default()
        };
        let item = openapiv3::PathItem {
            get: Some(operation),
            ..openapiv3::PathItem::default()
        };
        let mut api = OpenAPI {
            openapi: "3.0.3".to_owned(),
            ..OpenAPI::default()
        };
        let item = openapiv3::ReferenceOr::Item(item);
        api.paths.paths.insert("/items".to_owned(), item);

        for folder in ["memory", "file"] {
            fs::create_dir(at(folder)).unwrap();
        }
        let path = at("shop.json").to_string_lossy().into_owned();
        let report = Build::from_openapi(&path, &api)
            .out_dir(at("memory"))
            .generate();
        assert_eq!(report, Report::default());
        assert!(!at("shop.json").exists());

        fs::write(&path, serde_json::to_vec_pretty(&api).unwrap()).unwrap();
        let report = Build::new(&path).out_dir(at("file")).generate();
        assert!(!report.failed, "{report:?}");
        for file in ["shop.rs", "shop/mod.rs", "shop/tools.rs", "shop/tools.json"] {
            let read = |folder: &str| fs::read_to_string(at(folder).join(file)).unwrap();
            assert_eq!(read("memory"), read("file"));
        }
        let tools = fs::read_to_string(at("memory/shop/tools.json")).unwrap();
        assert!(tools.contains("list-shop-items"), "{tools}");
    }

    #[test]
    fn errors_in_a_typed_document_have_positions() {
        let api = OpenAPI {
            openapi: "4.0.0".to_owned(),
            ..OpenAPI::default()
        };
        let report = Build::from_openapi("shop.json", &api).generate();
        assert!(report.failed);
        let lines = report.lines.join("\n");
        assert!(lines.contains("unsupported-version"), "{lines}");
        assert!(lines.contains("shop.json:2:"), "{lines}");
    }

    #[test]
    fn the_lock_next_to_the_overlay_is_read_and_never_written() {
        let temporary = tempfile::tempdir().unwrap();
        let at = |file: &str| temporary.path().join(file);
        fs::write(at("shop.yaml"), DOCUMENT.replace("/items", "/goods")).unwrap();
        fs::write(at("shop.overlay.toml"), "").unwrap();
        fs::create_dir(at("out")).unwrap();
        let path = |file: &str| at(file).to_string_lossy().into_owned();
        let build = Build::new(path("shop.yaml"))
            .overlay(path("shop.overlay.toml"))
            .out_dir(at("out"));

        assert!(!build.generate().failed);
        assert!(!at("shop.names.lock").exists());
        let tools = || fs::read_to_string(at("out/shop/tools.json")).unwrap();
        assert!(tools().contains("list-shop-goods"));

        let lock = "version = 1\n\n[tools]\nlist-shop-wares = { operation = \"GET /goods\", category = \"observe\", approval_required = false }\n";
        fs::write(at("shop.names.lock"), lock).unwrap();
        let report = build.generate();
        assert!(!report.failed, "{report:?}");
        let read = format!("cargo::rerun-if-changed={}", path("shop.names.lock"));
        assert!(report.lines.contains(&read), "{report:?}");
        assert!(tools().contains("list-shop-wares"));
        assert_eq!(fs::read_to_string(at("shop.names.lock")).unwrap(), lock);

        // An explicit lock must exist.
        assert!(build.lock(path("other.lock")).generate().failed);
    }

    #[test]
    fn unchanged_files_are_not_written() {
        let temporary = tempfile::tempdir().unwrap();
        let out = temporary.path().join("out");
        fs::create_dir(&out).unwrap();
        let times = || {
            ["shop.rs", "shop/mod.rs"].map(|file| {
                let metadata = fs::metadata(out.join(file)).unwrap();
                metadata.modified().unwrap()
            })
        };
        assert!(!build(temporary.path(), DOCUMENT).failed);
        let before = times();
        assert!(!build(temporary.path(), DOCUMENT).failed);
        assert_eq!(times(), before);
    }

    #[test]
    fn an_error_is_reported_line_by_line_and_nothing_is_written() {
        let temporary = tempfile::tempdir().unwrap();
        let report = build(temporary.path(), "openapi: 4.0.0\n");
        assert!(report.failed);
        let errors: Vec<&String> = report
            .lines
            .iter()
            .filter(|line| line.starts_with("cargo::error="))
            .collect();
        assert!(errors.len() > 3, "{errors:?}");
        assert!(
            errors[0].contains("error[unsupported-version]"),
            "{errors:?}"
        );
        assert!(!temporary.path().join("out").exists());
    }
}
