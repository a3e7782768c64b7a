//! The skills of the project.

use jiff::Timestamp;
use toolwright::{
    ToolName, ToolSpec,
    audit::{AuditError, AuditEvent, AuditSink as _},
    config::Config,
};
use toolwright_skills::{
    Found, KnownTools, Skill, SkillSet, find,
    standing::{MoveError, notice_changes},
};
use toolwright_state::{Health, State};

use crate::{Failure, failure::Code, output::error_line};

/// Reads the skills of the project, those with faults too.
pub(crate) fn read(config: &Config) -> Result<Vec<Found>, Failure> {
    let folder = &config.skills.folder;
    find(folder).map_err(|error| Failure::file("read", folder, &error))
}

/// Returns the names of the project's skills without faults.
pub(crate) fn names(config: &Config) -> Result<Vec<ToolName>, Failure> {
    let found = read(config)?.into_iter();
    let skills = found.filter_map(|found| found.skill.ok());
    Ok(skills.map(|skill| skill.name.value).collect())
}

/// Returns the name as that of a skill of the project, if it is one.
pub(crate) fn named(config: &Config, name: &str) -> Result<Option<ToolName>, Failure> {
    let mut names = names(config)?.into_iter();
    Ok(names.find(|skill| skill.as_str() == name))
}

/// Returns the skills of the project for a registry with these tools. What is wrong with one is told, and
/// the skill left out. A file that is not the reviewed one any more is recorded.
pub(crate) async fn load(
    config: &Config,
    specs: &[ToolSpec],
    state: &State,
) -> Result<SkillSet, Failure> {
    let mut skills = Vec::new();
    let mut problems = Vec::new();
    for found in read(config)? {
        match found.skill {
            Ok(skill) => skills.push(skill),
            Err(error) => problems.extend(error.problems),
        }
    }
    if !skills.is_empty() {
        notice(config, &skills, state).await?;
    }
    let is_empty = skills.is_empty();
    let (set, faults) = SkillSet::new(skills, &known(specs, config), state.clone(), health(config));
    problems.extend(faults);
    for problem in problems {
        error_line(format_args!("warning: a skill is left out: {problem}"));
    }
    if !is_empty {
        set.refresh().await?;
    }
    Ok(set)
}

/// Records the files that are not the ones that people have reviewed.
pub(crate) async fn notice(
    config: &Config,
    skills: &[Skill],
    state: &State,
) -> Result<(), Failure> {
    let noticed = notice_changes(state, recorder(config), skills, Timestamp::now()).await?;
    for moved in noticed {
        error_line(format_args!(
            "warning: the file of `{}` has changed, so the skill is proposed again",
            moved.skill
        ));
    }
    Ok(())
}

/// Returns a function that records events in the audit of the configuration.
pub(crate) fn recorder(config: &Config) -> impl Fn(&AuditEvent) -> Result<(), AuditError> {
    let audit = config.audit.open();
    move |event| audit.record(event)
}

/// Returns the tools that skills can call. Arguments that some profile pins need not be set.
pub(crate) fn known<'a>(specs: &'a [ToolSpec], config: &Config) -> KnownTools<'a> {
    let profiles = config
        .policy
        .profiles
        .values()
        .flat_map(|profile| &profile.scopes);
    let rules = profiles.chain(config.policy.nodes.values().flatten());
    let pinned = rules.flat_map(|rule| rule.scope.pinned.keys().cloned());
    KnownTools::new(specs).pinning(pinned)
}

/// Returns when a skill is deprecated by itself.
pub(crate) const fn health(config: &Config) -> Health {
    Health {
        runs: config.skills.health_runs,
        percent: config.skills.health_percent,
    }
}

impl From<MoveError> for Failure {
    fn from(error: MoveError) -> Self {
        match error {
            MoveError::State(error) => error.into(),
            MoveError::Faults(faults) => {
                let failure = Self::all(faults.iter().map(ToString::to_string));
                failure.code(Code::InvalidSkill)
            }
            MoveError::NotAllowed { .. } | MoveError::Changed => {
                Self::new(error.to_string()).code(Code::NotDecided)
            }
            MoveError::Statement => Self::usage(error.to_string()),
            other => Self::new(other.to_string()),
        }
    }
}
