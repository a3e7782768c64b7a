//! `toolwright sandbox`: the sandbox of tools that write files and run programs.

use clap::{Args, Subcommand};
use serde_json::json;
use toolwright_sandbox::{Feature, Layer, Network, Support};

use crate::{
    Exit, Failure,
    context::Context,
    output::{FormatArguments, plural},
};

/// Find out how this machine confines tools that write files and run programs
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright sandbox check\n  \
    toolwright sandbox check --json | jq '.layers'")]
pub(crate) struct SandboxArguments {
    #[command(subcommand)]
    command: SandboxCommand,
}

#[derive(Debug, Subcommand)]
enum SandboxCommand {
    /// Try each feature of the kernel that the sandbox uses, and list the layers that it provides
    ///
    /// A call whose role requires a layer that is missing is refused. Ends with 4 if a layer is missing.
    Check(CheckArguments),
}

#[derive(Debug, Args)]
struct CheckArguments {
    #[command(flatten)]
    format: FormatArguments,
}

impl SandboxArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let SandboxCommand::Check(arguments) = self.command;
        let support = Support::detect().map_err(|error| Failure::new(error.to_string()))?;
        let layers = Layer::ALL.map(|layer| (layer, support.has(layer, &Network::None)));
        let missing = layers.iter().filter(|(_, has)| !has).count();
        let exit = if missing == 0 {
            Exit::Done
        } else {
            Exit::Differs
        };
        let features = support.features();
        if arguments.format.is_json() {
            let layers = layers.map(|(layer, has)| (layer.to_string(), has.into()));
            let layers: serde_json::Map<_, _> = layers.into_iter().collect();
            let report = json!({"kernel": support.kernel, "layers": layers, "features": features});
            context.output.json(&report)?;
            return Ok(exit);
        }
        for feature in &features {
            print(feature, context)?;
        }
        context.output.line("")?;
        for (layer, has) in layers {
            let layer = layer.as_str();
            let standing = if has {
                "supported"
            } else {
                "missing: calls that require it are refused"
            };
            context
                .output
                .line(format_args!("layer {layer:<13} {standing}"))?;
        }
        if missing > 0 {
            let missing = plural(missing, "layer");
            context.output.line(format_args!("\n{missing} missing"))?;
        }
        Ok(exit)
    }
}

fn print(feature: &Feature, context: &mut Context) -> Result<(), Failure> {
    let standing = if feature.supported { "yes" } else { "no" };
    let (name, detail) = (feature.name, &feature.detail);
    context
        .output
        .line(format_args!("{name:<18} {standing:<4} {detail}"))?;
    if let Some(help) = feature.help {
        context
            .output
            .line(format_args!("{:<18} help: {help}", ""))?;
    }
    Ok(())
}
