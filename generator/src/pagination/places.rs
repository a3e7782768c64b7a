//! The places of an answer that speak of pages.

use indexmap::IndexMap;
use serde_json::Value;

use super::{
    arguments::{Argument, may_be},
    words::{self, plain},
};
use crate::{
    english::{plural, words as words_of},
    ir::Operation,
    tree::escape_step,
};

/// How deep objects are looked into.
const DEEPEST: usize = 3;

/// The most places that are looked at. Those near the root come first.
const MOST_PLACES: usize = 10_000;

/// The properties of an answer, the outer before the inner. What is within a list is none.
pub(super) struct Places<'a> {
    places: Vec<Place<'a>>,
    definitions: &'a IndexMap<String, Value>,
}

/// One of them.
pub(super) struct Place<'a> {
    /// Where it stands.
    pub(super) pointer: String,
    /// Its name in plain letters.
    plain: String,
    /// The name of the object that it is in; empty for the answer itself.
    parent: String,
    depth: usize,
    schema: &'a Value,
}

impl<'a> Places<'a> {
    /// The places of the answer to an operation; none when it is not described.
    pub(super) fn of(
        operation: &'a Operation,
        definitions: &'a IndexMap<String, Value>,
    ) -> Option<Self> {
        let root = Place {
            pointer: String::new(),
            plain: String::new(),
            parent: String::new(),
            depth: 0,
            schema: resolved(operation.output.schema.as_ref()?, definitions)?,
        };
        let mut places = vec![root];
        let mut at = 0;
        while let Some(outer) = places.get(at)
            && places.len() < MOST_PLACES
        {
            at += 1;
            let inner = outer.inner(definitions);
            places.extend(inner);
        }
        Some(Self {
            places,
            definitions,
        })
    }

