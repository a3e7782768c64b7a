//! The request of a call, as the operator sees it if the call fails.

use serde_json::{Map, Value};
use toolwright_model::HttpBinding;

use super::{CalledService, PlannedCall, Requester};
use crate::{
    error::SentRequest,
    exchange::{
        http::{Placement, shown_url},
        request::{PlannedRequest, Values, plan_url},
    },
};

impl CalledService<'_> {
    /// Returns the request of a planned call without its secrets.
    pub(super) fn sent_request(
        &self,
        requester: Requester<'_>,
        planned: &PlannedCall<'_>,
        placements: &[Placement],
        arguments: &Map<String, Value>,
    ) -> SentRequest {
        match planned {
            PlannedCall::Http(binding, request) => {
                let url = self.masked_url(requester, binding, request, arguments);
                let mut url = url.unwrap_or_else(|| without_arguments(binding, request));
                for placement in placements {
                    placement.show(&mut url, &mut Vec::new());
                }
                let url = self.redactor.error(&shown_url(&url));
                SentRequest::new(binding.method, url, None)
            }
            PlannedCall::Eab(binding, planned) => planned.endpoint.sent_request(&binding.method),
        }
    }

    /// Returns the URL of the masked arguments, if they make one.
    fn masked_url(
        &self,
        requester: Requester<'_>,
        binding: &HttpBinding,
        request: &PlannedRequest,
        arguments: &Map<String, Value>,
    ) -> Option<String> {
        let policy = requester.core.policy();
        let arguments = Value::Object(arguments.clone());
        let masked = self.entry.masked(&arguments, &policy);
        if masked == arguments {
            return Some(request.url.to_string());
        }
        let base = self.base_url(binding).ok()?;
        let values = Values {
            arguments: masked.as_object()?,
            constants: &self.access.constants,
        };
        plan_url(binding, &base, values).ok().map(Into::into)
    }
}

/// Returns the origin and the template of the path: the masked arguments have no form in the URL.
fn without_arguments(binding: &HttpBinding, request: &PlannedRequest) -> String {
    let origin = request.url.origin().ascii_serialization();
    format!("{origin}{}", binding.path)
}
