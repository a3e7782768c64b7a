//! `toolwright dump`: what a stage of the generator has made of specifications.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use toolwright::ServiceName;
use toolwright_generator::{dump, generate::Input, load::Disk};

use crate::{
    Exit, Failure,
    context::Context,
    specification::{AS_IT_IS, Specification, show},
    workspace,
};

/// Print what a stage of the generator has made of specifications
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright dump --stage lower openapi.yaml\n  \
    toolwright dump --stage check --tool list-plane-tasks")]
pub(crate) struct DumpArguments {
    /// The specifications; the default is those of the project
    #[arg(value_name = "SPEC")]
    paths: Vec<PathBuf>,

    /// The stage
    #[arg(long, value_enum)]
    stage: Stage,

    /// Only what belongs to this tool
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,

    /// The name of the service; otherwise it is taken from the overlay or from the file's name
    #[arg(long, value_name = "NAME", requires = "paths")]
    service: Option<ServiceName>,

    /// The overlay of the specification
    #[arg(long, value_name = "FILE", requires = "paths")]
    overlay: Option<PathBuf>,

    /// Has no effect on the output, which is JSON: errors are JSON too
    #[arg(long)]
    json: bool,
}

/// A stage, as `--stage` names it.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Stage {
    /// The documents as trees, each node with its place
    Parse,
    /// The lowered form of each operation
    Lower,
    /// The same after the passes
    Passes,
    /// The catalogue that emission is given
    Check,
}

impl DumpArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let inputs = self.inputs(context)?;
        let (text, outcome) = dump::stage(
            &inputs,
            AS_IT_IS,
            &Disk,
            self.stage.into(),
            self.tool.as_deref(),
        );
        show(&outcome);
        context.output.text(text.trim_end())?;
        Ok(Exit::Done)
    }

    fn inputs(&self, context: &Context) -> Result<Vec<Input>, Failure> {
        if self.paths.is_empty() {
            let folders = context.needed_config()?.workspace;
            let services = workspace::services(&folders.specs)?;
            let input = |files| Specification::from(files).input();
            return Ok(services.into_iter().map(input).collect());
        }
        let input = |path: &PathBuf| {
            Specification::new(path.clone(), self.service.clone(), self.overlay.clone()).input()
        };
        Ok(self.paths.iter().map(input).collect())
    }
}

impl From<Stage> for dump::Stage {
    fn from(stage: Stage) -> Self {
        match stage {
            Stage::Parse => Self::Parse,
            Stage::Lower => Self::Lower,
            Stage::Passes => Self::Passes,
            Stage::Check => Self::Check,
        }
    }
}
