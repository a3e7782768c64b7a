//! The manifest: what a person reviews of each tool of a service, on a few lines.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use toolwright_model::{
    Category, Definitions, Effect, Governance, Hints, Method, Origin, ServiceName, ToolName,
    ToolSpec,
};

/// One tool, as it is reviewed. What is too long for that stands as a digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The name.
    pub name: ToolName,
    /// The HTTP method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// The path, below the base URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where the tool comes from.
    pub source: Origin,
    /// The category.
    pub category: Category,
    /// What a call does to the service's state.
    pub effect: Effect,
    /// Whether a person has to approve each call.
    pub approval_required: bool,
    /// Whether the tool is on where the operator has said nothing.
    pub enabled_by_default: bool,
    /// The MCP annotations.
    pub hints: Hints,
    /// Why the governance is lower than the evidence says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The digest of the description.
    pub description_sha256: String,
    /// The digest of the arguments' schema, and of all that it refers to.
    pub input_schema_sha256: String,
    /// The same of the result, where the specification describes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema_sha256: Option<String>,
}

/// A service's manifest, as the file has it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Who wrote the file.
    #[serde(default, rename = "//")]
    _mark: Option<String>,
    /// The service.
    pub service: ServiceName,
    /// Its tools, by name.
    pub tools: Vec<Row>,
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// When the text is not JSON, has an unknown field, lacks one, or breaks the rule of a name.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

impl Row {
    /// The row of a record, whose schemas refer to definitions that stand beside it.
    pub(crate) fn new(spec: &ToolSpec, digests: &mut Digests<'_, '_>) -> Self {
        let (method, path) = spec.endpoint().unzip();
        let description = Value::String(spec.description.clone());
        Self {
            name: spec.name.clone(),
            method,
            path: path.map(Into::into),
            source: spec.origin.clone(),
            category: spec.category,
            effect: spec.effect,
            approval_required: spec.approval_required,
            enabled_by_default: spec.enabled_by_default,
            hints: spec.hints,
            reason: spec.reason.clone(),
            description_sha256: hexadecimal(Sha256::digest(description.to_string())),
            input_schema_sha256: digests.of_schema(&spec.input_schema),
            output_schema_sha256: spec
                .output_schema
                .as_ref()
                .map(|schema| digests.of_schema(schema)),
        }
    }

    /// The row of a record whose schemas are self-contained.
    #[must_use]
    pub fn of(spec: &ToolSpec) -> Self {
        let mut spec = spec.clone();
        let mut all = BTreeMap::new();
        for schema in std::iter::once(&mut spec.input_schema).chain(&mut spec.output_schema) {
            let definitions = schema.as_object_mut().and_then(|map| map.remove("$defs"));
            if let Some(Value::Object(definitions)) = definitions {
                all.extend(definitions);
            }
        }
        let definitions = all.iter().map(|(name, schema)| (name.as_str(), schema));
        let definitions = Definitions::new(definitions);
        Self::new(&spec, &mut Digests::new(&definitions))
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
}

/// The digests of schemas, each definition digested once however many schemas reach it.
pub(crate) struct Digests<'d, 'a> {
    definitions: &'d Definitions<'a>,
    /// The definitions that any schema reached so far.
    pub(crate) reached: BTreeMap<&'a str, &'a Value>,
    known: BTreeMap<&'a str, [u8; 32]>,
}

impl<'d, 'a> Digests<'d, 'a> {
    pub(crate) const fn new(definitions: &'d Definitions<'a>) -> Self {
        Self {
            definitions,
            reached: BTreeMap::new(),
            known: BTreeMap::new(),
        }
    }

    /// The digest of a schema's compact JSON and, where it reaches definitions, of the name and
    /// the digest of each, by name.
    fn of_schema(&mut self, schema: &Value) -> String {
        let mut hash = Sha256::new_with_prefix(schema.to_string());
        for (name, definition) in self.definitions.reached(schema) {
            self.reached.insert(name, definition);
            let digest = self
                .known
                .entry(name)
                .or_insert_with(|| Sha256::digest(definition.to_string()).into());
            hash.update(name);
            hash.update(digest);
        }
        hexadecimal(hash.finalize())
    }
}

fn hexadecimal(digest: impl AsRef<[u8]>) -> String {
    let bytes = digest.as_ref().iter();
    bytes.map(|byte| format!("{byte:02x}")).collect()
}
