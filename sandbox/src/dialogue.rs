//! Programs that the caller talks to over their standard input and output.

use std::os::{fd::OwnedFd, unix::net::UnixStream as BlockingStream};

use tokio::net::UnixStream;

use crate::{
    Confinement, Error, Finished, Program, Sandbox,
    message::{Order, Report, Task, Work},
    running::{GRACE, Output, Running},
};

/// A program that runs. When it is dropped, all processes of the program are killed.
#[derive(Debug)]
pub struct Dialogue {
    running: Running,
}

impl Sandbox {
    /// Starts a program whose standard input and output are a socket to the caller. Its standard error is
    /// discarded. The limit of output does not apply, since the caller reads at its own pace.
    ///
    /// # Errors
    ///
    /// Returns an error if a required layer is missing, or if the child cannot be started. A program that
    /// cannot be started closes the socket, and [`Dialogue::finish`] returns the reason.
    pub async fn talk(
        &self,
        confinement: &Confinement,
        program: &Program,
    ) -> Result<(UnixStream, Dialogue), Error> {
        let support = self.check(confinement)?;
        let order = Order::Watch(Task {
            confinement: confinement.clone(),
            support,
            work: Work::Dialogue(program.path.clone(), program.arguments.clone()),
        });
        let (ours, theirs) = BlockingStream::pair()?;
        let running = self
            .start(&order, Output::Socket(OwnedFd::from(theirs)))
            .await?;
        ours.set_nonblocking(true)?;
        Ok((UnixStream::from_std(ours)?, Dialogue { running }))
    }
}

impl Dialogue {
    /// Returns how the program ended, after it has closed its output.
    ///
    /// # Errors
    ///
    /// Returns an error if the program was not started, or does not end soon.
    pub async fn finish(mut self) -> Result<Finished, Error> {
        match self.running.report(Some(GRACE)).await? {
            Report::Finished(finished) => Ok(finished),
            report => Err(report.failure()),
        }
    }
}
