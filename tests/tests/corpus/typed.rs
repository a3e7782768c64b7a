//! Compares the generator's reading of OpenAPI 3.0 documents with that of `openapiv3`.
//!
//! Both readings are reduced to the same lines. A line that only one of them has is a difference.
//! Known kinds of differences are listed with their reasons.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Mutex,
};

use openapiv3::{
    OpenAPI, Operation, Parameter, ParameterSchemaOrContent, PathItem, PathStyle, QueryStyle,
    ReferenceOr, RequestBody,
};
use serde_json::{Deserializer, Value};
use toolwright_generator::{
    dump::{self, Stage},
    generate::{Input, Options},
    load::Disk,
};
use toolwright_model::{SecurityRequirement, Serialization};

use crate::{documents::Subject, findings::Findings};

/// The facts of one operation, one line each.
type Facts = BTreeSet<String>;

/// The facts of all operations, by method and path.
type Reading = BTreeMap<(String, String), Facts>;

/// A known kind of difference.
struct Known {
    reason: &'static str,
    /// Checks whether a line that only one reading has is such a difference.
    explains: fn(&Difference<'_>) -> bool,
}

/// A line that only one reading has.
struct Difference<'d> {
    document: &'d OpenAPI,
    path: &'d str,
    fact: &'d str,
    is_ours: bool,
}

const KNOWN: &[Known] = &[
    Known {
        reason: "the path template is the only declaration of the parameter; we add it",
        explains: |difference| difference.is_ours && difference.is_in_template() == Some(true),
    },
    Known {
        reason: "the path template does not contain the path parameter; we drop it and warn",
        explains: |difference| !difference.is_ours && difference.is_in_template() == Some(false),
    },
    Known {
        reason: "the document does not define the security scheme; we drop the alternative and warn",
        explains: |difference| !difference.is_ours && difference.has_undefined_scheme(),
    },
];

/// The reasons that occurred in any document.
static SEEN: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());

impl Difference<'_> {
    /// Checks whether the path contains the parameter. Returns `None` if the line is not about a
    /// path parameter.
    fn is_in_template(&self) -> Option<bool> {
        let name = self.fact.strip_prefix("path parameter `")?;
        let (name, _) = name.split_once('`')?;
        Some(self.path.contains(&format!("{{{name}}}")))
    }

    fn has_undefined_scheme(&self) -> bool {
        let Some(parts) = self.fact.strip_prefix("security ") else {
            return false;
        };
        let components = self.document.components.as_ref();
        let schemes = components.map(|components| &components.security_schemes);
        parts.split('"').skip(1).step_by(2).any(|part| {
            let name = part.split(' ').next().unwrap_or_default();
            schemes.is_none_or(|schemes| !schemes.contains_key(name))
        })
    }

    fn reason(&self) -> Option<&'static str> {
        let known = KNOWN.iter().find(|known| (known.explains)(self))?;
        SEEN.lock().unwrap().insert(known.reason);
        Some(known.reason)
    }
}

/// Compares the two readings of a document.
pub(crate) fn compare(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    let version = subject.declares().unwrap_or_default();
    let Some(value) = subject
        .value
        .as_ref()
        .filter(|_| version.starts_with("3.0"))
    else {
        return findings;
    };
    let document: OpenAPI = match serde_json::from_value(value.clone()) {
        Ok(document) => document,
        Err(error) => {
            findings.exempt(&subject.name, format!("openapiv3 rejects it: {error}"));
            return findings;
        }
    };
    let (ours, theirs) = (our_reading(subject), their_reading(&document));
    let keys: BTreeSet<_> = ours.keys().chain(theirs.keys()).collect();
    for (method, path) in keys {
        let key = (method.clone(), path.clone());
        let facts = |reading: &Reading| reading.get(&key).cloned().unwrap_or_default();
        let (ours, theirs) = (facts(&ours), facts(&theirs));
        findings.hold_all(ours.intersection(&theirs).count());
        for fact in ours.symmetric_difference(&theirs) {
            let difference = Difference {
                document: &document,
                path,
                fact,
                is_ours: ours.contains(fact),
            };
            let owner = if difference.is_ours { "ours" } else { "theirs" };
            let place = format!("{}: {method} {path}: only {owner}: {fact}", subject.name);
            match difference.reason() {
                Some(reason) => findings.exempt(place, reason),
                None => findings.fail_unexplained(place, "the readings differ"),
            }
        }
    }
    findings
}

