//! What is done when a call passes, in three stages: a route, a draft of the work, the work.
//!
//! A request is planned before a person is asked for approval, so that nobody approves what
//! cannot be sent. The secrets come last.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use reqwest::Url;
use serde_json::{Map, Value};
use toolwright_model::{Binding, EabBinding, HttpBinding};
use uuid::Uuid;

use super::{Asked, Denial, arguments::misfit};
use crate::{
    audit::Reason,
    config::ServiceConfig,
    credentials::{Access, CredentialsError},
    eab::{self, Endpoint, MethodCall, PlannedMethod},
    error::ToolError,
    http::{Limits, Placement, Sending, authorise},
    pins,
    redact::Redactor,
    registry::{Core, Entry},
    request::{PlanError, PlannedRequest, Values, base_url, plan},
    secret::Secret,
    target::{Egress, Origin},
    tool::{Action, Native, ToolContext, ToolOutput},
    unwind::{Panicked, caught},
    view::Scope,
};

/// How long a request may take where nobody says.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Where a call goes.
pub(super) enum Route<'a> {
    /// To a service, with what it needs to be spoken to.
    Service(Box<Service<'a>>),
    /// To a function of the program.
    Native(&'a Arc<Native>),
}

/// What a call will do, but for the secrets.
pub(super) enum Draft<'a> {
    Service(Box<Service<'a>>, Planned<'a>),
    Native(&'a Arc<Native>),
}

/// What a call does.
pub(super) enum Work<'a> {
    Service(Box<Service<'a>>, Planned<'a>, Vec<Placement>),
    Native(&'a Arc<Native>),
}

/// A service, as one call speaks to it.
pub(super) struct Service<'a> {
    entry: &'a Entry,
    /// The type of artifact by which the tool was found, if it was.
    artifact_type: Option<&'a str>,
    config: ServiceConfig,
    access: Access,
    redactor: Redactor,
}

/// Who asks, and by which call.
#[derive(Clone, Copy)]
pub(super) struct Asker<'a> {
    pub(super) core: &'a Core,
    pub(super) scope: &'a Scope,
    /// The id of the call in the audit.
    pub(super) call: Uuid,
}

/// A request as far as masked arguments make one.
pub(super) enum Shown {
    Whole(PlannedRequest),
    /// The request without its body, and the body that will be sent.
    WithoutBody(PlannedRequest, Option<Vec<u8>>),
}

/// What is sent to a service.
pub(super) enum Planned<'a> {
    Http(&'a HttpBinding, PlannedRequest),
    Eab(&'a EabBinding, PlannedMethod),
}

impl<'a> Route<'a> {
    /// Where calls of the tool go. The credentials of the service are read.
    pub(super) fn of(core: &'a Core, entry: &'a Entry, asked: Asked<'a>) -> Result<Self, Denial> {
        let spec = entry.spec();
        match entry.tool.action() {
            Action::Native(function) => Ok(Self::Native(function)),
            Action::Binding => {
                let access = core.credentials.read(&spec.service)?;
                Ok(Self::Service(Box::new(Service {
                    entry,
                    artifact_type: asked.artifact_type(),
                    config: core.policy().service(&spec.service),
                    redactor: Redactor::new(&access.secrets()),
                    access,
                })))
            }
        }
    }

    /// The secrets that the call is made with. A function of the program may use those of its
    /// service too.
    pub(super) fn secrets(&self, core: &Core, entry: &Entry) -> Vec<Secret> {
        match self {
            Self::Service(service) => service.access.secrets(),
            Self::Native(_) => {
                let access = core.credentials.read(&entry.spec().service);
                access.map(|access| access.secrets()).unwrap_or_default()
            }
        }
    }

    /// The arguments that the operator pins.
    pub(super) fn pins(&self) -> BTreeMap<&str, &Value> {
        match self {
            Self::Service(service) => {
                let binding = &service.entry.spec().binding;
                pins::pins(binding, &service.access.constants)
            }
            Self::Native(_) => BTreeMap::new(),
        }
    }

    /// What the call would send.
    pub(super) fn plan(self, arguments: &Map<String, Value>) -> Result<Draft<'a>, Denial> {
        match self {
            Self::Native(function) => Ok(Draft::Native(function)),
            Self::Service(service) => match service.plan(arguments) {
                Ok(planned) => {
                    service.check_target(&planned)?;
                    Ok(Draft::Service(service, planned))
                }
                Err(error) => Err(service.unplanned(error)),
            },
        }
    }
}

impl<'a> Draft<'a> {
    /// The origin or the socket that the call will be sent to.
    pub(super) fn target(&self) -> Option<String> {
        match self {
            Self::Native(_) => None,
            Self::Service(_, Planned::Http(_, request)) => origin(&request.url),
            Self::Service(_, Planned::Eab(_, planned)) => match &planned.endpoint {
                Endpoint::Unix(path) => Some(format!("unix:{}", path.display())),
                Endpoint::Http(url) => origin(url),
            },
        }
    }

