//! Recognises lists that are answered in pages, from the operation's own arguments and answer.
//!
//! The rules look at names and types, and at both sides: an argument counts only with the place in
//! the answer that belongs to it. A wrong recognition would lose items or go on for ever, so where
//! two readings are possible there is none.

mod arguments;
mod places;
mod words;

use toolwright_model::{Category, NextPage, Pagination};
use toolwright_schema::Definitions;

use crate::ir::LoweredOperation;
use arguments::{PageArgument, PageArguments};
use places::ResponsePlaces;

/// Returns the rule for further pages of an operation's result. Returns `None` if it has no pages,
/// or if more than one rule is possible.
pub(super) fn recognise(
    operation: &LoweredOperation,
    category: Category,
    definitions: &Definitions<'_>,
) -> Option<Pagination> {
    if category != Category::Observe && !is_called_list(operation) {
        return None;
    }
    let arguments = PageArguments::from_operation(operation);
    let places = ResponsePlaces::new(operation, definitions)?;
    let items = places.items(operation);
    let mut evidence = Vec::new();
    let next = detect_cursor(&arguments, &places, &mut evidence)
        .or_else(|| detect_url(&arguments, &places, &mut evidence))
        .or_else(|| detect_last_item(&arguments, &places, items.as_deref(), &mut evidence))
        .or_else(|| detect_link(&arguments, operation, &mut evidence));
    let next = match (next, &items) {
        (Some(next), _) => next,
        // Numbers continue until a page has no items, so the items must be known.
        (None, Some(_)) => detect_offset(&arguments, &mut evidence)
            .or_else(|| detect_page(&arguments, &places, &mut evidence))?,
        (None, None) => return None,
    };
    if let Some(items) = &items {
        evidence.push(format!("the list at `{items}`"));
    }
    let more = places.more_flag();
    evidence.extend(more.as_ref().map(|more| format!("the boolean at `{more}`")));
    Some(Pagination {
        next,
        items,
        more,
        size: arguments.size().map(|size| size.name.clone()),
        evidence,
    })
}

/// The answer has the URL of the next page.
fn detect_url(
    arguments: &PageArguments,
    places: &ResponsePlaces<'_>,
    evidence: &mut Vec<String>,
) -> Option<NextPage> {
    let arguments = arguments.in_url()?;
    let place = places.next_url()?;
    evidence.push(format!("the URL at `{}`", place.pointer));
    Some(NextPage::Url {
        from: place.pointer.clone().into(),
        arguments,
    })
}

/// Checks whether the tool's name is that of a read, even if the evidence is not certain.
fn is_called_list(operation: &LoweredOperation) -> bool {
    operation.name.as_ref().is_ok_and(|name| {
        let verb = name.as_str().split('-').next();
        matches!(verb, Some("list" | "search" | "find"))
    })
}

/// The answer has a mark, or the number of the next page.
fn detect_cursor(
    arguments: &PageArguments,
    places: &ResponsePlaces<'_>,
    evidence: &mut Vec<String>,
) -> Option<NextPage> {
    let (argument, place) = arguments
        .marks()
        .find_map(|argument| Some((argument, places.mark_for(argument)?)))?;
    evidence.push(argument_evidence(argument));
    evidence.push(format!("the cursor at `{}`", place.pointer));
    Some(NextPage::Cursor {
        argument: argument.name.clone(),
        from: place.pointer.clone().into(),
    })
}

/// Recognises the last item as the cursor, only if the response declares whether there is more.
fn detect_last_item(
    arguments: &PageArguments,
    places: &ResponsePlaces<'_>,
    items: Option<&str>,
    evidence: &mut Vec<String>,
) -> Option<NextPage> {
    let argument = arguments.marks().find(|argument| argument.follows_item())?;
    places.more_flag()?;
    let from = places.id_of_items(items?)?;
    evidence.push(argument_evidence(argument));
    evidence.push(format!("the property `{from}` of the items"));
    Some(NextPage::LastItem {
        argument: argument.name.clone(),
        from,
    })
}

/// Recognises the header `Link` of successful responses.
fn detect_link(
    arguments: &PageArguments,
    operation: &LoweredOperation,
    evidence: &mut Vec<String>,
) -> Option<NextPage> {
    let arguments = arguments.in_url().filter(|_| operation.has_link_header)?;
    evidence.push("the response header `Link`".to_owned());
    Some(NextPage::Link { arguments })
}

fn detect_offset(arguments: &PageArguments, evidence: &mut Vec<String>) -> Option<NextPage> {
    let argument = arguments.offset()?;
    let first = argument.first_item()?;
    evidence.push(argument_evidence(argument));
    evidence.extend(arguments.size().map(argument_evidence));
    Some(NextPage::Offset {
        argument: argument.name.clone(),
        first,
    })
}

fn detect_page(
    arguments: &PageArguments,
    places: &ResponsePlaces<'_>,
    evidence: &mut Vec<String>,
) -> Option<NextPage> {
    let argument = arguments.page()?;
    let first = argument.first();
    let current = places.current_page();
    if first.is_none() && current.is_none() {
        return None;
    }
    evidence.push(argument_evidence(argument));
    evidence.extend(first.map(|first| format!("its schema documents {first} as the first page")));
    evidence.extend(
        current
            .iter()
            .map(|place| format!("the number at `{place}`")),
    );
    Some(NextPage::Page {
        argument: argument.name.clone(),
        first,
        current,
        pages: places.number_of_pages(),
    })
}

fn argument_evidence(argument: &PageArgument) -> String {
    format!("the argument `{}`", argument.name)
}
