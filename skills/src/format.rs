//! A skill as its file describes it.

mod read;
mod script;

pub use read::check_name;
pub(crate) use script::MOST_SECONDS;
pub use script::{SCRIPT, Script};

use std::{fmt, path::Path};

use serde_json::{Map, Value, json};
use toolwright::{
    ToolName,
    config::{
        ConfigProblem, Place, Placed,
        reader::{ConfigReader, File},
    },
};

use crate::{
    digest::digest,
    template::{Hole, Source, Template},
};

/// The greatest number of steps.
pub(crate) const MOST_STEPS: usize = 64;

/// The greatest number of elements that a loop may take.
pub(crate) const MOST_ELEMENTS: u64 = 100;

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
    /// `[parameters]`: the parameters, in the order of the file.
    pub parameters: Vec<Parameter>,
    /// `[[steps]]`: the calls, in order. None if it has a script.
    pub steps: Vec<Step>,
    /// `returns`: the result; by default the result of the last step.
    pub returns: Option<Template>,
    /// The script, in place of steps.
    pub script: Option<Script>,
    /// The SHA-256 of the file, and of the script after it.
    pub digest: String,
}

/// A parameter of a skill.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The JSON Schema of its values.
    pub schema: Value,
    /// True if a call may leave it out.
    pub optional: bool,
    /// The place of its table.
    pub place: Place,
}

/// A step of a skill: a call of a tool, or one for each element of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// `id`: the name that later holes use for the result.
    pub id: String,
    /// `tool`: the tool.
    pub tool: Placed<ToolName>,
    /// `arguments`: the arguments, an object.
    pub arguments: Template,
    /// `when`: the conditions, all of which must hold. Otherwise the step makes no call.
    pub conditions: Vec<Condition>,
    /// `each` and `most`: the list for whose elements the call is made.
    pub each: Option<Each>,
}

/// A condition of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The value that is tested.
    pub value: Template,
    /// The test.
    pub test: Test,
}

/// The test of a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// `equals`: the value is this one.
    Equals(Value),
    /// `not_equals`: the value is another one.
    NotEquals(Value),
    /// `at_least`: the value is a number of at least this.
    AtLeast(f64),
    /// `at_most`: the value is a number of at most this.
    AtMost(f64),
    /// `exists`: there is a value other than null, or there is none.
    Exists(bool),
    /// `empty`: the value is a list, a string or an object without content, or one with content.
    Empty(bool),
}

/// The loop of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Each {
    /// The list.
    pub list: Hole,
    /// The greatest number of its elements. A longer list ends the run before the first call.
    pub most: u64,
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
        for tool in self.steps.iter().map(|step| &step.tool).chain(listed) {
            if !tools.contains(&&tool.value) {
                tools.push(&tool.value);
            }
        }
        tools
    }

    /// Returns the JSON Schema of the parameters: an object.
    #[must_use]
    pub fn input_schema(&self) -> Value {
        let properties = self.parameters.iter();
        let properties =
            properties.map(|parameter| (parameter.name.clone(), parameter.schema.clone()));
        let required = self
            .parameters
            .iter()
            .filter(|parameter| !parameter.optional);
        let required: Vec<_> = required.map(|parameter| parameter.name.as_str()).collect();
        json!({
            "type": "object",
            "properties": properties.collect::<Map<_, _>>(),
            "required": required,
            "additionalProperties": false,
        })
    }
}

impl Step {
    /// Checks whether an argument is a parameter or a result of this name, or a part of one.
    #[must_use]
    pub fn uses(&self, name: &str) -> bool {
        let holes = self.arguments.holes().into_iter();
        let list = self.each.iter().map(|each| &each.list);
        let mut sources = holes.chain(list).map(|hole| &hole.source);
        sources.any(|source| matches!(source, Source::Named(named) if named == name))
    }
}

impl fmt::Display for SkillError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        toolwright_model::write_joined(f, &self.problems, "\n")
    }
}

impl std::error::Error for SkillError {}
