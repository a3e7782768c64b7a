//! Derived selections: which fields of a result an operation asks for, and the schema of the result.
//!
//! A selection has the scalars of the object, and objects to the depth of the settings. A large object
//! within another is reduced to the fields that identify it. A type within itself is left out, and so are
//! further connections. Everything is bounded, so that no schema makes an operation large.

use std::collections::BTreeMap;

use super::{
    inputs::Values,
    model::{FieldDefinition, Schema, TypeKind},
    nodes::{self, array, object, reference, text},
};
use crate::{
    document::{
        source::Place,
        tree::{Field, Fields, Node},
    },
    language::{
        singular,
        vocabulary::{Tag, is},
        words,
    },
};

/// The most fields of one operation.
const MOST_FIELDS: usize = 250;

/// The most scalars of an object within another that are all selected.
const SMALL: usize = 12;

/// The most types of a union or an interface whose own fields are selected.
const MOST_VARIANTS: usize = 10;

/// The most fields of a type that are looked at.
const MOST_LOOKED_AT: usize = 2_000;

/// The most fields of a document that are looked at, over all of its operations.
const MOST_WORK: usize = 20_000_000;

/// The scalars that identify an object, if it has too many to select all.
const IDENTITY: &[&str] = &[
    "id",
    "iid",
    "number",
    "identifier",
    "key",
    "name",
    "displayName",
    "fullName",
    "title",
    "login",
    "username",
    "slug",
    "email",
    "url",
    "webUrl",
    "state",
];

/// A selected value: the text after the name of its field, and the schema without null.
pub(super) struct Selected {
    pub(super) text: String,
    pub(super) node: Node,
}

/// One entry of a selection.
#[derive(Clone)]
struct Entry {
    /// The key in the result.
    key: String,
    /// The text in the operation.
    text: String,
    /// The type as the schema writes it, and the selection of an object.
    shape: String,
    node: Node,
}

/// Derives selections.
pub(super) struct Selections<'s> {
    pub(super) values: Values<'s>,
    depth: u8,
    /// The fields that the current operation may still select.
    room: usize,
    /// The fields that may still be looked at.
    work: usize,
    /// True if credentials are selected, since a mutation may create them.
    has_credentials: bool,
    /// The definitions of objects that several results share.
    pub(super) definitions: Fields,
    /// The selections of those objects.
    texts: BTreeMap<String, String>,
}

impl<'s> Selections<'s> {
    pub(super) const fn new(values: Values<'s>, depth: u8, definitions: Fields) -> Self {
        Self {
            values,
            depth,
            room: 0,
            work: MOST_WORK,
            has_credentials: false,
            definitions,
            texts: BTreeMap::new(),
        }
    }

    /// Checks whether the document is so large that selections were cut.
    pub(super) const fn is_spent(&self) -> bool {
        self.work == 0
    }

