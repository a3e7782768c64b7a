//! The table of types under construction: ids first, bodies from a queue, so recursion and depth of
//! a document do not matter.

use std::collections::{BTreeMap, HashMap, VecDeque};

use foldhash::fast::RandomState;
use toolwright_schema::is_secret;

use super::{
    Direction, LoweredSchemas, NameHint, SchemaLowering,
    graph::{Graph, Key, Parts, SPENT, Settled},
    knots, scalars,
    view::View,
    work::Owner,
};
use crate::{
    document::{
        diagnostic::{Code, Diagnostic},
        documents::Documents,
        source::Place,
        tree::Node,
    },
    ir::{
        rust_names::{self, Scope},
        types::{Shape, Type, TypeId, Types},
    },
};

/// Names that the emitted code itself uses.
const RESERVED: [&str; 12] = [
    "Option", "String", "Vec", "Box", "Clone", "Default", "Into", "From", "Codec", "Word", "Some",
    "BTreeMap",
];

/// The identity of a type: its parts, and the direction if it matters.
type TypeKey = (Vec<(Key, bool)>, Option<Direction>);

/// The table of types while it is being made.
#[derive(Debug)]
pub(super) struct Table<'a> {
    pub(super) types: Types,
    known: HashMap<TypeKey, TypeId, RandomState>,
    nullable: BTreeMap<TypeId, TypeId>,
    secret: BTreeMap<TypeId, TypeId>,
    leaves: BTreeMap<String, TypeId>,
    /// Types that are the same as another.
    same: Vec<(TypeId, TypeId)>,
    names: Scope,
    /// The names that are kept for the schemas with a name.
    kept: BTreeMap<Key, String>,
    /// The items that get a name of these words after all types are known.
    nameless: Vec<(TypeId, String)>,
    queue: VecDeque<Job<'a>>,
}

/// A type whose body is still to be made.
#[derive(Clone, Debug)]
pub(super) struct Job<'a> {
    pub(super) id: TypeId,
    pub(super) place: Place,
    pub(super) parts: Parts<'a>,
    pub(super) view: View<'a>,
    /// The schema whose work it is.
    pub(super) owner: Owner,
    /// The words of its name, and of the names of its parts.
    pub(super) hint: NameHint,
    pub(super) direction: Direction,
    /// True if it differs in the other direction.
    pub(super) partial: bool,
    /// True for one of several types of a schema, which does not get its name.
    pub(super) is_inner: bool,
}

impl<'a> Table<'a> {
    pub(super) fn new(graph: &Graph<'a>) -> Self {
        let mut names = Scope::with(&RESERVED);
        let mut kept = BTreeMap::new();
        let mut named: Vec<_> = graph.named().collect();
        named.sort_by_key(|(_, name)| *name);
        for (key, name) in named {
            kept.insert(key, names.type_name(name));
        }
        Self {
            types: Types::default(),
            known: HashMap::default(),
            nullable: BTreeMap::new(),
            secret: BTreeMap::new(),
            leaves: BTreeMap::new(),
            same: Vec::new(),
            names,
            kept,
            nameless: Vec::new(),
            queue: VecDeque::new(),
        }
    }

    pub(super) fn add(&mut self, place: Place, shape: Shape) -> TypeId {
        self.types.add(Type {
            name: None,
            docs: String::new(),
            place,
            shape,
        })
    }

    /// The one type of a shape that has neither name nor parts.
    pub(super) fn leaf(&mut self, place: Place, shape: Shape) -> TypeId {
        if !matches!(
            shape,
            Shape::Any(None)
                | Shape::Null
                | Shape::Bool
                | Shape::Integer
                | Shape::Unsigned
                | Shape::Number
                | Shape::String
                | Shape::Formatted(_)
                | Shape::Bytes
                | Shape::File
                | Shape::Download
        ) {
            return self.add(place, shape);
        }
        let key = format!("{shape:?}");
        if let Some(id) = self.leaves.get(&key) {
            return *id;
        }
        let id = self.add(place, shape);
        self.leaves.insert(key, id);
        id
    }

    /// The type or null.
    pub(super) fn nullable(&mut self, place: Place, inner: TypeId) -> TypeId {
        if let Some(id) = self.nullable.get(&inner) {
            return *id;
        }
        // A type of any value includes null.
        if self.is_silent(inner) {
            return inner;
        }
        let id = self.add(place, Shape::Nullable(inner));
        self.nullable.insert(inner, id);
        id
    }

    /// The type, whose values are secrets. Null is none.
    fn secret(&mut self, place: Place, inner: TypeId) -> TypeId {
        match self.types.shape(inner) {
            Some(Shape::Secret(_)) => return inner,
            Some(Shape::Nullable(value)) => {
                let value = *value;
                let secret = self.secret(place, value);
                return self.nullable(place, secret);
            }
            _ => {}
        }
        if let Some(id) = self.secret.get(&inner) {
            return *id;
        }
        let id = self.add(place, Shape::Secret(inner));
        self.secret.insert(inner, id);
        id
    }

