//! Programs of a session that are functions of the calling program.

use crate::message::OWN_PROGRAM;

/// The programs of all linked crates, which [`serve`](crate::serve) finds by itself.
#[linkme::distributed_slice]
pub static PROGRAMS: [OwnProgram];

/// A function that a process of a session runs in place of the calling program's `main`.
#[derive(Clone, Copy, Debug)]
pub struct OwnProgram {
    name: &'static str,
    run: fn(&[String]) -> i32,
}

impl OwnProgram {
    /// Creates a program of a name. The function receives its arguments, and returns
    /// its exit code.
    #[must_use]
    pub const fn new(name: &'static str, run: fn(&[String]) -> i32) -> Self {
        Self { name, run }
    }

    /// Returns the words of its command line, in a session whose confinement permits it: see
    /// [`Files::own_program`](crate::Files::own_program).
    #[must_use]
    pub const fn command_line(&self) -> [&'static str; 3] {
        // The first process of the session is the calling program.
        ["/proc/1/exe", OWN_PROGRAM, self.name]
    }
}

/// Runs the program of a name, and returns its exit code. Returns none if there is none.
pub(crate) fn run(name: &str, arguments: &[String]) -> Option<i32> {
    let program = PROGRAMS.iter().find(|program| program.name == name)?;
    Some((program.run)(arguments))
}
