//! The content of a state as records, one by one.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{State, StateError, database::Row};

/// A request as it was stored, with its standing.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExportedApproval {
    /// `waiting`, `approved`, `rejected`, `used` or `discarded`.
    pub standing: String,
    /// The request.
    pub request: Value,
    /// The signed decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Value>,
    /// The time of use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_at: Option<Timestamp>,
}

impl State {
    /// Returns all requests, the oldest first: also those that were decided or have expired, for 30
    /// days.
    ///
    /// # Errors
    /// [`StateError`] if they cannot be read.
    pub async fn approvals(&self) -> Result<Vec<ExportedApproval>, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT standing, request, decision, COALESCE(used_at, 0) FROM approval
            ORDER BY requested_at, id";
        let rows = transaction.rows(sql, vec![]).await?;
        transaction.commit().await?;
        rows.iter().map(exported).collect()
    }

    /// Returns the content of the state: one record for each switch, each token, each skill and each
    /// request.
    ///
    /// # Errors
    /// [`StateError`] if it cannot be read.
    pub async fn export(&self) -> Result<Vec<Value>, StateError> {
        let mut records = vec![json!({"state": self.status().await?})];
        for (tool, entry) in self.overrides().await? {
            records.push(json!({"switch": {"tool": tool, "override": entry}}));
        }
        for token in self.tokens().await? {
            records.push(json!({"token": token}));
        }
        for session in self.console_sessions(usize::MAX).await? {
            records.push(json!({"console_session": session}));
        }
        for skill in self.skills().await? {
            records.push(json!({"skill": skill}));
        }
        for approval in self.approvals().await? {
            records.push(json!({"approval": approval}));
        }
        Ok(records)
    }
}

pub(crate) fn exported(row: &Row) -> Result<ExportedApproval, StateError> {
    let used = row.number(3)?;
    Ok(ExportedApproval {
        standing: row.text(0)?.to_owned(),
        request: json_of(row.text(1)?),
        decision: row.optional_text(2)?.map(json_of),
        used_at: (used != 0).then(|| row.time(3)).transpose()?,
    })
}

/// Parses a stored record; one that was changed by hand is exported as a string.
fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}
