//! Takes in the tools that nobody adds: those that `#[tool]` registered, with the states of those that are
//! methods, and the one that reads parts of answers.

use std::{any::type_name, sync::Arc};

use toolwright_model::ServiceName;

use super::RegistryBuilder;
use crate::{
    boundary::{answers, tool::Tool},
    files::FileStore,
    linked::{Declaration, DeclarationError, declarations},
    registry::RegistryProblem,
};

impl RegistryBuilder {
    /// Adds every tool that [`tool`](macro@crate::tool) or [`tools`](macro@crate::tools) registers
    /// in a linked crate, and grants it to the roles that it names.
    ///
    /// A crate that the program depends on and refers to nowhere is not linked at all, and neither
    /// are its tools: `use the_crate as _;` is such a reference.
    #[must_use]
    pub fn linked_tools(mut self) -> Self {
        self.linked.extend(declarations());
        self
    }

    /// Adds the tools of one service that are registered in a linked crate, and leaves the others
    /// out.
    #[must_use]
    pub fn linked_tools_of(mut self, service: ServiceName) -> Self {
        self.linked_service = Some(service);
        self.linked_tools()
    }

    /// Gives the value that the methods of its type are called on, where
    /// [`tools`](macro@crate::tools) registers them.
    #[must_use]
    pub fn state<S: Send + Sync + 'static>(mut self, state: Arc<S>) -> Self {
        if !self.states.give(state) {
            let state = type_name::<S>();
            self.problems.push(RegistryProblem::StateTwice { state });
        }
        self
    }

    /// Declares that this program has no value of the type. The tools that are its methods are left
    /// out; without this they are an error.
    #[must_use]
    pub fn without_state<S: 'static>(mut self) -> Self {
        self.states.leave_out::<S>();
        self
    }

    /// Takes the linked declarations after all states are known.
    pub(super) fn take_linked(&mut self) {
        for declaration in std::mem::take(&mut self.linked) {
            self.take_declaration(declaration);
        }
    }

    /// Adds the tool that reads parts of answers, if answers are cut.
    pub(super) fn take_reader(&mut self) {
        let limits = self.files.as_ref().map(FileStore::limits);
        if limits.is_some_and(|limits| limits.cut.is_some()) {
            let names = self.tools.iter().map(|tool| tool.spec().name.clone());
            let reader = answers::reader(names.collect::<Vec<_>>());
            self.tools.extend(reader);
        }
    }

    fn take_declaration(&mut self, declaration: Declaration) {
        let origin = declaration.origin();
        match declaration.into_tool(&self.states) {
            Ok(Some((tool, _))) if !self.is_wanted(&tool) => {}
            Ok(Some((tool, roles))) => {
                let name = tool.spec().name.to_string();
                for role in roles {
                    self.add_grant(role.as_str(), &name);
                }
                self.tools.push(tool);
            }
            Ok(None) => {}
            Err(refusal) => self.problems.push(match refusal {
                DeclarationError::StateMissing(state) => {
                    RegistryProblem::StateMissing { origin, state }
                }
                DeclarationError::Wrong(message) => RegistryProblem::LinkedTool { origin, message },
            }),
        }
    }

    fn is_wanted(&self, tool: &Tool) -> bool {
        let wanted = self.linked_service.as_ref();
        wanted.is_none_or(|wanted| tool.spec().service == *wanted)
    }
}
