//! The origins that credentials belong to.
//!
//! A document declares the address of its service, and documents change. So credentials are sent to
//! the origins that the operator states. If the operator states none, the origin of the first call
//! is recorded next to the credentials, and they go nowhere else from then on.

use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

use super::{Access, CredentialsError};
use crate::{
    config::ServiceConfig,
    private::{self, Links},
    target::Origin,
};

/// The longest record of an origin, in bytes.
const LIMIT: u64 = 4096;

impl Access {
    /// Checks that the credentials may be sent to an origin. Nothing is recorded.
    pub(crate) fn permit_origin(
        &self,
        target: &Origin,
        config: &ServiceConfig,
    ) -> Result<(), CredentialsError> {
        self.unbound(target, config).map(|_| ())
    }

    /// Checks that the credentials may be sent to an origin, and binds them to it at their first
    /// use.
    pub(crate) fn bind_origin(
        &self,
        target: &Origin,
        config: &ServiceConfig,
    ) -> Result<(), CredentialsError> {
        let Some(record) = self.unbound(target, config)? else {
            return Ok(());
        };
        write_record(&record, target).map_err(|error| self.unrecorded(&record, &error))?;
        // Another call may have been the first after all.
        self.permit_origin(target, config)
    }

    /// Returns the record to write before the credentials are sent to a permitted origin; none if
    /// they are bound already.
    fn unbound(
        &self,
        target: &Origin,
        config: &ServiceConfig,
    ) -> Result<Option<PathBuf>, CredentialsError> {
        if self.place.is_none() {
            return Ok(None);
        }
        let stated = self.stated_origins(config);
        // A base URL that is not a URL states an origin too: one that no call can reach.
        if !stated.is_empty() || self.base_url.is_some() {
            return self.check(stated, target).map(|()| None);
        }
        // Only next to a file is there a place to record an origin.
        let Some(file) = &self.file else {
            return self.check(Vec::new(), target).map(|()| None);
        };
        let record = file.record(&self.service);
        match read_record(&record) {
            Ok(Some(bound)) => self.check(vec![bound], target).map(|()| None),
            Ok(None) if file.binds => Ok(Some(record)),
            Ok(None) => self.check(Vec::new(), target).map(|()| None),
            Err(error) => Err(self.unrecorded(&record, &error)),
        }
    }

    /// The origins that the operator states: in the auth file, and in the configuration. The
    /// configuration's address of the service counts only if the auth file has none.
    fn stated_origins(&self, config: &ServiceConfig) -> Vec<Origin> {
        let mut stated: Vec<Origin> = self
            .origins
            .iter()
            .chain(&config.origins)
            .cloned()
            .collect();
        match &self.base_url {
            Some(base_url) => stated.extend(Origin::of_url(base_url)),
            None => {
                stated.extend(config.base_url.as_deref().and_then(Origin::of_url));
                stated.extend(config.endpoint.as_deref().and_then(Origin::of_endpoint));
            }
        }
        stated
    }

    fn check(&self, allowed: Vec<Origin>, target: &Origin) -> Result<(), CredentialsError> {
        if allowed.contains(target) {
            return Ok(());
        }
        Err(CredentialsError::Origin {
            service: self.service.clone(),
            file: self.place.clone(),
            target: target.clone(),
            allowed,
        })
    }

    fn unrecorded(&self, record: &Path, error: &io::Error) -> CredentialsError {
        CredentialsError::Invalid {
            service: self.service.clone(),
            file: record.display().to_string(),
            problems: vec![format!(
                "{error}; state the origin of the credentials, as `base_url` of the auth file or `origins` of the service in `toolwright.toml`"
            )],
        }
    }
}

/// The origin of a record, if there is one.
fn read_record(path: &Path) -> io::Result<Option<Origin>> {
    let text = match private::read(path, Links::Refuse, LIMIT) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read?,
    };
    let origin = text.trim().parse();
    origin
        .map(Some)
        .map_err(|problem: String| io::Error::new(io::ErrorKind::InvalidData, problem))
}

/// Writes a record unless there is one. It appears with its content or not at all.
fn write_record(path: &Path, origin: &Origin) -> io::Result<()> {
    let mut staged = path.as_os_str().to_owned();
    staged.push(format!(".{}", uuid::Uuid::new_v4()));
    let staged = PathBuf::from(staged);
    let written = private::create(&staged).and_then(|mut file| {
        writeln!(file, "{origin}")?;
        file.sync_all()
    });
    let linked = written.and_then(|()| match fs::hard_link(&staged, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    });
    let _ = fs::remove_file(&staged);
    linked
}
