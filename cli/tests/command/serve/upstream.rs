//! A service that answers when the test releases it.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};

use crate::support::{NOTES, Project};

/// The time after which a test that waits for an event fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A service on loopback that holds requests until they are released.
pub(crate) struct Upstream {
    url: String,
    state: Arc<(Mutex<State>, Condvar)>,
}

#[derive(Default)]
struct State {
    begun: usize,
    released: bool,
}

impl Upstream {
    /// Starts the service.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state: Arc<(Mutex<State>, Condvar)> = Arc::default();
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { url, state }
    }

    /// A project whose service `memo` is this one.
    pub(crate) fn project(&self) -> Project {
        let project = Project::empty();
        let document = NOTES.replace("http://127.0.0.1:9", &self.url);
        project.write("specs/memo/openapi.yaml", document);
        project
    }

    /// Waits until this many requests have arrived.
    pub(crate) fn wait_for(&self, requests: usize) {
        let (state, changed) = &*self.state;
        let waits = |state: &mut State| state.begun < requests;
        let state = state.lock().unwrap();
        let (state, _) = changed.wait_timeout_while(state, PATIENCE, waits).unwrap();
        assert!(state.begun >= requests, "{} requests", state.begun);
    }

    /// Answers all requests from now on, those that wait first.
    pub(crate) fn release(&self) {
        let (state, changed) = &*self.state;
        state.lock().unwrap().released = true;
        changed.notify_all();
    }
}

fn serve(stream: TcpStream, shared: &(Mutex<State>, Condvar)) {
    let mut stream = BufReader::new(stream);
    loop {
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            if stream.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
        }
        let (state, changed) = shared;
        let mut state = state.lock().unwrap();
        state.begun += 1;
        changed.notify_all();
        drop(changed.wait_while(state, |state| !state.released).unwrap());
        let answer =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]";
        if stream.get_mut().write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}
