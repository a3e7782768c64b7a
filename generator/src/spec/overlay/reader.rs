//! Reads the tree of an overlay.

use toolwright_model::{Bound, Category, Effect};

use super::{
    Allowance, Curation, GovernanceCuration, Overlay, Pin, Selector, ServerChoice, ServerSelector,
    keys,
};
use crate::{
    diagnostic::{Code, Diagnostic},
    source::Placed,
    spec::strict::Reader,
    tree::{Field, Node},
};

impl Reader<'_> {
    pub(super) fn overlay(&mut self, root: &Node) -> Overlay {
        self.check_keys(root, &keys::ROOT.names());
        let operations = root.get("operations");
        let entries = operations.and_then(|node| self.table(node, "`operations`"));
        let mut read = Vec::new();
        for (text, field) in entries.and_then(Node::as_object).into_iter().flatten() {
            let selector = self.parsed(text, field.key);
            let curation = self.curation(&field.node, &format!("`operations.\"{text}\"`"));
            read.extend(selector.map(|selector| (selector, curation)));
        }
        self.check_server(root);
        Overlay {
            service: self.parsed_at(root, "service"),
            base_url: self.base_url(root),
            server: self.server(root),
            trust_document: self.boolean(root, "trust_document"),
            include: self.selectors(root, "include"),
            exclude: self.selectors(root, "exclude"),
            pins: self.pins(root),
            hidden: self.texts(root, "hide"),
            separators: self.separators(root),
            operations: read,
        }
    }

    pub(super) fn curation(&mut self, node: &Node, what: &str) -> Curation {
        if self.table(node, what).is_none() {
            return Curation::default();
        }
        self.check_keys(node, &keys::OPERATION.names());
        let curation = Curation {
            name: self.parsed_at(node, "name"),
            verb: self.placed_text(node, "verb"),
            noun: self.placed_text(node, "noun"),
            title: self.text(node, "title"),
            short: self.text(node, "short"),
            description: self.text(node, "description"),
            when_to_use: self.text(node, "when_to_use"),
            section: self.text(node, "section"),
            server: self.server(node),
            pins: self.pins(node),
            hidden: self.texts(node, "hide"),
            separators: self.separators(node),
            governance: self.governance(node),
            reason: self.placed_text(node, "reason"),
        };
        self.check_naming(&curation);
        self.check_reason(node);
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

    /// A reason is one for something.
    fn check_reason(&mut self, node: &Node) {
        let says = |key: &&str| node.get(key).is_some();
        if let Some(reason) = node.field("reason")
            && !keys::GOVERNANCE.iter().any(says)
        {
            self.report(
                Diagnostic::error(
                    Code::ContradictoryOverlay,
                    reason.key,
                    "a reason is given, and nothing is said of the governance",
                )
                .help("say what it is the reason for, such as `effect`, or remove it"),
            );
        }
    }

    fn governance(&mut self, node: &Node) -> GovernanceCuration {
        let hints = node.get("hints");
        let hints = hints.and_then(|hints| self.table(hints, "`hints`"));
        if let Some(hints) = hints {
            self.check_keys(hints, &keys::HINTS.names());
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
        self.check_keys(node, &keys::PIN.names());
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

    /// Reads the path parameters that may contain separators, each with its reason.
    fn separators(&mut self, node: &Node) -> Vec<Allowance> {
        let key = "allow_separators";
        let names = node.get(key);
        let names = names.and_then(|names| self.table(names, &format!("`{key}`")));
        let Some(names) = names else {
            return Vec::new();
        };
        let fields = names.as_object().into_iter().flatten();
        fields
            .filter_map(|(name, field)| {
                let reason = self.text(names, name)?;
                let name = Placed {
                    value: name.clone(),
                    place: field.key,
                };
                Some(Allowance { name, reason })
            })
            .collect()
    }

    fn server(&mut self, node: &Node) -> Option<ServerChoice> {
        let field = node.field("server")?;
        let node = self.table(&field.node, "`server`")?;
        self.check_keys(node, &keys::SERVER.names());
        let index = self.index(node, "index");
        let url = self.placed_text(node, "url");
        let description = self.placed_text(node, "description");
        let selectors = [
            index.map(|said| said.map(ServerSelector::Index)),
            url.map(|said| said.map(ServerSelector::Url)),
            description.map(|said| said.map(ServerSelector::Description)),
        ];
        let mut selectors = selectors.into_iter().flatten();
        let selector = selectors.next();
        if let (Some(one), Some(other)) = (&selector, selectors.next()) {
            self.report(
                Diagnostic::error(
                    Code::ContradictoryOverlay,
                    other.place,
                    "a server is chosen in two ways",
                )
                .also(one.place, "the other one")
                .help("leave one of `index`, `url` and `description`"),
            );
        }
        let variables = node.get("variables");
        let variables = variables.and_then(|node| self.table(node, "`variables`"));
        let mut values = Vec::new();
        for (name, field) in variables.and_then(Node::as_object).into_iter().flatten() {
            let Some(text) = field.node.as_str() else {
                self.wrong_type(&field.node, &format!("the value of `{name}`"), "a text");
                continue;
            };
            let place = field.key;
            let name = Placed {
                value: name.clone(),
                place,
            };
            let place = field.node.place;
            values.push((
                name,
                Placed {
                    value: text.to_owned(),
                    place,
                },
            ));
        }
        Some(ServerChoice {
            place: field.key,
            selector,
            variables: values,
        })
    }

    /// A base URL leaves no server to choose.
    fn check_server(&mut self, root: &Node) {
        if let (Some(url), Some(server)) = (root.field("base_url"), root.field("server")) {
            self.report(
                Diagnostic::error(
                    Code::ContradictoryOverlay,
                    server.key,
                    "a server is chosen beside a base URL",
                )
                .also(url.key, "the base URL")
                .help("remove one of the two"),
            );
        }
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
        let texts = self.texts(root, key).into_iter();
        let read: Vec<_> = texts
            .map(|text| self.parsed(&text.value, text.place))
            .collect();
        read.into_iter().flatten().collect()
    }
}
