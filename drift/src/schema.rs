//! Arguments and results. A schema that several tools share is compared once.
//!
//! As with any function, an argument may accept more than before and a result may promise more than
//! before; everything else breaks.

mod alternatives;
mod body;
mod bounds;
mod place;
mod side;
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toolwright_model::{ServiceName, ToolName, ToolSchema, ToolSpec};
use toolwright_schema::Definitions;

use self::{
    place::Place,
    walk::{Edge, Walk},
};
use super::{change::Change, inventory::Tool, report::Collector, subject::Side};

/// A tool of both sides, and its records.
pub(super) type Pair<'a> = (&'a Tool, &'a Tool, &'a ToolSpec, &'a ToolSpec);

/// The schema of an undescribed value.
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

/// The comparison of one service.
struct Service<'a> {
    old: Definitions<'a>,
    new: Definitions<'a>,
    known: BTreeMap<(Side, Edge<'a>), Known<'a>>,
}

/// The comparison of a pair of definitions.
#[derive(Default)]
struct Known<'a> {
    changes: Vec<Change>,
    edges: BTreeSet<Edge<'a>>,
    /// The tools that use the pair.
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
        let output = |spec: &'a ToolSpec| {
            spec.output_schema
                .as_ref()
                .map_or(&ANYTHING, ToolSchema::root)
        };
        let sides = [
            (
                Side::Argument,
                old.input_schema.root(),
                new.input_schema.root(),
            ),
            (Side::Result, output(old), output(new)),
        ];
        for (side, before, after) in sides {
            let place = Place::root(side);
            let (own, edges) = self.walk(side, before, after, &place);
            for change in own {
                found.add_for(tool, change);
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
    ) -> (Vec<Change>, BTreeSet<Edge<'a>>) {
        let mut walk = Walk::new(side, &self.old, &self.new);
        walk.node(old, new, place);
        (walk.changes, walk.edges)
    }

    /// Notes that a tool uses pairs of definitions, and the pairs that they refer to.
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
        let (changes, edges) = self.walk(side, old, new, &place);
        Known {
            changes,
            edges,
            tools: BTreeSet::new(),
        }
    }

    fn finish(self, found: &mut Collector) {
        for known in self.known.into_values() {
            for change in known.changes {
                found.add(change, known.tools.iter().cloned());
            }
        }
    }
}

/// Returns the definitions of all tools.
fn definitions<'a>(specs: impl Iterator<Item = &'a ToolSpec>) -> Definitions<'a> {
    let mut all = BTreeMap::new();
    for schema in specs.flat_map(ToolSpec::schemas) {
        let own = schema.root().get("$defs").and_then(Value::as_object);
        let own = own.into_iter().flatten();
        all.extend(own.map(|(name, schema)| (name.as_str(), schema)));
        schema.shared().reach(schema.root(), &mut all);
    }
    Definitions::new(all)
}
