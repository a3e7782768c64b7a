//! JSON bodies, deserialized to a type or rejected with the path of the error.

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::StatusCode,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::MAX_BODY;
use crate::error::{ApiError, Code};

/// A deserialized request body.
#[derive(Debug)]
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        match Bytes::from_request(request, state).await {
            Ok(bytes) => read(&bytes).map(Self),
            Err(cause) if cause.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                let message = format!("a body may have at most {MAX_BODY} bytes");
                Err(ApiError::new(Code::TooLarge, message))
            }
            Err(_) => Err(ApiError::new(
                Code::MalformedBody,
                "the body ended unexpectedly",
            )),
        }
    }
}

/// Reads JSON. Invalid JSON is a malformed body, a mismatch with the type an invalid value.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let value: Value = serde_json::from_slice(bytes).map_err(|cause| {
        ApiError::new(
            Code::MalformedBody,
            format!("the body is not JSON: {cause}"),
        )
    })?;
    serde_path_to_error::deserialize(value).map_err(|cause| {
        let place = cause.path().to_string();
        let error = ApiError::new(Code::InvalidValue, cause.into_inner().to_string());
        if place == "." {
            error
        } else {
            error.with_field(place)
        }
    })
}
