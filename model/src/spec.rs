//! The [`ToolSpec`]: the one frozen record of a tool.

use std::{borrow::Cow, iter, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright_schema::SharedDefinitions;

use crate::{
    BodyShape, Bound, Category, Descriptors, EabBinding, Effect, Evidence, Governance, GrpcCall,
    Hints, HttpBinding, HttpProtocol, Method, Pagination, Projection, ServiceName, ToolName,
    ToolSchema,
};

/// The immutable record of a tool.
///
/// The MCP list, provider formats, documentation and the command line all render this record; none
/// of them declares a tool again. The JSON form is stable and is the only way to create a record:
/// the generator writes it, and [`ToolSpec::from_json`] reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSpec {
    /// `<verb>-<service>-<noun>`.
    pub name: ToolName,
    /// The service that the tool speaks to.
    pub service: ServiceName,
    /// A title for people, such as `List tasks`.
    pub title: String,
    /// A one-line summary.
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
    /// The effect of a call on the service's state.
    pub effect: Effect,
    /// True if a person must approve each call.
    pub approval_required: bool,
    /// The MCP annotations.
    pub hints: Hints,
    /// True if the tool is on unless the operator configures it otherwise.
    pub enabled_by_default: bool,
    /// True if the service's owner advises against the operation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deprecated: bool,
    /// The overlay's reason for overriding the governance. Always present if the override is below
    /// the level that the evidence supports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The arguments: a JSON Schema whose root is an object.
    pub input_schema: ToolSchema,
    /// The schema of the result, if the specification describes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<ToolSchema>,
    /// The paging scheme, if the tool returns a list in parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pagination: Option<Pagination>,
    /// The parts of the response that the tool returns; all of it by default. The schema of the result
    /// describes these parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub projection: Option<Projection>,
    /// The binding that carries out a call.
    pub binding: Binding,
    /// The source of the tool.
    pub origin: Origin,
    /// The evidence for the tool's classification.
    pub evidence: Vec<Evidence>,
}

/// The binding that carries out a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Binding {
    /// An HTTP request.
    Http(Box<HttpBinding>),
    /// A method of a domain service on the Extension API Bridge.
    Eab(Box<EabBinding>),
    /// A tool of a mounted MCP server.
    Mcp(Box<McpBinding>),
    /// A function of the program itself.
    Native,
}

/// The binding of a tool of a mounted MCP server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpBinding {
    /// The name of the tool at the server.
    pub tool: String,
    /// The arguments that the server receives.
    pub arguments: BodyShape,
}

/// The source of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The document, by its file name; for a hand-written tool its module path.
    pub document: String,
    /// The JSON pointer of the operation in the document; for a hand-written tool the function.
    pub pointer: String,
    /// The operation id, if the document declares one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<String>,
}

/// The records of one service, as a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServiceRecords {
    /// Who wrote the file.
    #[serde(default, rename = "//")]
    _mark: Option<String>,
    #[serde(rename = "service")]
    _service: ServiceName,
    /// The schemas that the tools' schemas refer to.
    #[serde(default, rename = "$defs")]
    definitions: Map<String, Value>,
    /// The descriptors that the tools of a gRPC service share.
    #[serde(default)]
    descriptors: Descriptors,
    tools: Vec<ToolSpec>,
}

impl ToolSpec {
    /// Reads one record from its JSON form.
    ///
    /// # Errors
    /// Returns an error if the JSON is invalid, a field is unknown or missing, or a name breaks its
    /// rule.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Reads the table of a service's records from the generator's format: an object with the name
    /// of the service, its `tools`, and the `$defs` that their schemas refer to. The records share
    /// these definitions.
    ///
    /// # Errors
    /// See [`ToolSpec::from_json`].
    pub fn list_from_json(text: &str) -> Result<Vec<Self>, serde_json::Error> {
        let ServiceRecords {
            definitions,
            descriptors,
            mut tools,
            ..
        } = serde_json::from_str(text)?;
        let definitions: Arc<SharedDefinitions> = Arc::new(definitions.into_iter().collect());
        for tool in &mut tools {
            for schema in tool.schemas_mut() {
                schema.share(&definitions);
            }
            if let Some(grpc) = tool.grpc_mut() {
                grpc.descriptors.share(&descriptors);
            }
        }
        Ok(tools)
    }

