//! `toolwright mcp-config`: the configuration with which an MCP client starts `toolwright serve`.

use std::{env, path::Path};

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};
use toolwright::Role;

use crate::{
    Exit, Failure,
    context::Context,
    output::{FormatArguments, error_line},
    project,
    serve::check_declared,
    tools::ToolsArguments,
};

/// The variable that moves the folder of the user's settings.
const CONFIG_HOME: &str = "XDG_CONFIG_HOME";

/// Print the configuration with which an MCP client starts the server of a role
///
/// The JSON is printed on standard output, and the place for it on standard error. All paths are
/// absolute: clients start the server in a folder of their own choice. The approvals, the switches
/// and the audit are those of the project, wherever the server is started.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright mcp-config --role reader\n  \
    toolwright mcp-config --role reader --client claude-code > .mcp.json\n  \
    toolwright mcp-config --role reader --client vscode > .vscode/mcp.json")]
pub(crate) struct McpConfigArguments {
    /// The role whose tools the client gets
    #[arg(long, value_name = "ROLE")]
    role: Role,

    /// The client
    #[arg(long, value_enum, value_name = "CLIENT", default_value_t)]
    client: Client,

    /// The name of the server in the client [default: toolwright-ROLE]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Let calls that a person must approve wait for the decision this long, rather than refuse them
    /// at once
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,

    #[command(flatten)]
    format: FormatArguments,
}

/// A program that starts MCP servers.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Client {
    /// Any client that reads `mcpServers`
    #[default]
    Generic,
    /// Claude Code
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
    /// Windsurf
    Windsurf,
    /// Zed
    Zed,
}

impl McpConfigArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let file = context.needed_file()?;
        let config = project::read_trusted(&file)?;
        let tools = ToolsArguments::default().choose(context, &config)?;
        let registry = tools.registry().config(config).build();
        let registry = registry.map_err(|error| crate::linked::wrong(&error))?;
        check_declared(&registry, &self.role)?;

        let file =
            std::path::absolute(&file).map_err(|error| Failure::file("find", &file, &error))?;
        let entry = self.entry(&file)?;
        let name = self
            .name
            .unwrap_or_else(|| format!("toolwright-{}", self.role));
        let servers = Map::from_iter([(name, entry)]);
        let configuration = json!({self.client.key(): servers});
        if self.format.is_json() {
            context.output.json(&configuration)?;
        } else {
            context.output.pretty_json(&configuration)?;
        }
        error_line(format_args!("= note: {}", self.client.place()));
        Ok(Exit::Done)
    }

    /// Returns the configuration of the server alone.
    fn entry(&self, config: &Path) -> Result<Value, Failure> {
        let program = env::current_exe().map_err(|error| {
            Failure::new("the path of this program is unknown").note(error.to_string())
        })?;
        let mut arguments = vec![
            "serve".to_owned(),
            "--config".to_owned(),
            utf8(config)?,
            "--role".to_owned(),
            self.role.to_string(),
        ];
        if let Some(seconds) = self.wait {
            arguments.extend(["--wait".to_owned(), seconds.to_string()]);
        }
        let mut entry = Map::new();
        if self.client.names_transport() {
            entry.insert("type".to_owned(), "stdio".into());
        }
        entry.insert("command".to_owned(), utf8(&program)?.into());
        entry.insert("args".to_owned(), arguments.into());
        // Clients do not run in the shell of the user, and the trust in the project is recorded there.
        if let Ok(folder) = env::var(CONFIG_HOME) {
            entry.insert("env".to_owned(), json!({CONFIG_HOME: folder}));
        }
        Ok(entry.into())
    }
}

impl Client {
    /// The key of the servers in the client's file.
    const fn key(self) -> &'static str {
        match self {
            Self::Vscode => "servers",
            Self::Zed => "context_servers",
            Self::Generic
            | Self::ClaudeCode
            | Self::ClaudeDesktop
            | Self::Cursor
            | Self::Windsurf => "mcpServers",
        }
    }

    /// Checks whether the entry of a server says how the client talks to it.
    const fn names_transport(self) -> bool {
        matches!(self, Self::Vscode | Self::ClaudeCode)
    }

    /// The place for the configuration.
    const fn place(self) -> &'static str {
        match self {
            Self::Generic => "add this to the file in which your client keeps `mcpServers`",
            Self::ClaudeCode => {
                "add this to `.mcp.json` in the folder in which you start the client"
            }
            Self::ClaudeDesktop => {
                "add this to `claude_desktop_config.json`: Settings, Developer, Edit Config"
            }
            Self::Cursor => "add this to `.cursor/mcp.json` in your project or in your home folder",
            Self::Vscode => "add this to `.vscode/mcp.json` in your workspace",
            Self::Windsurf => "add this to `~/.codeium/windsurf/mcp_config.json`",
            Self::Zed => "add this to Zed's `settings.json`",
        }
    }
}

/// JSON has no other paths.
fn utf8(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().map(ToOwned::to_owned);
    text.ok_or_else(|| {
        Failure::new(format!("the path `{}` is not valid UTF-8", path.display()))
            .help("move the project, or the program, to a path that is")
    })
}
