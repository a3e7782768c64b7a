//! Operations on items.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, from_value};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{
    App,
    body::Body,
    path::ItemId,
    query::{Query, invalid},
};
use crate::{
    cursor::List,
    error::{ApiError, Code},
    file::hex,
    item::{Item, ItemChanges, NewItem, Transition},
    store::{
        creations,
        items::{self, ItemFilter},
    },
    values::{Quantity, Tag},
};

/// The maximum number of tags in a filter.
const MAX_FILTER_TAGS: usize = 10;

/// The maximum number of characters in a search.
const MAX_SEARCH: usize = 100;

/// The request header that identifies a creation.
const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// The response header that marks a repeated response.
const REPLAYED: &str = "Idempotency-Replayed";

/// One page of items.
#[derive(Debug, Serialize)]
pub(crate) struct ItemPage {
    items: Vec<Item>,
    next_cursor: Option<String>,
}

/// The items that a search found.
#[derive(Debug, Serialize)]
pub(crate) struct ItemList {
    items: Vec<Item>,
}

pub(crate) async fn list(
    State(app): State<App>,
    mut query: Query,
) -> Result<Json<ItemPage>, ApiError> {
    let page = query.page(List::Items)?;
    let filter = read_filter(&mut query)?;
    query.finish()?;
    let rows = app
        .store
        .transact(move |tx| items::page(tx, &filter, page))
        .await?;
    let (items, next_cursor) = List::Items.cut(rows, page.limit);
    Ok(Json(ItemPage { items, next_cursor }))
}

pub(crate) async fn search(
    State(app): State<App>,
    mut query: Query,
) -> Result<Json<ItemList>, ApiError> {
    let words = read_words(&mut query)?;
    let limit = query.limit()?;
    query.finish()?;
    let items = app
        .store
        .transact(move |tx| items::search(tx, &words, limit))
        .await?;
    Ok(Json(ItemList { items }))
}

pub(crate) async fn show(
    State(app): State<App>,
    ItemId(id): ItemId,
) -> Result<Json<Item>, ApiError> {
    app.store
        .transact(move |tx| items::get(tx, id))
        .await
        .map(Json)
}

pub(crate) async fn create(
    State(app): State<App>,
    headers: HeaderMap,
    Body(new): Body<NewItem>,
) -> Result<Response, ApiError> {
    let Some(key) = read_idempotency_key(&headers)? else {
        let item = app
            .store
            .transact(move |tx| {
                let item = Item::new(Uuid::new_v4(), new, Timestamp::now());
                items::insert(tx, &item)?;
                Ok(item)
            })
            .await?;
        return Ok((StatusCode::CREATED, Json(item)).into_response());
    };
    create_once(app, key, new).await
}

pub(crate) async fn update(
    State(app): State<App>,
    ItemId(id): ItemId,
    Body(changes): Body<ItemChanges>,
) -> Result<Json<Item>, ApiError> {
    changes.check()?;
    change(app, id, |item| item.change(changes, Timestamp::now())).await
}

pub(crate) async fn transition(
    State(app): State<App>,
    ItemId(id): ItemId,
    Body(Transition { to }): Body<Transition>,
) -> Result<Json<Item>, ApiError> {
    change(app, id, move |item| item.transition(to, Timestamp::now())).await
}

pub(crate) async fn remove(
    State(app): State<App>,
    ItemId(id): ItemId,
) -> Result<StatusCode, ApiError> {
    let gone = move |tx: &rusqlite::Transaction<'_>| {
        items::get(tx, id)?.check_deletable()?;
        items::delete(tx, id)
    };
    app.store
        .transact(gone)
        .await
        .map(|()| StatusCode::NO_CONTENT)
}

/// Creates an item, or repeats the response of the creation that used the same key.
async fn create_once(app: App, key: String, new: NewItem) -> Result<Response, ApiError> {
    let digest = hex(&Sha256::digest(serde_json::to_vec(&new)?));
    let create = move |tx: &rusqlite::Transaction<'_>| {
        if let Some(earlier) = creations::find(tx, &key, &digest)? {
            return Ok((earlier, true));
        }
        let item = Item::new(Uuid::new_v4(), new, Timestamp::now());
        items::insert(tx, &item)?;
        creations::insert(tx, &key, &digest, &item)?;
        Ok((item, false))
    };
    let (item, replayed) = app.store.transact(create).await?;
    let answer = (StatusCode::CREATED, Json(item));
    Ok(if replayed {
        ([(REPLAYED, "true")], answer).into_response()
    } else {
        answer.into_response()
    })
}

/// Reads an item, changes it and writes it back.
async fn change(
    app: App,
    id: Uuid,
    change: impl FnOnce(&mut Item) -> Result<(), ApiError> + Send + 'static,
) -> Result<Json<Item>, ApiError> {
    let write_back = move |tx: &rusqlite::Transaction<'_>| {
        let mut item = items::get(tx, id)?;
        change(&mut item)?;
        items::replace(tx, &item)?;
        Ok(item)
    };
    app.store.transact(write_back).await.map(Json)
}

fn read_filter(query: &mut Query) -> Result<ItemFilter, ApiError> {
    let status = query.one("status")?;
    let status = status
        .map(|word| from_value(Value::String(word)))
        .transpose();
    let tags = query.all("tag");
    if tags.len() > MAX_FILTER_TAGS {
        return Err(invalid(
            "tag",
            &format!("may be given {MAX_FILTER_TAGS} times"),
        ));
    }
    let tags: Result<_, _> = tags.into_iter().map(Tag::new).collect();
    Ok(ItemFilter {
        status: status
            .map_err(|_| invalid("status", "must be `in_stock`, `reserved` or `shipped`"))?,
        tags: tags.map_err(|rule| invalid("tag", &format!("must be a tag: {rule}")))?,
        min: read_quantity(query, "quantity[min]")?,
        max: read_quantity(query, "quantity[max]")?,
    })
}

fn read_quantity(query: &mut Query, name: &str) -> Result<Option<Quantity>, ApiError> {
    let number = query.number(name, &(0..=100_000))?;
    Ok(number.map(Quantity::new).transpose().unwrap_or_default())
}

fn read_words(query: &mut Query) -> Result<Vec<String>, ApiError> {
    let text = query.one("q")?.unwrap_or_default();
    let words: Vec<_> = text
        .to_lowercase()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    if words.is_empty() || text.chars().count() > MAX_SEARCH {
        let rule =
            format!("must be given, with 1 to {MAX_SEARCH} characters that are not all blank");
        return Err(invalid("q", &rule));
    }
    Ok(words)
}

fn read_idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(value) = headers.get(IDEMPOTENCY_KEY) else {
        return Ok(None);
    };
    let fits = |key: &&str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (8..=64).contains(&key.len()) && key.bytes().all(plain)
    };
    let key = value.to_str().ok().filter(fits).map(str::to_owned);
    key.map(Some).ok_or_else(|| {
        let message = "an idempotency key has 8 to 64 letters, digits, hyphens and underscores";
        ApiError::new(Code::InvalidParameter, message).with_field(IDEMPOTENCY_KEY)
    })
}
