//! The operator's switches of tools.

use std::slice;

use toolwright::{
    ToolName,
    availability::{Override, Overrides},
};

use crate::{State, StateError, database::Row};

impl State {
    /// Returns the switches in force.
    ///
    /// # Errors
    /// [`StateError`] if they cannot be read.
    pub async fn overrides(&self) -> Result<Overrides, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT tool, enabled, person, reason, changed_at FROM tool_state ORDER BY tool";
        let rows = transaction.rows(sql, vec![]).await?;
        transaction.commit().await?;
        rows.iter().map(entry).collect()
    }

    /// Switches a tool on or off.
    ///
    /// # Errors
    /// [`StateError`] if the switch cannot be stored.
    pub async fn switch(&self, tool: &ToolName, entry: &Override) -> Result<(), StateError> {
        self.switch_all(slice::from_ref(tool), entry).await
    }

    /// Switches tools on or off, all or none of them.
    ///
    /// # Errors
    /// [`StateError`] if the switches cannot be stored.
    pub async fn switch_all(&self, tools: &[ToolName], entry: &Override) -> Result<(), StateError> {
        let mut transaction = self.database.begin().await?;
        let sql = "INSERT INTO tool_state (tool, enabled, person, reason, changed_at)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (tool) DO UPDATE SET enabled = excluded.enabled,
                person = excluded.person, reason = excluded.reason,
                changed_at = excluded.changed_at";
        let values = |tool: &ToolName| {
            vec![
                tool.as_str().into(),
                entry.enabled.into(),
                entry.by.as_str().into(),
                entry.why.as_str().into(),
                entry.at.into(),
            ]
        };
        let lists = tools.iter().map(values).collect();
        transaction.change_each(sql, lists).await?;
        transaction.commit().await
    }

    /// Removes the switch of a tool, so its default applies. Returns whether there was one.
    ///
    /// # Errors
    /// [`StateError`] if the switch cannot be removed.
    pub async fn reset(&self, tool: &ToolName) -> Result<bool, StateError> {
        Ok(self.reset_all(slice::from_ref(tool)).await? > 0)
    }

    /// Removes the switches of tools, all or none of them. Returns how many there were.
    ///
    /// # Errors
    /// [`StateError`] if the switches cannot be removed.
    pub async fn reset_all(&self, tools: &[ToolName]) -> Result<u64, StateError> {
        let mut transaction = self.database.begin().await?;
        let sql = "DELETE FROM tool_state WHERE tool = $1";
        let lists = tools.iter().map(|tool| vec![tool.as_str().into()]);
        let removed = transaction.change_each(sql, lists.collect()).await?;
        transaction.commit().await?;
        Ok(removed)
    }
}

/// Reads a row. A row that cannot be read makes all switches unreadable: the operator may have
/// switched a tool off with it.
fn entry(row: &Row) -> Result<(ToolName, Override), StateError> {
    let foreign = |error: &dyn std::fmt::Display| {
        StateError::Foreign(format!("a switch cannot be read: {error}"))
    };
    let tool: ToolName = row.text(0)?.parse().map_err(|error| foreign(&error))?;
    let entry = Override::new(
        row.number(1)? != 0,
        row.text(2)?,
        row.text(3)?,
        row.time(4)?,
    );
    Ok((tool, entry.map_err(|error| foreign(&error))?))
}
