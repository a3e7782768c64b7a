//! `toolwright trust`: the user allows a project's `toolwright.toml`.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    output::{FormatArguments, Table},
    project,
    trust::{Settings, Store},
};

/// Trust a project's toolwright.toml: show its settings, and allow them
///
/// The commands that call tools or decide about calls refuse a file that is not trusted, or whose
/// settings have changed since. Comments and limits of time and size may change, and rights may be
/// removed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright trust\n  \
    toolwright trust ../shop/toolwright.toml\n  \
    toolwright trust --list\n  \
    toolwright trust --revoke")]
pub(crate) struct TrustArguments {
    /// The file, rather than the nearest toolwright.toml above the current folder
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// List the files that you have trusted
    #[arg(long, conflicts_with_all = ["file", "revoke"])]
    list: bool,

    /// Take the trust back
    #[arg(long)]
    revoke: bool,

    #[command(flatten)]
    format: FormatArguments,
}

impl TrustArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let store = Store::of_user()?;
        if self.list {
            return list(&store, self.format, context);
        }
        let file = match &self.file {
            Some(file) => file.clone(),
            None => context.needed_file()?,
        };
        if self.revoke {
            return revoke(&store, file, self.format, context);
        }
        let (_, settings) = project::read_protected(&file)?;
        let before = store.find(&file)?.map(|record| record.settings);
        let before = before.unwrap_or_default();
        if self.format.is_json() {
            let changes = settings.changes_since(&before);
            context.output.json(&json!({
                "file": file,
                "settings": settings.lines().collect::<Vec<_>>(),
                "added": changes.added(),
                "removed": changes.removed(),
            }))?;
        } else {
            show(&file.display().to_string(), &settings, &before, context)?;
        }
        store.insert(&file, settings)?;
        Ok(Exit::Done)
    }
}

/// Shows the settings of a file, and the differences from the trusted ones.
fn show(
    file: &str,
    settings: &Settings,
    before: &Settings,
    context: &mut Context,
) -> Result<(), Failure> {
    let changes = settings.changes_since(before);
    let (added, removed) = (changes.added(), changes.removed());
    let output = &mut context.output;
    output.text(&format!("`{file}` is now trusted."))?;
    if settings.lines().next().is_none() {
        output.line("It sets nothing: the defaults apply.")?;
    }
    for line in settings.lines() {
        let sign = if added.contains(&line) { '+' } else { ' ' };
        output.text(&format!("{sign} {line}"))?;
    }
    for line in removed {
        output.text(&format!("- {line}"))?;
    }
    Ok(())
}

fn list(store: &Store, format: FormatArguments, context: &mut Context) -> Result<Exit, Failure> {
    let records = store.all()?;
    if format.is_json() {
        for record in &records {
            context.output.json(&json!({
                "file": record.file,
                "trusted": record.trusted,
                "by": record.by,
                "settings": record.settings.lines().collect::<Vec<_>>(),
            }))?;
        }
        return Ok(Exit::Done);
    }
    if records.is_empty() {
        context.output.line("No file is trusted.")?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(["FILE", "TRUSTED", "BY"]);
    for record in &records {
        table.row([
            record.file.as_str().into(),
            format!("{:.0}", record.trusted).into(),
            record.by.as_str().into(),
        ]);
    }
    context.output.table(&table)?;
    Ok(Exit::Done)
}

fn revoke(
    store: &Store,
    file: PathBuf,
    format: FormatArguments,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let shown = file.display().to_string();
    if !store.remove(&file)? {
        return Err(Failure::new(format!("`{shown}` was not trusted"))
            .code(Code::UnknownEntry)
            .help("run `toolwright trust --list` to list the trusted files"));
    }
    if format.is_json() {
        context
            .output
            .json(&json!({"file": file, "revoked": true}))?;
    } else {
        context
            .output
            .text(&format!("`{shown}` is no longer trusted."))?;
    }
    Ok(Exit::Done)
}
