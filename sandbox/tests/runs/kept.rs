//! Children that wait: one for its order, and confined ones for their next job.
//!
//! Each test is a process of its own, since others run jobs as well.

use std::{
    env,
    fs::{self, File, OpenOptions},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    mem,
    os::fd::{AsFd as _, AsRawFd as _, OwnedFd},
    path::PathBuf,
    process::{self, Command, Stdio},
    time::{Duration, Instant},
};

use libtest_mimic::{Failed, Trial};
use rustix::{
    fs::Mode,
    process::{Pid, Resource, Signal, getrlimit, kill_process, umask},
};
use serde::{Deserialize, Serialize};
use toolwright_sandbox::{Confinement, End, Error, Job, Limit, Network, Repeatable, Sandbox};

use crate::{jobs::Number, programs::until};

/// The argument that makes this program run one of the tests.
const ALONE: &str = "--alone";

/// The argument that makes this program run a job and wait.
const CALLER: &str = "--caller-of-a-kept-child";

/// The tests by their names.
macro_rules! tests {
    ($($name:ident),*) => {
        const TESTS: &[&str] = &[$(stringify!($name)),*];

        async fn run(name: &str) {
            match name {
                $(stringify!($name) => $name().await,)*
                name => panic!("there is no test {name}"),
            }
        }
    };
}

tests!(
    one_ahead,
    equal_rights,
    other_rights,
    handed_files,
    not_kept,
    stopped,
    idle,
    many_jobs,
    leftovers,
    faults,
    dropped,
    killed_caller
);

/// Returns the tests, each in a process of its own.
pub(crate) fn trials() -> Vec<Trial> {
    let trial = |name: &&'static str| {
        let name = *name;
        Trial::test(format!("kept_children_{name}"), move || {
            let status = Command::new(env::current_exe()?)
                .args([ALONE, name])
                .status()?;
            status
                .success()
                .then_some(())
                .ok_or_else(|| Failed::from(status.to_string()))
        })
    };
    TESTS.iter().map(trial).collect()
}

pub(crate) fn test_alone_if_asked() {
    let runtime = || tokio::runtime::Runtime::new().unwrap();
    match env::args().nth(1).as_deref() {
        Some(ALONE) => {
            runtime().block_on(run(&env::args().nth(2).unwrap()));
        }
        Some(CALLER) => {
            println!("{}", runtime().block_on(number(&Confinement::new("/"))));
            std::thread::sleep(Duration::from_secs(60));
        }
        _ => return,
    }
    process::exit(0);
}

impl Repeatable for Number {}

/// Leaves something behind that the next job must not have.
pub(crate) struct Leave;

#[derive(Serialize, Deserialize)]
pub(crate) enum Leftover {
    /// A umask, and a folder.
    State,
    File,
    Memory,
    Cpu,
    Panic,
    Failure,
    Sleep,
    Exit,
    /// Nothing, but it takes a while.
    Nothing,
}

impl Job for Leave {
    const NAME: &'static str = "leave";
    type Input = Leftover;
    type Output = State;

    fn run(leftover: Leftover, _: Vec<OwnedFd>) -> Result<State, String> {
        let state = State::now();
        match leftover {
            Leftover::State => {
                umask(Mode::empty());
                env::set_current_dir("/").unwrap();
            }
            Leftover::File => mem::forget(std::io::stdin().as_fd().try_clone_to_owned().unwrap()),
            Leftover::Memory => drop(std::hint::black_box(vec![1_u8; 64 << 20])),
            Leftover::Cpu => {
                let start = Instant::now();
                while start.elapsed() < Duration::from_millis(600) {
                    std::hint::black_box(1);
                }
            }
            Leftover::Panic => panic!("the job panics"),
            Leftover::Failure => return Err("the job fails".to_owned()),
            Leftover::Sleep => std::thread::sleep(Duration::from_secs(60)),
            Leftover::Exit => process::exit(0),
            Leftover::Nothing => std::thread::sleep(Duration::from_millis(200)),
        }
        Ok(state)
    }
}

impl Repeatable for Leave {}

