//! Compares our document with the vendor's and reports every difference with its place.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde_json::{Value, json};

use crate::{
    document::{Document, Operation, entries},
    shape::Shape,
};

/// The kind of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Ours has a part that the vendor's lacks.
    Extra,
    /// The vendor requires a part that ours lacks.
    Lacking,
    /// The types differ.
    Type,
    /// Only one of them may be null.
    Nullable,
    /// The formats differ.
    Format,
    /// The enumerated values differ.
    Values,
    /// Only one of them is required.
    Required,
    /// Only one of them is read-only, write-only or deprecated.
    Use,
    /// The bounds or the defaults differ.
    Limit,
    /// The serialisation of a parameter differs.
    Style,
}

/// A difference between our document and the vendor's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Difference {
    /// The place in our document: an operation and its part, or a type and its property.
    pub(crate) place: String,
    pub(crate) kind: Kind,
    /// Our value and the vendor's.
    pub(crate) what: String,
}

/// The direction of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// From us to the service.
    Sent,
    /// From the service to us.
    Received,
}

/// A comparison of two documents.
struct Comparison<'d> {
    ours: &'d Document,
    theirs: &'d Document,
    found: BTreeSet<Difference>,
    /// The compared pairs of schemas, by their addresses, since types refer to themselves.
    compared: BTreeSet<(*const Value, *const Value, Way)>,
}

/// Returns all differences, sorted.
pub(crate) fn differences(ours: &Document, theirs: &Document) -> Vec<Difference> {
    let mut comparison = Comparison {
        ours,
        theirs,
        found: BTreeSet::new(),
        compared: BTreeSet::new(),
    };
    comparison.servers();
    let known: BTreeMap<_, _> = theirs
        .operations()
        .into_iter()
        .map(|o| (o.key(), o))
        .collect();
    for operation in ours.operations() {
        let place = format!("{} {}", operation.method.to_uppercase(), operation.path);
        match known.get(&operation.key()) {
            Some(theirs) => comparison.operation(&place, &operation, theirs),
            None => comparison.report(&place, Kind::Extra, "the vendor has no such operation"),
        }
    }
    comparison.found.into_iter().collect()
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{:?}]: {}", self.place, self.kind, self.what)
    }
}

impl<'d> Comparison<'d> {
    fn report(&mut self, place: &str, kind: Kind, what: impl Into<String>) {
        self.found.insert(Difference {
            place: place.to_owned(),
            kind,
            what: what.into(),
        });
    }

    /// Reports two values that differ.
    fn equal<T: PartialEq + fmt::Debug>(&mut self, place: &str, kind: Kind, ours: T, theirs: T) {
        if ours != theirs {
            self.report(
                place,
                kind,
                format!("ours is {ours:?}, the vendor's {theirs:?}"),
            );
        }
    }

    fn servers(&mut self) {
        let known: Vec<_> = urls(self.theirs).collect();
        for url in urls(self.ours).filter(|url| !known.contains(url)) {
            self.report(
                "servers",
                Kind::Extra,
                format!("the vendor has no server {url}"),
            );
        }
    }

    fn operation(&mut self, place: &str, ours: &Operation<'d>, theirs: &Operation<'d>) {
        self.parameters(place, ours, theirs);
        self.body(
            place,
            ours.node.get("requestBody"),
            theirs.node.get("requestBody"),
        );
        self.responses(place, ours, theirs);
        self.security(place, ours, theirs);
    }

    /// Compares the security schemes. If the vendor's document declares none at all, each of ours is
    /// one difference of the whole document.
    fn security(&mut self, place: &str, ours: &Operation<'d>, theirs: &Operation<'d>) {
        let known = schemes(self.theirs, theirs);
        let silent = known.is_empty() && !declares_schemes(self.theirs);
        for scheme in schemes(self.ours, ours).difference(&known) {
            if silent {
                let place = format!("security {scheme}");
                self.report(&place, Kind::Extra, "the vendor's document has no scheme");
            } else {
                let what = format!("the vendor does not take {scheme}");
                self.report(&format!("{place} security"), Kind::Extra, what);
            }
        }
    }

