//! Reads the tree of a lock.

use std::{
    collections::{BTreeMap, btree_map},
    str::FromStr,
};

use toolwright_model::{Category, Method, ServiceName, ToolName, settings::Reader as _};

use super::{Entry, Lock, parts};
use crate::{
    document::{
        diagnostic::{Code, Diagnostic},
        source::{Place, Placed},
        tree::{Field, Node},
    },
    parse::strict::StrictReader,
};

/// The supported version of the format.
pub(crate) const VERSION: u64 = 1;

const ROOT: &[&str] = &["version", "tools"];

const ENTRY: &[&str] = &["operation", "id", "category", "approval_required", "former"];

/// An endpoint such as `GET /items/{id}`.
struct Endpoint {
    method: Method,
    path: String,
}

impl StrictReader<'_> {
    pub(super) fn lock(&mut self, root: &Node, service: &ServiceName) -> Lock {
        self.check_keys(root, ROOT);
        self.check_version(root);
        let tools = root.get("tools");
        let tools = tools.and_then(|node| self.table(node, "`tools`"));
        let mut entries = BTreeMap::new();
        for (text, field) in tools.and_then(Node::as_object).into_iter().flatten() {
            let name = self.name(text, field.key, service);
            let entry = self.entry(field, text);
            entries.extend(name.zip(entry));
        }
        self.check_operations(&entries);
        Lock { entries }
    }

    fn check_version(&mut self, root: &Node) {
        let found = root.get("version");
        if found.is_some_and(|version| version.to_value() == VERSION) {
            return;
        }
        let place = found.map_or_else(|| Place::start_of(root.place.source), |node| node.place);
        let message = format!("a lock must begin with `version = {VERSION}`");
        self.report(
            Diagnostic::error(Code::UnsupportedVersion, place, message)
                .help("use the version of `toolwright` that wrote the lock, or a newer one"),
        );
    }

    fn name(&mut self, text: &str, place: Place, service: &ServiceName) -> Option<ToolName> {
        let name = self.parsed::<ToolName>(text, place)?.value;
        let (_, noun) = parts(&name, service);
        if noun.is_empty() {
            self.report(
                Diagnostic::error(
                    Code::UnknownValue,
                    place,
                    format!("`{name}` is not a tool name of the service `{service}`"),
                )
                .help("use the lock of this service, or remove the line"),
            );
        }
        Some(name)
    }

    fn entry(&mut self, field: &Field, name: &str) -> Option<Placed<Entry>> {
        let node = self.table(&field.node, &format!("the entry of `{name}`"))?;
        self.check_keys(node, ENTRY);
        for key in ["operation", "category", "approval_required"] {
            if node.get(key).is_none() {
                let message = format!("the entry of `{name}` has no `{key}`");
                self.report(
                    Diagnostic::error(Code::Missing, field.key, message)
                        .help("restore the line from version control, or remove it"),
                );
            }
        }
        let endpoint = self.parsed_at::<Endpoint>(node, "operation");
        let category = self.word(node, "category", Category::ALL);
        let approval_required = self.boolean(node, "approval_required");
        let operation_id = self.text(node, "id");
        let former = self.boolean(node, "former").is_some_and(|said| said.value);
        let Endpoint { method, path } = endpoint?.value;
        Some(Placed {
            place: field.key,
            value: Entry {
                method,
                path,
                operation_id,
                category: category?.value,
                approval_required: approval_required?.value,
                former,
            },
        })
    }

    /// Reports an operation with several current names.
    fn check_operations(&mut self, entries: &BTreeMap<ToolName, Placed<Entry>>) {
        let mut seen: BTreeMap<(Method, &str), Place> = BTreeMap::new();
        for (
            name,
            Placed {
                value: entry,
                place,
            },
        ) in entries
        {
            if entry.former {
                continue;
            }
            match seen.entry((entry.method, &entry.path)) {
                btree_map::Entry::Vacant(vacant) => {
                    vacant.insert(*place);
                }
                btree_map::Entry::Occupied(first) => self.report(
                    Diagnostic::error(
                        Code::ContradictoryLock,
                        *place,
                        format!("`{} {}` has two current names", entry.method, entry.path),
                    )
                    .also(*first.get(), "the other name")
                    .help(format!(
                        "add `former = true` to the older name, or remove `{name}`"
                    )),
                ),
            }
        }
    }
}

impl FromStr for Endpoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once(' ');
        let endpoint = parts.and_then(|(method, path)| {
            Some(Self {
                method: Method::from_word(method)?,
                path: path.to_owned(),
            })
        });
        endpoint.ok_or_else(|| format!("`{text}` is not an operation such as `GET /items`"))
    }
}
