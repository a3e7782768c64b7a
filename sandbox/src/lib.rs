//! Runs programs and jobs in child processes that the kernel confines.
//!
//! A [`Confinement`] states what a child may do: the files that it reads, writes and executes, the TCP
//! ports that it connects to, and its [`Limits`]. A [`Sandbox`] runs one of these within it:
//!
//! - a [`Program`] with its arguments, together with all processes that it starts;
//! - a [`Job`], a function of the calling program that takes and returns JSON, in a process of its own
//!   that can start no other. The caller can hand open files over to it. Several [`Repeatable`] ones, which
//!   have no other file, share a process;
//! - a [`Dialogue`]: a program that the caller talks to over its standard input and output;
//! - a [`Session`]: programs that run one after another, within one sandbox. They can open
//!   [`Connections`] to the caller, and be the calling program itself, as an [`OwnProgram`].
//!
//! The child is the calling program itself, started once more: `main` calls [`serve`] first, with the
//! jobs that the program has. Those in [`JOBS`] need not be named. Such a child has one thread, so it can
//! confine itself before it runs anything. It carries out one order; a program that runs jobs has one more child
//! ready. When a run ends, by itself or at a limit, or is dropped, all of its processes are gone; a child that
//! waits for another repeatable job is stopped.
//!
//! ```no_run
//! use std::path::PathBuf;
//!
//! use toolwright_sandbox::{Confinement, Program, Sandbox, serve};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     serve(&[]);
//!     let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//!     runtime.block_on(async {
//!         let mut confinement = Confinement::new("/srv/project");
//!         confinement.files = confinement.files.with_system_programs();
//!         confinement.files.write = vec![PathBuf::from("/srv/project/target")];
//!         let program = Program::new("/usr/bin/make", ["check"]);
//!         let mut output = Vec::new();
//!         let sandbox = Sandbox::new();
//!         let run = sandbox.run(&confinement, &program, |_, bytes| output.extend_from_slice(bytes));
//!         println!("{:?}", run.await?.end);
//!         Ok(())
//!     })
//! }
//! ```
//!
//! A [`Layer`] that a confinement requires and the machine does not have makes a run fail before
//! anything starts. [`Support`] lists what the machine has.

#[cfg(target_os = "linux")]
mod child;
mod confinement;
mod connections;
mod dialogue;
mod error;
mod job;
mod kept;
mod message;
mod own_program;
mod run;
mod running;
mod serve;
mod session;
mod starter;
mod support;

pub use confinement::{Confinement, Files, Limits, Network, SCRATCH};
pub use connections::{Connections, connect};
pub use dialogue::Dialogue;
pub use error::Error;
pub use job::{JOBS, Job, RegisteredJob, Repeatable};
pub use message::{End, Finished, Limit, Usage};
pub use own_program::{OwnProgram, PROGRAMS};
pub use run::{Program, Sandbox};
pub use running::Stream;
pub use serve::serve;
pub use session::{Output, Session, Step};
pub use support::{Feature, Support};
pub use toolwright_model::SandboxLayer as Layer;
