//! A server of the protocol library alone: its tools do what they are asked without any check or record. It is the
//! floor of what a server with this library can take.

use std::{
    error::Error,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
        ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
    transport::stdio,
};
use serde_json::Value;

/// The server of a folder.
#[derive(Clone, Debug)]
struct Bare(Arc<Path>);

/// Serves until standard input ends.
pub(crate) fn run(root: &Path) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let server = Bare(root.into()).serve(stdio()).await?;
        server.waiting().await?;
        Ok(())
    })
}

impl Bare {
    fn carry_out(&self, tool: &str, arguments: &JsonObject) -> io::Result<String> {
        let text = |name| arguments.get(name).and_then(Value::as_str);
        let text = |name| text(name).ok_or_else(|| io::Error::other(format!("no `{name}`")));
        let path = self.0.join(text("path")?);
        match tool {
            "read" => fs::read_to_string(path),
            "list" => names(path, ""),
            "find" => names(path, text("end")?),
            "create" => fs::write(path, text("content")?).map(|()| "created".to_owned()),
            "edit" => {
                let content = fs::read_to_string(&path)?;
                let edited = content.replacen(text("old_text")?, text("new_text")?, 1);
                fs::write(path, edited).map(|()| "edited".to_owned())
            }
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

/// Returns the names of a folder that have an end, a line each.
fn names(folder: PathBuf, end: &str) -> io::Result<String> {
    let mut text = String::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(end) {
            text.push_str(&name);
            text.push('\n');
        }
    }
    Ok(text)
}

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let text = self.carry_out(&request.name, &arguments);
        let text = text.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let content = vec![ContentBlock::text(text)];
        Ok(CallToolResponse::Complete(CallToolResult::success(content)))
    }
}
