//! What is done when a call passes, in three stages: a route, a draft of the work, the work.
//!
//! A request is planned before a person is asked for approval, so that nobody approves what
//! cannot be sent. The secrets come last.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::{Map, Value};
use toolwright_model::{Binding, EabBinding, HttpBinding};
use uuid::Uuid;

use super::{Asked, Denial, arguments::misfit};
use crate::{
    audit::Reason,
    config::ServiceConfig,
    credentials::{Access, CredentialsError},
    eab::{self, MethodCall, PlannedMethod},
    error::ToolError,
    http::{Limits, Placement, Sending, authorise},
    pins,
    registry::{Core, Entry},
    request::{PlanError, PlannedRequest, Values, base_url, plan},
    secret::Redactor,
    tool::{Action, Native, ToolContext, ToolOutput},
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
}

/// Who asks, and by which call.
#[derive(Clone, Copy)]
pub(super) struct Asker<'a> {
    pub(super) core: &'a Core,
    pub(super) scope: &'a Scope,
    /// The id of the call in the audit.
    pub(super) call: Uuid,
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
            Action::Binding => Ok(Self::Service(Box::new(Service {
                entry,
                artifact_type: asked.artifact_type(),
                config: core
                    .services
                    .get(&spec.service)
                    .cloned()
                    .unwrap_or_default(),
                access: core.credentials.read(&spec.service)?,
            }))),
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
                Ok(planned) => Ok(Draft::Service(service, planned)),
                Err(error) => Err(service.unplanned(error)),
            },
        }
    }
}

impl<'a> Draft<'a> {
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
                Ok(Work::Service(service, planned, placements))
            }
        }
    }
}

impl Work<'_> {
    /// Does it.
    pub(super) async fn carry_out(
        self,
        asker: Asker<'_>,
        context: ToolContext,
        arguments: Map<String, Value>,
    ) -> Result<ToolOutput, ToolError> {
        match self {
            Self::Native(function) => {
                let value = function(context, Value::Object(arguments)).await?;
                Ok(ToolOutput::native(value))
            }
            Self::Service(service, planned, placements) => {
                service.call(asker, &planned, &placements).await
            }
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
        match planned {
            Planned::Http(binding, request) => {
                let sending = Sending {
                    request,
                    placements,
                    redactor: &self.redactor(),
                    verify_tls: self.access.verify_tls,
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
            redactor: self.redactor(),
            verify_tls: self.access.verify_tls,
            limits: self.limits(Duration::from_secs(binding.timeout_seconds)),
            handshake_interval: self.config.handshake_interval,
            request_id: asker.call,
            role: &asker.scope.role,
            run: &asker.scope.run,
            repository: &asker.core.repository,
        }
    }

    fn limits(&self, otherwise: Duration) -> Limits {
        Limits {
            timeout: self.config.timeout.unwrap_or(otherwise),
            max_response_bytes: self.config.max_response_bytes,
        }
    }

    fn redactor(&self) -> Redactor {
        Redactor::new(&self.access.secrets())
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
                let operators = self
                    .access
                    .base_url
                    .as_ref()
                    .or(self.config.base_url.as_ref());
                let base = base_url(operators.map(String::as_str), binding)?;
                Ok(Planned::Http(binding, plan(binding, &base, values)?))
            }
            Binding::Eab(binding) => {
                let mut planned = eab::plan(binding, &self.config, &self.access, values)?;
                planned.artifact_type = self.artifact_type.map(str::to_owned);
                Ok(Planned::Eab(binding, planned))
            }
            Binding::Native => Err(PlanError::Binding("it has no function".to_owned())),
        }
    }

    fn unplanned(&self, error: PlanError) -> Denial {
        match error {
            PlanError::Argument(violation) => misfit(self.entry, vec![violation]),
            PlanError::Constant(name) => self
                .access
                .missing(format!("the service constant `{name}`"))
                .into(),
            PlanError::NoBaseUrl => self.access.missing("a base URL (`base_url`)").into(),
            PlanError::BaseUrl(problem) => CredentialsError::BaseUrl {
                service: self.entry.spec().service.clone(),
                problem,
            }
            .into(),
            error @ PlanError::Binding(_) => Denial::undecided(error.to_string()),
        }
    }
}

impl From<CredentialsError> for Denial {
    fn from(error: CredentialsError) -> Self {
        let reason = match error {
            CredentialsError::Missing { .. } => Reason::CredentialsMissing,
            CredentialsError::Invalid { .. } | CredentialsError::BaseUrl { .. } => {
                Reason::CredentialsInvalid
            }
        };
        Self::new(reason, error)
    }
}
