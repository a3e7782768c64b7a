//! The [`ToolSpec`]: the one frozen record of a tool.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Bound, Category, Definitions, EabBinding, Effect, Evidence, Governance, Hints, HttpBinding,
    Method, Pagination, ServiceName, ToolName,
};

/// The one frozen record of a tool.
///
/// Everything that is shown of a tool (the MCP list, provider formats, documentation, the command
/// line) is rendered from it and never declared again. Its JSON form is stable and is the only
/// way in which one is made: the generator writes it, [`ToolSpec::from_json`] reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSpec {
    /// `<verb>-<service>-<noun>`.
    pub name: ToolName,
    /// The service that the tool speaks to.
    pub service: ServiceName,
    /// A title for people, such as `List tasks`.
    pub title: String,
    /// One line that says what the tool does.
    pub short: String,
    /// The whole description, as an agent reads it.
    pub description: String,
    /// When an agent should take this tool rather than another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when_to_use: Option<String>,
    /// The heading under which the tool is listed: the operation's first tag, or the service.
    pub section: String,
    /// The governance category.
    pub category: Category,
    /// What a call does to the service's state.
    pub effect: Effect,
    /// Whether a person has to approve each call.
    pub approval_required: bool,
    /// The MCP annotations.
    pub hints: Hints,
    /// Whether the tool is on where the operator has said nothing.
    pub enabled_by_default: bool,
    /// Whether the service's owner advises against the operation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deprecated: bool,
    /// Why the governance is what the overlay says, in its own words. There is always one where it is
    /// lower than the evidence says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The arguments: a JSON Schema 2020-12 whose root is an object, self-contained.
    pub input_schema: Value,
    /// The result, where the specification describes it: self-contained JSON Schema 2020-12.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// How the pages follow one another, where the tool answers a list in parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pagination: Option<Pagination>,
    /// How a call is carried out.
    pub binding: Binding,
    /// Where the tool comes from.
    pub origin: Origin,
    /// Why the tool is classed as it is.
    pub evidence: Vec<Evidence>,
}

/// How a call is carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Binding {
    /// An HTTP request.
    Http(Box<HttpBinding>),
    /// A method of a domain service behind the Extension API Bridge.
    Eab(Box<EabBinding>),
    /// A function of the program itself.
    Native,
}

/// Where a tool comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The document, by its file name; for a hand-written tool its module path.
    pub document: String,
    /// The JSON pointer of the operation in the document; for a hand-written tool the function.
    pub pointer: String,
    /// The operation id, where the document gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<String>,
}

/// The records of one service, as a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// Who wrote the file.
    #[serde(default, rename = "//")]
    _mark: Option<String>,
    #[serde(rename = "service")]
    _service: ServiceName,
    /// The schemas that those of the tools refer to.
    #[serde(default, rename = "$defs")]
    definitions: Map<String, Value>,
    tools: Vec<ToolSpec>,
}

impl ToolSpec {
    /// Reads one record from its JSON form.
    ///
    /// # Errors
    /// When the text is not JSON, has an unknown field, lacks one, or breaks the rule of a name.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Reads the table of a service's records, as the generator writes it: an object with the
    /// name of the service, its `tools`, and the `$defs` that their schemas refer to. Each record
    /// is given those that it reaches, so that its schemas are self-contained.
    ///
    /// # Errors
    /// As [`ToolSpec::from_json`].
    pub fn list_from_json(text: &str) -> Result<Vec<Self>, serde_json::Error> {
        let Table {
            definitions,
            mut tools,
            ..
        } = serde_json::from_str(text)?;
        let all = definitions.iter();
        let definitions = Definitions::new(all.map(|(name, schema)| (name.as_str(), schema)));
        for tool in &mut tools {
            tool.bundle(&definitions);
        }
        Ok(tools)
    }

    /// Gives its schemas a copy of the definitions that they reach.
    pub fn bundle(&mut self, definitions: &Definitions<'_>) {
        for schema in std::iter::once(&mut self.input_schema).chain(&mut self.output_schema) {
            *schema = definitions.bundle(schema.take());
        }
    }

    /// The governance of the tool as one value.
    #[must_use]
    pub const fn governance(&self) -> Governance {
        Governance {
            category: self.category,
            effect: self.effect,
            approval_required: self.approval_required,
            hints: self.hints,
            enabled_by_default: self.enabled_by_default,
        }
    }

    /// The HTTP binding, where the tool has one.
    #[must_use]
    pub const fn http(&self) -> Option<&HttpBinding> {
        match &self.binding {
            Binding::Http(http) => Some(http),
            Binding::Eab(_) | Binding::Native => None,
        }
    }

    /// The binding to a method of a domain service, where the tool has one.
    #[must_use]
    pub const fn eab(&self) -> Option<&EabBinding> {
        match &self.binding {
            Binding::Eab(eab) => Some(eab),
            Binding::Http(_) | Binding::Native => None,
        }
    }

    /// The method and the path of the request that a call sends; none for a function of the
    /// program.
    #[must_use]
    pub fn endpoint(&self) -> Option<(Method, Cow<'_, str>)> {
        match &self.binding {
            Binding::Http(http) => Some((http.method, Cow::Borrowed(&http.path))),
            Binding::Eab(eab) => Some((Method::Post, Cow::Owned(eab.path()))),
            Binding::Native => None,
        }
    }
}

impl Binding {
    /// Where the values of what is sent come from.
    #[must_use]
    pub fn bounds(&self) -> Vec<&Bound> {
        match self {
            Self::Http(http) => http.bounds().collect(),
            Self::Eab(eab) => eab.bounds().collect(),
            Self::Native => Vec::new(),
        }
    }
}