    /// Says that a type is the same as another.
    pub(super) fn alias(&mut self, id: TypeId, of: TypeId) {
        self.same.push((id, of));
    }

    /// Gives an item a name of its own after all types are known.
    pub(super) fn name_later(&mut self, id: TypeId, words: &str) {
        self.nameless.push((id, words.to_owned()));
    }

    /// Names the items that have no name yet. Those with equal names are ordered by their
    /// pointers, so that no name depends on the order of a document.
    fn name_items(&mut self, documents: &Documents) {
        let nameless = std::mem::take(&mut self.nameless);
        let mut groups: BTreeMap<String, Vec<(TypeId, String)>> = BTreeMap::new();
        for (id, words) in nameless {
            let group = groups.entry(rust_names::type_name(&words)).or_default();
            group.push((id, words));
        }
        for mut group in groups.into_values() {
            if group.len() > 1 {
                group.sort_by_cached_key(|(id, words)| {
                    let place = self.types.get(*id).map(|ty| ty.place);
                    let pointer = place.and_then(|place| documents.pointer(place));
                    let pointer = pointer.unwrap_or_default();
                    let depth = pointer.as_str().matches('/').count();
                    (words.clone(), depth, pointer.as_str().to_owned())
                });
            }
            for (id, words) in group {
                let name = self.names.type_name(&words);
                if let Some(ty) = self.types.get_mut(id) {
                    ty.name = Some(name);
                }
            }
        }
    }

    /// Checks whether a type is that of an empty schema.
    pub(super) fn is_silent(&self, id: TypeId) -> bool {
        self.leaves.get(&format!("{:?}", Shape::Any(None))) == Some(&id)
    }

    /// Records which type schema nodes were lowered to.
    pub(super) fn cover(&mut self, nodes: &[&Node], ty: TypeId) {
        for node in nodes {
            self.types.cover(node.place, ty);
        }
    }

    pub(super) fn enqueue(&mut self, job: Job<'a>) {
        self.queue.push_back(job);
    }
}

/// Checks whether a schema declares its values as secrets.
fn declares_secret(node: &Node) -> bool {
    is_secret(node.is_true("writeOnly"), node.str_at("format"))
}

impl<'a> SchemaLowering<'a> {
    /// Returns the type of merged parts. Its body, and those of the types that it reaches, are
    /// queued.
    pub(super) fn enqueue_type(
        &mut self,
        parts: Parts<'a>,
        hint: &NameHint,
        direction: Direction,
    ) -> TypeId {
        let settled = self.graph.settle(parts);
        self.enqueue_settled(settled, hint, direction)
    }

    pub(super) fn enqueue_settled(
        &mut self,
        settled: Settled<'a>,
        hint: &NameHint,
        direction: Direction,
    ) -> TypeId {
        let nodes: Vec<Place> = settled.nodes().map(|node| node.place).collect();
        let id = self.settled_type(settled, hint, direction);
        for place in nodes {
            self.table.types.note(place, direction, id);
        }
        id
    }

    fn settled_type(
        &mut self,
        settled: Settled<'a>,
        hint: &NameHint,
        direction: Direction,
    ) -> TypeId {
        let first = settled.parts.first.node;
        let place = first.place;
        if let Some(reason) = settled.broken {
            return self.untyped(first, reason);
        }
        let nullable = settled.nullable;
        let is_secret = settled.nodes().any(declares_secret);
        let partial = self.graph.is_partial(&settled.parts, direction);
        let key = (settled.parts.keys(), partial.then_some(direction));
        let id = match self.table.known.get(&key) {
            Some(id) => *id,
            None => {
                let owner = self.owner_of(&settled.parts);
                let before = self.graph.work.enter(Some(owner));
                let id = self.first_type(settled, owner, hint, direction, partial);
                self.graph.work.enter(before);
                if let Some(id) = id {
                    self.table.known.insert(key, id);
                }
                id.unwrap_or_else(|| self.unaffordable(first))
            }
        };
        let id = if is_secret {
            self.table.secret(place, id)
        } else {
            id
        };
        if nullable {
            self.table.nullable(place, id)
        } else {
            id
        }
    }

    /// The schema whose work a new type is: its own, unless it is merged of parts.
    fn owner_of(&self, parts: &Parts<'a>) -> Owner {
        let own = Owner::Types(Key::from_node(parts.first.node));
        if parts.more.is_empty() {
            return own;
        }
        self.graph.work.of_types().unwrap_or(own)
    }

