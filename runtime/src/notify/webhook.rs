//! Delivers a notification to a webhook: a signed POST, with a few attempts.

use std::time::Duration;

use jiff::Timestamp;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};
use toolwright_model::Method;

use super::{event::Notification, signature::Secrets};
use crate::{
    config::WebhookConfig,
    error::{ToolError, TransportFault},
    exchange::{
        http::{Executor, sendable},
        request::PlannedRequest,
    },
};

/// The pauses before the second and each further attempt.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(4),
];

/// The reason why an attempt failed, and whether another one may help.
struct Fault {
    reason: String,
    may_pass: bool,
}

/// Delivers a notification. Returns the reason if that fails.
pub(super) async fn deliver(
    executor: &Executor,
    config: &WebhookConfig,
    notification: &Notification,
    stopped: &watch::Receiver<bool>,
) -> Result<(), String> {
    let mut pauses = PAUSES.iter();
    let mut attempts = 0;
    loop {
        attempts += 1;
        let Err(fault) = attempt(executor, config, notification).await else {
            return Ok(());
        };
        match pauses.next() {
            Some(pause) if fault.may_pass && !is_stopped_within(*pause, stopped).await => {}
            _ => return Err(format!("{} (attempts: {attempts})", fault.reason)),
        }
    }
}

/// Pauses. Returns true if the program ends before the pause is over.
async fn is_stopped_within(pause: Duration, stopped: &watch::Receiver<bool>) -> bool {
    let mut stopped = stopped.clone();
    let ended = stopped.wait_for(|stopped| *stopped);
    match timeout(pause, ended).await {
        Ok(Ok(_)) => true,
        // The notifier is gone, and its queue is still delivered.
        Ok(Err(_)) => {
            sleep(pause).await;
            false
        }
        Err(_) => false,
    }
}

async fn attempt(
    executor: &Executor,
    config: &WebhookConfig,
    notification: &Notification,
) -> Result<(), Fault> {
    let lasting = |reason| Fault {
        reason,
        may_pass: false,
    };
    let secrets = Secrets::read(&config.secret).map_err(lasting)?;
    let id = notification.message_id();
    // The signature covers the time of the attempt: receivers refuse old messages.
    let timestamp = Timestamp::now().as_second();
    let signature = secrets.sign(&id, timestamp, &notification.body);
    let headers = [
        ("content-type", "application/json".to_owned()),
        ("webhook-id", id),
        ("webhook-timestamp", timestamp.to_string()),
        ("webhook-signature", signature),
    ];
    let request = PlannedRequest {
        method: Method::Post,
        url: sendable(&config.url).map_err(|error| lasting(error.in_full()))?,
        headers: headers.map(|(name, value)| (name.to_owned(), value)).into(),
        body: Some(notification.body.clone().into_bytes()),
        files: Vec::new(),
    };
    let egress = config.egress();
    let sent = executor.post(&request, &egress, config.timeout).await;
    let status = sent.map_err(|error| Fault {
        // An event that arrives twice has one id, so an answer that was lost is no reason to stop.
        may_pass: matches!(&error, ToolError::Transport { fault, .. } if *fault != TransportFault::Unsendable),
        reason: error.in_full(),
    })?;
    match status {
        200..=299 => Ok(()),
        300..=399 => Err(lasting(format!(
            "the receiver redirects ({status}), which is not followed"
        ))),
        status => Err(Fault {
            reason: format!("the receiver answered with the status {status}"),
            may_pass: matches!(status, 408 | 425 | 429 | 500..),
        }),
    }
}