    fn parameters(&mut self, place: &str, ours: &Operation<'d>, theirs: &Operation<'d>) {
        let known = parameters(theirs);
        let own = parameters(ours);
        for (key, parameter) in &own {
            let place = format!(
                "{place} {} {}",
                parameter["in"].as_str().unwrap(),
                text(&parameter["name"])
            );
            match known.get(key) {
                Some(theirs) => self.parameter(&place, parameter, theirs),
                None => self.report(&place, Kind::Extra, "the vendor has no such parameter"),
            }
        }
        for (key, parameter) in known {
            if is(parameter, "required") && !own.contains_key(&key) {
                let what = format!("the vendor requires the parameter {}", parameter["name"]);
                self.report(place, Kind::Lacking, what);
            }
        }
    }

    fn parameter(&mut self, place: &str, ours: &'d Value, theirs: &'d Value) {
        let required = (is(ours, "required"), is(theirs, "required"));
        self.equal(place, Kind::Required, required.0, required.1);
        self.equal(place, Kind::Style, style(ours), style(theirs));
        self.schema(place, Way::Sent, &ours["schema"], &theirs["schema"]);
    }

    fn body(&mut self, place: &str, ours: Option<&'d Value>, theirs: Option<&'d Value>) {
        let place = format!("{place} body");
        let (ours, theirs) = match (ours, theirs) {
            (Some(ours), Some(theirs)) => {
                (self.ours.resolve(ours).0, self.theirs.resolve(theirs).0)
            }
            (Some(_), None) => return self.report(&place, Kind::Extra, "the vendor has no body"),
            (None, Some(theirs)) if is(self.theirs.resolve(theirs).0, "required") => {
                return self.report(&place, Kind::Lacking, "the vendor requires a body");
            }
            (None, _) => return,
        };
        let required = (is(ours, "required"), is(theirs, "required"));
        self.equal(&place, Kind::Required, required.0, required.1);
        self.content(&place, Way::Sent, ours, theirs);
    }

    fn responses(&mut self, place: &str, ours: &Operation<'d>, theirs: &Operation<'d>) {
        let known: BTreeMap<_, _> = object(theirs.node.get("responses")).collect();
        for (status, response) in object(ours.node.get("responses")) {
            let place = format!("{place} answer {status}");
            let Some(theirs) = known.get(status) else {
                self.report(&place, Kind::Extra, "the vendor has no such answer");
                continue;
            };
            let (ours, theirs) = (self.ours.resolve(response).0, self.theirs.resolve(theirs).0);
            self.content(&place, Way::Received, ours, theirs);
            self.headers(&place, ours, theirs);
        }
    }

    fn headers(&mut self, place: &str, ours: &'d Value, theirs: &'d Value) {
        for (name, header) in entries(ours, "headers") {
            let place = format!("{place} header {name}");
            let Some(known) = theirs.get("headers").and_then(|headers| headers.get(name)) else {
                self.report(&place, Kind::Extra, "the vendor has no such header");
                continue;
            };
            let (ours, theirs) = (self.ours.resolve(header).0, self.theirs.resolve(known).0);
            self.schema(&place, Way::Received, &ours["schema"], &theirs["schema"]);
        }
    }

    /// Compares the media types of a body or a response.
    fn content(&mut self, place: &str, way: Way, ours: &'d Value, theirs: &'d Value) {
        for (media_type, media) in entries(ours, "content") {
            match theirs
                .get("content")
                .and_then(|content| content.get(media_type))
            {
                Some(theirs) => self.schema(place, way, &media["schema"], &theirs["schema"]),
                None => {
                    let what = format!("the vendor has no {media_type} here");
                    self.report(place, Kind::Extra, what);
                }
            }
        }
    }

