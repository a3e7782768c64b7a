//! Tools that are composed of others: whom they are offered to follows from the tools that they call.

use std::{collections::BTreeSet, fmt, sync::Arc};

use toolwright_model::ToolName;

/// The greatest number of compositions within each other: a tool that offers skills, and a skill.
pub(super) const DEEPEST: usize = 2;

/// The tools that a composed tool calls, and when it is offered.
#[derive(Clone)]
pub struct Composition {
    tools: BTreeSet<ToolName>,
    needs: Needs,
    offered: Option<Arc<Offered>>,
}

type Offered = dyn Fn() -> bool + Send + Sync;

/// How many of the tools a role must be offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    All,
    Any,
}

impl Composition {
    /// Creates the composition of a tool that is offered to a role that is offered all these tools.
    #[must_use]
    pub fn of_all(tools: impl IntoIterator<Item = ToolName>) -> Self {
        Self {
            tools: tools.into_iter().collect(),
            needs: Needs::All,
            offered: None,
        }
    }

    /// Creates the composition of a tool that is offered to a role that is offered one of these tools.
    #[must_use]
    pub fn of_any(tools: impl IntoIterator<Item = ToolName>) -> Self {
        Self {
            needs: Needs::Any,
            ..Self::of_all(tools)
        }
    }

    /// Offers the tool only while a condition holds. It is checked at each decision, so it must be
    /// quick.
    #[must_use]
    pub fn while_offered(mut self, offered: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.offered = Some(Arc::new(offered));
        self
    }

    /// Returns the tools, sorted by name.
    pub fn tools(&self) -> impl Iterator<Item = &ToolName> {
        self.tools.iter()
    }

    /// Checks whether the condition holds.
    pub(super) fn is_offered(&self) -> bool {
        self.offered.as_ref().is_none_or(|offered| offered())
    }

    /// Checks whether a role that may call some tools is offered the composed tool. Returns the first
    /// refusal if it is not.
    pub(super) fn check<E>(
        &self,
        nothing: E,
        mut permits: impl FnMut(&ToolName) -> Result<(), E>,
    ) -> Result<(), E> {
        let checked = self.tools.iter().map(&mut permits);
        match self.needs {
            // Without tools there is nothing that a role could be granted.
            _ if self.tools.is_empty() => Err(nothing),
            Needs::All => checked.into_iter().collect(),
            Needs::Any => {
                let mut refusal = nothing;
                for result in checked {
                    match result {
                        Ok(()) => return Ok(()),
                        Err(error) => refusal = error,
                    }
                }
                Err(refusal)
            }
        }
    }
}

impl fmt::Debug for Composition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Composition")
            .field("tools", &self.tools)
            .field("needs", &self.needs)
            .finish_non_exhaustive()
    }
}
