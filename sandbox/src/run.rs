//! The side of the caller: a program or a job, from its order to its end.

use std::{io, os::fd::BorrowedFd, path::PathBuf, process::Stdio, sync::OnceLock};

use tokio::time::timeout;

use crate::{
    Confinement, End, Error, Finished, Job, Limit, Repeatable, Stream, Support,
    kept::{self, Kept, Rights},
    message::{self, NextJob, Order, Probe, Report, Task, Work},
    running::{GRACE, Output, Running, command},
    starter,
};

/// A program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The path of the program.
    pub path: PathBuf,
    /// The arguments after the name of the program.
    pub arguments: Vec<String>,
}

/// Starts confined children.
#[derive(Clone, Debug, Default)]
pub struct Sandbox {
    helper: Option<PathBuf>,
    support: Option<Support>,
}

impl Program {
    /// Creates a program with its arguments.
    #[must_use]
    pub fn new<A: Into<String>>(
        path: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            path: path.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
        }
    }
}

impl Support {
    /// Finds out what the machine supports, once for each process.
    ///
    /// # Errors
    ///
    /// Returns an error if the child that tries the features cannot be started.
    pub fn detect() -> Result<Self, Error> {
        static FOUND: OnceLock<Support> = OnceLock::new();
        if let Some(found) = FOUND.get() {
            return Ok(found.clone());
        }
        let found = probe(None)?;
        Ok(FOUND.get_or_init(|| found).clone())
    }
}

impl Sandbox {
    /// Creates a sandbox whose children are this program, which must have called
    /// [`serve`](crate::serve).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a sandbox whose children are another program, which calls [`serve`](crate::serve).
    #[must_use]
    pub fn with_helper(helper: impl Into<PathBuf>) -> Self {
        Self {
            helper: Some(helper.into()),
            ..Self::default()
        }
    }

    /// Uses these features of the machine alone, as if it had no others.
    #[must_use]
    pub fn with_support(mut self, support: Support) -> Self {
        self.support = Some(support);
        self
    }

    /// Returns what the machine supports.
    ///
    /// # Errors
    ///
    /// Returns an error if the child that tries it cannot be started.
    pub fn support(&self) -> Result<Support, Error> {
        match (&self.support, &self.helper) {
            (Some(support), _) => Ok(support.clone()),
            (None, None) => Support::detect(),
            (None, Some(helper)) => probe(Some(helper.clone())),
        }
    }

    /// Runs a program, and passes its output on as it comes. When the future is dropped, all processes
    /// of the program are killed.
    ///
    /// # Errors
    ///
    /// Returns an error if a required layer is missing, or if the program cannot be started. A program
    /// that ends with a code, by a signal or at a limit is no error.
    pub async fn run(
        &self,
        confinement: &Confinement,
        program: &Program,
        output: impl FnMut(Stream, &[u8]),
    ) -> Result<Finished, Error> {
        let support = self.check(confinement)?;
        let order = Order::Watch(Task {
            confinement: confinement.clone(),
            support,
            work: Work::Program(program.path.clone(), program.arguments.clone()),
        });
        // The child kills the program, also if this process is gone; it is not killed itself.
        let mut running = self.start(&order, Output::Read).await?;
        let run = async {
            let exceeded = running.output(confinement.limits.output, output).await?;
            Ok::<_, Error>((exceeded, running.report(None).await?))
        };
        let Ok(ended) = timeout(confinement.limits.time + GRACE, run).await else {
            // The first process of the run ends with the child.
            running.kill().await?;
            return Err(Error::Ended(End::Limit(Limit::Time)));
        };
        match ended? {
            (true, Report::Finished(finished)) => Ok(Finished {
                end: End::Limit(Limit::Output),
                ..finished
            }),
            (false, Report::Finished(finished)) => Ok(finished),
            (_, report) => Err(report.failure()),
        }
    }

