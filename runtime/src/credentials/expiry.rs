//! The end of a token, if the token itself states it.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use jiff::Timestamp;
use serde_json::Value;

use super::Access;

impl Access {
    /// Returns the end of the validity of the token, if it is a JSON Web Token that states it.
    pub(crate) fn expiry(&self) -> Option<Timestamp> {
        let token = self.token.as_ref()?;
        let mut parts = token.expose().split('.');
        let (_, claims, _) = (parts.next()?, parts.next()?, parts.next()?);
        let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?;
        let claims: Value = serde_json::from_slice(&claims).ok()?;
        Timestamp::from_second(claims.get("exp")?.as_i64()?).ok()
    }
}
