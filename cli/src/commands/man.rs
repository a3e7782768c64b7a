//! `toolwright man`: the manual pages.

use std::{fs, io, path::PathBuf};

use clap::{Args, Command};
use clap_mangen::{
    Man,
    roff::{Roff, roman},
};

use serde_json::json;

use crate::{Exit, Failure, context::Context, output::FormatArguments};

/// Print the manual page, or write the pages of all commands
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright man | man -l -\n  \
    toolwright man --folder ~/.local/share/man/man1")]
pub(crate) struct ManArguments {
    /// Write a page for each command to this folder, rather than print the main page
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,

    #[command(flatten)]
    format: FormatArguments,
}

impl ManArguments {
    pub(crate) fn run(self, command: Command, context: &mut Context) -> Result<Exit, Failure> {
        // Of `help`, the pages of the commands are the better form.
        let program = match command.get_name() {
            "toolwright" => "Toolwright".to_owned(),
            name => name.to_owned(),
        };
        let mut command = command.disable_help_subcommand(true);
        command.build();
        let Some(folder) = self.folder else {
            let (name, page) = page(&program, &command)?;
            let page = String::from_utf8(page);
            let page = page.map_err(|error| Failure::new(error.to_string()))?;
            if self.format.is_json() {
                context.output.json(&json!({"name": name, "page": page}))?;
            } else {
                context.output.text(page.trim_end())?;
            }
            return Ok(Exit::Done);
        };
        let pages = pages(&program, &command)?;
        fs::create_dir_all(&folder).map_err(|error| Failure::file("create", &folder, &error))?;
        for (name, page) in &pages {
            let file = folder.join(name);
            fs::write(&file, page).map_err(|error| Failure::file("write", &file, &error))?;
        }
        if self.format.is_json() {
            let pages: Vec<_> = pages.iter().map(|(name, _)| name).collect();
            let written = json!({"folder": folder, "pages": pages});
            context.output.json(&written)?;
            return Ok(Exit::Done);
        }
        let (number, folder) = (pages.len(), folder.display());
        context
            .output
            .text(&format!("wrote {number} pages to `{folder}`"))?;
        Ok(Exit::Done)
    }
}

/// Renders the pages of a command and of the commands below it, with the names of their files.
fn pages(program: &str, command: &Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut pages = Vec::new();
    let mut rest = vec![command];
    while let Some(command) = rest.pop() {
        pages.push(page(program, command)?);
        rest.extend(
            command
                .get_subcommands()
                .filter(|below| !below.is_hide_set()),
        );
    }
    Ok(pages)
}

fn page(program: &str, command: &Command) -> io::Result<(String, Vec<u8>)> {
    let version = command.get_version().unwrap_or_default();
    let man = Man::new(command.clone())
        .source(format!("{program} {version}"))
        .manual(program);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    render_last_section(command, &mut page)?;
    Ok((man.get_filename(), page))
}

/// Renders the end of the help, such as its examples, as it is and without filling the lines.
fn render_last_section(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let help = command.get_after_help().map(ToString::to_string);
    let help = help.unwrap_or_default();
    let Some((heading, lines)) = help.split_once('\n') else {
        return Ok(());
    };
    let mut roff = Roff::new();
    let heading = heading.trim_end_matches(':').to_uppercase();
    roff.control("SH", [heading.as_str()]).control("nf", []);
    for line in lines.lines() {
        roff.text([roman(line.trim_start())]);
    }
    roff.control("fi", []);
    roff.to_writer(page)
}
