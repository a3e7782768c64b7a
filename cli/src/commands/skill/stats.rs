//! `toolwright skill stats`.

use clap::Args;
use serde_json::json;
use toolwright_skills::Skill;
use toolwright_state::FinishedRun;

use super::Loaded;
use crate::{
    Exit, Failure,
    context::Context,
    operator::runtime,
    output::{FormatArguments, Table},
    state,
    tools::ToolsArguments,
};

#[derive(Debug, Args)]
pub(super) struct StatsArguments {
    /// The name of the skill; all skills of the project if none is given
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// The number of runs of each skill
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 20)]
    runs: u64,

    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl StatsArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let loaded = Loaded::for_deciding(&self.tools, context)?;
        let skills: Vec<&Skill> = match &self.name {
            Some(name) => vec![loaded.skill(name)?],
            None => loaded.skills().collect(),
        };
        let mut table = Table::new(["SKILL", "RUNS", "FAILED", "OK", "LAST", "LAST FAILURE"]);
        let read = runtime()?.block_on(async {
            let state = state::open(&loaded.config).await?;
            let mut read = Vec::new();
            for skill in skills {
                let runs = state.skill_runs(&skill.name.value, self.runs).await?;
                read.push((skill, runs));
            }
            Ok::<_, Failure>(read)
        })?;
        for (skill, runs) in read {
            let name = &skill.name.value;
            let failed = runs.iter().filter(|run| run.failed).count();
            if self.format.is_json() {
                let line = json!({"skill": name, "failed": failed, "runs": runs});
                context.output.json(&line)?;
                continue;
            }
            let rate = match runs.len() {
                0 => "–".to_owned(),
                all => format!("{} %", (all - failed) * 100 / all),
            };
            let last = runs.first().map(|run| format!("{:.0}", run.ended_at));
            table.row([
                name.as_str().into(),
                runs.len().to_string().into(),
                failed.to_string().into(),
                rate.into(),
                last.unwrap_or_default().into(),
                last_failure(&runs).into(),
            ]);
        }
        if !self.format.is_json() {
            context.output.table(&table)?;
        }
        Ok(Exit::Done)
    }
}

/// Describes the latest failure: the step and the code of the error.
fn last_failure(runs: &[FinishedRun]) -> String {
    let failed = runs.iter().find(|run| run.failed);
    let words = failed.map(|run| [run.step.as_deref(), run.error.as_deref()]);
    let words: Vec<&str> = words.into_iter().flatten().flatten().collect();
    words.join(": ")
}
