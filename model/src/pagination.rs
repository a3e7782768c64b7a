//! Pages: how an operation that answers a list in parts is asked for the next one.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The paging scheme of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pagination {
    /// The rule for requesting the next page.
    pub next: NextPage,
    /// The JSON pointer of the items in a response, empty for the whole response; `None` if
    /// unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<String>,
    /// The JSON pointer of a boolean that is true if there is a next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<String>,
    /// The argument that sets the number of items per page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// The evidence in the document.
    pub evidence: Vec<String>,
}

/// The rule for requesting the next page. Arguments are arguments of the tool; places in a response
/// are JSON pointers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NextPage {
    /// The response contains a cursor; a response without one is the last.
    Cursor {
        /// The argument that takes the mark.
        argument: String,
        /// The place of the cursor in the response.
        from: String,
    },
    /// The last item of a page is such a mark.
    LastItem {
        /// The argument that takes the mark.
        argument: String,
        /// The place of the cursor in the item.
        from: String,
    },
    /// Pages are numbered; the first page without items ends the list.
    Page {
        /// The argument that takes the number.
        argument: String,
        /// The number of the first page, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first: Option<u64>,
        /// The place of the current page number in the response.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        current: Option<String>,
        /// The place of the page count in the response.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pages: Option<String>,
    },
    /// Items are numbered; the first page without items ends the list.
    Offset {
        /// The argument that takes the number of the first item of a page.
        argument: String,
        /// The number of the first item of all.
        first: u64,
    },
    /// The answer has the URL of the next page; without one it was the last.
    Url {
        /// The place of the link in the response.
        from: String,
        /// The arguments that its query may contain.
        arguments: Vec<Named>,
    },
    /// The answer has the URL of the next page in the header `Link`.
    Link {
        /// The arguments that its query may contain.
        arguments: Vec<Named>,
    },
}

/// An argument, and what it is called in a URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// The argument of the tool.
    pub argument: String,
    /// The name on the wire.
    pub name: String,
}

impl fmt::Display for Pagination {
    /// Writes one line for agents: each argument with the place of its value in the response.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pages: ")?;
        let more = self.more.as_deref();
        let end = |f: &mut fmt::Formatter<'_>, otherwise: &str| match more {
            Some(more) => write!(f, " There is a next page if `{more}` is true."),
            None => f.write_str(otherwise),
        };
        match &self.next {
            NextPage::Cursor { argument, from } => {
                write!(
                    f,
                    "to get the next page, set `{argument}` to the value at `{from}` of the result."
                )?;
                end(f, " If it is missing, this is the last page.")
            }
            NextPage::LastItem { argument, from } => {
                let items = self.items.as_deref().unwrap_or_default();
                write!(
                    f,
                    "to get the next page, set `{argument}` to the `{from}` of the last item at `{items}`."
                )?;
                end(f, " Stop at a page without items.")
            }
            NextPage::Page {
                argument,
                first,
                current,
                pages,
            } => {
                write!(f, "`{argument}` is the page number")?;
                if let Some(first) = first {
                    write!(f, ", beginning with {first}")?;
                } else if let Some(current) = current {
                    write!(f, ", which the result contains at `{current}`")?;
                }
                if let Some(pages) = pages {
                    return write!(f, ". The number of pages is at `{pages}`.");
                }
                f.write_str(".")?;
                end(f, " Stop at a page without items.")
            }
            NextPage::Offset { argument, .. } => {
                write!(
                    f,
                    "to get the next page, add the number of items of this page to `{argument}`."
                )?;
                end(f, " Stop at a page without items.")
            }
            NextPage::Url { from, arguments } => {
                write!(
                    f,
                    "to get the next page, set {} as in the URL at `{from}`.",
                    join_arguments(arguments)
                )?;
                end(f, " If it is missing, this is the last page.")
            }
            NextPage::Link { arguments } => {
                write!(
                    f,
                    "to get the next page, set {} as given in the result.",
                    join_arguments(arguments)
                )
            }
        }
    }
}

fn join_arguments(arguments: &[Named]) -> String {
    let arguments = arguments.iter();
    let quoted: Vec<_> = arguments
        .map(|named| format!("`{}`", named.argument))
        .collect();
    quoted.join(", ")
}
