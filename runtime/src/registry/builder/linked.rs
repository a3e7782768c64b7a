//! Takes in the tools that `#[tool]` registered.

use super::RegistryBuilder;
use crate::{
    linked::{Declaration, declarations},
    registry::RegistryProblem,
};

impl RegistryBuilder {
    /// Adds every tool that [`tool`](macro@crate::tool) registers in a linked crate, and grants it to
    /// the roles that it names.
    ///
    /// A crate that the program depends on and refers to nowhere is not linked at all, and neither
    /// are its tools: `use the_crate as _;` is such a reference.
    #[must_use]
    pub fn linked_tools(self) -> Self {
        declarations().into_iter().fold(self, Self::linked_tool)
    }

    fn linked_tool(mut self, declaration: Declaration) -> Self {
        let origin = declaration.origin();
        match declaration.into_tool() {
            Ok((tool, roles)) => {
                let name = tool.spec().name.to_string();
                let grant = |builder: Self, role: &_| builder.grant(AsRef::as_ref(role), &name);
                roles.iter().fold(self.tool(tool), grant)
            }
            Err(message) => {
                self.problems
                    .push(RegistryProblem::LinkedTool { origin, message });
                self
            }
        }
    }
}
