//! The part of each operation in settling a collision.

use std::collections::BTreeMap;

use toolwright_model::{Method, ToolName};

use super::{Unsettled, target::Target};
use crate::language::{facts::nameless, words};

/// The part of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It gets a noun.
    Name,
    /// A person named it, so only a person may change the line.
    Rename,
    /// It keeps its name, and the others change.
    Keep,
    /// It is excluded, since nothing tells it apart from another one.
    Exclude {
        /// The other one.
        twin: String,
    },
}

/// The properties that may tell an operation apart from others of its name.
type Identity = (
    usize,
    Method,
    String,
    Option<String>,
    Vec<String>,
    Vec<String>,
);

/// Decides the roles of operations, in their order.
///
/// One that no line can select keeps its name, and so does one that the lock holds, and the only one
/// that a person named.
pub(super) fn roles(unsettled: &[Unsettled], targets: &[Target]) -> Vec<Role> {
    let both = unsettled.iter().zip(targets);
    let mut roles: Vec<Role> = both.map(role_alone).collect();
    let mut groups: BTreeMap<&ToolName, Vec<usize>> = BTreeMap::new();
    let mut unnamed = Vec::new();
    for (at, one) in unsettled.iter().enumerate() {
        match &one.operation.name {
            Ok(name) => groups.entry(name).or_default().push(at),
            Err(_) => unnamed.push((at, one)),
        }
    }
    exclude_twins(&unnamed, &mut roles);
    for (name, group) in groups {
        if group.len() < 2 {
            continue;
        }
        let of = |at: &usize| unsettled.get(*at);
        let is_selectable = |at: &usize| {
            targets
                .get(*at)
                .is_some_and(|target| target.selector.is_some())
        };
        let is_pinned = |one: &Unsettled| one.operation.operation.is_pinned(name);
        let is_written = |at: &&usize| roles.get(**at) == Some(&Role::Rename);
        let fixed = group
            .iter()
            .find(|at| of(at).is_some_and(is_pinned) || !is_selectable(at));
        let mut written = group.iter().filter(is_written);
        let written = written.next().filter(|_| written.next().is_none());
        let keeper = fixed.or(written).copied();
        let mut members: Vec<(usize, &Unsettled)> =
            group.iter().filter_map(|at| Some((*at, of(at)?))).collect();
        members.sort_by_key(|(at, _)| Some(*at) != keeper);
        let only = exclude_twins(&members, &mut roles);
        if let Some(keeper) = keeper.or(only) {
            set(&mut roles, keeper, Role::Keep);
        }
    }
    roles
}

fn role_alone((one, target): (&Unsettled, &Target)) -> Role {
    if target.has_noun(&one.operation.curation) {
        Role::Rename
    } else {
        Role::Name
    }
}

/// Excludes all but the first of operations that nothing tells apart. Returns the first if all others
/// are excluded.
fn exclude_twins(group: &[(usize, &Unsettled)], roles: &mut [Role]) -> Option<usize> {
    let mut first_of: BTreeMap<Identity, (usize, String)> = BTreeMap::new();
    for (at, one) in group {
        if roles.get(*at) != Some(&Role::Name) {
            continue;
        }
        let operation = &one.operation.operation;
        let endpoint = format!("{} {}", operation.method, operation.path);
        let identity = identity(one);
        match first_of.get(&identity) {
            Some((_, twin)) => set(roles, *at, Role::Exclude { twin: twin.clone() }),
            None => drop(first_of.insert(identity, (*at, endpoint))),
        }
    }
    let stays = |at: &usize| !matches!(roles.get(*at), Some(Role::Exclude { .. }));
    let mut left = group.iter().map(|(at, _)| *at).filter(stays);
    left.next().filter(|_| left.next().is_none())
}

fn identity(one: &Unsettled) -> Identity {
    let facts = &one.operation.facts;
    let keys = facts.path_parameters.iter().flat_map(|key| words(key));
    let query = facts.query_parameters.iter().map(|one| one.name.clone());
    (
        one.service,
        facts.method,
        nameless(&facts.path),
        facts.operation_id.clone(),
        keys.collect(),
        query.collect(),
    )
}

fn set(roles: &mut [Role], at: usize, role: Role) {
    if let Some(one) = roles.get_mut(at) {
        *one = role;
    }
}
