//! Compares a skill with the tools that it calls: each tool exists, its arguments are known, and what
//! fills a hole can have the type that the tool expects.

mod fit;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use toolwright::{
    ToolName, ToolSpec,
    audit::OWN_SERVICE,
    config::{ConfigProblem, Place, Placed},
};
use toolwright_model::most_similar;

use crate::{
    format::Skill,
    sequence::{Sequence, Step},
    template::{Hole, Piece, Source, Template},
};
use fit::{Shape, Types};

/// The tools of a workspace, by name, and the arguments that its operator sets.
#[derive(Clone, Debug, Default)]
pub struct KnownTools<'a> {
    specs: BTreeMap<&'a ToolName, &'a ToolSpec>,
    pinned: BTreeSet<String>,
}

impl<'a> KnownTools<'a> {
    /// Creates the set of tools.
    #[must_use]
    pub fn new(specs: impl IntoIterator<Item = &'a ToolSpec>) -> Self {
        Self {
            specs: specs.into_iter().map(|spec| (&spec.name, spec)).collect(),
            pinned: BTreeSet::new(),
        }
    }

    /// Names arguments that the operator pins for some role. A skill need not set them.
    #[must_use]
    pub fn pinning(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.pinned.extend(names);
        self
    }

    /// Returns a tool.
    #[must_use]
    pub fn get(&self, name: &ToolName) -> Option<&'a ToolSpec> {
        self.specs.get(name).copied()
    }
}

/// Compares a skill with the tools that it calls. Returns everything that is wrong, in the order of the
/// file.
#[must_use]
pub fn check(skill: &Skill, tools: &KnownTools<'_>) -> Vec<ConfigProblem> {
    let mut checker = Checker::new(tools);
    let name = &skill.name;
    if tools.specs.contains_key(&name.value) {
        let message = format!("a tool is named `{}` already", name.value);
        checker.problem(&name.place, message, "choose another name");
    }
    if skill
        .alternative
        .as_ref()
        .is_some_and(|other| other.value == name.value)
    {
        let message = "the alternative of a skill is another one".to_owned();
        checker.problem(&name.place, message, "change `alternative`, or remove it");
    }
    for tool in skill.script.iter().flat_map(|script| &script.tools) {
        checker.tool(tool);
    }
    checker.sequence(&skill.sequence);
    checker.into_problems()
}

/// Compares the steps of a sequence with the tools that they call. Returns everything that is wrong, in the
/// order of the file.
#[must_use]
pub fn check_sequence(sequence: &Sequence, tools: &KnownTools<'_>) -> Vec<ConfigProblem> {
    let mut checker = Checker::new(tools);
    checker.sequence(sequence);
    checker.into_problems()
}

/// A value that holes may name.
struct Known {
    /// Its JSON Schema, with the definitions that it refers to.
    schema: Value,
    /// True if there may be none.
    optional: bool,
}

struct Checker<'a> {
    tools: &'a KnownTools<'a>,
    sources: BTreeMap<String, Known>,
    item: Option<Known>,
    problems: Vec<ConfigProblem>,
}

impl<'a> Checker<'a> {
    const fn new(tools: &'a KnownTools<'a>) -> Self {
        Self {
            tools,
            sources: BTreeMap::new(),
            item: None,
            problems: Vec::new(),
        }
    }

    fn into_problems(mut self) -> Vec<ConfigProblem> {
        self.problems
            .sort_by_key(|problem| problem.place.span.start);
        self.problems
    }

    fn sequence(&mut self, sequence: &Sequence) {
        for parameter in &sequence.parameters {
            let known = Known {
                schema: parameter.schema.clone(),
                optional: parameter.optional,
            };
            self.sources.insert(parameter.name.clone(), known);
        }
        for step in &sequence.steps {
            self.step(step);
        }
        if let Some(returns) = &sequence.returns {
            self.value(returns, None, true);
        }
    }

    fn problem(&mut self, place: &Place, message: String, help: impl Into<String>) {
        self.problems.push(ConfigProblem {
            place: place.clone(),
            message,
            help: Some(help.into()),
        });
    }

