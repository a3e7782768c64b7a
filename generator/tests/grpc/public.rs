//! The public protos of Google, from npm: every service, and how its methods are classed with and
//! without the options that declare their effect.
//!
//! With `TOOLWRIGHT_REAL=1`, they are installed below `REAL` (`target/real`). Without it, the test is
//! skipped.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use toolwright_generator::{
    diagnostic::Severity,
    generate::{self, Input, Outcome},
    load::{Disk, FileSystem},
};
use toolwright_model::{Effect, EvidenceSource, ToolSpec};

use super::{OPTIONS, shown};

/// The least part of the methods with GET that are reads by their names and texts alone.
const READS: f64 = 0.98;

/// The files, without the options that declare effects.
#[derive(Clone, Copy)]
struct Blind;

impl FileSystem for Blind {
    fn read(&self, path: &str) -> std::io::Result<Vec<u8>> {
        let bytes = Disk.read(path)?;
        let text = String::from_utf8(bytes).map_err(std::io::Error::other)?;
        let text = without(&text, "option (google.api.http)");
        Ok(without(&text, "option idempotency_level").into_bytes())
    }

    fn real_path(&self, path: &str) -> std::io::Result<PathBuf> {
        Disk.real_path(path)
    }
}

/// Removes the statements that begin like this, with their braces.
fn without(text: &str, option: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(option) {
        kept.push_str(before);
        let mut depth = 0;
        let end = after.char_indices().find(|(_, c)| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            *c == ';' && depth == 0
        });
        let end = end.map_or(after.len(), |(at, c)| at + c.len_utf8());
        rest = after.get(end..).unwrap_or_default();
    }
    kept + rest
}

fn install() -> Option<PathBuf> {
    if env::var_os("TOOLWRIGHT_REAL").is_none_or(|value| value != "1") {
        eprintln!("skipped: the public protos of Google: set TOOLWRIGHT_REAL=1");
        return None;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/real");
    let folder = env::var_os("REAL")
        .map_or(root, PathBuf::from)
        .join("protos");
    fs::create_dir_all(&folder).unwrap();
    let protos = folder.join("node_modules/google-proto-files");
    if !protos.exists() {
        let mut npm = Command::new("npm");
        let arguments = [
            "install",
            "--no-audit",
            "--no-fund",
            "--silent",
            "google-proto-files",
        ];
        let status = npm.args(arguments).current_dir(&folder).status();
        assert!(status.unwrap().success());
    }
    Some(protos)
}

/// Collects the files with services.
fn with_services(folder: &Path, found: &mut Vec<String>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            with_services(&entry, found);
        } else if entry
            .extension()
            .is_some_and(|extension| extension == "proto")
        {
            let text = fs::read_to_string(&entry).unwrap();
            if text.lines().any(|line| line.starts_with("service ")) {
                found.push(entry.to_str().unwrap().to_owned());
            }
        }
    }
}

fn runs(files: &[String], system: &(dyn FileSystem + Sync)) -> Vec<Outcome> {
    let inputs: Vec<Input> = files.iter().map(Input::new).collect();
    generate::run_each(&inputs, OPTIONS, system)
}

/// Returns the tools by the full names of their methods.
fn by_method(outcomes: &[Outcome]) -> BTreeMap<String, ToolSpec> {
    let catalogs = outcomes
        .iter()
        .filter_map(|outcome| outcome.catalog.as_ref());
    let specs = catalogs.flat_map(|catalog| catalog.tool_specs());
    specs
        .map(|spec| (spec.grpc().unwrap().method.clone(), spec))
        .collect()
}

/// The verb that the owner declares.
fn verb(spec: &ToolSpec) -> Option<&str> {
    let mut evidence = spec.evidence.iter();
    let declared = evidence.find(|one| one.source == EvidenceSource::Method)?;
    Some(declared.found.as_str())
}

#[test]
fn every_public_service_becomes_tools_of_the_right_class() {
    let Some(folder) = install() else { return };
    let mut files = Vec::new();
    with_services(&folder.join("google"), &mut files);
    // The versions of the advertising API repeat each other.
    files.retain(|file| !file.contains("googleads/v") || file.contains("googleads/v20"));
    let begun = std::time::Instant::now();
    let open = runs(&files, &Disk);
    let took = begun.elapsed();
    let mut faulty = Vec::new();
    let (mut methods, mut left_out) = (0, BTreeMap::<String, usize>::new());
    for outcome in &open {
        methods += outcome.overviews[0].operations;
        for fault in &outcome.diagnostics {
            if fault.severity == Severity::Error {
                faulty.push(shown(outcome, fault));
            }
            *left_out.entry(fault.code.to_string()).or_default() += 1;
        }
    }
    let blind = by_method(&runs(&files, &Blind));
    let open = by_method(&open);
    let (mut gets, mut reads, mut missed, mut wrong) = (0, 0, Vec::new(), Vec::new());
    let mut lost = Vec::new();
    let mut names = String::new();
    for (method, spec) in &open {
        let Some(blind) = blind.get(method) else {
            lost.push(method.clone());
            continue;
        };
        names.push_str(&format!(
            "{}\t{method}\t{}\t{}\t{}\t{}\n",
            verb(spec).unwrap_or_default(),
            spec.name,
            blind.name,
            spec.effect,
            blind.effect
        ));
        match verb(spec) {
            Some("GET") => {
                gets += 1;
                match blind.effect {
                    Effect::Read => reads += 1,
                    _ => missed.push(method.clone()),
                }
            }
            Some("PUT" | "PATCH" | "DELETE") if blind.effect == Effect::Read => {
                wrong.push(method.clone());
            }
            _ => {}
        }
    }
    if let Some(path) = env::var_os("TOOLWRIGHT_NAMES_FILE") {
        fs::write(path, names).unwrap();
    }
    eprintln!(
        "{} files, {methods} methods, {} tools in {took:.1?}; {reads} of {gets} GET are reads by names and texts; diagnostics: {left_out:?}; missed: {missed:#?}; without a tool if blind: {lost:#?}",
        files.len(),
        open.len()
    );
    assert!(faulty.is_empty(), "{faulty:#?}");
    assert!(wrong.is_empty(), "writes classed as reads: {wrong:#?}");
    assert!(f64::from(reads) >= READS * f64::from(gets));
    assert!(open.len() > 4000, "{}", open.len());
}
