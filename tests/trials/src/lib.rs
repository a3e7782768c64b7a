//! Asynchronous tests in a program with a `main` of its own.
//!
//! The child of a sandbox is the program itself, started once more: its `main` calls
//! `toolwright_sandbox::serve` first, which the harness of `#[test]` does not do.

use std::{fs, io, process::ExitCode};

pub use libtest_mimic::Trial;
use libtest_mimic::{Arguments, Failed};

/// Creates a test of an asynchronous function.
pub fn trial<F: Future<Output = ()> + 'static>(name: &str, test: fn() -> F) -> Trial {
    let run = move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        runtime.block_on(test());
        Ok::<_, Failed>(())
    };
    Trial::test(name, run)
}

/// Creates tests of asynchronous functions, named by their paths.
#[macro_export]
macro_rules! trials {
    ($($test:path),* $(,)?) => {
        vec![$($crate::trial(stringify!($test), $test)),*]
    };
}

/// Runs tests as the arguments of the program ask for.
#[must_use]
pub fn run(trials: Vec<Trial>) -> ExitCode {
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Returns the number of processes of the machine that are `sleep` with this time. Other processes may have
/// the time somewhere in their arguments, such as a compiler in a hash.
///
/// # Errors
///
/// If the machine does not list its processes.
pub fn sleeping(time: &str) -> io::Result<usize> {
    let end = format!("sleep\0{time}\0");
    let lines = fs::read_dir("/proc")?
        .flatten()
        .filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    Ok(lines.filter(|line| line.ends_with(end.as_bytes())).count())
}