    const fn schema(&self) -> &'s Schema {
        self.values.schema
    }

    /// Selects the result of a field of an operation type. The payload of a mutation is no level.
    pub(super) fn root(&mut self, field: &'s FieldDefinition, is_mutation: bool) -> Selected {
        self.room = MOST_FIELDS;
        self.has_credentials = is_mutation;
        let level = u8::from(!is_mutation || !is_payload(&field.ty.name));
        let selected = self.named(&field.ty.name, field.place, level, &mut Vec::new());
        let node = self.values.value(&field.ty, |_, _| selected.node);
        Selected {
            text: selected.text,
            node,
        }
    }

    /// Selects a value of a type.
    fn named(
        &mut self,
        name: &'s str,
        place: Place,
        level: u8,
        path: &mut Vec<&'s str>,
    ) -> Selected {
        match self.schema().kind(name) {
            Some(TypeKind::Object { .. }) => {
                if path.contains(&name) {
                    return selection(place, name, Vec::new());
                }
                if let Some(connection) = Connection::find(self.schema(), name) {
                    return self.connection(&connection, name, place, level, path);
                }
                let entries = self.entries(name, level, path);
                let selected = selection(place, name, entries);
                if level == 1 {
                    return self.shared(name, place, selected);
                }
                selected
            }
            Some(TypeKind::Interface { .. } | TypeKind::Union { .. }) => {
                self.alternatives(name, place, level, path)
            }
            _ => Selected {
                text: String::new(),
                node: self.values.leaf(name, place),
            },
        }
    }

    /// Refers to a definition of the object, if its first selection is the same.
    fn shared(&mut self, name: &str, place: Place, selected: Selected) -> Selected {
        let known = self.texts.get(name);
        let is_same = known.is_none_or(|known| *known == selected.text);
        if !is_same || (known.is_none() && self.definitions.contains_key(name)) {
            return selected;
        }
        if known.is_none() {
            self.texts.insert(name.to_owned(), selected.text.clone());
            let node = selected.node;
            let field = Field { key: place, node };
            self.definitions.insert(name.to_owned(), field);
        }
        Selected {
            text: selected.text,
            node: reference(place, name),
        }
    }

    /// Selects the fields of an object or an interface.
    fn entries(&mut self, name: &'s str, level: u8, path: &mut Vec<&'s str>) -> Vec<Entry> {
        let fields = self.schema().fields(name).into_iter().flatten();
        let fields: Vec<_> = fields.take(MOST_LOOKED_AT.min(self.work)).collect();
        self.work -= fields.len();
        let offered = fields.into_iter();
        let offered = offered.filter(|(_, field)| !field.deprecated && !field.needs_argument());
        let (mut leaves, objects): (Vec<_>, Vec<_>) =
            offered.partition(|(_, field)| self.schema().is_leaf(&field.ty.name));
        leaves.retain(|(name, _)| self.has_credentials || !is_credential(name));
        if level > 1 && leaves.len() > SMALL {
            leaves.retain(|(name, _)| IDENTITY.contains(&name.as_str()));
        }
        let mut entries = Vec::new();
        for (key, field) in leaves {
            if self.room == 0 {
                break;
            }
            self.room -= 1;
            let node = self.values.leaf(&field.ty.name, field.ty.place);
            entries.push(self.entry(key, field, String::new(), node));
        }
        if level >= self.depth {
            return entries;
        }
        path.push(name);
        for (key, field) in objects {
            let ty = field.ty.name.as_str();
            let known = self.schema().kind(ty).is_some();
            let is_page = Connection::find(self.schema(), ty).is_some();
            if self.room == 0 || !known || is_page || path.contains(&ty) {
                continue;
            }
            self.room -= 1;
            let selected = self.named(ty, field.ty.place, level + 1, path);
            if !selected.text.is_empty() {
                entries.push(self.entry(key, field, selected.text, selected.node));
            }
        }
        path.pop();
        entries
    }

    fn entry(&self, key: &str, field: &FieldDefinition, selection: String, node: Node) -> Entry {
        let mut node = self.values.value(&field.ty, |_, _| node);
        if !field.ty.is_non_null() {
            node = nodes::nullable(node);
        }
        nodes::describe(&mut node, field.description.as_ref());
        let ty = &field.ty;
        Entry {
            key: key.to_owned(),
            text: format!("{key}{selection}"),
            shape: format!("{ty}{selection}"),
            node,
        }
    }

    /// Selects the items of a page, and where the next one begins.
    fn connection(
        &mut self,
        connection: &Connection<'s>,
        name: &'s str,
        place: Place,
        level: u8,
        path: &mut Vec<&'s str>,
    ) -> Selected {
        let mut entries = self.entries(name, self.depth, path);
        self.room = self.room.saturating_sub(4);
        path.push(name);
        let (key, list, item) = (connection.key, connection.list, connection.item);
        let selected = self.named(&item.ty.name, item.ty.place, level, path);
        path.pop();
        entries.push(match connection.edge {
            None => self.entry(key, list, selected.text, selected.node),
            Some(edge) => {
                let node = self.entry("node", item, selected.text, selected.node);
                let edge = selection(list.ty.place, edge, vec![node]);
                self.entry(key, list, edge.text, edge.node)
            }
        });
        let info = &connection.info.ty;
        let page = self.schema().fields(&info.name).into_iter().flatten();
        let page = page.filter(|(key, _)| matches!(key.as_str(), "hasNextPage" | "endCursor"));
        let page: Vec<_> = page
            .map(|(key, field)| {
                let node = self.values.leaf(&field.ty.name, field.ty.place);
                self.entry(key, field, String::new(), node)
            })
            .collect();
        let page = selection(info.place, &info.name, page);
        entries.push(self.entry("pageInfo", connection.info, page.text, page.node));
        selection(place, name, entries)
    }

    /// Selects the fields of an interface, and those of the objects that a value may be.
    fn alternatives(
        &mut self,
        name: &'s str,
        place: Place,
        level: u8,
        path: &mut Vec<&'s str>,
    ) -> Selected {
        let possible = self.schema().possible(name);
        let common = self.entries(name, level, path);
        if possible.is_empty() || possible.len() > MOST_VARIANTS {
            return selection(place, "", typename(place, None, common));
        }
        let mut shapes: BTreeMap<String, String> = BTreeMap::new();
        let mut texts = vec!["__typename".to_owned()];
        for entry in &common {
            shapes.insert(entry.key.clone(), entry.shape.clone());
            texts.push(entry.text.clone());
        }
        let mut variants = Vec::new();
        for member in possible {
            let mut own = self.entries(member, level.max(1), path);
            own.retain(|entry| common.iter().all(|one| one.text != entry.text));
            for entry in &mut own {
                entry.tell_apart(member, &mut shapes);
            }
            if !own.is_empty() {
                let further: Vec<_> = own.iter().map(|entry| entry.text.clone()).collect();
                texts.push(format!("... on {member} {{ {} }}", further.join(" ")));
            }
            let all = common.iter().cloned().chain(own).collect();
            variants.push(selection(place, "", typename(place, Some(member), all)).node);
        }
        let discriminator = object(place, vec![("propertyName", text(place, "__typename"))]);
        let node = object(
            place,
            vec![
                ("oneOf", array(place, variants)),
                ("discriminator", discriminator),
            ],
        );
        Selected {
            text: format!(" {{ {} }}", texts.join(" ")),
            node,
        }
    }
}