    /// Asks a domain service whether it can do what was planned, so that nobody approves what it
    /// cannot, and no approval is used up by a call that is not carried out.
    pub(super) async fn ready(&mut self, asker: Asker<'_>) -> Result<(), Denial> {
        let Self::Service(service, Planned::Eab(binding, planned)) = self else {
            return Ok(());
        };
        let core = asker.core;
        let call = service.method_call(asker, binding, planned, &[]);
        let ready = core.sessions.ready(&core.executor, &call).await;
        ready.map_err(|error| Denial::new(Reason::ServiceNotReady, error))?;
        planned.is_ready = true;
        Ok(())
    }

    /// What the call does: the draft, with the secrets that the service wants.
    pub(super) fn authorise(self) -> Result<Work<'a>, Denial> {
        match self {
            Self::Native(function) => Ok(Work::Native(function)),
            Self::Service(service, planned) => {
                let security = match &planned {
                    Planned::Http(binding, _) => binding.security.as_slice(),
                    Planned::Eab(..) => &[],
                };
                let placements = authorise(security, &service.access)?;
                if let Some(origin) = service.bound(&planned, &placements)? {
                    service.access.permit_origin(&origin, &service.config)?;
                }
                Ok(Work::Service(service, planned, placements))
            }
        }
    }
}

impl Work<'_> {
    /// The request that would be sent, without credentials; none if a function of the program
    /// carries the call out.
    pub(super) fn request(&self, asker: Asker<'_>) -> Result<Option<PlannedRequest>, ToolError> {
        match self {
            Self::Native(_) => Ok(None),
            Self::Service(service, planned, _) => service.request(asker, planned).map(Some),
        }
    }

    /// Returns the request that masked arguments would make, to show it; none if there is no request.
    ///
    /// # Errors
    /// When masked arguments make no request. Its body is left out if only that cannot be made: bytes
    /// cannot be made of a mask.
    pub(super) fn shown(
        &self,
        asker: Asker<'_>,
        masked: &Map<String, Value>,
    ) -> Result<Option<Shown>, ToolError> {
        let Self::Service(service, planned, _) = self else {
            return Ok(None);
        };
        let unplanned = |error| *service.unplanned(error).error;
        let error = match service.plan(masked) {
            Ok(planned) => {
                let request = service.request(asker, &planned)?;
                return Ok(Some(Shown::Whole(request)));
            }
            Err(error) => error,
        };
        let Planned::Http(binding, request) = planned else {
            return Err(unplanned(error));
        };
        let without_body = HttpBinding {
            body: None,
            ..(*binding).clone()
        };
        let masked = service.plan_http(&without_body, masked);
        let masked = masked.map_err(unplanned)?;
        Ok(Some(Shown::WithoutBody(masked, request.body.clone())))
    }

    /// Does it.
    pub(super) async fn carry_out(
        self,
        asker: Asker<'_>,
        context: ToolContext,
        arguments: Map<String, Value>,
    ) -> Result<ToolOutput, ToolError> {
        match self {
            Self::Native(function) => {
                let tool = context.tool.clone();
                let running = async move { function(context, Value::Object(arguments)).await };
                match caught(running).await {
                    Ok(returned) => returned.map(ToolOutput::native),
                    Err(Panicked) => Err(ToolError::Panicked { tool }),
                }
            }
            Self::Service(service, planned, placements) => {
                service.call(asker, &planned, &placements).await
            }
        }
    }
}

impl Planned<'_> {
    /// The URL over the network; none over a socket.
    fn url(&self) -> Option<&str> {
        match self {
            Self::Http(_, request) => Some(&request.url),
            Self::Eab(_, planned) => match &planned.endpoint {
                Endpoint::Http(base_url) => Some(base_url),
                Endpoint::Unix(_) => None,
            },
        }
    }

    fn origin(&self) -> Option<Origin> {
        match self {
            Self::Http(_, request) => Origin::of_url(&request.url),
            Self::Eab(_, planned) => planned.endpoint.origin(),
        }
    }
}

impl<'a> Service<'a> {
    /// Sends what was planned.
    async fn call(
        &self,
        asker: Asker<'_>,
        planned: &Planned<'_>,
        placements: &[Placement],
    ) -> Result<ToolOutput, ToolError> {
        let core = asker.core;
        if let Some(origin) = self.bound(planned, placements)? {
            self.access.bind_origin(&origin, &self.config)?;
        }
        match planned {
            Planned::Http(binding, request) => {
                let sending = Sending {
                    request,
                    placements,
                    redactor: &self.redactor,
                    egress: &self.egress(),
                    socket: None,
                    limits: self.limits(TIMEOUT),
                };
                core.executor.execute(binding, sending).await
            }
            Planned::Eab(binding, planned) => {
                let call = self.method_call(asker, binding, planned, placements);
                core.sessions.call(&core.executor, &call).await
            }
        }
    }

