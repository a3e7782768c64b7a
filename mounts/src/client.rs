//! The client's side of a connection: it refuses what a server asks for, and passes progress on.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        self, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
        ElicitationCreateRequestMethod, Implementation, ProgressNotificationParam, ProgressToken,
    },
    service::{NotificationContext, RequestContext},
};
use toolwright::Printing;

/// The longest message of progress that is passed on, in characters.
const LONGEST_MESSAGE: usize = 500;

/// The client of one connection. A server that asks for sampling, for input of a person or for the
/// roots of the client is refused.
#[derive(Debug, Default)]
pub(crate) struct Client {
    calls: Mutex<Vec<(ProgressToken, Printing)>>,
    changed: AtomicBool,
}

impl Client {
    /// Passes the progress of a call on, until the returned guard is dropped.
    pub(crate) fn follow(&self, token: ProgressToken, printing: Printing) -> Following<'_> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push((token.clone(), printing));
        Following {
            client: self,
            token,
        }
    }

    /// Returns true if the server has announced another list of tools since the last time.
    pub(crate) fn take_change(&self) -> bool {
        self.changed.swap(false, Ordering::AcqRel)
    }
}

/// A call whose progress is passed on.
pub(crate) struct Following<'c> {
    client: &'c Client,
    token: ProgressToken,
}

impl Drop for Following<'_> {
    fn drop(&mut self) {
        let calls = self.client.calls.lock();
        let mut calls = calls.unwrap_or_else(PoisonError::into_inner);
        calls.retain(|(token, _)| *token != self.token);
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let version = env!("CARGO_PKG_VERSION");
        let client = Implementation::new("toolwright", version);
        ClientConfig::new(ClientCapabilities::default(), client)
    }

    #[expect(deprecated, reason = "older servers ask for the roots of a client")]
    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<model::ListRootsResult, ErrorData> {
        Err(ErrorData::method_not_found::<model::ListRootsRequestMethod>())
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Err(ErrorData::method_not_found::<ElicitationCreateRequestMethod>())
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let call = calls.iter_mut();
        let mut call = call.filter(|(token, _)| *token == progress.progress_token);
        if let Some((_, printing)) = call.next() {
            printing.print(described(&progress).as_bytes());
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.store(true, Ordering::Release);
    }
}

/// Returns progress as a line: `3 of 10: reading`.
fn described(progress: &ProgressNotificationParam) -> String {
    let mut text = progress.progress.to_string();
    if let Some(total) = progress.total {
        text.push_str(&format!(" of {total}"));
    }
    if let Some(message) = &progress.message {
        let message = toolwright_model::text::remove_invisible(message);
        let message: String = message.chars().take(LONGEST_MESSAGE).collect();
        text.push_str(&format!(": {message}"));
    }
    text.push('\n');
    text
}