/// Checks that every known kind of difference occurs in the corpus.
pub(crate) fn known_differences_occur(documents: &[PathBuf]) -> Findings {
    let mut findings = Findings::default();
    let is_whole_corpus = documents.len() > 100;
    let seen = SEEN.lock().unwrap();
    for known in KNOWN.iter().filter(|_| is_whole_corpus) {
        let fault = (!seen.contains(known.reason)).then(|| "it does not occur".to_owned());
        findings.check(known.reason, fault);
    }
    findings
}

fn our_reading(subject: &Subject) -> Reading {
    let input = Input::new(subject.path.to_str().unwrap());
    let (text, _) = dump::stage(&[input], Options::default(), &Disk, Stage::Parse, None);
    let operations = Deserializer::from_str(&text).into_iter::<Value>();
    operations
        .map(|operation| {
            let operation = operation.unwrap();
            let text = |key: &str| operation[key].as_str().unwrap().to_owned();
            ((text("method"), text("path")), our_facts(&operation))
        })
        .collect()
}

fn our_facts(operation: &Value) -> Facts {
    let mut facts = Facts::from(["operation".to_owned()]);
    if let Some(id) = operation["operation_id"].as_str() {
        facts.insert(format!("id {id}"));
    }
    if operation["deprecated"] == true {
        facts.insert("deprecated".to_owned());
    }
    for parameter in operation["parameters"].as_array().unwrap() {
        facts.insert(our_parameter(parameter));
    }
    if let Some(body) = operation["body"].as_object() {
        facts.insert(format!("body, required: {}", body["required"]));
        for content in body["content"].as_array().unwrap() {
            facts.insert(format!("body {}", content["media_type"].as_str().unwrap()));
        }
    }
    for response in operation["responses"].as_array().unwrap() {
        facts.insert(format!("response {}", response["status"].as_str().unwrap()));
    }
    for alternative in operation["security"].as_array().unwrap() {
        let parts: Vec<SecurityRequirement> = serde_json::from_value(alternative.clone()).unwrap();
        let parts = parts.into_iter();
        facts.insert(security(parts.map(|part| (part.scheme, part.scopes))));
    }
    facts
}

fn our_parameter(parameter: &Value) -> String {
    let serialization = serde_json::from_value(parameter["serialization"].clone()).unwrap();
    let serialization = match serialization {
        Serialization::Style { style, explode, .. } => format!("{style}, explode: {explode}"),
        Serialization::Content { content } => content,
    };
    let text = |key: &str| parameter[key].as_str().unwrap();
    let required = &parameter["required"];
    let (location, name) = (text("in"), text("name"));
    format!("{location} parameter `{name}`, required: {required}, {serialization}")
}

/// Returns an alternative of authentication: its schemes with their scopes.
fn security(parts: impl Iterator<Item = (String, Vec<String>)>) -> String {
    let parts: BTreeSet<String> = parts
        .map(|(scheme, scopes)| format!("{scheme} {scopes:?}"))
        .collect();
    format!("security {parts:?}")
}

fn their_reading(document: &OpenAPI) -> Reading {
    let mut reading = Reading::new();
    for (path, item) in &document.paths.paths {
        let ReferenceOr::Item(item) = item else {
            continue;
        };
        for (method, operation) in item.iter() {
            let key = (method.to_uppercase(), path.clone());
            reading.insert(key, their_facts(document, item, operation));
        }
    }
    reading
}

