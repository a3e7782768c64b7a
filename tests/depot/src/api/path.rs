//! The ids in a path.

use axum::{
    extract::{FromRequestParts, RawPathParams},
    http::request::Parts,
};
use uuid::Uuid;

use crate::error::{ApiError, Code};

/// The `item_id` of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemId(pub(crate) Uuid);

/// The `file_id` of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileId(pub(crate) Uuid);

impl<S: Send + Sync> FromRequestParts<S> for ItemId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        read(parts, state, "item_id").await.map(Self)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for FileId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        read(parts, state, "file_id").await.map(Self)
    }
}

async fn read<S: Send + Sync>(parts: &mut Parts, state: &S, name: &str) -> Result<Uuid, ApiError> {
    let refused = || {
        let message = format!("`{name}` must be a UUID");
        ApiError::new(Code::InvalidParameter, message).with_field(name)
    };
    let parameters = RawPathParams::from_request_parts(parts, state).await;
    let parameters = parameters.map_err(|_| refused())?;
    let text = parameters.iter().find(|(key, _)| *key == name);
    text.and_then(|(_, text)| Uuid::try_parse(text).ok())
        .ok_or_else(refused)
}