    /// Returns the schema of the arguments, and that of the result if there is one.
    pub fn schemas(&self) -> impl Iterator<Item = &ToolSchema> {
        iter::once(&self.input_schema).chain(&self.output_schema)
    }

    /// The same, to change them.
    pub fn schemas_mut(&mut self) -> impl Iterator<Item = &mut ToolSchema> {
        iter::once(&mut self.input_schema).chain(&mut self.output_schema)
    }

    /// Returns the record as a part of a table: its JSON form lacks the definitions that it shares.
    #[must_use]
    pub fn into_table_row(mut self) -> Self {
        for schema in self.schemas_mut() {
            schema.share(&Arc::default());
        }
        if let Some(grpc) = self.grpc_mut() {
            grpc.descriptors = Descriptors::default();
        }
        self
    }

    /// Returns the call of a gRPC method, if the tool is one.
    #[must_use]
    pub fn grpc(&self) -> Option<&GrpcCall> {
        self.http()?.grpc()
    }

    fn grpc_mut(&mut self) -> Option<&mut GrpcCall> {
        match &mut self.binding {
            Binding::Http(http) => match &mut http.protocol {
                Some(HttpProtocol::Grpc(call)) => Some(call),
                Some(HttpProtocol::Graphql(_)) | None => None,
            },
            Binding::Eab(_) | Binding::Mcp(_) | Binding::Native => None,
        }
    }

    /// The governance of the tool as one value.
    #[must_use]
    pub const fn governance(&self) -> Governance {
        Governance::from_record(
            self.category,
            self.effect,
            self.approval_required,
            self.hints,
            self.enabled_by_default,
        )
    }

    /// Returns the HTTP binding, if the tool has one.
    #[must_use]
    pub const fn http(&self) -> Option<&HttpBinding> {
        match &self.binding {
            Binding::Http(http) => Some(http),
            Binding::Eab(_) | Binding::Mcp(_) | Binding::Native => None,
        }
    }

    /// Returns the binding to a method of a domain service, if the tool has one.
    #[must_use]
    pub const fn eab(&self) -> Option<&EabBinding> {
        match &self.binding {
            Binding::Eab(eab) => Some(eab),
            Binding::Http(_) | Binding::Mcp(_) | Binding::Native => None,
        }
    }

    /// Returns the binding to a tool of a mounted MCP server, if the tool has one.
    #[must_use]
    pub const fn mcp(&self) -> Option<&McpBinding> {
        match &self.binding {
            Binding::Mcp(mcp) => Some(mcp),
            Binding::Http(_) | Binding::Eab(_) | Binding::Native => None,
        }
    }

    /// The method and the path of the request that a call sends; none for a tool of a
    /// mounted server and for a function of the program. All requests of a GraphQL service have one URL, so
    /// the path is that of the operation in its schema: `/query/items`.
    #[must_use]
    pub fn endpoint(&self) -> Option<(Method, Cow<'_, str>)> {
        match &self.binding {
            Binding::Http(http) => {
                let path = match http.graphql() {
                    Some(_) => &self.origin.pointer,
                    None => &http.path,
                };
                Some((http.method, Cow::Borrowed(path)))
            }
            Binding::Eab(eab) => Some((Method::Post, Cow::Owned(eab.path()))),
            Binding::Mcp(_) | Binding::Native => None,
        }
    }
}

impl Binding {
    /// Returns the sources of the values that are sent.
    #[must_use]
    pub fn bounds(&self) -> Vec<&Bound> {
        match self {
            Self::Http(http) => http.bounds().collect(),
            Self::Eab(eab) => eab.bounds().collect(),
            Self::Mcp(mcp) => mcp.arguments.bounds().collect(),
            Self::Native => Vec::new(),
        }
    }
}