fn their_facts(document: &OpenAPI, item: &PathItem, operation: &Operation) -> Facts {
    let mut facts = Facts::from(["operation".to_owned()]);
    facts.extend(operation.operation_id.iter().map(|id| format!("id {id}")));
    if operation.deprecated {
        facts.insert("deprecated".to_owned());
    }
    let mut parameters = BTreeMap::new();
    for parameter in item.parameters.iter().chain(&operation.parameters) {
        if let Some(parameter) = resolve_parameter(document, parameter) {
            let (location, line) = their_parameter(parameter);
            let name = parameter.parameter_data_ref().name.clone();
            parameters.insert((location, name), line);
        }
    }
    facts.extend(parameters.into_values());
    let body = operation.request_body.as_ref();
    if let Some(body) = body.and_then(|body| resolve_body(document, body)) {
        facts.insert(format!("body, required: {}", body.required));
        facts.extend(body.content.keys().map(|name| format!("body {name}")));
    }
    let responses = &operation.responses;
    facts.extend(
        responses
            .responses
            .keys()
            .map(|status| format!("response {status}")),
    );
    if responses.default.is_some() {
        facts.insert("response default".to_owned());
    }
    let alternatives = operation.security.as_ref().or(document.security.as_ref());
    // An empty list allows anonymous calls, as an empty alternative does.
    if alternatives.is_some_and(Vec::is_empty) {
        facts.insert(security(std::iter::empty()));
    }
    for alternative in alternatives.into_iter().flatten() {
        let parts = alternative.iter();
        facts.insert(security(
            parts.map(|(scheme, scopes)| (scheme.clone(), scopes.clone())),
        ));
    }
    facts
}

fn resolve_parameter<'d>(
    document: &'d OpenAPI,
    parameter: &'d ReferenceOr<Parameter>,
) -> Option<&'d Parameter> {
    match parameter {
        ReferenceOr::Item(parameter) => Some(parameter),
        ReferenceOr::Reference { reference } => {
            let name = reference.strip_prefix("#/components/parameters/")?;
            let components = document.components.as_ref()?;
            resolve_parameter(document, components.parameters.get(name)?)
        }
    }
}

fn resolve_body<'d>(
    document: &'d OpenAPI,
    body: &'d ReferenceOr<RequestBody>,
) -> Option<&'d RequestBody> {
    match body {
        ReferenceOr::Item(body) => Some(body),
        ReferenceOr::Reference { reference } => {
            let name = reference.strip_prefix("#/components/requestBodies/")?;
            let components = document.components.as_ref()?;
            resolve_body(document, components.request_bodies.get(name)?)
        }
    }
}

/// Returns the location of a parameter, and its line.
fn their_parameter(parameter: &Parameter) -> (&'static str, String) {
    let (location, style, explode) = match parameter {
        Parameter::Query { style, .. } => match style {
            QueryStyle::Form => ("query", "form", true),
            QueryStyle::SpaceDelimited => ("query", "spaceDelimited", false),
            QueryStyle::PipeDelimited => ("query", "pipeDelimited", false),
            QueryStyle::DeepObject => ("query", "deepObject", false),
        },
        Parameter::Path { style, .. } => match style {
            PathStyle::Matrix => ("path", "matrix", false),
            PathStyle::Label => ("path", "label", false),
            PathStyle::Simple => ("path", "simple", false),
        },
        Parameter::Header { .. } => ("header", "simple", false),
        Parameter::Cookie { .. } => ("cookie", "form", true),
    };
    let data = parameter.parameter_data_ref();
    let serialization = match &data.format {
        ParameterSchemaOrContent::Schema(_) => {
            format!("{style}, explode: {}", data.explode.unwrap_or(explode))
        }
        ParameterSchemaOrContent::Content(content) => {
            let mut names = content.keys();
            names.next().cloned().unwrap_or_default()
        }
    };
    let line = format!(
        "{location} parameter `{}`, required: {}, {serialization}",
        data.name, data.required
    );
    (location, line)
}
