//! The standing of skills, and the ends of their runs.

use jiff::Timestamp;
use serde::Serialize;
use toolwright::ToolName;
use toolwright_model::Standing;

use crate::{
    State, StateError,
    database::{Row, Transaction},
};

/// The number of runs of a skill that are kept.
const KEPT_RUNS: i64 = 1_000;

/// The reason of a deprecation that happens by itself.
const BELOW_THRESHOLD: &str = "success_rate_below_threshold";

/// Serialises the changes of skills.
const LOCK: i64 = 0x746f_6f6c_736b;

/// The standing of a skill as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StoredSkill {
    /// The name.
    pub name: ToolName,
    /// The SHA-256 of the file that has the standing. Other files of this name are proposed.
    pub digest: String,
    /// The standing.
    pub standing: Standing,
    /// The person who decided it; none if it happened by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// The reason.
    pub reason: String,
    /// The time of the change.
    pub changed_at: Timestamp,
    /// The time of the last activation; the time of the first record if there was none.
    pub activated_at: Timestamp,
}

/// A change of the standing of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillMove<'a> {
    /// The skill.
    pub name: &'a ToolName,
    /// The SHA-256 of the file that gets the standing.
    pub digest: &'a str,
    /// The record before the change, as the caller knows it: the digest and the standing.
    pub before: Option<(&'a str, Standing)>,
    /// The new standing.
    pub to: Standing,
    /// The person who decided it.
    pub person: Option<&'a str>,
    /// The reason.
    pub reason: &'a str,
    /// The time.
    pub at: Timestamp,
}

/// A run of a skill that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FinishedRun {
    /// The id of the call in the audit.
    pub id: String,
    /// The SHA-256 of the skill's file.
    pub digest: String,
    /// The time of the end.
    pub ended_at: Timestamp,
    /// The number of calls.
    pub calls: u64,
    /// True if it was a failure of the skill.
    pub failed: bool,
    /// The step that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The code of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// When a skill is deprecated by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Health {
    /// The number of runs that count.
    pub runs: u64,
    /// The success rate below which it is, in percent.
    pub percent: u64,
}

/// The runs that the health of a skill is computed from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Recent {
    /// The number of runs.
    pub runs: u64,
    /// The number of failures among them.
    pub failures: u64,
}

impl FinishedRun {
    /// Creates the record of a run.
    #[must_use]
    pub fn new(id: String, digest: String, ended_at: Timestamp, calls: u64) -> Self {
        Self {
            id,
            digest,
            ended_at,
            calls,
            failed: false,
            step: None,
            error: None,
        }
    }
}

impl Health {
    /// Returns whether a skill with these runs is below the threshold. Runs that were not made yet count
    /// as successes, so the first failure of a new skill does not deprecate it.
    #[must_use]
    pub const fn is_violated(self, recent: Recent) -> bool {
        recent.failures * 100 > self.runs * (100 - self.percent)
    }
}

impl State {
    /// Returns the standings of all skills, by name.
    ///
    /// # Errors
    /// [`StateError`] if they cannot be read.
    pub async fn skills(&self) -> Result<Vec<StoredSkill>, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT name, digest, standing, person, reason, changed_at, activated_at
            FROM skill ORDER BY name";
        let rows = transaction.rows(sql, vec![]).await?;
        transaction.commit().await?;
        rows.iter().map(stored).collect()
    }

    /// Changes the standing of a skill if its record is still the one that the caller knows. Returns
    /// whether it was.
    ///
    /// # Errors
    /// [`StateError`] if the change cannot be stored.
    pub async fn move_skill(&self, change: &SkillMove<'_>) -> Result<bool, StateError> {
        let mut transaction = self.database.begin().await?;
        transaction.lock(LOCK).await?;
        let now = find(&mut transaction, change.name).await?;
        let known = now.as_ref().map(|now| (now.digest.as_str(), now.standing));
        if known != change.before {
            transaction.commit().await?;
            return Ok(false);
        }
        let activated = match (&now, change.to) {
            (Some(now), to) if to != Standing::Active => now.activated_at,
            _ => change.at,
        };
        put(&mut transaction, change, activated).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Keeps the end of a run of a skill. If the skill is active and its success rate falls below the
    /// threshold, it is deprecated, and its record is returned.
    ///
    /// # Errors
    /// [`StateError`] if it cannot be stored.
    pub async fn finish_skill_run(
        &self,
        skill: &ToolName,
        run: &FinishedRun,
        health: Health,
    ) -> Result<Option<StoredSkill>, StateError> {
        let mut transaction = self.database.begin().await?;
        transaction.lock(LOCK).await?;
        insert(&mut transaction, skill, run).await?;
        let now = find(&mut transaction, skill).await?;
        let active = now.filter(|now| now.standing == Standing::Active && now.digest == run.digest);
        let Some(active) = active else {
            transaction.commit().await?;
            return Ok(None);
        };
        let recent = recent(&mut transaction, &active, health.runs).await?;
        if !health.is_violated(recent) {
            transaction.commit().await?;
            return Ok(None);
        }
        let change = SkillMove {
            name: skill,
            digest: &active.digest,
            before: None,
            to: Standing::Deprecated,
            person: None,
            reason: BELOW_THRESHOLD,
            at: run.ended_at,
        };
        put(&mut transaction, &change, active.activated_at).await?;
        transaction.commit().await?;
        Ok(Some(StoredSkill {
            standing: Standing::Deprecated,
            person: None,
            reason: BELOW_THRESHOLD.to_owned(),
            changed_at: run.ended_at,
            ..active
        }))
    }

    /// Returns the latest runs of a skill, the latest first.
    ///
    /// # Errors
    /// [`StateError`] if they cannot be read.
    pub async fn skill_runs(
        &self,
        skill: &ToolName,
        most: u64,
    ) -> Result<Vec<FinishedRun>, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT id, digest, ended_at, calls, failed, step, error FROM skill_run
            WHERE skill = $1 ORDER BY ended_at DESC, id LIMIT $2";
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let values = vec![skill.as_str().into(), most.into()];
        let rows = transaction.rows(sql, values).await?;
        transaction.commit().await?;
        rows.iter().map(finished).collect()
    }

    /// Returns the runs that the health of a skill is computed from: the latest of its file since it was
    /// activated.
    ///
    /// # Errors
    /// [`StateError`] if they cannot be read.
    pub async fn skill_health(&self, skill: &StoredSkill, runs: u64) -> Result<Recent, StateError> {
        let mut transaction = self.database.read().await?;
        let recent = recent(&mut transaction, skill, runs).await?;
        transaction.commit().await?;
        Ok(recent)
    }
}

