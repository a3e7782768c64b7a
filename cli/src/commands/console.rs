//! `toolwright console`: the web page on which people decide about calls.

mod sessions;

use std::{net::Ipv4Addr, sync::Arc};

use clap::{Args, Subcommand};
use serde_json::json;
use tokio::{net::TcpListener, sync::watch};
use toolwright::{
    Registry,
    approval::ApproverKey,
    config::{CONFIG_FILE, Config},
    system,
};
use toolwright_console::{Address, Console, InviteError, serve};
use toolwright_state::State;

use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    operator::{LAST_NOTIFICATIONS, PermissionArguments, runtime},
    output::{FormatArguments, error_line},
    serve::{policy::Before, watcher::Watcher},
    tools::ToolsArguments,
};
use sessions::{EndArguments, SessionsArguments};

/// The default port.
pub(crate) const DEFAULT_PORT: u16 = 7182;

/// Serve the web page on which people decide about calls that wait, and switch tools
///
/// It prints a link that signs you in once. Who may sign in, and what each person may do, is in
/// `[console.people]` of toolwright.toml.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright console --by ann\n  \
    toolwright console link --by bob\n  \
    toolwright console sessions")]
pub(crate) struct ConsoleArguments {
    #[command(subcommand)]
    command: Option<ConsoleCommand>,
    #[command(flatten)]
    serve: ServeArguments,
}

#[derive(Debug, Subcommand)]
enum ConsoleCommand {
    /// Print a link that signs a person in once, within ten minutes
    Link(LinkArguments),
    /// List the sessions, also those that have ended
    Sessions(SessionsArguments),
    /// End a session
    End(EndArguments),
}

/// The options of the server.
#[derive(Debug, Args)]
struct ServeArguments {
    #[command(flatten)]
    place: PlaceArguments,

    #[command(flatten)]
    tools: ToolsArguments,

    #[command(flatten)]
    format: FormatArguments,
}

/// Who signs in, and at which port.
#[derive(Debug, Args)]
struct PlaceArguments {
    /// The name of the person whom the link signs in; by default your user of the operating system
    #[arg(long, value_name = "NAME")]
    by: Option<String>,

    /// The port on the loopback interface; 0 takes any that is free [default: 7182]
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,

    /// The URL at which browsers find the console, if a proxy of yours adds TLS [default: the port on this
    /// machine]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
}

#[derive(Debug, Args)]
struct LinkArguments {
    #[command(flatten)]
    place: PlaceArguments,

    #[command(flatten)]
    tools: ToolsArguments,

    #[command(flatten)]
    format: FormatArguments,
}

impl ConsoleArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        match self.command {
            None => self.serve.run(context),
            Some(ConsoleCommand::Link(arguments)) => arguments.run(context),
            Some(ConsoleCommand::Sessions(arguments)) => arguments.run(context),
            Some(ConsoleCommand::End(arguments)) => arguments.run(context),
        }
    }
}

impl PlaceArguments {
    fn person(&self) -> String {
        self.by.clone().unwrap_or_else(system::user)
    }

    /// Returns the address of a console at a port of this machine.
    fn address(&self, port: u16) -> Result<Address, Failure> {
        let local = || format!("http://127.0.0.1:{port}");
        let address = Address::new(&self.url.clone().unwrap_or_else(local));
        address.map_err(|error| Failure::new(error.to_string()))
    }
}

