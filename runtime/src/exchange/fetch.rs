//! Documents that a program reads for itself, within the limits that the operator sets for calls.

use reqwest::{Client, Url};
use serde_json::Value;
use toolwright_model::Method;

use super::{http::Executor, request::PlannedRequest};
use crate::{
    config::{McpUrl, OauthConfig, OpenIdConfig},
    error::ToolError,
    target::Egress,
};

/// Reads documents, from the targets that the operator allows only. Connections are kept.
#[derive(Debug)]
pub struct Fetcher {
    executor: Executor,
    egress: Egress,
}

impl Fetcher {
    /// Creates the reader of an authorization server's keys.
    #[must_use]
    pub fn of_oauth(config: &OauthConfig) -> Self {
        Self::within(config.egress())
    }

    /// Creates the reader of the metadata and the keys of an OpenID provider.
    #[must_use]
    pub fn of_openid(config: &OpenIdConfig) -> Self {
        Self::within(config.egress())
    }

    fn within(egress: Egress) -> Self {
        Self {
            executor: Executor::default(),
            egress,
        }
    }

    /// Reads a JSON document of at most 1 MiB within 10 seconds.
    ///
    /// # Errors
    /// The reason why there is none: the target is not allowed, does not answer with the status 200, or
    /// the answer is not JSON.
    pub async fn json(&self, url: &str) -> Result<Value, String> {
        let accept = ("Accept".to_owned(), "application/json".to_owned());
        let request = PlannedRequest {
            method: Method::Get,
            url: Url::parse(url).map_err(|error| error.to_string())?,
            headers: vec![accept],
            body: None,
            files: Vec::new(),
        };
        let answered = self.executor.ask(request, &[], &self.egress).await;
        let answer = answered.map_err(|error| error.in_full())?;
        if answer.status != 200 {
            return Err(format!("it answered {}", answer.status));
        }
        answer
            .json()
            .ok_or_else(|| "its answer is not JSON".to_owned())
    }
}

/// Returns the client for a mounted MCP server. It reaches only what the operator allows, follows no
/// redirect, and ignores the proxies of the environment.
///
/// # Errors
/// [`ToolError`] if the URL is not valid or not allowed, or the client cannot be created.
pub fn client_of_mcp(server: &McpUrl) -> Result<Client, ToolError> {
    let url = Url::parse(&server.url);
    let url = url.map_err(|_| ToolError::failed("the URL of the server is not valid"))?;
    let checked = server.egress().check(&url);
    checked.map_err(ToolError::failed)?;
    Executor::default().client_for(&url, &server.egress())
}

/// Asks a gRPC server for the descriptors of its services, without credentials, and returns them as a
/// `FileDescriptorSet`. `url` has the scheme `http`, for HTTP/2 without TLS, or `https`. It must be the URL that a
/// person named: private networks are reached too.
///
/// # Errors
/// [`ToolError`] if the URL is not valid or not allowed, the server is not reached within a minute,
/// it does not describe itself, or its description exceeds the limits: 64 MiB, 10,000 services and files, 64 levels of
/// imports.
#[cfg(feature = "grpc")]
pub async fn reflect_grpc(url: &str) -> Result<Vec<u8>, ToolError> {
    use crate::target::Allowance;

    let url = Url::parse(url);
    let url = url.map_err(|_| ToolError::failed("the URL of the server is not valid"))?;
    let egress = Egress {
        verify_tls: true,
        allow: [Allowance::PlainHttp, Allowance::PrivateNetwork].into(),
        proxy: None,
        identity: None,
        pool: None,
    };
    Executor::default().reflect(&url, &egress).await
}
