//! `toolwright skill`: proven sequences of calls, each as one governed tool.

mod check;
mod new;
mod propose;
mod show;
mod standing;
mod stats;

use clap::{Args, Subcommand};
use toolwright::{ToolSpec, config::Config};
use toolwright_model::most_similar;
use toolwright_skills::{Found, Skill};

use crate::{
    Exit, Failure, context::Context, failure::Code, output::FormatArguments, skills,
    tools::ToolsArguments,
};

/// Write, check, review and run skills: proven sequences of calls, each as one governed tool
///
/// A skill is a folder below `skills/` with a `skill.toml`. Agents see it when a person has reviewed and
/// activated it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright skill list\n  \
    toolwright skill check\n  \
    toolwright skill review reserve-depot-items --by 'your name' --why 'read line by line'\n  \
    toolwright skill activate reserve-depot-items --by 'your name' --why 'the tests pass'\n  \
    toolwright call reserve-depot-items --role clerk --args '{\"words\": \"lamp\"}'")]
pub(crate) struct SkillArguments {
    #[command(subcommand)]
    command: SkillCommand,
}

#[derive(Debug, Subcommand)]
enum SkillCommand {
    /// List the skills with their standings and their health
    List(ListArguments),
    /// Show a skill: what it calls, who may run it, and its standing
    Show(NamedArguments),
    /// Create the file of a new skill
    New(new::NewSkillArguments),
    /// Check skills against the tools that they call
    Check(check::CheckSkillArguments),
    /// Run the tests of skills against recorded answers
    Test(check::CheckSkillArguments),
    /// Confirm that you have read a proposed skill and found it correct
    Review(standing::MoveArguments),
    /// Let agents run a reviewed or a deprecated skill
    Activate(standing::MoveArguments),
    /// Send a reviewed skill back to its author
    Rework(standing::MoveArguments),
    /// Let agents run an active skill with a warning
    Deprecate(standing::MoveArguments),
    /// End a skill for good
    Retire(standing::MoveArguments),
    /// Show the latest runs of skills and their success rates
    Stats(stats::StatsArguments),
    /// Find sequences of calls in the audit that could be skills
    Propose(propose::ProposeArguments),
    /// Print the JSON Schema of `skill.toml`
    Schema(SchemaArguments),
}

#[derive(Debug, Args)]
struct ListArguments {
    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

#[derive(Debug, Args)]
struct NamedArguments {
    /// The name of the skill
    #[arg(value_name = "NAME")]
    name: String,

    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

#[derive(Debug, Args)]
struct SchemaArguments {
    #[command(flatten)]
    format: FormatArguments,
}

impl SkillArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        use toolwright_model::Standing;
        match self.command {
            SkillCommand::List(arguments) => show::list(&arguments, context),
            SkillCommand::Show(arguments) => show::show(&arguments, context),
            SkillCommand::New(arguments) => arguments.run(context),
            SkillCommand::Check(arguments) => arguments.check(context),
            SkillCommand::Test(arguments) => arguments.test(context),
            SkillCommand::Review(arguments) => arguments.run(Standing::Reviewed, context),
            SkillCommand::Activate(arguments) => arguments.run(Standing::Active, context),
            SkillCommand::Rework(arguments) => arguments.run(Standing::Proposed, context),
            SkillCommand::Deprecate(arguments) => arguments.run(Standing::Deprecated, context),
            SkillCommand::Retire(arguments) => arguments.run(Standing::Retired, context),
            SkillCommand::Stats(arguments) => arguments.run(context),
            SkillCommand::Propose(arguments) => arguments.run(context),
            SkillCommand::Schema(arguments) => {
                let schema = toolwright_skills::json_schema();
                match arguments.format.is_json() {
                    true => context.output.json(&schema)?,
                    false => context.output.pretty_json(&schema)?,
                }
                Ok(Exit::Done)
            }
        }
    }
}

/// The skills of the project, and the tools that they can call.
struct Loaded {
    config: Config,
    specs: Vec<ToolSpec>,
    found: Vec<Found>,
}

impl Loaded {
    /// Loads them for a command that only looks.
    fn for_looking(tools: &ToolsArguments, context: &Context) -> Result<Self, Failure> {
        Self::new(context.config()?, tools, context)
    }

    /// Loads them for a command that decides.
    fn for_deciding(tools: &ToolsArguments, context: &Context) -> Result<Self, Failure> {
        Self::new(context.trusted_config()?, tools, context)
    }

    fn new(config: Config, tools: &ToolsArguments, context: &Context) -> Result<Self, Failure> {
        Ok(Self {
            specs: tools.load(context)?,
            found: skills::read(&config)?,
            config,
        })
    }

    /// Returns the skills without faults.
    fn skills(&self) -> impl Iterator<Item = &Skill> {
        self.found
            .iter()
            .filter_map(|found| found.skill.as_ref().ok())
    }

    /// Returns the skill of a name; its faults if it has some.
    fn skill(&self, name: &str) -> Result<&Skill, Failure> {
        let found = self.found.iter().find(|found| name_of(found) == name);
        let Some(found) = found else {
            let failure = Failure::new(format!("there is no skill `{name}`"));
            let failure = failure.code(Code::UnknownSkill);
            return Err(match most_similar(name, self.found.iter().map(name_of)) {
                Some(similar) => failure.help(format!("a similar name is `{similar}`")),
                None => failure.help(format!(
                    "skills are folders below `{}`; `toolwright skill new NAME` creates one",
                    self.config.skills.folder.display()
                )),
            });
        };
        found.skill.as_ref().map_err(|error| {
            let problems = error.problems.iter().map(ToString::to_string);
            Failure::all(problems).code(Code::InvalidSkill)
        })
    }
}

/// Returns the name of a skill: that of its folder.
fn name_of(found: &Found) -> &str {
    let folder = found.path.parent().and_then(|folder| folder.file_name());
    folder
        .and_then(|folder| folder.to_str())
        .unwrap_or_default()
}
