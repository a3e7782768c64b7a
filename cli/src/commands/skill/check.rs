//! `toolwright skill check` and `toolwright skill test`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::json;
use toolwright_skills::{
    Found, check,
    trial::{FOLDER, Trial},
};

use super::{Loaded, name_of};
use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    operator::runtime,
    output::{FormatArguments, plural},
    skills,
    tools::ToolsArguments,
};

#[derive(Debug, Args)]
pub(super) struct CheckSkillArguments {
    /// The names of the skills; all of the project if none is given
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl CheckSkillArguments {
    /// Reports everything that is wrong with the skills.
    pub(super) fn check(self, context: &mut Context) -> Result<Exit, Failure> {
        let loaded = Loaded::for_looking(&self.tools, context)?;
        let known = skills::known(&loaded.specs, &loaded.config);
        let mut problems = Vec::new();
        let chosen = self.chosen(&loaded)?;
        for found in &chosen {
            problems.extend(match &found.skill {
                Ok(skill) => check(skill, &known),
                Err(error) => error.problems.clone(),
            });
        }
        if !problems.is_empty() {
            let mut failures = Failure::all(Vec::<String>::new());
            for problem in problems {
                let failure = Failure::new(format!("{}: {}", problem.place, problem.message));
                let failure = failure.code(Code::InvalidSkill);
                failures = failures.and(match problem.help {
                    Some(help) => failure.help(help),
                    None => failure,
                });
            }
            return Err(failures);
        }
        for found in &chosen {
            if self.format.is_json() {
                let checked = json!({"skill": name_of(found), "file": found.path});
                context.output.json(&checked)?;
            }
        }
        if !self.format.is_json() {
            let number = plural(chosen.len(), "skill");
            context
                .output
                .line(format_args!("{number} checked, without faults"))?;
        }
        Ok(Exit::Done)
    }

    /// Runs the tests next to the skills.
    pub(super) fn test(self, context: &mut Context) -> Result<Exit, Failure> {
        let loaded = Loaded::for_looking(&self.tools, context)?;
        let mut failed = 0;
        let mut all = 0;
        for found in self.chosen(&loaded)? {
            let skill = loaded.skill(name_of(found))?;
            for file in tests_of(&found.path)? {
                let trial = read(&file)?;
                let tried = runtime()?.block_on(trial.of(skill));
                let name = file.file_stem().unwrap_or_default().to_string_lossy();
                let passed = tried.differences.is_empty();
                all += 1;
                failed += usize::from(!passed);
                if self.format.is_json() {
                    context.output.json(&json!({
                        "skill": skill.name.value,
                        "test": name,
                        "passed": passed,
                        "differences": tried.differences,
                    }))?;
                    continue;
                }
                let word = if passed { "passed" } else { "failed" };
                let title = format!("{word}  {}  {name}", skill.name.value);
                context.output.text(&title)?;
                for difference in &tried.differences {
                    context.output.text(&format!("        {difference}"))?;
                }
            }
        }
        if !self.format.is_json() {
            let number = plural(all, "test");
            context
                .output
                .line(format_args!("{number}, {failed} failed"))?;
        }
        Ok(if failed == 0 {
            Exit::Done
        } else {
            Exit::Differs
        })
    }

    fn chosen<'l>(&self, loaded: &'l Loaded) -> Result<Vec<&'l Found>, Failure> {
        for name in &self.names {
            if !loaded.found.iter().any(|found| name_of(found) == name) {
                loaded.skill(name)?;
            }
        }
        let is_chosen = |found: &&Found| {
            self.names.is_empty() || self.names.iter().any(|name| name == name_of(found))
        };
        Ok(loaded.found.iter().filter(is_chosen).collect())
    }
}

/// Returns the files of the tests next to a skill, sorted.
fn tests_of(skill: &Path) -> Result<Vec<PathBuf>, Failure> {
    let folder = skill.with_file_name(FOLDER);
    let failed = |error: io::Error| Failure::file("read", &folder, &error);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read(file: &Path) -> Result<Trial, Failure> {
    let text = fs::read_to_string(file).map_err(|error| Failure::file("read", file, &error))?;
    Trial::from_json(&text).map_err(|error| {
        let message = format!("`{}` is not a test of a skill: {error}", file.display());
        Failure::new(message).code(Code::InvalidSkill)
    })
}
