//! The formats that others read.

use clap::ValueEnum;
use serde_json::Value;
use toolwright::{
    ToolSpec,
    render::{
        code::{Language, module},
        mcp::{self, OutputSchemas},
        prompt::{self, Calls},
        provider::Dialect,
    },
};

/// A format that others read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
pub(crate) enum Target {
    /// The answer to `tools/list` of the Model Context Protocol
    Mcp,
    /// `tools` of Anthropic's Messages API
    Anthropic,
    /// `tools` of OpenAI's Chat Completions
    #[value(name = "openai")]
    OpenAi,
    /// The same with `strict`; a tool that has no strict schema is not strict, with a note
    #[value(name = "openai-strict")]
    OpenAiStrict,
    /// `tools` of the Gemini API
    Gemini,
    /// `toolConfig` of Amazon Bedrock's Converse API, with names in snake case
    Bedrock,
    /// A block for a prompt, in Markdown
    Prompt,
    /// The same for agents that call the tools by `toolwright call`
    PromptCli,
    /// A module of functions for programs in TypeScript
    #[value(name = "typescript")]
    TypeScript,
    /// A module of functions for programs in Python
    Python,
}

impl Target {
    /// The format of a model provider; none for the others.
    pub(crate) const fn dialect(self) -> Option<Dialect> {
        match self {
            Self::Anthropic => Some(Dialect::Anthropic),
            Self::OpenAi => Some(Dialect::OpenAi),
            Self::OpenAiStrict => Some(Dialect::OpenAiStrict),
            Self::Gemini => Some(Dialect::Gemini),
            Self::Bedrock => Some(Dialect::Bedrock),
            Self::Mcp | Self::Prompt | Self::PromptCli | Self::TypeScript | Self::Python => None,
        }
    }

    /// The language of a module; none for the others.
    pub(crate) const fn language(self) -> Option<Language> {
        match self {
            Self::TypeScript => Some(Language::TypeScript),
            Self::Python => Some(Language::Python),
            _ => None,
        }
    }

    /// The word of the command line.
    pub(crate) fn word(self) -> String {
        let value = self.to_possible_value();
        value
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }

    /// Returns what a model reads of one tool.
    pub(crate) fn text(self, spec: &ToolSpec) -> String {
        if let Some(language) = self.language() {
            return module([spec], language);
        }
        match (self.dialect(), self) {
            (Some(dialect), _) => dialect.tool(spec).tool.to_string(),
            (None, Self::Mcp) => Value::Object(mcp::tool(spec, OutputSchemas::Cut)).to_string(),
            (None, Self::PromptCli) => {
                let command =
                    |spec: &ToolSpec| Some(format!("toolwright call {} --args JSON", spec.name));
                prompt::block([spec], Calls::Commands(&command))
            }
            (None, _) => prompt::block([spec], Calls::Functions),
        }
    }
}
