//! `toolwright skill new`.

use std::{
    fs::{self, OpenOptions},
    io::{ErrorKind, Write as _},
    path::Path,
};

use clap::Args;
use serde_json::json;
use toolwright::ToolName;
use toolwright_skills::{FILE, SCRIPT, check_name};

use crate::{Exit, Failure, context::Context, failure::Code, output::FormatArguments};

#[derive(Debug, Args)]
pub(super) struct NewSkillArguments {
    /// The name of the skill: `<verb>-<service>-<noun>`
    #[arg(value_name = "NAME", value_parser = skill_name)]
    name: ToolName,

    /// Begin a skill with a script, `run.sh`, in place of steps
    #[arg(long)]
    script: bool,

    #[command(flatten)]
    format: FormatArguments,
}

impl NewSkillArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let config = context.config()?;
        let path = config.skills.folder.join(self.name.as_str()).join(FILE);
        create(&path, &template(&self.name, self.script))?;
        let mut files = vec![path];
        if self.script {
            let script = config.skills.folder.join(self.name.as_str()).join(SCRIPT);
            create(&script, SCRIPT_TEXT)?;
            files.push(script);
        }
        if self.format.is_json() {
            for file in files {
                let created = json!({"skill": self.name, "file": file});
                context.output.json(&created)?;
            }
            return Ok(Exit::Done);
        }
        for file in files {
            let shown = file.display();
            context.output.line(format_args!("created  {shown}"))?;
        }
        let next = match self.script {
            true => "Write the script",
            false => "Write its steps",
        };
        context.output.line(format_args!(
            "\n{next}, and then run `toolwright skill check {}`.",
            self.name
        ))?;
        Ok(Exit::Done)
    }
}

/// Parses the name of a skill.
fn skill_name(text: &str) -> Result<ToolName, String> {
    let name = ToolName::new(text).map_err(|error| error.to_string())?;
    check_name(&name).map_err(str::to_owned)?;
    Ok(name)
}

/// Creates a file that does not exist, and the folders above it.
pub(super) fn create(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error| Failure::file("create", path, &error);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    match file {
        Ok(mut file) => file.write_all(text.as_bytes()).map_err(failed),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let message = format!("`{}` exists already", path.display());
            Err(Failure::new(message).code(Code::Exists))
        }
        Err(error) => Err(failed(error)),
    }
}

fn template(name: &ToolName, has_script: bool) -> String {
    let (keys, steps) = match has_script {
        true => (SCRIPT_KEYS, ""),
        false => ("", STEPS),
    };
    format!(
        r#"name = "{name}"
line = "One sentence about what the skill does."
when_to_use = "an agent wants to …"
owner = "the person or team who answers for it"
{keys}
[parameters.words]
type = "string"
minLength = 1
description = "The words to search for."
{steps}"#
    )
}

/// The steps of a new skill.
const STEPS: &str = r#"
# One table for each call, in order. A hole is filled with a parameter, `{{words}}`, or with a value of an
# earlier result, by its JSON Pointer: `{{find#/items/0/id}}`.
[[steps]]
id = "find"
tool = "search-depot-items"
arguments = { q = "{{words}}" }
"#;

/// The keys of a new skill with a script.
const SCRIPT_KEYS: &str = r#"# All tools that `run.sh` may call, and the longest time of a run in seconds.
tools = ["search-depot-items"]
seconds = 60
"#;

/// The script of a new skill.
const SCRIPT_TEXT: &str = r#"#!/bin/sh
# Standard input is a JSON object with the parameters, and so is `parameters.json`. Print the result as JSON.
# `toolwright get` takes a value out of JSON, and `toolwright call` calls a tool as the caller of the skill.
set -eu
words=$(toolwright get /words <parameters.json)
toolwright call search-depot-items q="$words"
"#;
