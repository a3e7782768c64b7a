//! Reads the tree of an overlay. Faults are errors: an overlay is ours, and has to say what is
//! meant.

use std::{fmt::Display, str::FromStr};

use toolwright_model::{Bound, Category, Effect, most_similar};

use super::{Curation, GovernanceCuration, Overlay, Pin, Selector, keys};
use crate::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::{Place, Placed},
    tree::{Field, Node},
};

pub(super) struct Reader<'d> {
    diagnostics: &'d mut Diagnostics,
}

impl<'d> Reader<'d> {
    pub(super) const fn new(diagnostics: &'d mut Diagnostics) -> Self {
        Self { diagnostics }
    }

    pub(super) fn overlay(&mut self, root: &Node) -> Overlay {
        self.check_keys(root, keys::ROOT);
        let operations = root.get("operations");
        let entries = operations.and_then(|node| self.table(node, "`operations`"));
        let mut read = Vec::new();
        for (text, field) in entries.and_then(Node::as_object).into_iter().flatten() {
            let selector = self.parsed(text, field.key);
            let curation = self.curation(&field.node, text);
            read.extend(selector.map(|selector| (selector, curation)));
        }
        Overlay {
            service: self.parsed_at(root, "service"),
            base_url: self.base_url(root),
            include: self.selectors(root, "include"),
            exclude: self.selectors(root, "exclude"),
            pins: self.pins(root),
            operations: read,
        }
    }

    fn curation(&mut self, node: &Node, selector: &str) -> Curation {
        if self
            .table(node, &format!("`operations.\"{selector}\"`"))
            .is_none()
        {
            return Curation::default();
        }
        self.check_keys(node, keys::OPERATION);
        let curation = Curation {
            name: self.parsed_at(node, "name"),
            verb: self.placed_text(node, "verb"),
            noun: self.placed_text(node, "noun"),
            title: self.text(node, "title"),
            short: self.text(node, "short"),
            description: self.text(node, "description"),
            when_to_use: self.text(node, "when_to_use"),
            section: self.text(node, "section"),
            pins: self.pins(node),
            governance: self.governance(node),
            reason: self.placed_text(node, "reason"),
        };
        self.check_naming(&curation);
        curation
    }

    /// A whole name leaves nothing to say of its parts.
    fn check_naming(&mut self, curation: &Curation) {
        let Some(name) = &curation.name else { return };
        for part in [&curation.verb, &curation.noun].into_iter().flatten() {
            self.report(
                Diagnostic::error(
                    Code::ContradictoryOverlay,
                    part.place,
                    "a part of the name is given beside the whole name",
                )
                .also(name.place, "the whole name")
                .help("remove one of the two"),
            );
        }
    }

    fn governance(&mut self, node: &Node) -> GovernanceCuration {
        let hints = node.get("hints");
        let hints = hints.and_then(|hints| self.table(hints, "`hints`"));
        if let Some(hints) = hints {
            self.check_keys(hints, keys::HINTS);
        }
        let mut hint = |key| hints.and_then(|hints| self.boolean(hints, key));
        let [read_only, destructive, idempotent, open_world] =
            ["read_only", "destructive", "idempotent", "open_world"].map(&mut hint);
        GovernanceCuration {
            category: self.word(node, "category", Category::from_word, &words(Category::ALL)),
            effect: self.word(node, "effect", Effect::from_word, &words(Effect::ALL)),
            approval_required: self.boolean(node, "approval_required"),
            enabled_by_default: self.boolean(node, "enabled_by_default"),
            read_only,
            destructive,
            idempotent,
            open_world,
        }
    }

    fn pins(&mut self, node: &Node) -> Vec<Pin> {
        let pins = node.get("pin").and_then(|pins| self.table(pins, "`pin`"));
        let fields = pins.and_then(Node::as_object).into_iter().flatten();
        fields
            .filter_map(|(name, field)| self.pin(name, field))
            .collect()
    }

    fn pin(&mut self, name: &str, field: &Field) -> Option<Pin> {
        let node = self.table(&field.node, &format!("the pin of `{name}`"))?;
        self.check_keys(node, keys::PIN);
        let value = match (node.get("constant"), node.get("value")) {
            (Some(_), None) => Bound::Constant(self.text(node, "constant")?),
            (None, Some(value)) => Bound::Fixed(value.to_value()),
            _ => {
                self.report(
                    Diagnostic::error(
                        Code::Missing,
                        field.key,
                        format!("the pin of `{name}` needs either `constant` or `value`"),
                    )
                    .help(format!(
                        "write `{name} = {{ constant = \"{name}\" }}` to take the value from the credentials"
                    )),
                );
                return None;
            }
        };
        let name = Placed {
            value: name.to_owned(),
            place: field.key,
        };
        Some(Pin { name, value })
    }

