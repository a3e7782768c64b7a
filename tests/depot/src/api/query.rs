//! Query parameters, each taken by name. Parameters that remain are rejected.

use std::{fmt::Display, ops::RangeInclusive, str::FromStr};

use axum::{extract::FromRequestParts, http::request::Parts};
use url::form_urlencoded;

use crate::{
    cursor::{List, Page},
    error::{ApiError, Code},
};

/// The default number of entries per page.
const DEFAULT_LIMIT: usize = 25;

/// The allowed numbers of entries per page.
const LIMITS: RangeInclusive<usize> = 1..=100;

/// The query parameters that have not been taken yet.
#[derive(Clone, Debug)]
pub(crate) struct Query(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Query {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        let text = parts.uri.query().unwrap_or_default();
        Ok(Self(
            form_urlencoded::parse(text.as_bytes())
                .into_owned()
                .collect(),
        ))
    }
}

impl Query {
    /// Takes a parameter that may be repeated.
    pub(crate) fn all(&mut self, name: &str) -> Vec<String> {
        let taken = self.0.extract_if(.., |(key, _)| key == name);
        taken.map(|(_, value)| value).collect()
    }

    /// Takes a parameter that may be given once.
    pub(crate) fn one(&mut self, name: &str) -> Result<Option<String>, ApiError> {
        let mut values = self.all(name);
        let value = values.pop();
        if values.is_empty() {
            Ok(value)
        } else {
            Err(invalid(name, "may be given once"))
        }
    }

    /// Takes an integer within bounds.
    pub(crate) fn number<T>(
        &mut self,
        name: &str,
        bounds: &RangeInclusive<T>,
    ) -> Result<Option<T>, ApiError>
    where
        T: FromStr + PartialOrd + Display,
    {
        let Some(text) = self.one(name)? else {
            return Ok(None);
        };
        let number = text.parse().ok().filter(|number| bounds.contains(number));
        let (least, most) = (bounds.start(), bounds.end());
        let rule = || format!("must be a whole number from {least} to {most}");
        number.map(Some).ok_or_else(|| invalid(name, &rule()))
    }

    /// Takes `limit`.
    pub(crate) fn limit(&mut self) -> Result<usize, ApiError> {
        Ok(self.number("limit", &LIMITS)?.unwrap_or(DEFAULT_LIMIT))
    }

    /// Takes `limit` and `cursor`.
    pub(crate) fn page(&mut self, list: List) -> Result<Page, ApiError> {
        let limit = self.limit()?;
        let cursor = self.one("cursor")?;
        let after = cursor.map(|cursor| list.entry_of(&cursor)).transpose()?;
        Ok(Page {
            after: after.unwrap_or(0),
            limit,
        })
    }

    /// Rejects parameters that have not been taken.
    pub(crate) fn finish(self) -> Result<(), ApiError> {
        match self.0.first() {
            None => Ok(()),
            Some((name, _)) => Err(invalid(name, "is not a parameter of this operation")),
        }
    }
}

/// Returns the error of an invalid parameter.
pub(crate) fn invalid(name: &str, rule: &str) -> ApiError {
    ApiError::new(Code::InvalidParameter, format!("`{name}` {rule}")).with_field(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Query {
        Query(
            form_urlencoded::parse(text.as_bytes())
                .into_owned()
                .collect(),
        )
    }

    #[test]
    fn parameters_are_taken_by_name() {
        let mut query = query("tag=a&limit=7&tag=b");
        assert_eq!(query.all("tag"), ["a", "b"]);
        assert_eq!(query.limit().unwrap(), 7);
        assert!(query.finish().is_ok());
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        for bad in [
            "limit=0",
            "limit=101",
            "limit=x",
            "limit=",
            "limit=1&limit=2",
            "cursor=x",
        ] {
            assert!(query(bad).page(List::Items).is_err(), "{bad}");
        }
        assert!(query("colour=red").finish().is_err());
    }
}
