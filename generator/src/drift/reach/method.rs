//! How the method of a domain service is reached: which service it has to be, where it is, how long
//! a call may take, and for which types of artifacts and interfaces it is.

use std::{collections::BTreeMap, fmt::Display};

use toolwright_model::{BodyShape, Bound, EabBinding};

use crate::drift::{
    change::{ChangeKind, Found},
    moved,
};

/// Of the types that a service takes or knows: in words, where they are, and the kinds of change.
struct Types {
    what: &'static str,
    place: &'static str,
    removed: ChangeKind,
    added: ChangeKind,
}

const ARTIFACTS: Types = Types {
    what: "artifact",
    place: "/binding/eab/artifact_types",
    removed: ChangeKind::ArtifactTypeRemoved,
    added: ChangeKind::ArtifactTypeAdded,
};

const INTERFACES: Types = Types {
    what: "interface",
    place: "/binding/eab/interface_types",
    removed: ChangeKind::InterfaceTypeRemoved,
    added: ChangeKind::InterfaceTypeAdded,
};

pub(super) fn compare(before: &EabBinding, after: &EabBinding) -> Vec<Found> {
    // Every field is named, so that one that is new is not forgotten here.
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
    let mut found = Vec::new();
    found.extend(identity((service, domain), after));
    if *api_version != after.api_version {
        found.push(version(before, after));
    }
    if *method != after.method {
        let change = moved(
            ChangeKind::PathChanged,
            "/binding/eab/method",
            method,
            &after.method,
        );
        let (was, is) = (before.path(), after.path());
        found.push(change.says(format!("the request goes to `{is}` and went to `{was}`")));
    }
    if *timeout_seconds != after.timeout_seconds {
        found.push(timeout(*timeout_seconds, after.timeout_seconds));
    }
    if *transports != after.transports {
        let place = "/binding/eab/transports";
        let change = moved(
            ChangeKind::HostChanged,
            place,
            transports,
            &after.transports,
        );
        let (was, is) = (listed(transports), listed(&after.transports));
        found.push(change.says(format!("requests go to {is}, and went to {was}")));
    }
    found.extend(fields(params, &after.params));
    found.extend(types(&ARTIFACTS, artifact_types, &after.artifact_types));
    found.extend(types(&INTERFACES, interface_types, &after.interface_types));
    found
}

/// Another service or domain than this one is not called.
fn identity((service, domain): (&str, &str), after: &EabBinding) -> Option<Found> {
    if service == after.service && domain == after.domain {
        return None;
    }
    let change = moved(
        ChangeKind::RequestChanged,
        "/binding/eab",
        [service, domain],
        [&after.service, &after.domain],
    );
    Some(change.says(format!(
        "the service has to be `{}` of the domain `{}`, and had to be `{service}` of `{domain}`",
        after.service, after.domain
    )))
}

fn version(before: &EabBinding, after: &EabBinding) -> Found {
    let (was, is) = (before.api_version, after.api_version);
    // Whatever serves the old version has all of the new one.
    let kind = if was.serves(is) {
        ChangeKind::ApiVersionLowered
    } else {
        ChangeKind::ApiVersionRaised
    };
    let says = format!("the service has to speak version {is} of its API, and had to speak {was}");
    moved(kind, "/binding/eab/api_version", was, is).says(says)
}

fn timeout(was: u64, is: u64) -> Found {
    let kind = if is < was {
        ChangeKind::TimeoutShortened
    } else {
        ChangeKind::TimeoutLengthened
    };
    let says = format!("a call may take {is} s, and could take {was} s");
    moved(kind, "/binding/eab/timeout_seconds", was, is).says(says)
}

/// What stands elsewhere in `params` than it did.
fn fields(before: &BodyShape, after: &BodyShape) -> Vec<Found> {
    let (was, is) = (places(before), places(after));
    let moved_ones = was.iter().filter_map(|(argument, old)| {
        let new = is.get(argument).filter(|new| *new != old)?;
        let change = moved(ChangeKind::RequestChanged, "/binding/eab/params", old, new);
        Some(change.says(format!(
            "`{argument}` is sent as {}, and was as {}",
            named(*new),
            named(*old)
        )))
    });
    moved_ones.collect()
}

/// The arguments, and the field of `params` that each is; none is all of it.
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

fn named(field: Option<&str>) -> String {
    match field {
        Some(field) => format!("the field `{field}`"),
        None => "all of the params".to_owned(),
    }
}

fn types(types: &Types, before: &[String], after: &[String]) -> Vec<Found> {
    let Types {
        what,
        place,
        removed,
        added,
    } = *types;
    let gone = before.iter().filter(|name| !after.contains(name));
    let new = after.iter().filter(|name| !before.contains(name));
    let gone = gone.map(|name| {
        let says = format!("the {what} type `{name}` is gone");
        Found::new(removed, place)
            .before(name.as_str().into())
            .says(says)
    });
    let new = new.map(|name| {
        let says = format!("the {what} type `{name}` is new");
        Found::new(added, place)
            .after(name.as_str().into())
            .says(says)
    });
    gone.chain(new).collect()
}

fn listed(places: &[impl Display]) -> String {
    let places: Vec<String> = places.iter().map(|place| format!("`{place}`")).collect();
    match places.as_slice() {
        [] => "nowhere that is said".to_owned(),
        places => places.join(" or "),
    }
}
