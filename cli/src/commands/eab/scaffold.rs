//! `toolwright eab scaffold`: the skeleton of a service.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::json;
use toolwright_generator::{
    emit::{OWN_FILES, skeleton},
    generate::Options,
    load::Disk,
};

use crate::{
    Exit, Failure,
    context::Context,
    output::FormatArguments,
    specification::{Specification, check},
};

/// Write the skeleton of a service in Rust: a trait with its methods, and a program that serves
/// them
///
/// `src/main.rs` and `Cargo.toml` are yours: they are written once. The other files are written
/// again when the document changes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright eab scaffold kicad.yaml --out kicad-service\n  \
    toolwright eab scaffold kicad.yaml --out kicad-service --toolwright-path ../toolwright")]
pub(crate) struct ScaffoldArguments {
    /// The document of the service
    #[arg(value_name = "DOCUMENT")]
    document: PathBuf,

    /// The folder of the crate
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Let the crate depend on the checkout of Toolwright in this folder, rather than on the
    /// published one
    #[arg(long, value_name = "DIR")]
    toolwright_path: Option<PathBuf>,

    #[command(flatten)]
    format: FormatArguments,
}

impl ScaffoldArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let specification = Specification::new(self.document.clone(), None, None);
        let (catalog, _) = check(&[specification.input()], Options::default(), &Disk)?;
        let methods = |tool: &toolwright::ToolSpec| tool.eab().is_some();
        let service = catalog.services().first();
        let service = service.filter(|_| catalog.tool_specs().iter().any(methods));
        let Some(service) = service else {
            let path = self.document.display();
            return Err(
                Failure::new(format!("`{path}` does not declare a domain service"))
                    .help("pass an EAB document; it begins with `eab: \"1.0\"`"),
            );
        };
        let checkout = self.toolwright_path.as_deref();
        let checkout = checkout.map(|path| {
            fs::canonicalize(path).map_err(|error| Failure::file("find", path, &error))
        });
        let tree = skeleton(service, checkout.transpose()?.as_deref());
        let mut written = Vec::new();
        for (file, text) in tree.iter() {
            let path = self.out.join(file);
            if OWN_FILES.contains(&file) && path.exists() {
                continue;
            }
            if fs::read_to_string(&path).is_ok_and(|there| there == text) {
                continue;
            }
            write(&path, text)?;
            written.push(file);
        }
        if self.format.is_json() {
            let record = json!({"folder": self.out, "written": written});
            context.output.json(&record)?;
        } else {
            for file in &written {
                context.output.line(self.out.join(file).display())?;
            }
        }
        Ok(Exit::Done)
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|error| Failure::file("write", folder, &error))?;
    fs::write(path, text).map_err(|error| Failure::file("write", path, &error))
}
