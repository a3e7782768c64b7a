//! `toolwright eab scaffold`: the skeleton of a service.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use toolwright_generator::{
    emit::skeleton,
    generate::Options,
    load::Disk,
    reconcile::{self, State},
};

use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    new_crate::NewCrateArguments,
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

    #[command(flatten)]
    new_crate: NewCrateArguments,

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
                    .code(Code::InvalidSpecification)
                    .help("pass an EAB document; it begins with `eab: \"1.0\"`"),
            );
        };
        let tree = skeleton(service, &self.new_crate.options()?);
        let failed = |error| Failure::new(format!("cannot write {error}"));
        let before = reconcile::write(&tree, &self.out).map_err(failed)?;
        let written: Vec<_> = before
            .in_state(|state| matches!(state, State::Stale | State::Missing))
            .collect();
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