impl Entry {
    /// Gives the entry an alias, if another object has another value under its key: results with
    /// both would not be valid.
    fn tell_apart(&mut self, member: &str, shapes: &mut BTreeMap<String, String>) {
        match shapes.get(&self.key) {
            Some(known) if *known == self.shape => {}
            Some(_) => {
                let alias = format!("{}Of{member}", self.key);
                self.text = format!("{alias}: {}", self.text);
                self.key = alias;
            }
            None => {
                shapes.insert(self.key.clone(), self.shape.clone());
            }
        }
    }
}

/// A type that is a page of a list: a connection of Relay.
pub(super) struct Connection<'s> {
    /// The key of the list.
    key: &'s str,
    list: &'s FieldDefinition,
    /// The type of the edges, if the list has edges.
    edge: Option<&'s str>,
    item: &'s FieldDefinition,
    info: &'s FieldDefinition,
}

impl<'s> Connection<'s> {
    /// Returns the parts of a type, if it is a page.
    pub(super) fn find(schema: &'s Schema, name: &str) -> Option<Self> {
        let fields = schema.fields(name)?;
        let info = fields.get("pageInfo")?;
        schema.fields(&info.ty.name)?.get("endCursor")?;
        if let Some((key, list)) = fields.get_key_value("nodes")
            && list.ty.is_list()
        {
            return Some(Self {
                key,
                list,
                edge: None,
                item: list,
                info,
            });
        }
        let (key, list) = fields.get_key_value("edges")?;
        let edge = list.ty.name.as_str();
        let item = schema.fields(edge)?.get("node")?;
        list.ty.is_list().then_some(Self {
            key,
            list,
            edge: Some(edge),
            item,
            info,
        })
    }
}

/// Checks whether a field is named as a credential, unless it is the mark of a page.
fn is_credential(name: &str) -> bool {
    let words = words(name);
    let of_page =
        |word: &String| matches!(word.as_str(), "page" | "next" | "continuation" | "sync");
    match words.as_slice() {
        [.., first, last] if last == "key" => {
            matches!(first.as_str(), "api" | "private" | "secret" | "access")
        }
        [.., last] => {
            let last = singular(last);
            let is_secret = is(&last, Tag::Secret) || is(&last, Tag::Passing) || last == "apikey";
            is_secret && !words.iter().any(of_page)
        }
        [] => false,
    }
}

/// Checks whether a type is named as that of the result of a mutation, around what was changed.
fn is_payload(name: &str) -> bool {
    ["Payload", "Result", "Response", "Output"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Adds the name of the type, which tells the objects apart.
fn typename(place: Place, member: Option<&str>, entries: Vec<Entry>) -> Vec<Entry> {
    let fields = match member {
        Some(member) => vec![("const", text(place, member))],
        None => vec![("type", text(place, "string"))],
    };
    let name = Entry {
        key: "__typename".to_owned(),
        text: "__typename".to_owned(),
        shape: String::new(),
        node: object(place, fields),
    };
    std::iter::once(name).chain(entries).collect()
}

/// Puts entries together. A selection must not be empty, so one without entries has the name of the
/// type.
fn selection(place: Place, name: &str, entries: Vec<Entry>) -> Selected {
    let entries = if entries.is_empty() {
        typename(place, Some(name), entries)
    } else {
        entries
    };
    let texts: Vec<_> = entries.iter().map(|entry| entry.text.clone()).collect();
    let properties = entries
        .into_iter()
        .map(|entry| (entry.key, entry.node.place, entry.node, true));
    let node = nodes::record(place, properties);
    Selected {
        text: format!(" {{ {} }}", texts.join(" ")),
        node,
    }
}
