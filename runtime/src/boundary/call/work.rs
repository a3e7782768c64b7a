//! The work of a call that passes, in three stages: a route, a draft of the work, the work.
//!
//! A request is planned before a person is asked, so a person never approves a request that cannot
//! be sent. The secrets are added last.

mod attached;
mod inline;
mod repetition;
mod sent;
mod service;
mod token;

use std::{collections::BTreeMap, path::Path, sync::Arc};

use repetition::Repetition;
use serde_json::{Map, Value};
use toolwright_model::{EabBinding, HttpBinding, Method, ServiceName};
use toolwright_policy::{Permit, TargetScope};
use uuid::Uuid;

use super::{
    Callee, Denial,
    access::ServiceAccess,
    unwind::{Panicked, caught},
};
use crate::{
    approval::ShownRequest,
    audit::Reason,
    boundary::{
        core::{Core, RegisteredTool},
        pins,
        secrets::CallSecrets,
        tool::{Action, Native, ToolContext},
        view::Scope,
        workspaces::Chosen,
    },
    config::ServiceConfig,
    credentials::{Access, CredentialRequest, CredentialsError},
    done::{Attempts, Done},
    error::{SentRequest, ToolError},
    exchange::{
        eab::PlannedMethod,
        http::{Placement, authorise},
        redact::Redactor,
        request::PlannedRequest,
    },
    files::FileRecord,
    output::ToolOutput,
    workspace::ServiceWorkspace,
};

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
    /// The workspace that the call is for.
    workspace: ServiceWorkspace,
    /// The argument that chooses the workspace again.
    argument: Option<(String, Value)>,
    access: Access,
    /// The files of the store that the planned request sends.
    attached: Vec<FileRecord>,
    /// The most bytes of a saved answer.
    file_bytes: u64,
    /// The targets that the scope of the call allows.
    targets: TargetScope,
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

/// An exchange with a service, with its secrets.
#[derive(Clone, Copy)]
struct Exchange<'e> {
    requester: Requester<'e>,
    planned: &'e PlannedCall<'e>,
    /// The request as the operator sees it.
    sent: &'e SentRequest,
    /// The secrets of the call, to which an access token is added.
    secrets: &'e CallSecrets,
    attempts: &'e Attempts,
    repetition: &'e Repetition,
}

