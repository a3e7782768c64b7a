//! The skills of a program, as tools for a registry.

mod discovery;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::sleep;
use toolwright::{
    Composition, Tool, ToolContext, ToolError, ToolName, ToolSpec,
    audit::{SkillMoved, SkillRun},
    config::ConfigProblem,
    system,
};
use toolwright_model::Standing;
use toolwright_state::{FinishedRun, Health, State, StateError, StoredSkill};

use crate::{
    caller::{ViewCaller, parameters},
    check::{KnownTools, check},
    format::Skill,
    governance::governance,
    run::{Run, run},
};

/// The time between two attempts to reach a state that could not be reached.
const RETRY: Duration = Duration::from_millis(500);

/// A skill whose tools exist, with the record of the tool that it is.
#[derive(Clone, Debug)]
pub struct LoadedSkill {
    /// The skill.
    pub skill: Skill,
    /// The record.
    pub spec: Arc<ToolSpec>,
}

/// The skills of a program. Cloning it is cheap.
///
/// Agents are offered a skill while a person has activated exactly its bytes, and if
/// their role is offered every tool that it calls.
#[derive(Clone)]
pub struct SkillSet {
    shared: Arc<Shared>,
}

struct Shared {
    skills: BTreeMap<ToolName, LoadedSkill>,
    state: State,
    health: Health,
    known: RwLock<Known>,
}

/// The part of the state that decides which skills are offered.
#[derive(Clone, Debug, Default, PartialEq)]
struct Known {
    standings: BTreeMap<ToolName, StoredSkill>,
    /// The skills that the operator has switched off, like any tool.
    switched_off: BTreeSet<ToolName>,
}

impl SkillSet {
    /// Creates the set, and returns what is wrong with skills. A skill with a fault is left out.
    #[must_use]
    pub fn new(
        skills: impl IntoIterator<Item = Skill>,
        tools: &KnownTools<'_>,
        state: State,
        health: Health,
    ) -> (Self, Vec<ConfigProblem>) {
        let mut loaded = BTreeMap::new();
        let mut problems = Vec::new();
        for skill in skills {
            let found = check(&skill, tools);
            let name = skill.name.value.clone();
            match governance(&skill, tools) {
                Ok(spec) if found.is_empty() => {
                    let spec = Arc::new(spec);
                    loaded.insert(name, LoadedSkill { skill, spec });
                }
                _ => problems.extend(found),
            }
        }
        let shared = Shared {
            skills: loaded,
            state,
            health,
            known: RwLock::default(),
        };
        let shared = Arc::new(shared);
        (Self { shared }, problems)
    }

    /// Returns the skills, sorted by name.
    pub fn skills(&self) -> impl Iterator<Item = &LoadedSkill> {
        self.shared.skills.values()
    }

    /// Reads the standings and the switches from the state. Until then no skill is offered.
    ///
    /// # Errors
    /// [`StateError`] if they cannot be read.
    pub async fn refresh(&self) -> Result<(), StateError> {
        let records = self.shared.state.skills().await?.into_iter();
        let standings = records.map(|record| (record.name.clone(), record));
        let switches = self.shared.state.overrides().await?.into_iter();
        let switched_off = switches
            .filter(|(name, switch)| !switch.enabled && self.shared.skills.contains_key(name));
        let read = Known {
            standings: standings.collect(),
            switched_off: switched_off.map(|(name, _)| name).collect(),
        };
        let known = self.shared.known.write();
        *known.unwrap_or_else(PoisonError::into_inner) = read;
        Ok(())
    }

    /// Follows the changes of the state until it is dropped, and calls `changed` if a standing or a switch
    /// has changed.
    /// While the state cannot be reached, the last known ones apply; each call of a skill passes the
    /// gates for itself. Without skills it ends at once.
    pub async fn follow(self, changed: impl Fn() + Send) {
        if self.shared.skills.is_empty() {
            return;
        }
        loop {
            if let Ok(mut changes) = self.shared.state.changes().await {
                while self.update(&changed).await.is_ok() && changes.next().await.is_ok() {}
            }
            sleep(RETRY).await;
        }
    }

    async fn update(&self, changed: &(impl Fn() + Send)) -> Result<(), StateError> {
        let before = self.shared.known();
        self.refresh().await?;
        if self.shared.known() != before {
            changed();
        }
        Ok(())
    }

    /// Returns the tools for a registry: one for each skill, and those that list, describe and run
    /// skills. Without skills there are none.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        if self.shared.skills.is_empty() {
            return Vec::new();
        }
        let skills = self.shared.skills.values();
        let skills = skills.map(|loaded| Shared::tool(&self.shared, loaded));
        skills.chain(discovery::tools(&self.shared)).collect()
    }
}

