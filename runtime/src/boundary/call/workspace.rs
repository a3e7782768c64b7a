//! The choice of the workspace of a call. It precedes the credentials, so a refused choice reads nothing.

use serde_json::Value;
use toolwright_model::JsonPointer;

use super::{Callee, Denial, arguments::misfit, work::Requester};
use crate::{
    audit::{Reason, bounded_name},
    boundary::{
        core::{Policy, RegisteredTool},
        workspaces::{ARGUMENT, Chosen, NoChoice},
    },
    schema::Violation,
};

impl Requester<'_> {
    /// Chooses the workspace of a call.
    pub(super) fn choose(
        &self,
        policy: &Policy,
        entry: &RegisteredTool,
        callee: Callee<'_>,
        argument: Option<&Value>,
    ) -> Result<Chosen, Denial> {
        let chosen = self.scope.choose(self.core, policy, entry.spec(), argument);
        chosen.map_err(|fault| match fault {
            NoChoice::Nothing => {
                Denial::new(Reason::NoWorkspace, callee.not_permitted(&self.scope.role))
            }
            NoChoice::Refused(names) => {
                let asked = argument.and_then(Value::as_str).unwrap_or_default();
                let denial = misfit(entry, vec![violation(format!("is none of {names}"))]);
                Denial {
                    reason: Reason::WorkspaceRefused,
                    rule: Some(format!("{ARGUMENT}: {}", bounded_name(asked))),
                    ..denial
                }
            }
            NoChoice::Absent(names) => {
                misfit(entry, vec![violation(format!("is required: {names}"))])
            }
        })
    }
}

impl Chosen {
    /// Returns the argument that chooses the workspace again; none if there is no choice.
    pub(super) fn argument(&self) -> Option<(String, Value)> {
        let name = self.choice()?;
        Some((ARGUMENT.to_owned(), name.as_str().into()))
    }

    /// Returns the violation of arguments that choose a workspace although there is no choice. A tool
    /// with an open schema would let it pass.
    pub(super) fn refuse_argument(&self, arguments: &Value) -> Option<Violation> {
        let is_given = self.name.is_some() && arguments.get(ARGUMENT).is_some();
        is_given.then(|| violation("is not an argument of this tool".to_owned()))
    }
}

fn violation(message: String) -> Violation {
    Violation {
        pointer: JsonPointer::from_iter([ARGUMENT]).into(),
        message,
    }
}
