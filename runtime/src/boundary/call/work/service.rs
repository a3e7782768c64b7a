//! The exchange with a service: planned, checked and carried out.

use std::{borrow::Cow, time::Duration};

use reqwest::Url;
use serde_json::{Map, Value};
use toolwright_model::{
    Binding, EabBinding, Effect, HttpBinding, Method, SecurityRequirement, ToolSchema,
};
use toolwright_policy::Permit;

use super::{CalledService, Exchange, PlannedCall, Requester, inline::Marked};
use crate::{
    boundary::call::{Denial, access::ServiceAccess, arguments::misfit},
    credentials::CredentialsError,
    error::ToolError,
    exchange::{
        eab::{self, Endpoint, MethodCall, PlannedMethod},
        http::{Limits, Placement, Sending, authorise, check_message, shown_url},
        request::{PlanError, PlannedRequest, Values, base_url, plan},
    },
    output::ToolOutput,
    target::{Egress, Origin},
};

/// The default timeout of a request.
const TIMEOUT: Duration = Duration::from_secs(30);

impl PlannedCall<'_> {
    /// Returns the method and the URL, or `unix:` and the path of a socket.
    pub(super) fn request_target(&self) -> Option<(Method, String)> {
        Some(match self {
            Self::Http(binding, request) => (binding.method, request.url.to_string()),
            Self::Eab(binding, planned) => match &planned.endpoint {
                Endpoint::Unix(path) => (Method::Post, format!("unix:{}", path.display())),
                Endpoint::Http(base_url) => {
                    let base_url = base_url.trim_end_matches('/');
                    (Method::Post, format!("{base_url}{}", binding.path()))
                }
            },
        })
    }

    /// Returns the forms of authentication that the operation accepts.
    pub(super) fn security(&self) -> &[Vec<SecurityRequirement>] {
        match self {
            Self::Http(binding, _) => &binding.security,
            Self::Eab(..) => &[],
        }
    }

    pub(super) fn origin(&self) -> Option<Origin> {
        match self {
            Self::Http(_, request) => Origin::from_url(&request.url),
            Self::Eab(_, planned) => planned.endpoint.origin(),
        }
    }
}

impl<'a> CalledService<'a> {
    /// Narrows the targets and the longest answer to the limits of the scope.
    pub(super) fn narrow(&mut self, limits: &Permit) {
        self.targets.clone_from(&limits.targets);
        let most = limits.max_response_bytes;
        let most = most.and_then(|most| usize::try_from(most).ok());
        let bytes = &mut self.config.max_response_bytes;
        *bytes = (*bytes).min(most.unwrap_or(usize::MAX));
        let most = limits.max_response_bytes.unwrap_or(u64::MAX);
        self.file_bytes = self.file_bytes.min(most);
    }

    /// Sends the planned request.
    pub(super) async fn call(
        &self,
        exchange: Exchange<'_>,
        placements: &[Placement],
    ) -> Result<ToolOutput, ToolError> {
        let Exchange {
            requester,
            planned,
            sent,
            attempts,
            repetition,
            ..
        } = exchange;
        let core = requester.core;
        if let Some(origin) = self.bound(planned, placements)? {
            self.access.bind_origin(&origin, &self.config)?;
        }
        let owner = requester.scope.file_owner();
        match planned {
            PlannedCall::Http(binding, request) => {
                self.check_room(requester, &owner, binding)?;
                let sending = Sending {
                    request,
                    sent,
                    placements,
                    redactor: &self.redactor,
                    egress: &self.egress(),
                    socket: None,
                    grpc: binding.grpc(),
                    limits: self.limits(TIMEOUT),
                    targets: &self.targets,
                    saving: self.saving(requester, &owner, binding),
                    attachments: requester.attachments(&owner),
                    attempts,
                    retries: self.retries(repetition),
                    headers: &repetition.headers(),
                    progress: requester.scope.progress.as_ref(),
                };
                core.executor.execute(binding, sending).await
            }
            PlannedCall::Eab(binding, planned) => {
                let call = self.method_call(requester, binding, planned, placements);
                Box::pin(core.sessions.call(&core.executor, &call, attempts)).await
            }
        }
    }

    /// Adds the form of authentication and the place of the credentials to the error if the service
    /// refused them.
    pub(super) fn with_authentication(
        &self,
        error: ToolError,
        planned: &PlannedCall<'_>,
    ) -> ToolError {
        if !matches!(error.status(), Some(401 | 403)) {
            return error;
        }
        let form = self.access.authentication(planned.security());
        let used = form.used().filter(|used| !used.requirements.is_empty());
        let source = used.and_then(|_| self.access.source_in_words());
        error.with_detail(match source {
            Some(source) => format!("{form}; {source}"),
            None => form.to_string(),
        })
    }