    /// A type that is not known yet; none when its work is used up.
    fn first_type(
        &mut self,
        settled: Settled<'a>,
        owner: Owner,
        hint: &NameHint,
        direction: Direction,
        partial: bool,
    ) -> Option<TypeId> {
        if self.graph.work.is_spent() {
            self.graph.report_spent(settled.parts.first.node);
            return None;
        }
        let view = self.graph.view(&settled.parts);
        Some(self.enqueue_view(settled, view, owner, hint, direction, partial))
    }

    /// Any value, since the work for a better type is used up.
    fn unaffordable(&mut self, node: &'a Node) -> TypeId {
        let id = self
            .table
            .add(node.place, Shape::Any(Some(SPENT.to_owned())));
        self.table.cover(&[node], id);
        id
    }

    /// Makes the bodies of all types in the queue.
    pub(super) fn drain(&mut self) {
        while let Some(job) = self.table.queue.pop_front() {
            self.graph.work.enter(Some(job.owner));
            let shape = self.shape(&job);
            if let Shape::Any(Some(reason)) = &shape
                && reason != SPENT
            {
                self.tell_untyped(job.parts.first.node, reason, job.id);
            }
            let docs = self.item_docs(&job.view);
            let name = shape.is_item().then(|| self.kept_or_later(&job)).flatten();
            if let Some(ty) = self.table.types.get_mut(job.id) {
                *ty = Type {
                    name,
                    docs,
                    place: ty.place,
                    shape,
                };
            }
        }
    }

    /// A node without a better type than any value.
    pub(super) fn untyped(&mut self, node: &'a Node, reason: &str) -> TypeId {
        let id = self
            .table
            .add(node.place, Shape::Any(Some(reason.to_owned())));
        self.tell_untyped(node, reason, id);
        id
    }

    fn tell_untyped(&mut self, node: &Node, reason: &str, id: TypeId) {
        self.table.cover(&[node], id);
        self.graph.diagnostics.report(
            Diagnostic::warning(
                Code::UntypedSchema,
                node.place,
                format!("this schema becomes any JSON value: {reason}"),
            )
            .help("no action is needed; its values have no type of their own in Rust"),
        );
    }

    pub(super) fn finish_types(mut self) -> LoweredSchemas {
        self.table.name_items(self.graph.documents);
        for (id, of) in self.table.same {
            let same = self.table.types.get(of).cloned();
            if let (Some(ty), Some(same)) = (self.table.types.get_mut(id), same) {
                *ty = same;
            }
        }
        knots::untie(&mut self.table.types);
        LoweredSchemas {
            types: self.table.types,
            definitions: self.definitions,
            patterns: self.defining.patterns,
            diagnostics: self.graph.diagnostics,
        }
    }

    fn enqueue_view(
        &mut self,
        settled: Settled<'a>,
        view: View<'a>,
        owner: Owner,
        hint: &NameHint,
        direction: Direction,
        partial: bool,
    ) -> TypeId {
        let first = settled.parts.first.node;
        let place = first.place;
        if view.is_silent() {
            return self.table.leaf(place, Shape::Any(None));
        }
        if view.broken && view.kinds_or_inferred().is_none() && view.unions.is_empty() {
            return self.untyped(first, "its reference cannot be resolved");
        }
        let nullable = view.nullable;
        let nodes = view.nodes.clone();
        let id = if let Some(shape) = scalars::plain(&view) {
            self.table.leaf(place, shape)
        } else {
            let id = self.table.add(place, Shape::Any(None));
            let named = settled
                .parts
                .single()
                .and_then(|node| self.graph.name(node));
            self.table.enqueue(Job {
                id,
                place,
                parts: settled.parts,
                view,
                owner,
                hint: named.map_or_else(|| hint.clone(), NameHint::new),
                direction,
                partial,
                is_inner: false,
            });
            id
        };
        self.table.cover(&nodes, id);
        let id = if nodes.iter().copied().any(declares_secret) {
            self.table.secret(place, id)
        } else {
            id
        };
        if nullable {
            self.table.nullable(place, id)
        } else {
            id
        }
    }

    /// Returns the reserved name of a schema. Any other item gets a name from its hint later. The
    /// form of a schema for requests gets a distinguishing word.
    fn kept_or_later(&mut self, job: &Job<'a>) -> Option<String> {
        let is_input = job.partial && job.direction == Direction::Request;
        let whole = job.parts.single().filter(|_| !job.is_inner);
        let kept = whole.and_then(|node| self.table.kept.get(&Key::from_node(node)));
        let words = match kept {
            Some(kept) if !is_input => return Some(kept.clone()),
            Some(kept) => format!("{kept} input"),
            None if is_input => format!("{} input", job.hint.words()),
            None => job.hint.words().to_owned(),
        };
        self.table.name_later(job.id, &words);
        None
    }
}
