//! The entry of the child.

use std::{
    env, process,
    sync::atomic::{AtomicBool, Ordering},
};

use crate::{
    RegisteredJob,
    message::{CHILD, OWN_PROGRAM},
    own_program,
};

/// True after [`serve`] was called.
static SERVED: AtomicBool = AtomicBool::new(false);

/// Makes this process the child of a sandbox if it was started as one, and returns otherwise.
///
/// `main` calls it before anything else: a child must have one thread, and must not open files.
/// A [`Sandbox`](crate::Sandbox) of a program that did not call it refuses to run anything.
pub fn serve(jobs: &[RegisteredJob]) {
    let mut arguments = env::args_os().skip(1);
    let first = arguments.next();
    if first.as_ref().is_some_and(|first| first == OWN_PROGRAM) {
        let arguments: Vec<String> = arguments
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect();
        let (name, arguments) = arguments.split_first().unzip();
        let name = name.map_or("", String::as_str);
        process::exit(own_program::run(name, arguments.unwrap_or_default()).unwrap_or(127));
    }
    if first.is_none_or(|first| first != CHILD) {
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
