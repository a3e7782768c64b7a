//! The arguments of one tool in the making, and what the overlay pins.

use std::collections::BTreeSet;

use serde_json::Value;
use toolwright_model::{Bound, Location};

use super::names::ArgumentNames;
use crate::{
    ir::{Argument, types::TypeId},
    source::Place,
    spec::overlay::Pin,
};

/// Collects the arguments of one tool.
pub(super) struct Arguments<'p> {
    pins: &'p [&'p Pin],
    /// The places of the pins that were used.
    used: Vec<Place>,
    /// What could have been pinned.
    wires: Vec<String>,
    names: ArgumentNames,
    arguments: Vec<Argument>,
}

/// What was pinned, and what could have been.
#[derive(Debug, Default)]
pub(super) struct Pinned {
    /// The places of the pins that were used.
    pub(super) used: BTreeSet<Place>,
    /// The names on the wire of all that is sent.
    pub(super) wires: BTreeSet<String>,
}

/// A value that is sent: what an argument of the tool would be.
pub(super) struct Sent {
    pub(super) place: Place,
    /// The name on the wire.
    pub(super) wire: String,
    pub(super) required: bool,
    pub(super) schema: Value,
    pub(super) ty: TypeId,
}

impl<'p> Arguments<'p> {
    /// No arguments yet. Of several pins of the same name the first counts.
    pub(super) fn new(pins: &'p [&'p Pin]) -> Self {
        Self {
            pins,
            used: Vec::new(),
            wires: Vec::new(),
            names: ArgumentNames::default(),
            arguments: Vec::new(),
        }
    }

    /// The pinned value of what is called so on the wire.
    pub(super) fn pinned(&mut self, wire: &str) -> Option<Bound> {
        self.wires.push(wire.to_owned());
        let pins = self.pins.iter().filter(|pin| pin.name.value == wire);
        let places = pins.clone().map(|pin| pin.name.place);
        self.used.extend(places);
        pins.map(|pin| pin.value.clone()).next()
    }

    /// Makes an argument, and says how its value is found.
    pub(super) fn add(&mut self, sent: Sent, place: &str) -> Bound {
        let name = self.names.claim(&sent.wire, place);
        self.arguments.push(Argument {
            name: name.clone(),
            place: sent.place,
            required: sent.required,
            schema: sent.schema,
            ty: sent.ty,
        });
        Bound::Argument(name)
    }

    /// The arguments, required ones first, and what was pinned.
    pub(super) fn finish(mut self) -> (Vec<Argument>, Pinned) {
        self.arguments.sort_by_key(|argument| !argument.required);
        let pinned = Pinned {
            used: self.used.into_iter().collect(),
            wires: self.wires.into_iter().collect(),
        };
        (self.arguments, pinned)
    }
}

/// The order in which the places of parameters claim names.
pub(super) const fn rank(location: Location) -> u8 {
    match location {
        Location::Path => 0,
        Location::Query => 1,
        Location::Header => 2,
        Location::Cookie => 3,
        Location::QueryString => 4,
    }
}