impl Shared {
    fn known(&self) -> Known {
        let known = self.known.read();
        known.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns whether agents may be offered a skill.
    fn is_offered(&self, skill: &Skill) -> bool {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let is_on = !known.switched_off.contains(&skill.name.value);
        drop(known);
        is_on && self.standing(skill).0.is_runnable()
    }

    /// Returns the standing and its reason, given the bytes of a skill.
    fn standing(&self, skill: &Skill) -> (Standing, Option<String>) {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        match known.standings.get(&skill.name.value) {
            Some(record) if record.digest == skill.digest => {
                (record.standing, Some(record.reason.clone()))
            }
            _ => (Standing::Proposed, None),
        }
    }

    /// Returns the warning for callers of a deprecated skill.
    fn warning(&self, skill: &Skill) -> Option<String> {
        let (Standing::Deprecated, reason) = self.standing(skill) else {
            return None;
        };
        let reason = reason.unwrap_or_default();
        let name = &skill.name.value;
        Some(match &skill.alternative {
            Some(other) => format!("`{name}` is deprecated ({reason}): use `{}`", other.value),
            None => format!("`{name}` is deprecated ({reason})"),
        })
    }

    /// Returns the tool that a skill is.
    fn tool(shared: &Arc<Self>, loaded: &LoadedSkill) -> Tool {
        let LoadedSkill { skill, spec } = loaded.clone();
        let parts = skill.tools().into_iter().cloned().collect::<Vec<_>>();
        let skill = Arc::new(skill);
        let (of_offer, offered) = (Arc::clone(shared), Arc::clone(&skill));
        let composition =
            Composition::of_all(parts).while_offered(move || of_offer.is_offered(&offered));
        let shared = Arc::clone(shared);
        Tool::composed(spec, composition, move |context, arguments| {
            let (shared, skill) = (Arc::clone(&shared), Arc::clone(&skill));
            async move { shared.run(&skill, context, arguments).await }
        })
    }

    /// Runs a skill for a caller, and records how it ended.
    async fn run(
        &self,
        skill: &Skill,
        context: ToolContext,
        arguments: Value,
    ) -> Result<Value, ToolError> {
        let warning = self.warning(skill);
        let caller = ViewCaller::new(&context, &arguments);
        let caller = match &skill.script {
            Some(script) => caller.for_script(script),
            None => caller,
        };
        let run = run(skill, parameters(&arguments), caller).await;
        self.record(skill, &context, &run, warning.clone()).await;
        let calls = run.calls;
        let mut output = json!({"result": run.result?, "calls": calls});
        if let (Some(output), Some(warning)) = (output.as_object_mut(), warning) {
            output.insert("warning".to_owned(), warning.into());
        }
        Ok(output)
    }

    /// Records the end of a run in the audit and in the state. The calls of the run have their own
    /// events, so a run that cannot be recorded does not become an error.
    async fn record(
        &self,
        skill: &Skill,
        context: &ToolContext,
        run: &Run,
        warning: Option<String>,
    ) {
        let error = run.result.as_ref().err();
        let event = SkillRun {
            skill_digest: skill.digest.clone(),
            standing: self.standing(skill).0,
            calls: run.calls,
            failed: error.is_some_and(|error| error.is_failure()),
            step: error.map(|error| error.step.clone()),
            error: error.map(|error| error.code().to_owned()),
            warning,
        };
        let id = context.correlation_id.to_string();
        let ended = jiff::Timestamp::now();
        let mut finished = FinishedRun::new(id, skill.digest.clone(), ended, run.calls);
        finished.failed = event.failed;
        finished.step.clone_from(&event.step);
        finished.error.clone_from(&event.error);
        let _ = context.record_skill_run(event);
        // A run that waits for a person, or that its caller may not make, does not count.
        if error.is_some_and(|error| !error.is_failure()) {
            return;
        }
        let name = &skill.name.value;
        let kept = self.state.finish_skill_run(name, &finished, self.health);
        if let Ok(Some(deprecated)) = kept.await {
            let moved = SkillMoved {
                skill: name.clone(),
                skill_digest: deprecated.digest.clone(),
                from: Some(Standing::Active),
                to: deprecated.standing,
                person: None,
                os_user: system::user(),
                why: deprecated.reason.clone(),
            };
            let _ = context.record_skill_move(moved);
            let known = self.known.write();
            let mut known = known.unwrap_or_else(PoisonError::into_inner);
            known.standings.insert(name.clone(), deprecated);
        }
    }
}
