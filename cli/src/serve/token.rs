//! The bearer token that HTTP clients must send.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use ring::rand::{SecureRandom, SystemRandom};
use toolwright::private::{self, Links};
use toolwright_mcp::Token;
use toolwright_model::hex;

use crate::Failure;

/// The longest file that is read, in bytes.
const LONGEST_FILE: u64 = 4096;

/// The private file that holds the token.
#[derive(Clone, Debug)]
pub(super) struct TokenFile(PathBuf);

impl TokenFile {
    /// Names the file.
    pub(super) const fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// The path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Reads the token; white space around it is dropped.
    pub(super) fn read(&self) -> Result<Token, Failure> {
        let path = self.path();
        let text = private::read(path, Links::Follow, LONGEST_FILE)
            .map_err(|error| Failure::file("use", path, &error))?;
        Token::new(text.trim()).ok_or_else(|| {
            Failure::new(format!("`{}` contains no bearer token", path.display())).help(format!(
                "write at least {} visible ASCII characters into it, or remove it: \
                 `serve` then creates it with a random token",
                Token::SHORTEST
            ))
        })
    }

    /// Creates the file with a random token unless it exists. Returns whether it did.
    pub(super) fn create(&self) -> Result<bool, Failure> {
        let path = self.path();
        let failed = |error: io::Error| Failure::file("create", path, &error);
        // A dangling link is an error, not an absent file.
        if fs::symlink_metadata(path).is_ok() {
            return Ok(false);
        }
        if let Some(folder) = path.parent()
            && !folder.as_os_str().is_empty()
            && !folder.exists()
        {
            private::create_folder(folder).map_err(failed)?;
        }
        let mut file = private::create(path).map_err(failed)?;
        writeln!(file, "{}", random()?).map_err(failed)?;
        Ok(true)
    }
}

/// Returns 256 random bits as hexadecimal digits.
fn random() -> Result<String, Failure> {
    let mut bytes = [0; 32];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| Failure::new("the operating system provides no random numbers"))?;
    Ok(hex(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &tempfile::TempDir, path: &str) -> TokenFile {
        TokenFile::new(folder.path().join(path))
    }

    #[test]
    fn a_file_without_a_token_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(&folder, "token.txt");
        file.create().unwrap();
        for bad in ["", "short", "0123456789 abcdef"] {
            fs::write(file.path(), bad).unwrap();
            let failure = file.read().unwrap_err().to_string();
            assert!(failure.contains("contains no bearer token"), "{failure}");
        }
        fs::write(file.path(), "0123456789abcdef\n").unwrap();
        assert!(file.read().is_ok());
    }

    #[test]
    fn a_created_token_is_random_and_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (file(&folder, "one/a.txt"), file(&folder, "one/b.txt"));
        assert!(first.create().unwrap() && second.create().unwrap());
        let token = first.read().unwrap();
        assert_ne!(token, second.read().unwrap());
        assert!(!first.create().unwrap());
        assert_eq!(token, first.read().unwrap());
    }
}
