//! Compares a call in the sandbox with a plain program: the time, and the CPU time.

use std::{
    error::Error,
    fs::File,
    io::Write as _,
    os::fd::{AsFd as _, OwnedFd},
    process::Command,
    time::{Duration, Instant},
};

use nix::sys::{
    resource::{UsageWho, getrusage},
    time::TimeValLike as _,
};
use toolwright_sandbox::{Confinement, Job, Program, RegisteredJob, Repeatable, Sandbox, serve};

/// The calls of each kind.
const CALLS: usize = 200;

/// A time, and a CPU time.
type Times = (Duration, Duration);

/// Writes one line to the file that it has.
struct Write;

impl Job for Write {
    const NAME: &'static str = "write";
    type Input = ();
    type Output = ();

    fn run((): (), files: Vec<OwnedFd>) -> Result<(), String> {
        let mut files = files.into_iter().map(File::from);
        let written = files.try_for_each(|mut file| file.write_all(b"text\n"));
        written.map_err(|error| error.to_string())
    }
}

impl Repeatable for Write {}

/// The jobs of a child that is kept. The CPU time of a child is known when it has ended.
const JOBS_OF_CHILD: u32 = 64;

fn main() -> Result<(), Box<dyn Error>> {
    serve(&[RegisteredJob::new::<Write>()]);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let folder = tempfile::tempdir()?;
    let file = File::create(folder.path().join("file"))?;
    let files = [file.as_fd()];
    let sandbox = Sandbox::new();
    let program = Program::new("/bin/true", [""; 0]);
    let mut confinement = Confinement::new(folder.path());
    confinement.files = confinement.files.with_system_programs();
    let nothing = Confinement::new(folder.path());
    let (mut plain, mut programs, mut jobs) = (Vec::new(), Vec::new(), Vec::new());
    sandbox.support()?;
    // One call of each kind in turn: a busy machine slows all of them.
    for _ in 0..CALLS {
        plain.push(timed(|| {
            Ok(Command::new("/bin/true").status().map(drop)?)
        })?);
        programs.push(timed(|| {
            let run = sandbox.run(&confinement, &program, |_, _| ());
            Ok(runtime.block_on(run).map(drop)?)
        })?);
        jobs.push(timed(|| {
            Ok(runtime.block_on(sandbox.job::<Write>(&nothing, &(), &files))?)
        })?);
    }
    let repeat = || {
        let job = sandbox.repeat::<Write>("owner", &nothing, &(), &files);
        Ok(runtime.block_on(job)?)
    };
    let (mut repeated, used) = (Vec::new(), children()?);
    for _ in 0..3 * JOBS_OF_CHILD {
        repeated.push(timed(repeat)?);
    }
    let used = children()?.saturating_sub(used) / (3 * JOBS_OF_CHILD);
    for times in &mut repeated {
        times.1 = used;
    }
    for (name, times) in [
        ("a plain program", plain),
        ("a program in the sandbox", programs),
        ("a job in the sandbox", jobs),
        ("a job in a kept child", repeated),
    ] {
        let (time, used) = median(times);
        let [time, used] = [time, used].map(|time| time.as_secs_f64() * 1000.0);
        println!("{name:<26} {time:>7.2} ms, of CPU {used:>6.2} ms");
    }
    Ok(())
}

/// Returns the time of a call, and the CPU time of its processes.
fn timed(call: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<Times, Box<dyn Error>> {
    let (start, used) = (Instant::now(), children()?);
    call()?;
    Ok((start.elapsed(), children()?.saturating_sub(used)))
}

/// Returns the CPU time of the children that have ended.
fn children() -> Result<Duration, Box<dyn Error>> {
    let used = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let times = [used.user_time(), used.system_time()];
    let microseconds = times
        .map(|time| time.num_microseconds())
        .iter()
        .sum::<i64>();
    Ok(Duration::from_micros(u64::try_from(microseconds)?))
}

fn median(times: Vec<Times>) -> Times {
    let (mut times, mut used): (Vec<_>, Vec<_>) = times.into_iter().unzip();
    times.sort_unstable();
    used.sort_unstable();
    let middle = |times: &[Duration]| times.get(times.len() / 2).copied().unwrap_or_default();
    (middle(&times), middle(&used))
}
