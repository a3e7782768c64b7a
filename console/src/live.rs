//! Tells open pages of changes, through server-sent events.
//!
//! An event has no content but the number of calls that wait: the page then reads its own parts again.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    extract::State,
    http::HeaderMap,
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures_core::Stream;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use crate::{console::Console, pulse::Pulse, refusal::Refusal, session};

/// The interval between two checks of the session of an open page.
const CHECK: Duration = Duration::from_secs(10);

/// Answers with the events of changes, for as long as the session is accepted.
pub(crate) async fn events(
    State(console): State<Console>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    session::find(&console, &headers).await?;
    let (sender, receiver) = mpsc::channel(4);
    tokio::spawn(announce(console, headers, sender));
    let kept = KeepAlive::new().interval(Duration::from_secs(15));
    Ok(Sse::new(Events(receiver)).keep_alive(kept).into_response())
}

/// Sends the events of one page.
async fn announce(console: Console, headers: HeaderMap, page: mpsc::Sender<Event>) {
    let mut pulse = console.live().follow(console.state());
    let mut switches = console.registry().availability().changes();
    let mut ended = console.live().ended.subscribe();
    if *ended.borrow_and_update() {
        return;
    }
    // The page may be older than the last change.
    pulse.mark_changed();
    let mut check = Instant::now() + CHECK;
    loop {
        let is_check = tokio::select! {
            changed = pulse.changed() => { if changed.is_err() { return } false }
            changed = switches.changed() => { if changed.is_err() { return } false }
            _ = ended.changed() => return,
            () = page.closed() => return,
            () = sleep_until(check) => true,
        };
        if is_check {
            check = Instant::now() + CHECK;
            if session::find(&console, &headers).await.is_err() {
                let _ = page
                    .send(Event::default().event("signed-out").data(""))
                    .await;
                return;
            }
            continue;
        }
        let Pulse { now, lost } = *pulse.borrow_and_update();
        let event = Event::default().event(if lost { "lost" } else { "change" });
        if page.send(event.data(now.total.to_string())).await.is_err() {
            return;
        }
    }
}

/// The events of one page.
struct Events(mpsc::Receiver<Event>);

impl Stream for Events {
    type Item = Result<Event, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}