impl ServeArguments {
    fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        // A change after this point causes another read.
        let before = Before::look(context.config_source());
        let person = self.place.person();
        let config = context.trusted_config()?;
        check_role(&config, &person)?;
        let (registry, state) = registry(&self.tools, context)?;
        let key = ApproverKey::of_user().map_err(|error| Failure::new(error.to_string()))?;
        warn_of_key(&state, &key);
        let runtime = runtime()?;
        let listener = runtime.block_on(bind(self.place.port.unwrap_or(DEFAULT_PORT)))?;
        let port = listener.local_addr()?.port();
        let address = self.place.address(port)?;
        let console = Console::new(registry.clone(), state.clone(), &config, address).key(key);
        runtime.block_on(async {
            let link = console.invite(&person).await.map_err(failure)?;
            self.announce(&console, &person, &link, context)?;
            warn_of_provider(&registry, &config).await;
            let of_policy = console.clone();
            let status = watch::Sender::new(before.status());
            let policy = before.follow(registry.clone(), state.clone(), status, move |config| {
                of_policy.reload(config);
            });
            let watcher = Watcher::new(Arc::new(policy))?;
            tokio::spawn(watcher.run());
            let availability = Arc::clone(registry.availability());
            tokio::spawn(state.follow(availability, |lost| match lost {
                Some(error) => error_line(error),
                None => error_line("the state can be used again"),
            }));
            serve(console, listener, ended()).await?;
            registry.finish_notifications(LAST_NOTIFICATIONS).await;
            Ok(Exit::Done)
        })
    }

    /// Prints the link, which is a secret for as long as it was not used.
    fn announce(
        &self,
        console: &Console,
        person: &str,
        link: &str,
        context: &mut Context,
    ) -> Result<(), Failure> {
        let address = console.address();
        if self.format.is_json() {
            let started = json!({"url": address.to_string(), "person": person, "link": link});
            context.output.json(&started)?;
        } else {
            context.output.line(link)?;
        }
        context.output.flush()?;
        error_line(format_args!(
            "the link signs `{person}` in once, within ten minutes; the console is at {address}, Ctrl-C ends this"
        ));
        Ok(())
    }
}

impl LinkArguments {
    fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let person = self.place.person();
        let config = context.trusted_config()?;
        check_role(&config, &person)?;
        let (registry, state) = registry(&self.tools, context)?;
        let port = self.place.port.unwrap_or(DEFAULT_PORT);
        let address = self.place.address(port)?;
        let console = Console::new(registry, state, &config, address);
        let link = runtime()?.block_on(console.invite(&person));
        let link = link.map_err(failure)?;
        if self.format.is_json() {
            let issued = json!({"person": person, "link": link});
            context.output.json(&issued)?;
        } else {
            context.output.line(link)?;
        }
        Ok(Exit::Done)
    }
}

/// Creates the registry of the project for the operator.
fn registry(tools: &ToolsArguments, context: &Context) -> Result<(Registry, State), Failure> {
    let nothing_more = PermissionArguments::default();
    let opened = nothing_more.registry(None, tools, context, |audit| Arc::new(audit))?;
    Ok((opened.registry, opened.state))
}

/// Checks that the policy gives a person a role at the console.
fn check_role(config: &Config, person: &str) -> Result<(), Failure> {
    match config.console.role_of(person) {
        Some(_) => Ok(()),
        None => Err(failure(InviteError::NoRole(person.to_owned()))),
    }
}

/// Tells if decisions with the key of the console do not count.
fn warn_of_key(state: &State, key: &ApproverKey) {
    if matches!(state.accepts(&key.public()), Ok(false)) {
        error_line(format_args!(
            "warning: nobody can approve here: `[approvals]` in {CONFIG_FILE} does not contain your key `{}`",
            key.public()
        ));
    }
}

/// Warns if nobody can sign in through the provider of the configuration.
async fn warn_of_provider(registry: &Registry, config: &Config) {
    let Some(openid) = &config.console.openid else {
        return;
    };
    if let Err(error) = registry.sign_in_client(openid).await {
        error_line(format_args!(
            "warning: nobody can sign in through `{}`: {error}: {}",
            openid.issuer,
            error.detail()
        ));
    }
}

async fn bind(port: u16) -> Result<TcpListener, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
    listener.map_err(|error| Failure::new(format!("cannot bind port {port}: {error}")))
}

/// Waits until the command is asked to end.
pub(crate) async fn ended() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => return,
                _ = tokio::signal::ctrl_c() => return,
            }
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

fn failure(error: InviteError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        InviteError::NoRole(person) => failure.code(Code::UnknownEntry).help(format!(
            "add `[console.people.{person}]` with `role = \"operator\"` to {CONFIG_FILE}; other roles are `approver` and `viewer`"
        )),
        InviteError::State(error) => error.into(),
        _ => failure,
    }
}
