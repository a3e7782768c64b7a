//! Reads the tree of an overlay.

use toolwright_model::{Bound, Category, Effect};

use super::{Curation, GovernanceCuration, Overlay, Pin, Selector, keys};
use crate::{
    diagnostic::{Code, Diagnostic},
    source::Placed,
    spec::strict::Reader,
    tree::{Field, Node},
};

impl Reader<'_> {
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
            category: self.word(node, "category", Category::from_word, Category::ALL),
            effect: self.word(node, "effect", Effect::from_word, Effect::ALL),
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
}
