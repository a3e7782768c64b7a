//! OpenAPI Overlay documents: changes of a document at the nodes that JSONPath queries select.
//!
//! The format is that of the OpenAPI Initiative, version 1.0. An element that an array has already
//! is not appended again, so an update that the document contains already changes nothing.

use serde_json_path::JsonPath;
use toolwright_model::settings::Reader as _;

use crate::{
    document::{
        diagnostic::{Code, Diagnostic, Diagnostics},
        source::{Place, Placed, SourceId},
        tree::{DEEPEST, Data, Field, Node},
    },
    parse::strict::StrictReader,
};

/// The longest query, in bytes. Its parser is recursive.
const LONGEST_QUERY: usize = 1_000;

/// The most open brackets and parentheses in a query.
const DEEPEST_QUERY: usize = 8;

/// The most nodes that one action adds to a document.
const MOST_ADDED: usize = 1_000_000;

/// An OpenAPI Overlay document.
#[derive(Debug)]
pub(crate) struct OpenApiOverlay {
    /// The file.
    pub(crate) source: SourceId,
    actions: Vec<Action>,
}

/// An action of an overlay.
#[derive(Debug)]
struct Action {
    /// The query that selects the targets.
    target: Placed<JsonPath>,
    change: Change,
    /// The description, which explains the action.
    description: Option<String>,
}

#[derive(Debug)]
enum Change {
    /// Merges an object into the targets that are objects, and appends a value to arrays.
    Update(Node),
    /// Removes the targets.
    Remove,
}

/// Reads an OpenAPI Overlay document. Reports every fault and returns the valid actions.
pub(crate) fn parse(
    source: SourceId,
    root: &Node,
    diagnostics: &mut Diagnostics,
) -> OpenApiOverlay {
    let mut reader = StrictReader::new(diagnostics);
    OpenApiOverlay {
        source,
        actions: reader.openapi_overlay(root),
    }
}

impl StrictReader<'_> {
    fn openapi_overlay(&mut self, root: &Node) -> Vec<Action> {
        let Some(root) = self.table(root, "an OpenAPI Overlay") else {
            return Vec::new();
        };
        let is_extension = |key: &str| key.starts_with("x-");
        self.check_keys_unless(
            root,
            &["overlay", "info", "extends", "actions"],
            is_extension,
        );
        let version = root.get("overlay");
        let text = version.and_then(Node::as_str).unwrap_or_default();
        if !(text == "1.0" || text.starts_with("1.0.")) {
            let place = version.map_or(Place::start_of(root.place.source), |node| node.place);
            let message = "this is not an OpenAPI Overlay of version 1.0";
            self.report(
                Diagnostic::error(Code::UnsupportedVersion, place, message)
                    .help("write `overlay: 1.0.0`, or convert the overlay"),
            );
            return Vec::new();
        }
        let Some(actions) = root.get("actions") else {
            let place = Place::start_of(root.place.source);
            let message = "the key `actions` is missing";
            self.report(Diagnostic::error(Code::Missing, place, message));
            return Vec::new();
        };
        let Some(actions) = actions.as_array() else {
            self.wrong_type(actions, "`actions`", "an array");
            return Vec::new();
        };
        actions
            .iter()
            .filter_map(|action| self.overlay_action(action))
            .collect()
    }

    fn overlay_action(&mut self, node: &Node) -> Option<Action> {
        let node = self.table(node, "an action")?;
        let keys = ["target", "description", "update", "remove"];
        self.check_keys_unless(node, &keys, |key| key.starts_with("x-"));
        let remove = self
            .boolean(node, "remove")
            .is_some_and(|remove| remove.value);
        let description = self.text(node, "description");
        let Some(target) = self.placed_text(node, "target") else {
            if node.get("target").is_none() {
                let message = "the action has no `target`";
                self.report(
                    Diagnostic::error(Code::Missing, node.place, message)
                        .help("write a JSONPath query, such as `target: $.paths['/items'].get`"),
                );
            }
            return None;
        };
        let target = match query(&target.value) {
            Ok(value) => Placed {
                value,
                place: target.place,
            },
            Err(problem) => {
                let message = format!("`{}` is not a JSONPath query", target.value);
                self.report(
                    Diagnostic::error(Code::UnknownValue, target.place, message).note(problem),
                );
                return None;
            }
        };
        let change = match (remove, node.get("update")) {
            (true, _) => Change::Remove,
            (false, Some(update)) => Change::Update(update.clone()),
            (false, None) => {
                let message = "the action has neither `update` nor `remove`";
                self.report(
                    Diagnostic::error(Code::Missing, node.place, message)
                        .help("write what it changes, or remove it"),
                );
                return None;
            }
        };
        Some(Action {
            target,
            change,
            description,
        })
    }
}

