//! From an answer to the arguments of the next call: pure, by the record of the tool.

use reqwest::Url;
use serde_json::{Map, Number, Value};
use toolwright_model::{Named, NextPage, Pagination, ToolSpec};

use super::Continuation;

/// Returns the request for the page after a response.
///
/// `link` is the URL of the next page that the header `Link` has.
pub(crate) fn continuation(
    spec: &ToolSpec,
    arguments: &Map<String, Value>,
    answer: &Value,
    link: Option<&str>,
) -> Continuation {
    let Some(pagination) = &spec.pagination else {
        return Continuation::End;
    };
    let page = Page {
        pagination,
        schema: spec.input_schema.whole(),
        arguments,
        answer,
    };
    if page.is_last() {
        return Continuation::End;
    }
    let next = match &pagination.next {
        NextPage::Cursor { argument, from } => page.by_mark(argument, answer.pointer(from)),
        NextPage::LastItem { argument, from } => {
            let last = page.items().and_then(<[Value]>::last);
            page.by_mark(argument, last.and_then(|item| item.get(from)))
        }
        NextPage::Page {
            argument,
            first,
            current,
            pages,
        } => page.by_number(argument, *first, current.as_deref(), pages.as_deref()),
        NextPage::Offset { argument, first } => page.by_offset(argument, *first),
        NextPage::Url { from, arguments } => match answer.pointer(from) {
            Some(Value::String(url)) => page.by_url(url, arguments),
            Some(Value::Null | Value::Bool(false)) | None => Ok(None),
            Some(_) => Err("the URL of the next page is not a string".to_owned()),
        },
        NextPage::Link { arguments } => match link {
            Some(url) => page.by_url(url, arguments),
            None => Ok(None),
        },
    };
    match next {
        Ok(Some(more))
            if more
                .iter()
                .all(|(name, value)| arguments.get(name) == Some(value)) =>
        {
            Continuation::Unclear("the next page is this page again".to_owned())
        }
        Ok(Some(more)) => Continuation::With(more),
        Ok(None) if page.has_more() => Continuation::Unclear(
            "there is a next page, but the answer does not identify it".to_owned(),
        ),
        Ok(None) => Continuation::End,
        Err(why) => Continuation::Unclear(why),
    }
}

/// A response, and the call that led to it.
struct Page<'a> {
    pagination: &'a Pagination,
    schema: &'a Value,
    arguments: &'a Map<String, Value>,
    answer: &'a Value,
}

type Next = Result<Option<Map<String, Value>>, String>;

impl Page<'_> {
    fn more_flag(&self) -> Option<bool> {
        let place = self.pagination.more.as_deref()?;
        self.answer.pointer(place)?.as_bool()
    }

    fn is_last(&self) -> bool {
        self.more_flag() == Some(false)
    }

    fn has_more(&self) -> bool {
        self.more_flag() == Some(true)
    }

    fn items(&self) -> Option<&[Value]> {
        let place = self.pagination.items.as_deref()?;
        self.answer.pointer(place)?.as_array().map(Vec::as_slice)
    }

    /// The mark that the answer has. Some services write it as the URL of the next page.
    fn by_mark(&self, argument: &str, mark: Option<&Value>) -> Next {
        let mark = match mark {
            None | Some(Value::Null | Value::Bool(false)) => return Ok(None),
            Some(Value::String(text)) if text.is_empty() => return Ok(None),
            Some(mark) => mark,
        };
        let text = mark
            .as_str()
            .map_or_else(|| mark.to_string(), str::to_owned);
        let is_url = text.contains("://") || text.starts_with(['/', '?']);
        let in_url = is_url.then(|| query(&text, argument)).flatten();
        let value = self.typed(argument, &in_url.unwrap_or(text));
        let value = value
            .ok_or_else(|| format!("the cursor of the next page is invalid for `{argument}`"))?;
        Ok(Some(single_argument(argument, value)))
    }

    fn by_number(
        &self,
        argument: &str,
        first: Option<u64>,
        current: Option<&str>,
        pages: Option<&str>,
    ) -> Next {
        if self.items().is_none_or(<[Value]>::is_empty) {
            return Ok(None);
        }
        let number = |place: &str| self.answer.pointer(place).and_then(Value::as_u64);
        let given = self.arguments.get(argument).and_then(Value::as_u64);
        let current = given.or_else(|| current.and_then(number)).or(first);
        let Some(current) = current else {
            return Err("the answer does not contain its page number".to_owned());
        };
        let behind = |pages: u64| first.is_some_and(|first| current + 1 >= first + pages);
        if pages.and_then(number).is_some_and(behind) {
            return Ok(None);
        }
        Ok(Some(single_argument(argument, Value::from(current + 1))))
    }

    fn by_offset(&self, argument: &str, first: u64) -> Next {
        let items = self.items().map_or(0, <[Value]>::len);
        if items == 0 {
            return Ok(None);
        }
        let items = u64::try_from(items).unwrap_or(u64::MAX);
        let given = self.arguments.get(argument).and_then(Value::as_u64);
        let next = given.unwrap_or(first).saturating_add(items);
        Ok(Some(single_argument(argument, Value::from(next))))
    }

    /// The arguments in a URL. It is never called itself: the next page is one more call of the
    /// tool, whose arguments are checked like any others.
    fn by_url(&self, url: &str, arguments: &[Named]) -> Next {
        if url.is_empty() {
            return Ok(None);
        }
        let mut more = Map::new();
        for Named { argument, name } in arguments {
            let Some(text) = query(url, name) else {
                continue;
            };
            let value = self.typed(argument, &text);
            let value = value.ok_or_else(|| {
                format!("the URL of the next page has a `{name}` that does not fit `{argument}`")
            })?;
            more.insert(argument.clone(), value);
        }
        if more.is_empty() {
            return Err("the URL of the next page contains no argument of the tool".to_owned());
        }
        Ok(Some(more))
    }

    /// Converts a string to a value of the argument's type.
    fn typed(&self, argument: &str, text: &str) -> Option<Value> {
        let schema = self.schema.get("properties")?.get(argument)?;
        let types: Vec<&str> = match schema.get("type") {
            Some(Value::String(word)) => vec![word],
            Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
            _ => vec!["string"],
        };
        if types.contains(&"string") {
            return Some(Value::String(text.to_owned()));
        }
        if types.contains(&"integer") || types.contains(&"number") {
            return text.parse::<Number>().ok().map(Value::Number);
        }
        None
    }
}

fn single_argument(argument: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(argument.to_owned(), value)])
}

/// The value of a name in the query of a URL, which may be relative.
fn query(url: &str, name: &str) -> Option<String> {
    let base = Url::parse("http://localhost/").ok()?;
    let url = base.join(url).ok()?;
    let mut pairs = url.query_pairs();
    pairs
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
}
