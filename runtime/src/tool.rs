//! A tool: what it is, and how a call of it is carried out.

use std::{fmt, pin::Pin, sync::Arc};

use jiff::Timestamp;
use serde_json::Value;
use toolwright_model::{Role, ToolName, ToolSpec};
use uuid::Uuid;

use crate::{
    call::CallSecrets, codec::Codec, error::ToolError, pages::Continuation, secret::Secret,
    view::ScopedToolView,
};

/// A future that is boxed, so that what returns it can be a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A tool: its [`ToolSpec`], and how a call of it is carried out. Cloning it is cheap.
#[derive(Clone)]
pub struct Tool {
    spec: Arc<ToolSpec>,
    action: Action,
}

/// How a call is carried out.
#[derive(Clone)]
pub(crate) enum Action {
    /// As the spec's binding says.
    Binding,
    /// By a function of the program.
    Native(Arc<Native>),
}

pub(crate) type Native =
    dyn Fn(ToolContext, Value) -> BoxFuture<'static, Result<Value, ToolError>> + Send + Sync;

/// What a call returned.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolOutput {
    /// The result.
    ///
    /// Of a truncated answer it is a text: the first part, and a last line that says that there
    /// was more. It then does not follow the tool's output schema. Of a truncated stream it is
    /// what came whole.
    pub value: Value,
    /// The HTTP status of the service's answer; none for a native tool.
    pub status: Option<u16>,
    /// Whether the answer was longer than the bound, or a stream that did not end in time.
    pub truncated: bool,
    /// What asks for the next page, where the tool answers a list in parts.
    pub next: Continuation,
    /// Whether the specification says that such an answer is empty, although it is not.
    pub(crate) undescribed: bool,
    /// The URL of the next page that the header `Link` has.
    pub(crate) link: Option<String>,
}

/// What a native tool is told about the call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolContext {
    /// The role that calls.
    pub role: Role,
    /// The tool that is called.
    pub tool: ToolName,
    /// The id of the call, the same as in the audit.
    pub correlation_id: Uuid,
    /// When the call was made.
    pub time: Timestamp,
    /// The caller's own view, for calls that the tool makes in turn.
    pub(crate) view: ScopedToolView,
    /// The secrets that are removed from what the tool returns.
    pub(crate) secrets: CallSecrets,
}

impl ToolContext {
    /// The caller's own view. Calls through it have the caller's role, scope and approvals, and the
    /// audit names this call as their parent. A tool that needs other tools calls them here and not
    /// through a registry of its own, which would let every caller do what the tool can.
    #[must_use]
    pub const fn view(&self) -> &ScopedToolView {
        &self.view
    }

    /// Calls another tool for the caller: [`ScopedToolView::call_json`] of [`ToolContext::view`].
    ///
    /// # Errors
    /// [`ToolError`] when the caller may not call the tool, and when the call fails.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<ToolOutput, ToolError> {
        self.view.call_json(tool, arguments).await
    }

    /// Removes this text from what the tool returns and from its errors: for secrets that the tool
    /// obtains itself. Those of its service's credentials are removed anyway.
    pub fn conceal(&self, secret: impl Into<String>) {
        self.secrets.add([Secret::new(secret.into())]);
    }
}

impl Tool {
    /// A tool that is carried out as its binding says.
    #[must_use]
    pub fn bound(spec: impl Into<Arc<ToolSpec>>) -> Self {
        Self {
            spec: spec.into(),
            action: Action::Binding,
        }
    }

    /// A tool that is carried out by a function, which gets the checked arguments as an object.
    ///
    /// The function is called only after every gate has let the call pass, whatever the spec's
    /// binding is.
    #[must_use]
    pub fn native<F, R>(spec: impl Into<Arc<ToolSpec>>, function: F) -> Self
    where
        F: Fn(ToolContext, Value) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        let function = move |context, arguments| -> BoxFuture<'static, _> {
            Box::pin(function(context, arguments))
        };
        Self::of_function(spec, Arc::new(function))
    }

    /// The same, of a function that is shared.
    pub(crate) fn of_function(spec: impl Into<Arc<ToolSpec>>, function: Arc<Native>) -> Self {
        Self {
            spec: spec.into(),
            action: Action::Native(function),
        }
    }

    /// What the tool is.
    #[must_use]
    pub const fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    pub(crate) const fn action(&self) -> &Action {
        &self.action
    }
}

impl ToolOutput {
    /// What a function returned.
    pub(crate) const fn native(value: Value) -> Self {
        Self {
            value,
            status: None,
            truncated: false,
            next: Continuation::End,
            undescribed: false,
            link: None,
        }
    }

    /// What a service answered.
    pub(crate) fn answered(value: Value, status: u16) -> Self {
        Self {
            status: Some(status),
            ..Self::native(value)
        }
    }

    /// The same, unless it was cut.
    pub(crate) fn whole(self) -> Result<Self, ToolError> {
        if self.truncated {
            return Err(ToolError::UnusableAnswer {
                status: self.status,
                message: "the service's answer is longer than the bound and was cut".to_owned(),
            });
        }
        Ok(self)
    }

    /// The result as its type.
    pub(crate) fn typed<O: Codec>(self) -> Result<O, ToolError> {
        let Self {
            value,
            status,
            undescribed,
            ..
        } = self.whole()?;
        // A type that stands for no answer has no room for one.
        let value = if undescribed { Value::Null } else { value };
        O::decode(value).map_err(|error| ToolError::UnusableAnswer {
            status,
            message: format!("the service's answer is not of the expected type: {error}"),
        })
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("name", &self.spec.name)
            .finish_non_exhaustive()
    }
}

impl From<ToolSpec> for Tool {
    fn from(spec: ToolSpec) -> Self {
        Self::bound(spec)
    }
}