    pub(super) fn request(
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

    pub(super) fn method_call<'c>(
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
            targets: &self.targets,
            handshake_interval: self.config.handshake_interval,
            request_id: requester.call,
            role: &requester.scope.role,
            run: &requester.scope.run,
            repository: &requester.core.repository,
        }
    }

    /// Returns whether the call changes something.
    pub(super) fn changes(&self) -> bool {
        self.entry.spec().effect != Effect::Read
    }

    /// Checks everything that does not depend on the arguments.
    pub(super) fn check_access(&self) -> Result<ServiceAccess, Denial> {
        let (target, security) = match &self.entry.spec().binding {
            Binding::Http(binding) => {
                let base = self
                    .base_url(binding)
                    .map_err(|error| self.unplanned(error))?;
                let url =
                    Url::parse(&base).map_err(|error| self.bad_base_url(&error.to_string()))?;
                self.egress().check(&url).map_err(CredentialsError::from)?;
                (shown_url(&base), binding.security.as_slice())
            }
            Binding::Eab(binding) => {
                let endpoint = Endpoint::new(binding, &self.config, &self.access);
                let endpoint = endpoint.map_err(|error| self.unplanned(error))?;
                (endpoint.to_string(), [].as_slice())
            }
            Binding::Mcp(_) | Binding::Native => {
                return Err(Denial::undecided("it has no function"));
            }
        };
        authorise(security, &self.access)?;
        Ok(ServiceAccess {
            workspace: self.workspace.workspace.clone(),
            target,
            file: self.access.place().map(str::to_owned),
            expires: self.access.expiry(),
            token_endpoint: self.access.token_endpoint(),
        })
    }

    /// Returns the base URL that the operator configures, or else the document's.
    pub(super) fn base_url(&self, binding: &HttpBinding) -> Result<String, PlanError> {
        let base = self.access.base_url.as_ref();
        let operators = base.or(self.config.base_url.as_ref());
        base_url(operators.map(String::as_str), binding)
    }

    pub(super) fn egress(&self) -> Egress {
        let named = self.workspace.workspace.is_some();
        Egress {
            identity: self.access.identity.clone(),
            pool: named.then(|| self.workspace.clone()),
            ..self.config.egress(self.access.verify_tls)
        }
    }

    /// Returns the origin that would receive credentials; none if the call carries none.
    pub(super) fn bound(
        &self,
        planned: &PlannedCall<'_>,
        placements: &[Placement],
    ) -> Result<Option<Origin>, CredentialsError> {
        let access = &self.access;
        let has_identity = access.identity.is_some();
        if placements.is_empty() && access.constants.is_empty() && !has_identity {
            return Ok(None);
        }
        let origin = planned.origin();
        origin
            .map(Some)
            .ok_or_else(|| self.bad_base_url("it has no origin"))
    }

    /// Checks that the operator allows the target.
    pub(super) fn check_target(&self, planned: &PlannedCall<'_>) -> Result<(), CredentialsError> {
        let url = match planned {
            PlannedCall::Http(_, request) => Cow::Borrowed(&request.url),
            PlannedCall::Eab(_, planned) => match &planned.endpoint {
                Endpoint::Unix(_) => return Ok(()),
                Endpoint::Http(url) => {
                    let url = Url::parse(url);
                    Cow::Owned(url.map_err(|error| self.bad_base_url(&error.to_string()))?)
                }
            },
        };
        Ok(self.egress().check(&url)?)
    }

    pub(super) fn bad_base_url(&self, problem: &str) -> CredentialsError {
        CredentialsError::BaseUrl {
            service: self.entry.spec().service.clone(),
            problem: problem.to_owned(),
        }
    }

    pub(super) fn limits(&self, otherwise: Duration) -> Limits {
        Limits {
            timeout: self.config.timeout.unwrap_or(otherwise),
            max_response_bytes: self.config.max_response_bytes,
        }
    }

    pub(super) fn output_schema(&self) -> &Value {
        let schema = self.entry.spec().output_schema.as_ref();
        schema.map_or(&Value::Bool(true), ToolSchema::whole)
    }

    pub(super) fn plan(
        &self,
        arguments: &Map<String, Value>,
    ) -> Result<PlannedCall<'a>, PlanError> {
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
            Binding::Mcp(_) | Binding::Native => {
                Err(PlanError::Binding("it has no function".to_owned()))
            }
        }
    }

    pub(super) fn plan_http(
        &self,
        binding: &HttpBinding,
        arguments: &Map<String, Value>,
    ) -> Result<PlannedRequest, PlanError> {
        let base = self.base_url(binding)?;
        let schema = self.entry.spec().input_schema.whole();
        let marked = Marked::new(binding, arguments, schema);
        let values = Values {
            arguments: &marked.arguments,
            constants: &self.access.constants,
        };
        let mut request = plan(binding, &base, values)?;
        marked.insert_files(&mut request)?;
        if let Some(call) = binding.grpc() {
            check_message(call, &request)?;
        }
        Ok(request)
    }

    pub(super) fn unplanned(&self, error: PlanError) -> Denial {
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
