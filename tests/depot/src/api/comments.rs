//! Operations on comments.

use axum::{Json, extract::State, http::StatusCode};
use jiff::Timestamp;
use serde::Serialize;

use super::{App, body::Body, path::ItemId, query::Query};
use crate::{
    comment::{Comment, NewComment},
    cursor::List,
    error::ApiError,
    store::{comments, items},
};

/// One page of comments.
#[derive(Debug, Serialize)]
pub(crate) struct CommentPage {
    comments: Vec<Comment>,
    next_cursor: Option<String>,
}

pub(crate) async fn list(
    State(app): State<App>,
    ItemId(item): ItemId,
    mut query: Query,
) -> Result<Json<CommentPage>, ApiError> {
    let page = query.page(List::Comments)?;
    query.finish()?;
    let read = move |tx: &rusqlite::Transaction<'_>| {
        items::get(tx, item)?;
        comments::page(tx, item, page)
    };
    let (comments, next_cursor) = List::Comments.cut(app.store.transact(read).await?, page.limit);
    Ok(Json(CommentPage {
        comments,
        next_cursor,
    }))
}

pub(crate) async fn add(
    State(app): State<App>,
    ItemId(item): ItemId,
    Body(new): Body<NewComment>,
) -> Result<(StatusCode, Json<Comment>), ApiError> {
    let add = move |tx: &rusqlite::Transaction<'_>| {
        items::get(tx, item)?;
        let comment = Comment::new(new, Timestamp::now());
        comments::insert(tx, item, &comment)?;
        Ok(comment)
    };
    let comment = app.store.transact(add).await?;
    Ok((StatusCode::CREATED, Json(comment)))
}
