//! The request of a failed call, as the operator sees it.

use std::{fmt, path::PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};
use toolwright_model::Method;

use crate::done::{Attempts, Done};

/// A request to a service, without its secrets.
///
/// The URL has neither user information nor credentials. Values that the schema of the tool declares
/// secret, those that the operator masks, and query parameters with the name of a secret are masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SentRequest {
    /// The method.
    pub method: Method,
    /// The URL. Redirects are not followed in it.
    pub url: String,
    /// The socket that carried the request, rather than the host of its URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket: Option<PathBuf>,
    /// The number of times that it was sent, or that a connection for it was tried.
    #[serde(skip_serializing_if = "is_one")]
    pub attempts: u32,
    /// What is certain about the effect of the call; none if the call only reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<Done>,
    /// The arguments that a repetition of the call needs in addition, so that the service carries it
    /// out only once.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub repeat_with: Map<String, Value>,
    /// True if a repetition of the call with the same arguments has no further effect.
    #[serde(skip)]
    pub(crate) repeatable: bool,
}

impl SentRequest {
    pub(crate) fn new(method: Method, url: String, socket: Option<PathBuf>) -> Self {
        Self {
            method,
            url,
            socket,
            attempts: 1,
            done: None,
            repeat_with: Map::new(),
            repeatable: true,
        }
    }

    /// Records whether a repetition with the same arguments has no further effect, and the
    /// arguments that it needs otherwise.
    pub(crate) fn set_repetition(&mut self, repeatable: bool, with: Map<String, Value>) {
        self.repeatable = repeatable;
        self.repeat_with = with;
    }

    /// Records the attempts of a call. Only one with an unknown effect needs arguments to be
    /// repeated.
    pub(crate) fn set_attempts(&mut self, attempts: &Attempts, changes: bool) {
        self.attempts = attempts.count();
        self.done = changes.then(|| attempts.done());
        if self.done != Some(Done::Unknown) {
            self.repeat_with.clear();
        }
    }

    /// Checks whether the same call can be made again without a second effect.
    pub(crate) fn can_be_repeated(&self) -> bool {
        self.repeatable || matches!(self.done, None | Some(Done::No))
    }

    /// Returns the end of the error's message, for a call that may have been carried out.
    pub(crate) fn warning(&self) -> &'static str {
        match self.done {
            None | Some(Done::No) => "",
            Some(Done::Yes) => "; the service has carried out the call",
            Some(Done::Unknown) if self.repeatable => {
                "; the service may have carried out the call, and repeating it is safe"
            }
            Some(Done::Unknown) if !self.repeat_with.is_empty() => {
                "; the service may have carried out the call: repeat it with the arguments of `repeat_with` in addition, so that it is carried out once"
            }
            Some(Done::Unknown) => {
                "; the service may have carried out the call: read what it would change before you repeat it"
            }
        }
    }
}

impl fmt::Display for SentRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.url)?;
        match &self.socket {
            Some(socket) => write!(f, " over {}", socket.display()),
            None => Ok(()),
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_one(attempts: &u32) -> bool {
    *attempts == 1
}
