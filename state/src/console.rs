//! The sessions of people at the console, and the links that open them.
//!
//! Both have a random secret. The state holds its SHA-256 only: a copy of the state signs nobody in.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use toolwright::Statement;
use toolwright_model::hex;

use crate::{
    State, StateError,
    database::{Row, Value},
    secret,
};

/// The number of characters of the id of a session: the beginning of its digest.
const ID_LENGTH: usize = 12;

/// The interval between two records of the use of a session.
const USE_INTERVAL: SignedDuration = SignedDuration::from_mins(1);

/// The time for which sessions are kept after their end.
const MEMORY: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The secret of a link or of a session. It is the only copy: the state keeps its digest.
pub struct ConsoleSecret(String);

/// A session that was opened.
#[derive(Debug)]
#[non_exhaustive]
pub struct OpenedSession {
    /// The secret that the browser of the person shows with each request.
    pub secret: ConsoleSecret,
    /// The session.
    pub session: StoredSession,
}

/// A session as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StoredSession {
    /// The beginning of the digest, by which people and the audit name the session.
    pub id: String,
    /// The person.
    pub person: String,
    /// The time at which the person signed in.
    pub opened_at: Timestamp,
    /// The time after which the person must sign in again.
    pub expires_at: Timestamp,
    /// A time at which it was used, at most some minutes before the last use.
    pub used_at: Timestamp,
    /// The time at which it was ended before its expiry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// The person who ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
    /// The reason of its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl ConsoleSecret {
    /// Creates a random secret.
    ///
    /// # Errors
    /// [`StateError`] if the system provides no random numbers.
    pub fn random() -> Result<Self, StateError> {
        secret::random().map(Self)
    }

    /// Returns the secret, to hand it to the browser of the person.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl StoredSession {
    /// Checks whether the session is accepted at a time.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.ended_at.is_none() && now < self.expires_at
    }
}

impl State {
    /// Issues a link that signs a person in once, until a time.
    ///
    /// # Errors
    /// [`StateError`] if it cannot be stored.
    pub async fn issue_console_link(
        &self,
        person: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<ConsoleSecret, StateError> {
        let secret = ConsoleSecret::random()?;
        let mut transaction = self.database.begin().await?;
        let sql = "DELETE FROM console_link WHERE expires_at < $1";
        transaction.change(sql, vec![now.into()]).await?;
        let sql = "INSERT INTO console_link (digest, person, issued_at, expires_at)
            VALUES ($1, $2, $3, $4)";
        let values = vec![
            digest(secret.expose()).into(),
            person.into(),
            now.into(),
            until.into(),
        ];
        transaction.change(sql, values).await?;
        transaction.commit().await?;
        Ok(secret)
    }

    /// Returns the person whom a link signs in at a time; none if it was used or has expired.
    ///
    /// # Errors
    /// [`StateError`] if it cannot be read.
    pub async fn console_link(
        &self,
        secret: &str,
        now: Timestamp,
    ) -> Result<Option<String>, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT person FROM console_link WHERE digest = $1 AND expires_at > $2";
        let values = vec![digest(secret).into(), now.into()];
        let rows = transaction.rows(sql, values).await?;
        transaction.commit().await?;
        let person = rows.first().map(|row| row.text(0)).transpose()?;
        Ok(person.map(str::to_owned))
    }

