//! The declaration of a tool by the function that `#[tool]` writes.

use std::{
    any::{Any, TypeId},
    sync::Arc,
};

use serde_json::{Value, json};
use toolwright_model::{Origin, Role, ToolSpec};
use toolwright_policy::ScopeParameters;

use super::{
    States,
    argument::Input,
    ask::{Ask, Linked, value_of},
    state::StateLookup,
};
use crate::{
    boundary::tool::{LackingLayers, Native, Tool},
    error::ToolError,
};

/// The tools of all crates that are linked into the program, in the linker's order.
#[linkme::distributed_slice]
pub static TOOLS: [Linked];

/// The declaration of one function.
pub(crate) struct Declaration {
    /// The record of the tool, as far as the macro knows it.
    pub(super) record: Value,
    /// The module of the function.
    pub(super) module: &'static str,
    /// The name of the function, with its type's name as prefix if it is a method.
    pub(super) function: &'static str,
    /// Who is granted the tool.
    pub(super) roles: Vec<&'static str>,
    /// The parameters after the context; none if there are none.
    pub(super) input: Option<Input>,
    /// The schema of the result, if there is one.
    pub(super) output_schema: Option<Value>,
    /// The state of a method: the value that it is called on.
    pub(super) state: Option<NeededState>,
    /// The layers of the sandbox that the machine lacks, if calls need one.
    pub(super) lacking: Option<LackingLayers>,
    tool: Linked,
}

/// The type of the value that a method is called on.
pub(super) struct NeededState {
    pub(super) id: TypeId,
    pub(super) name: &'static str,
}

/// The reason why a declaration is not a tool.
pub(crate) enum DeclarationError {
    /// The registry was not given a value of this type.
    StateMissing(&'static str),
    /// The declaration itself is wrong.
    Wrong(String),
}

/// The declarations, sorted by name.
pub(crate) fn declarations() -> Vec<Declaration> {
    let mut declarations: Vec<_> = TOOLS.iter().map(|tool| Ask::what(*tool)).collect();
    declarations.sort_by(|a, b| a.place().cmp(&b.place()));
    declarations
}

impl Declaration {
    /// Creates an empty declaration.
    pub(super) const fn new(tool: Linked) -> Self {
        Self {
            record: Value::Null,
            module: "",
            function: "",
            roles: Vec::new(),
            input: None,
            output_schema: None,
            state: None,
            lacking: None,
            tool,
        }
    }

    /// Returns the sort key of declarations: the name, and the path of the function.
    fn place(&self) -> (Option<&str>, &str, &str) {
        let name = self.record.get("name").and_then(Value::as_str);
        (name, self.module, self.function)
    }

    /// The function, as the origin of the tool.
    pub(crate) fn origin(&self) -> Origin {
        Origin {
            document: self.module.to_owned(),
            pointer: self.function.to_owned(),
            operation_id: None,
        }
    }

    /// Returns the tool and the roles that it is granted to; none if the program leaves it out.
    ///
    /// # Errors
    /// When the input is not an object, a value is missing, or a name breaks its rule, which
    /// `#[tool]` has checked.
    pub(crate) fn into_tool(
        self,
        states: &States,
    ) -> Result<Option<(Tool, Vec<Role>)>, DeclarationError> {
        let origin = self.origin();
        let state = match &self.state {
            None => None,
            Some(needed) => match states.find(needed.id) {
                StateLookup::State(state) => Some(state),
                StateLookup::LeftOut => return Ok(None),
                StateLookup::Nothing => return Err(DeclarationError::StateMissing(needed.name)),
            },
        };
        let roles = self.roles.iter().map(|name| Role::new(*name));
        let roles: Result<Vec<_>, _> = roles.collect();
        let roles = roles.map_err(|error| DeclarationError::Wrong(error.to_string()))?;
        let (input_schema, only) = Input::schema_of(self.input).map_err(DeclarationError::Wrong)?;
        // The record is made of its JSON form like every other.
        let mut record = self.record;
        let mut parameters = Value::Null;
        if let Value::Object(record) = &mut record {
            parameters = record.remove("scope").unwrap_or_default();
            record.insert("origin".to_owned(), json!(origin));
            record.insert("input_schema".to_owned(), input_schema);
            if let Some(schema) = self.output_schema {
                record.insert("output_schema".to_owned(), schema);
            }
        }
        let spec: ToolSpec = serde_json::from_value(record)
            .map_err(|error| DeclarationError::Wrong(error.to_string()))?;
        let parameters: Option<ScopeParameters> = serde_json::from_value(parameters)
            .map_err(|error| DeclarationError::Wrong(error.to_string()))?;
        let function = function(self.tool, state, only);
        let tool = Tool::of_function(spec, function);
        let mut tool = tool.with_scope_parameters(parameters.unwrap_or_default());
        if let Some(lacking) = self.lacking {
            tool = tool.within_sandbox(lacking);
        }
        Ok(Some((tool, roles)))
    }
}

/// Returns the function of a tool, bound to the state that it needs, and given its only argument if
/// it has one.
fn function(
    tool: Linked,
    state: Option<Arc<dyn Any + Send + Sync>>,
    only: Option<&'static str>,
) -> Arc<Native> {
    Arc::new(move |context, mut arguments| {
        let state = state.clone();
        Box::pin(async move {
            if let Some(name) = only {
                arguments = value_of(&mut arguments, name);
            }
            let called = tool(&mut Ask::call(&context, state.as_deref(), arguments));
            match called {
                Some(running) => running.await,
                None => Err(ToolError::failed("the tool was not called")),
            }
        })
    })
}
