//! Validates requests over HTTP with Prism, an independent validator.
//!
//! Calls every tool of every document twice, with the fewest and with all arguments, through the
//! runtime's gates and executor. Prism validates the requests against the vendor's document.

mod caller;
mod exceptions;
mod half;
mod prism;
mod relay;

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    sync::{Mutex, OnceLock, PoisonError},
    time::Instant,
};

use caller::Caller;
use prism::{NoVerdict, Prism};
use relay::Verdict;
use serde_json::Value;
use toolwright::ToolSpec;
use toolwright_tests::{Extent, real::Real};

use crate::{documents::Subject, findings::Findings};

/// The numbers of valid and of all requests, by specification.
static COUNTED: Mutex<BTreeMap<&str, (usize, usize)>> = Mutex::new(BTreeMap::new());

/// Validates the requests of all tools of a document.
pub(crate) fn check(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    let Some(real) = installation() else {
        return findings;
    };
    let Some(document) = &subject.value else {
        return findings;
    };
    if subject.tools.is_empty() {
        findings.exempt(&subject.name, "it has no operation that is a tool");
        return findings;
    }
    let begun = Instant::now();
    let folder = tempfile::tempdir().unwrap();
    let (half, prefixes) = half::reduce(document, subject.path.parent().unwrap());
    let path = folder.path().join("half.json");
    fs::write(&path, half.to_string()).unwrap();
    let caller = Caller::new(subject.tools.clone(), prefixes);
    let judge = || Prism::start(real, &path, &caller.service());
    match judge() {
        Ok(prism) => call_all(subject, &caller, prism, judge, &mut findings),
        Err(NoVerdict(why)) => findings.exempt(&subject.name, format!("Prism rejects it: {why}")),
    }
    count(document, &findings);
    eprintln!(
        "requests of {}: {} of {} in {:.1} s",
        subject.name,
        findings.held,
        findings.judged,
        begun.elapsed().as_secs_f64()
    );
    findings
}

/// Adds a document's results to the figures of its specification.
fn count(document: &Value, findings: &Findings) {
    let swagger = document.get("openapi").is_none();
    let specification = if swagger { "Swagger 2.0" } else { "OpenAPI 3" };
    let mut counted = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let (held, judged) = counted.entry(specification).or_default();
    *held += findings.held;
    *judged += findings.judged;
}

/// Calls each tool. Replaces a validator that crashes.
fn call_all(
    subject: &Subject,
    caller: &Caller,
    mut prism: Prism,
    another: impl Fn() -> Result<Prism, NoVerdict>,
    findings: &mut Findings,
) {
    caller.set_validator(prism.url());
    for tool in &subject.tools {
        for extent in [Extent::Least, Extent::Most] {
            let operation = operation(tool);
            let what = format!("{}: {operation} ({extent:?})", subject.name);
            let fault = match caller.call(tool, extent) {
                Ok(Verdict::Valid) => {
                    findings.hold();
                    continue;
                }
                Ok(Verdict::Refused(why)) => why,
                Ok(Verdict::None(why)) if prism.has_crashed() => {
                    if let Ok(again) = another() {
                        caller.set_validator(again.url());
                        prism = again;
                    }
                    format!("no verdict: Prism ended: {why}")
                }
                Ok(Verdict::None(why)) => format!("no verdict: {why}"),
                Err(why) => format!("not sent: {why}"),
            };
            match exceptions::reason(&subject.name, &operation, &fault) {
                Some(reason) => findings.fail(what, reason),
                None => {
                    eprintln!("  {what}: {fault}");
                    findings.fail_unexplained(what, fault);
                }
            }
        }
    }
}

/// Reports the figures of each specification, and the exceptions that no request needed.
pub(crate) fn report(documents: &[PathBuf]) -> Findings {
    let mut findings = Findings::default();
    if installation().is_none() {
        return findings;
    }
    let counted = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    for (specification, (held, judged)) in &*counted {
        let share = *held as f64 / (*judged).max(1) as f64 * 100.0;
        findings.note(format!(
            "{specification}: {held} of {judged} requests, {share:.2} %"
        ));
    }
    for exception in exceptions::unused(documents) {
        findings.fail_unexplained(exception, "no request is rejected for this reason");
    }
    findings
}

/// Returns a label such as `GET /items/{id}`.
fn operation(tool: &ToolSpec) -> String {
    let binding = tool.http().unwrap();
    format!("{} {}", binding.method, binding.path)
}

/// Returns the validator's installation if these tests are enabled.
fn installation() -> Option<&'static Real> {
    static REAL: OnceLock<Option<Real>> = OnceLock::new();
    let real = REAL.get_or_init(|| {
        let real = Real::if_enabled()?;
        prism::install(&real).unwrap();
        Some(real)
    });
    real.as_ref()
}
