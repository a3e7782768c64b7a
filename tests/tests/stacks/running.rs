//! Starts the stacks.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use toolwright_tests::real::{Real, RealService, Started};

use crate::router;

/// A server, or a proxy in front of one.
pub(crate) struct Stack {
    pub(crate) name: &'static str,
    pub(crate) port: u16,
    /// True if a header can override the method.
    pub(crate) overrides_methods: bool,
    /// True if it forwards paths without encoding them again.
    pub(crate) forwards_decoded: bool,
}

/// The scripts and their readiness ports.
const SCRIPTS: &[(&str, u16)] = &[
    ("flask", 18701),
    ("starlette", 18702),
    ("express", 18703),
    ("nginx", 18710),
];

/// The stacks that the scripts start.
const REAL: &[(&str, u16, bool)] = &[
    ("Flask on WSGI", 18701, false),
    ("Starlette on ASGI", 18702, false),
    ("Express", 18703, true),
    ("nginx before Flask", 18710, false),
    ("nginx that normalizes before Flask", 18711, false),
    ("nginx that normalizes before Starlette", 18712, false),
    ("nginx that normalizes before Express", 18713, true),
    ("nginx that decodes before Flask", 18714, false),
    ("nginx that decodes before Express", 18715, true),
];

/// Locks the ports for one test at a time.
static PORTS: Mutex<()> = Mutex::new(());

/// Keeps the stacks running until it is dropped.
pub(crate) struct Running {
    _started: Vec<Started>,
    _ports: MutexGuard<'static, ()>,
}

/// Starts all enabled stacks.
pub(crate) fn stacks() -> (Vec<Stack>, Running) {
    let ports = PORTS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut stacks = vec![Stack {
        name: "axum",
        port: router::start(),
        overrides_methods: false,
        forwards_decoded: false,
    }];
    let mut started = Vec::new();
    if let Some(real) = Real::if_enabled_with("stacks") {
        started.extend(SCRIPTS.iter().map(|(name, port)| {
            let service = RealService {
                name,
                port: *port,
                path: "/ready",
                patience: Duration::from_secs(120),
            };
            real.start(service).unwrap()
        }));
        stacks.extend(REAL.iter().map(|&(name, port, overrides_methods)| Stack {
            name,
            port,
            overrides_methods,
            forwards_decoded: name.contains("that decodes"),
        }));
    }
    let running = Running {
        _started: started,
        _ports: ports,
    };
    (stacks, running)
}