/// The state of a process in which a job starts.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    process: u32,
    umask: u32,
    folder: PathBuf,
    /// The most open files, and the number of the next one.
    files: (Option<u64>, i32),
    /// The CPU time that it may use in seconds.
    cpu: Option<u64>,
    variables: usize,
}

impl State {
    fn now() -> Self {
        let mask = umask(Mode::empty());
        umask(mask);
        let file = rustix::io::dup(std::io::stdin()).unwrap();
        Self {
            process: process::id(),
            umask: mask.as_raw_mode(),
            folder: env::current_dir().unwrap(),
            files: (getrlimit(Resource::Nofile).current, file.as_raw_fd()),
            cpu: getrlimit(Resource::Cpu).current,
            variables: env::vars_os().count(),
        }
    }
}

async fn number(confinement: &Confinement) -> u32 {
    let sandbox = Sandbox::new();
    sandbox
        .repeat::<Number>("owner", confinement, &(), &[])
        .await
        .unwrap()
}

async fn leave(confinement: &Confinement, leftover: Leftover) -> Result<State, Error> {
    let sandbox = Sandbox::new();
    sandbox
        .repeat::<Leave>("owner", confinement, &leftover, &[])
        .await
}

fn state_of(process: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(") ")?;
    Some(fields.split(' ').next()?.to_owned())
}

/// Checks whether a process is gone, or waits to be forgotten.
fn is_gone(process: u32) -> bool {
    state_of(process).is_none_or(|state| state == "Z")
}

/// Jobs of one owner with equal rights share a child.
async fn equal_rights() {
    let folder = tempfile::tempdir().unwrap();
    let confinement = Confinement::new(folder.path());
    let first = number(&confinement).await;
    for _ in 0..5 {
        assert_eq!(number(&confinement).await, first);
    }
    // Several at a time have several children.
    let slow = async || {
        let done = leave(&confinement, Leftover::Nothing).await;
        done.unwrap().process
    };
    let (one, other) = tokio::join!(slow(), slow());
    assert_ne!(one, other);
    assert!([one, other].contains(&first));
    // A job that is not repeated has a child of its own, and leaves the kept one alone.
    let alone = Sandbox::new()
        .job::<Number>(&confinement, &(), &[])
        .await
        .unwrap();
    assert!(![one, other].contains(&alone));
    assert!(is_gone(alone));
}

/// Jobs with other rights, or of another owner, do not share a child.
async fn other_rights() {
    let folder = tempfile::tempdir().unwrap();
    let confinement = Confinement::new(folder.path());
    let mut all = vec![number(&confinement).await];
    let sandbox = Sandbox::new();
    let other = sandbox
        .repeat::<Number>("other", &confinement, &(), &[])
        .await
        .unwrap();
    all.push(other);
    let changes: [fn(&mut Confinement); 7] = [
        |confinement| confinement.umask = 0o022,
        |confinement| confinement.required.clear(),
        |confinement| confinement.limits.memory += 1,
        |confinement| confinement.limits.cpu += Duration::from_secs(1),
        |confinement| confinement.limits.file_size -= 1,
        |confinement| confinement.limits.open_files -= 1,
        |confinement| confinement.folder = "/".into(),
    ];
    for change in changes {
        let mut confinement = confinement.clone();
        change(&mut confinement);
        all.push(number(&confinement).await);
    }
    // A machine with fewer features.
    let mut support = sandbox.support().unwrap();
    support.ipc = !support.ipc;
    support.ipc &= sandbox.support().unwrap().ipc;
    let sandbox = Sandbox::new().with_support(support);
    all.push(
        sandbox
            .repeat::<Number>("owner", &confinement, &(), &[])
            .await
            .unwrap(),
    );
    let first = all[0];
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 10);
    assert_eq!(number(&confinement).await, first);
}

/// Uses the open files that it has: reads the first one, and writes it to the second one, and tries to open a path.
pub(crate) struct Use;

/// What a job did with its files: its process, and whether it could open anything.
pub(crate) type Used = (u32, Vec<String>);

impl Job for Use {
    const NAME: &'static str = "use";
    type Input = PathBuf;
    type Output = Used;

