//! The generators to compare, each a program that turns a document into a crate.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::{
    documents::{Document, Format},
    ours,
};

/// A generator of Rust code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Generator {
    /// This project's generator.
    Toolwright,
    OpenapiToRust,
    Ploidy,
    Progenitor,
    /// The generator of `graphql_client`, for the operations that ours writes.
    GraphqlClient,
    /// `protoc` with the plugins of `prost` and `tonic`.
    Prost,
}

/// The file of the operations of a GraphQL schema.
const OPERATIONS: &str = "operations.graphql";

/// The start of the manifest for a module that `openapi-to-rust` writes. The generator writes the
/// dependencies to a file of its own.
const AROUND_A_MODULE: &str =
    "[package]\nname = \"measured\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n";

impl Generator {
    /// The generators that read a format. Ours is the first.
    pub(crate) const fn reading(format: Format) -> &'static [Self] {
        match format {
            Format::OpenApi => &[
                Self::Toolwright,
                Self::OpenapiToRust,
                Self::Ploidy,
                Self::Progenitor,
            ],
            Format::GraphQl => &[Self::Toolwright, Self::GraphqlClient],
            Format::Grpc => &[Self::Toolwright, Self::Prost],
        }
    }

    /// The generator's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Toolwright => "toolwright",
            Self::OpenapiToRust => "openapi-to-rust",
            Self::Ploidy => "ploidy",
            Self::Progenitor => "progenitor",
            Self::GraphqlClient => "graphql-client",
            Self::Prost => "prost",
        }
    }

    /// The generator's program, or `None` if it is not on the `PATH`.
    pub(crate) fn program(self) -> Option<PathBuf> {
        let file = match self {
            Self::Toolwright => return env::current_exe().ok(),
            Self::Progenitor => "cargo-progenitor",
            Self::Prost => "protoc",
            Self::OpenapiToRust | Self::Ploidy | Self::GraphqlClient => self.name(),
        };
        let folders = env::var_os("PATH")?;
        env::split_paths(&folders)
            .map(|folder| folder.join(file))
            .find(|path| path.is_file())
    }

    /// Writes what the generator needs next to the document, in the folder of the crate.
    pub(crate) fn prepare(self, document: &Document, folder: &Path) -> Result<(), String> {
        match self {
            Self::GraphqlClient => {
                let operations = ours::operations(&document.path)?;
                let written = fs::write(folder.join(OPERATIONS), operations);
                written.map_err(|error| error.to_string())
            }
            _ => Ok(()),
        }
    }

    /// Returns the command that generates the crate of a document in a folder.
    pub(crate) fn command(self, program: &Path, document: &Document, folder: &Path) -> Command {
        let Document {
            path: document,
            root,
            ..
        } = document;
        let mut command = Command::new(program);
        match self {
            Self::GraphqlClient => command
                .args(["generate", "--schema-path"])
                .arg(document)
                .arg("--output-directory")
                .arg(folder)
                .arg("--no-formatting")
                .arg(folder.join(OPERATIONS)),
            Self::Prost => {
                let out = |plugin: &str| format!("--{plugin}_out={}", folder.display());
                command
                    .arg(format!("--proto_path={}", root.display()))
                    .args([out("prost"), out("tonic")])
                    .arg(document)
            }
            Self::Toolwright => command.arg("generate").arg(document).arg(folder),
            Self::Ploidy => command
                .args(["generate", "rust"])
                .arg(document)
                .arg("-o")
                .arg(folder)
                .args(["--name", "measured"]),
            Self::Progenitor => command
                .args(["progenitor", "-n", "measured", "-v", "0.1.0", "-i"])
                .arg(document)
                .arg("-o")
                .arg(folder),
            Self::OpenapiToRust => command
                .arg("generate")
                .arg(document)
                .arg("--output-dir")
                .arg(folder.join("src/api"))
                .args(["--module-name", "api"]),
        };
        command
    }

    /// Completes the generated files to a crate that builds on its own.
    pub(crate) fn complete(self, folder: &Path) -> io::Result<()> {
        let manifest = folder.join("Cargo.toml");
        if self == Self::OpenapiToRust {
            let needed = fs::read_to_string(folder.join("src/api/REQUIRED_DEPS.toml"))?;
            fs::write(&manifest, format!("{AROUND_A_MODULE}{needed}"))?;
            fs::write(folder.join("src/lib.rs"), "pub mod api;\n")?;
        }
        let text = fs::read_to_string(&manifest)?;
        if !text.contains("[workspace]") {
            fs::write(&manifest, format!("{text}\n[workspace]\n"))?;
        }
        Ok(())
    }
}
