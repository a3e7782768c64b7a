//! Programs that tools run. An operator writes each program with its arguments, and an agent chooses values
//! for the places that the operator leaves open.
//!
//! - [`HoleType`] is the type of such a place: no program can read one of its values as an option.
//! - [`Argument`] is an argument with at most one place.
//! - [`confined`] describes the sandbox of a call, as far as the role of the caller decides it.
//! - [`folder`] finds the folders of a repository that a program may use.
//! - [`run`] runs a program to its end.
//!
//! There is no shell, and no string of an agent is ever split into arguments.

mod argument;
pub mod confined;
mod failure;
pub mod folder;
mod hole;
mod run;

pub use argument::Argument;
pub use failure::{Failure, failed, misconfigured};
pub use hole::HoleType;
pub use run::{CommandResult, run};
