//! `toolwright new`: the files of a new project.

use std::{
    fs::{self, OpenOptions},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::json;
use toolwright::{ServiceName, config::CONFIG_FILE};

use super::add::AddArguments;
use crate::{Exit, Failure, context::Context, failure::Code, output::FormatArguments};

/// The files of a project. No role is declared, so nobody can call anything.
const FILES: [(&str, &str); 4] = [
    (CONFIG_FILE, include_str!("new/toolwright.toml")),
    ("specs/README.md", include_str!("new/specs.md")),
    (".gitignore", include_str!("new/gitignore")),
    (
        ".github/workflows/toolwright.yml",
        include_str!("new/workflow.yml"),
    ),
];

/// Create a project: a policy that grants nothing, a folder for specifications, a check for CI
///
/// A file that exists is kept. With SPEC, the first service is added, as `toolwright add` does.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright new tools\n  \
    toolwright new tools shop.yaml --service shop\n  \
    toolwright new . https://shop.example/openapi.json --service shop")]
pub(crate) struct NewArguments {
    /// The folder, which is created if it does not exist
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The specification of the first service: a file or a URL
    #[arg(value_name = "SPEC")]
    spec: Option<String>,

    /// The name of the first service
    #[arg(long, value_name = "NAME", requires = "spec")]
    service: Option<ServiceName>,

    #[command(flatten)]
    format: FormatArguments,
}

impl NewArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let config = self.folder.join(CONFIG_FILE);
        if config.exists() {
            return Err(
                Failure::new(format!("`{}` exists already", config.display()))
                    .code(Code::Exists)
                    .note("the folder is a project, and no file of it is overwritten")
                    .help("to add a service to it, run `toolwright add SPEC` in it"),
            );
        }
        let (mut created, mut kept) = (Vec::new(), Vec::new());
        for (file, text) in FILES {
            let path = self.folder.join(file);
            if create(&path, text)? {
                created.push(path.display().to_string());
            } else {
                kept.push(path.display().to_string());
            }
        }
        if self.format.is_json() {
            context.output.json(&json!({
                "folder": self.folder, "created": created, "kept": kept,
            }))?;
        } else {
            for (verb, files) in [("created", &created), ("kept", &kept)] {
                for file in files {
                    context.output.line(format_args!("{verb}  {file}"))?;
                }
            }
        }
        context.config = Some(config);
        match self.spec {
            Some(spec) => {
                if !self.format.is_json() {
                    context.output.line("")?;
                }
                AddArguments::new(spec, self.service, self.format).run(context)
            }
            None => {
                if !self.format.is_json() {
                    let folder = self.folder.display();
                    context.output.line(format_args!(
                        "\nTo add a service, go to `{folder}` and run `toolwright add SPEC`: a file or a URL."
                    ))?;
                }
                Ok(Exit::Done)
            }
        }
    }
}

/// Creates a file and the folders above it. Returns false if it exists.
fn create(path: &Path, text: &str) -> Result<bool, Failure> {
    let failed = |error| Failure::file("create", path, &error);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A configuration that a group can change is refused.
        options.mode(0o644);
    }
    match options.open(path) {
        Ok(mut file) => file
            .write_all(text.as_bytes())
            .map_err(failed)
            .map(|()| true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(failed(error)),
    }
}
