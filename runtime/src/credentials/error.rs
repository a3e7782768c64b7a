//! Why a service cannot be spoken to.

use std::fmt;

use toolwright_model::ServiceName;

/// What a service needs to be spoken to is missing or cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CredentialsError {
    /// Something was not found.
    Missing {
        /// The service.
        service: ServiceName,
        /// What it wants: `a token`, `the service constant "project_id"`, `a base URL`.
        wants: String,
        /// The file that was found and lacks it, if one was.
        file: Option<String>,
        /// The environment variables and files that were looked for, in order.
        looked_for: Vec<String>,
    },
    /// A file is there and cannot be used.
    Invalid {
        /// The file.
        file: String,
        /// What is wrong with it, at least one.
        problems: Vec<String>,
    },
    /// The base URL cannot be used.
    BaseUrl {
        /// The service.
        service: ServiceName,
        /// What is wrong with it.
        problem: String,
    },
}

impl CredentialsError {
    /// The stable word for the kind of error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "credentials_missing",
            Self::Invalid { .. } | Self::BaseUrl { .. } => "credentials_invalid",
        }
    }
}

impl fmt::Display for CredentialsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing {
                service,
                wants,
                file: Some(file),
                ..
            } => {
                write!(
                    f,
                    "the service `{service}` needs {wants}, which `{file}` does not have"
                )
            }
            Self::Missing {
                service,
                wants,
                looked_for,
                ..
            } => {
                let places: Vec<_> = looked_for
                    .iter()
                    .map(|place| format!("`{place}`"))
                    .collect();
                let places = places.join(", ");
                write!(
                    f,
                    "the service `{service}` needs {wants}, and no credentials were found; looked for {places}"
                )
            }
            Self::Invalid { file, problems } => {
                write!(
                    f,
                    "the credentials in `{file}` cannot be used: {}",
                    problems.join("; ")
                )
            }
            Self::BaseUrl { service, problem } => {
                write!(
                    f,
                    "the base URL of the service `{service}` cannot be used: {problem}"
                )
            }
        }
    }
}

impl std::error::Error for CredentialsError {}
