//! The arguments of one tool in the making, and what the overlay pins.

mod names;

use std::collections::BTreeSet;

use serde_json::Value;
use toolwright_model::{
    Bound, Location, ReservedFor, is_reserved_part_header, matches_glob, reserved_field,
    reserved_header,
};

use crate::{
    document::{
        diagnostic::{Code, Diagnostic},
        source::{Place, Placed},
    },
    ir::{Argument, types::TypeId},
    parse::overlay::{Allowance, Curation, Overlay, Pin},
};
use names::ArgumentNames;

/// Collects the arguments of one tool.
pub(super) struct Arguments<'p> {
    words: OverlayEntries<'p>,
    decided: Decided,
    names: ArgumentNames,
    arguments: Vec<Argument>,
}

/// The entries of the overlay for one operation, those that win first.
pub(super) struct OverlayEntries<'p> {
    pins: Vec<&'p Pin>,
    hidden: Vec<&'p Placed<String>>,
    separators: Vec<&'p Allowance>,
}

/// The overlay entries that were used, and the names that they could have.
#[derive(Debug, Default)]
pub(super) struct Decided {
    /// The places of the entries that were used.
    pub(super) used: BTreeSet<Place>,
    /// The names on the wire of all that is sent.
    pub(super) wires: BTreeSet<String>,
    /// The values that cannot be hidden.
    pub(super) faults: Vec<Diagnostic>,
    /// The names on the wire that one operation declares and its tool does not offer.
    pub(super) withheld: Vec<String>,
}

/// Something that is sent, before it is an argument.
pub(super) struct Slot<'s> {
    /// The place of its declaration.
    pub(super) place: Place,
    /// The name on the wire.
    pub(super) wire: &'s str,
    /// Its location: `query`, `body`.
    pub(super) location: &'s str,
    /// True if the request needs it.
    pub(super) required: bool,
}

/// The decision of the overlay about a value in the request.
pub(super) enum SlotDecision {
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

impl<'p> OverlayEntries<'p> {
    /// Returns the entries for an operation: its own, then those of the root.
    pub(super) fn new(curation: &'p Curation, overlay: &'p Overlay) -> Self {
        Self {
            pins: curation.pins.iter().chain(&overlay.pins).collect(),
            hidden: curation.hidden.iter().chain(&overlay.hidden).collect(),
            separators: curation
                .separators
                .iter()
                .chain(&overlay.separators)
                .collect(),
        }
    }

    /// Checks whether the overlay allows separators in a path parameter.
    pub(super) fn allow_separators(&self, wire: &str) -> bool {
        let mut entries = self.separators.iter();
        entries.any(|entry| is_name_of(&entry.name.value, Location::Path.word(), wire))
    }

    /// Checks whether the overlay pins or hides a value in the request.
    pub(super) fn decide(&self, slot: &Slot<'_>) -> bool {
        let is_pinned = self.pins.iter().any(|pin| slot.is_called(&pin.name.value));
        is_pinned || self.hidden.iter().any(|name| slot.matches(&name.value))
    }
}

impl<'p> Arguments<'p> {
    /// No arguments yet. Of several pins of the same name the first counts.
    pub(super) fn new(words: OverlayEntries<'p>) -> Self {
        Self {
            words,
            decided: Decided::default(),
            names: ArgumentNames::default(),
            arguments: Vec::new(),
        }
    }

    /// Returns the overlay's decision about a value. A pin has precedence over hiding. A hidden
    /// value that is required has its default; without one it cannot be hidden.
    pub(super) fn decide(
        &mut self,
        slot: &Slot<'_>,
        default: impl FnOnce() -> Option<Value>,
    ) -> SlotDecision {
        self.decided.wires.insert(slot.wire.to_owned());
        let pins = self.words.pins.iter();
        let pins: Vec<_> = pins.filter(|pin| slot.is_called(&pin.name.value)).collect();
        let hidden = self.words.hidden.iter();
        let hidden: Vec<_> = hidden.filter(|name| slot.matches(&name.value)).collect();
        let places = pins.iter().map(|pin| pin.name.place);
        let places = places.chain(hidden.iter().map(|name| name.place));
        self.decided.used.extend(places);
        match (pins.first(), hidden.first()) {
            (Some(pin), _) => SlotDecision::Pinned(pin.value.clone()),
            (None, None) => match slot.reserved() {
                Some(_) if slot.is_always_sent() => self.withhold(slot),
                Some(reserved) => {
                    self.decided.faults.push(slot.is_reserved(reserved));
                    self.withhold(slot)
                }
                None => SlotDecision::Argument,
            },
            (None, Some(_)) if !slot.required || slot.is_always_sent() => self.withhold(slot),
            (None, Some(name)) => match default() {
                Some(value) => SlotDecision::Pinned(Bound::Fixed(value)),
                None => {
                    self.decided.faults.push(slot.cannot_be_hidden(name));
                    self.withhold(slot)
                }
            },
        }
    }

