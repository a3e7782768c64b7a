//! The calls that wait: the list, the page of one, and the decision about it.

mod decide;
mod facts;
mod list;
mod request;
mod sheet;

use maud::Markup;
use toolwright::approval::Shown;

pub(crate) use decide::decide;
pub(crate) use list::list;
pub(crate) use request::request;

use crate::governance::class;

/// Shows the class of the tool of a request.
fn class_of(shown: &Shown) -> Markup {
    class(shown.category, shown.destructive)
}
