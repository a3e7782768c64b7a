//! A hostile program in the sandbox. Each attempt is made outside first, to see that it can succeed on
//! this machine, and then inside, where it must fail. `docs/sandbox.md` has the table of attempts.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod attempts;
mod place;
mod table;

use std::{env, os::unix::process::CommandExt, process::Command, process::ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};
use toolwright_sandbox::{End, Limit, Sandbox, serve};

use attempts::{ATTEMPTS, Attempt, By, LATE};
use place::{Outcome, Place};

/// The user that has no rights, for whom all attempts are made once more.
const NOBODY: u32 = 65534;

fn main() -> ExitCode {
    serve(&[]);
    let arguments = Arguments::from_args();
    let is_root = rustix::process::geteuid().is_root();
    let mut trials: Vec<Trial> = ATTEMPTS
        .iter()
        .map(|attempt| Trial::test(attempt.name, move || check(attempt, is_root)))
        .collect();
    trials.push(Trial::test("the_table_is_current", table::check));
    if is_root {
        trials.push(Trial::test("as_an_unprivileged_user", all_as_nobody));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Makes an attempt outside and inside.
fn check(attempt: &Attempt, is_root: bool) -> Result<(), Failed> {
    if cfg!(not(target_arch = "x86_64")) {
        println!(
            "{}: skipped, the numbers of system calls are those of x86-64",
            attempt.name
        );
        return Ok(());
    }
    let outside = Place::new()?.outside(attempt)?;
    let is_possible = matches!(outside, Outcome::Succeeded);
    if !is_possible {
        let reason = outside.reason();
        println!("{}: cannot succeed outside either: {reason}", attempt.name);
    }
    let inside = Place::new()?.inside(attempt)?;
    println!("{}: {}", attempt.name, inside.reason());
    match inside {
        Outcome::Succeeded => {
            Err(format!("the attempt to {} succeeded", attempt.description).into())
        }
        Outcome::Failed(error) if is_root && is_possible && !attempt.by.fails_with(error) => {
            Err(format!(
                "{} should stop the attempt, which failed with error {error}",
                attempt.by
            )
            .into())
        }
        Outcome::Ended(end) if attempt.by != By::Limits && end != End::Limit(Limit::Time) => {
            Err(format!("{} should stop the attempt, which {end}", attempt.by).into())
        }
        // The program itself may have no memory left, and report that.
        Outcome::NoEffect(reason) if attempt.by != By::Limits && !LATE.contains(&attempt.name) => {
            Err(format!("the attempt was not made: {reason}").into())
        }
        _ => Ok(()),
    }
}

/// Runs all attempts as a user without rights.
fn all_as_nobody() -> Result<(), Failed> {
    let place = Place::new()?;
    let setuid = place.setuid_program(0, 0)?;
    // The program may be in a folder that only root may enter.
    let program = place.root.path().join("hostile");
    std::fs::copy(env::current_exe()?, &program)?;
    place.open_to_all()?;
    let mut command = Command::new(&program);
    command.uid(NOBODY).gid(NOBODY).current_dir("/");
    command
        .env("TOOLWRIGHT_SETUID", setuid)
        .env_remove("TMPDIR");
    command.env("TOOLWRIGHT_DOCS", table::page());
    let output = command.output()?;
    println!("{}", String::from_utf8_lossy(&output.stdout));
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
}

/// Returns the sandbox of all attempts.
fn sandbox() -> Sandbox {
    Sandbox::new()
}
