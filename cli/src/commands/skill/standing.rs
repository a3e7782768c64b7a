//! `toolwright skill review`, `activate`, `rework`, `deprecate` and `retire`.

use clap::Args;
use jiff::Timestamp;
use toolwright_model::Standing;
use toolwright_skills::standing::{Decided, move_skill};

use super::Loaded;
use crate::{
    Exit, Failure,
    context::Context,
    operator::{PersonArguments, runtime},
    output::FormatArguments,
    skills, state,
    tools::ToolsArguments,
};

#[derive(Debug, Args)]
pub(super) struct MoveArguments {
    /// The name of the skill
    #[arg(value_name = "NAME")]
    name: String,

    #[command(flatten)]
    person: PersonArguments,
    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl MoveArguments {
    pub(super) fn run(self, to: Standing, context: &mut Context) -> Result<Exit, Failure> {
        let loaded = Loaded::for_deciding(&self.tools, context)?;
        let skill = loaded.skill(&self.name)?;
        let config = &loaded.config;
        let known = skills::known(&loaded.specs, config);
        let moved = runtime()?.block_on(async {
            let state = state::open(config).await?;
            skills::notice(config, std::slice::from_ref(skill), &state).await?;
            let decided = Decided {
                to,
                person: &self.person.by,
                why: &self.person.why,
                at: Timestamp::now(),
            };
            let record = skills::recorder(config);
            let moved = move_skill(&state, record, skill, &known, decided).await;
            moved.map_err(Failure::from)
        })?;
        if self.format.is_json() {
            context.output.json(&moved)?;
            return Ok(Exit::Done);
        }
        let name = &moved.skill;
        context.output.line(format_args!("`{name}` is {to} now"))?;
        Ok(Exit::Done)
    }
}
