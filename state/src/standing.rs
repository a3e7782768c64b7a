//! Standing grants, and the count of their uses.

use jiff::Timestamp;
use serde::Serialize;
use toolwright::approval::{ApprovalRequest, Approver, StandingGrant, StandingId};

use crate::{
    State, StateError,
    database::{Row, Transaction, encoded},
};

/// A standing grant as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoredGrant {
    /// The grant.
    #[serde(flatten)]
    pub grant: StandingGrant,
    /// The number of calls that still pass.
    pub uses_left: i64,
    /// The person who revoked it, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revocation: Option<String>,
}

impl State {
    /// Stores a standing grant.
    ///
    /// # Errors
    /// [`StateError`] if it cannot be stored.
    pub async fn grant(&self, grant: &StandingGrant) -> Result<(), StateError> {
        let mut transaction = self.database.begin().await?;
        let sql = "INSERT INTO standing_grant (id, role, tool, record, uses_left, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6)";
        let values = vec![
            grant.id.as_str().into(),
            grant.role.as_str().into(),
            grant.tool.as_str().into(),
            encoded(grant)?.into(),
            i64::from(grant.uses).into(),
            grant.until.into(),
        ];
        transaction.change(sql, values).await?;
        transaction.commit().await
    }

    /// Returns all standing grants, also those that have ended. Rows that cannot be read are left
    /// out: they let no call pass.
    ///
    /// # Errors
    /// [`StateError`] if they cannot be read.
    pub async fn standing_grants(&self) -> Result<Vec<StoredGrant>, StateError> {
        let mut transaction = self.database.read().await?;
        let sql =
            "SELECT record, uses_left, revocation FROM standing_grant ORDER BY expires_at, id";
        let rows = transaction.rows(sql, vec![]).await?;
        transaction.commit().await?;
        let mut grants = Vec::new();
        for row in &rows {
            grants.extend(stored(row)?);
        }
        Ok(grants)
    }

    /// Ends a standing grant. Returns whether it was in force.
    ///
    /// # Errors
    /// [`StateError`] if that cannot be stored.
    pub async fn revoke(
        &self,
        id: &StandingId,
        reason: &str,
        now: Timestamp,
    ) -> Result<bool, StateError> {
        let mut transaction = self.database.begin().await?;
        let sql = "UPDATE standing_grant SET revoked_at = $1, revocation = $2
            WHERE id = $3 AND revoked_at IS NULL";
        let values = vec![now.into(), reason.into(), id.as_str().into()];
        let revoked = transaction.change(sql, values).await?;
        transaction.commit().await?;
        Ok(revoked > 0)
    }
}

fn stored(row: &Row) -> Result<Option<StoredGrant>, StateError> {
    let Ok(grant) = serde_json::from_str(row.text(0)?) else {
        return Ok(None);
    };
    Ok(Some(StoredGrant {
        grant,
        uses_left: row.number(1)?,
        revocation: row.optional_text(2)?.map(str::to_owned),
    }))
}

/// Puts back the use that a call counted. No grant gets more uses than were signed.
pub(crate) async fn put_back(
    transaction: &mut Transaction<'_>,
    grant: &StandingGrant,
) -> Result<(), StateError> {
    let sql = "UPDATE standing_grant SET uses_left = uses_left + 1
        WHERE id = $1 AND uses_left < $2";
    let values = vec![grant.id.as_str().into(), i64::from(grant.uses).into()];
    transaction.change(sql, values).await.map(drop)
}

/// Returns the rows of the standing grants for calls of a role and a tool, the first to end first.
async fn rows_for(
    transaction: &mut Transaction<'_>,
    call: &ApprovalRequest,
) -> Result<Vec<Row>, StateError> {
    let sql = "SELECT record, uses_left, revocation FROM standing_grant
        WHERE role = $1 AND tool = $2 AND revoked_at IS NULL AND uses_left > 0
        ORDER BY expires_at, id";
    let values = vec![call.role.as_str().into(), call.tool.as_str().into()];
    transaction.rows(sql, values).await
}

/// Checks whether a standing grant covers a call, without counting it.
pub(crate) async fn covers(
    transaction: &mut Transaction<'_>,
    call: &ApprovalRequest,
) -> Result<bool, StateError> {
    for row in &rows_for(transaction, call).await? {
        if stored(row)?.is_some_and(|stored| stored.grant.covers(call)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Counts a call on the first standing grant that covers it.
pub(crate) async fn count(
    transaction: &mut Transaction<'_>,
    call: &ApprovalRequest,
    approvers: &[Approver],
) -> Result<Option<StandingGrant>, StateError> {
    for row in &rows_for(transaction, call).await? {
        let counts = |stored: &StoredGrant| {
            let signed = stored.grant.verify(call, approvers).is_ok();
            signed && stored.uses_left <= i64::from(stored.grant.uses)
        };
        if let Some(stored) = stored(row)?.filter(counts) {
            let sql = "UPDATE standing_grant SET uses_left = uses_left - 1
                WHERE id = $1 AND uses_left > 0 AND revoked_at IS NULL";
            let id = stored.grant.id.as_str().into();
            if transaction.change(sql, vec![id]).await? == 1 {
                return Ok(Some(stored.grant));
            }
        }
    }
    Ok(None)
}
