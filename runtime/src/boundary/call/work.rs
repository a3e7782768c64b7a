//! The work of a call that passes, in three stages: a route, a draft of the work, the work.
//!
//! A request is planned before a person is asked, so a person never approves a request that cannot
//! be sent. The secrets are added last.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use reqwest::Url;
use serde_json::{Map, Value};
use toolwright_model::{Binding, EabBinding, HttpBinding, ToolSchema};
use uuid::Uuid;

use super::{
    Callee, Denial,
    arguments::misfit,
    unwind::{Panicked, caught},
};
use crate::{
    audit::Reason,
    boundary::{
        core::{Core, RegisteredTool},
        pins,
        tool::{Action, Native, ToolContext},
        view::Scope,
    },
    config::ServiceConfig,
    credentials::{Access, CredentialsError},
    error::ToolError,
    exchange::{
        eab::{self, Endpoint, MethodCall, PlannedMethod},
        http::{Limits, Placement, Sending, authorise},
        redact::Redactor,
        request::{PlanError, PlannedRequest, Values, base_url, plan},
    },
    output::ToolOutput,
    secret::Secret,
    target::{Egress, Origin},
};

/// The default timeout of a request.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The route of a call.
pub(super) enum Route<'a> {
    /// To a service, with its settings and credentials.
    Service(Box<CalledService<'a>>),
    /// To a function of the program.
    Native(&'a Arc<Native>),
}

/// The work of a call without its secrets.
pub(super) enum Draft<'a> {
    Service(Box<CalledService<'a>>, PlannedCall<'a>),
    Native(&'a Arc<Native>),
}

/// The complete work of a call.
pub(super) enum Work<'a> {
    Service(Box<CalledService<'a>>, PlannedCall<'a>, Vec<Placement>),
    Native(&'a Arc<Native>),
}

/// A service, with the settings and credentials of one call.
pub(super) struct CalledService<'a> {
    entry: &'a RegisteredTool,
    /// The type of artifact that selected the tool, if one did.
    artifact_type: Option<&'a str>,
    config: ServiceConfig,
    access: Access,
    redactor: Redactor,
}

/// The requester of a call, and the id of the call.
#[derive(Clone, Copy)]
pub(super) struct Requester<'a> {
    pub(super) core: &'a Core,
    pub(super) scope: &'a Scope,
    /// The id of the call in the audit.
    pub(super) call: Uuid,
}

/// The request of masked arguments, as far as they make one.
pub(super) enum MaskedRequest {
    Whole(PlannedRequest),
    /// The request without its body, and the body that will be sent.
    WithoutBody(PlannedRequest, Option<Vec<u8>>),
}