    /// Compares two schemas of one value. A named type is a place of its own and is compared once.
    fn schema(&mut self, place: &str, way: Way, ours: &'d Value, theirs: &'d Value) {
        let (own, other) = (Shape::of(self.ours, ours), Shape::of(self.theirs, theirs));
        self.equal(place, Kind::Nullable, own.nullable, other.nullable);
        let Some((target, name)) = self.ours.named(ours) else {
            return self.shapes(place, way, &own, &other);
        };
        let their_target = self
            .theirs
            .named(theirs)
            .map_or(theirs, |(target, _)| target);
        if self.compared.insert((target, their_target, way)) {
            self.shapes(name, way, &own, &other);
        }
    }

    fn shapes(&mut self, place: &str, way: Way, ours: &Shape<'d>, theirs: &Shape<'d>) {
        self.equal(place, Kind::Type, &ours.types, &theirs.types);
        self.equal(place, Kind::Format, ours.format, theirs.format);
        self.equal(place, Kind::Values, &ours.values, &theirs.values);
        for (name, limit) in &ours.limits {
            let known = theirs.limits.get(name);
            if !known.is_some_and(|known| same(limit, known)) {
                let known = known.map_or_else(|| "nothing".to_owned(), |known| known.to_string());
                let what = format!("ours has `{name}` {limit}, the vendor's {known}");
                self.report(place, Kind::Limit, what);
            }
        }
        self.properties(place, way, ours, theirs);
        self.parts(place, way, "[]", ours.items, theirs.items);
        let schema = |node: Option<&'d Value>| node.filter(|node| node.is_object());
        let (additional, known) = (schema(ours.additional), schema(theirs.additional));
        self.parts(place, way, "{}", additional, known);
        self.equal(
            place,
            Kind::Type,
            ours.variants.len(),
            theirs.variants.len(),
        );
        for (number, (ours, theirs)) in ours.variants.iter().zip(&theirs.variants).enumerate() {
            self.schema(&format!("{place}<{number}>"), way, ours, theirs);
        }
    }

    fn properties(&mut self, place: &str, way: Way, ours: &Shape<'d>, theirs: &Shape<'d>) {
        for (name, property) in &ours.properties {
            let place = format!("{place}.{name}");
            let Some(known) = theirs.properties.get(name) else {
                self.report(&place, Kind::Extra, "the vendor has no such property");
                continue;
            };
            let required = (ours.required.contains(name), theirs.required.contains(name));
            self.equal(&place, Kind::Required, required.0, required.1);
            let uses = |shape: Shape<'_>| (shape.read_only, shape.write_only, shape.deprecated);
            let own = uses(Shape::of(self.ours, property));
            self.equal(&place, Kind::Use, own, uses(Shape::of(self.theirs, known)));
            self.schema(&place, way, property, known);
        }
        if way == Way::Sent {
            // A read-only property is never sent, even if it is required.
            let read = |name: &str| {
                let property = theirs.properties.get(name);
                property.is_some_and(|node| Shape::of(self.theirs, node).read_only)
            };
            let lacking = |name: &&&str| !ours.properties.contains_key(**name) && !read(name);
            let lacking: Vec<_> = theirs.required.iter().filter(lacking).collect();
            for name in lacking {
                let what = format!("the vendor requires the property `{name}`");
                self.report(place, Kind::Lacking, what);
            }
        }
    }

    /// Compares a nested schema, which both or neither must have.
    fn parts(
        &mut self,
        place: &str,
        way: Way,
        part: &str,
        ours: Option<&'d Value>,
        theirs: Option<&'d Value>,
    ) {
        let place = format!("{place}{part}");
        match (ours, theirs) {
            (Some(ours), Some(theirs)) => self.schema(&place, way, ours, theirs),
            (Some(_), None) => self.report(&place, Kind::Extra, "the vendor declares nothing here"),
            (None, Some(_)) => self.report(&place, Kind::Lacking, "ours declares nothing here"),
            (None, None) => {}
        }
    }
}

