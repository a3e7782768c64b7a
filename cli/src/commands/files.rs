//! `toolwright files`: the files that the calls of a role send and receive.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;
use toolwright::{
    ScopedToolView,
    files::{FileHandle, FileRecord},
};

use super::call::{OutputArguments, file_failure, store_file};
use crate::{
    Exit, Failure,
    context::Context,
    operator::OperatorArguments,
    output::{FormatArguments, Table},
    tools::ToolsArguments,
};

/// Handle the files that calls of a role send and receive
///
/// A file belongs to the role and the run for which it was added or received, and expires.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright files add report.pdf --type application/pdf --role clerk\n  \
    toolwright files list --role clerk\n  \
    toolwright files save file-5c…e1 --output report.pdf --role clerk")]
pub(crate) struct FilesArguments {
    #[command(subcommand)]
    command: FilesCommand,
}

#[derive(Debug, Subcommand)]
enum FilesCommand {
    /// Copy a file of this machine into the store, and print its handle
    Add(AddArguments),
    /// List the files
    List(ViewArguments),
    /// Write a file of the store to a file of this machine
    Save(SaveArguments),
    /// Remove a file from the store
    Remove(RemoveArguments),
}

#[derive(Debug, Args)]
struct AddArguments {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The media type
    #[arg(
        long = "type",
        value_name = "TYPE",
        default_value = "application/octet-stream"
    )]
    media_type: String,

    #[command(flatten)]
    view: ViewArguments,
}

#[derive(Debug, Args)]
struct SaveArguments {
    /// The handle of the file
    #[arg(value_name = "HANDLE")]
    handle: FileHandle,

    #[command(flatten)]
    destination: OutputArguments,
    #[command(flatten)]
    view: ViewArguments,
}

#[derive(Debug, Args)]
struct RemoveArguments {
    /// The handle of the file
    #[arg(value_name = "HANDLE")]
    handle: FileHandle,

    #[command(flatten)]
    view: ViewArguments,
}

/// The arguments for the owner of the files.
#[derive(Debug, Args)]
struct ViewArguments {
    #[command(flatten)]
    operator: OperatorArguments,
    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl ViewArguments {
    fn view(&self, context: &Context) -> Result<ScopedToolView, Failure> {
        let (registry, _) = self.operator.registry(&self.tools, context)?;
        self.operator.view(&registry)
    }

    fn print(&self, record: &FileRecord, context: &mut Context) -> Result<Exit, Failure> {
        if self.format.is_json() {
            context.output.json(record)?;
        } else {
            context.output.line(&record.handle)?;
        }
        Ok(Exit::Done)
    }
}

impl FilesArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        match self.command {
            FilesCommand::Add(arguments) => {
                let view = arguments.view.view(context)?;
                let record = store_file(&view, &arguments.file, &arguments.media_type)?;
                arguments.view.print(&record, context)
            }
            FilesCommand::List(arguments) => list(&arguments, context),
            FilesCommand::Save(arguments) => save(&arguments, context),
            FilesCommand::Remove(arguments) => {
                let view = arguments.view.view(context)?;
                let removed = view.remove_file(&arguments.handle);
                removed.map_err(|error| file_failure(&error))?;
                Ok(Exit::Done)
            }
        }
    }
}

fn list(arguments: &ViewArguments, context: &mut Context) -> Result<Exit, Failure> {
    let view = arguments.view(context)?;
    let records = view.files().map_err(|error| file_failure(&error))?;
    if arguments.format.is_json() {
        for record in &records {
            context.output.json(record)?;
        }
        return Ok(Exit::Done);
    }
    let header = ["HANDLE", "BYTES", "TYPE", "NAME", "FROM", "EXPIRES"];
    let mut table = Table::new(header);
    for record in &records {
        let tool = record.tool.as_ref().map(ToString::to_string);
        table.row([
            record.handle.to_string().into(),
            record.size.to_string().into(),
            record.media_type.as_str().into(),
            record.name.as_deref().unwrap_or_default().into(),
            tool.unwrap_or_default().into(),
            format!("{:.0}", record.expires).into(),
        ]);
    }
    context.output.table(&table)?;
    Ok(Exit::Done)
}

fn save(arguments: &SaveArguments, context: &mut Context) -> Result<Exit, Failure> {
    let view = arguments.view.view(context)?;
    let opened = view.open_file(&arguments.handle);
    let file = opened.map_err(|error| file_failure(&error))?;
    let Some((destination, mut writer)) = arguments.destination.open()? else {
        return Err(Failure::usage("the destination is missing").help("add `--output FILE`"));
    };
    let record = file.record().clone();
    let copied = file.copy_to(&mut writer);
    copied.map_err(|error| file_failure(&error))?;
    let facts = json!({
        "media_type": record.media_type,
        "size": record.size,
        "sha256": record.sha256,
    });
    let as_json = arguments.view.format.is_json();
    destination.finish(facts, as_json, &mut context.output)?;
    Ok(Exit::Done)
}
