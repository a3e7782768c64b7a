//! Tools in the formats of model providers, and their calls back.
//!
//! A provider's model sees a name, a description and a schema. A [`Dialect`] renders all three by fixed
//! rules, and [`Dialect::arguments`] turns the arguments of a call into those of the tool. What the
//! model may send by a rendered schema, the tool accepts, except for the keywords that
//! [`Dialect::dropped`] lists. The boundary validates the arguments of every call by the tool's own
//! schema, so a keyword that a dialect lacks never lets a call pass.
//!
//! ```
//! # use toolwright::{ToolSpec, codec::json};
//! use toolwright::render::provider::Dialect;
//!
//! # let spec: ToolSpec = serde_json::from_value(json!({
//! #     "name": "get-depot-item", "service": "depot", "title": "Get an item",
//! #     "short": "Get an item.", "description": "Gets an item.", "section": "Items",
//! #     "category": "observe", "effect": "read", "approval_required": false,
//! #     "hints": {"readOnlyHint": true, "destructiveHint": false,
//! #               "idempotentHint": true, "openWorldHint": false},
//! #     "enabled_by_default": true,
//! #     "input_schema": {"type": "object", "properties": {"id": {"type": "integer"}, "shelf": {"type": "string"}},
//! #                      "required": ["id"], "additionalProperties": false},
//! #     "binding": "native", "origin": {"document": "docs", "pointer": "/"}, "evidence": [],
//! # })).unwrap();
//! let tool = Dialect::OpenAiStrict.tool(&spec).tool;
//! let schema = &tool["function"]["parameters"];
//! assert_eq!(schema["properties"]["shelf"]["type"], json!(["string", "null"]));
//!
//! let called = json!({"id": 7, "shelf": null});
//! assert_eq!(Dialect::OpenAiStrict.arguments(&spec, called), json!({"id": 7}));
//! ```

mod alias;
mod gemini;
mod nulls;
mod strict;
mod strict_limits;

use serde_json::{Value, json};
use toolwright_model::words;

use super::{
    description::{description, short_description},
    rewrite::{Arguments, inlined, unwrapped},
};
use crate::{ToolName, ToolSpec};

/// The longest description of a function that `OpenAI` accepts, in characters.
const OPENAI_DESCRIPTION: usize = 1024;

words! {
    /// The format of a model provider.
    Dialect {
        /// The Messages API of Anthropic: `tools`.
        Anthropic = "anthropic",
        /// Chat Completions of `OpenAI`: `tools`, not strict.
        OpenAi = "openai",
        /// Chat Completions of `OpenAI` with `strict`, if the arguments can be expressed.
        OpenAiStrict = "openai-strict",
        /// The Gemini API: a tool with `functionDeclarations`.
        Gemini = "gemini",
        /// The Converse API of Amazon Bedrock: `toolConfig`. Its names are in snake case.
        Bedrock = "bedrock",
    }
}

/// A tool in the format of a provider.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendering {
    /// The tool.
    pub tool: Value,
    /// The reason why the tool is not strict, although the dialect is.
    pub not_strict: Option<String>,
}

impl From<Value> for Rendering {
    fn from(tool: Value) -> Self {
        Self {
            tool,
            not_strict: None,
        }
    }
}

impl Dialect {
    /// Returns the tool as the provider reads it.
    #[must_use]
    pub fn tool(self, spec: &ToolSpec) -> Rendering {
        match self {
            Self::Anthropic => json!({
                "name": self.name(spec),
                "description": description(spec),
                "input_schema": alias::renamed(Arguments::new(spec).schema),
            })
            .into(),
            Self::OpenAi => function(spec, openai_schema(spec), false).into(),
            Self::OpenAiStrict => match strict::schema(spec) {
                Ok(schema) => function(spec, schema, true).into(),
                Err(reason) => Rendering {
                    tool: function(spec, openai_schema(spec), false),
                    not_strict: Some(reason),
                },
            },
            Self::Gemini => json!({
                "name": self.name(spec),
                "description": description(spec),
                "parametersJsonSchema": gemini::schema(spec),
            })
            .into(),
            Self::Bedrock => json!({
                "toolSpec": {
                    "name": self.name(spec),
                    "description": description(spec),
                    "inputSchema": {"json": bedrock_schema(spec)},
                },
            })
            .into(),
        }
    }

