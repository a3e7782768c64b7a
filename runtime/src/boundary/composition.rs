//! Tools that are composed of others: whom they are offered to follows from the tools that they call.

use std::{collections::BTreeSet, fmt, sync::Arc};

use toolwright_model::ToolName;

/// The greatest number of compositions within each other: a tool that offers skills, a skill, and a custom tool
/// of steps.
pub(super) const DEEPEST: usize = 3;

/// The tools that a composed tool calls, and when it is offered.
#[derive(Clone)]
pub struct Composition {
    tools: BTreeSet<ToolName>,
    needs: Needs,
    offered: Option<Arc<Offered>>,
    approval: Asks,
    /// True if the policy grants and limits the tool itself too.
    is_governed: bool,
}

type Offered = dyn Fn() -> bool + Send + Sync;

/// Which calls ask for an approval, if the composed tool needs one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    /// The calls that it makes.
    Parts,
    /// The call of the tool itself.
    Itself,
}

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
            approval: Asks::Parts,
            is_governed: false,
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

    /// Lets the policy grant and limit the tool itself, as any other. A role is offered it if it is granted
    /// the tool and offered the tools of the composition.
    #[must_use]
    pub const fn with_own_grants(mut self) -> Self {
        self.is_governed = true;
        self
    }

    /// Lets the call of the tool itself ask for the approval that its spec requires. By default the calls
    /// that it makes ask for theirs.
    #[must_use]
    pub const fn asking_itself(mut self) -> Self {
        self.approval = Asks::Itself;
        self
    }

    /// Returns the tools, sorted by name.
    pub fn tools(&self) -> impl Iterator<Item = &ToolName> {
        self.tools.iter()
    }

    /// Checks whether the policy grants and limits the tool itself too.
    pub(crate) const fn has_own_grants(&self) -> bool {
        self.is_governed
    }

    /// Checks whether the call of the tool itself asks for an approval.
    pub(super) fn asks_itself(&self) -> bool {
        self.approval == Asks::Itself
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
