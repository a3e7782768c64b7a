//! Checks that every document is understood and every operation is accounted for.

use std::collections::BTreeSet;

use toolwright_generator::{
    diagnostic::{Diagnostic, Severity},
    internals::{LeftOut, LeftOutBecause},
};

use crate::{documents::Subject, findings::Findings};

/// Checks that a document with a known specification version generates without an error, and that
/// any other document is rejected with an error.
pub(crate) fn document(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    let errors: Vec<&Diagnostic> = subject
        .outcome
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .collect();
    let fault = match (subject.declares(), subject.service(), errors.first()) {
        (Some(_), Some(_), None) | (None, None, Some(_)) => None,
        (Some(version), _, error) => Some(format!(
            "it declares {version} and is rejected: {}",
            error.map_or("no error is reported", |error| &error.message)
        )),
        (None, service, _) if service.is_some() => Some("it is not OpenAPI but generates".into()),
        (None, _, _) => Some("it is rejected without an error".into()),
    };
    if subject.declares().is_none() {
        let said = errors.first().map(|error| error.message.clone());
        findings.exempt(&subject.name, said.unwrap_or_default());
    }
    findings.check(&subject.name, fault);
    findings
}

/// Checks that every operation is a tool or has a diagnostic that points at it.
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
            Some(left) => match diagnostic_of(left, subject) {
                None => findings.fail(what, "it is left out without a diagnostic"),
                // The sentence `names` covers operations without a name.
                Some(_) if left.why == LeftOutBecause::Unnamed => findings.hold(),
                Some(diagnostic) => {
                    findings.exempt(what, format!("broken: {}", diagnostic.message))
                }
            },
        }
    }
    findings
}

/// Returns the diagnostic that points at an omitted operation.
fn diagnostic_of<'s>(operation: &LeftOut, subject: &'s Subject) -> Option<&'s Diagnostic> {
    subject.outcome.diagnostics.iter().find(|diagnostic| {
        let also = diagnostic.secondary.iter();
        let mut places = also.chain([&diagnostic.primary]).map(|label| label.place);
        places.any(|place| place == operation.place)
    })
}
