//! Every document is understood, and every operation becomes a tool or is accounted for.

use std::collections::BTreeSet;

use toolwright_generator::{
    diagnostic::{Diagnostic, Severity},
    ir::{LeftOut, LeftOutBecause},
};

use crate::{documents::Subject, findings::Findings};

/// A document that says which specification it follows generates, with no error; any other is
/// refused with an error that has a place and a fix.
pub(crate) fn document(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    let errors: Vec<&Diagnostic> = subject
        .outcome
        .diagnostics
        .iter()
        .filter(|said| said.severity == Severity::Error)
        .collect();
    let fault = match (subject.declares(), subject.service(), errors.first()) {
        (Some(_), Some(_), None) | (None, None, Some(_)) => None,
        (Some(version), _, error) => Some(format!(
            "it says that it is {version}, and is refused: {}",
            error.map_or("nothing is said", |error| &error.message)
        )),
        (None, service, _) if service.is_some() => Some("it is no OpenAPI, and generates".into()),
        (None, _, _) => Some("it is refused without a word".into()),
    };
    if subject.declares().is_none() {
        let said = errors.first().map(|error| error.message.clone());
        findings.exempt(&subject.name, said.unwrap_or_default());
    }
    findings.check(&subject.name, fault);
    findings
}

/// Every operation is a tool, or is left out with a diagnostic that points at it.
pub(crate) fn operations(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    let Some(service) = subject.service() else {
        return findings;
    };
    let key = |method: &str, path: &str| (method.to_owned(), path.to_owned());
    let tools: BTreeSet<_> = service
        .tools()
        .map(|(_, operation)| key(operation.method.word(), &operation.path))
        .collect();
    let left_out = &service.service().left_out;
    for (method, path) in subject.operations() {
        let what = format!("{}: {method} {path}", subject.name);
        let left = left_out
            .iter()
            .find(|left| left.method.word() == method && left.path == path);
        match left {
            _ if tools.contains(&(method, path)) => findings.hold(),
            None => findings.fail(what, "it is neither a tool nor left out"),
            Some(left) => match said_of(left, subject) {
                None => findings.fail(what, "it is left out without a word"),
                // Those without a name are a matter of names.
                Some(_) if left.why == LeftOutBecause::Unnamed => findings.hold(),
                Some(said) => findings.exempt(what, format!("broken: {}", said.message)),
            },
        }
    }
    findings
}

/// The diagnostic that points at an operation that is left out.
fn said_of<'s>(operation: &LeftOut, subject: &'s Subject) -> Option<&'s Diagnostic> {
    subject.outcome.diagnostics.iter().find(|said| {
        let also = said.secondary.iter();
        let mut places = also.chain([&said.primary]).map(|label| label.place);
        places.any(|place| place == operation.place)
    })
}
