//! The arguments of one tool in the making, and what the overlay pins.

mod names;

use std::collections::BTreeSet;

use serde_json::Value;
use toolwright_model::{Bound, Location};

use crate::{
    diagnostic::{Code, Diagnostic},
    ir::{Argument, types::TypeId},
    source::{Place, Placed},
    spec::overlay::Pin,
};
use names::ArgumentNames;

/// Collects the arguments of one tool.
pub(super) struct Arguments<'p> {
    pins: &'p [&'p Pin],
    hidden: &'p [&'p Placed<String>],
    decided: Decided,
    names: ArgumentNames,
    arguments: Vec<Argument>,
}

/// What the overlay decided of what is sent, and what it could have.
#[derive(Debug, Default)]
pub(super) struct Decided {
    /// The places of the entries that were used.
    pub(super) used: BTreeSet<Place>,
    /// The names on the wire of all that is sent.
    pub(super) wires: BTreeSet<String>,
    /// What cannot be hidden.
    pub(super) faults: Vec<Diagnostic>,
}

/// Something that is sent, before it is an argument.
pub(super) struct Slot<'s> {
    /// Where it is declared.
    pub(super) place: Place,
    /// The name on the wire.
    pub(super) wire: &'s str,
    /// Where it goes: `query`, `body`.
    pub(super) location: &'s str,
    /// Whether the request is impossible without it.
    pub(super) required: bool,
}

/// What the overlay says of something that is sent.
pub(super) enum Decision {
    /// Nothing: it is an argument.
    Argument,
    /// Its value.
    Pinned(Bound),
    /// It is not sent.
    Hidden,
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

impl Decided {
    /// Takes over what was decided of another operation.
    pub(super) fn take(&mut self, other: Self) {
        self.used.extend(other.used);
        self.wires.extend(other.wires);
        self.faults.extend(other.faults);
    }
}

impl<'p> Arguments<'p> {
    /// No arguments yet. Of several pins of the same name the first counts.
    pub(super) fn new(pins: &'p [&'p Pin], hidden: &'p [&'p Placed<String>]) -> Self {
        Self {
            pins,
            hidden,
            decided: Decided::default(),
            names: ArgumentNames::default(),
            arguments: Vec::new(),
        }
    }

    /// What the overlay says of something that is sent. A pin wins over hiding. What is hidden and
    /// has to be sent has its default; without one it cannot be hidden.
    pub(super) fn decide(
        &mut self,
        slot: &Slot<'_>,
        default: impl FnOnce() -> Option<Value>,
    ) -> Decision {
        self.decided.wires.insert(slot.wire.to_owned());
        let is_called = |name: &Placed<String>| slot.is_called(&name.value);
        let pins = self.pins.iter().filter(|pin| is_called(&pin.name));
        let pins: Vec<_> = pins.collect();
        let hidden = self.hidden.iter().filter(|name| is_called(name));
        let hidden: Vec<_> = hidden.collect();
        let places = pins.iter().map(|pin| pin.name.place);
        let places = places.chain(hidden.iter().map(|name| name.place));
        self.decided.used.extend(places);
        match (pins.first(), hidden.first()) {
            (Some(pin), _) => Decision::Pinned(pin.value.clone()),
            (None, None) => Decision::Argument,
            (None, Some(_)) if !slot.required => Decision::Hidden,
            (None, Some(name)) => match default() {
                Some(value) => Decision::Pinned(Bound::Fixed(value)),
                None => {
                    self.decided.faults.push(slot.cannot_be_hidden(name));
                    Decision::Hidden
                }
            },
        }
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

    /// The arguments, required ones first, and what was decided of the others.
    pub(super) fn finish(mut self) -> (Vec<Argument>, Decided) {
        self.arguments.sort_by_key(|argument| !argument.required);
        (self.arguments, self.decided)
    }
}

impl Slot<'_> {
    /// Whether an entry of the overlay speaks of it: `id`, or `query:id` where several have the name.
    fn is_called(&self, name: &str) -> bool {
        let located = name.strip_prefix(self.location);
        let located = located.and_then(|name| name.strip_prefix(':'));
        name == self.wire || located == Some(self.wire)
    }

    fn cannot_be_hidden(&self, name: &Placed<String>) -> Diagnostic {
        let wire = self.wire;
        Diagnostic::error(
            Code::ContradictoryOverlay,
            name.place,
            format!("`{wire}` cannot be hidden: it has to be sent, and has no default"),
        )
        .also(self.place, "declared here as required")
        .help(format!(
            "pin it instead: `[pin]` and `{wire} = {{ value = … }}`"
        ))
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
