//! Pages: how an operation that answers a list in parts is asked for the next one.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How the pages of a list follow one another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pagination {
    /// How the next page is asked for.
    pub next: NextPage,
    /// Where the items stand in an answer: a JSON pointer, empty for the answer itself; none when
    /// that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<String>,
    /// Where an answer says whether there is a next page: the JSON pointer of a boolean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<String>,
    /// The argument that says how many items a page has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// What in the document led to this.
    pub evidence: Vec<String>,
}

/// How the next page is asked for. Arguments are those of the tool, places in an answer JSON
/// pointers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NextPage {
    /// The answer has a mark of where it ended; without one it was the last.
    Cursor {
        /// The argument that takes the mark.
        argument: String,
        /// Where the answer has it.
        from: String,
    },
    /// The last item of a page is such a mark.
    LastItem {
        /// The argument that takes the mark.
        argument: String,
        /// Where the item has it.
        from: String,
    },
    /// Pages are numbered; one without items is behind the last.
    Page {
        /// The argument that takes the number.
        argument: String,
        /// The number of the first page, where it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first: Option<u64>,
        /// Where the answer repeats the number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        current: Option<String>,
        /// Where the answer says how many pages there are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pages: Option<String>,
    },
    /// Items are numbered; a page without any is behind the last.
    Offset {
        /// The argument that takes the number of the first item of a page.
        argument: String,
        /// The number of the first item of all.
        first: u64,
    },
    /// The answer has the URL of the next page; without one it was the last.
    Url {
        /// Where the answer has it.
        from: String,
        /// The arguments that may stand in its query.
        arguments: Vec<Named>,
    },
    /// The answer has the URL of the next page in the header `Link`.
    Link {
        /// The arguments that may stand in its query.
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
    /// One line for agents: which argument takes what, from which place of the answer.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pages: ")?;
        let more = self.more.as_deref();
        let end = |f: &mut fmt::Formatter<'_>, otherwise: &str| match more {
            Some(more) => write!(f, " There is one while `{more}` is true."),
            None => f.write_str(otherwise),
        };
        match &self.next {
            NextPage::Cursor { argument, from } => {
                write!(
                    f,
                    "for the next one give `{argument}` what the answer has at `{from}`."
                )?;
                end(f, " Without it this was the last.")
            }
            NextPage::LastItem { argument, from } => {
                let items = self.items.as_deref().unwrap_or_default();
                write!(
                    f,
                    "for the next one give `{argument}` the `{from}` of the last item at `{items}`."
                )?;
                end(f, " One without items is behind the last.")
            }
            NextPage::Page {
                argument,
                first,
                current,
                pages,
            } => {
                write!(f, "they are numbered by `{argument}`")?;
                if let Some(first) = first {
                    write!(f, ", the first is {first}")?;
                } else if let Some(current) = current {
                    write!(f, ", the answer has its number at `{current}`")?;
                }
                if let Some(pages) = pages {
                    return write!(f, ". How many there are stands at `{pages}`.");
                }
                f.write_str(".")?;
                end(f, " One without items is behind the last.")
            }
            NextPage::Offset { argument, .. } => {
                write!(
                    f,
                    "for the next one add the number of items of this one to `{argument}`."
                )?;
                end(f, " One without items is behind the last.")
            }
            NextPage::Url { from, arguments } => {
                write!(
                    f,
                    "for the next one give {} as in the URL at `{from}`.",
                    listed(arguments)
                )?;
                end(f, " Without it this was the last.")
            }
            NextPage::Link { arguments } => {
                write!(
                    f,
                    "the service says with which {} the next one is called, and the result repeats it.",
                    listed(arguments)
                )
            }
        }
    }
}

fn listed(arguments: &[Named]) -> String {
    let arguments = arguments.iter();
    let quoted: Vec<_> = arguments
        .map(|named| format!("`{}`", named.argument))
        .collect();
    quoted.join(", ")
}
