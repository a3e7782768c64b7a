//! The source of a service's specification: a file, a URL or a gRPC server, recorded in `source.toml` next to it.

mod fetch;
mod reflect;

use std::{
    fmt,
    fs::File,
    io::Read,
    path::{Component, Path, PathBuf},
};

use jiff::Timestamp;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use toml_edit::{DocumentMut, value};
use toolwright_model::hex;

use crate::Failure;
use fetch::{FetchLimits, fetch};
use reflect::{lines, reflect};

/// The name of the record in the folder of a service.
pub(crate) const SOURCE_FILE: &str = "source.toml";

/// The largest specification that is read, in bytes.
const LARGEST: u64 = 64 * 1024 * 1024;

/// A place that a specification is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A file.
    File(PathBuf),
    /// A URL of the scheme `http` or `https`, without credentials.
    Url(Url),
    /// The address of a gRPC server that describes itself: `grpc` without TLS, or `grpcs`.
    Server(Url),
}

/// The content of a specification.
pub(crate) struct Document {
    /// The text.
    pub(crate) text: String,
    /// The SHA-256 digest, in hexadecimal digits.
    pub(crate) sha256: String,
}

/// The record of a service's source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceRecord {
    /// The file, relative to the folder of `toolwright.toml`.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<PathBuf>,
    /// The URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The digest of the specification.
    pub(crate) sha256: String,
    /// The time at which it was read.
    read: String,
}

impl Source {
    /// Parses the user's argument.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let Some((scheme, _)) = text.split_once("://") else {
            return Ok(Self::File(PathBuf::from(text)));
        };
        let url = Url::parse(text)
            .map_err(|error| Failure::usage(format!("`{text}` is not a URL: {error}")))?;
        if !matches!(url.scheme(), "http" | "https" | "grpc" | "grpcs") {
            return Err(
                Failure::usage(format!("cannot fetch a URL of the scheme `{scheme}`"))
                    .help("use `https` or `http`, `grpcs` or `grpc` for a server with reflection, or download the file and pass its path"),
            );
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Failure::usage("the URL contains credentials")
                .note("the URL is recorded in the project")
                .help("download the file and pass its path"));
        }
        if url.scheme().starts_with("grpc") {
            return server(url).map(Self::Server);
        }
        let mut url = url;
        url.set_fragment(None);
        Ok(Self::Url(url))
    }

    /// Reads the specification.
    pub(crate) fn read(&self) -> Result<Document, Failure> {
        let bytes = match self {
            Self::File(path) => read_file(path)?,
            Self::Url(url) => fetch(url, FetchLimits::default())?,
            Self::Server(url) => reflect(url)?,
        };
        let bytes = match self.is_descriptor_set() && std::str::from_utf8(&bytes).is_err() {
            true => lines(&bytes),
            false => bytes,
        };
        let sha256 = digest(&bytes);
        let text = String::from_utf8(bytes).map_err(|error| {
            Failure::new(format!("`{self}` is not UTF-8"))
                .note(format!(
                    "byte {} is invalid",
                    error.utf8_error().valid_up_to()
                ))
                .help("pass an OpenAPI document in JSON or YAML, or give a descriptor set the extension `.binpb`")
        })?;
        Ok(Document { text, sha256 })
    }

    /// Returns the path from which the name of the service can be derived.
    pub(crate) fn path(&self) -> String {
        match self {
            Self::File(path) => crate::specification::with_slashes(path),
            Self::Url(url) => {
                let host = url.host_str().unwrap_or_default();
                format!("{host}{}", url.path())
            }
            Self::Server(url) => format!("{}/service.binpb", url.host_str().unwrap_or_default()),
        }
    }

    /// Checks whether the specification is a descriptor set of Protocol Buffers.
    pub(crate) fn is_descriptor_set(&self) -> bool {
        toolwright_generator::is_descriptor_set(&self.path())
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Url(url) | Self::Server(url) => write!(f, "{url}"),
        }
    }
}

impl SourceRecord {
    /// Creates the record of a specification that was just read. The paths of files are relative to the
    /// folder of the project.
    pub(crate) fn new(source: &Source, document: &Document, root: &Path) -> Self {
        let (file, url) = match source {
            Source::File(path) => (Some(relative(path, root)), None),
            Source::Url(url) | Source::Server(url) => (None, Some(url.to_string())),
        };
        Self {
            file,
            url,
            sha256: document.sha256.clone(),
            read: format!("{:.0}", Timestamp::now()),
        }
    }