    /// Uses a link up and opens a session of its person. Of several uses at once only one opens a session;
    /// the others return none.
    ///
    /// # Errors
    /// [`StateError`] if it cannot be stored.
    pub async fn open_console_session(
        &self,
        link: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<OpenedSession>, StateError> {
        let secret = ConsoleSecret::random()?;
        let mut transaction = self.database.begin().await?;
        let sql = "SELECT person FROM console_link WHERE digest = $1 AND expires_at > $2";
        let values = vec![digest(link).into(), now.into()];
        let rows = transaction.rows(sql, values).await?;
        let sql = "DELETE FROM console_link WHERE digest = $1";
        let used = transaction.change(sql, vec![digest(link).into()]).await?;
        let (Some(row), 1) = (rows.first(), used) else {
            transaction.commit().await?;
            return Ok(None);
        };
        let digest = digest(secret.expose());
        let session = StoredSession {
            id: digest.chars().take(ID_LENGTH).collect(),
            person: row.text(0)?.to_owned(),
            opened_at: now,
            expires_at: until,
            used_at: now,
            ended_at: None,
            ended_by: None,
            reason: None,
        };
        let values: Vec<Value> = vec![
            digest.into(),
            session.id.as_str().into(),
            session.person.as_str().into(),
            now.into(),
            until.into(),
        ];
        let sql = "INSERT INTO console_session
                (digest, id, person, opened_at, expires_at, used_at)
            VALUES ($1, $2, $3, $4, $5, $4)";
        transaction.change(sql, values).await?;
        let forgotten = now.checked_sub(MEMORY).unwrap_or(now);
        let sql = "DELETE FROM console_session WHERE expires_at < $1";
        transaction.change(sql, vec![forgotten.into()]).await?;
        transaction.commit().await?;
        Ok(Some(OpenedSession { secret, session }))
    }

    /// Returns the session of a secret if it is accepted at a time, and notes its use.
    ///
    /// # Errors
    /// [`StateError`] if it cannot be read.
    pub async fn console_session(
        &self,
        secret: &str,
        now: Timestamp,
    ) -> Result<Option<StoredSession>, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT id, person, opened_at, expires_at, used_at, ended_at, ended_by, reason
            FROM console_session WHERE digest = $1";
        let rows = transaction.rows(sql, vec![digest(secret).into()]).await?;
        transaction.commit().await?;
        let session = rows.first().map(stored).transpose()?;
        let session = session.filter(|session| session.is_live(now));
        if let Some(session) = &session
            && session.used_at.duration_until(now) > USE_INTERVAL
        {
            let mut transaction = self.database.begin().await?;
            let sql = "UPDATE console_session SET used_at = $1 WHERE id = $2";
            let values = vec![now.into(), session.id.as_str().into()];
            transaction.change(sql, values).await?;
            transaction.commit().await?;
        }
        Ok(session)
    }

    /// Returns the last sessions, also those that have ended, the newest first and at most `most`.
    ///
    /// # Errors
    /// [`StateError`] if they cannot be read.
    pub async fn console_sessions(&self, most: usize) -> Result<Vec<StoredSession>, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT id, person, opened_at, expires_at, used_at, ended_at, ended_by, reason
            FROM console_session ORDER BY opened_at DESC, id LIMIT $1";
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = transaction.rows(sql, vec![most.into()]).await?;
        transaction.commit().await?;
        rows.iter().map(stored).collect()
    }

    /// Returns the session with an id, also if it has ended.
    ///
    /// # Errors
    /// [`StateError`] if it cannot be read.
    pub async fn console_session_with_id(
        &self,
        id: &str,
    ) -> Result<Option<StoredSession>, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT id, person, opened_at, expires_at, used_at, ended_at, ended_by, reason
            FROM console_session WHERE id = $1 ORDER BY opened_at DESC LIMIT 1";
        let rows = transaction.rows(sql, vec![id.into()]).await?;
        transaction.commit().await?;
        rows.first().map(stored).transpose()
    }

    /// Ends a session before its expiry. Returns whether it was not ended before.
    ///
    /// # Errors
    /// [`StateError`] if that cannot be stored.
    pub async fn end_console_session(
        &self,
        id: &str,
        statement: &Statement,
        now: Timestamp,
    ) -> Result<bool, StateError> {
        let sql = "UPDATE console_session SET ended_at = $1, ended_by = $2, reason = $3
            WHERE id = $4 AND ended_at IS NULL";
        self.end(sql, id, statement, now).await
    }
}

fn digest(secret: &str) -> String {
    hex(secret::digest(secret))
}

fn stored(row: &Row) -> Result<StoredSession, StateError> {
    let optional = |column| Ok::<_, StateError>(row.optional_text(column)?.map(str::to_owned));
    Ok(StoredSession {
        id: row.text(0)?.to_owned(),
        person: row.text(1)?.to_owned(),
        opened_at: row.time(2)?,
        expires_at: row.time(3)?,
        used_at: row.time(4)?,
        ended_at: row.optional_time(5)?,
        ended_by: optional(6)?,
        reason: optional(7)?,
    })
}

impl fmt::Debug for ConsoleSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ConsoleSecret(…)")
    }
}
