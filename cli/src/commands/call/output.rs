//! `--output`: the answer of a call in a file, written as it arrives.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    process,
};

use clap::Args;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use toolwright::{ToolOutput, files::AnswerWriter};
use toolwright_model::hex;

use crate::{
    Failure,
    output::{Output, error_line, printable},
};

/// The word for standard output.
const STANDARD: &str = "-";

/// The arguments for the destination of the answer.
#[derive(Clone, Debug, Args)]
pub(crate) struct OutputArguments {
    /// Write the answer to a file as it arrives, without the limit of answers that are printed; `-`
    /// is standard output
    #[arg(long, value_name = "FILE", id = "output")]
    output: Option<PathBuf>,

    /// Overwrite the file of `--output`
    #[arg(long, requires = "output")]
    force: bool,
}

/// The destination of an answer. A file appears complete or not at all.
pub(crate) enum Destination {
    Standard,
    File(FileDestination),
}

/// A file that is written under another name first.
pub(crate) struct FileDestination {
    path: PathBuf,
    staged: PathBuf,
    overwrites: bool,
}

impl OutputArguments {
    /// Returns the destination, and the writer of the answer; none if the answer is printed.
    pub(crate) fn open(&self) -> Result<Option<(Destination, AnswerWriter)>, Failure> {
        let Some(path) = &self.output else {
            return Ok(None);
        };
        if path.as_os_str() == STANDARD {
            return Ok(Some((
                Destination::Standard,
                AnswerWriter::new(io::stdout()),
            )));
        }
        if !self.force && fs::symlink_metadata(path).is_ok() {
            return Err(exists(path));
        }
        let mut staged = path.as_os_str().to_owned();
        staged.push(format!(".part-{}", process::id()));
        let staged = PathBuf::from(staged);
        let file = toolwright::private::create(&staged);
        let file = file.map_err(|error| Failure::file("create", &staged, &error))?;
        let destination = FileDestination {
            path: path.clone(),
            staged,
            overwrites: self.force,
        };
        Ok(Some((
            Destination::File(destination),
            AnswerWriter::new(file),
        )))
    }
}

impl Destination {
    /// Puts the answer in its place, and prints what it is.
    pub(crate) fn finish(
        self,
        facts: Value,
        as_json: bool,
        screen: &mut Output,
    ) -> Result<(), Failure> {
        match self {
            Self::Standard => {
                if as_json {
                    error_line(&facts);
                } else {
                    error_line(sentence(&facts, "standard output"));
                }
            }
            Self::File(file) => {
                let shown = file.path.display().to_string();
                file.publish()?;
                let mut facts = facts;
                if let Some(facts) = facts.as_object_mut() {
                    facts.insert("output".to_owned(), shown.clone().into());
                }
                if as_json {
                    screen.json(&facts)?;
                } else {
                    screen.text(&sentence(&facts, &format!("`{shown}`")))?;
                }
            }
        }
        Ok(())
    }

    /// Returns the description of a saved answer. An answer that was not saved, because a function of
    /// the program or a domain service returned it, is written now.
    pub(super) fn facts(&self, output: &ToolOutput) -> Result<Value, Failure> {
        match &output.file {
            Some(_) => Ok(output.value.clone()),
            None => self.write_value(&output.value),
        }
    }

    fn write_value(&self, value: &Value) -> Result<Value, Failure> {
        let (media_type, bytes) = match value {
            Value::String(text) => ("text/plain", text.clone().into_bytes()),
            value => ("application/json", value.to_string().into_bytes()),
        };
        let written = match self {
            Self::Standard => io::stdout().write_all(&bytes),
            Self::File(file) => fs::write(&file.staged, &bytes),
        };
        written.map_err(|error| Failure::new(format!("cannot write the answer: {error}")))?;
        Ok(json!({
            "media_type": media_type,
            "size": bytes.len(),
            "sha256": hex(Sha256::digest(&bytes)),
        }))
    }
}

impl FileDestination {
    /// Gives the file its name.
    fn publish(self) -> Result<(), Failure> {
        let failed = |error: &io::Error| Failure::file("write", &self.path, error);
        if !self.overwrites {
            // Another program may have created the file in the meantime.
            let reserved: io::Result<File> = OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&self.path);
            match reserved {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(exists(&self.path));
                }
                reserved => reserved.map_err(|error| failed(&error))?,
            };
        }
        fs::rename(&self.staged, &self.path).map_err(|error| failed(&error))
    }
}

impl Drop for FileDestination {
    fn drop(&mut self) {
        // A published file has another name.
        let _ = fs::remove_file(&self.staged);
    }
}

fn exists(path: &Path) -> Failure {
    Failure::usage(format!("the file `{}` exists", path.display()))
        .help("choose another name, or add `--force` to overwrite it")
}

/// Describes a saved answer.
fn sentence(facts: &Value, place: &str) -> String {
    let text = |key: &str| facts.get(key).and_then(Value::as_str).unwrap_or_default();
    let size = facts
        .get("size")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    let (media_type, sha256) = (printable(text("media_type")), text("sha256"));
    format!("saved {size} bytes ({media_type}) to {place}\nSHA-256 {sha256}")
}
