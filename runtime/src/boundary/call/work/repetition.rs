//! Whether a call can be made again without a second effect.

use serde_json::{Map, Value};
use toolwright_model::{HttpBinding, Location};

use super::{CalledService, PlannedCall, Requester};
use crate::{
    exchange::{
        http::{IdempotencyKey, Retries},
        request::PlannedRequest,
    },
    schema::fits,
};

/// The headers by which a service recognises a repetition, in lower case.
const KEY_HEADERS: [&str; 2] = ["idempotency-key", "x-idempotency-key"];

/// The way that a call can be repeated.
pub(super) struct Repetition {
    /// True if a call with the same arguments has no further effect.
    pub(super) by_arguments: bool,
    /// The key that the runtime adds to the request.
    pub(super) key: Option<IdempotencyKey>,
}

impl Repetition {
    /// Returns the arguments that a repetition of the call needs in addition.
    pub(super) fn arguments(&self) -> Map<String, Value> {
        let key = self.key.iter();
        key.map(|key| (key.argument.clone(), key.value.as_str().into()))
            .collect()
    }
}

impl CalledService<'_> {
    pub(super) fn repetition(
        &self,
        requester: Requester<'_>,
        planned: &PlannedCall<'_>,
    ) -> Repetition {
        let mut repetition = Repetition {
            by_arguments: self.entry.spec().hints.idempotent,
            key: None,
        };
        let PlannedCall::Http(binding, request) = planned else {
            return repetition;
        };
        let Some((header, argument)) = key_header(binding) else {
            return repetition;
        };
        let given = header_of(request, header);
        repetition.by_arguments |= given.is_some();
        if given.is_none() && self.changes() {
            let key = argument.and_then(|argument| self.key(requester, header, argument));
            repetition.key = key;
        }
        repetition
    }

    /// Returns the repetitions that the operator lets the call have.
    pub(super) fn retries(&self, repetition: &Repetition) -> Option<Retries<'_>> {
        if self.config.retries == 0 {
            return None;
        }
        Some(Retries {
            service: &self.entry.spec().service,
            most: self.config.retries,
            repeatable: repetition.by_arguments || repetition.key.is_some(),
        })
    }

    /// Returns a key that fits the schema of its argument: the id of the call in the audit.
    fn key(
        &self,
        requester: Requester<'_>,
        header: &str,
        argument: &str,
    ) -> Option<IdempotencyKey> {
        let schema = self.entry.spec().input_schema.whole();
        let property = schema.get("properties")?.get(argument)?;
        let fits = fits(property, schema);
        let forms = [
            requester.call.hyphenated().to_string(),
            requester.call.simple().to_string(),
        ];
        let value = forms.into_iter().find(|form| fits(&form.as_str().into()))?;
        Some(IdempotencyKey {
            header: header.to_owned(),
            argument: argument.to_owned(),
            value,
        })
    }
}

/// Returns the header with a key that the document declares, and its argument.
fn key_header(binding: &HttpBinding) -> Option<(&str, Option<&str>)> {
    let mut headers = binding.parameters.iter();
    let header = headers.find(|parameter| {
        parameter.location == Location::Header
            && KEY_HEADERS.contains(&parameter.name.to_ascii_lowercase().as_str())
    })?;
    Some((&header.name, header.value.argument()))
}

fn header_of<'r>(request: &'r PlannedRequest, name: &str) -> Option<&'r str> {
    let mut headers = request.headers.iter();
    let header = headers.find(|(header, _)| header.eq_ignore_ascii_case(name))?;
    Some(&header.1)
}
