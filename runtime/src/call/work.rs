//! What is done when a call passes, in three stages: a route, a draft of the work, the work.
//!
//! A request is planned before a person is asked for approval, so that nobody approves what
//! cannot be sent. The secrets come last.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value};
use toolwright_model::HttpBinding;

use super::{Denial, arguments::misfit};
use crate::{
    audit::Reason,
    config::ServiceConfig,
    credentials::{Access, CredentialsError},
    error::ToolError,
    http::{Limits, Placement, Sending, authorise},
    pins,
    registry::{Core, Entry},
    request::{PlanError, PlannedRequest, Values, base_url, plan},
    secret::Redactor,
    tool::{Action, Native, ToolContext, ToolOutput},
};

/// Where a call goes.
pub(super) enum Route<'a> {
    /// To a service, with what it needs to be spoken to.
    Service(Box<Service<'a>>),
    /// To a function of the program.
    Native(&'a Arc<Native>),
}

/// What a call will do, but for the secrets.
pub(super) enum Draft<'a> {
    Service(Box<Service<'a>>, PlannedRequest),
    Native(&'a Arc<Native>),
}

/// What a call does.
pub(super) enum Work<'a> {
    Service(Box<Service<'a>>, PlannedRequest, Vec<Placement>),
    Native(&'a Arc<Native>),
}

/// A service, as one call speaks to it.
pub(super) struct Service<'a> {
    binding: &'a HttpBinding,
    config: ServiceConfig,
    access: Access,
}

impl<'a> Route<'a> {
    /// Where calls of the tool go. The credentials of the service are read.
    pub(super) fn of(core: &'a Core, entry: &'a Entry) -> Result<Self, Denial> {
        let spec = entry.spec();
        match (entry.tool.action(), spec.http()) {
            (Action::Native(function), _) => Ok(Self::Native(function)),
            (Action::Binding, Some(binding)) => Ok(Self::Service(Box::new(Service {
                binding,
                config: core
                    .services
                    .get(&spec.service)
                    .cloned()
                    .unwrap_or_default(),
                access: core.credentials.read(&spec.service)?,
            }))),
            (Action::Binding, None) => Err(Denial::undecided("the tool has no function")),
        }
    }

    /// The arguments that the operator pins.
    pub(super) fn pins(&self) -> BTreeMap<&str, &Value> {
        match self {
            Self::Service(service) => pins::pins(service.binding, &service.access.constants),
            Self::Native(_) => BTreeMap::new(),
        }
    }

    /// What the call would send.
    pub(super) fn plan(
        self,
        entry: &Entry,
        arguments: &Map<String, Value>,
    ) -> Result<Draft<'a>, Denial> {
        match self {
            Self::Native(function) => Ok(Draft::Native(function)),
            Self::Service(service) => match service.plan(arguments) {
                Ok(planned) => Ok(Draft::Service(service, planned)),
                Err(error) => Err(service.unplanned(entry, error)),
            },
        }
    }
}

impl<'a> Draft<'a> {
    /// What the call does: the draft, with the secrets that the service wants.
    pub(super) fn authorise(self) -> Result<Work<'a>, Denial> {
        match self {
            Self::Native(function) => Ok(Work::Native(function)),
            Self::Service(service, planned) => {
                let placements = authorise(&service.binding.security, &service.access)?;
                Ok(Work::Service(service, planned, placements))
            }
        }
    }
}

impl Work<'_> {
    /// Does it.
    pub(super) async fn carry_out(
        self,
        core: &Core,
        context: ToolContext,
        arguments: Map<String, Value>,
    ) -> Result<ToolOutput, ToolError> {
        match self {
            Self::Native(function) => {
                let value = function(context, Value::Object(arguments)).await?;
                Ok(ToolOutput::native(value))
            }
            Self::Service(service, request, placements) => {
                let sending = Sending {
                    request: &request,
                    placements: &placements,
                    redactor: &Redactor::new(&service.access.secrets()),
                    verify_tls: service.access.verify_tls,
                    limits: Limits {
                        timeout: service.config.timeout,
                        max_response_bytes: service.config.max_response_bytes,
                    },
                };
                core.executor.execute(service.binding, sending).await
            }
        }
    }
}

impl Service<'_> {
    fn plan(&self, arguments: &Map<String, Value>) -> Result<PlannedRequest, PlanError> {
        let operators = self
            .access
            .base_url
            .as_ref()
            .or(self.config.base_url.as_ref());
        let base = base_url(operators.map(String::as_str), self.binding)?;
        let constants = &self.access.constants;
        plan(
            self.binding,
            &base,
            Values {
                arguments,
                constants,
            },
        )
    }

    fn unplanned(&self, entry: &Entry, error: PlanError) -> Denial {
        match error {
            PlanError::Argument(violation) => misfit(entry, vec![violation]),
            PlanError::Constant(name) => self
                .access
                .missing(format!("the service constant `{name}`"))
                .into(),
            PlanError::NoBaseUrl => self.access.missing("a base URL (`base_url`)").into(),
            PlanError::BaseUrl(problem) => CredentialsError::BaseUrl {
                service: entry.spec().service.clone(),
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
