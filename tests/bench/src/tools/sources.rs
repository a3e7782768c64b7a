//! The compiled crates: many functions, with or without the attributes.

use std::{fmt::Write, path::Path};

/// The form of a tool.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A function with one struct as its input.
    Function,
    /// A function with plain arguments.
    Arguments,
    /// A method with one struct as its input.
    Method,
    /// A method with one struct as its input, for `rmcp`.
    Rmcp,
}

/// The types that all crates define.
const TYPES: &str = "#![allow(dead_code)]\n\n\
    #[derive(serde::Deserialize, schemars::JsonSchema)]\n\
    pub struct Input {\n    /// The table.\n    pub table: String,\n    pub limit: Option<u32>,\n}\n\n\
    #[derive(serde::Serialize, schemars::JsonSchema)]\n\
    pub struct Output {\n    pub rows: u32,\n}\n\n";

impl Form {
    pub(super) const ALL: [Self; 4] = [Self::Function, Self::Arguments, Self::Method, Self::Rmcp];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Arguments => "arguments",
            Self::Method => "method",
            Self::Rmcp => "rmcp",
        }
    }

    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Function => "`#[tool]`, a function with a struct",
            Self::Arguments => "`#[tool]`, a function with two arguments",
            Self::Method => "`#[tools]`, a method with a struct",
            Self::Rmcp => "`rmcp`, a method with a struct",
        }
    }

    pub(super) fn is_ours(self) -> bool {
        self != Self::Rmcp
    }

    /// The crate's dependencies, the same with and without attributes.
    pub(super) fn dependencies(self, root: &Path) -> String {
        let ours = match self {
            Self::Rmcp => {
                "rmcp = { version = \"3.9\", features = [\"macros\", \"server\"] }".to_owned()
            }
            _ => format!("toolwright = {{ path = {:?} }}", root.join("runtime")),
        };
        format!(
            "{ours}\nschemars = \"1\"\nserde = {{ version = \"1\", features = [\"derive\"] }}\n"
        )
    }

    /// The source of the crate.
    pub(super) fn source(self, count: u32, attributes: bool) -> String {
        let mut out = TYPES.to_owned();
        out.push_str(self.header(attributes));
        for number in 0..count {
            // Writing to a `String` cannot fail.
            let _ = self.function(&mut out, number, attributes);
        }
        if matches!(self, Self::Method | Self::Rmcp) {
            out.push_str("}\n");
        }
        out
    }

    const fn header(self, attributes: bool) -> &'static str {
        match (self, attributes) {
            (Self::Function | Self::Arguments, true) => {
                "use toolwright::{RoleEnum, ToolContext, ToolError, tool};\n\n\
                 #[derive(RoleEnum)]\nenum AgentRole {\n    Reader,\n}\n\n"
            }
            (Self::Function | Self::Arguments, false) => {
                "use toolwright::{RoleEnum, ToolContext, ToolError};\n\n\
                 #[derive(RoleEnum)]\nenum AgentRole {\n    Reader,\n}\n\n"
            }
            (Self::Method, true) => {
                "use toolwright::{RoleEnum, ToolContext, ToolError, tools};\n\n\
                 #[derive(RoleEnum)]\nenum AgentRole {\n    Reader,\n}\n\n\
                 pub struct Warehouse;\n\n#[tools]\nimpl Warehouse {\n"
            }
            (Self::Method, false) => {
                "use toolwright::{RoleEnum, ToolContext, ToolError};\n\n\
                 #[derive(RoleEnum)]\nenum AgentRole {\n    Reader,\n}\n\n\
                 pub struct Warehouse;\n\nimpl Warehouse {\n"
            }
            (Self::Rmcp, true) => {
                "use rmcp::{ErrorData, Json, handler::server::wrapper::Parameters, tool, tool_router};\n\n\
                 pub struct Warehouse;\n\n#[tool_router]\nimpl Warehouse {\n"
            }
            (Self::Rmcp, false) => {
                "use rmcp::{ErrorData, Json, handler::server::wrapper::Parameters};\n\n\
                 pub struct Warehouse;\n\nimpl Warehouse {\n"
            }
        }
    }

    fn function(self, out: &mut String, number: u32, attributes: bool) -> std::fmt::Result {
        writeln!(out, "/// Counts the rows of a table, in way {number}.")?;
        match self {
            Self::Rmcp if attributes => {
                writeln!(out, "#[tool(name = \"count-warehouse-rows-{number:03}\")]")?;
            }
            Self::Function | Self::Arguments | Self::Method if attributes => writeln!(
                out,
                "#[tool(name = \"count-warehouse-rows-{number:03}\", category = observe, roles(AgentRole::Reader))]"
            )?,
            _ => {}
        }
        let parameters = match self {
            Self::Function => "_: &ToolContext, input: Input",
            Self::Arguments => "_: &ToolContext, table: String, limit: Option<u32>",
            Self::Method => "&self, _: &ToolContext, input: Input",
            Self::Rmcp => "&self, Parameters(input): Parameters<Input>",
        };
        let (result, rows) = match self {
            Self::Rmcp => (
                "Result<Json<Output>, ErrorData>",
                "Ok(Json(Output { rows }))",
            ),
            _ => ("Result<Output, ToolError>", "Ok(Output { rows })"),
        };
        let (table, limit) = match self {
            Self::Arguments => ("table", "limit"),
            _ => ("input.table", "input.limit"),
        };
        writeln!(
            out,
            "pub async fn count_rows_{number:03}({parameters}) -> {result} {{\n    \
             let rows = {limit}.unwrap_or({number}) + u32::from({table}.is_empty());\n    {rows}\n}}\n"
        )
    }
}