/// Returns the parameters by their identity: path parameters by order, since their names are not
/// sent, the others by place and name. The header that authenticates is omitted.
fn parameters<'d>(operation: &Operation<'d>) -> BTreeMap<(&'d str, String), &'d Value> {
    let order = operation.path_parameters();
    let key = |parameter: &'d Value| {
        let (place, name) = (text(&parameter["in"]), text(&parameter["name"]));
        let name = match place {
            "path" => order
                .iter()
                .position(|known| *known == name)
                .map(|n| n.to_string()),
            "header" => Some(name.to_lowercase()),
            _ => None,
        };
        (
            place,
            name.unwrap_or_else(|| text(&parameter["name"]).to_owned()),
        )
    };
    // The operation's own parameter comes first and overrides the path's.
    let reversed = operation.parameters.iter().rev();
    reversed
        .filter(|parameter| !authenticates(parameter))
        .map(|parameter| (key(parameter), *parameter))
        .collect()
}

/// Returns the style and `explode` of a parameter, with defaults.
fn style(parameter: &Value) -> (&str, bool) {
    let default = match text(&parameter["in"]) {
        "query" | "cookie" => "form",
        _ => "simple",
    };
    let style = parameter
        .get("style")
        .and_then(Value::as_str)
        .unwrap_or(default);
    let explode = parameter.get("explode").and_then(Value::as_bool);
    (style, explode.unwrap_or(style == "form"))
}

/// Returns the security schemes of an operation by their content, without their names.
fn schemes(document: &Document, operation: &Operation<'_>) -> BTreeSet<String> {
    let security = operation
        .node
        .get("security")
        .or_else(|| document.root().get("security"));
    let alternatives = security.and_then(Value::as_array).into_iter().flatten();
    let names = alternatives
        .filter_map(Value::as_object)
        .flat_map(|one| one.keys());
    let schemes = &document.root()["components"]["securitySchemes"];
    let kind = |name: &String| {
        let scheme = document.resolve(&schemes[name]).0;
        let part = |key: &str| scheme.get(key).cloned().unwrap_or_default();
        json!([part("type"), part("in"), part("name"), part("scheme")]).to_string()
    };
    let described = operation
        .parameters
        .iter()
        .filter(|parameter| authenticates(parameter))
        .map(|_| json!(["apiKey", "header", "Authorization", null]).to_string());
    names.map(kind).chain(described).collect()
}

/// Checks whether a document declares any security scheme.
fn declares_schemes(document: &Document) -> bool {
    let schemes = &document.root()["components"]["securitySchemes"];
    schemes
        .as_object()
        .is_some_and(|schemes| !schemes.is_empty())
}

/// Checks whether a parameter is the header that authenticates, which some documents declare so.
fn authenticates(parameter: &Value) -> bool {
    let name = text(&parameter["name"]);
    text(&parameter["in"]) == "header" && name.eq_ignore_ascii_case("authorization")
}

fn urls(document: &Document) -> impl Iterator<Item = &Value> {
    let servers = document.root().get("servers").and_then(Value::as_array);
    servers.into_iter().flatten().map(|server| &server["url"])
}

fn object(node: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    node.and_then(Value::as_object).into_iter().flatten()
}

/// Checks whether two limits are equal, independent of the notation of numbers.
fn same(one: &Value, other: &Value) -> bool {
    one == other
        || one
            .as_f64()
            .is_some_and(|number| other.as_f64() == Some(number))
}

fn is(node: &Value, flag: &str) -> bool {
    node.get(flag).and_then(Value::as_bool) == Some(true)
}

fn text(node: &Value) -> &str {
    node.as_str().unwrap_or_default()
}
