//! The tokens of clients: each gives its client a role at a server.
//!
//! A token is random. The state holds its SHA-256 only: a copy of the state opens no server.

use std::{collections::BTreeMap, fmt};

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use toolwright::{Role, Statement, TokenName, audit::TokenChange, system};
use toolwright_model::{hex, parse_hex};

use crate::{
    State, StateError,
    database::{Row, Value},
    secret,
};

/// The first characters of each token, which a scanner for secrets recognises.
const PREFIX: &str = "toolwright_";

/// The SHA-256 of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TokenDigest(pub [u8; 32]);

/// A token to issue: whose calls it lets pass, and until when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenGrant {
    /// The name of the token. No other token of the state has it, not even a revoked one.
    pub name: TokenName,
    /// The role of the clients that show the token.
    pub role: Role,
    /// The workspace that their calls are recorded with.
    pub workspace: Option<String>,
    /// The time until which the token is accepted.
    pub until: Timestamp,
    /// The person who issues it, and why.
    pub issued: Statement,
}

/// A new token. It is the only copy: the state keeps its digest.
pub struct IssuedToken(String);

/// A stored token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StoredToken {
    /// The name of the token.
    pub name: TokenName,
    /// The SHA-256 of the token.
    pub digest: TokenDigest,
    /// The role of the clients that show it.
    pub role: Role,
    /// The workspace that their calls are recorded with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The time until which it is accepted.
    pub until: Timestamp,
    /// The person who issued it, and why.
    pub issued: Statement,
    /// The time of its issue.
    pub issued_at: Timestamp,
    /// A time at which it was used, at most some minutes before the last use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_at: Option<Timestamp>,
    /// The revocation, if it was revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked: Option<TokenRevocation>,
}

/// The revocation of a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TokenRevocation {
    /// The person who revoked it, and why.
    #[serde(flatten)]
    pub statement: Statement,
    /// The time.
    pub at: Timestamp,
}

impl TokenDigest {
    /// Returns the digest of a token.
    #[must_use]
    pub fn from_token(token: &str) -> Self {
        Self(secret::digest(token))
    }
}

impl IssuedToken {
    fn random() -> Result<Self, StateError> {
        Ok(Self(format!("{PREFIX}{}", secret::random()?)))
    }

    /// Returns the token, to hand it to its holder.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl StoredToken {
    /// Checks whether the token is accepted at a time.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && now < self.until
    }

    /// Returns its revocation as the audit records it.
    #[must_use]
    pub fn revocation(&self, statement: &Statement) -> TokenChange {
        let change = change(
            &self.name,
            &self.role,
            self.workspace.as_deref(),
            self.until,
        );
        stated(
            TokenChange {
                revoked: true,
                ..change
            },
            statement,
        )
    }
}

impl TokenGrant {
    /// Returns the issue as the audit records it.
    #[must_use]
    pub fn issue(&self) -> TokenChange {
        let change = change(
            &self.name,
            &self.role,
            self.workspace.as_deref(),
            self.until,
        );
        stated(change, &self.issued)
    }
}

fn change(name: &TokenName, role: &Role, workspace: Option<&str>, until: Timestamp) -> TokenChange {
    TokenChange {
        token: name.clone(),
        revoked: false,
        role: role.clone(),
        workspace: workspace.map(str::to_owned),
        until,
        person: String::new(),
        os_user: system::user(),
        why: String::new(),
    }
}

fn stated(change: TokenChange, statement: &Statement) -> TokenChange {
    TokenChange {
        person: statement.by.clone(),
        why: statement.why.clone(),
        ..change
    }
}

impl State {
    /// Issues a token. Returns none if there is one with its name.
    ///
    /// # Errors
    /// [`StateError`] if it cannot be stored.
    pub async fn issue_token(
        &self,
        grant: &TokenGrant,
        now: Timestamp,
    ) -> Result<Option<IssuedToken>, StateError> {
        let token = IssuedToken::random()?;
        let mut transaction = self.database.begin().await?;
        let sql = "INSERT INTO token (digest, name, role, workspace, person, reason, issued_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (name) DO NOTHING";
        let values = vec![
            TokenDigest::from_token(token.expose()).to_string().into(),
            grant.name.as_str().into(),
            grant.role.as_str().into(),
            grant.workspace.as_deref().into(),
            grant.issued.by.as_str().into(),
            grant.issued.why.as_str().into(),
            now.into(),
            grant.until.into(),
        ];
        let issued = transaction.change(sql, values).await?;
        transaction.commit().await?;
        Ok((issued == 1).then_some(token))
    }

    /// Returns all tokens, also those that have ended, sorted by name.
    ///
    /// # Errors
    /// [`StateError`] if they cannot be read; one row that was changed by hand is enough.
    pub async fn tokens(&self) -> Result<Vec<StoredToken>, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT name, digest, role, workspace, expires_at, person, reason, issued_at,
                used_at, revoked_at, revoked_by, revocation
            FROM token ORDER BY name";
        let rows = transaction.rows(sql, vec![]).await?;
        transaction.commit().await?;
        rows.iter().map(stored).collect()
    }

    /// Revokes a token. Returns whether it was not revoked before.
    ///
    /// # Errors
    /// [`StateError`] if that cannot be stored.
    pub async fn revoke_token(
        &self,
        name: &TokenName,
        statement: &Statement,
        now: Timestamp,
    ) -> Result<bool, StateError> {
        let sql = "UPDATE token SET revoked_at = $1, revoked_by = $2, revocation = $3
            WHERE name = $4 AND revoked_at IS NULL";
        self.end(sql, name.as_str(), statement, now).await
    }

    /// Stores when tokens were used last.
    ///
    /// # Errors
    /// [`StateError`] if that cannot be stored.
    pub async fn note_token_uses(
        &self,
        uses: &BTreeMap<TokenDigest, Timestamp>,
    ) -> Result<(), StateError> {
        let mut transaction = self.database.begin().await?;
        for (digest, time) in uses {
            let sql = "UPDATE token SET used_at = $1
                WHERE digest = $2 AND (used_at IS NULL OR used_at < $1)";
            let values: Vec<Value> = vec![(*time).into(), digest.to_string().into()];
            transaction.change(sql, values).await?;
        }
        transaction.commit().await
    }
}

/// Reads a row. One that cannot be read makes all tokens unreadable: it may hold a revocation.
fn stored(row: &Row) -> Result<StoredToken, StateError> {
    let foreign =
        |error: &dyn fmt::Display| StateError::Foreign(format!("a token cannot be read: {error}"));
    let digest = parse_hex(row.text(1)?.as_bytes());
    let digest = digest.ok_or_else(|| foreign(&"its digest is not a SHA-256"))?;
    let statement = |by: &str, why: &str| Statement::new(by, why).map_err(|error| foreign(&error));
    let revoked = match row.optional_time(9)? {
        Some(at) => {
            let statement = statement(row.text(10)?, row.text(11)?)?;
            Some(TokenRevocation { statement, at })
        }
        None => None,
    };
    Ok(StoredToken {
        name: row.text(0)?.parse().map_err(|error| foreign(&error))?,
        digest: TokenDigest(digest),
        role: row.text(2)?.parse().map_err(|error| foreign(&error))?,
        workspace: row.optional_text(3)?.map(str::to_owned),
        until: row.time(4)?,
        issued: statement(row.text(5)?, row.text(6)?)?,
        issued_at: row.time(7)?,
        used_at: row.optional_time(8)?,
        revoked,
    })
}

impl fmt::Display for TokenDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(self.0))
    }
}

impl Serialize for TokenDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Debug for IssuedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IssuedToken(…)")
    }
}
