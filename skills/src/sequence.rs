//! A sequence of calls with holes: what a skill shares with other tools that are described by steps.

mod read;

pub(crate) use read::has_invisible_part;

use serde_json::{Map, Value, json};
use toolwright::{
    ToolName,
    config::{
        Place, Placed,
        reader::{ConfigReader, TomlNode},
    },
};

use crate::template::{Hole, Source, Template};

/// The greatest number of steps.
pub(crate) const MOST_STEPS: usize = 64;

/// The greatest number of elements that a loop may take.
pub(crate) const MOST_ELEMENTS: u64 = 100;

/// Calls of tools in order, with holes for parameters and for results of earlier calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sequence {
    /// The parameters, in the order of the file.
    pub parameters: Vec<Parameter>,
    /// `[[steps]]`: the calls, in order.
    pub steps: Vec<Step>,
    /// `returns`: the result; by default the result of the last step.
    pub returns: Option<Template>,
}

/// A parameter of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The JSON Schema of its values.
    pub schema: Value,
    /// True if a call may leave it out.
    pub optional: bool,
    /// The place of its table.
    pub place: Place,
}

/// A step: a call of a tool, or one for each element of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// `id`: the name that later holes use for the result.
    pub id: String,
    /// `tool`: the tool.
    pub tool: Placed<ToolName>,
    /// `arguments`: the arguments, an object.
    pub arguments: Template,
    /// `when`: the conditions, all of which must hold. Otherwise the step makes no call.
    pub conditions: Vec<Condition>,
    /// `each` and `most`: the list for whose elements the call is made.
    pub each: Option<Each>,
}

/// A condition of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The value that is tested.
    pub value: Template,
    /// The test.
    pub test: Test,
}

/// The test of a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// `equals`: the value is this one.
    Equals(Value),
    /// `not_equals`: the value is another one.
    NotEquals(Value),
    /// `at_least`: the value is a number of at least this.
    AtLeast(f64),
    /// `at_most`: the value is a number of at most this.
    AtMost(f64),
    /// `exists`: there is a value other than null, or there is none.
    Exists(bool),
    /// `empty`: the value is a list, a string or an object without content, or one with content.
    Empty(bool),
}

/// The loop of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Each {
    /// The list.
    pub list: Hole,
    /// The greatest number of its elements. A longer list ends the run before the first call.
    pub most: u64,
}

impl Sequence {
    /// Reads `[[steps]]` and `returns` of a document, with parameters that were read before.
    pub fn read(
        document: TomlNode<'_>,
        parameters: Vec<Parameter>,
        reader: &mut ConfigReader,
    ) -> Self {
        read::sequence(document, parameters, reader)
    }

    /// Returns the tools that the steps call, in their order.
    pub fn tools(&self) -> impl Iterator<Item = &Placed<ToolName>> {
        self.steps.iter().map(|step| &step.tool)
    }

    /// Checks whether a hole names a parameter.
    #[must_use]
    pub fn uses(&self, parameter: &str) -> bool {
        let returned = self.returns.iter().flat_map(Template::holes);
        let mut returned = returned.map(|hole| &hole.source);
        returned.any(|source| matches!(source, Source::Named(named) if named == parameter))
            || self.steps.iter().any(|step| step.mentions(parameter))
    }

    /// Returns the JSON Schema of the parameters: an object.
    #[must_use]
    pub fn input_schema(&self) -> Value {
        let properties = self.parameters.iter();
        let properties =
            properties.map(|parameter| (parameter.name.clone(), parameter.schema.clone()));
        let required = self
            .parameters
            .iter()
            .filter(|parameter| !parameter.optional);
        let required: Vec<_> = required.map(|parameter| parameter.name.as_str()).collect();
        json!({
            "type": "object",
            "properties": properties.collect::<Map<_, _>>(),
            "required": required,
            "additionalProperties": false,
        })
    }
}

impl Step {
    /// Checks whether an argument is a parameter or a result of this name, or a part of one.
    #[must_use]
    pub fn uses(&self, name: &str) -> bool {
        let holes = self.arguments.holes().into_iter();
        let list = self.each.iter().map(|each| &each.list);
        let mut sources = holes.chain(list).map(|hole| &hole.source);
        sources.any(|source| matches!(source, Source::Named(named) if named == name))
    }

    /// Checks whether an argument, the loop or a condition is a parameter or a result of this name, or a
    /// part of one.
    fn mentions(&self, name: &str) -> bool {
        let of_conditions = self.conditions.iter().flat_map(|test| test.value.holes());
        let mut sources = of_conditions.map(|hole| &hole.source);
        self.uses(name)
            || sources.any(|source| matches!(source, Source::Named(named) if named == name))
    }
}
