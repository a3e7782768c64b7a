//! Headers that the runtime adds to a request, if the document declares them and no argument sets
//! them: a key by which the service recognises a repetition, and the version that an update expects.

use serde_json::{Map, Value};
use toolwright_model::{HttpBinding, Location, Parameter};

use super::{CalledService, PlannedCall, Requester};
use crate::{
    exchange::{http::Retries, request::PlannedRequest},
    schema::Parts,
};

/// The headers with a key, in lower case.
const KEY_HEADERS: [&str; 2] = ["idempotency-key", "x-idempotency-key"];

/// The header with the version that an update expects.
const IF_MATCH: [&str; 1] = ["if-match"];

/// The way that a call can be repeated.
pub(super) struct Repetition {
    /// True if a call with the same arguments has no further effect.
    pub(super) by_arguments: bool,
    /// The key that the runtime adds to the request.
    key: Option<IdempotencyKey>,
    /// The header with the version that the update expects.
    if_match: Option<(String, String)>,
}

/// A key that no argument sets.
struct IdempotencyKey {
    header: String,
    /// The argument for the same header.
    argument: String,
    value: String,
}

impl Repetition {
    /// Returns the headers that the runtime adds.
    pub(super) fn headers(&self) -> Vec<(String, String)> {
        let key = self.key.as_ref();
        let key = key.map(|key| (key.header.clone(), key.value.clone()));
        key.into_iter().chain(self.if_match.clone()).collect()
    }

    /// Returns the arguments that a repetition of the call needs in addition.
    pub(super) fn arguments(&self) -> Map<String, Value> {
        let key = self.key.iter();
        key.map(|key| (key.argument.clone(), key.value.as_str().into()))
            .collect()
    }
}

impl CalledService<'_> {
    /// Returns the way that a call can be repeated. The version is the one of the values that a
    /// person has approved to be changed.
    pub(super) fn repetition(
        &self,
        requester: Requester<'_>,
        planned: &PlannedCall<'_>,
        version: Option<&str>,
    ) -> Repetition {
        let mut repetition = Repetition {
            by_arguments: self.entry.spec().hints.idempotent,
            key: None,
            if_match: None,
        };
        let PlannedCall::Http(binding, request) = planned else {
            return repetition;
        };
        if let Some(call) = binding.grpc() {
            // A method that reads by its name alone may still do something.
            repetition.by_arguments = call.idempotent;
        }
        if let Some(header) = declared(binding, &KEY_HEADERS) {
            repetition.by_arguments |= is_set(request, header);
            repetition.key = self.key(requester, request, header);
        }
        // A weak version compares as different.
        let version = version.filter(|version| version.starts_with('"'));
        let if_match = declared(binding, &IF_MATCH).filter(|header| !is_set(request, header));
        repetition.if_match = if_match
            .zip(version)
            .map(|(header, version)| (header.name.clone(), version.to_owned()));
        repetition
    }

    /// Returns the repetitions that the operator lets the call have.
    pub(super) fn retries(&self, repetition: &Repetition) -> Option<Retries<'_>> {
        (self.config.retries > 0).then(|| Retries {
            service: &self.workspace,
            most: self.config.retries,
            repeatable: repetition.by_arguments || repetition.key.is_some(),
        })
    }

    /// Returns a key for a call that changes something: the id of the call in the audit, in a form
    /// that fits the schema of the argument.
    fn key(
        &self,
        requester: Requester<'_>,
        request: &PlannedRequest,
        header: &Parameter,
    ) -> Option<IdempotencyKey> {
        if is_set(request, header) || !self.changes() {
            return None;
        }
        let argument = header.value.argument()?;
        let schema = self.entry.spec().input_schema.whole();
        let property = schema.get("properties")?.get(argument)?;
        let fits = Parts::default().fits(property, schema);
        let forms = [
            requester.call.hyphenated().to_string(),
            requester.call.simple().to_string(),
        ];
        let value = forms.into_iter().find(|form| fits(&form.as_str().into()))?;
        Some(IdempotencyKey {
            header: header.name.clone(),
            argument: argument.to_owned(),
            value,
        })
    }
}

/// Returns the parameter of a header that the document declares.
fn declared<'b>(binding: &'b HttpBinding, names: &[&str]) -> Option<&'b Parameter> {
    binding.parameters.iter().find(|parameter| {
        let name = parameter.name.to_ascii_lowercase();
        parameter.location == Location::Header && names.contains(&name.as_str())
    })
}

fn is_set(request: &PlannedRequest, header: &Parameter) -> bool {
    let mut headers = request.headers.iter();
    headers.any(|(name, _)| name.eq_ignore_ascii_case(&header.name))
}
