//! The routes of the console, and the server of the command.

use std::{future::Future, io};

use axum::{
    Router,
    extract::State,
    middleware::from_fn_with_state,
    routing::{get, post},
};
use tokio::net::TcpListener;

use crate::{
    access, assets, console::Console, guard::guard, live, openid, record, refusal::Refusal,
    sign_in, skills, tools, waiting,
};

/// Returns the routes of the console, to be served or to be mounted into the router of a program at the
/// path of its [`Address`](crate::Address).
pub fn router(console: &Console) -> Router {
    let pages = Router::new()
        .route("/", get(waiting::list))
        .route(
            "/waiting/{handle}",
            get(waiting::request).post(waiting::decide),
        )
        .route("/tools", get(tools::list))
        .route("/tools/switch", get(tools::many).post(tools::switch_many))
        .route("/tools/{tool}", get(tools::one).post(tools::switch))
        .route("/access", get(access::overview))
        .route("/matrix", get(access::matrix))
        .route("/preview", get(access::edit).post(access::preview))
        .route("/why", get(access::asked))
        .route("/access/{role}", get(access::role))
        .route("/access/{role}/{tool}", get(access::why))
        .route("/record", get(record::list))
        .route("/record/call/{call}", get(record::call))
        .route("/record/run", get(record::run))
        .route("/record/use", get(record::usage))
        .route("/record/verify", get(record::chain).post(record::verify))
        .route("/record/export", post(record::export))
        .route("/skills", get(skills::list))
        .route("/skills/{skill}", get(skills::one).post(skills::decide))
        .route("/live", get(live::events))
        .route("/sessions", get(sign_in::sessions))
        .route("/sessions/{id}", post(sign_in::end_session))
        .route("/sign-in/{link}", get(sign_in::ask))
        .route("/sign-in/openid", get(openid::begin))
        .route(openid::BACK, get(openid::back))
        .route("/sign-in", post(sign_in::sign_in))
        .route("/sign-out", post(sign_in::sign_out))
        .route("/static/{name}", get(assets::asset))
        .fallback(unknown);
    pages
        .layer(from_fn_with_state(console.clone(), guard))
        .with_state(console.clone())
}

async fn unknown(State(console): State<Console>) -> Refusal {
    Refusal::not_found(&console, "There is no such page.")
}

/// Serves the console until `ended` is ready. Pages that are open end with it.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    console: Console,
    listener: TcpListener,
    ended: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let router = router(&console);
    let end = async move {
        ended.await;
        console.live().end();
    };
    axum::serve(listener, router)
        .with_graceful_shutdown(end)
        .await
}
