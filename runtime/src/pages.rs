//! Pages: all of a list that a service answers in parts.
//!
//! Each page is one call through all gates, with its own events in the audit. The tool's own record
//! declares its pagination, see [`toolwright_model::Pagination`].

use std::{
    collections::VecDeque,
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_core::Stream;
use serde_json::{Map, Value};

pub use crate::output::Continuation;
use crate::{
    Paged, ToolCall, boundary::view::ScopedToolView, codec::Codec, error::ToolError,
    output::ToolOutput,
};
use futures_core::future::BoxFuture;

/// The answers to the calls for one page after another, of any tool.
struct Answers {
    view: ScopedToolView,
    name: &'static str,
    /// The arguments of the next call; none when the last page was answered, or a call failed.
    arguments: Option<Map<String, Value>>,
    running: Option<BoxFuture<'static, Result<ToolOutput, ToolError>>>,
    /// A hash of the last response, to detect that the pages do not advance.
    last: Option<u64>,
}

/// The pages of a list, each as the tool's result. It ends with the last page, or with an error.
///
/// It is a [`Stream`]; [`Pages::next`] needs no other crate.
pub struct Pages<T> {
    answers: Answers,
    call: PhantomData<fn() -> T>,
}

/// The items of all pages of a list. It ends with the last item, or with an error.
///
/// It is a [`Stream`]; [`Items::next`] needs no other crate.
pub struct Items<T: Paged> {
    answers: Answers,
    /// The path of the items in a response.
    place: Option<String>,
    read: VecDeque<Result<T::Item, ToolError>>,
}

impl ScopedToolView {
    /// Calls a tool for one page of its list after another. Each is a call of its own.
    ///
    /// A tool whose record declares no pagination has one page.
    pub fn pages<T: ToolCall>(&self, arguments: &T) -> Pages<T> {
        Pages::new(self.clone(), arguments)
    }

    /// The items of all pages of a list. Each page is a call of its own.
    pub fn items<T: Paged>(&self, arguments: &T) -> Items<T> {
        let tools = self.core().tools();
        let found = tools.get(T::NAME);
        let pagination = found.and_then(|entry| entry.spec().pagination.as_ref());
        let place = pagination.and_then(|pagination| pagination.items.clone());
        Items::new(self.clone(), place, arguments)
    }
}

impl<T: ToolCall> Pages<T> {
    pub(crate) fn new(view: ScopedToolView, arguments: &T) -> Self {
        Self {
            answers: Answers::new(view, T::NAME, arguments.encode()),
            call: PhantomData,
        }
    }

    /// The next page; none after the last.
    ///
    /// # Errors
    /// As [`ScopedToolView::call`]; after an error there is nothing more.
    pub async fn next(&mut self) -> Option<Result<T::Output, ToolError>> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

impl<T: Paged> Items<T> {
    pub(crate) fn new(view: ScopedToolView, place: Option<String>, arguments: &T) -> Self {
        Self {
            answers: Answers::new(view, T::NAME, arguments.encode()),
            place,
            read: VecDeque::new(),
        }
    }

    /// The next item; none after the last.
    ///
    /// # Errors
    /// As [`ScopedToolView::call`], for the page that the item is on; after an error of a call
    /// there is nothing more.
    pub async fn next(&mut self) -> Option<Result<T::Item, ToolError>>
    where
        T::Item: Unpin,
    {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Reads the items of a page.
    fn read(&mut self, output: ToolOutput) {
        let status = output.status;
        let mut value = output.value;
        let list = self
            .place
            .as_deref()
            .and_then(|place| value.pointer_mut(place));
        match list.map(Value::take) {
            Some(Value::Array(items)) => {
                let items = items.into_iter().map(|item| {
                    T::Item::decode(item).map_err(|error| unusable(status, &error.to_string()))
                });
                self.read.extend(items);
            }
            Some(Value::Null) | None => {}
            Some(_) => {
                self.answers.arguments = None;
                self.read
                    .push_back(Err(unusable(status, "its items are not an array")));
            }
        }
    }
}

impl<T: ToolCall> Stream for Pages<T> {
    type Item = Result<T::Output, ToolError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let answer = ready!(self.answers.poll(context));
        Poll::Ready(answer.map(|answer| answer?.typed()))
    }
}

impl<T: Paged> Stream for Items<T>
where
    T::Item: Unpin,
{
    type Item = Result<T::Item, ToolError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(item) = self.read.pop_front() {
                return Poll::Ready(Some(item));
            }
            match ready!(self.answers.poll(context)) {
                Some(Ok(output)) => self.read(output),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

impl Answers {
    fn new(view: ScopedToolView, name: &'static str, arguments: Value) -> Self {
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        Self {
            view,
            name,
            arguments: Some(arguments),
            running: None,
            last: None,
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<ToolOutput, ToolError>>> {
        let Some(arguments) = &self.arguments else {
            return Poll::Ready(None);
        };
        let running = self.running.get_or_insert_with(|| {
            let (view, name) = (self.view.clone(), self.name);
            let arguments = Value::Object(arguments.clone());
            Box::pin(async move { view.call_json(name, arguments).await })
        });
        let answer = ready!(running.as_mut().poll(context));
        self.running = None;
        let answer = answer.and_then(|output| self.advance(output));
        if answer.is_err() {
            self.arguments = None;
        }
        Poll::Ready(Some(answer))
    }

    /// Takes the arguments of the next call from an answer.
    fn advance(&mut self, output: ToolOutput) -> Result<ToolOutput, ToolError> {
        let output = output.whole()?;
        let mut hasher = DefaultHasher::new();
        output.value.hash(&mut hasher);
        let digest = hasher.finish();
        let repeated = self.last.replace(digest) == Some(digest);
        match &output.next {
            Continuation::End => self.arguments = None,
            Continuation::Unclear(why) => return Err(unusable(output.status, why)),
            Continuation::With(_) if repeated => {
                return Err(unusable(output.status, "it repeats the previous page"));
            }
            Continuation::With(more) => {
                let arguments = self.arguments.get_or_insert_default();
                arguments.extend(more.clone());
            }
        }
        Ok(output)
    }
}

fn unusable(status: Option<u16>, why: &str) -> ToolError {
    ToolError::UnusableAnswer {
        status,
        message: format!("the service's answer cannot be read as a page: {why}"),
        request: None,
    }
}

impl<T> fmt::Debug for Pages<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("tool", &self.answers.name)
            .finish_non_exhaustive()
    }
}

impl<T: Paged> fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items")
            .field("tool", &self.answers.name)
            .finish_non_exhaustive()
    }
}
