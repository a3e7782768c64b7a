//! The operations that a run leaves out: how many, why, and what to do about them.

use std::collections::BTreeMap;

use toolwright_generator::internals::LeftOutBecause;

use super::Summary;
use crate::{Failure, failure::Code, output::plural};

/// The reasons for which only an exclusion settles an operation, if its document stays as it is.
const EXCLUDABLE: [LeftOutBecause; 2] = [LeftOutBecause::Broken, LeftOutBecause::NotOffered];

/// Describes the operations that are left out: how many and why. `None` if none is.
pub(crate) fn describe(services: &[Summary]) -> Option<String> {
    let reasons = reasons(services);
    if reasons.is_empty() {
        return None;
    }
    let total = plural(reasons.values().sum(), "operation");
    let reasons: Vec<_> = reasons
        .into_iter()
        .map(|(why, count)| format!("{count} {why}"))
        .collect();
    Some(format!("{total} left out: {}", reasons.join(", ")))
}

/// Returns what to do about them.
pub(crate) fn help(services: &[Summary]) -> Vec<String> {
    let missing: usize = services.iter().map(|service| service.missing_lines).sum();
    let reasons = reasons(services);
    let excludable = EXCLUDABLE.iter().filter_map(|why| reasons.get(why.word()));
    let excludable: usize = excludable.sum();
    let mut help = Vec::new();
    if missing > 0 {
        let lines = plural(missing, "missing line");
        help.push(format!(
            "`toolwright generate --fix` adds {lines} to the overlays"
        ));
    }
    if excludable > 0 {
        let operations = plural(excludable, "operation");
        help.push(format!(
            "correct the document, or exclude {operations} with `toolwright generate --fix --exclude-broken`"
        ));
    }
    help
}

/// Fails if operations are left out. The diagnostics about them have been shown.
pub(super) fn refuse(services: &[Summary]) -> Result<(), Failure> {
    let Some(left_out) = describe(services) else {
        return Ok(());
    };
    let failure =
        Failure::new(format!("{left_out}, so nothing was done")).code(Code::InvalidSpecification);
    Err(help(services).into_iter().fold(failure, Failure::help))
}

fn reasons(services: &[Summary]) -> BTreeMap<&str, usize> {
    let mut reasons = BTreeMap::new();
    for (why, count) in services.iter().flat_map(|service| &service.left_out) {
        *reasons.entry(why.as_str()).or_default() += count;
    }
    reasons
}