    /// Runs a job in a child of its own, and hands open files over to it. When the future is dropped, the child is
    /// killed.
    ///
    /// # Errors
    ///
    /// Returns an error if a required layer is missing, or if the job fails or exceeds a limit.
    pub async fn job<J: Job>(
        &self,
        confinement: &Confinement,
        input: &J::Input,
        files: &[BorrowedFd<'_>],
    ) -> Result<J::Output, Error> {
        let order = Order::Job {
            confinement: confinement.clone(),
            support: self.check(confinement)?,
            job: next_job::<J>(input, files)?,
            is_kept: false,
        };
        let mut running = match self.helper {
            None => starter::start().await?,
            Some(_) => Running::start(self.helper.clone(), Output::None)?,
        };
        running.give(&order).await?;
        running.hand_over(files).await?;
        result::<J>(running.report(Some(confinement.limits.time)).await?)
    }

    /// Runs a job in a child that may have carried out others of the same owner with an equal confinement, and may
    /// carry out more. A child that waits is stopped. It is killed after 64 jobs, when it has waited for 5 seconds,
    /// and when a job of it fails, exceeds a limit, leaves a file open, uses much memory or time, or is dropped.
    ///
    /// A confinement with files, a network or a folder for temporary files has a child for each job, as by
    /// [`Sandbox::job`]: a job that is repeated uses the open files that are handed over to it.
    ///
    /// # Errors
    ///
    /// Returns an error if a required layer is missing, or if the job fails or exceeds a limit.
    pub async fn repeat<J: Repeatable>(
        &self,
        owner: &str,
        confinement: &Confinement,
        input: &J::Input,
        files: &[BorrowedFd<'_>],
    ) -> Result<J::Output, Error> {
        let support = self.check(confinement)?;
        let rights = match self.helper {
            None => Rights::now(owner, confinement, &support),
            Some(_) => None,
        };
        let Some(rights) = rights else {
            return self.job::<J>(confinement, input, files).await;
        };
        let job = next_job::<J>(input, files)?;
        let mut kept = match kept::take(&rights) {
            Some(mut kept) => {
                kept.running.give(&job).await?;
                kept
            }
            None => {
                let order = Order::Job {
                    confinement: confinement.clone(),
                    support,
                    job,
                    is_kept: true,
                };
                let mut running = starter::start().await?;
                running.give(&order).await?;
                Kept::new(running, rights)
            }
        };
        kept.running.hand_over(files).await?;
        let report = kept.running.report(Some(confinement.limits.time)).await?;
        let Report::Kept(output) = report else {
            return result::<J>(report);
        };
        if let Some(mut surplus) = kept::keep(kept) {
            surplus.running.kill().await?;
        }
        result::<J>(Report::Result(Ok(output)))
    }

    /// Returns what the machine supports, if that is all that the confinement requires.
    pub(crate) fn check(&self, confinement: &Confinement) -> Result<Support, Error> {
        let support = self.support()?;
        let missing = support.missing(confinement);
        if missing.is_empty() {
            Ok(support)
        } else {
            Err(Error::Unsupported(missing))
        }
    }

    /// Starts a child and gives it its order.
    pub(crate) async fn start(&self, order: &Order, output: Output) -> Result<Running, Error> {
        let mut running = Running::start(self.helper.clone(), output)?;
        running.give(order).await?;
        Ok(running)
    }
}

fn next_job<J: Job>(input: &J::Input, files: &[BorrowedFd<'_>]) -> Result<NextJob, Error> {
    Ok(NextJob {
        name: J::NAME.to_owned(),
        input: serde_json::to_value(input).map_err(io::Error::from)?,
        files: files.len(),
    })
}

/// Returns the output of a job whose child has ended.
fn result<J: Job>(report: Report) -> Result<J::Output, Error> {
    match report {
        Report::Result(Ok(output)) => Ok(serde_json::from_value(output).map_err(io::Error::from)?),
        Report::Result(Err(message)) => Err(Error::Job(message)),
        report => Err(report.failure()),
    }
}

/// Lets a child find out what the machine supports.
fn probe(helper: Option<PathBuf>) -> Result<Support, Error> {
    if cfg!(not(target_os = "linux")) {
        return Ok(Support::default());
    }
    let (mut command, control) = command(helper)?;
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    drop(command);
    control.set_read_timeout(Some(GRACE))?;
    message::write(&control, &Order::Probe(Probe::Machine))?;
    let report = message::read(&control);
    drop(control);
    child.wait()?;
    match report? {
        Report::Support(support) => Ok(*support),
        report => Err(report.failure()),
    }
}
