//! Patches: corrections of single schemas of a document.

use toolwright_model::{JsonPointer, matches_glob, most_similar};

use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::{Place, Placed},
    tree::{Data, Node},
};

/// A correction of a schema.
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    /// The schema: a JSON Pointer, after the name of a file that is not the document itself.
    pub(crate) schema: Placed<String>,
    /// The properties that are not required: names and patterns.
    pub(crate) optional: Vec<Placed<String>>,
    /// The properties that are required: names and patterns.
    pub(crate) required: Vec<Placed<String>>,
    /// True if null is allowed.
    pub(crate) nullable: Option<Placed<bool>>,
    /// True if its values are secret.
    pub(crate) secret: Option<Placed<bool>>,
    /// The types.
    pub(crate) types: Option<Placed<Vec<String>>>,
    /// The listed values; none allow any value.
    pub(crate) values: Option<Placed<Vec<Node>>>,
    /// The reason for the correction.
    pub(crate) reason: String,
}

impl Patch {
    /// Returns the file, which is empty for the document itself, and the JSON Pointer.
    pub(crate) fn target(&self) -> (&str, &str) {
        let schema = self.schema.value.as_str();
        schema.split_once('#').unwrap_or(("", schema))
    }

    /// Applies the patch to the file that it names. A part that matches nothing is an error, and one
    /// that changes nothing a warning.
    pub(crate) fn apply(&self, root: &mut Node, diagnostics: &mut Diagnostics) {
        let (_, pointer) = self.target();
        if let Err(problem) = self.check(root, pointer) {
            diagnostics.report(problem);
            return;
        }
        let Some(schema) = root.at_pointer_mut(pointer) else {
            return;
        };
        let mut patching = Patching {
            patch: self,
            schema,
            diagnostics,
        };
        for name in &self.optional {
            patching.make_optional(name);
        }
        for name in &self.required {
            patching.make_required(name);
        }
        if let Some(nullable) = &self.nullable {
            patching.set_nullable(nullable);
        }
        if let Some(secret) = &self.secret {
            patching.set_secret(secret);
        }
        if let Some(types) = &self.types {
            patching.set_types(types);
        }
        if let Some(values) = &self.values {
            patching.set_values(values);
        }
    }

    /// Checks that the pointer leads to a schema.
    fn check(&self, root: &Node, pointer: &str) -> Result<(), Box<Diagnostic>> {
        let place = self.schema.place;
        let steps = JsonPointer::steps_of(pointer).filter(|_| !pointer.is_empty());
        let Some(steps) = steps else {
            let message = format!("`{pointer}` is not a JSON Pointer to a schema");
            return Err(Box::new(
                Diagnostic::error(Code::UnknownValue, place, message)
                    .help("write the path of the schema, such as `/components/schemas/Item`"),
            ));
        };
        let mut node = root;
        for step in steps {
            node = match node.child(&step) {
                Some(child) => child,
                None => return Err(Box::new(self.unmatched(node, &step))),
            };
        }
        if node.as_object().is_none() {
            let message = format!("`{pointer}` is {}, not a schema", node.kind());
            let diagnostic = Diagnostic::error(Code::UnmatchedOverlay, place, message);
            return Err(Box::new(diagnostic.also(node.place, "the value")));
        }
        match node.str_at("$ref") {
            Some(reference) => Err(Box::new(refers(place, node, reference))),
            None => Ok(()),
        }
    }

    fn unmatched(&self, parent: &Node, step: &str) -> Diagnostic {
        let place = self.schema.place;
        if let Some(reference) = parent.str_at("$ref") {
            return refers(place, parent, reference);
        }
        let message = format!("`{}` matches nothing in the document", self.schema.value);
        let diagnostic = Diagnostic::error(Code::UnmatchedOverlay, place, message);
        let diagnostic = diagnostic.note(format!("there is no `{step}`"));
        let keys = parent.fields().map(|(key, _)| key);
        match most_similar(step, keys) {
            Some(similar) => diagnostic.help(format!("a similar key exists: `{similar}`")),
            None => diagnostic,
        }
    }
}

fn refers(place: Place, node: &Node, reference: &str) -> Diagnostic {
    let message = "this patch leads to a reference";
    Diagnostic::error(Code::UnmatchedOverlay, place, message)
        .also(node.place, "the reference")
        .help(format!("patch its target, `{reference}`"))
}

/// A patch and the schema that it changes.
struct Patching<'p> {
    patch: &'p Patch,
    schema: &'p mut Node,
    diagnostics: &'p mut Diagnostics,
}

