//! Delivers a notification to a command of the operator's, which reads it from standard input.
//!
//! Nothing of a call is in the arguments or the environment of the command. The command leads a
//! process group of its own, which is killed when the command has ended or its time is over. The
//! command is reaped after that: as long as it is not, no other process gets the number of the group.

use std::{
    env, io,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use tokio::{
    io::AsyncWriteExt as _,
    process::{Child, Command},
    sync::watch,
    time::{Instant, sleep, timeout_at},
};

use super::event::Notification;
use crate::config::CommandConfig;

/// The path of programs that a command receives.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The interval between two looks whether a command has ended.
const LOOK: Duration = Duration::from_millis(10);

/// How a command ended.
enum Ended {
    Itself,
    OutOfTime,
    Stopped,
}

/// Runs the command. Returns the reason if it fails.
pub(super) async fn run(
    config: &CommandConfig,
    notification: &Notification,
    stopped: &watch::Receiver<bool>,
) -> Result<(), String> {
    let deadline = Instant::now() + config.timeout;
    let child = start(config);
    let mut child = child.map_err(|error| format!("the command cannot be started: {error}"))?;
    // A command need not read its input.
    let _ = timeout_at(deadline, feed(&mut child, &notification.body)).await;
    let ended = wait(&mut child, deadline, stopped).await;
    let status = end(&mut child).await;
    let status = status.map_err(|error| format!("the command cannot be ended: {error}"))?;
    match ended {
        Ended::Itself if status.success() => Ok(()),
        Ended::Itself => Err(format!("the command failed: {status}")),
        Ended::OutOfTime => Err(format!(
            "the command was killed: it took more than {} s",
            config.timeout.as_secs()
        )),
        Ended::Stopped => Err("the command was killed: the program ended".to_owned()),
    }
}

fn start(config: &CommandConfig) -> io::Result<Child> {
    let Some((program, arguments)) = config.argv.split_first() else {
        return Err(io::Error::other("`argv` is empty"));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .env("PATH", PATH)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    for name in &config.environment {
        if let Some(value) = env::var_os(name) {
            command.env(name, value);
        }
    }
    #[cfg(unix)]
    command.process_group(0);
    command.spawn()
}

/// Writes the event to the command's standard input, and closes it.
async fn feed(child: &mut Child, body: &str) -> io::Result<()> {
    let Some(mut input) = child.stdin.take() else {
        return Ok(());
    };
    input.write_all(body.as_bytes()).await?;
    input.write_all(b"\n").await?;
    input.shutdown().await
}

/// Waits for the end of the command, and leaves it to be reaped.
async fn wait(child: &mut Child, deadline: Instant, stopped: &watch::Receiver<bool>) -> Ended {
    loop {
        if has_ended(child) {
            return Ended::Itself;
        }
        if *stopped.borrow() {
            return Ended::Stopped;
        }
        if Instant::now() >= deadline {
            return Ended::OutOfTime;
        }
        sleep(LOOK).await;
    }
}

/// Kills what is left of the command's process group, and reaps the command.
async fn end(child: &mut Child) -> io::Result<ExitStatus> {
    kill_group(child);
    // It fails if the command has ended.
    let _ = child.start_kill();
    child.wait().await
}

/// Checks whether the command has ended, without reaping it.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
fn has_ended(child: &mut Child) -> bool {
    use nix::{
        errno::Errno,
        sys::wait::{Id, WaitPidFlag, WaitStatus, waitid},
    };
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    match process_of(child).map(|process| waitid(Id::Pid(process), flags)) {
        Some(Ok(WaitStatus::StillAlive) | Err(Errno::EINTR)) => false,
        Some(_) | None => true,
    }
}

/// Checks whether the command has ended. It is then reaped, and its group is left alone.
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

/// Returns the number of the command, which is that of its group; none if it was reaped.
#[cfg(unix)]
fn process_of(child: &Child) -> Option<nix::unistd::Pid> {
    let process = i32::try_from(child.id()?).ok()?;
    Some(nix::unistd::Pid::from_raw(process))
}

fn kill_group(child: &Child) {
    #[cfg(unix)]
    if let Some(group) = process_of(child) {
        // It fails if no process of the group is left.
        let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
    }
    #[cfg(not(unix))]
    let _ = child;
}
