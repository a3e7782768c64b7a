//! The places of an answer that speak of pages.

use serde_json::Value;
use toolwright_schema::{
    Definitions, JsonPointer, alternatives, definition_name, only_variant, properties, reference,
};

use super::{
    arguments::{PageArgument, may_be},
    words::{self, plain},
};
use crate::{
    ir::LoweredOperation,
    language::{plural, words as words_of},
};

/// The greatest depth of objects that are searched.
const DEEPEST: usize = 3;

/// The most places that are looked at. Those near the root come first.
const MOST_PLACES: usize = 10_000;

/// The properties of an answer, the outer before the inner. What is within a list is none.
pub(super) struct ResponsePlaces<'a> {
    places: Vec<ResponsePlace<'a>>,
    definitions: &'a Definitions<'a>,
}

/// One of them.
pub(super) struct ResponsePlace<'a> {
    /// Its JSON pointer.
    pub(super) pointer: JsonPointer,
    /// Its name in plain letters.
    plain: String,
    /// The name of the object that it is in; empty for the answer itself.
    parent: String,
    depth: usize,
    schema: &'a Value,
}

impl<'a> ResponsePlaces<'a> {
    /// The places of the answer to an operation; none when it is not described.
    pub(super) fn new(
        operation: &'a LoweredOperation,
        definitions: &'a Definitions<'a>,
    ) -> Option<Self> {
        let root = ResponsePlace {
            pointer: JsonPointer::root(),
            plain: String::new(),
            parent: String::new(),
            depth: 0,
            schema: resolve(operation.output.schema.as_ref()?, definitions)?,
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

    /// Returns the place of the items: the only list, or the only list nearest to the root with a
    /// matching name.
    pub(super) fn items(&self, operation: &LoweredOperation) -> Option<String> {
        let resource = resource(&operation.path);
        let is_items = |place: &&ResponsePlace<'_>| {
            let name = place.plain.as_str();
            place.is_list() && (name == resource || !words::NO_ITEMS.has(name))
        };
        let lists = |depth| {
            let places = self.places.iter().filter(move |place| place.depth == depth);
            places.filter(is_items).collect::<Vec<_>>()
        };
        let nearest = (0..DEEPEST).map(lists).find(|lists| !lists.is_empty())?;
        if let [only] = nearest.as_slice() {
            return Some(only.pointer.clone().into());
        }
        let named = |is_named: &dyn Fn(&str) -> bool| {
            let mut named = nearest.iter().filter(|place| is_named(&place.plain));
            named.next().filter(|_| named.next().is_none())
        };
        named(&|name| name == resource)
            .or_else(|| named(&|name| words::LISTS.has(name)))
            .map(|place| place.pointer.clone().into())
    }

    /// The URL of the next page.
    pub(super) fn next_url(&self) -> Option<&ResponsePlace<'a>> {
        self.nearest(|place| place.is_next_url())
    }

    /// Returns the place of the cursor that an argument takes, by the clearest name.
    pub(super) fn mark_for(&self, argument: &PageArgument) -> Option<&ResponsePlace<'a>> {
        let name = argument.plain.as_str();
        if words::PAGES.has(name) {
            return self.nearest(|place| {
                words::NEXT_NUMBERS.has(&place.plain) && place.is_scalar_for(argument)
            });
        }
        let next = format!("next{name}");
        let rules: [&dyn Fn(&ResponsePlace<'_>) -> bool; 4] = [
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
        let list = self
            .places
            .iter()
            .find(|place| place.pointer.as_str() == items)?;
        let item = resolve(list.schema.get("items")?, self.definitions)?;
        let id = resolve(item.get("properties")?.get("id")?, self.definitions)?;
        may_be(id, &["string", "integer"]).then(|| "id".to_owned())
    }

    /// Returns the place that declares whether there is more.
    pub(super) fn more_flag(&self) -> Option<String> {
        let place = self.nearest(|place| {
            words::MORE.has(&place.plain) && place.is_typed() && may_be(place.schema, &["boolean"])
        })?;
        Some(place.pointer.clone().into())
    }

    /// Returns the place that repeats the number of the page.
    pub(super) fn current_page(&self) -> Option<String> {
        self.number(|place| words::CURRENT.has(&place.plain))
    }

    /// Returns the place with the number of pages.
    pub(super) fn number_of_pages(&self) -> Option<String> {
        self.number(|place| words::NUMBER_OF_PAGES.has(&place.plain))
    }

    fn number(&self, is_so: impl Fn(&ResponsePlace<'_>) -> bool) -> Option<String> {
        let is_number = |place: &ResponsePlace<'_>| {
            place.is_typed() && may_be(place.schema, &["integer", "number"])
        };
        let place = self.nearest(|place| is_so(place) && is_number(place))?;
        Some(place.pointer.clone().into())
    }

    /// The only one that is so, of those nearest to the root; none when there are several.
    fn nearest(&self, is_so: impl Fn(&ResponsePlace<'a>) -> bool) -> Option<&ResponsePlace<'a>> {
        let mut fitting = self.places.iter().filter(|place| is_so(place));
        let first = fitting.next()?;
        let alone = fitting
            .next()
            .is_none_or(|second| second.depth > first.depth);
        alone.then_some(first)
    }
}

impl<'a> ResponsePlace<'a> {
    fn inner(&self, definitions: &'a Definitions<'a>) -> Vec<Self> {
        let is_searched = self.depth < DEEPEST;
        let properties = properties(self.schema).filter(|_| is_searched);
        let inner = properties.filter_map(|(name, schema)| {
            Some(ResponsePlace {
                pointer: self.pointer.join(name),
                plain: plain(name),
                parent: self.plain.clone(),
                depth: self.depth + 1,
                schema: resolve(schema, definitions)?,
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

    /// Checks whether it holds one value of a type that the argument takes.
    fn is_scalar_for(&self, argument: &PageArgument) -> bool {
        let scalars = ["string", "integer", "number"];
        let mut fitting = scalars.iter().filter(|word| may_be(self.schema, &[word]));
        self.schema.get("properties").is_none()
            && !self.is_list()
            && fitting.any(|word| argument.may_be(&[word]))
    }

    /// Checks whether it is the URL of the next page, by its name or its type.
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

    /// Checks whether its description mentions the next page.
    fn speaks_of_next(&self) -> bool {
        let text = self.schema.get("description").and_then(Value::as_str);
        let said = words_of(text.unwrap_or_default());
        ["next", "subsequent", "following", "continue", "more"]
            .iter()
            .any(|word| said.iter().any(|other| other == word))
    }
}

/// Resolves the references of a schema and removes its null variant; `None` if several variants
/// remain.
fn resolve<'a>(schema: &'a Value, definitions: &'a Definitions<'a>) -> Option<&'a Value> {
    let mut schema = schema;
    for _ in 0..DEEPEST * 4 {
        schema = if reference(schema).is_some() {
            definitions.get(definition_name(schema)?)?
        } else if alternatives(schema).is_some() {
            only_variant(schema)?
        } else {
            return Some(schema);
        };
    }
    None
}

/// Returns the name of the items: the last segment of the path that is not a parameter.
fn resource(path: &str) -> String {
    let mut steps = path
        .split('/')
        .filter(|step| !step.is_empty() && !step.starts_with('{'));
    let last = steps.next_back().unwrap_or_default();
    let last = last.split(['.', ':']).next().unwrap_or_default();
    plural(&plain(last))
}