    /// Returns the part of a request that offers these tools.
    #[must_use]
    pub fn request(self, tools: Vec<Value>) -> Value {
        match self {
            Self::Anthropic | Self::OpenAi | Self::OpenAiStrict => json!({"tools": tools}),
            Self::Gemini => json!({"tools": [{"functionDeclarations": tools}]}),
            Self::Bedrock => json!({"toolConfig": {"tools": tools}}),
        }
    }

    /// Returns the name of the tool that the provider sees.
    #[must_use]
    pub fn name(self, spec: &ToolSpec) -> String {
        match self {
            Self::Bedrock => spec.name.as_str().replace('-', "_"),
            Self::Anthropic | Self::OpenAi | Self::OpenAiStrict | Self::Gemini => {
                spec.name.as_str().to_owned()
            }
        }
    }

    /// Returns the name of the tool that a call with this name means, or `None` if no tool can have it.
    ///
    /// It is the inverse of [`Dialect::name`]: names of tools contain no `_`.
    #[must_use]
    pub fn tool_name(self, called: &str) -> Option<ToolName> {
        let name = match self {
            Self::Bedrock if called.contains('-') => return None,
            Self::Bedrock => &called.replace('_', "-"),
            Self::Anthropic | Self::OpenAi | Self::OpenAiStrict | Self::Gemini => called,
        };
        ToolName::new(name).ok()
    }

    /// Returns the arguments of the tool for those of a call by the rendered schema.
    #[must_use]
    pub fn arguments(self, spec: &ToolSpec, called: Value) -> Value {
        match self {
            Self::Anthropic => {
                let called = alias::restored(&Arguments::new(spec).schema, called);
                unwrapped(spec, called)
            }
            Self::OpenAiStrict => {
                nulls::removed(spec.input_schema.whole(), unwrapped(spec, called))
            }
            Self::OpenAi | Self::Gemini | Self::Bedrock => unwrapped(spec, called),
        }
    }

    /// Returns the keywords of JSON Schema that the dialect cannot express, sorted. The description says
    /// what they demand. The `oneOf` of such a dialect accepts values of several alternatives.
    #[must_use]
    pub const fn dropped(self) -> &'static [&'static str] {
        match self {
            Self::Anthropic | Self::OpenAi | Self::Bedrock => &[],
            Self::OpenAiStrict => &strict::DROPPED,
            Self::Gemini => &gemini::DROPPED,
        }
    }
}

/// Returns a function of `OpenAI`.
fn function(spec: &ToolSpec, parameters: Value, strict: bool) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": spec.name.as_str(),
            "description": short_description(spec, OPENAI_DESCRIPTION),
            "parameters": parameters,
            "strict": strict,
        },
    })
}

/// Returns the schema of a function that is not strict. `OpenAI` refuses an array without `items`.
fn openai_schema(spec: &ToolSpec) -> Value {
    let mut schema = Arguments::new(spec).schema;
    toolwright_schema::walk_mut(&mut schema, |_, schema| {
        let is_array = toolwright_schema::types(schema).any(|name| name == "array");
        if let (Some(fields), true) = (schema.as_object_mut(), is_array) {
            fields.entry("items").or_insert_with(|| json!({}));
        }
    });
    schema
}

/// Returns the schema for the models of Bedrock: its root has three keywords, and it has no references.
fn bedrock_schema(spec: &ToolSpec) -> Value {
    let mut schema = inlined(&Arguments::new(spec).schema);
    if let Some(fields) = schema.as_object_mut() {
        fields.retain(|keyword, _| ["type", "properties", "required"].contains(&keyword.as_str()));
    }
    schema
}

#[cfg(test)]
mod tests;
