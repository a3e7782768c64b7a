//! The manifest: a few lines about each tool of a service, for review by a person.

use std::{cmp::Reverse, collections::BTreeMap};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use toolwright_model::{
    Category, Effect, Governance, Hints, Method, Origin, ServiceName, ToolName, ToolSpec, hex,
};
use toolwright_schema::{Definitions, SharedDefinitions, canonical};

use crate::components::components;

/// One tool under review. Long parts are represented by a digest.
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
    /// The origin of the tool.
    pub source: Origin,
    /// The category.
    pub category: Category,
    /// The effect of a call on the service's state.
    pub effect: Effect,
    /// True if a person must approve each call.
    pub approval_required: bool,
    /// True if the tool is enabled unless the operator decides otherwise.
    pub enabled_by_default: bool,
    /// The MCP annotations.
    pub hints: Hints,
    /// The reason for a governance that is lower than the evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The digest of the description.
    pub description_sha256: String,
    /// The digest of the arguments' schema and of all schemas it refers to.
    pub input_schema_sha256: String,
    /// The digest of the result's schema, if the specification describes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema_sha256: Option<String>,
}

/// The content of a service's manifest.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The mark of a generated file.
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
    /// If the input is not JSON, has an unknown field, lacks a field, or contains an invalid name.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

impl Row {
    /// Returns the row of a record whose schemas refer to separate definitions.
    pub(crate) fn new(spec: &ToolSpec, digests: &mut Digests<'_>) -> Self {
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
            description_sha256: hex(Sha256::digest(description.to_string())),
            input_schema_sha256: digests.of_schema(spec.input_schema.root()),
            output_schema_sha256: spec
                .output_schema
                .as_ref()
                .map(|schema| digests.of_schema(schema.root())),
        }
    }

    /// Returns the row of a record with self-contained schemas.
    #[must_use]
    pub fn from_spec(spec: &ToolSpec) -> Self {
        let mut spec = spec.clone();
        let mut all = Map::new();
        for schema in spec.schemas_mut() {
            let mut whole = schema.to_value();
            let definitions = whole.as_object_mut().and_then(|map| map.remove("$defs"));
            if let Some(Value::Object(definitions)) = definitions {
                all.extend(definitions);
            }
            *schema = whole.into();
        }
        let definitions = all.into_iter().collect();
        Self::new(&spec, &mut Digests::new(&definitions))
    }

    /// Returns the governance of the tool.
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
}

/// Computes digests of schemas. The digest of a schema depends on everything that the schema
/// reaches.
///
/// Definitions may refer to each other in circles, so that those of one circle have one digest.
/// It is made from their names and content, and from the digests of the definitions that they refer to.
pub(crate) struct Digests<'d> {
    definitions: &'d SharedDefinitions,
    /// The definitions reached so far.
    pub(crate) reached: BTreeMap<&'d str, &'d Value>,
    known: BTreeMap<&'d str, [u8; 32]>,
}

impl<'d> Digests<'d> {
    pub(crate) fn new(definitions: &'d SharedDefinitions) -> Self {
        let all = definitions.iter();
        let edges = all.map(|(name, _)| (name, definitions.mentions(name).collect()));
        let edges: BTreeMap<&str, Vec<&str>> = edges.collect();
        let mut circles: BTreeMap<Reverse<usize>, Vec<&str>> = BTreeMap::new();
        for (name, number) in components(&edges) {
            circles.entry(Reverse(number)).or_default().push(name);
        }
        let mut digests = Self {
            definitions,
            reached: BTreeMap::new(),
            known: BTreeMap::new(),
        };
        for names in circles.values() {
            let digest = digests.of_circle(names);
            let names = names.iter().map(|name| (*name, digest));
            digests.known.extend(names);
        }
        digests
    }

    /// Returns the digest of definitions that refer to each other; those that they refer to
    /// otherwise have a digest already.
    fn of_circle(&self, names: &[&str]) -> [u8; 32] {
        let mut hash = Sha256::new();
        for name in names {
            let definition = self.definitions.get(name);
            hash.update(name);
            hash.update(definition.map(canonical).unwrap_or_default());
            self.add(&mut hash, self.definitions.mentions(name));
        }
        hash.finalize().into()
    }

    /// Returns the digest of a schema's canonical JSON, and of the name and the digest of each
    /// definition that it refers to, sorted by name.
    fn of_schema(&mut self, schema: &Value) -> String {
        self.definitions.reach(schema, &mut self.reached);
        let mut mentioned = Definitions::mentioned(schema);
        mentioned.sort_unstable();
        mentioned.dedup();
        let mut hash = Sha256::new_with_prefix(canonical(schema));
        self.add(&mut hash, mentioned);
        hex(hash.finalize())
    }

    /// Adds the names and the known digests of definitions.
    fn add<'n>(&self, hash: &mut Sha256, names: impl IntoIterator<Item = &'n str>) {
        for name in names {
            hash.update(name);
            hash.update(self.known.get(name).copied().unwrap_or_default());
        }
    }
}
