//! Asks a gRPC server that the user named for the descriptors of its services.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use reqwest::Url;

use crate::{Failure, asynchronous::runtime, failure::Code};

/// The characters of a line of base64.
const LINE: usize = 76;

/// Asks a server, and returns its descriptor set as lines of base64. No credentials are sent.
pub(super) fn reflect(server: &Url) -> Result<Vec<u8>, Failure> {
    let asked = runtime()?.block_on(toolwright::reflect_grpc(&address(server)));
    let set = asked.map_err(|error| {
        let failure = Failure::new(format!("cannot ask `{server}`: {error}"));
        failure
            .detail(error.detail())
            .code(Code::FetchFailed)
            .help("check the address and that the server has reflection, or pass its `.proto` file or a descriptor set")
    })?;
    Ok(lines(&set))
}

/// Returns the address for HTTP/2: `https` for `grpcs`, `http` for `grpc`.
fn address(server: &Url) -> String {
    let scheme = match server.scheme() {
        "grpcs" => "https",
        _ => "http",
    };
    let host = server.host_str().unwrap_or_default();
    match server.port() {
        Some(port) => format!("{scheme}://{host}:{port}"),
        None => format!("{scheme}://{host}"),
    }
}

/// Returns bytes as lines of base64, which version control can compare.
pub(super) fn lines(bytes: &[u8]) -> Vec<u8> {
    let text = BASE64_STANDARD.encode(bytes).into_bytes();
    text.chunks(LINE)
        .flat_map(|line| [line, b"\n"].concat())
        .collect()
}