    fn base_url(&mut self, root: &Node) -> Option<String> {
        let url = self.placed_text(root, "base_url")?;
        if !url.value.starts_with("http://") && !url.value.starts_with("https://") {
            self.report(
                Diagnostic::error(
                    Code::UnknownValue,
                    url.place,
                    format!("`{}` is no base URL", url.value),
                )
                .help("begin it with `https://` or `http://`"),
            );
            return None;
        }
        Some(url.value.trim_end_matches('/').to_owned())
    }

    fn selectors(&mut self, root: &Node, key: &str) -> Vec<Placed<Selector>> {
        let Some(node) = root.get(key) else {
            return Vec::new();
        };
        let Some(items) = node.as_array() else {
            self.wrong_type(node, &format!("`{key}`"), "an array of texts");
            return Vec::new();
        };
        let mut selectors = Vec::new();
        for item in items {
            match item.as_str() {
                Some(text) => selectors.extend(self.parsed(text, item.place)),
                None => self.wrong_type(item, &format!("an entry of `{key}`"), "a text"),
            }
        }
        selectors
    }

    fn check_keys(&mut self, node: &Node, known: &[&str]) {
        for (key, field) in node.as_object().into_iter().flatten() {
            if known.contains(&key.as_str()) {
                continue;
            }
            let message = format!("the key `{key}` is not known here");
            let diagnostic = Diagnostic::error(Code::UnknownKey, field.key, message);
            self.report(match most_similar(key, known.iter().copied()) {
                Some(similar) => diagnostic.help(format!("a key with a similar name: `{similar}`")),
                None => diagnostic.note(format!("known are {}", listed(known))),
            });
        }
    }

    fn table<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n Node> {
        if node.as_object().is_none() {
            self.wrong_type(node, what, "a table");
            return None;
        }
        Some(node)
    }

    fn text(&mut self, node: &Node, key: &str) -> Option<String> {
        self.placed_text(node, key).map(|placed| placed.value)
    }

    /// A text that is not blank.
    fn placed_text(&mut self, node: &Node, key: &str) -> Option<Placed<String>> {
        let value = node.get(key)?;
        match value.as_str().map(str::trim) {
            Some("") => {
                let message = format!("`{key}` is empty");
                self.report(
                    Diagnostic::error(Code::Missing, value.place, message)
                        .help("write something, or remove the line"),
                );
                None
            }
            Some(text) => Some(Placed {
                value: text.to_owned(),
                place: value.place,
            }),
            None => {
                self.wrong_type(value, &format!("`{key}`"), "a text");
                None
            }
        }
    }

    fn boolean(&mut self, node: &Node, key: &str) -> Option<Placed<bool>> {
        let value = node.get(key)?;
        if value.as_bool().is_none() {
            self.wrong_type(value, &format!("`{key}`"), "`true` or `false`");
        }
        Some(Placed {
            value: value.as_bool()?,
            place: value.place,
        })
    }

    /// One of a closed set of words.
    fn word<T>(
        &mut self,
        node: &Node,
        key: &str,
        read: fn(&str) -> Option<T>,
        known: &[String],
    ) -> Option<Placed<T>> {
        let text = self.placed_text(node, key)?;
        if let Some(value) = read(&text.value) {
            return Some(Placed {
                value,
                place: text.place,
            });
        }
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let message = format!("`{}` is no {key}", text.value);
        let diagnostic = Diagnostic::error(Code::UnknownValue, text.place, message);
        self.report(match most_similar(&text.value, known.iter().copied()) {
            Some(similar) => diagnostic.help(format!("a similar one is `{similar}`")),
            None => diagnostic.note(format!("known are {}", listed(&known))),
        });
        None
    }

    fn parsed_at<T: FromStr<Err: Display>>(&mut self, node: &Node, key: &str) -> Option<Placed<T>> {
        let text = self.placed_text(node, key)?;
        self.parsed(&text.value, text.place)
    }

    fn parsed<T: FromStr<Err: Display>>(&mut self, text: &str, place: Place) -> Option<Placed<T>> {
        match text.parse() {
            Ok(value) => Some(Placed { value, place }),
            Err(error) => {
                let message = error.to_string();
                self.report(Diagnostic::error(Code::UnknownValue, place, message));
                None
            }
        }
    }

    fn wrong_type(&mut self, node: &Node, what: &str, expected: &str) {
        let message = format!("{what} has to be {expected}, this is {}", node.kind());
        self.report(Diagnostic::error(Code::WrongType, node.place, message));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.report(diagnostic);
    }
}

fn words<T: Display>(all: &[T]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}

fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}