    fn run(path: PathBuf, files: Vec<OwnedFd>) -> Result<Used, String> {
        let [read, write] = <[OwnedFd; 2]>::try_from(files).unwrap();
        let opened = [
            ("read by path", File::open(&path)),
            (
                "written by path",
                OpenOptions::new().append(true).open(&path),
            ),
            ("created", File::create(path.with_file_name("created"))),
            (
                "reopened to write",
                OpenOptions::new()
                    .write(true)
                    .open(format!("/proc/self/fd/{}", read.as_raw_fd())),
            ),
        ];
        let mut succeeded: Vec<_> = opened
            .into_iter()
            .filter(|(_, opened)| opened.is_ok())
            .map(|(what, _)| what.to_owned())
            .collect();
        let moved = fs::rename(&path, path.with_file_name("moved"));
        succeeded.extend(moved.ok().map(|()| "moved".to_owned()));
        let removed = fs::remove_file(&path);
        succeeded.extend(removed.ok().map(|()| "removed".to_owned()));
        let listed = fs::read_dir(path.parent().unwrap());
        succeeded.extend(listed.ok().map(|_| "listed".to_owned()));
        let mut read = File::from(read);
        succeeded.extend(read.write(b"x").ok().map(|_| "written".to_owned()));
        let mut text = String::new();
        read.read_to_string(&mut text).unwrap();
        File::from(write).write_all(text.as_bytes()).unwrap();
        Ok((process::id(), succeeded))
    }
}

impl Repeatable for Use {}

/// A job has the files that are handed over to it, and no others, and the next one has its own.
async fn handed_files() {
    let folder = tempfile::tempdir().unwrap();
    let confinement = Confinement::new(folder.path());
    let mut children = Vec::new();
    for text in ["one", "two", "three"] {
        let path = |name: &str| folder.path().join(name);
        fs::write(path("from"), text).unwrap();
        let (from, to) = (
            File::open(path("from")).unwrap(),
            File::create(path("to")).unwrap(),
        );
        let files = [from.as_fd(), to.as_fd()];
        let (sandbox, path) = (Sandbox::new(), path("from"));
        let used = sandbox
            .repeat::<Use>("owner", &confinement, &path, &files)
            .await;
        let (child, succeeded) = used.unwrap();
        assert_eq!(succeeded, [""; 0]);
        children.push(child);
        assert_eq!(fs::read_to_string(folder.path().join("to")).unwrap(), text);
    }
    assert_eq!(children, [children[0]; 3]);
}

/// A child that may open files or connections carries out one job.
async fn not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = || folder.path().to_owned();
    let changes: [&dyn Fn(&mut Confinement); 7] = [
        &|confinement| confinement.files.read = vec![path()],
        &|confinement| confinement.files.write = vec![path()],
        &|confinement| confinement.files.execute = vec![path()],
        &|confinement| confinement.files.hidden = vec![path()],
        &|confinement| confinement.files.system = true,
        &|confinement| confinement.network = Network::Ports([1].into()),
        &|confinement| confinement.limits.scratch = 1 << 20,
    ];
    for change in changes {
        let mut confinement = Confinement::new("/");
        change(&mut confinement);
        let child = number(&confinement).await;
        assert!(is_gone(child));
        assert_ne!(number(&confinement).await, child);
    }
}

/// A child that waits has no time of the processor.
async fn stopped() {
    let confinement = Confinement::new("/");
    let child = number(&confinement).await;
    until(|| state_of(child).unwrap() == "T").await;
    assert_eq!(number(&confinement).await, child);
}

/// A child that waits for long ends.
async fn idle() {
    let child = number(&Confinement::new("/")).await;
    until(|| is_gone(child)).await;
    assert_ne!(number(&Confinement::new("/")).await, child);
}

/// A child ends after some jobs.
async fn many_jobs() {
    let confinement = Confinement::new("/");
    let first = number(&confinement).await;
    let mut jobs = 1;
    while number(&confinement).await == first {
        jobs += 1;
    }
    assert_eq!(jobs, 64);
    assert!(is_gone(first));
}

