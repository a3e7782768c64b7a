//! The binding of a domain service's method: the expected service, its address, the timeout, and
//! the accepted types of artifacts and interfaces.

use std::{collections::BTreeMap, fmt::Display};

use toolwright_model::{BodyShape, Bound, EabBinding};

use crate::{
    change::{Change, ChangeKind, State},
    predicate::Predicate,
    subject::{Side, Subject},
};

/// A list of types in the binding, and the kinds of its changes.
struct Types {
    noun: &'static str,
    place: &'static str,
    removed: ChangeKind,
    added: ChangeKind,
}

const ARTIFACTS: Types = Types {
    noun: "artifact",
    place: "/binding/eab/artifact_types",
    removed: ChangeKind::ArtifactTypeRemoved,
    added: ChangeKind::ArtifactTypeAdded,
};

const INTERFACES: Types = Types {
    noun: "interface",
    place: "/binding/eab/interface_types",
    removed: ChangeKind::InterfaceTypeRemoved,
    added: ChangeKind::InterfaceTypeAdded,
};

pub(super) fn compare(before: &EabBinding, after: &EabBinding) -> Vec<Change> {
    // Name every field, so a new one cannot be forgotten here.
    let EabBinding {
        service,
        domain,
        api_version,
        method,
        timeout_seconds,
        params,
        transports,
        artifact_types,
        interface_types,
    } = before;
    let changed = |kind, place, subject| Change::new(kind, place, subject, Predicate::Changed);
    let mut changes = Vec::new();
    changes.extend(identity((service, domain), after));
    if *api_version != after.api_version {
        changes.push(version(before, after));
    }
    if *method != after.method {
        let change = changed(
            ChangeKind::PathChanged,
            "/binding/eab/method",
            "the request path",
        );
        let was = State::described(method, format!("`{}`", before.path()));
        let is = State::described(&after.method, format!("`{}`", after.path()));
        changes.push(change.before(was).after(is));
    }
    if *timeout_seconds != after.timeout_seconds {
        changes.push(timeout(*timeout_seconds, after.timeout_seconds));
    }
    if *transports != after.transports {
        let change = changed(
            ChangeKind::HostChanged,
            "/binding/eab/transports",
            "the address of the service",
        );
        let was = State::described(transports, join_transports(transports));
        let is = State::described(&after.transports, join_transports(&after.transports));
        changes.push(change.before(was).after(is));
    }
    changes.extend(fields(params, &after.params));
    changes.extend(types(&ARTIFACTS, artifact_types, &after.artifact_types));
    changes.extend(types(&INTERFACES, interface_types, &after.interface_types));
    changes
}

/// Compares the service and the domain that must answer.
fn identity((service, domain): (&str, &str), after: &EabBinding) -> Option<Change> {
    if service == after.service && domain == after.domain {
        return None;
    }
    let state = |service: &str, domain: &str| {
        let words = format!("`{service}` of the domain `{domain}`");
        State::described([service, domain], words)
    };
    let change = Change::new(
        ChangeKind::RequestChanged,
        "/binding/eab",
        "the expected service",
        Predicate::Changed,
    );
    let (was, is) = (state(service, domain), state(&after.service, &after.domain));
    Some(change.before(was).after(is))
}

fn version(before: &EabBinding, after: &EabBinding) -> Change {
    let (was, is) = (before.api_version, after.api_version);
    // A service with the old version has everything of the new one.
    let kind = if was.serves(is) {
        ChangeKind::ApiVersionLowered
    } else {
        ChangeKind::ApiVersionRaised
    };
    let subject = "the required API version";
    Change::new(
        kind,
        "/binding/eab/api_version",
        subject,
        Predicate::Changed,
    )
    .before(State::plain(was))
    .after(State::plain(is))
}

fn timeout(was: u64, is: u64) -> Change {
    let kind = if is < was {
        ChangeKind::TimeoutShortened
    } else {
        ChangeKind::TimeoutLengthened
    };
    let state = |seconds: u64| State::described(seconds, format!("{seconds} s"));
    let place = "/binding/eab/timeout_seconds";
    Change::new(kind, place, "the timeout of a call", Predicate::Changed)
        .before(state(was))
        .after(state(is))
}

/// Compares the positions of the arguments in `params`.
fn fields(before: &BodyShape, after: &BodyShape) -> Vec<Change> {
    let (was, is) = (places(before), places(after));
    let state = |field: Option<&str>| {
        let words = match field {
            Some(field) => format!("as the field `{field}`"),
            None => "as all of the params".to_owned(),
        };
        State::described(field, words)
    };
    let moved = was.iter().filter_map(|(argument, old)| {
        let new = is.get(argument).filter(|new| *new != old)?;
        let subject = Subject::field(Side::Argument, *argument);
        let change = Change::new(
            ChangeKind::RequestChanged,
            "/binding/eab/params",
            subject,
            Predicate::Moved,
        );
        Some(change.before(state(*old)).after(state(*new)))
    });
    moved.collect()
}

/// Returns the field of `params` for each argument. `None` stands for all of `params`.
fn places(shape: &BodyShape) -> BTreeMap<&str, Option<&str>> {
    match shape {
        BodyShape::Whole(Bound::Argument(argument)) => [(argument.as_str(), None)].into(),
        BodyShape::Whole(_) => BTreeMap::new(),
        BodyShape::Fields(fields) => fields
            .iter()
            .filter_map(|field| Some((field.value.argument()?, Some(field.name.as_str()))))
            .collect(),
    }
}

fn types(types: &Types, before: &[String], after: &[String]) -> Vec<Change> {
    let change = |kind, name: &str, predicate| {
        let subject = format!("the {} type `{name}`", types.noun);
        Change::new(kind, types.place, subject, predicate)
    };
    let removed = before.iter().filter(|name| !after.contains(name));
    let added = after.iter().filter(|name| !before.contains(name));
    let removed = removed
        .map(|name| change(types.removed, name, Predicate::Removed).before(State::plain(name)));
    let added =
        added.map(|name| change(types.added, name, Predicate::Added).after(State::plain(name)));
    removed.chain(added).collect()
}

fn join_transports(transports: &[impl Display]) -> String {
    let transports = transports.iter();
    let transports: Vec<String> = transports.map(|place| format!("`{place}`")).collect();
    match transports.as_slice() {
        [] => "none".to_owned(),
        transports => transports.join(" or "),
    }
}
