//! Operations that derive data from the items and change nothing.

use axum::{Json, extract::State};
use jiff::Timestamp;

use super::{App, body::Body, query::Query};
use crate::{
    error::ApiError,
    order::{Order, OrderSimulation},
    report::StockReport,
    store::items,
};

/// The default threshold of a low quantity.
const DEFAULT_LOW_BELOW: u32 = 5;

pub(crate) async fn report(
    State(app): State<App>,
    mut query: Query,
) -> Result<Json<StockReport>, ApiError> {
    let low_below = query.number("low_below", &(0..=100_000))?;
    query.finish()?;
    let items = app.store.transact(items::all).await?;
    let low_below = low_below.unwrap_or(DEFAULT_LOW_BELOW);
    Ok(Json(StockReport::derive(
        &items,
        low_below,
        Timestamp::now(),
    )))
}

pub(crate) async fn simulate(
    State(app): State<App>,
    Body(order): Body<Order>,
) -> Result<Json<OrderSimulation>, ApiError> {
    let simulate = move |tx: &rusqlite::Transaction<'_>| {
        let items = items::by_sku(tx, &order.skus())?;
        Ok(order.simulate(&items))
    };
    app.store.transact(simulate).await.map(Json)
}
