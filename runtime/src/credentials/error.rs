//! The errors of credentials and targets.

use std::fmt;

use toolwright_model::ServiceName;

use crate::target::{Allowance, Origin, Refused};

/// A missing, unusable or forbidden part of a service's credentials or target.
///
/// The message is for agents: it names the service and no file, address or variable of the
/// operator. [`CredentialsError::detail`] and [`CredentialsError::help`] are for the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CredentialsError {
    /// Something was not found.
    Missing {
        /// The service.
        service: ServiceName,
        /// The missing item: `a token`, `the service constant "project_id"`, `a base URL`.
        wants: String,
        /// The file that was found and lacks it, if one was.
        file: Option<String>,
        /// The environment variables and files that were looked for, in order.
        looked_for: Vec<String>,
    },
    /// A file is there and cannot be used.
    Invalid {
        /// The service.
        service: ServiceName,
        /// The file.
        file: String,
        /// The problems, at least one.
        problems: Vec<String>,
    },
    /// The base URL cannot be used.
    BaseUrl {
        /// The service.
        service: ServiceName,
        /// The problem.
        problem: String,
    },
    /// The authorization server issued no access token.
    Token {
        /// The service.
        service: ServiceName,
        /// The token endpoint, without its query.
        endpoint: String,
        /// The problem.
        problem: String,
    },
    /// The credentials do not belong to the origin that the call would reach.
    Origin {
        /// The service.
        service: ServiceName,
        /// The file that holds the credentials.
        file: Option<String>,
        /// The origin that the call would reach.
        target: Origin,
        /// The origins that the credentials belong to; none if no origin was stated.
        allowed: Vec<Origin>,
    },
    /// The call would reach a target that needs words which the operator has not given.
    Target {
        /// The origin, or the host and the address that it resolves to.
        target: String,
        /// The missing words, at least one.
        needs: Vec<Allowance>,
        /// The reason why they are needed, as the end of a sentence that names the target.
        why: String,
    },
}

impl CredentialsError {
    /// The stable word for the kind of error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "credentials_missing",
            Self::Invalid { .. } | Self::BaseUrl { .. } => "credentials_invalid",
            Self::Token { .. } => "token_unavailable",
            Self::Origin { .. } => "origin_refused",
            Self::Target { .. } => "target_refused",
        }
    }

    /// The reason for the operator: the files, variables and origins. Agents must not be shown it.
    #[must_use]
    pub fn detail(&self) -> String {
        match self {
            Self::Missing {
                file: Some(file), ..
            } => format!("`{file}` does not contain it"),
            Self::Missing { looked_for, .. } => {
                format!("no credentials were found in {}", list(looked_for))
            }
            Self::Invalid { file, problems, .. } => format!("`{file}`: {}", problems.join("; ")),
            Self::BaseUrl { problem, .. } => problem.clone(),
            Self::Token {
                endpoint, problem, ..
            } => format!("the token endpoint `{endpoint}`: {problem}"),
            Self::Origin {
                file,
                target,
                allowed,
                ..
            } => {
                let file = file.as_deref().unwrap_or("the credentials");
                match allowed.is_empty() {
                    true => format!(
                        "`{file}` is not bound to an origin; the call would reach `{target}`"
                    ),
                    false => format!(
                        "`{file}` belongs to {}; the call would reach `{target}`",
                        list(allowed)
                    ),
                }
            }
            Self::Target { target, why, .. } => format!("`{target}` {why}"),
        }
    }

    /// The fix for the operator, if there is a usual one. Agents must not be shown it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Origin {
                service, target, ..
            } => Some(format!(
                "if the credentials belong to `{target}`, state it: `origins = [\"{target}\"]` in `[services.{service}]` of toolwright.toml, or `base_url` in the auth file"
            )),
            Self::Target { needs, .. } => {
                let words: Vec<_> = needs.iter().map(|word| format!("\"{word}\"")).collect();
                Some(format!(
                    "to allow it, write `allow = [{}]` into the service's table of toolwright.toml",
                    words.join(", ")
                ))
            }
            Self::Missing { .. }
            | Self::Invalid { .. }
            | Self::BaseUrl { .. }
            | Self::Token { .. } => None,
        }
    }

    /// Maps every string of the error.
    pub(crate) fn map_texts(self, mut replace: impl FnMut(String) -> String) -> Self {
        match self {
            Self::Missing {
                service,
                wants,
                file,
                looked_for,
            } => Self::Missing {
                service,
                wants: replace(wants),
                file: file.map(&mut replace),
                looked_for: looked_for.into_iter().map(replace).collect(),
            },
            Self::Invalid {
                service,
                file,
                problems,
            } => Self::Invalid {
                service,
                file: replace(file),
                problems: problems.into_iter().map(replace).collect(),
            },
            Self::BaseUrl { service, problem } => Self::BaseUrl {
                service,
                problem: replace(problem),
            },
            Self::Token {
                service,
                endpoint,
                problem,
            } => Self::Token {
                service,
                endpoint: replace(endpoint),
                problem: replace(problem),
            },
            Self::Origin {
                service,
                file,
                target,
                allowed,
            } => Self::Origin {
                service,
                file: file.map(&mut replace),
                target: target.map_text(&mut replace),
                allowed: allowed
                    .into_iter()
                    .map(|origin| origin.map_text(&mut replace))
                    .collect(),
            },
            Self::Target { target, needs, why } => Self::Target {
                target: replace(target),
                needs,
                why,
            },
        }
    }
}

impl fmt::Display for CredentialsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { service, wants, .. } => {
                write!(
                    f,
                    "the service `{service}` needs {wants}, which the operator has not provided"
                )
            }
            Self::Invalid { service, .. } => {
                write!(
                    f,
                    "the credentials of the service `{service}` cannot be used"
                )
            }
            Self::BaseUrl { service, .. } => {
                write!(f, "the base URL of the service `{service}` cannot be used")
            }
            Self::Token { service, .. } => write!(
                f,
                "no access token for the service `{service}` could be obtained"
            ),
            Self::Origin { service, .. } => write!(
                f,
                "the credentials of the service `{service}` do not belong to the address that this call would reach"
            ),
            Self::Target { .. } => {
                f.write_str("the service is at an address that the operator has not allowed")
            }
        }
    }
}

impl std::error::Error for CredentialsError {}

impl From<Refused> for CredentialsError {
    fn from(refused: Refused) -> Self {
        Self::Target {
            why: refused.reasons(),
            target: refused.target,
            needs: refused.needs,
        }
    }
}

fn list(items: &[impl fmt::Display]) -> String {
    let items: Vec<_> = items.iter().map(|item| format!("`{item}`")).collect();
    items.join(", ")
}
