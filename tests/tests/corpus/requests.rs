//! Requests, judged over HTTP by a validator that is not ours.
//!
//! Every tool of every OpenAPI 3 document is called twice, with the least arguments and with all of
//! them, through the runtime's own gates and executor. Prism reads the vendor's document and says
//! what it thinks of the requests.

mod caller;
mod exceptions;
mod prism;
mod relay;

use std::sync::{Mutex, OnceLock, PoisonError};

use caller::Caller;
use exceptions::EXCEPTIONS;
use prism::{Prism, Unjudged};
use relay::Verdict;
use toolwright::ToolSpec;
use toolwright_tests::{Extent, real::Real};

use crate::{documents::Subject, findings::Findings};

/// The ports of the judges that are at rest.
static PORTS: Mutex<Vec<u16>> = Mutex::new(Vec::new());

/// The first of the ports.
const FIRST_PORT: u16 = 4610;

/// The requests of all tools of a document.
pub(crate) fn judge(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    let Some(real) = real() else {
        return findings;
    };
    if !subject.outcome.overviews[0].format.starts_with("openapi 3") || subject.tools.is_empty() {
        return findings;
    }
    let port = Port::take();
    match Prism::start(real, &subject.path, port.0) {
        Ok(prism) => call_all(subject, &prism, &mut findings),
        Err(Unjudged(why)) => findings.exempt(&subject.name, format!("Prism refuses it: {why}")),
    }
    findings
}

fn call_all(subject: &Subject, prism: &Prism, findings: &mut Findings) {
    let caller = Caller::new(subject.tools.clone(), prism);
    for tool in &subject.tools {
        for extent in [Extent::Least, Extent::Most] {
            let operation = operation(tool);
            let what = format!("{}: {operation} ({extent:?})", subject.name);
            let fault = match caller.call(tool, extent) {
                Ok(Verdict::Valid) => {
                    findings.hold();
                    continue;
                }
                Ok(Verdict::Refused(why)) => why,
                Ok(Verdict::None(why)) => format!("no verdict: {why}"),
                Err(why) => format!("not sent: {why}"),
            };
            let known = EXCEPTIONS
                .iter()
                .find(|known| known.explains(&subject.name, &operation, &fault));
            match known {
                Some(known) => findings.fail(what, known.reason),
                None => findings.fail_unexplained(what, fault),
            }
        }
    }
}

/// `GET /items/{id}`.
fn operation(tool: &ToolSpec) -> String {
    let binding = tool.http().unwrap();
    format!("{} {}", binding.method, binding.path)
}

/// What the judge needs, if it is asked for.
fn real() -> Option<&'static Real> {
    static REAL: OnceLock<Option<Real>> = OnceLock::new();
    let real = REAL.get_or_init(|| {
        let real = Real::wanted()?;
        prism::install(&real, FIRST_PORT).unwrap();
        Some(real)
    });
    real.as_ref()
}

/// A port that nobody else has while this is there.
struct Port(u16);

impl Port {
    fn take() -> Self {
        static NEXT: Mutex<u16> = Mutex::new(FIRST_PORT);
        let at_rest = PORTS.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Self(at_rest.unwrap_or_else(|| {
            let mut next = NEXT.lock().unwrap_or_else(PoisonError::into_inner);
            *next += 1;
            *next
        }))
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        PORTS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(self.0);
    }
}