async fn find(
    transaction: &mut Transaction<'_>,
    name: &ToolName,
) -> Result<Option<StoredSkill>, StateError> {
    let sql = "SELECT name, digest, standing, person, reason, changed_at, activated_at
        FROM skill WHERE name = $1";
    let rows = transaction.rows(sql, vec![name.as_str().into()]).await?;
    rows.first().map(stored).transpose()
}

async fn put(
    transaction: &mut Transaction<'_>,
    change: &SkillMove<'_>,
    activated: Timestamp,
) -> Result<(), StateError> {
    let sql = "INSERT INTO skill
        (name, digest, standing, person, reason, changed_at, activated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, standing = excluded.standing,
            person = excluded.person, reason = excluded.reason,
            changed_at = excluded.changed_at, activated_at = excluded.activated_at";
    let values = vec![
        change.name.as_str().into(),
        change.digest.into(),
        change.to.word().into(),
        change.person.map(str::to_owned).into(),
        change.reason.into(),
        change.at.into(),
        activated.into(),
    ];
    transaction.change(sql, values).await.map(drop)
}

/// Adds a run, and removes those of long ago.
async fn insert(
    transaction: &mut Transaction<'_>,
    skill: &ToolName,
    run: &FinishedRun,
) -> Result<(), StateError> {
    let sql = "INSERT INTO skill_run (id, skill, digest, ended_at, calls, failed, step, error)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let values = vec![
        run.id.as_str().into(),
        skill.as_str().into(),
        run.digest.as_str().into(),
        run.ended_at.into(),
        i64::try_from(run.calls).unwrap_or(i64::MAX).into(),
        run.failed.into(),
        run.step.clone().into(),
        run.error.clone().into(),
    ];
    transaction.change(sql, values).await?;
    let sql = "DELETE FROM skill_run WHERE skill = $1 AND id NOT IN
        (SELECT id FROM skill_run WHERE skill = $1 ORDER BY ended_at DESC, id LIMIT $2)";
    let values = vec![skill.as_str().into(), KEPT_RUNS.into()];
    transaction.change(sql, values).await.map(drop)
}

async fn recent(
    transaction: &mut Transaction<'_>,
    skill: &StoredSkill,
    runs: u64,
) -> Result<Recent, StateError> {
    let sql = "SELECT failed FROM skill_run
        WHERE skill = $1 AND digest = $2 AND ended_at >= $3
        ORDER BY ended_at DESC, id LIMIT $4";
    let values = vec![
        skill.name.as_str().into(),
        skill.digest.as_str().into(),
        skill.activated_at.into(),
        i64::try_from(runs).unwrap_or(i64::MAX).into(),
    ];
    let mut recent = Recent::default();
    for row in transaction.rows(sql, values).await? {
        recent.runs += 1;
        recent.failures += u64::from(row.number(0)? != 0);
    }
    Ok(recent)
}

/// Reads a row. A row that cannot be read makes all standings unreadable, so no skill is offered.
fn stored(row: &Row) -> Result<StoredSkill, StateError> {
    let foreign = |error: &dyn std::fmt::Display| {
        StateError::Foreign(format!("a skill cannot be read: {error}"))
    };
    let standing = row.text(2)?;
    Ok(StoredSkill {
        name: row.text(0)?.parse().map_err(|error| foreign(&error))?,
        digest: row.text(1)?.to_owned(),
        standing: Standing::from_word(standing).ok_or_else(|| foreign(&standing))?,
        person: row.optional_text(3)?.map(str::to_owned),
        reason: row.text(4)?.to_owned(),
        changed_at: row.time(5)?,
        activated_at: row.time(6)?,
    })
}

fn finished(row: &Row) -> Result<FinishedRun, StateError> {
    Ok(FinishedRun {
        id: row.text(0)?.to_owned(),
        digest: row.text(1)?.to_owned(),
        ended_at: row.time(2)?,
        calls: row.number(3)?.try_into().unwrap_or_default(),
        failed: row.number(4)? != 0,
        step: row.optional_text(5)?.map(str::to_owned),
        error: row.optional_text(6)?.map(str::to_owned),
    })
}
