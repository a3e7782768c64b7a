//! The keys of approvers: a private key signs decisions, public keys verify them.

use std::{
    fmt,
    io::{self, Write},
    path::{Path, PathBuf},
    str::FromStr,
};

use base64::{Engine, prelude::BASE64_STANDARD};
use ring::{
    rand::SystemRandom,
    signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey},
};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::ApprovalError;
use crate::{
    private::{self, Links},
    system,
};

/// The prefix of an encoded key.
const ALGORITHM: &str = "ed25519:";

/// The name of the private key in the user's folder of Toolwright.
const PRIVATE: &str = "approver.key";

/// The name of the public key next to it.
const PUBLIC: &str = "approver.pub";

/// The longest file of a key that is read, in bytes.
const LONGEST: u64 = 64 * 1024;

/// The private key of a person who approves.
pub struct ApproverKey(Ed25519KeyPair);

/// The public key of a person who approves: `ed25519:` and base64.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicKey(Vec<u8>);

/// The signature of a decision, as base64.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Signature(Vec<u8>);

/// A person whose decisions count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approver {
    /// The name by which the operator knows the person. A key without one belongs to whoever the
    /// signed decision names.
    pub name: Option<String>,
    /// The key that signs the decisions.
    pub key: PublicKey,
}

/// The source of the public keys of approvers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApproverKeys {
    /// These keys.
    Listed(Vec<PublicKey>),
    /// The keys of these persons.
    Named(Vec<Approver>),
    /// The keys in a file, one a line, which is read each time a decision is verified.
    File(PathBuf),
}

impl ApproverKey {
    /// Reads the key of the user who runs this process, and creates it if there is none:
    /// `approver.key` in [`system::config_folder`], with the public key next to it.
    ///
    /// # Errors
    /// [`ApprovalError::Key`] when the folder or the file cannot be used.
    pub fn of_user() -> Result<Self, ApprovalError> {
        let folder = system::config_folder().ok_or_else(|| {
            let message =
                "cannot determine the folder of the approver's key: set `HOME` or `XDG_CONFIG_HOME`";
            ApprovalError::Key(message.to_owned())
        })?;
        Self::in_folder(&folder)
    }

    /// Reads the key in a folder, and creates it if there is none.
    ///
    /// # Errors
    /// [`ApprovalError::Key`] when the folder or the file cannot be used.
    pub fn in_folder(folder: &Path) -> Result<Self, ApprovalError> {
        let file = folder.join(PRIVATE);
        let failed = |error: &dyn fmt::Display| {
            let file = file.display();
            ApprovalError::Key(format!("cannot use the approver's key `{file}`: {error}"))
        };
        let text = match private::read(&file, Links::Refuse, LONGEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create(folder).map_err(|error| failed(&error))?
            }
            text => text.map_err(|error| failed(&error))?,
        };
        let text = Zeroizing::new(text);
        let document = text.trim().strip_prefix(ALGORITHM).unwrap_or_default();
        let document = BASE64_STANDARD.decode(document);
        let document = Zeroizing::new(document.map_err(|_| failed(&"it contains no key"))?);
        let pair = Ed25519KeyPair::from_pkcs8(&document);
        pair.map(Self).map_err(|_| failed(&"it contains no key"))
    }

    /// Returns the public key.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.public_key().as_ref().to_vec())
    }

    pub(super) fn sign(&self, text: &str) -> Signature {
        Signature(self.0.sign(text.as_bytes()).as_ref().to_vec())
    }
}

/// Creates a key in a folder and returns it, encoded.
fn create(folder: &Path) -> io::Result<String> {
    let unusable = |_| io::Error::other("the system provides no random numbers");
    let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(unusable)?;
    let pair = Ed25519KeyPair::from_pkcs8(document.as_ref());
    let pair = pair.map_err(|_| io::Error::other("the key cannot be used"))?;
    let text = format!("{ALGORITHM}{}\n", BASE64_STANDARD.encode(document.as_ref()));
    if !folder.exists() {
        private::create_folder(folder)?;
    }
    private::create(&folder.join(PRIVATE))?.write_all(text.as_bytes())?;
    let public = PublicKey(pair.public_key().as_ref().to_vec());
    let path = folder.join(PUBLIC);
    if path.exists() {
        std::fs::remove_file(&path)?;
    }
    private::create(&path)?.write_all(format!("{public}\n").as_bytes())?;
    Ok(text)
}

impl From<PublicKey> for Approver {
    fn from(key: PublicKey) -> Self {
        Self { name: None, key }
    }
}

impl PublicKey {
    pub(super) fn has_signed(&self, text: &str, signature: &Signature) -> bool {
        let key = UnparsedPublicKey::new(&ED25519, &self.0);
        key.verify(text.as_bytes(), &signature.0).is_ok()
    }
}

impl ApproverKeys {
    /// The public key of the user who runs this process. There is none, and so nothing can be
    /// approved, until that user has created it.
    #[must_use]
    pub fn of_user() -> Self {
        match system::config_folder() {
            Some(folder) => Self::File(folder.join(PUBLIC)),
            None => Self::Listed(Vec::new()),
        }
    }

    /// Returns the current keys.
    ///
    /// # Errors
    /// [`ApprovalError::Key`] when the file is there and cannot be used.
    pub fn read(&self) -> Result<Vec<Approver>, ApprovalError> {
        let file = match self {
            Self::Listed(keys) => return Ok(keys.iter().cloned().map(Approver::from).collect()),
            Self::Named(approvers) => return Ok(approvers.clone()),
            Self::File(file) => file,
        };
        let failed = |error: &dyn fmt::Display| {
            let file = file.display();
            ApprovalError::Key(format!(
                "cannot use the approvers' keys in `{file}`: {error}"
            ))
        };
        let text = match private::read(file, Links::Follow, LONGEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            text => text.map_err(|error| failed(&error))?,
        };
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let keys: Result<Vec<PublicKey>, _> = lines.map(str::parse).collect();
        let keys = keys.map_err(|error: String| failed(&error))?;
        Ok(keys.into_iter().map(Approver::from).collect())
    }
}

impl FromStr for PublicKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bytes = text
            .strip_prefix(ALGORITHM)
            .map(|key| BASE64_STANDARD.decode(key));
        match bytes {
            Some(Ok(bytes)) if bytes.len() == 32 => Ok(Self(bytes)),
            _ => Err(format!(
                "`{text}` is not a public key: `{ALGORITHM}` and 32 bytes as base64, as `toolwright approver-key` prints it"
            )),
        }
    }
}

impl TryFrom<String> for PublicKey {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<PublicKey> for String {
    fn from(key: PublicKey) -> Self {
        key.to_string()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{ALGORITHM}{}", BASE64_STANDARD.encode(&self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl TryFrom<String> for Signature {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let bytes = BASE64_STANDARD.decode(text);
        bytes.map(Self).map_err(|_| "is not a signature".to_owned())
    }
}

impl From<Signature> for String {
    fn from(signature: Signature) -> Self {
        BASE64_STANDARD.encode(signature.0)
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64_STANDARD.encode(&self.0))
    }
}

impl fmt::Debug for ApproverKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ApproverKey").field(&self.public()).finish()
    }
}
