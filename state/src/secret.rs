//! The secrets that the state issues to clients and browsers: random, stored as their SHA-256 only, and
//! ended by a person with a reason.

use jiff::Timestamp;
use ring::rand::{SecureRandom as _, SystemRandom};
use sha2::{Digest as _, Sha256};
use toolwright::Statement;
use toolwright_model::hex;

use crate::{State, StateError};

/// Returns a new secret of 256 random bits, in hexadecimal digits.
pub(crate) fn random() -> Result<String, StateError> {
    let mut bytes = [0; 32];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| StateError::unreachable("the system provides no random numbers"))?;
    Ok(hex(bytes))
}

/// Returns the digest by which the state knows a secret.
pub(crate) fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

impl State {
    /// Ends what a secret opens, by a statement with the time, the person, the reason and the name of the
    /// row. Returns whether it was not ended before.
    pub(crate) async fn end(
        &self,
        sql: &'static str,
        name: &str,
        statement: &Statement,
        now: Timestamp,
    ) -> Result<bool, StateError> {
        let mut transaction = self.database.begin().await?;
        let values = vec![
            now.into(),
            statement.by.as_str().into(),
            statement.why.as_str().into(),
            name.into(),
        ];
        let ended = transaction.change(sql, values).await?;
        transaction.commit().await?;
        Ok(ended > 0)
    }
}
