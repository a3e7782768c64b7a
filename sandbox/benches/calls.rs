//! The time of a call in the sandbox, next to that of a plain program in the same run.

use std::{
    error::Error,
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

use toolwright_sandbox::{Confinement, Job, Program, RegisteredJob, Sandbox, serve};

/// The calls of each kind.
const CALLS: usize = 200;

/// Writes a file of one line.
struct Write;

impl Job for Write {
    const NAME: &'static str = "write";
    type Input = PathBuf;
    type Output = ();

    fn run(path: PathBuf) -> Result<(), String> {
        std::fs::write(path, "text\n").map_err(|error| error.to_string())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    serve(&[RegisteredJob::new::<Write>()]);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("file");
    let sandbox = Sandbox::new();
    let program = Program::new("/bin/true", [""; 0]);
    let mut confinement = Confinement::new(folder.path());
    confinement.files = confinement.files.with_system_programs();
    let mut writing = Confinement::new(folder.path());
    writing.files.write = vec![folder.path().to_owned()];
    let (mut plain, mut programs, mut jobs) = (Vec::new(), Vec::new(), Vec::new());
    sandbox.support()?;
    // One call of each kind in turn, so that a busy machine slows all of them.
    for _ in 0..CALLS {
        plain.push(timed(|| {
            Ok(Command::new("/bin/true").status().map(drop)?)
        })?);
        programs.push(timed(|| {
            let run = sandbox.run(&confinement, &program, |_, _| ());
            Ok(runtime.block_on(run).map(drop)?)
        })?);
        jobs.push(timed(|| {
            Ok(runtime.block_on(sandbox.job::<Write>(&writing, &path))?)
        })?);
    }
    let plain = median(plain);
    for (name, time) in [
        ("a plain program", plain),
        ("a program in the sandbox", median(programs)),
        ("a job in the sandbox", median(jobs)),
    ] {
        let ratio = time.as_secs_f64() / plain.as_secs_f64();
        println!(
            "{name:<26} {:>7.2} ms {ratio:>5.1}",
            time.as_secs_f64() * 1000.0
        );
    }
    Ok(())
}

fn timed(call: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<Duration, Box<dyn Error>> {
    let start = Instant::now();
    call()?;
    Ok(start.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
