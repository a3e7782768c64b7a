//! Error responses.

use std::fmt;

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header::WWW_AUTHENTICATE},
    response::{IntoResponse, Response},
};
use serde::Serialize;

/// The machine-readable code of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Code {
    MalformedBody,
    InvalidParameter,
    Unauthorized,
    NotFound,
    MethodNotAllowed,
    DuplicateSku,
    TransitionNotAllowed,
    ItemReserved,
    ItemShipped,
    TooLarge,
    InvalidValue,
    IdempotencyKeyReused,
    Internal,
}

/// The body of an error response.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ApiError {
    code: Code,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
}

impl Code {
    const fn status(self) -> StatusCode {
        match self {
            Self::MalformedBody | Self::InvalidParameter => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::DuplicateSku
            | Self::TransitionNotAllowed
            | Self::ItemReserved
            | Self::ItemShipped => StatusCode::CONFLICT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::InvalidValue | Self::IdempotencyKeyReused => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl ApiError {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            field: None,
        }
    }

    /// Adds the name of the invalid part of the request.
    pub(crate) fn with_field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Returns an internal error. Prints the cause to standard error and hides it from the client.
    pub(crate) fn internal(cause: impl fmt::Display) -> Self {
        eprintln!("depot: {cause}");
        Self::new(Code::Internal, "the inventory cannot be reached")
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<rusqlite::Error> for ApiError {
    fn from(cause: rusqlite::Error) -> Self {
        Self::internal(cause)
    }
}

impl From<serde_json::Error> for ApiError {
    fn from(cause: serde_json::Error) -> Self {
        Self::internal(cause)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = self.code.status();
        let mut response = (status, Json(serde_json::json!({ "error": self }))).into_response();
        if status == StatusCode::UNAUTHORIZED {
            let bearer = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(WWW_AUTHENTICATE, bearer);
        }
        response
    }
}