/// The planned exchange with a service.
pub(super) enum PlannedCall<'a> {
    Http(&'a HttpBinding, PlannedRequest),
    Eab(&'a EabBinding, PlannedMethod),
}

impl<'a> Route<'a> {
    /// Determines the route of a tool's calls, given the credentials of its service.
    pub(super) fn new(
        requester: Requester<'a>,
        entry: &'a RegisteredTool,
        callee: Callee<'a>,
        access: Result<Access, CredentialsError>,
        chosen: &Chosen,
    ) -> Result<Self, Denial> {
        let core = requester.core;
        let spec = entry.spec();
        match entry.tool.action() {
            Action::Native(function) => {
                let parts = entry.tool.credential_parts();
                if !parts.is_empty() {
                    access?.check_parts(parts)?;
                }
                Ok(Self::Native(function))
            }
            Action::Binding => {
                let access = access?;
                Ok(Self::Service(Box::new(CalledService {
                    entry,
                    artifact_type: callee.artifact_type(),
                    config: chosen.settings.clone(),
                    workspace: ServiceWorkspace {
                        service: spec.service.clone(),
                        workspace: chosen.name.clone(),
                    },
                    argument: chosen.argument(),
                    redactor: core.redactors.of(&access.secrets()),
                    targets: TargetScope::default(),
                    attached: Vec::new(),
                    file_bytes: core.file_limits.file_bytes,
                    access,
                })))
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

    /// Returns the method and the URL of the request that the call would send, if there is one.
    pub(super) fn request_target(
        &self,
        arguments: &Map<String, Value>,
    ) -> Option<(Method, String)> {
        match self {
            Self::Native(_) => None,
            Self::Service(service) => service.plan(arguments).ok()?.request_target(),
        }
    }

    /// Checks the settings and the credentials of the service. None for a function of the program.
    pub(super) fn check_access(&self) -> Result<Option<ServiceAccess>, Denial> {
        match self {
            Self::Native(_) => Ok(None),
            Self::Service(service) => service.check_access().map(Some),
        }
    }

    /// Plans the request that the call would send.
    pub(super) fn plan(
        self,
        arguments: &Map<String, Value>,
        requester: Requester<'_>,
    ) -> Result<Draft<'a>, Denial> {
        match self {
            Self::Native(function) => Ok(Draft::Native(function)),
            Self::Service(mut service) => match service.plan(arguments) {
                Ok(planned) => {
                    service.check_target(&planned)?;
                    service.attach(requester, &planned)?;
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
            Self::Service(_, planned) => planned.origin().map(|origin| origin.to_string()),
        }
    }

    /// Returns the files of the store that the call will send.
    pub(super) fn files(&self) -> &[FileRecord] {
        match self {
            Self::Native(_) => &[],
            Self::Service(service, _) => &service.attached,
        }
    }

    /// Returns the method and the URL of the planned request; none for a function of the program.
    pub(super) fn request_target(&self) -> Option<(Method, String)> {
        match self {
            Self::Native(_) => None,
            Self::Service(_, planned) => planned.request_target(),
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
        let ready = Box::pin(core.sessions.ready(&core.executor, &call)).await;
        ready.map_err(|error| Denial::new(Reason::ServiceNotReady, error))?;
        planned.is_ready = true;
        Ok(())
    }

    /// Completes the draft with the secrets that the service requires.
    pub(super) fn authorise(self) -> Result<Work<'a>, Denial> {
        match self {
            Self::Native(function) => Ok(Work::Native(function)),
            Self::Service(service, planned) => {
                let placements = authorise(planned.security(), &service.access)?;
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

    /// Adds the places of the credentials to a request, with `[redacted]` in place of each.
    pub(super) fn show_credentials(&self, request: &mut ShownRequest) {
        if let Self::Service(_, _, placements) = self {
            for placement in placements {
                placement.show(&mut request.url, &mut request.headers);
            }
        }
    }

    /// Returns the files of the store that the request sends.
    pub(super) fn files(&self) -> &[FileRecord] {
        match self {
            Self::Native(_) => &[],
            Self::Service(service, ..) => &service.attached,
        }
    }

    /// Returns the socket that the request would be sent to; none for the network.
    pub(super) fn socket(&self) -> Option<&Path> {
        match self {
            Self::Service(_, PlannedCall::Eab(_, planned), _) => planned.endpoint.socket(),
            Self::Service(..) | Self::Native(_) => None,
        }
    }

    /// Carries the call out, and records the attempts. An update is sent only if what it changes still
    /// has the version, if there is one and the service compares versions.
    pub(super) async fn carry_out(
        self,
        requester: Requester<'_>,
        context: ToolContext,
        arguments: Map<String, Value>,
        limits: Permit,
        version: Option<&str>,
        attempts: &Attempts,
    ) -> Result<ToolOutput, ToolError> {
        match self {
            Self::Native(function) => {
                let tool = context.tool.clone();
                let running = async move { function(context, Value::Object(arguments)).await };
                attempts.begin();
                let returned = caught(running).await;
                // A function may have done something before the error that it returns.
                if let Ok(Ok(_)) = returned {
                    attempts.set_done(Done::Yes);
                }
                match returned {
                    Ok(returned) => returned.map(ToolOutput::native),
                    Err(Panicked) => Err(ToolError::Panicked { tool }),
                }
            }
            Self::Service(mut service, planned, placements) => {
                service.narrow(&limits);
                let repetition = service.repetition(requester, &planned, version);
                let mut sent = service.sent_request(requester, &planned, &placements, &arguments);
                let again = repetition
                    .arguments()
                    .into_iter()
                    .chain(service.argument.clone());
                sent.set_repetition(repetition.by_arguments, again.collect());
                let exchange = Exchange {
                    requester,
                    planned: &planned,
                    sent: &sent,
                    secrets: &context.secrets,
                    attempts,
                    repetition: &repetition,
                };
                let called = service.dispatch(exchange, &placements).await;
                let changes = service.changes();
                called.map_err(|error| {
                    let error = error.with_request(&sent);
                    error.map_request(|request| request.set_attempts(attempts, changes))
                })
            }
        }
    }
}

impl Requester<'_> {
    /// Reads the credentials of a service for the role of the call.
    pub(super) async fn credentials(
        &self,
        service: &ServiceName,
        chosen: &Chosen,
    ) -> Result<Access, CredentialsError> {
        let policy = self.core.policy();
        let account = policy.snapshot.account(&self.scope.role);
        let request = CredentialRequest::new(service, account).in_workspace(chosen.name.as_ref());
        let mut access = self.core.credentials.read_for_call(request).await?;
        let caller = self.scope.caller_token.as_ref();
        if let Some(client) = &mut access.oauth
            && !client.set_caller(caller)
        {
            return Err(access.missing("the token of the caller"));
        }
        Ok(access.with_constants(&chosen.settings.constants))
    }

    /// Reads the credentials outside of a call. It may block.
    pub(super) fn read_credentials(
        &self,
        service: &ServiceName,
        chosen: &Chosen,
    ) -> Result<Access, CredentialsError> {
        let policy = self.core.policy();
        let account = policy.snapshot.account(&self.scope.role);
        let request = CredentialRequest::new(service, account).in_workspace(chosen.name.as_ref());
        let access = self.core.credentials.read(request);
        access.map(|access| access.with_constants(&chosen.settings.constants))
    }
}

impl From<CredentialsError> for Denial {
    fn from(error: CredentialsError) -> Self {
        let reason = match error {
            CredentialsError::Missing { .. } => Reason::CredentialsMissing,
            CredentialsError::Invalid { .. }
            | CredentialsError::BaseUrl { .. }
            | CredentialsError::Token { .. } => Reason::CredentialsInvalid,
            CredentialsError::Origin { .. } => Reason::OriginRefused,
            CredentialsError::Target { .. } => Reason::TargetRefused,
        };
        Self::new(reason, error)
    }
}
