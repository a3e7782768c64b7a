//! Jobs: functions of the calling program that run in a child.

use std::os::fd::OwnedFd;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A function that runs in a confined process. It can start no other process and no thread.
pub trait Job {
    /// The name that the child finds it by.
    const NAME: &'static str;
    /// The input.
    type Input: Serialize + DeserializeOwned;
    /// The result.
    type Output: Serialize + DeserializeOwned;

    /// Runs the job, with the open files that the caller has handed over.
    ///
    /// # Errors
    ///
    /// Returns a message for the caller.
    fn run(input: Self::Input, files: Vec<OwnedFd>) -> Result<Self::Output, String>;
}

/// A job that leaves nothing behind in its process but memory that it has freed: no open file, no handler of a
/// signal, and no value that a later job uses. [`Sandbox::repeat`](crate::Sandbox::repeat) runs several of them
/// in one child.
pub trait Repeatable: Job {}

/// The jobs of all linked crates, which [`serve`](crate::serve) finds by itself.
#[linkme::distributed_slice]
pub static JOBS: [RegisteredJob];

/// A job that a program hands to [`serve`](crate::serve).
#[derive(Clone, Copy, Debug)]
pub struct RegisteredJob {
    name: &'static str,
    run: fn(Value, Vec<OwnedFd>) -> Result<Value, String>,
}

impl RegisteredJob {
    /// Registers a job.
    #[must_use]
    pub const fn new<J: Job>() -> Self {
        Self {
            name: J::NAME,
            run: |input, files| {
                let input = serde_json::from_value(input);
                let input = input.map_err(|error| format!("the input is not valid: {error}"))?;
                let output = serde_json::to_value(J::run(input, files)?);
                output.map_err(|error| format!("the result is not JSON: {error}"))
            },
        }
    }

    /// Returns the name of the job.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn run(&self, input: Value, files: Vec<OwnedFd>) -> Result<Value, String> {
        (self.run)(input, files)
    }
}
