//! A request of the runtime's own: to a token endpoint or a secret store that the operator names.

use std::time::Duration;

use serde_json::Value;
use zeroize::{Zeroize as _, Zeroizing};

use super::{Executor, Limits, NoCall, Placement, RawAnswer, Sending, fault, shown_url};
use crate::{
    credentials::CredentialsError,
    error::{SentRequest, ToolError},
    exchange::request::PlannedRequest,
    target::Egress,
};

/// The limits of an answer.
const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(10),
    max_response_bytes: 1 << 20,
};

/// The answer to a request of the runtime's own. Its memory is overwritten when it is dropped.
pub(crate) struct OwnAnswer {
    pub(crate) status: u16,
    bytes: Zeroizing<Vec<u8>>,
}

impl OwnAnswer {
    /// Returns the body as JSON, if it is JSON.
    pub(crate) fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.bytes).ok()
    }
}

impl Executor {
    /// Sends a request with these credentials, and returns the whole response. The memory of the body
    /// is overwritten.
    pub(crate) async fn ask(
        &self,
        mut request: PlannedRequest,
        placements: &[Placement],
        egress: &Egress,
    ) -> Result<OwnAnswer, ToolError> {
        egress.check(&request.url).map_err(CredentialsError::from)?;
        let sent = SentRequest::new(request.method, shown_url(request.url.as_str()), None);
        let no_call = NoCall::default();
        let sending = Sending {
            placements,
            ..no_call.sending(&request, &sent, egress, LIMITS)
        };
        let answered = self.exchange(&sending).await;
        request.body.zeroize();
        let RawAnswer {
            status, bytes, cut, ..
        } = answered?;
        let bytes = Zeroizing::new(bytes);
        match cut {
            Some(_) => Err(fault::unsendable("its answer is too large")),
            None => Ok(OwnAnswer { status, bytes }),
        }
    }
}