    fn request(
        &self,
        asker: Asker<'_>,
        planned: &Planned<'_>,
    ) -> Result<PlannedRequest, ToolError> {
        match planned {
            Planned::Http(_, request) => Ok(request.clone()),
            Planned::Eab(binding, planned) => {
                self.method_call(asker, binding, planned, &[]).request()
            }
        }
    }

    fn method_call<'c>(
        &'c self,
        asker: Asker<'c>,
        binding: &'c EabBinding,
        planned: &'c PlannedMethod,
        placements: &'c [Placement],
    ) -> MethodCall<'c> {
        MethodCall {
            binding,
            planned,
            output: (self.output_schema(), &self.entry.output),
            placements,
            redactor: &self.redactor,
            egress: self.egress(),
            limits: self.limits(Duration::from_secs(binding.timeout_seconds)),
            handshake_interval: self.config.handshake_interval,
            request_id: asker.call,
            role: &asker.scope.role,
            run: &asker.scope.run,
            repository: &asker.core.repository,
        }
    }

    fn egress(&self) -> Egress {
        self.config.egress(self.access.verify_tls)
    }

    /// The origin that the call would take credentials to; none if it carries none of them.
    fn bound(
        &self,
        planned: &Planned<'_>,
        placements: &[Placement],
    ) -> Result<Option<Origin>, CredentialsError> {
        if placements.is_empty() && self.access.constants.is_empty() {
            return Ok(None);
        }
        let origin = planned.origin();
        origin
            .map(Some)
            .ok_or_else(|| self.bad_base_url("it has no origin"))
    }

    /// Checks that the operator allows the target.
    fn check_target(&self, planned: &Planned<'_>) -> Result<(), CredentialsError> {
        let Some(url) = planned.url() else {
            return Ok(());
        };
        let url = Url::parse(url).map_err(|error| self.bad_base_url(&error.to_string()))?;
        Ok(self.egress().check(&url)?)
    }

    fn bad_base_url(&self, problem: &str) -> CredentialsError {
        CredentialsError::BaseUrl {
            service: self.entry.spec().service.clone(),
            problem: problem.to_owned(),
        }
    }

    fn limits(&self, otherwise: Duration) -> Limits {
        Limits {
            timeout: self.config.timeout.unwrap_or(otherwise),
            max_response_bytes: self.config.max_response_bytes,
        }
    }

    fn output_schema(&self) -> &Value {
        let schema = self.entry.spec().output_schema.as_ref();
        schema.unwrap_or(&Value::Bool(true))
    }

    fn plan(&self, arguments: &Map<String, Value>) -> Result<Planned<'a>, PlanError> {
        let values = Values {
            arguments,
            constants: &self.access.constants,
        };
        match &self.entry.spec().binding {
            Binding::Http(binding) => {
                Ok(Planned::Http(binding, self.plan_http(binding, arguments)?))
            }
            Binding::Eab(binding) => {
                let mut planned = eab::plan(binding, &self.config, &self.access, values)?;
                planned.artifact_type = self.artifact_type.map(str::to_owned);
                Ok(Planned::Eab(binding, planned))
            }
            Binding::Native => Err(PlanError::Binding("it has no function".to_owned())),
        }
    }

    fn plan_http(
        &self,
        binding: &HttpBinding,
        arguments: &Map<String, Value>,
    ) -> Result<PlannedRequest, PlanError> {
        let base = self.access.base_url.as_ref();
        let operators = base.or(self.config.base_url.as_ref());
        let base = base_url(operators.map(String::as_str), binding)?;
        let values = Values {
            arguments,
            constants: &self.access.constants,
        };
        plan(binding, &base, values)
    }

    fn unplanned(&self, error: PlanError) -> Denial {
        match error {
            PlanError::Argument(violation) => misfit(self.entry, vec![violation]),
            PlanError::Constant(name) => self
                .access
                .missing(format!("the service constant `{name}`"))
                .into(),
            PlanError::NoBaseUrl => self.access.missing("a base URL (`base_url`)").into(),
            PlanError::BaseUrl(problem) => self.bad_base_url(&problem).into(),
            error @ PlanError::Binding(_) => Denial::undecided(error.to_string()),
        }
    }
}

/// The origin of a URL: scheme, host and port.
fn origin(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    Some(url.origin().ascii_serialization())
}

impl From<CredentialsError> for Denial {
    fn from(error: CredentialsError) -> Self {
        let reason = match error {
            CredentialsError::Missing { .. } => Reason::CredentialsMissing,
            CredentialsError::Invalid { .. } | CredentialsError::BaseUrl { .. } => {
                Reason::CredentialsInvalid
            }
            CredentialsError::Origin { .. } => Reason::OriginRefused,
            CredentialsError::Target { .. } => Reason::TargetRefused,
        };
        Self::new(reason, error)
    }
}
