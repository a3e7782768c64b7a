//! Notifies people of waiting calls: by a webhook, and by a command of the operator's.
//!
//! A notification is information. Delivering it never holds up a call and never fails one: each way
//! has a bounded queue and a thread of its own, an attempt has a time limit, and what could not be
//! delivered is an event in the audit. The calls that wait are in the store of approvals, whatever
//! becomes of their notifications.

mod command;
mod event;
mod signature;
mod webhook;

use std::{
    collections::BTreeMap,
    fmt, io,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use jiff::Timestamp;
use tokio::{
    runtime::Builder,
    sync::{mpsc, watch},
    time::timeout,
};

pub use event::{Notification, NotificationKind};
use signature::Secrets;

use crate::{
    audit::{AuditEvent, AuditSink, NotificationFailed, NotificationWay},
    config::{CommandConfig, NotifyConfig, WebhookConfig},
    exchange::http::Executor,
};

/// The most notifications that wait for delivery by one way.
const MOST_QUEUED: usize = 64;

/// The time in which a command ends that was told to.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// Returns what would keep notifications from being delivered, as far as it is known before there is
/// one: for a program that begins.
#[must_use]
pub fn faults(config: &NotifyConfig) -> Vec<String> {
    let secrets = config
        .webhook
        .as_ref()
        .map(|webhook| Secrets::read(&webhook.secret));
    let unsigned = secrets.and_then(Result::err);
    let unsigned = unsigned.map(|fault| format!("the webhook cannot be used: {fault}"));
    let program = config
        .command
        .as_ref()
        .and_then(|command| command.argv.first());
    let missing = program.filter(|program| !Path::new(program).is_file());
    let missing = missing.map(|program| format!("the command `{program}` does not exist"));
    unsigned.into_iter().chain(missing).collect()
}

/// Delivers notifications in the background. Nothing runs before the first one.
pub struct Notifier {
    audit: Arc<dyn AuditSink>,
    queues: Mutex<BTreeMap<NotificationWay, mpsc::Sender<Delivery>>>,
    /// The number of notifications that are neither delivered nor given up.
    open: Arc<watch::Sender<usize>>,
    /// Becomes true when the program does not wait any longer.
    stopped: watch::Sender<bool>,
}

/// A notification, and the way that it takes.
struct Delivery {
    way: Way,
    notification: Notification,
}

/// A way, as it was configured when the notification was made.
enum Way {
    Webhook(WebhookConfig),
    Command(CommandConfig),
}

impl Notifier {
    /// Creates a notifier that records failed deliveries in an audit.
    #[must_use]
    pub fn new(audit: Arc<dyn AuditSink>) -> Self {
        Self {
            audit,
            queues: Mutex::default(),
            open: Arc::new(watch::Sender::new(0)),
            stopped: watch::Sender::new(false),
        }
    }

    /// Queues a notification for each configured way, and returns at once.
    pub fn send(&self, config: &NotifyConfig, notification: &Notification) {
        let webhook = config.webhook.clone().map(Way::Webhook);
        let command = config.command.clone().map(Way::Command);
        for way in webhook.into_iter().chain(command) {
            let delivery = Delivery {
                way,
                notification: notification.clone(),
            };
            self.queue(delivery);
        }
    }

    /// Waits until all notifications are delivered or given up, at most for `limit`. After that,
    /// running commands are killed. For a program that is about to end.
    pub async fn finish(&self, limit: Duration) {
        if self.is_idle(limit).await {
            return;
        }
        self.stopped.send_replace(true);
        self.is_idle(LAST_WAIT).await;
    }

    async fn is_idle(&self, limit: Duration) -> bool {
        let mut open = self.open.subscribe();
        let idle = open.wait_for(|open| *open == 0);
        timeout(limit, idle).await.is_ok()
    }

    fn queue(&self, delivery: Delivery) {
        let way = delivery.way.kind();
        let failed = delivery.failed();
        let queue = match self.queue_of(way) {
            Ok(queue) => queue,
            Err(error) => return record(&*self.audit, failed(format!("no thread: {error}"))),
        };
        self.open.send_modify(|open| *open += 1);
        if queue.try_send(delivery).is_err() {
            self.open.send_modify(|open| *open -= 1);
            let reason = format!("more than {MOST_QUEUED} notifications wait for delivery");
            record(&*self.audit, failed(reason));
        }
    }

    /// Returns the queue of a way, and starts its thread if there is none.
    fn queue_of(&self, way: NotificationWay) -> io::Result<mpsc::Sender<Delivery>> {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = queues.get(&way) {
            return Ok(queue.clone());
        }
        let (sender, receiver) = mpsc::channel(MOST_QUEUED);
        let worker = Worker {
            audit: Arc::clone(&self.audit),
            open: Arc::clone(&self.open),
            stopped: self.stopped.subscribe(),
        };
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let thread = thread::Builder::new().name(format!("toolwright-{}", way.word()));
        thread.spawn(move || runtime.block_on(worker.run(receiver)))?;
        queues.insert(way, sender.clone());
        Ok(sender)
    }
}

/// Delivers the notifications of one way, one after another.
struct Worker {
    audit: Arc<dyn AuditSink>,
    open: Arc<watch::Sender<usize>>,
    stopped: watch::Receiver<bool>,
}

impl Worker {
    /// Runs until the notifier is gone and its queue is empty.
    async fn run(self, mut queue: mpsc::Receiver<Delivery>) {
        let executor = Executor::default();
        while let Some(delivery) = queue.recv().await {
            if let Err(reason) = delivery.deliver(&executor, &self.stopped).await {
                record(&*self.audit, delivery.failed()(reason));
            }
            self.open.send_modify(|open| *open -= 1);
        }
    }
}

impl Delivery {
    /// Delivers the notification. Returns the reason if that fails.
    async fn deliver(
        &self,
        executor: &Executor,
        stopped: &watch::Receiver<bool>,
    ) -> Result<(), String> {
        if *stopped.borrow() {
            return Err("the program ended".to_owned());
        }
        match &self.way {
            Way::Webhook(config) => {
                webhook::deliver(executor, config, &self.notification, stopped).await
            }
            Way::Command(config) => command::run(config, &self.notification, stopped).await,
        }
    }

    /// Returns the function that makes the event of a failure for a reason.
    fn failed(&self) -> impl FnOnce(String) -> AuditEvent + use<> {
        let (way, notification) = (self.way.kind(), self.notification.clone());
        move |reason| {
            let failed = NotificationFailed {
                approval: notification.approval,
                notification: notification.kind,
                way,
                reason,
            };
            AuditEvent::notification_failed(Timestamp::now(), failed)
        }
    }
}

impl Way {
    const fn kind(&self) -> NotificationWay {
        match self {
            Self::Webhook(_) => NotificationWay::Webhook,
            Self::Command(_) => NotificationWay::Command,
        }
    }
}

/// Records a failure. If that fails too, a registry records the lost event before its next one.
fn record(audit: &dyn AuditSink, event: AuditEvent) {
    let _ = audit.record(&event);
}

impl fmt::Debug for Notifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notifier")
            .field("open", &*self.open.borrow())
            .finish_non_exhaustive()
    }
}
