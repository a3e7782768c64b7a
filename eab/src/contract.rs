//! The contract between a document and its service, from the generated tools: the handshake, and
//! the params of each method.

use std::{collections::BTreeMap, fmt};

use jsonschema::Validator;
use serde_json::{Map, Value};
use toolwright::{
    EmbeddedTools,
    binding::{BodyShape, EabBinding},
    codec::Codec,
};
use toolwright_model::eab::{Handshake, Readiness};

use crate::protocol::{Refusal, Request};

/// The contract between a document and its service.
#[derive(Debug)]
pub struct Contract {
    /// Any of the methods: the facts about the service are the same for all.
    first: EabBinding,
    methods: BTreeMap<String, (EabBinding, Validator)>,
}

/// The reason why tools are not a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractError(String);

impl Contract {
    /// The contract of the tools that were generated of a document.
    ///
    /// # Errors
    /// When the tools are none of an EAB document, or their schemas are none.
    pub fn new(tools: EmbeddedTools) -> Result<Self, ContractError> {
        let specs = tools
            .specs()
            .map_err(|error| ContractError(error.to_string()))?;
        let mut methods: BTreeMap<String, (EabBinding, Validator)> = BTreeMap::new();
        for spec in specs {
            let fault = |problem: &str| ContractError(format!("`{}`: {problem}", spec.name));
            let binding = spec
                .eab()
                .ok_or_else(|| fault("is not a method of the protocol"))?
                .clone();
            let validator = jsonschema::draft202012::new(spec.input_schema.whole())
                .map_err(|error| fault(&error.to_string()))?;
            methods.insert(binding.method.clone(), (binding, validator));
        }
        let first = methods.values().next().map(|(binding, _)| binding.clone());
        let first =
            first.ok_or_else(|| ContractError("the tools contain no methods".to_owned()))?;
        Ok(Self { first, methods })
    }

    /// Returns the handshake of a service that implements the document.
    #[must_use]
    pub fn handshake(&self, version: &str) -> Handshake {
        let binding = &self.first;
        Handshake {
            service: binding.service.clone(),
            version: version.to_owned(),
            api_version: binding.api_version,
            domain: binding.domain.clone(),
            capabilities: self.methods.keys().cloned().collect(),
            artifact_types: binding.artifact_types.clone(),
            interface_types: binding.interface_types.clone(),
            status: Readiness::Ready,
            message: None,
        }
    }

    /// The params of a request as the generated type of its method.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidRequest`](toolwright_model::eab::ErrorCode::InvalidRequest), with each
    /// place, when they do not fit the document.
    pub fn params<P: Codec>(&self, request: &Request) -> Result<P, Refusal> {
        let known = self.methods.get(&request.method);
        let (binding, validator) = known.ok_or_else(|| Refusal::invalid("no such method"))?;
        let arguments = arguments(binding, &request.params)?;
        let problems: Vec<String> = validator
            .iter_errors(&arguments)
            .map(|error| format!("at `{}`: {}", error.instance_path(), error.masked()))
            .collect();
        if !problems.is_empty() {
            return Err(Refusal::invalid(problems.join("; ")));
        }
        P::decode(arguments).map_err(|error| Refusal::invalid(error.to_string()))
    }
}

/// The arguments of the tool that params stand for.
fn arguments(binding: &EabBinding, params: &Value) -> Result<Value, Refusal> {
    let fields = match &binding.params {
        BodyShape::Whole(bound) => {
            let name = bound.argument().map(str::to_owned);
            let entries = name.map(|name| (name, params.clone()));
            return Ok(Value::Object(entries.into_iter().collect()));
        }
        BodyShape::Fields(fields) => fields,
    };
    let given = match params {
        Value::Null => Map::new(),
        Value::Object(given) => given.clone(),
        _ => return Err(Refusal::invalid("`params` is not an object")),
    };
    // A field that the document does not know keeps its name: the schema can then refuse it.
    let renamed = given.into_iter().map(|(wire, value)| {
        let mut fields = fields.iter();
        let field = fields.find(|field| field.name == wire);
        let name = field.and_then(|field| field.value.argument());
        (name.map_or(wire.clone(), str::to_owned), value)
    });
    Ok(Value::Object(renamed.collect()))
}

impl fmt::Display for ContractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the tools are not a service contract: {}", self.0)
    }
}

impl std::error::Error for ContractError {}