    /// Where the items stand: the only list, or the only one of those nearest to the root whose
    /// name says so.
    pub(super) fn items(&self, operation: &Operation) -> Option<String> {
        let resource = resource(&operation.path);
        let is_items = |place: &&Place<'_>| {
            let name = place.plain.as_str();
            place.is_list() && (name == resource || !words::NO_ITEMS.has(name))
        };
        let lists = |depth| {
            let places = self.places.iter().filter(move |place| place.depth == depth);
            places.filter(is_items).collect::<Vec<_>>()
        };
        let nearest = (0..DEEPEST).map(lists).find(|lists| !lists.is_empty())?;
        if let [only] = nearest.as_slice() {
            return Some(only.pointer.clone());
        }
        let named = |is_named: &dyn Fn(&str) -> bool| {
            let mut named = nearest.iter().filter(|place| is_named(&place.plain));
            named.next().filter(|_| named.next().is_none())
        };
        named(&|name| name == resource)
            .or_else(|| named(&|name| words::LISTS.has(name)))
            .map(|place| place.pointer.clone())
    }

    /// The URL of the next page.
    pub(super) fn next_url(&self) -> Option<&Place<'a>> {
        self.nearest(|place| place.is_next_url())
    }

    /// The mark that an argument takes, by what says so most clearly.
    pub(super) fn mark_for(&self, argument: &Argument) -> Option<&Place<'a>> {
        let name = argument.plain.as_str();
        if words::PAGES.has(name) {
            return self.nearest(|place| {
                words::NEXT_NUMBERS.has(&place.plain) && place.is_scalar_for(argument)
            });
        }
        let next = format!("next{name}");
        let rules: [&dyn Fn(&Place<'_>) -> bool; 4] = [
            &|place| place.plain == next || (place.plain == name && words::SAME.has(name)),
            &|place| words::NEXT_MARKS.has(&place.plain),
            &|place| {
                let is_named = words::IN_PAGING.has(&place.plain);
                is_named && words::PAGING.has(&place.parent) && !place.is_next_url()
            },
            &|place| {
                let is_said = place.plain == name && place.speaks_of_next();
                is_said || place.plain == "next" && place.depth == 1 && !place.is_next_url()
            },
        ];
        rules
            .iter()
            .find_map(|rule| self.nearest(|place| place.is_scalar_for(argument) && rule(place)))
    }

    /// The property of the items that is their id.
    pub(super) fn id_of_items(&self, items: &str) -> Option<String> {
        let list = self.places.iter().find(|place| place.pointer == items)?;
        let item = resolved(list.schema.get("items")?, self.definitions)?;
        let id = resolved(item.get("properties")?.get("id")?, self.definitions)?;
        may_be(id, &["string", "integer"]).then(|| "id".to_owned())
    }

    /// Where the answer says whether there is more.
    pub(super) fn more(&self) -> Option<String> {
        let place = self.nearest(|place| {
            words::MORE.has(&place.plain) && place.is_typed() && may_be(place.schema, &["boolean"])
        })?;
        Some(place.pointer.clone())
    }

    /// Where the answer repeats the number of the page.
    pub(super) fn current_page(&self) -> Option<String> {
        self.number(|place| words::CURRENT.has(&place.plain))
    }

    /// Where the answer says how many pages there are.
    pub(super) fn number_of_pages(&self) -> Option<String> {
        self.number(|place| words::NUMBER_OF_PAGES.has(&place.plain))
    }

    fn number(&self, is_so: impl Fn(&Place<'_>) -> bool) -> Option<String> {
        let is_number =
            |place: &Place<'_>| place.is_typed() && may_be(place.schema, &["integer", "number"]);
        let place = self.nearest(|place| is_so(place) && is_number(place))?;
        Some(place.pointer.clone())
    }

    /// The only one that is so, of those nearest to the root; none when there are several.
    fn nearest(&self, is_so: impl Fn(&Place<'a>) -> bool) -> Option<&Place<'a>> {
        let mut fitting = self.places.iter().filter(|place| is_so(place));
        let first = fitting.next()?;
        let alone = fitting
            .next()
            .is_none_or(|second| second.depth > first.depth);
        alone.then_some(first)
    }
}

impl<'a> Place<'a> {
    fn inner(&self, definitions: &'a IndexMap<String, Value>) -> Vec<Self> {
        let properties = self.schema.get("properties").and_then(Value::as_object);
        let properties = properties
            .filter(|_| self.depth < DEEPEST)
            .into_iter()
            .flatten();
        let inner = properties.filter_map(|(name, schema)| {
            Some(Place {
                pointer: format!("{}/{}", self.pointer, escape_step(name)),
                plain: plain(name),
                parent: self.plain.clone(),
                depth: self.depth + 1,
                schema: resolved(schema, definitions)?,
            })
        });
        inner.collect()
    }

    fn is_typed(&self) -> bool {
        self.schema.get("type").is_some()
    }

    fn is_list(&self) -> bool {
        self.schema.get("items").is_some() || self.is_typed() && may_be(self.schema, &["array"])
    }

    /// Whether it holds one value, of a type that the argument takes.
    fn is_scalar_for(&self, argument: &Argument) -> bool {
        let scalars = ["string", "integer", "number"];
        let mut fitting = scalars.iter().filter(|word| may_be(self.schema, &[word]));
        self.schema.get("properties").is_none()
            && !self.is_list()
            && fitting.any(|word| argument.may_be(&[word]))
    }

    /// Whether it is the URL of the next page, by its name or by its type.
    fn is_next_url(&self) -> bool {
        let format = self.schema.get("format").and_then(Value::as_str);
        let is_uri = format.is_some_and(|format| format.starts_with("uri") || format == "url");
        let among_links = matches!(self.parent.as_str(), "links" | "link");
        let is_text = may_be(self.schema, &["string"]) && self.schema.get("properties").is_none();
        let is_next = self.plain == "next" && (is_uri || among_links);
        let is_href = self.plain == "href" && self.parent == "next";
        is_text
            && !self.is_list()
            && (is_next
                || is_href
                || words::NEXT_URLS.has(&self.plain)
                || self.plain == "nextpage" && is_uri)
    }

    /// Whether its description says that it is for the next page.
    fn speaks_of_next(&self) -> bool {
        let text = self.schema.get("description").and_then(Value::as_str);
        let said = words_of(text.unwrap_or_default());
        ["next", "subsequent", "following", "continue", "more"]
            .iter()
            .any(|word| said.iter().any(|other| other == word))
    }
}

/// A schema after its references, and without the null beside it; none when it may be several.
fn resolved<'a>(schema: &'a Value, definitions: &'a IndexMap<String, Value>) -> Option<&'a Value> {
    let mut schema = schema;
    for _ in 0..DEEPEST * 4 {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            schema = definitions.get(reference.strip_prefix("#/$defs/")?)?;
            continue;
        }
        let variants = schema.get("anyOf").or_else(|| schema.get("oneOf"));
        let Some(variants) = variants.and_then(Value::as_array) else {
            return Some(schema);
        };
        let is_null = |schema: &&Value| schema.get("type").and_then(Value::as_str) == Some("null");
        let mut valued = variants.iter().filter(|schema| !is_null(schema));
        schema = valued.next().filter(|_| valued.next().is_none())?;
    }
    None
}

/// What the last step of a path that is no parameter calls the items.
fn resource(path: &str) -> String {
    let mut steps = path
        .split('/')
        .filter(|step| !step.is_empty() && !step.starts_with('{'));
    let last = steps.next_back().unwrap_or_default();
    let last = last.split(['.', ':']).next().unwrap_or_default();
    plural(&plain(last))
}
