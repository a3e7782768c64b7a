//! The default source: private files, which the environment names or which are below `.local`.

use std::{
    io,
    path::{Path, PathBuf},
};

use toolwright_model::AccountName;

use super::{
    CredentialRequest, CredentialSource, SourceError, Sourced, SourcedCredentials,
    environment::Environment, place::CredentialFile, source::Content,
};
use crate::{secret::Secret, workspace::FOLDER};

/// The files of credentials.
#[derive(Clone)]
pub(super) struct CredentialFiles {
    pub(super) root: PathBuf,
    pub(super) environment: Environment,
    /// Allows binding a token that the environment names to the origin of its first use.
    pub(super) binds_named: bool,
    /// False if there are no files below the root.
    pub(super) reads_files: bool,
}

/// The names of the files of an account.
struct FileNames {
    auth_file: String,
    token_file: String,
}

impl CredentialSource for CredentialFiles {
    fn read(&self, request: &CredentialRequest<'_>) -> Result<Sourced, SourceError> {
        let mut looked_for = Vec::new();
        for (content, suffix) in [
            (Content::AuthFile, "AUTH_FILE"),
            (Content::Token, "API_TOKEN_FILE"),
        ] {
            let (name, named) = self.environment.lookup(request, suffix);
            looked_for.push(name);
            if let Some(path) = named {
                let read = CredentialFile::named(Path::new(&path), self.binds_named);
                return Ok(sourced(content, path, read)?.after(looked_for));
            }
        }
        if !self.reads_files {
            return Ok(Sourced::absent(looked_for));
        }
        let names = FileNames::from_account(request.account);
        let mut folder = self.root.join(".local").join(request.service.as_str());
        if let Some(workspace) = request.workspace {
            folder.extend([FOLDER, workspace.as_str()]);
        }
        for (content, file) in [
            (Content::AuthFile, &names.auth_file),
            (Content::Token, &names.token_file),
        ] {
            let file = folder.join(file);
            let path = file.display().to_string();
            looked_for.push(path.clone());
            if let Some(read) = CredentialFile::below(&self.root, &file).transpose() {
                return Ok(sourced(content, path, read)?.after(looked_for));
            }
        }
        Ok(Sourced::absent(looked_for))
    }
}

/// Returns the content of the file that counts. `path` is its name in errors.
fn sourced(
    content: Content,
    path: String,
    read: io::Result<(CredentialFile, Secret)>,
) -> Result<Sourced, SourceError> {
    let (file, text) = read.map_err(|error| SourceError::new(path, error.to_string()))?;
    let mut credentials = SourcedCredentials::new(file.display(), content, text);
    credentials.file = Some(file);
    Ok(Sourced::found(credentials))
}

impl FileNames {
    fn from_account(account: Option<&AccountName>) -> Self {
        match account {
            None => Self {
                auth_file: "admin-auth.json".to_owned(),
                token_file: "api-token.txt".to_owned(),
            },
            Some(account) => Self {
                auth_file: format!("{account}-auth.json"),
                token_file: format!("{account}-api-token.txt"),
            },
        }
    }
}
