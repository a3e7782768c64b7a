//! `toolwright matrix`: who may do what.

use clap::{Args, ValueEnum};

use crate::{
    Exit, Failure, context::Context, failure::Code, linked, matrix::Matrix, tools::ToolsArguments,
};

/// Show which role may do what: roles and tools, with category and approval
///
/// The roles are those of `toolwright.toml` and of `--grant`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright matrix --service plane\n  \
    toolwright matrix --format html > who-may-do-what.html\n  \
    toolwright matrix --spec openapi.yaml --service shop --grant reader=category:observe")]
pub(crate) struct MatrixArguments {
    #[command(flatten)]
    tools: ToolsArguments,

    /// Grant the selected tools to a role, in addition to toolwright.toml (may be repeated)
    #[arg(long = "grant", value_name = "ROLE=SELECTOR", value_parser = grant)]
    grants: Vec<(String, String)>,

    /// Switch on the selected tools, in addition to toolwright.toml (may be repeated)
    #[arg(long = "enable", value_name = "SELECTOR")]
    enable: Vec<String>,

    /// The form of the matrix on standard output
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    format: PictureFormat,

    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// The form of a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum PictureFormat {
    /// For a terminal.
    #[default]
    Text,
    /// For programs: one JSON value.
    Json,
    /// One page, which needs nothing else.
    Html,
    /// One drawing, which needs nothing else.
    Svg,
}

impl MatrixArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let config = context.config()?;
        let tools = self.tools.choose(context, &config)?;
        let exit = tools.exit();
        let mut builder = tools.registry().config(config);
        for (role, selector) in &self.grants {
            builder = builder.grant(role, selector);
        }
        for selector in &self.enable {
            builder = builder.enable(selector);
        }
        let registry = builder.build().map_err(|error| linked::wrong(&error))?;
        let matrix = Matrix::from_registry(&registry);
        if matrix.roles.is_empty() {
            return Err(Failure::new("no roles are declared")
                .code(Code::InvalidConfiguration)
                .note("only a role can call tools")
                .help("declare them in `toolwright.toml`, or try a grant: `--grant reader=category:observe`"));
        }
        match if self.json {
            PictureFormat::Json
        } else {
            self.format
        } {
            PictureFormat::Text => context.output.styled(&matrix.text())?,
            PictureFormat::Json => context.output.json(&matrix)?,
            PictureFormat::Html => context.output.text(&matrix.html())?,
            PictureFormat::Svg => context.output.text(&matrix.svg())?,
        }
        Ok(exit)
    }
}

fn grant(text: &str) -> Result<(String, String), String> {
    let (role, selector) = text
        .split_once('=')
        .ok_or("write a role, `=` and a selector, such as `reader=category:observe`")?;
    Ok((role.to_owned(), selector.to_owned()))
}
