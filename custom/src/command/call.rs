//! A call of a command.

use std::{collections::BTreeMap, path::PathBuf};

use serde_json::Value;
use toolwright::{ToolContext, ToolError};
use toolwright_commands::{
    Argument, CommandResult,
    confined::{check_covering, confinement},
    failed,
    folder::{SYSTEM_PATH, below, existing, repository, secret, writable},
    misconfigured, run,
};
use toolwright_sandbox::{Confinement, Network};

use super::Command;

/// Runs the command with the arguments of a call.
pub(crate) async fn call(
    command: &Command,
    ctx: &ToolContext,
    arguments: &Value,
) -> Result<Value, ToolError> {
    let values = values(arguments);
    let words = command.arguments.iter();
    let words: Result<Vec<String>, String> =
        words.map(|word| Argument::fill(word, &values)).collect();
    let words = words.map_err(|message| failed("command_value_refused", message))?;
    let mut confinement = command.confinement(ctx)?;
    for (variable, part) in &command.credentials {
        let secret = ctx.credential(*part).await?;
        if secret.expose().contains('\0') {
            let message = format!("the {part} of the service contains NUL");
            return Err(misconfigured(message));
        }
        let value = secret.expose().to_owned();
        confinement.environment.insert(variable.clone(), value);
    }
    let program = command.program.clone();
    let result: CommandResult = run(ctx, &confinement, program, &words).await?;
    serde_json::to_value(result).map_err(|error| ToolError::failed(error.to_string()))
}

/// Returns the values of a call as strings. The gates have checked that each is a string or an integer.
fn values(arguments: &Value) -> BTreeMap<String, String> {
    let fields = arguments.as_object().into_iter().flatten();
    let values = fields.map(|(name, value)| {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        (name.clone(), text)
    });
    values.collect()
}

impl Command {
    /// Returns the rights of the program: what the file states, and nothing else.
    fn confinement(&self, ctx: &ToolContext) -> Result<Confinement, ToolError> {
        let root = repository(ctx)?;
        let folder = below(&root, &self.folder)?;
        let mut confinement = confinement(ctx, &folder);
        confinement.umask = 0o022;
        confinement.files = confinement.files.with_system_programs();
        let files = &mut confinement.files;
        files.read.push(folder);
        for path in &self.read {
            files.read.push(existing(path)?);
        }
        for path in &self.execute {
            files.execute.push(existing(path)?);
        }
        for folder in &self.write {
            files.write.push(writable(&root, folder)?);
        }
        let readable: Vec<PathBuf> = files.read.iter().chain(&files.execute).cloned().collect();
        files.hidden = secret(&root, readable.iter());
        if !files.hidden.is_empty() {
            check_covering("a command that may read the repository")?;
        }
        if self.has_network() {
            confinement.network = Network::Ports(self.ports.clone());
        }
        let path = SYSTEM_PATH.join(":");
        let base = [("PATH", path.as_str()), ("LANG", "C.UTF-8")];
        let base = base.map(|(name, value)| (name.to_owned(), value.to_owned()));
        confinement.environment = base.into();
        confinement.environment.extend(self.environment.clone());
        confinement.limits = self.limits.of_call(ctx)?;
        Ok(confinement)
    }
}
