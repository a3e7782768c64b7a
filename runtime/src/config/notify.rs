//! `[approvals.webhook]` and `[approvals.command]`: how people learn of calls that wait.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};

use reqwest::Url;
use toolwright_model::settings::{Node as _, Reader as _};

use super::{
    Placed,
    reader::{ConfigReader, TomlNode},
};
use crate::target::{Allowance, Egress, Origin};

/// The longest attempt to deliver an event, in seconds.
pub(super) const LONGEST_DELIVERY: u64 = 60;

/// The default timeout of an attempt, in seconds.
pub(super) const DELIVERY_SECONDS: u64 = 10;

/// The keys of the webhook's table.
pub(super) const WEBHOOK_KEYS: [&str; 6] = [
    "url",
    "secret_file",
    "secret_env",
    "timeout_seconds",
    "allow",
    "proxy",
];

/// The keys of the command's table.
pub(super) const COMMAND_KEYS: [&str; 3] = ["argv", "environment", "timeout_seconds"];

/// The ways by which people learn of calls that wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotifyConfig {
    /// `[approvals.webhook]`
    pub webhook: Option<WebhookConfig>,
    /// `[approvals.command]`
    pub command: Option<CommandConfig>,
}

/// `[approvals.webhook]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WebhookConfig {
    /// `url`: the receiver of the events.
    pub url: String,
    /// The source of the secret that signs the events.
    pub secret: SecretSource,
    /// `timeout_seconds`: the timeout of one attempt.
    pub timeout: Duration,
    /// `allow`: the words that allow a target which is refused otherwise.
    pub allow: BTreeSet<Allowance>,
    /// `proxy`: the proxy that carries the requests, except to loopback.
    pub proxy: Option<Origin>,
}

/// The source of a secret. The configuration never contains the secret itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretSource {
    /// `secret_file`: a private file.
    File(PathBuf),
    /// `secret_env`: a variable of the environment.
    Variable(String),
}

/// `[approvals.command]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandConfig {
    /// `argv`: the absolute path of the program, and its arguments.
    pub argv: Vec<String>,
    /// `environment`: the names of the variables that the program receives.
    pub environment: Vec<String>,
    /// `timeout_seconds`: the time after which the program is killed.
    pub timeout: Duration,
}

impl NotifyConfig {
    /// Returns whether nobody is told of calls that wait.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.webhook.is_none() && self.command.is_none()
    }

    pub(super) fn read(table: TomlNode<'_>, root: &Path, reader: &mut ConfigReader) -> Self {
        let webhook = reader.table_at(table, "webhook");
        let command = reader.table_at(table, "command");
        Self {
            webhook: webhook.and_then(|table| WebhookConfig::read(table, root, reader)),
            command: command.and_then(|table| CommandConfig::read(table, reader)),
        }
    }
}

impl WebhookConfig {
    fn read(table: TomlNode<'_>, root: &Path, reader: &mut ConfigReader) -> Option<Self> {
        reader.check_keys(table, &WEBHOOK_KEYS);
        reader.require(table, "url", "add the URL of the receiver");
        let url = reader.exact_text(table, "url");
        let file = reader.exact_text(table, "secret_file");
        let variable = reader.exact_text(table, "secret_env");
        let secret = match (file, variable) {
            (Some(file), None) => Some(SecretSource::File(root.join(file.value))),
            (None, Some(variable)) => Some(SecretSource::Variable(variable.value)),
            (file, _) => {
                let message = match file {
                    Some(_) => "this table has both `secret_file` and `secret_env`",
                    None => "this table has no secret",
                };
                let help =
                    "write either `secret_file`, a private file, or `secret_env`, a variable";
                reader.problem(table.place(), message, help);
                None
            }
        };
        let allow: Vec<Placed<Allowance>> = reader.parsed_list(table, "allow");
        for word in &allow {
            if word.value != Allowance::PrivateNetwork {
                let message = format!("a webhook cannot be allowed `{}`", word.value.word());
                let help = "only `private-network` is possible here";
                reader.problem(word.place.clone(), &message, help);
            }
        }
        let webhook = Self {
            url: url.as_ref()?.value.clone(),
            secret: secret?,
            timeout: timeout(table, reader),
            allow: allow.into_iter().map(|word| word.value).collect(),
            proxy: reader.origin_of_proxy(table, "proxy"),
        };
        let checked = webhook.check_url();
        if let (Err(message), Some(url)) = (checked, url) {
            let help = "write an `https` URL, or an `http` URL of this machine";
            reader.problem(url.place, &message, help);
        }
        Some(webhook)
    }

    /// Returns the egress settings of requests to the receiver.
    pub(crate) fn egress(&self) -> Egress {
        Egress::verified(self.allow.clone(), self.proxy.clone())
    }

    /// Checks that the events may go to the receiver. Messages do not repeat the URL: its path may
    /// hold a token.
    fn check_url(&self) -> Result<(), String> {
        let url = Url::parse(&self.url);
        let url = url.map_err(|error| format!("the webhook's URL is invalid: {error}"))?;
        if Origin::from_url(&url).is_none() {
            return Err("the webhook's URL is not one of the web".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("the webhook's URL contains a user or a password".to_owned());
        }
        self.egress()
            .check(&url)
            .map_err(|refused| refused.to_string())
    }
}

impl CommandConfig {
    fn read(table: TomlNode<'_>, reader: &mut ConfigReader) -> Option<Self> {
        reader.check_keys(table, &COMMAND_KEYS);
        let help =
            "add the path of the program and its arguments, such as `[\"/usr/local/bin/notify\"]`";
        reader.require(table, "argv", help);
        let argv = reader.texts(table, "argv");
        let environment = reader.texts(table, "environment");
        let timeout = timeout(table, reader);
        let is_path = argv
            .first()
            .is_some_and(|program| Path::new(&program.value).is_absolute());
        if !is_path && table.value_of("argv").is_some() {
            let message = "`argv` does not begin with the absolute path of a program";
            reader.problem(table.place(), message, help);
        }
        let strings = |texts: Vec<Placed<String>>| {
            let texts = texts.into_iter();
            texts.map(|text| text.value).collect()
        };
        is_path.then(|| Self {
            argv: strings(argv),
            environment: strings(environment),
            timeout,
        })
    }
}

fn timeout(table: TomlNode<'_>, reader: &mut ConfigReader) -> Duration {
    let seconds = reader.number(table, "timeout_seconds", 1..=LONGEST_DELIVERY);
    Duration::from_secs(seconds.map_or(DELIVERY_SECONDS, |seconds| seconds.value))
}
