//! Discovery: an agent with many tools sees a few tools that find, describe and call the others.
//!
//! A list of a thousand tools fills the context of a model. From
//! [`DEFAULT_THRESHOLD`] tools on, [`ScopedToolView::shown`](crate::ScopedToolView::shown) therefore
//! returns the [`DiscoveryTool`]s in place of the list. A call through one of them passes the gates of
//! the direct call, and its errors and audit events are those of the direct call.
//!
//! The search itself is a [`Searcher`] that the program gives to
//! [`RegistryBuilder::discovery`](crate::RegistryBuilder::discovery), such as that of the crate
//! `toolwright-discovery`. It sees the tools of one view and no others, so a result tells nothing about
//! tools that the role does not have.

mod contents;
mod records;

use std::sync::Arc;

pub(crate) use records::records;

use crate::{Category, ToolSpec};

/// The number of tools from which on a view offers discovery in place of its list.
pub const DEFAULT_THRESHOLD: usize = 15;

/// A way to search tools.
pub trait Searcher: Send + Sync {
    /// Indexes the tools of a view, sorted by name, as an agent sees them. It is called once for each
    /// version of a view, and may take long.
    fn index(&self, tools: &[Arc<ToolSpec>]) -> Box<dyn ToolIndex>;
}

/// The index of the tools of one view.
pub trait ToolIndex: Send + Sync {
    /// Returns the places of the tools that fit a query, in the indexed order, best first, and at most
    /// this many. The same query has the same result.
    fn search(&self, query: &str, most: usize) -> Vec<usize>;
}

/// A tool that finds, describes or calls others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscoveryTool {
    /// Finds tools.
    Search,
    /// Describes one tool.
    Describe,
    /// Calls a tool of this category, and of no other: so the hints of MCP are true for each call.
    Call(Category),
}

impl DiscoveryTool {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Search,
        Self::Describe,
        Self::Call(Category::Observe),
        Self::Call(Category::Report),
        Self::Call(Category::Execute),
        Self::Call(Category::Approve),
    ];

    /// Returns the name of the tool.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Search => "search-toolwright-tools",
            Self::Describe => "describe-toolwright-tool",
            Self::Call(Category::Observe) => "call-toolwright-observe-tool",
            Self::Call(Category::Report) => "call-toolwright-report-tool",
            Self::Call(Category::Execute) => "call-toolwright-execute-tool",
            Self::Call(Category::Approve) => "call-toolwright-approve-tool",
        }
    }

    /// Returns the tool with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }
}