    /// Reads the record of a service; `None` if its specification was not added by the command.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, Failure> {
        let path = folder.join(SOURCE_FILE);
        if !path.exists() {
            return Ok(None);
        }
        let text =
            std::fs::read_to_string(&path).map_err(|error| Failure::file("read", &path, &error))?;
        let record: Self = toml::from_str(&text).map_err(|error| {
            Failure::new(format!("`{}` is not valid: {error}", path.display()))
                .help("write `url` or `file`, `sha256` and `read`, as `toolwright add` does")
        })?;
        Ok(Some(record))
    }

    /// Returns the source.
    pub(crate) fn source(&self, folder: &Path, root: &Path) -> Result<Source, Failure> {
        match (&self.url, &self.file) {
            (Some(url), None) if url.contains("://") => Source::parse(url),
            (None, Some(file)) => Ok(Source::File(root.join(file))),
            _ => Err(Failure::new(format!(
                "`{}` must contain either `url` or `file`",
                folder.join(SOURCE_FILE).display()
            ))
            .help("keep one of them; a URL begins with `https://`, `http://`, `grpcs://` or `grpc://`")),
        }
    }

    /// Returns the content of the file.
    pub(crate) fn text(&self) -> String {
        let mut document = DocumentMut::new();
        let file = self.file.as_deref().map(crate::specification::with_slashes);
        for (key, text) in [
            ("file", file.as_ref()),
            ("url", self.url.as_ref()),
            ("sha256", Some(&self.sha256)),
            ("read", Some(&self.read)),
        ] {
            if let Some(text) = text {
                document.insert(key, value(text));
            }
        }
        format!(
            "# The source of the specification. `toolwright refresh` reads it again.\n{document}"
        )
    }
}

/// Checks the address of a gRPC server.
fn server(url: Url) -> Result<Url, Failure> {
    if url.host_str().is_none_or(str::is_empty) {
        return Err(Failure::usage(format!("`{url}` names no host"))
            .help("write the host and the port, such as `grpc://127.0.0.1:50051`"));
    }
    let has_more = !matches!(url.path(), "" | "/") || url.query().is_some();
    if has_more || url.fragment().is_some() {
        return Err(Failure::usage(format!("`{url}` has a path or a query"))
            .note("a gRPC server has none")
            .help("write the host and the port alone, such as `grpc://127.0.0.1:50051`"));
    }
    Ok(url)
}

/// Returns the SHA-256 digest in hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes))
}

fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error| Failure::file("read", path, &error);
    let file = File::open(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(Failure::new(format!("`{}` is not a file", path.display()))
            .help("pass the specification itself"));
    }
    let mut bytes = Vec::new();
    let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(too_large(&path.display().to_string(), LARGEST));
    }
    Ok(bytes)
}

fn too_large(source: &str, limit: u64) -> Failure {
    let limit = limit / 1024 / 1024;
    Failure::new(format!("`{source}` is larger than {limit} MiB"))
        .help("copy it to `specs/NAME/openapi.json` yourself if it is a specification")
}

/// Returns a path as seen from a folder. Both may be relative to the current folder.
fn relative(path: &Path, root: &Path) -> PathBuf {
    let root = match root.as_os_str().is_empty() {
        true => Path::new("."),
        false => root,
    };
    let (Ok(path), Ok(root)) = (path.canonicalize(), root.canonicalize()) else {
        return path.to_owned();
    };
    let shared = path.components().zip(root.components());
    let shared = shared.take_while(|(one, other)| one == other).count();
    // Below the root of the file system nothing is shared but the root.
    if shared < 2 {
        return path;
    }
    let up = root.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_urls_of_http_without_credentials_are_fetched() {
        assert!(matches!(Source::parse("a/b.yaml"), Ok(Source::File(_))));
        let Ok(Source::Url(url)) = Source::parse("https://a.example/x.json#part") else {
            panic!("not a URL");
        };
        assert_eq!(url.as_str(), "https://a.example/x.json");
        for (text, problem) in [
            ("ftp://a.example/x", "scheme `ftp`"),
            ("file:///etc/passwd", "scheme `file`"),
            ("https://me:secret@a.example/x", "contains credentials"),
            ("https://", "is not a URL"),
        ] {
            let failure = Source::parse(text).unwrap_err();
            assert!(failure.to_string().contains(problem), "{failure}");
            assert!(!failure.to_string().contains("secret"), "{failure}");
        }
    }

    #[test]
    fn a_file_is_recorded_as_seen_from_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir_all(root.join("vendor")).unwrap();
        for (file, seen) in [
            ("project/vendor/a.yaml", "vendor/a.yaml"),
            ("b.yaml", "../b.yaml"),
        ] {
            let file = folder.path().join(file);
            std::fs::write(&file, "").unwrap();
            assert_eq!(relative(&file, &root), Path::new(seen));
        }
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let source = Source::parse("https://a.example/x.json").unwrap();
        let document = Document {
            text: String::new(),
            sha256: digest(b""),
        };
        let record = SourceRecord::new(&source, &document, folder.path());
        std::fs::write(folder.path().join(SOURCE_FILE), record.text()).unwrap();
        let read = SourceRecord::read(folder.path()).unwrap().unwrap();
        assert_eq!(read, record);
        assert_eq!(read.source(folder.path(), folder.path()).unwrap(), source);
    }
}