/// The planned exchange with a service.
pub(super) enum PlannedCall<'a> {
    Http(&'a HttpBinding, PlannedRequest),
    Eab(&'a EabBinding, PlannedMethod),
}

impl<'a> Route<'a> {
    /// Determines the route of a tool's calls. Reads the credentials of the service.
    pub(super) fn of(
        core: &'a Core,
        entry: &'a RegisteredTool,
        callee: Callee<'a>,
    ) -> Result<Self, Denial> {
        let spec = entry.spec();
        match entry.tool.action() {
            Action::Native(function) => Ok(Self::Native(function)),
            Action::Binding => {
                let access = core.credentials.read(&spec.service)?;
                Ok(Self::Service(Box::new(CalledService {
                    entry,
                    artifact_type: callee.artifact_type(),
                    config: core.policy().service(&spec.service),
                    redactor: Redactor::new(&access.secrets()),
                    access,
                })))
            }
        }
    }

    /// Returns the secrets of the call. A function of the program may use the secrets of its
    /// service too.
    pub(super) fn secrets(&self, core: &Core, entry: &RegisteredTool) -> Vec<Secret> {
        match self {
            Self::Service(service) => service.access.secrets(),
            Self::Native(_) => {
                let access = core.credentials.read(&entry.spec().service);
                access.map(|access| access.secrets()).unwrap_or_default()
            }
        }
    }

    /// Returns the arguments that the operator pins, with their values.
    pub(super) fn pins(&self) -> BTreeMap<&str, &Value> {
        match self {
            Self::Service(service) => {
                let binding = &service.entry.spec().binding;
                pins::pins(binding, &service.access.constants)
            }
            Self::Native(_) => BTreeMap::new(),
        }
    }

    /// Plans the request that the call would send.
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
    /// Returns the origin or the socket that the call will be sent to.
    pub(super) fn target(&self) -> Option<String> {
        match self {
            Self::Native(_) => None,
            Self::Service(_, PlannedCall::Http(_, request)) => origin(&request.url),
            Self::Service(_, PlannedCall::Eab(_, planned)) => match &planned.endpoint {
                Endpoint::Unix(path) => Some(format!("unix:{}", path.display())),
                Endpoint::Http(url) => origin(url),
            },
        }
    }

    /// Asks a domain service whether it can carry out the planned method. A person then approves
    /// only calls that the service can carry out, and no approval is used up in vain.
    pub(super) async fn ready(&mut self, requester: Requester<'_>) -> Result<(), Denial> {
        let Self::Service(service, PlannedCall::Eab(binding, planned)) = self else {
            return Ok(());
        };
        let core = requester.core;
        let call = service.method_call(requester, binding, planned, &[]);
        let ready = core.sessions.ready(&core.executor, &call).await;
        ready.map_err(|error| Denial::new(Reason::ServiceNotReady, error))?;
        planned.is_ready = true;
        Ok(())
    }

    /// Completes the draft with the secrets that the service requires.
    pub(super) fn authorise(self) -> Result<Work<'a>, Denial> {
        match self {
            Self::Native(function) => Ok(Work::Native(function)),
            Self::Service(service, planned) => {
                let security = match &planned {
                    PlannedCall::Http(binding, _) => binding.security.as_slice(),
                    PlannedCall::Eab(..) => &[],
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
    /// Returns the request that would be sent, without credentials; none for a function of the
    /// program.
    pub(super) fn request(
        &self,
        requester: Requester<'_>,
    ) -> Result<Option<PlannedRequest>, ToolError> {
        match self {
            Self::Native(_) => Ok(None),
            Self::Service(service, planned, _) => service.request(requester, planned).map(Some),
        }
    }

    /// Returns the request that masked arguments would make, for a person to read; none if there is
    /// no request.
    ///
    /// # Errors
    ///
    /// When the masked arguments make no request. If only the body cannot be made of them, as with
    /// bytes, the request lacks its body instead.
    pub(super) fn masked_request(
        &self,
        requester: Requester<'_>,
        masked: &Map<String, Value>,
    ) -> Result<Option<MaskedRequest>, ToolError> {
        let Self::Service(service, planned, _) = self else {
            return Ok(None);
        };
        let unplanned = |error| *service.unplanned(error).error;
        let error = match service.plan(masked) {
            Ok(planned) => {
                let request = service.request(requester, &planned)?;
                return Ok(Some(MaskedRequest::Whole(request)));
            }
            Err(error) => error,
        };
        let PlannedCall::Http(binding, request) = planned else {
            return Err(unplanned(error));
        };
        let without_body = HttpBinding {
            body: None,
            ..(*binding).clone()
        };
        let masked = service.plan_http(&without_body, masked);
        let masked = masked.map_err(unplanned)?;
        Ok(Some(MaskedRequest::WithoutBody(
            masked,
            request.body.clone(),
        )))
    }

    /// Carries the call out.
    pub(super) async fn carry_out(
        self,
        requester: Requester<'_>,
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
                service.call(requester, &planned, &placements).await
            }
        }
    }
}

impl PlannedCall<'_> {
    /// Returns the URL for a request over the network; none for a socket.
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

impl<'a> CalledService<'a> {
    /// Sends the planned request.
    async fn call(
        &self,
        requester: Requester<'_>,
        planned: &PlannedCall<'_>,
        placements: &[Placement],
    ) -> Result<ToolOutput, ToolError> {
        let core = requester.core;
        if let Some(origin) = self.bound(planned, placements)? {
            self.access.bind_origin(&origin, &self.config)?;
        }
        match planned {
            PlannedCall::Http(binding, request) => {
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
            PlannedCall::Eab(binding, planned) => {
                let call = self.method_call(requester, binding, planned, placements);
                core.sessions.call(&core.executor, &call).await
            }
        }
    }

    fn request(
        &self,
        requester: Requester<'_>,
        planned: &PlannedCall<'_>,
    ) -> Result<PlannedRequest, ToolError> {
        match planned {
            PlannedCall::Http(_, request) => Ok(request.clone()),
            PlannedCall::Eab(binding, planned) => {
                self.method_call(requester, binding, planned, &[]).request()
            }
        }
    }

    fn method_call<'c>(
        &'c self,
        requester: Requester<'c>,
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
            request_id: requester.call,
            role: &requester.scope.role,
            run: &requester.scope.run,
            repository: &requester.core.repository,
        }
    }

    fn egress(&self) -> Egress {
        self.config.egress(self.access.verify_tls)
    }

    /// Returns the origin that would receive credentials; none if the call carries none.
    fn bound(
        &self,
        planned: &PlannedCall<'_>,
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
    fn check_target(&self, planned: &PlannedCall<'_>) -> Result<(), CredentialsError> {
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
        schema.map_or(&Value::Bool(true), ToolSchema::whole)
    }

    fn plan(&self, arguments: &Map<String, Value>) -> Result<PlannedCall<'a>, PlanError> {
        let values = Values {
            arguments,
            constants: &self.access.constants,
        };
        match &self.entry.spec().binding {
            Binding::Http(binding) => Ok(PlannedCall::Http(
                binding,
                self.plan_http(binding, arguments)?,
            )),
            Binding::Eab(binding) => {
                let mut planned = eab::plan(binding, &self.config, &self.access, values)?;
                planned.artifact_type = self.artifact_type.map(str::to_owned);
                Ok(PlannedCall::Eab(binding, planned))
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

/// Returns the origin of a URL: scheme, host and port.
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
