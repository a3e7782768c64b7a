//! The conformance kit: whether a service keeps to the protocol and to its document.
//!
//! It speaks to the service as an adapter would, and as one should not: with params that do not
//! fit, envelopes that are broken, other versions, and bodies that are too large or no JSON. Each
//! thing that it looks at is a [`Check`]; all of them are in the [`Report`].

mod contracts;
mod envelopes;
mod example;
mod handshake;
mod limits;
mod methods;
mod report;
mod visit;

use std::time::Duration;

use serde_json::Value;
use toolwright::{
    ToolSpec,
    binding::EabBinding,
    eab::{Client, Endpoint},
};

pub use example::example;
pub use report::{Check, CheckVerdict, Report};
use visit::Visit;

/// The options of a check.
#[derive(Clone, Debug)]
pub struct Options {
    /// The endpoint of the service.
    pub endpoint: Endpoint,
    /// The repository of the requests.
    pub repository: Option<Value>,
    /// The timeout of a response.
    pub timeout: Duration,
    /// The longest answer that is read, in bytes.
    pub max_response_bytes: usize,
    /// True if methods that change something are called, too, with valid params.
    pub calls_that_write: bool,
}

/// A method of the document.
struct Method<'s> {
    spec: &'s ToolSpec,
    binding: &'s EabBinding,
    /// Valid params; none if no example can be made.
    params: Option<Value>,
}

impl Options {
    /// A service at this place, with half a minute for each answer and a mebibyte of it.
    #[must_use]
    pub const fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            repository: None,
            timeout: Duration::from_secs(30),
            max_response_bytes: 1 << 20,
            calls_that_write: false,
        }
    }
}

/// Checks a service by the tools of its document.
pub async fn verify(specs: &[ToolSpec], options: &Options) -> Report {
    let methods: Vec<Method<'_>> = specs.iter().filter_map(Method::from_spec).collect();
    let mut report = Report::new(&options.endpoint);
    let Some(first) = methods.first() else {
        report.fail("document.methods", None, "the document has no methods");
        return report;
    };
    let client = Client::new(
        options.endpoint.clone(),
        options.timeout,
        options.max_response_bytes,
    );
    let mut visit = Visit::new(&client, first.binding, options, &mut report);
    if !handshake::verify(&mut visit, &methods).await {
        return report;
    }
    for method in &methods {
        methods::verify(&mut visit, method, options.calls_that_write).await;
    }
    contracts::verify(&mut visit, &methods).await;
    // Broken envelopes are sent to a method that changes nothing, if there is one.
    let reads = |method: &&Method<'_>| method.spec.hints.read_only && method.params.is_some();
    let method = methods.iter().find(reads).unwrap_or(first);
    envelopes::verify(&mut visit, method).await;
    limits::verify(&mut visit, method).await;
    report
}

impl<'s> Method<'s> {
    fn from_spec(spec: &'s ToolSpec) -> Option<Self> {
        let binding = spec.eab()?;
        let arguments = example(spec.input_schema.whole());
        Some(Self {
            spec,
            binding,
            params: arguments.map(|arguments| params(binding, &arguments)),
        })
    }

    fn name(&self) -> &'s str {
        &self.binding.method
    }
}

/// The params that the arguments of a tool make.
fn params(binding: &EabBinding, arguments: &Value) -> Value {
    use toolwright::binding::{BodyShape, Bound};
    let value = |bound: &Bound| match bound {
        Bound::Argument(name) => arguments.get(name).cloned(),
        Bound::Fixed(value) => Some(value.clone()),
        Bound::Constant(_) => None,
    };
    match &binding.params {
        BodyShape::Whole(bound) => value(bound).unwrap_or_default(),
        BodyShape::Fields(fields) => {
            let fields = fields.iter();
            let given = fields.filter_map(|field| Some((field.name.clone(), value(&field.value)?)));
            Value::Object(given.collect())
        }
    }
}
