//! The entry of the child.

use std::{
    env,
    sync::atomic::{AtomicBool, Ordering},
};

use crate::{RegisteredJob, message::CHILD};

/// True after [`serve`] was called.
static SERVED: AtomicBool = AtomicBool::new(false);

/// Makes this process the child of a sandbox if it was started as one, and returns otherwise.
///
/// `main` calls it before anything else: a child must have one thread, and must not open files.
/// A [`Sandbox`](crate::Sandbox) of a program that did not call it refuses to run anything.
pub fn serve(jobs: &[RegisteredJob]) {
    let mut arguments = env::args_os().skip(1);
    let is_child = arguments.next().is_some_and(|first| first == CHILD);
    if !is_child {
        SERVED.store(true, Ordering::Relaxed);
        return;
    }
    #[cfg(target_os = "linux")]
    crate::child::main(jobs);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = jobs;
        std::process::exit(1);
    }
}

/// Checks whether this program can start itself as a child.
pub(crate) fn is_served() -> bool {
    SERVED.load(Ordering::Relaxed)
}