impl Patching<'_> {
    fn make_optional(&mut self, pattern: &Placed<String>) {
        let matched = |name: &str| matches_glob(&pattern.value, name);
        if !self.required().any(matched) {
            let message = format!("the document itself does not require `{}`", pattern.value);
            self.report_named(pattern, message);
            return;
        }
        self.retain("required", |item| !item.as_str().is_some_and(matched));
        if self.required().next().is_none() {
            self.remove("required");
        }
    }

    fn make_required(&mut self, pattern: &Placed<String>) {
        let is_new = |name: &&str| {
            matches_glob(&pattern.value, name) && !self.required().any(|known| known == *name)
        };
        let new: Vec<Node> = (self.properties().filter(is_new))
            .map(|name| Node {
                place: pattern.place,
                data: Data::String(name.to_owned()),
            })
            .collect();
        if new.is_empty() {
            let message = format!("the document itself requires `{}`", pattern.value);
            self.report_named(pattern, message);
            return;
        }
        let known = self.schema.get("required").into_iter();
        let items = known.flat_map(Node::items).cloned().chain(new).collect();
        self.schema
            .set("required", pattern.place, Data::Array(items));
    }

    /// Returns the names of the required properties.
    fn required(&self) -> impl Iterator<Item = &str> {
        let required = self.schema.get("required").into_iter();
        required.flat_map(Node::items).filter_map(Node::as_str)
    }

    /// Returns the names of the properties.
    fn properties(&self) -> impl Iterator<Item = &str> {
        let properties = self.schema.get("properties").into_iter();
        properties.flat_map(Node::fields).map(|(name, _)| name)
    }

    fn set_nullable(&mut self, nullable: &Placed<bool>) {
        let place = nullable.place;
        match (nullable.value, allows_null(self.schema)) {
            (true, true) => self.report_needless(place, "the schema allows null itself"),
            (false, false) => self.report_needless(place, "the schema itself does not allow null"),
            (true, false) => self.schema.set("nullable", place, Data::Bool(true)),
            (false, true) => {
                self.remove("nullable");
                self.remove("x-nullable");
                self.retain("type", |word| word.as_str() != Some("null"));
                self.retain("enum", |value| !matches!(value.data, Data::Null));
                for union in ["anyOf", "oneOf"] {
                    self.retain(union, |variant| variant.str_at("type") != Some("null"));
                }
            }
        }
    }

    fn set_secret(&mut self, secret: &Placed<bool>) {
        let place = secret.place;
        let is_secret = self.schema.str_at("format") == Some("password");
        match (secret.value, is_secret || self.schema.is_true("writeOnly")) {
            (true, true) => self.report_needless(place, "the schema itself is secret"),
            (false, false) => self.report_needless(place, "the schema itself is not secret"),
            (true, false) => {
                let format = Data::String("password".to_owned());
                self.schema.set("format", place, format);
            }
            (false, true) => {
                self.remove("writeOnly");
                if is_secret {
                    self.remove("format");
                }
            }
        }
    }

    fn set_types(&mut self, types: &Placed<Vec<String>>) {
        let place = types.place;
        let word = |word: &String| Data::String(word.clone());
        let data = match types.value.as_slice() {
            [one] => word(one),
            several => {
                let nodes = several.iter().map(|one| Node {
                    place,
                    data: word(one),
                });
                Data::Array(nodes.collect())
            }
        };
        self.replace("type", place, data, "the schema has this type itself");
    }

    fn set_values(&mut self, values: &Placed<Vec<Node>>) {
        let place = values.place;
        if !values.value.is_empty() {
            let data = Data::Array(values.value.clone());
            self.replace("enum", place, data, "the schema lists these values itself");
        } else if self.schema.get("enum").is_some() {
            self.remove("enum");
        } else {
            self.report_needless(place, "the schema itself lists no values");
        }
    }

    /// Sets a key, unless it already has the value.
    fn replace(&mut self, key: &str, place: Place, data: Data, otherwise: &str) {
        let new = Node { place, data };
        let old = self.schema.get(key).map(Node::to_value);
        if old == Some(new.to_value()) {
            self.report_needless(place, otherwise);
        } else {
            self.schema.set(key, place, new.data);
        }
    }

    fn remove(&mut self, key: &str) {
        if let Some(object) = self.schema.as_object_mut() {
            object.shift_remove(key);
        }
    }

    /// Keeps some elements of an array.
    fn retain(&mut self, key: &str, keep: impl FnMut(&Node) -> bool) {
        let field = self.schema.as_object_mut();
        let field = field.and_then(|object| object.get_mut(key));
        if let Some(Data::Array(items)) = field.map(|field| &mut field.node.data) {
            let mut keep = keep;
            items.retain(|item| keep(item));
        }
    }

    /// Reports a pattern without an effect: as needless if properties match it, else as unmatched.
    fn report_named(&mut self, pattern: &Placed<String>, needless: String) {
        let Placed { value, place } = pattern;
        if self.properties().any(|name| matches_glob(value, name)) {
            self.report_needless(*place, needless);
            return;
        }
        let message = format!("the schema has no property `{value}`");
        let diagnostic = Diagnostic::error(Code::UnmatchedOverlay, *place, message);
        let similar = most_similar(value, self.properties());
        let diagnostic = diagnostic.also(self.schema.place, "the schema");
        let diagnostic = match similar {
            Some(similar) => diagnostic.help(format!("a similar property exists: `{similar}`")),
            None => diagnostic,
        };
        self.diagnostics.report(diagnostic);
    }

    fn report_needless(&mut self, place: Place, message: impl Into<String>) {
        self.diagnostics.report(
            Diagnostic::warning(Code::NeedlessCorrection, place, message)
                .note(format!("the reason was: {}", self.patch.reason))
                .help("remove this correction from the overlay"),
        );
    }
}

/// Checks whether a schema allows null, in any dialect.
fn allows_null(schema: &Node) -> bool {
    let has = |key: &str, is_null: fn(&Node) -> bool| {
        schema
            .get(key)
            .is_some_and(|node| node.items().any(is_null))
    };
    schema.is_true("nullable")
        || schema.is_true("x-nullable")
        || schema.str_at("type") == Some("null")
        || has("type", |word| word.as_str() == Some("null"))
        || has("enum", |value| matches!(value.data, Data::Null))
        || ["anyOf", "oneOf"]
            .iter()
            .any(|union| has(union, |variant| variant.str_at("type") == Some("null")))
}
