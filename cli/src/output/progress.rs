//! The progress of a command, shown on the terminal after one second.

use std::{
    io::{self, IsTerminal, Write},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use toolwright_model::text::escape_invisible;

/// The time before the progress is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// The interval between two frames.
const FRAME: Duration = Duration::from_millis(120);

const SPINNER: [char; 4] = ['|', '/', '-', '\\'];

/// A line on standard error with the progress of a command. It is shown on a terminal only, and is
/// removed when the value is dropped.
pub(crate) struct Progress {
    thread: Option<(Sender<String>, JoinHandle<()>)>,
}

/// The steps that the line shows.
pub(crate) struct Steps(Sender<String>);

impl Progress {
    /// Nothing is shown for the first second.
    pub(crate) fn start() -> Self {
        let thread = io::stderr().is_terminal().then(|| {
            let (sender, receiver) = channel();
            (sender, std::thread::spawn(move || draw(&receiver)))
        });
        Self { thread }
    }

    /// Says what the command is at from now on.
    pub(crate) fn step(&self, text: impl Into<String>) {
        if let Some(steps) = self.steps() {
            steps.step(text);
        }
    }

    /// Returns a way to change the line for others; none if it is not shown. The line stays until they
    /// are dropped.
    pub(crate) fn steps(&self) -> Option<Steps> {
        let (sender, _) = self.thread.as_ref()?;
        Some(Steps(sender.clone()))
    }
}

impl Steps {
    pub(crate) fn step(&self, text: impl Into<String>) {
        // The thread outlives the senders, so the channel is open.
        let _ = self.0.send(escape_invisible(&text.into()).into_owned());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.thread.take() {
            drop(sender);
            // A panic of the drawing thread has been shown by itself.
            let _ = thread.join();
        }
    }
}

/// Draws until the sender is gone.
fn draw(steps: &Receiver<String>) {
    let start = Instant::now();
    let mut text = String::new();
    let mut shown = false;
    for frame in SPINNER.iter().cycle() {
        match steps.recv_timeout(FRAME) {
            Ok(step) => text = step,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if start.elapsed() >= PATIENCE && !text.is_empty() {
            show(&format!("{frame} {text}"));
            shown = true;
        }
    }
    if shown {
        show("");
    }
}

/// Replaces the current line.
fn show(text: &str) {
    let mut stderr = io::stderr().lock();
    // Nothing is lost when the terminal has gone away.
    let _ = write!(stderr, "\r\u{1b}[2K{text}").and_then(|()| stderr.flush());
}
