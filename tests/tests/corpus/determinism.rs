//! Checks that a second run in another order and environment generates the same bytes.

use std::{
    collections::BTreeMap,
    env,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Mutex,
};

use toolwright_generator::{
    check::CheckedService,
    emit::{self, CrateOptions},
    generate::{self, Input, Options, Unnameable},
    load::Disk,
};

use crate::{
    documents::{self, Subject},
    findings::Findings,
};

/// The variable that starts the second run.
const AGAIN: &str = "TOOLWRIGHT_CORPUS_AGAIN";

/// The digests of the first run by document name.
static FIRST: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// Records the digest of a document's output.
pub(crate) fn record(subject: &Subject) -> Findings {
    if let Some(service) = subject.service() {
        let mut first = FIRST.lock().unwrap();
        first.insert(subject.name.clone(), digest(service));
    }
    Findings::default()
}

/// Generates everything again in another process: in reverse order, each document after another
/// one, in another time zone and locale.
pub(crate) fn compare(paths: &[PathBuf]) -> Findings {
    let ran = Command::new(env::current_exe().unwrap())
        .args(paths)
        .env(AGAIN, "1")
        .env("TZ", "Pacific/Kiritimati")
        .env("LC_ALL", "tr_TR.UTF-8")
        .env("SOURCE_DATE_EPOCH", "1")
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let lines = String::from_utf8(ran.stdout).unwrap();
    let second: BTreeMap<&str, &str> = lines
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let mut findings = Findings::default();
    for (document, first) in FIRST.lock().unwrap().iter() {
        let same = second.get(document.as_str()) == Some(&first.as_str());
        let fault = (!same).then(|| "the second run produces other bytes".to_owned());
        findings.check(document, fault);
    }
    findings
}

/// Performs the second run if the environment requests it.
pub(crate) fn is_second_run() -> bool {
    if env::var_os(AGAIN).is_none() {
        return false;
    }
    let mut paths: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    paths.reverse();
    for (index, path) in paths.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| paths.get(before));
        if let Some(digest) = digest_after(path, before.map(PathBuf::as_path)) {
            println!("{}\t{digest}", documents::name(path));
        }
    }
    true
}

/// Generates a document after another one of a different service, and returns the digest.
fn digest_after(path: &Path, before: Option<&Path>) -> Option<String> {
    let options = Options {
        unnameable: Unnameable::LeaveOut,
        ..Options::default()
    };
    let input = |path: &Path| Input::new(path.to_str().unwrap());
    let together = before.and_then(|before| {
        let outcome = generate::run(&[input(before), input(path)], options, &Disk);
        outcome
            .catalog
            .map(|catalog| digest(&catalog.services()[1]))
    });
    together.or_else(|| {
        let catalog = generate::run(&[input(path)], options, &Disk).catalog?;
        Some(digest(&catalog.services()[0]))
    })
}

fn digest(service: &CheckedService) -> String {
    let mut hasher = DefaultHasher::new();
    for (path, content) in emit::standalone(service, &CrateOptions::default()).iter() {
        (path, content).hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}
