//! The arguments that select a page.

use serde_json::Value;
use toolwright_model::{Binding, BodyShape, Location, Named};
use toolwright_schema::types;

use super::words::{self, plain};
use crate::ir::LoweredOperation;

/// The arguments of an operation in its query or its body.
pub(super) struct PageArguments(Vec<PageArgument>);

/// One of them.
pub(super) struct PageArgument {
    /// Its name among the tool's arguments.
    pub(super) name: String,
    /// Its name on the wire.
    wire: String,
    /// The same in plain letters.
    pub(super) plain: String,
    in_query: bool,
    schema: Value,
}

impl PageArguments {
    pub(super) fn from_operation(operation: &LoweredOperation) -> Self {
        let Binding::Http(binding) = &operation.binding else {
            return Self(Vec::new());
        };
        let query = binding.parameters.iter();
        let query = query
            .filter(|parameter| parameter.location == Location::Query)
            .map(|parameter| (&parameter.name, &parameter.value, true));
        let fields = match binding.body.as_ref().map(|body| &body.shape) {
            Some(BodyShape::Fields(fields)) => fields.as_slice(),
            _ => &[],
        };
        let fields = fields
            .iter()
            .map(|field| (&field.name, &field.value, false));
        let arguments = query.chain(fields).filter_map(|(wire, bound, in_query)| {
            let name = bound.argument()?;
            let mut all = operation.arguments.iter();
            let argument = all.find(|argument| argument.name == name)?;
            Some(PageArgument {
                name: name.to_owned(),
                wire: wire.clone(),
                plain: plain(wire),
                in_query,
                schema: argument.schema.clone(),
            })
        });
        Self(arguments.collect())
    }

    /// Those that take a mark, or the number of a page that the answer gives.
    pub(super) fn marks(&self) -> impl Iterator<Item = &PageArgument> {
        let takes_mark = |argument: &&PageArgument| {
            words::MARKS.has(&argument.plain) && argument.may_be(&["string", "integer", "number"])
        };
        let marks = self.0.iter().filter(takes_mark);
        marks.chain(self.page())
    }

    /// The one that takes the number of a page.
    pub(super) fn page(&self) -> Option<&PageArgument> {
        self.only_one(|argument| words::PAGES.has(&argument.plain) && argument.is_number())
    }

    /// Returns the argument for the number of an item. It has this meaning only next to a page
    /// size.
    pub(super) fn offset(&self) -> Option<&PageArgument> {
        self.size()?;
        self.only_one(|argument| {
            words::OFFSETS.has(&argument.plain)
                && argument.is_number()
                && !argument.description().contains("page number")
        })
    }

    /// The one that takes the number of items of a page.
    pub(super) fn size(&self) -> Option<&PageArgument> {
        self.only_one(|argument| words::SIZES.has(&argument.plain) && argument.is_number())
    }

    /// Returns the arguments that a page's URL may contain; `None` if none of them selects a page.
    pub(super) fn in_url(&self) -> Option<Vec<Named>> {
        let chooses = |argument: &&PageArgument| {
            argument.in_query
                && [&words::MARKS, &words::PAGES, &words::OFFSETS]
                    .iter()
                    .any(|list| list.has(&argument.plain))
        };
        let sizes =
            |argument: &&PageArgument| argument.in_query && words::SIZES.has(&argument.plain);
        self.0.iter().find(chooses)?;
        let named = self
            .0
            .iter()
            .filter(|argument| chooses(argument) || sizes(argument));
        let named = named.map(|argument| Named {
            argument: argument.name.clone(),
            name: argument.wire.clone(),
        });
        Some(named.collect())
    }

    /// The only one that is so; none when there are several.
    fn only_one(&self, is_so: impl Fn(&PageArgument) -> bool) -> Option<&PageArgument> {
        let mut fitting = self.0.iter().filter(|argument| is_so(argument));
        fitting.next().filter(|_| fitting.next().is_none())
    }
}

impl PageArgument {
    /// Checks whether it takes the id of the last item.
    pub(super) fn follows_item(&self) -> bool {
        words::AFTER_ITEM.has(&self.plain)
    }

    /// Returns the first number, if the schema declares it: as a default, a minimum, or in its
    /// description.
    pub(super) fn first(&self) -> Option<u64> {
        let number = |keyword: &str| self.schema.get(keyword).and_then(Value::as_f64);
        let by_schema = match (number("default"), number("minimum")) {
            (Some(0.0), _) => Some(0),
            (Some(1.0), _) => Some(1),
            (None, Some(1.0)) => Some(1),
            _ => None,
        };
        by_schema.or_else(|| first_in_words(&self.description()))
    }

    /// The number of the first item of all.
    pub(super) fn first_item(&self) -> Option<u64> {
        if words::FROM_NOUGHT.has(&self.plain) {
            return Some(0);
        }
        self.first()
    }

    fn is_number(&self) -> bool {
        self.is_typed() && self.may_be(&["integer", "number"])
    }

    fn is_typed(&self) -> bool {
        self.schema.get("type").is_some()
    }

    /// Checks whether it allows one of these types; without a declared type it allows all.
    pub(super) fn may_be(&self, types: &[&str]) -> bool {
        may_be(&self.schema, types)
    }

    fn description(&self) -> String {
        let text = self.schema.get("description").and_then(Value::as_str);
        text.unwrap_or_default().to_lowercase()
    }
}

/// Checks whether a schema allows one of these types; without a declared type it allows all.
pub(super) fn may_be(schema: &Value, wanted: &[&str]) -> bool {
    schema.get("type").is_none() || types(schema).any(|name| wanted.contains(&name))
}

/// Returns the first number, if a description contains it.
fn first_in_words(description: &str) -> Option<u64> {
    let says = |texts: &[&str]| texts.iter().any(|text| description.contains(text));
    let nought = says(&[
        "zero-based",
        "zero based",
        "0-based",
        "0 based",
        "starts at 0",
        "starting at 0",
        "starts from 0",
        "starting from 0",
        "starts with 0",
        "starting with 0",
        "first page is 0",
        "begins at 0",
        "beginning at 0",
        "(0..",
    ]);
    let one = says(&[
        "one-based",
        "one based",
        "1-based",
        "1 based",
        "starts at 1",
        "starting at 1",
        "starts from 1",
        "starting from 1",
        "starts with 1",
        "starting with 1",
        "first page is 1",
        "begins at 1",
        "beginning at 1",
        "begins with 1",
        "default is 1",
        "default: 1",
        "defaults to 1",
        "default 1",
        "default value is 1",
    ]);
    match (nought, one) {
        (true, false) => Some(0),
        (false, true) => Some(1),
        _ => None,
    }
}
