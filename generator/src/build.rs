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
//! The lock beside the overlay, here `specs/shop.names.lock`, keeps the names of the tools. A build
//! reads it and never writes it; this does:
//! `toolwright generate specs/shop.yaml --service shop --overlay specs/shop.overlay.toml --lock specs/shop.names.lock`.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process,
};

use crate::{
    check::{CheckedCatalog, CheckedService},
    diagnostic::{
        Severity,
        render::{self, Style},
    },
    emit,
    generate::{self, Input, Options, Outcome},
    load::Disk,
    lock,
    output::MARK,
    reconcile,
};

/// What a build script generates from.
#[derive(Clone, Debug)]
pub struct Build {
    input: Input,
    folder: Option<PathBuf>,
}

/// What a build script says to Cargo, and whether all went well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The lines for standard output, such as `cargo::rerun-if-changed=specs/shop.yaml`.
    pub lines: Vec<String>,
    /// Whether anything is an error; nothing was written then.
    pub failed: bool,
}

impl Build {
    /// Generates from this document. A relative path is seen from the folder of the crate.
    #[must_use]
    pub fn new(document: impl Into<String>) -> Self {
        Self {
            input: Input::new(document),
            folder: None,
        }
    }

    /// Names the service, which is also the name of the module. Without it the overlay's word
    /// counts, or else the file's name.
    #[must_use]
    pub fn service(mut self, name: impl Into<String>) -> Self {
        self.input.service = Some(name.into());
        self
    }

    /// Takes this overlay into account.
    #[must_use]
    pub fn overlay(mut self, path: impl Into<String>) -> Self {
        self.input.overlay = Some(path.into());
        self
    }

    /// Takes the names from this lock. Without it the lock beside the overlay counts, if there is
    /// one. A build reads the lock and never writes it: `toolwright generate` does.
    #[must_use]
    pub fn lock(mut self, path: impl Into<String>) -> Self {
        self.input.lock = Some(path.into());
        self
    }

    /// Lets the document refer to files anywhere below this folder, not only below its own.
    #[must_use]
    pub fn reach(mut self, folder: impl Into<String>) -> Self {
        self.input.reach = Some(folder.into());
        self
    }

    /// Writes into this folder, not into `OUT_DIR`.
    #[must_use]
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Generates, says to Cargo which files it depends on and what is wrong, and ends the build
    /// script with an error if anything is.
    pub fn run(&self) {
        let report = self.generate();
        for line in &report.lines {
            println!("{line}");
        }
        if report.failed {
            process::exit(1);
        }
    }

    /// Generates, and gives what [`Build::run`] would print.
    #[must_use]
    pub fn generate(&self) -> Report {
        let outcome = generate::run(&[self.input()], Options::default(), &Disk);
        let mut report = Report {
            lines: depends_on(&outcome),
            failed: outcome.catalog.is_none(),
        };
        report.lines.extend(said(&outcome));
        if let Some(catalog) = &outcome.catalog
            && let Err(error) = self.write(catalog)
        {
            report.failed = true;
            report.lines.push(format!(
                "cargo::error=the adapters cannot be written: {error}"
            ));
        }
        report
    }

    /// What is read, with the lock beside the overlay where no other one was named.
    fn input(&self) -> Input {
        let overlay = self.input.overlay.as_ref().map(Path::new);
        let beside = || overlay.and_then(lock::beside).filter(|lock| lock.is_file());
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
                let message = "`OUT_DIR` is not set; this runs in a build script";
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

/// The file that the crate includes. It only names the module, since an included file can have no
/// documentation of its own.
fn write_entry(path: &Path, service: &CheckedService) -> io::Result<()> {
    let name = &service.service().name;
    let entry =
        format!("// {MARK} by the build script.\n#[path = \"{name}/mod.rs\"]\npub mod {name};\n");
    if fs::read(path).is_ok_and(|bytes| bytes == entry.as_bytes()) {
        return Ok(());
    }
    fs::write(path, entry)
}

/// Everything that was read. What is not there is left out: Cargo would take it for changed.
fn depends_on(outcome: &Outcome) -> Vec<String> {
    outcome
        .files()
        .filter(|path| Path::new(path).exists())
        .map(|path| format!("cargo::rerun-if-changed={path}"))
        .collect()
}

/// The diagnostics, each line of them for itself, since Cargo takes one line at a time.
fn said(outcome: &Outcome) -> Vec<String> {
    let mut lines = Vec::new();
    for diagnostic in &outcome.diagnostics {
        let key = match diagnostic.severity {
            Severity::Error => "cargo::error",
            Severity::Warning => "cargo::warning",
        };
        let one = std::slice::from_ref(diagnostic);
        let text = render::text(one, &outcome.sources, Style::Plain);
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
    fn a_module_is_written_and_what_it_depends_on_is_said() {
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
    fn the_lock_beside_the_overlay_is_read_and_never_written() {
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

        // One that was named has to be there.
        assert!(build.lock(path("other.lock")).generate().failed);
    }

    #[test]
    fn what_did_not_change_is_not_written() {
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
    fn an_error_is_said_line_by_line_and_nothing_is_written() {
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
