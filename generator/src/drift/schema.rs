//! Arguments and results. A schema that several tools share is compared once.
//!
//! The rule is that of any function: an argument may take more than before and a result may
//! promise more than before; everything else breaks.

mod alternatives;
mod body;
mod bounds;
mod place;
mod side;
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use toolwright_model::{ServiceName, ToolName, ToolSpec};

use self::{
    place::Place,
    side::Side,
    walk::{Edge, Walk},
};
use super::{change::Found, inventory::Tool, report::Collector};

/// A tool that is on both sides, and its records.
pub(super) type Pair<'a> = (&'a Tool, &'a Tool, &'a ToolSpec, &'a ToolSpec);

/// The definitions of one side of a service, by name.
type Definitions<'a> = BTreeMap<&'a str, &'a Value>;

/// What is described nowhere may be anything.
static ANYTHING: Value = Value::Bool(true);

pub(super) fn compare(pairs: &[Pair<'_>], found: &mut Collector) {
    let mut services: BTreeMap<&ServiceName, Vec<&Pair<'_>>> = BTreeMap::new();
    for pair in pairs {
        services.entry(pair.1.service()).or_default().push(pair);
    }
    for pairs in services.into_values() {
        let mut service = Service::new(&pairs);
        for pair in pairs {
            service.tool(pair, found);
        }
        service.finish(found);
    }
}

/// What is compared of one service.
struct Service<'a> {
    old: Definitions<'a>,
    new: Definitions<'a>,
    known: BTreeMap<(Side, Edge<'a>), Known<'a>>,
}

/// What is known of a pair of definitions.
#[derive(Default)]
struct Known<'a> {
    found: Vec<Found>,
    edges: BTreeSet<Edge<'a>>,
    /// The tools that it reaches.
    tools: BTreeSet<ToolName>,
}

impl<'a> Service<'a> {
    fn new(pairs: &[&Pair<'a>]) -> Self {
        Self {
            old: definitions(pairs.iter().map(|(_, _, old, _)| *old)),
            new: definitions(pairs.iter().map(|(_, _, _, new)| *new)),
            known: BTreeMap::new(),
        }
    }

    fn tool(&mut self, (_, tool, old, new): &Pair<'a>, found: &mut Collector) {
        let output = |spec: &'a ToolSpec| spec.output_schema.as_ref().unwrap_or(&ANYTHING);
        let sides = [
            (Side::Argument, &old.input_schema, &new.input_schema),
            (Side::Result, output(old), output(new)),
        ];
        for (side, before, after) in sides {
            let place = Place::root(side);
            let (own, edges) = self.walk(side, before, after, &place);
            for change in own {
                found.of(tool, change);
            }
            self.reach(side, edges, tool.name());
        }
    }

    fn walk(
        &self,
        side: Side,
        old: &'a Value,
        new: &'a Value,
        place: &Place,
    ) -> (Vec<Found>, BTreeSet<Edge<'a>>) {
        let mut walk = Walk::new(side, &self.old, &self.new);
        walk.node(old, new, place);
        (walk.found, walk.edges)
    }

    /// Notes that a tool reaches pairs of definitions, and those that they lead to.
    fn reach(&mut self, side: Side, edges: BTreeSet<Edge<'a>>, tool: &ToolName) {
        let mut open: Vec<Edge<'a>> = edges.into_iter().collect();
        while let Some(edge) = open.pop() {
            let key = (side, edge);
            if !self.known.contains_key(&key) {
                let definition = self.definition(side, edge);
                self.known.insert(key, definition);
            }
            if let Some(known) = self.known.get_mut(&key)
                && known.tools.insert(tool.clone())
            {
                open.extend(known.edges.iter().copied());
            }
        }
    }

    fn definition(&self, side: Side, edge: Edge<'a>) -> Known<'a> {
        let (Some(old), Some(new)) = (self.old.get(edge.old), self.new.get(edge.new)) else {
            return Known::default();
        };
        let place = Place::definition(side, edge.old, edge.new);
        let (found, edges) = self.walk(side, old, new, &place);
        Known {
            found,
            edges,
            tools: BTreeSet::new(),
        }
    }

    fn finish(self, found: &mut Collector) {
        for known in self.known.into_values() {
            for change in known.found {
                found.add(change, known.tools.iter().cloned());
            }
        }
    }
}

/// The definitions that any of the tools has a copy of.
fn definitions<'a>(specs: impl Iterator<Item = &'a ToolSpec>) -> Definitions<'a> {
    let schemas =
        specs.flat_map(|spec| std::iter::once(&spec.input_schema).chain(&spec.output_schema));
    let tables = schemas.filter_map(|schema| schema.get("$defs")?.as_object());
    tables
        .flat_map(Map::iter)
        .map(|(name, schema)| (name.as_str(), schema))
        .collect()
}