/// A job starts in the same state as in a child of its own, whatever the one before it left.
async fn leftovers() {
    let folder = tempfile::tempdir().unwrap();
    let mut confinement = Confinement::new(folder.path());
    confinement.umask = 0o027;
    let first = leave(&confinement, Leftover::State).await.unwrap();
    assert_eq!(leave(&confinement, Leftover::State).await.unwrap(), first);
    let (mask, path) = (first.umask, fs::canonicalize(folder.path()).unwrap());
    assert_eq!((mask, &first.folder), (0o027, &path));
    for leftover in [Leftover::File, Leftover::Memory, Leftover::Cpu] {
        let before = leave(&confinement, leftover).await.unwrap();
        assert!(is_gone(before.process));
        let after = leave(&confinement, Leftover::State).await.unwrap();
        assert_ne!(after.process, before.process);
        assert_eq!(
            State {
                process: before.process,
                ..after
            },
            before
        );
    }
}

/// A child in which a job fails, or which ends, carries out no other.
async fn faults() {
    let mut confinement = Confinement::new("/");
    confinement.limits.time = Duration::from_secs(2);
    for leftover in [
        Leftover::Panic,
        Leftover::Failure,
        Leftover::Sleep,
        Leftover::Exit,
    ] {
        let child = number(&confinement).await;
        let error = leave(&confinement, leftover).await.unwrap_err();
        assert!(is_gone(child), "{error}");
        assert_ne!(number(&confinement).await, child);
    }
    let error = leave(&confinement, Leftover::Sleep).await.unwrap_err();
    assert!(
        matches!(error, Error::Ended(End::Limit(Limit::Time))),
        "{error}"
    );
}

/// A dropped job takes its child with it.
async fn dropped() {
    let confinement = Confinement::new("/");
    let child = number(&confinement).await;
    tokio::select! {
        ended = leave(&confinement, Leftover::Sleep) => panic!("it ended: {ended:?}"),
        () = until(|| state_of(child).unwrap() == "S") => {}
    }
    until(|| is_gone(child)).await;
}

/// A killed caller takes a stopped child with it.
async fn killed_caller() {
    let own = env::current_exe().unwrap();
    let mut caller = Command::new(own)
        .arg(CALLER)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let output = caller.stdout.take().unwrap();
    BufReader::new(output).read_line(&mut line).unwrap();
    let child = line.trim().parse().unwrap();
    until(|| state_of(child).unwrap() == "T").await;
    caller.kill().unwrap();
    caller.wait().unwrap();
    until(|| is_gone(child)).await;
}

/// Returns the child that waits for its order, as soon as there is one.
async fn spare_child() -> u32 {
    for _ in 0..1_000 {
        let threads = fs::read_dir("/proc/self/task").unwrap();
        let children = threads.flat_map(|thread| {
            let children = fs::read_to_string(thread.unwrap().path().join("children"));
            let children = children.unwrap_or_default();
            children
                .split_whitespace()
                .map(|child| child.parse().unwrap())
                .collect::<Vec<u32>>()
        });
        // It has left the session of this program when it waits.
        let waits = |child: &u32| {
            let stat = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
            let (_, fields) = stat.rsplit_once(") ").unwrap_or_default();
            let mut fields = fields.split(' ');
            fields.next() == Some("S") && fields.nth(2) == Some(&child.to_string())
        };
        if let Some(child) = children.into_iter().find(waits) {
            return child;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no child waits for a job");
}

/// A job has the child that waits for its order, and the next one is started.
async fn one_ahead() {
    let (sandbox, confinement) = (Sandbox::new(), Confinement::new("/"));
    let number = async || sandbox.job::<Number>(&confinement, &(), &[]).await.unwrap();
    let first = number().await;
    let waiting = spare_child().await;
    assert_ne!(waiting, first);
    // It carries out one job.
    assert_eq!(number().await, waiting);
    let next = spare_child().await;
    assert_ne!(next, waiting);
    // A job does not need it.
    let pid = Pid::from_raw(i32::try_from(next).unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    while fs::read_to_string(format!("/proc/{next}/stat")).is_ok_and(|stat| !stat.contains(") Z")) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_ne!(number().await, next);
}
