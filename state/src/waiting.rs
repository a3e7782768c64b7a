//! The calls that wait, read in parts: a state may hold thousands.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use toolwright::{
    ToolName,
    approval::{ApprovalHandle, ApprovalId, ApprovalRequest},
};

use crate::{
    ExportedApproval, State, StateError,
    approvals::StoredRequest,
    database::{Row, Value},
    export::exported,
};

/// Some of the calls that wait, and the number of all.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WaitingPage {
    /// The requests, the oldest first.
    pub requests: Vec<ApprovalRequest>,
    /// The number of calls that wait, including those of other pages.
    pub total: u64,
}

/// What tells whether the calls that wait have changed: two equal values at two times mean that no call
/// began to wait, was decided or expired in between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitingNow {
    /// The number of calls that wait.
    pub total: u64,
    /// The time of the newest request, in microseconds since 1970.
    pub newest: i64,
    /// The number of requests of the last 30 days that were decided, used or discarded.
    pub settled: u64,
}

impl State {
    /// Returns calls that wait at a time, the oldest first, after `skip` others and at most `most`.
    ///
    /// # Errors
    /// [`StateError`] if they cannot be read.
    pub async fn waiting_page(
        &self,
        now: Timestamp,
        skip: usize,
        most: usize,
    ) -> Result<WaitingPage, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT COUNT(*) FROM approval WHERE standing = 'waiting' AND expires_at > $1";
        let counted = transaction.rows(sql, vec![now.into()]).await?;
        let sql = "SELECT request, decision, digest FROM approval
            WHERE standing = 'waiting' AND expires_at > $1
            ORDER BY requested_at, id LIMIT $2 OFFSET $3";
        let values = vec![now.into(), bounded(most), bounded(skip)];
        let rows = transaction.rows(sql, values).await?;
        transaction.commit().await?;
        Ok(WaitingPage {
            requests: requests(&rows)?,
            total: count(&counted)?,
        })
    }

    /// Returns the calls of a tool that wait at a time, the oldest first and at most `most`, and the number
    /// of all of them.
    ///
    /// # Errors
    /// [`StateError`] if they cannot be read.
    pub async fn waiting_for_tool(
        &self,
        tool: &ToolName,
        now: Timestamp,
        most: usize,
    ) -> Result<WaitingPage, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT COUNT(*) FROM approval
            WHERE standing = 'waiting' AND expires_at > $1 AND tool = $2";
        let values = vec![now.into(), tool.as_str().into()];
        let counted = transaction.rows(sql, values).await?;
        let sql = "SELECT request, decision, digest FROM approval
            WHERE standing = 'waiting' AND expires_at > $1 AND tool = $2
            ORDER BY requested_at, id LIMIT $3";
        let values = vec![now.into(), tool.as_str().into(), bounded(most)];
        let rows = transaction.rows(sql, values).await?;
        transaction.commit().await?;
        Ok(WaitingPage {
            requests: requests(&rows)?,
            total: count(&counted)?,
        })
    }

    /// Returns how many calls of each tool wait at a time.
    ///
    /// # Errors
    /// [`StateError`] if they cannot be read.
    pub async fn waiting_by_tool(
        &self,
        now: Timestamp,
    ) -> Result<BTreeMap<ToolName, u64>, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT tool, COUNT(*) FROM approval
            WHERE standing = 'waiting' AND expires_at > $1 GROUP BY tool";
        let rows = transaction.rows(sql, vec![now.into()]).await?;
        transaction.commit().await?;
        let counts = rows.iter().map(|row| {
            let tool = row.text(0)?.parse();
            let tool =
                tool.map_err(|error| StateError::Foreign(format!("a tool's name: {error}")))?;
            let number = u64::try_from(row.number(1)?).unwrap_or_default();
            Ok((tool, number))
        });
        counts.collect()
    }

    /// Returns what tells whether the calls that wait have changed.
    ///
    /// # Errors
    /// [`StateError`] if they cannot be read.
    pub async fn waiting_now(&self, now: Timestamp) -> Result<WaitingNow, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT COUNT(*), COALESCE(MAX(requested_at), 0) FROM approval
            WHERE standing = 'waiting' AND expires_at > $1";
        let waiting = transaction.rows(sql, vec![now.into()]).await?;
        let sql = "SELECT COUNT(*) FROM approval WHERE standing <> 'waiting'";
        let settled = transaction.rows(sql, vec![]).await?;
        transaction.commit().await?;
        let newest = waiting.first().map_or(Ok(0), |row| row.number(1))?;
        Ok(WaitingNow {
            total: count(&waiting)?,
            newest,
            settled: count(&settled)?,
        })
    }

    /// Returns the request with this handle, whether it waits or was decided, for 30 days after its
    /// expiry.
    ///
    /// # Errors
    /// [`StateError`] if it cannot be read.
    pub async fn approval(
        &self,
        handle: &ApprovalHandle,
    ) -> Result<Option<ExportedApproval>, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT standing, request, decision, COALESCE(used_at, 0) FROM approval
            WHERE handle = $1";
        let rows = transaction.rows(sql, vec![handle.as_str().into()]).await?;
        transaction.commit().await?;
        rows.first().map(exported).transpose()
    }

    /// Returns the request with this id, which its caller received, as [`State::approval`] does by the handle.
    ///
    /// # Errors
    /// [`StateError`] if it cannot be read.
    pub async fn approval_of_id(
        &self,
        id: &ApprovalId,
    ) -> Result<Option<ExportedApproval>, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT standing, request, decision, COALESCE(used_at, 0) FROM approval
            WHERE id = $1";
        let rows = transaction.rows(sql, vec![id.as_str().into()]).await?;
        transaction.commit().await?;
        rows.first().map(exported).transpose()
    }

    pub(crate) async fn waiting_ids(
        &self,
        now: Timestamp,
    ) -> Result<BTreeSet<ApprovalId>, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT id FROM approval WHERE standing = 'waiting' AND expires_at > $1";
        let rows = transaction.rows(sql, vec![now.into()]).await?;
        transaction.commit().await?;
        // Only a row that was changed by hand has another id.
        let ids = rows.iter().map(|row| Ok(row.text(0)?.parse().ok()));
        ids.filter_map(Result::transpose).collect()
    }

    pub(crate) async fn waiting_request(
        &self,
        handle: &ApprovalHandle,
        now: Timestamp,
    ) -> Result<Option<ApprovalRequest>, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT request, decision, digest FROM approval
            WHERE handle = $1 AND standing = 'waiting'";
        let rows = transaction.rows(sql, vec![handle.as_str().into()]).await?;
        transaction.commit().await?;
        let found = requests(&rows)?.into_iter().next();
        Ok(found.filter(|request| request.is_live(now)))
    }
}

/// Reads requests. A row that was changed by hand is as good as absent.
fn requests(rows: &[Row]) -> Result<Vec<ApprovalRequest>, StateError> {
    let mut requests = Vec::new();
    for row in rows {
        requests.extend(StoredRequest::read(row)?.map(|stored| stored.request));
    }
    Ok(requests)
}

fn count(rows: &[Row]) -> Result<u64, StateError> {
    let count = rows.first().map_or(Ok(0), |row| row.number(0))?;
    Ok(u64::try_from(count).unwrap_or_default())
}

/// Returns a bound as a parameter.
fn bounded(number: usize) -> Value {
    Value::Number(i64::try_from(number).unwrap_or(i64::MAX))
}
