//! A skill as its file describes it.

mod read;
mod script;

pub use read::check_name;
pub(crate) use script::MOST_SECONDS;
pub use script::{SCRIPT, Script};

use std::{fmt, path::Path};

use toolwright::{
    ToolName,
    config::{
        ConfigProblem, Place, Placed,
        reader::{ConfigReader, File},
    },
};

use crate::{digest::digest, sequence::Sequence};

/// The longest file of a skill, in bytes.
pub(crate) const LONGEST_FILE: usize = 256 * 1024;

/// A skill: its parameters, and either the calls that it makes or a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Skill {
    /// `name`: the name, in the grammar of tool names.
    pub name: Placed<ToolName>,
    /// `line`: one sentence about what it does.
    pub line: String,
    /// `when_to_use`: when an agent should take it.
    pub when_to_use: Option<String>,
    /// `owner`: the person or team who answers for it.
    pub owner: String,
    /// `alternative`: the skill or tool to use in its place, if it is deprecated.
    pub alternative: Option<Placed<ToolName>>,
    /// `[parameters]`, `[[steps]]` and `returns`. There are no steps if it has a script.
    pub sequence: Sequence,
    /// The script, in place of steps.
    pub script: Option<Script>,
    /// The SHA-256 of the file, and of the script after it.
    pub digest: String,
}

/// Everything that is wrong with a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillError {
    /// At least one, in the order of the file.
    pub problems: Vec<ConfigProblem>,
}

impl Skill {
    /// Reads the content of a `skill.toml` without a script. `path` is for messages.
    ///
    /// # Errors
    /// [`SkillError`] with everything that is wrong with it, as far as that shows without the
    /// tools that it calls.
    pub fn read(path: &Path, text: &str) -> Result<Self, SkillError> {
        Self::read_with(path, text, None)
    }

    /// Reads the content of a `skill.toml`, and of the [`SCRIPT`] next to it if there is one.
    ///
    /// # Errors
    /// The same.
    pub fn read_with(path: &Path, text: &str, script: Option<&str>) -> Result<Self, SkillError> {
        let mut reader = ConfigReader::default();
        let file = File { path, text };
        let skill = match text.len() > LONGEST_FILE {
            true => {
                let place = Place {
                    file: path.to_owned(),
                    line: 1,
                    column: 1,
                    span: 0..0,
                };
                reader.problem(place, "the file has more than 256 KiB", "split the skill");
                None
            }
            false => file
                .parse(&mut reader)
                .and_then(|document| read::skill(file.node(&document), script, &mut reader)),
        };
        let problems = reader.into_problems();
        match skill {
            Some(skill) if problems.is_empty() => Ok(Self {
                digest: digest(text, script),
                ..skill
            }),
            _ => Err(SkillError { problems }),
        }
    }

    /// Returns the tools that the skill calls, in the order of the file, each once.
    #[must_use]
    pub fn tools(&self) -> Vec<&ToolName> {
        let listed = self.script.iter().flat_map(|script| &script.tools);
        let mut tools = Vec::new();
        for tool in self.sequence.tools().chain(listed) {
            if !tools.contains(&&tool.value) {
                tools.push(&tool.value);
            }
        }
        tools
    }
}

impl fmt::Display for SkillError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        toolwright_model::write_joined(f, &self.problems, "\n")
    }
}

impl std::error::Error for SkillError {}
