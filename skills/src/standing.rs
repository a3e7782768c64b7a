//! The moves of a skill from proposed to retired, each by a named person with a reason.
//!
//! A standing belongs to the bytes of a file. A file with other bytes is proposed, whatever the record
//! says; [`notice_changes`] records that.

use std::fmt;

use jiff::Timestamp;
use toolwright::{
    ToolName,
    audit::{AuditError, AuditEvent, SkillMoved},
    config::ConfigProblem,
    system,
};
pub use toolwright_model::Standing;
use toolwright_model::text::has_invisible;
use toolwright_state::{SkillMove, State, StateError, StoredSkill};

use crate::{
    check::{KnownTools, check},
    format::Skill,
};

/// The reason of a move that a changed file causes.
pub const FILE_CHANGED: &str = "file_changed";

/// The greatest length of a person's name, in characters.
const NAME_LIMIT: usize = 128;

/// The greatest length of a reason, in characters.
const REASON_LIMIT: usize = 512;

/// A move that a person decides.
#[derive(Clone, Copy, Debug)]
pub struct Decided<'a> {
    /// The new standing.
    pub to: Standing,
    /// The name of the person.
    pub person: &'a str,
    /// The reason.
    pub why: &'a str,
    /// The time.
    pub at: Timestamp,
}

/// The reason why a skill is not moved.
#[derive(Debug)]
#[non_exhaustive]
pub enum MoveError {
    /// The table of moves does not have this one.
    NotAllowed {
        /// The standing of the file.
        from: Standing,
        /// The standing that was asked for.
        to: Standing,
    },
    /// The name of the person or the reason is empty, too long, or has an invisible character.
    Statement,
    /// The skill has faults, so it can be neither reviewed nor activated.
    Faults(Vec<ConfigProblem>),
    /// Another process moved the skill at the same time.
    Changed,
    /// The move could not be recorded, so it did not happen.
    Audit(AuditError),
    /// The state failed.
    State(StateError),
}

/// Returns the standing of a skill's file, given the records of the state.
#[must_use]
pub fn of_file(name: &ToolName, digest: &str, records: &[StoredSkill]) -> Standing {
    let record = records.iter().find(|record| record.name == *name);
    match record {
        Some(record) if record.digest == digest => record.standing,
        _ => Standing::Proposed,
    }
}

/// Moves a skill. The audit records the move before it takes effect.
///
/// # Errors
/// [`MoveError`] if the move is not one of the table, and if it cannot be recorded.
pub async fn move_skill(
    state: &State,
    record: impl Fn(&AuditEvent) -> Result<(), AuditError>,
    skill: &Skill,
    tools: &KnownTools<'_>,
    decided: Decided<'_>,
) -> Result<SkillMoved, MoveError> {
    let Decided {
        to,
        person,
        why,
        at,
    } = decided;
    if !is_line(person, NAME_LIMIT) || !is_line(why, REASON_LIMIT) {
        return Err(MoveError::Statement);
    }
    let name = &skill.name.value;
    let records = state.skills().await.map_err(MoveError::State)?;
    let from = of_file(name, &skill.digest, &records);
    if !from.can_become(to) {
        return Err(MoveError::NotAllowed { from, to });
    }
    if matches!(to, Standing::Reviewed | Standing::Active) {
        let faults = check(skill, tools);
        if !faults.is_empty() {
            return Err(MoveError::Faults(faults));
        }
    }
    let moved = SkillMoved {
        skill: name.clone(),
        skill_digest: skill.digest.clone(),
        from: Some(from),
        to,
        person: Some(person.to_owned()),
        os_user: system::user(),
        why: why.to_owned(),
    };
    record(&AuditEvent::skill_moved(at, moved.clone())).map_err(MoveError::Audit)?;
    let before = records.iter().find(|record| record.name == *name);
    let change = SkillMove {
        name,
        digest: &skill.digest,
        before: before.map(|before| (before.digest.as_str(), before.standing)),
        to,
        person: Some(person),
        reason: why,
        at,
    };
    match state.move_skill(&change).await.map_err(MoveError::State)? {
        true => Ok(moved),
        false => Err(MoveError::Changed),
    }
}

/// Records that the files of skills are not the ones that people have reviewed: these are proposed
/// again.
///
/// # Errors
/// [`MoveError`] if the state or the audit fails.
pub async fn notice_changes<'s>(
    state: &State,
    record: impl Fn(&AuditEvent) -> Result<(), AuditError>,
    skills: impl IntoIterator<Item = &'s Skill>,
    at: Timestamp,
) -> Result<Vec<SkillMoved>, MoveError> {
    let records = state.skills().await.map_err(MoveError::State)?;
    let mut noticed = Vec::new();
    for skill in skills {
        let name = &skill.name.value;
        let stored = records.iter().find(|record| record.name == *name);
        let Some(stored) = stored.filter(|stored| is_outdated(stored, skill)) else {
            continue;
        };
        let moved = SkillMoved {
            skill: name.clone(),
            skill_digest: skill.digest.clone(),
            from: Some(stored.standing),
            to: Standing::Proposed,
            person: None,
            os_user: system::user(),
            why: FILE_CHANGED.to_owned(),
        };
        record(&AuditEvent::skill_moved(at, moved.clone())).map_err(MoveError::Audit)?;
        let change = SkillMove {
            name,
            digest: &skill.digest,
            before: Some((&stored.digest, stored.standing)),
            to: Standing::Proposed,
            person: None,
            reason: FILE_CHANGED,
            at,
        };
        if state.move_skill(&change).await.map_err(MoveError::State)? {
            noticed.push(moved);
        }
    }
    Ok(noticed)
}

/// Checks whether a record is about other bytes than those of the file.
fn is_outdated(stored: &StoredSkill, skill: &Skill) -> bool {
    stored.digest != skill.digest
        && !matches!(stored.standing, Standing::Proposed | Standing::Retired)
}

fn is_line(text: &str, limit: usize) -> bool {
    let is_short = text.chars().nth(limit).is_none();
    !text.trim().is_empty() && is_short && !text.contains('\n') && !has_invisible(text)
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAllowed { from, to } => {
                write!(f, "a skill that is {from} cannot become {to}")?;
                let allowed = Standing::ALL.iter().filter(|to| from.can_become(**to));
                let allowed: Vec<_> = allowed.map(|to| to.word()).collect();
                match allowed.as_slice() {
                    [] => f.write_str("; it has no further moves"),
                    allowed => write!(f, "; it can become {}", allowed.join(" or ")),
                }
            }
            Self::Statement => f.write_str(
                "the name and the reason are each one line of visible characters, of at most 128 and 512",
            ),
            Self::Faults(faults) => toolwright_model::write_joined(f, faults, "\n"),
            Self::Changed => f.write_str("another process moved the skill at the same time"),
            Self::Audit(error) => write!(f, "{error}; nothing was moved"),
            Self::State(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MoveError {}
