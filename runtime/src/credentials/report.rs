//! The credentials of a service, compared with the needs of its tools.

use toolwright_model::{AccountName, ServiceCredentials, ServiceName};

use super::{Authentication, CredentialRequest, Credentials, CredentialsError};

/// The credentials of a service, compared with the needs of its tools. It contains no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CredentialReport {
    /// The file that is used, or the place of another source; none if there is none.
    pub file: Option<String>,
    /// The environment variables, files and other places that were looked for, in order.
    pub looked_for: Vec<String>,
    /// The form of authentication for each of [`ServiceCredentials::needs`], in their order.
    pub authentication: Vec<Authentication>,
    /// The service constants that the tools need and the file lacks.
    pub missing_constants: Vec<String>,
    /// True if the file lacks the base URL that the tools need. The configuration may have one.
    pub lacks_base_url: bool,
}

impl Credentials {
    /// Reads the credentials of a service and compares them with the needs of its tools.
    ///
    /// # Errors
    /// [`CredentialsError::Invalid`] if the file that counts cannot be used.
    pub fn report(
        &self,
        service: &ServiceName,
        account: Option<&AccountName>,
        needs: &ServiceCredentials,
    ) -> Result<CredentialReport, CredentialsError> {
        let access = self.read(CredentialRequest::new(service, account))?;
        let authentication = needs.needs.iter();
        let authentication = authentication.map(|need| access.authentication(&need.alternatives));
        let constants = needs.constants.iter();
        let missing = constants.filter(|name| !access.constants.contains_key(*name));
        Ok(CredentialReport {
            authentication: authentication.collect(),
            missing_constants: missing.cloned().collect(),
            lacks_base_url: needs.base_url && access.base_url.is_none(),
            file: access.place,
            looked_for: access.looked_for,
        })
    }
}
