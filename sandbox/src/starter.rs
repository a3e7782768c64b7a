//! The thread that starts the children of jobs, and has one ready: the start takes about as long as a small job.
//!
//! It lasts as long as the program. The kernel kills a child that is kept for further jobs when this thread ends.

use std::{
    sync::{
        OnceLock,
        mpsc::{self, Receiver, Sender},
    },
    thread,
};

use tokio::{runtime::Handle, sync::oneshot};

use crate::{
    Error,
    running::{Origin, Output, Running},
};

/// A request for a child, of a task of this runtime.
struct Request {
    runtime: Handle,
    reply: oneshot::Sender<Result<Running, Error>>,
}

/// Returns a child that waits for its order.
pub(crate) async fn start() -> Result<Running, Error> {
    let (reply, child) = oneshot::channel();
    let runtime = Handle::current();
    let sent = requests()?.send(Request { runtime, reply });
    let ended = || Error::Setup("the thread that starts children has ended".to_owned());
    sent.map_err(|_| ended())?;
    child.await.map_err(|_| ended())?
}

fn requests() -> Result<&'static Sender<Request>, Error> {
    static REQUESTS: OnceLock<Sender<Request>> = OnceLock::new();
    if let Some(requests) = REQUESTS.get() {
        return Ok(requests);
    }
    let (sender, receiver) = mpsc::channel();
    let name = "toolwright-sandbox".to_owned();
    thread::Builder::new()
        .name(name)
        .spawn(|| serve(receiver))?;
    // If two calls come here at once, the thread of the later one ends: it has no sender.
    Ok(REQUESTS.get_or_init(|| sender))
}

/// Answers requests, and has a child ready for the next one.
fn serve(requests: Receiver<Request>) {
    let mut spare: Option<(Origin, Running)> = None;
    for request in requests {
        let _runtime = request.runtime.enter();
        let origin = Origin::now();
        let ready = spare.take();
        let ready = ready.filter(|(of, _)| *of == origin);
        let ready = ready.and_then(|(_, mut child)| child.is_alive().then_some(child));
        let child = ready.map_or_else(|| Running::start(None, Output::None), Ok);
        // If nobody waits any more, the child ends.
        let _ = request.reply.send(child);
        // Without a spare child, the next request starts one, or reports why it cannot.
        spare = Running::start(None, Output::None)
            .ok()
            .map(|child| (origin, child));
    }
}
