//! The progress of calls, for clients that ask for it with a progress token.

use std::convert::Infallible;

use rmcp::{
    Peer, RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
};
use tokio::sync::watch::{self, Receiver};
use toolwright::{Direction, Progress, ScopedToolView};

/// The progress of one call, which its client receives.
pub(crate) struct Reports {
    token: ProgressToken,
    peer: Peer<RoleServer>,
    latest: Receiver<Option<Progress>>,
    /// The bytes of the request, which precede those of the answer: progress never decreases.
    sent: u64,
}

impl Reports {
    /// Returns a view whose calls report their progress, and the reports.
    pub(crate) fn begin(
        view: ScopedToolView,
        token: ProgressToken,
        peer: Peer<RoleServer>,
    ) -> (ScopedToolView, Self) {
        let (sender, latest) = watch::channel(None);
        let view = view.reporting_to(move |progress| {
            sender.send_replace(Some(progress));
        });
        let reports = Self {
            token,
            peer,
            latest,
            sent: 0,
        };
        (view, reports)
    }

    /// Sends the reports to the client until it is dropped at the end of the call.
    pub(crate) async fn send(mut self) -> Infallible {
        while self.latest.changed().await.is_ok() {
            let latest = self.latest.borrow_and_update().clone();
            let Some(progress) = latest else {
                continue;
            };
            let notification = self.notification(progress);
            // A client that no longer listens does not end its call.
            let _ = self.peer.notify_progress(notification).await;
        }
        std::future::pending().await
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "the protocol counts in floating-point numbers"
    )]
    fn notification(&mut self, progress: Progress) -> ProgressNotificationParam {
        let Progress {
            direction,
            bytes,
            total,
            ..
        } = progress;
        let before = match direction {
            Direction::Sent => {
                self.sent = bytes;
                0
            }
            Direction::Received | Direction::Printed => self.sent,
        };
        let report = ProgressNotificationParam::new(self.token.clone(), (before + bytes) as f64)
            .with_message(progress.to_string());
        match total {
            Some(total) => report.with_total((before + total) as f64),
            None => report,
        }
    }
}