    fn withhold(&mut self, slot: &Slot<'_>) -> SlotDecision {
        if slot.location != Location::Header.word() {
            self.decided.withheld.push(slot.wire.to_owned());
        }
        SlotDecision::Hidden
    }

    /// Returns the reason for which a path parameter may contain separators, if it may.
    pub(super) fn separators(&mut self, slot: &Slot<'_>) -> Option<String> {
        if slot.location != Location::Path.word() {
            return None;
        }
        let entries = self.words.separators.iter();
        let entries = entries.filter(|entry| slot.is_called(&entry.name.value));
        let entries: Vec<_> = entries.collect();
        let places = entries.iter().map(|entry| entry.name.place);
        self.decided.used.extend(places);
        entries.first().map(|entry| entry.reason.clone())
    }

    /// Returns the names on the wire that the operation declares and the tool does not offer.
    pub(super) fn withheld(&self) -> Vec<String> {
        self.decided.withheld.clone()
    }

    /// Creates an argument, and returns the binding of its value.
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
    /// Returns what it would decide about the request, if no argument may set it.
    pub(super) fn reserved(&self) -> Option<ReservedFor> {
        match Location::from_word(self.location) {
            Some(Location::Header) => reserved_header(self.wire)
                .or_else(|| is_reserved_part_header(self.wire).then_some(ReservedFor::Transfer)),
            Some(Location::Path | Location::Cookie) => None,
            Some(Location::Query | Location::QueryString) | None => reserved_field(self.wire),
        }
    }

    /// Checks whether every request has it, so no argument and no pin is needed.
    pub(super) fn is_always_sent(&self) -> bool {
        self.location == Location::Header.word() && self.wire.eq_ignore_ascii_case("user-agent")
    }

    fn is_reserved(&self, reserved: ReservedFor) -> Diagnostic {
        let (location, wire) = (self.location, self.wire);
        Diagnostic::warning(
            Code::ReservedParameter,
            self.place,
            format!("`{wire}` in the {location} is not offered as an argument"),
        )
        .note(format!(
            "it would let an agent control {}",
            reserved.word()
        ))
        .help(format!(
            "if the service needs it, pin `{wire}` under `[pin]` in the overlay; only you can choose a safe value"
        ))
    }

    /// Checks whether an overlay entry names it: `id`, or `query:id` if several have the name.
    fn is_called(&self, name: &str) -> bool {
        is_name_of(name, self.location, self.wire)
    }

    /// Checks whether a pattern of the overlay matches it: `page*`, `query:*`.
    fn matches(&self, pattern: &str) -> bool {
        let located = strip_location(pattern, self.location);
        matches_glob(pattern, self.wire)
            || located.is_some_and(|pattern| matches_glob(pattern, self.wire))
    }

    fn cannot_be_hidden(&self, name: &Placed<String>) -> Diagnostic {
        let wire = self.wire;
        Diagnostic::error(
            Code::ContradictoryOverlay,
            name.place,
            format!("cannot hide `{wire}`: it is required and has no default"),
        )
        .also(self.place, "declared as required here")
        .help(format!(
            "pin `{wire}` under `[pin]` instead, with a value that suits every request"
        ))
    }
}

/// Checks whether an overlay entry names a value in the request: `id` or `query:id`.
fn is_name_of(name: &str, location: &str, wire: &str) -> bool {
    name == wire || strip_location(name, location) == Some(wire)
}

/// Returns the rest of `query:id` for the location `query`.
fn strip_location<'n>(name: &'n str, location: &str) -> Option<&'n str> {
    name.strip_prefix(location)?.strip_prefix(':')
}

/// Returns the order in which the locations of parameters claim names.
pub(super) const fn rank(location: Location) -> u8 {
    match location {
        Location::Path => 0,
        Location::Query => 1,
        Location::Header => 2,
        Location::Cookie => 3,
        Location::QueryString => 4,
    }
}
