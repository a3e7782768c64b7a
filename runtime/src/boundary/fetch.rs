//! Pages that a function of the program requests for its caller.

use std::time::Duration;

use toolwright_model::Method;
use toolwright_policy::{Refusal, RefusalReason, Target};
use url::Url;

use super::tool::ToolContext;
use crate::{
    credentials::CredentialsError,
    error::{SentRequest, ToolError},
    exchange::{
        http::{Limits, NoCall, Sending, shown_url},
        request::PlannedRequest,
    },
};

/// The default time for a request.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A page of the web.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// The HTTP status.
    pub status: u16,
    /// The media type with its parameters, as the server states it.
    pub content_type: Option<String>,
    /// The content.
    pub content: Vec<u8>,
    /// True if the content is a stream that did not end in time, and this is its beginning.
    pub is_cut: bool,
}

impl ToolContext {
    /// Requests a page, without credentials, up to a number of bytes. Redirects stay on the origin.
    ///
    /// The tool must declare `allowed_urls = url(ARGUMENT)`. The scope of the call restricts the URL and
    /// the target of each redirect, and the settings of the tool's service (`allow`, `proxy`,
    /// `timeout_seconds`) the addresses that are connected to: without `allow`, a name that resolves to an
    /// address of this machine or of a private network is refused.
    ///
    /// # Errors
    /// [`ToolError`] if the URL may not be requested, the server does not answer in time, or the page is
    /// larger than the limit.
    pub async fn fetch(&self, url: &str, max_bytes: usize) -> Result<Page, ToolError> {
        let (core, method) = (self.view.core(), Method::Get);
        let outside = || {
            self.refused(Refusal {
                reason: RefusalReason::ScopeViolation,
                rule: Some("allowed_urls".to_owned()),
                place: None,
            })
        };
        if !self.values.restricts_urls() || !self.targets.allows(Target { method, url }) {
            return Err(outside());
        }
        let policy = core.policy();
        let service = policy.services.get(&self.entry.spec().service);
        let service = service.map(|service| service.common.clone());
        let service = service.unwrap_or_default();
        let egress = service.egress(true);
        let parsed = Url::parse(url).map_err(|_| outside())?;
        egress.check(&parsed).map_err(CredentialsError::from)?;
        let request = PlannedRequest {
            method,
            url: parsed,
            headers: vec![(
                "accept".to_owned(),
                "text/html, text/*;q=0.9, */*;q=0.1".to_owned(),
            )],
            body: None,
            files: Vec::new(),
        };
        let limits = Limits {
            timeout: service.timeout.unwrap_or(TIMEOUT),
            max_response_bytes: max_bytes,
        };
        let sent = SentRequest::new(method, shown_url(url), None);
        let no_call = NoCall::default();
        let sending = Sending {
            targets: &self.targets,
            ..no_call.sending(&request, &sent, &egress, limits)
        };
        let answer = core.executor.exchange(&sending).await?;
        if let Some(error) = answer.too_large(false) {
            return Err(error);
        }
        Ok(Page {
            status: answer.status,
            content_type: answer.content_type,
            is_cut: answer.cut.is_some(),
            content: answer.bytes,
        })
    }
}
