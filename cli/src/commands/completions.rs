//! `toolwright completions`: a script that completes the command in a shell.

use std::{env, path::Path};

use clap::{Args, Command};
use clap_complete::{Shell, generate};
use serde_json::json;

use crate::{Exit, Failure, context::Context, output::FormatArguments};

/// Print a script that completes the command in a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright completions bash > ~/.local/share/bash-completion/completions/toolwright\n  \
    toolwright completions fish > ~/.config/fish/completions/toolwright.fish")]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,

    #[command(flatten)]
    format: FormatArguments,
}

impl CompletionsArguments {
    pub(crate) fn run(self, mut command: Command, context: &mut Context) -> Result<Exit, Failure> {
        let name = match command.get_name() {
            "toolwright" => program_name().unwrap_or_else(|| "toolwright".to_owned()),
            name => name.to_owned(),
        };
        let mut script = Vec::new();
        generate(self.shell, &mut command, name, &mut script);
        let script = String::from_utf8_lossy(&script);
        if self.format.is_json() {
            let shell = self.shell.to_string();
            context
                .output
                .json(&json!({"shell": shell, "script": script}))?;
        } else {
            context.output.text(script.trim_end())?;
        }
        Ok(Exit::Done)
    }
}

/// Returns the name by which the program was run. A program with its own tools has its own name.
fn program_name() -> Option<String> {
    let program = env::args_os().next()?;
    let name = Path::new(&program).file_stem()?;
    name.to_str().map(str::to_owned)
}
