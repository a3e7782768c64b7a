//! The sinks of the audit and the metrics of a server, while it runs.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::{
    net::TcpListener,
    sync::watch,
    time::{sleep, timeout},
};
use toolwright::{
    approval::ApprovalStore as _,
    config::{AuditConfig, Config, SinkKind},
};
use toolwright_mcp::serve_metrics;
use toolwright_sinks::{
    Forwarder, OtlpMetrics, SinkStatus, forwarders,
    metrics::{Family, Metrics, text},
};
use toolwright_state::State;

use super::tell;
use crate::Failure;

/// The longest time for which metrics wait for the state.
const STATE_LIMIT: Duration = Duration::from_secs(2);

/// The time between two deliveries of metrics.
const PUSH: Duration = Duration::from_mins(1);

/// The longest time for which a server waits at its end for the delivery of the last events.
const LAST_EVENTS: Duration = Duration::from_secs(10);

/// The pause after which the waiting events are counted again at the end.
const COUNT_AGAIN: Duration = Duration::from_millis(50);

/// What is watched while a server runs.
pub(super) struct Monitor {
    config: Config,
    forwarders: Vec<Forwarder>,
    receivers: Vec<OtlpMetrics>,
    gauges: Gauges,
}

/// The sinks of a server that runs.
pub(super) struct Forwarding(Gauges);

/// The sources of the metrics.
#[derive(Clone)]
struct Gauges {
    metrics: Metrics,
    audit: Arc<AuditConfig>,
    sinks: Vec<(String, watch::Receiver<SinkStatus>)>,
    state: State,
}

impl Monitor {
    /// Creates the forwarders. Nothing is connected yet.
    pub(super) fn new(config: Config, metrics: Metrics, state: State) -> Result<Self, Failure> {
        let forwarders = forwarders(&config.audit)?;
        let started = Timestamp::now().as_nanosecond();
        let started = started.try_into().unwrap_or_default();
        let receivers = config.audit.sinks.iter();
        let receivers = receivers.filter(|sink| sink.kind == SinkKind::Otlp);
        let receivers = receivers.map(|sink| OtlpMetrics::new(sink, started));
        let receivers = receivers.collect::<Result<_, _>>()?;
        let sinks = forwarders.iter();
        let sinks = sinks.map(|one| (one.name().to_owned(), one.status()));
        let gauges = Gauges {
            metrics,
            audit: Arc::new(config.audit.clone()),
            sinks: sinks.collect(),
            state,
        };
        Ok(Self {
            config,
            forwarders,
            receivers,
            gauges,
        })
    }

    /// Forwards the audit and answers with metrics until the runtime ends.
    pub(super) async fn start(self) -> Result<Forwarding, Failure> {
        for forwarder in self.forwarders {
            tokio::spawn(tell_changes(
                forwarder.name().to_owned(),
                forwarder.status(),
            ));
            tokio::spawn(forwarder.run());
        }
        for receiver in self.receivers {
            tokio::spawn(self.gauges.clone().push(receiver));
        }
        let forwarding = Forwarding(self.gauges.clone());
        let Some(address) = self.config.metrics.listen else {
            return Ok(forwarding);
        };
        let unusable =
            |error| Failure::new(format!("cannot bind `{address}` for metrics: {error}"));
        let listener = TcpListener::bind(address).await.map_err(unusable)?;
        let bound = listener.local_addr().map_err(unusable)?;
        tell(&format!("metrics at http://{bound}/metrics"));
        let gauges = self.gauges;
        let read = move || {
            let gauges = gauges.clone();
            Box::pin(async move { text(&gauges.families().await) }) as _
        };
        tokio::spawn(serve_metrics(listener, Arc::new(read)));
        Ok(forwarding)
    }
}

impl Forwarding {
    /// Waits until the sinks have the events of the server, at most for some seconds. A sink that is
    /// away is not waited for. What is left waits in the file, and the operator is told.
    pub(super) async fn finish(self) {
        let delivered = async {
            while self
                .waiting()
                .any(|(is_failing, events)| !is_failing && events > 0)
            {
                sleep(COUNT_AGAIN).await;
            }
        };
        // What happens at the limit is what happens to a sink that is away.
        let _ = timeout(LAST_EVENTS, delivered).await;
        for spool in &self.0.audit.options.spools {
            if let Ok(events @ 1..) = spool.waiting(&self.0.audit.file) {
                let sink = &spool.sink;
                tell(&format!(
                    "{events} events wait for the sink `{sink}`: the next server delivers them, or `toolwright audit forward`"
                ));
            }
        }
    }

    /// Returns for each sink whether it is away, and the number of events that wait for it.
    fn waiting(&self) -> impl Iterator<Item = (bool, u64)> {
        let Gauges { audit, sinks, .. } = &self.0;
        audit.options.spools.iter().map(|spool| {
            let status = sinks.iter().find(|(name, _)| *name == spool.sink);
            let is_failing = status.is_some_and(|(_, status)| status.borrow().error.is_some());
            let events = spool.waiting(&audit.file).unwrap_or_default();
            (is_failing, events)
        })
    }
}

impl Gauges {
    /// Sends the metrics to a receiver of OpenTelemetry every minute. A failure is not told: the next
    /// attempt sends the same counts, and the forwarder tells when the receiver is away.
    async fn push(self, receiver: OtlpMetrics) {
        loop {
            sleep(PUSH).await;
            let _ = receiver.push(&self.families().await).await;
        }
    }

    /// Returns the metrics at this time. What cannot be read is left out.
    async fn families(&self) -> Vec<Family> {
        let mut families = self.metrics.families();
        let mut waiting = Vec::new();
        for spool in &self.audit.options.spools {
            if let Ok(events) = spool.waiting(&self.audit.file) {
                waiting.push((spool.sink.clone(), events));
            }
        }
        families.push(Family::gauge(
            "toolwright_audit_sink_waiting_events",
            "The events that wait for a sink.",
            "sink",
            waiting,
        ));
        let spools = self.audit.options.spools.iter();
        families.push(Family::gauge(
            "toolwright_audit_sink_most_waiting_events",
            "The waiting events from which calls that change something are refused.",
            "sink",
            spools.map(|spool| (spool.sink.clone(), spool.most_waiting)),
        ));
        let sinks = self.sinks.iter();
        families.push(Family::gauge(
            "toolwright_audit_sink_failing",
            "1 if the last delivery to a sink failed.",
            "sink",
            sinks.map(|(name, status)| {
                let is_failing = status.borrow().error.is_some();
                (name.clone(), u64::from(is_failing))
            }),
        ));
        let pending = timeout(STATE_LIMIT, self.state.pending(Timestamp::now())).await;
        if let Ok(Ok(pending)) = pending {
            families.push(Family::value(
                "toolwright_approvals_waiting",
                "The calls that wait for a person.",
                pending.len() as u64,
            ));
        }
        families
    }
}

/// Tells the operator when a sink cannot be reached, and when it can be reached again.
async fn tell_changes(name: String, mut status: watch::Receiver<SinkStatus>) {
    let mut was_failing = false;
    while status.changed().await.is_ok() {
        let error = status.borrow_and_update().error.clone();
        match &error {
            Some(error) => tell(&format!(
                "cannot forward the audit to the sink `{name}`: {error}; its events wait in the file"
            )),
            None if was_failing => tell(&format!("the sink `{name}` receives the audit again")),
            None => {}
        }
        was_failing = error.is_some();
    }
}