/// Parses a query, within limits that its recursive parser needs.
fn query(text: &str) -> Result<JsonPath, String> {
    if text.len() > LONGEST_QUERY {
        return Err(format!("it is longer than {LONGEST_QUERY} bytes"));
    }
    let (mut depth, mut deepest) = (0_usize, 0);
    for character in text.chars() {
        match character {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    if deepest > DEEPEST_QUERY {
        return Err(format!(
            "it is nested more than {DEEPEST_QUERY} levels deep"
        ));
    }
    JsonPath::parse(text).map_err(|error| error.to_string())
}

impl OpenApiOverlay {
    /// Applies the actions, one after the other. An action that matches nothing is an error, and one
    /// that changes nothing a warning.
    pub(crate) fn apply(&self, root: &mut Node, diagnostics: &mut Diagnostics) {
        for action in &self.actions {
            if let Some(problem) = action.apply(root) {
                diagnostics.report(problem);
            }
            if root.depth() >= DEEPEST {
                let place = action.target.place;
                let message = format!(
                    "objects and arrays are nested more than {DEEPEST} levels deep after this action"
                );
                diagnostics.report(Diagnostic::error(Code::TooDeep, place, message));
                root.data = Data::Null;
                return;
            }
        }
    }
}

impl Action {
    /// Applies the action. Returns the problem if it matches nothing or changes nothing.
    fn apply(&self, root: &mut Node) -> Option<Diagnostic> {
        let Placed {
            value: query,
            place,
        } = &self.target;
        let pointers: Vec<String> = {
            let value = root.to_value();
            let located = query.query_located(&value);
            let locations = located.locations();
            locations
                .map(|location| location.to_json_pointer())
                .collect()
        };
        if pointers.is_empty() {
            let message = format!("`{query}` matches nothing in the document");
            let diagnostic = Diagnostic::error(Code::UnmatchedOverlay, *place, message);
            return Some(self.described(diagnostic));
        }
        match &self.change {
            Change::Remove => {
                // From the end, so that the indexes of the others stay.
                for pointer in pointers.iter().rev() {
                    root.remove_at(pointer);
                }
                None
            }
            Change::Update(update) => {
                if pointers.len().saturating_mul(update.count()) > MOST_ADDED {
                    let message = format!("the action adds more than {MOST_ADDED} nodes");
                    let diagnostic = Diagnostic::error(Code::UnknownValue, *place, message);
                    return Some(diagnostic.help("write a query that selects fewer nodes"));
                }
                let mut changed = false;
                for pointer in &pointers {
                    if let Some(node) = root.at_pointer_mut(pointer) {
                        changed |= update_target(node, update);
                    }
                }
                if changed {
                    return None;
                }
                let message = "the document is already as this action wants it";
                let diagnostic = Diagnostic::warning(Code::NeedlessCorrection, *place, message);
                Some(self.described(diagnostic.help("remove this action from the overlay")))
            }
        }
    }

    fn described(&self, diagnostic: Diagnostic) -> Diagnostic {
        match &self.description {
            Some(description) => diagnostic.note(format!("the action is for: {description}")),
            None => diagnostic,
        }
    }
}

/// Merges an update into a target. Returns false if it changes nothing.
fn update_target(target: &mut Node, update: &Node) -> bool {
    match (&mut target.data, &update.data) {
        (Data::Array(items), added) if !matches!(added, Data::Array(_)) => append(items, update),
        _ => merge(target, update),
    }
}

/// Merges a value into another one: objects by key, arrays by appending; others are replaced.
fn merge(target: &mut Node, update: &Node) -> bool {
    if target.to_value() == update.to_value() {
        return false;
    }
    match (&mut target.data, &update.data) {
        (Data::Object(fields), Data::Object(added)) => {
            let mut changed = false;
            for (key, field) in added.iter() {
                changed |= match fields.get_mut(key) {
                    Some(Field { node, .. }) => merge(node, &field.node),
                    None => {
                        fields.insert(key.clone(), field.clone());
                        true
                    }
                };
            }
            changed
        }
        (Data::Array(items), Data::Array(added)) => added
            .iter()
            .fold(false, |changed, item| append(items, item) | changed),
        _ => {
            *target = update.clone();
            true
        }
    }
}

fn append(items: &mut Vec<Node>, item: &Node) -> bool {
    let value = item.to_value();
    if items.iter().any(|known| known.to_value() == value) {
        return false;
    }
    items.push(item.clone());
    true
}
