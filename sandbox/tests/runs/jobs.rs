//! Jobs: functions of this program.

use std::{
    env, fs,
    net::TcpListener,
    path::PathBuf,
    process::{self, Command},
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};
use toolwright_sandbox::{Confinement, End, Error, Job, Limit, Sandbox};

/// Writes a file.
pub(crate) struct Write;

#[derive(Serialize, Deserialize)]
pub(crate) struct WriteInput {
    path: PathBuf,
    text: String,
}

impl Job for Write {
    const NAME: &'static str = "write";
    type Input = WriteInput;
    type Output = usize;

    fn run(input: WriteInput) -> Result<usize, String> {
        fs::write(&input.path, &input.text).map_err(|error| error.to_string())?;
        Ok(input.text.len())
    }
}

/// Tries something that no job may do.
pub(crate) struct Try;

impl Job for Try {
    const NAME: &'static str = "try";
    type Input = String;
    type Output = String;

    fn run(attempt: String) -> Result<String, String> {
        let error = match attempt.as_str() {
            "process" => Command::new("/bin/true")
                .status()
                .err()
                .map(|error| error.to_string()),
            "thread" => thread::Builder::new()
                .spawn(|| ())
                .err()
                .map(|error| error.to_string()),
            "socket" => TcpListener::bind("127.0.0.1:0")
                .err()
                .map(|error| error.to_string()),
            "environment" => env::vars_os()
                .next()
                .is_none()
                .then(|| "it is empty".to_owned()),
            "time" => {
                thread::sleep(Duration::from_secs(60));
                None
            }
            "cpu" => loop {
                std::hint::black_box(1);
            },
            "memory" => Some(vec![1_u8; 1 << 30].len().to_string()),
            _ => None,
        };
        error.ok_or_else(|| "it succeeded".to_owned())
    }
}

/// Returns the number of its process.
pub(crate) struct Number;

impl Job for Number {
    const NAME: &'static str = "number";
    type Input = ();
    type Output = u32;

    fn run((): ()) -> Result<u32, String> {
        Ok(process::id())
    }
}

/// A job that the program does not have.
struct Absent;

impl Job for Absent {
    const NAME: &'static str = "absent";
    type Input = ();
    type Output = ();

    fn run((): ()) -> Result<(), String> {
        Ok(())
    }
}

pub(crate) async fn writes_in_scope() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("inside")).unwrap();
    let mut confinement = Confinement::new(folder.path().join("inside"));
    confinement.files.write = vec![folder.path().join("inside")];
    let run = async |path: &str| {
        let path = folder.path().join(path);
        let text = "text".to_owned();
        Sandbox::new()
            .job::<Write>(&confinement, &WriteInput { path, text })
            .await
    };
    assert_eq!(run("inside/a").await.unwrap(), 4);
    assert_eq!(
        fs::read_to_string(folder.path().join("inside/a")).unwrap(),
        "text"
    );
    assert!(matches!(run("outside").await, Err(Error::Job(_))));
    assert!(matches!(run("inside/../outside").await, Err(Error::Job(_))));
    assert!(!folder.path().join("outside").exists());
}

async fn attempt(attempt: &str) -> Result<String, Error> {
    let mut confinement = Confinement::new("/");
    confinement.files = confinement.files.with_system_programs();
    confinement.limits.time = Duration::from_secs(4);
    confinement.limits.cpu = Duration::from_secs(1);
    confinement.limits.memory = 64 << 20;
    Sandbox::new()
        .job::<Try>(&confinement, &attempt.to_owned())
        .await
}

pub(crate) async fn starts_nothing() {
    for what in ["process", "thread", "socket", "environment"] {
        attempt(what).await.unwrap();
    }
}

pub(crate) async fn ends_at_limits() {
    let time = attempt("time").await.unwrap_err();
    assert!(
        matches!(time, Error::Ended(End::Limit(Limit::Time))),
        "{time}"
    );
    for what in ["cpu", "memory"] {
        let ended = attempt(what).await.unwrap_err();
        assert!(
            matches!(ended, Error::Ended(End::Signalled(_))),
            "{what}: {ended}"
        );
    }
}

pub(crate) async fn unknown() {
    let error = Sandbox::new()
        .job::<Absent>(&Confinement::new("/"), &())
        .await
        .unwrap_err();
    assert!(error.to_string().contains("no job `absent`"), "{error}");
}

/// Reads a file, and renames another one to it.
pub(crate) struct ReadAndReplace;

impl Job for ReadAndReplace {
    const NAME: &'static str = "read-and-replace";
    type Input = (PathBuf, PathBuf);
    type Output = (Result<String, String>, Result<(), String>);

    fn run((path, other): (PathBuf, PathBuf)) -> Result<Self::Output, String> {
        let read = fs::read_to_string(&path).map_err(|error| error.to_string());
        let replaced = fs::rename(other, path).map_err(|error| error.to_string());
        Ok((read, replaced))
    }
}

/// A path that is hidden below one that may be written is empty, and nothing takes its place.
pub(crate) async fn hidden() {
    let folder = tempfile::tempdir().unwrap();
    let path = |path: &str| folder.path().join(path);
    fs::create_dir(path("secrets")).unwrap();
    for name in ["secrets/key", "key", "other", "new"] {
        fs::write(path(name), "text").unwrap();
    }
    let mut confinement = Confinement::new(folder.path());
    confinement.files.write = vec![folder.path().to_owned()];
    confinement.files.hidden = vec![path("secrets"), path("key"), path("absent")];
    let run = async |name: &str| {
        let input = (path(name), path("new"));
        let sandbox = Sandbox::new();
        let done = sandbox.job::<ReadAndReplace>(&confinement, &input).await;
        done.unwrap()
    };
    let (read, replaced) = run("secrets/key").await;
    assert!(read.is_err() && replaced.is_err(), "{read:?} {replaced:?}");
    let (read, replaced) = run("key").await;
    assert!(read.is_ok_and(|text| text.is_empty()));
    assert!(replaced.is_err());
    assert_eq!(fs::read_to_string(path("key")).unwrap(), "text");
    let (read, replaced) = run("other").await;
    assert_eq!((read.unwrap().as_str(), replaced), ("text", Ok(())));
}

/// Returns the child that waits for a job, as soon as there is one.
async fn waiting_child() -> u32 {
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

/// The argument that makes this program test [`one_ahead`] alone, since other tests run jobs as well.
const ALONE: &str = "--one-ahead";

pub(crate) fn test_alone_if_asked() {
    if env::args().nth(1).is_some_and(|first| first == ALONE) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(one_ahead());
        process::exit(0);
    }
}

pub(crate) async fn one_ahead_alone() {
    let own = env::current_exe().unwrap();
    assert!(Command::new(own).arg(ALONE).status().unwrap().success());
}

async fn one_ahead() {
    let (sandbox, confinement) = (Sandbox::new(), Confinement::new("/"));
    let number = async || sandbox.job::<Number>(&confinement, &()).await.unwrap();
    let first = number().await;
    let waiting = waiting_child().await;
    assert_ne!(waiting, first);
    // It carries out one job.
    assert_eq!(number().await, waiting);
    let next = waiting_child().await;
    assert_ne!(next, waiting);
    // A job does not need it.
    let pid = Pid::from_raw(i32::try_from(next).unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    while fs::read_to_string(format!("/proc/{next}/stat")).is_ok_and(|stat| !stat.contains(") Z")) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_ne!(number().await, next);
}