    fn step(&mut self, step: &Step) {
        self.item = None;
        if let Some(each) = &step.each
            && let Some(types) = self.types_of(&each.list)
        {
            if types.excludes("array") {
                let message = format!("`{}` is {types}, and a loop needs a list", each.list);
                self.problem(&each.list.place, message, "name a list");
            }
            self.item = self.schema_of(&each.list).map(|schema| Known {
                schema: fit::items(&schema),
                optional: false,
            });
        }
        for condition in &step.conditions {
            self.value(&condition.value, None, true);
        }
        let spec = self.tool(&step.tool);
        match spec {
            Some(spec) => self.arguments(step, spec),
            None => self.value(&step.arguments, None, true),
        }
        let result = spec.and_then(|spec| spec.output_schema.as_ref());
        let result = result.map_or(json!(true), |schema| schema.whole().clone());
        let schema = match &step.each {
            Some(_) => fit::list_of(result),
            None => result,
        };
        let optional = !step.conditions.is_empty();
        self.sources
            .insert(step.id.clone(), Known { schema, optional });
    }

    fn tool(&mut self, tool: &Placed<ToolName>) -> Option<&'a ToolSpec> {
        if let Some(spec) = self.tools.get(&tool.value) {
            if spec.service.as_str() == OWN_SERVICE {
                let message = format!("`{}` finds or calls other tools", tool.value);
                self.problem(&tool.place, message, "name the tool that is to be called");
            }
            return Some(spec);
        }
        let known = self.tools.specs.keys().map(|name| name.as_str());
        let message = format!("there is no tool `{}`", tool.value);
        let help = match most_similar(tool.value.as_str(), known) {
            Some(similar) => format!("a tool with a similar name exists: `{similar}`"),
            None => "`toolwright list` shows all tools".to_owned(),
        };
        self.problem(&tool.place, message, help);
        None
    }

    fn arguments(&mut self, step: &Step, spec: &ToolSpec) {
        let whole = spec.input_schema.whole();
        let Template::Object(fields, _) = &step.arguments else {
            return;
        };
        for (name, template) in fields {
            match fit::property(whole, name) {
                Shape::Schema(schema) => self.value(template, Some(&schema), true),
                Shape::Anything => self.value(template, None, true),
                Shape::Nothing => {
                    let known = toolwright_schema::properties(whole).map(|(name, _)| name);
                    let message = format!("`{}` has no argument `{name}`", spec.name);
                    let help = match most_similar(name, known) {
                        Some(similar) => format!("a similar argument is `{similar}`"),
                        None => format!("`toolwright show {}` lists them", spec.name),
                    };
                    let place = template.place().unwrap_or(&step.tool.place);
                    self.problem(place, message, help);
                }
            }
        }
        for required in toolwright_schema::required(whole) {
            let is_set = fields.iter().any(|(name, _)| name == required);
            if !is_set && !self.tools.pinned.contains(required) {
                let message = format!("`{}` needs the argument `{required}`", spec.name);
                self.problem(&step.tool.place, message, "add it to `arguments`");
            }
        }
    }

    /// Checks a value against the schema of its place; none if every value fits. `may_lack` is true if
    /// the value may be left out.
    fn value(&mut self, template: &Template, expected: Option<&Value>, may_lack: bool) {
        match template {
            Template::Constant(value, place) => {
                if let Some(fault) = expected.and_then(|schema| fit::fault(schema, value)) {
                    self.problem(place, fault, "write a value that the tool accepts");
                }
            }
            Template::Hole(hole) => self.hole(hole, expected, may_lack),
            Template::Text(pieces) => self.text(template, pieces, expected),
            Template::Array(items, _) => {
                let schema = expected.map(fit::items);
                for item in items {
                    self.value(item, schema.as_ref(), true);
                }
                self.composite(template, expected, "array");
            }
            Template::Object(fields, _) => {
                for (name, field) in fields {
                    let shape = expected.map(|schema| fit::property(schema, name));
                    let schema = match shape {
                        Some(Shape::Schema(schema)) => Some(schema),
                        _ => None,
                    };
                    self.value(field, schema.as_ref(), true);
                }
                self.composite(template, expected, "object");
            }
        }
    }

    /// Checks that an array or an object is expected.
    fn composite(&mut self, template: &Template, expected: Option<&Value>, found: &str) {
        let types = expected.map(Types::of);
        if let (Some(types), Some(place)) = (types, template.place())
            && types.excludes(found)
        {
            let message = format!("the tool expects {types}, and this is an {found}");
            self.problem(place, message, "write a value that the tool accepts");
        }
    }

    fn text(&mut self, template: &Template, pieces: &[Piece], expected: Option<&Value>) {
        for piece in pieces {
            let Piece::Hole(hole) = piece else { continue };
            self.hole(hole, None, false);
            let types = self.types_of(hole);
            if types.is_some_and(|types| types.is_composite()) {
                let message =
                    format!("`{hole}` is no text, number or boolean, and stands in a text");
                self.problem(
                    &hole.place,
                    message,
                    "name a single value with a JSON Pointer",
                );
            }
        }
        if let (Some(types), Some(place)) = (expected.map(Types::of), template.place())
            && types.excludes("string")
        {
            let message = format!("the tool expects {types}, and this is a string");
            self.problem(place, message, "write one hole without text around it");
        }
    }

    fn hole(&mut self, hole: &Hole, expected: Option<&Value>, may_lack: bool) {
        let Some(known) = self.known(hole) else {
            return;
        };
        if known.optional && !may_lack {
            let message = format!("`{hole}` may have no value, and stands in a text");
            self.problem(
                &hole.place,
                message,
                "give it a value in every run, or use it alone",
            );
            return;
        }
        let Some(schema) = self.schema_of(hole) else {
            let message = format!("`{}` has no value at `{}`", hole.source, hole.pointer);
            let help = match &hole.source {
                Source::Named(_) => "`toolwright show TOOL` prints the result of the tool",
                Source::Item => "the elements of the list have other fields",
            };
            self.problem(&hole.place, message, help);
            return;
        };
        let Some(expected) = expected else { return };
        let (found, wanted) = (Types::of(&schema), Types::of(expected));
        if !found.fits(&wanted) {
            let message = format!("the tool expects {wanted}, and `{hole}` is {found}");
            self.problem(&hole.place, message, "name another value");
        }
    }

    fn known(&self, hole: &Hole) -> Option<&Known> {
        match &hole.source {
            Source::Item => self.item.as_ref(),
            Source::Named(name) => self.sources.get(name),
        }
    }

    /// Returns the schema of a hole's value; none if there can be no such value.
    fn schema_of(&self, hole: &Hole) -> Option<Value> {
        fit::at(&self.known(hole)?.schema, &hole.pointer)
    }

    fn types_of(&self, hole: &Hole) -> Option<Types> {
        self.schema_of(hole).map(|schema| Types::of(&schema))
    }
}

/// Returns the schema of an argument of a tool, without references: for a parameter of a skill. None if
/// it is not known, and if it refers to definitions.
pub(crate) fn parameter_schema(spec: &ToolSpec, pointer: &str) -> Option<Value> {
    const KEPT: [&str; 12] = [
        "type",
        "description",
        "format",
        "enum",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "pattern",
        "minItems",
        "maxItems",
        "items",
    ];
    let schema = fit::at(spec.input_schema.whole(), pointer)?;
    let parts = toolwright_schema::Root::new(&schema).parts(&schema);
    let mut kept = serde_json::Map::new();
    for part in parts {
        for key in KEPT {
            if let Some(value) = part.get(key)
                && !kept.contains_key(key)
            {
                kept.insert(key.to_owned(), value.clone());
            }
        }
    }
    let kept = Value::Object(kept);
    let is_whole = kept.get("type").is_some() && !kept.to_string().contains("\"$ref\"");
    is_whole.then_some(kept)
}
